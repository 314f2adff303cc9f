//! Signs that the machine of a run was busy: the process got less CPU time than it would have used.
//!
//! Only runs on the CPU are judged. On a GPU the process mostly waits for the device.

use crate::findings::Findings;

/// Training keeps at least one thread busy. A process with less CPU time had to share its cores.
const LEAST: f64 = 0.8;
/// The same work on equally many cores gets about the same CPU time. A share below this means that one machine was busy.
const ALIKE: f64 = 0.8;

/// CPU time is counted in hundredths of a second, so shorter runs say nothing.
const ENOUGH: f64 = 1.0;

/// Why the speeds of a strategy in two runs say little, if a machine was busy.
pub(super) fn doubt(
    (old, old_row): (&Findings, usize),
    (new, new_row): (&Findings, usize),
) -> Option<String> {
    let name = old.name(old_row);
    let (before, after) = (cpus(old, old_row), cpus(new, new_row));
    let advice = "the machine was busy; repeat it on an idle one";
    for (which, cpus) in [("first", before), ("second", after)] {
        if let Some(cpus) = cpus.filter(|&cpus| cpus < LEAST) {
            return Some(format!(
                "{name} in the {which} run got {cpus:.2} seconds of CPU time per second: {advice}"
            ));
        }
    }
    let (before, after) = before.zip(after)?;
    let same_cores = threads(old) == threads(new);
    let (least, most) = (before.min(after), before.max(after));
    (same_cores && least < ALIKE * most).then(|| {
        format!(
            "{name} got {before:.2} seconds of CPU time per second in the first run, {after:.2} in the second: one machine was busy; repeat it on an idle one"
        )
    })
}

/// CPU time of a row's runs divided by their training time; none if it was not measured, or if they trained on a GPU.
fn cpus(findings: &Findings, row: usize) -> Option<f64> {
    let on_cpu = |backend: &str| backend == "cpu";
    let environments = &findings.recorded.environments;
    if !environments
        .iter()
        .all(|environment| on_cpu(&environment.computes.backend))
    {
        return None;
    }
    let runs = findings.runs(row);
    let epochs = runs.iter().flat_map(|run| &run.epochs);
    let times = epochs.map(|epoch| Some((epoch.cpu_seconds?, epoch.train_seconds)));
    let times: Vec<(f64, f64)> = times.collect::<Option<_>>()?;
    let (used, taken) = times.iter().fold((0.0, 0.0), |(used, taken), (cpu, wall)| {
        (used + cpu, taken + wall)
    });
    (taken >= ENOUGH).then(|| used / taken)
}

fn threads(findings: &Findings) -> Vec<usize> {
    let environments = findings.recorded.environments.iter();
    environments
        .map(|environment| environment.threads)
        .collect()
}
