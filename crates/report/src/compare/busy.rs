//! Signs that the machine of a run was busy: the process got less CPU time than it would have used.
//!
//! Only runs on the CPU are judged. On a GPU the process mostly waits for the device.

use std::collections::BTreeSet;

use crate::findings::Findings;

/// Training keeps at least one thread busy. A process with less CPU time per second had to share its cores.
const MIN_CPU_SHARE: f64 = 0.8;
/// The same program gets about the same CPU time on equally many cores. Below this ratio, one machine may have been busy.
const MIN_CPU_RATIO: f64 = 0.8;
/// CPU time is counted in hundredths of a second. The CPU time of shorter runs is not precise.
const MIN_SECONDS: f64 = 1.0;

/// Why the speeds of a strategy in two runs may not be comparable, if a machine looks busy.
pub(super) fn doubts(
    (old, old_row): (&Findings, usize),
    (new, new_row): (&Findings, usize),
) -> Vec<String> {
    let name = old.name(old_row);
    let (first, second) = (
        cpu_time_per_second(old, old_row),
        cpu_time_per_second(new, new_row),
    );
    let sides = [("first", first), ("second", second)].into_iter();
    let busy = sides.filter_map(|(which, cpu_time)| {
        let cpu_time = cpu_time.filter(|&cpu_time| cpu_time < MIN_CPU_SHARE)?;
        Some(format!(
            "{name} in the {which} run got {cpu_time:.2} seconds of CPU time per second: the machine was busy; repeat it on an idle one"
        ))
    });
    let mut doubts: Vec<String> = busy.collect();
    if let Some((first, second)) = first.zip(second)
        && doubts.is_empty()
        && threads(old) == threads(new)
        && first.min(second) < MIN_CPU_RATIO * first.max(second)
    {
        doubts.push(format!(
            "{name} got {first:.2} seconds of CPU time per second in the first run, {second:.2} in the second: one machine may have been busy, or the program now uses more or fewer cores; repeat both on an idle machine"
        ));
    }
    doubts
}

/// CPU time of a row's runs divided by their training time. None if it was not measured, or if they may have trained on a GPU.
fn cpu_time_per_second(findings: &Findings, row: usize) -> Option<f64> {
    let environments = &findings.recorded.environments;
    let mut backends = environments
        .iter()
        .map(|environment| environment.computes.backend.as_str());
    if environments.is_empty() || backends.any(|backend| backend != "cpu") {
        return None;
    }
    let runs = findings.runs(row);
    let epochs = runs.iter().flat_map(|run| &run.epochs);
    let times = epochs.map(|epoch| Some((epoch.cpu_seconds?, epoch.train_seconds)));
    let times: Vec<(f64, f64)> = times.collect::<Option<_>>()?;
    let (used, taken) = times.iter().fold((0.0, 0.0), |(used, taken), (cpu, wall)| {
        (used + cpu, taken + wall)
    });
    (taken >= MIN_SECONDS).then(|| used / taken)
}

/// The numbers of hardware threads of all machines. A resumed run has one environment per start.
fn threads(findings: &Findings) -> BTreeSet<usize> {
    let environments = findings.recorded.environments.iter();
    environments
        .map(|environment| environment.threads)
        .collect()
}
