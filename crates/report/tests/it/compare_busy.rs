//! Comparisons of runs on a busy CPU: their speeds are unclear.

use crate::common::{changed, opened, rewrite};
use padwise_report::compare::{Comparison, UnclearReason, Verdict, render};
use padwise_report::findings::Findings;
use padwise_report::tables::Style;

fn compared(old: &Findings, new: &Findings) -> Comparison {
    Comparison::of(old, new, 0.05).expect("the same task")
}

/// The fixture `table2` with this CPU time per second of training, and these environments.
fn with_cpu_time(cpus: f64, environments: &[(&str, usize)]) -> Findings {
    let folder = changed("table2", "epochs.csv", |text| {
        let (header, lines) = text.split_once('\n').expect("a header");
        let column = header.split(',').position(|name| name == "train_seconds");
        let column = column.expect("training times");
        let lines = lines.lines().map(|line| {
            let seconds = line.split(',').nth(column).expect("a field");
            let seconds: f64 = seconds.parse().expect("a number");
            format!("{line},{}\n", cpus * seconds)
        });
        format!("{header},cpu_seconds\n{}", lines.collect::<String>())
    });
    rewrite(&folder, "environment.json", |text| {
        let all: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let one = |(backend, threads): &(&str, usize)| {
            let mut one = all[0].clone();
            one["computes"]["backend"] = (*backend).into();
            one["threads"] = (*threads).into();
            one
        };
        let all: Vec<serde_json::Value> = environments.iter().map(one).collect();
        serde_json::to_string(&all).expect("JSON")
    });
    if environments.is_empty() {
        std::fs::remove_file(folder.path().join("environment.json")).expect("a file");
    }
    opened(&folder)
}

#[test]
fn only_runs_on_the_cpu_can_look_busy() {
    let doubts = |first: &[(&str, usize)], second: &[(&str, usize)], cpus: [f64; 2]| {
        let [first, second] = [(first, cpus[0]), (second, cpus[1])]
            .map(|(environments, cpus)| with_cpu_time(cpus, environments));
        compared(&first, &second).doubts.join("\n")
    };
    // Without environment.json, the run may have been on a GPU.
    assert!(!doubts(&[], &[], [0.1, 0.1]).contains("busy"));
    assert!(!doubts(&[("cuda", 4)], &[("cuda", 4)], [0.1, 0.1]).contains("busy"));
    // Both sides are named.
    let both = doubts(&[("cpu", 4)], &[("cpu", 4)], [0.5, 0.4]);
    assert!(both.contains("first run got 0.50"), "{both}");
    assert!(both.contains("second run got 0.40"), "{both}");
    // A resumed run has two environments.
    let resumed = [("cpu", 4), ("cpu", 4)];
    let uneven = doubts(&[("cpu", 4)], &resumed, [3.0, 1.5]);
    assert!(uneven.contains("may have been busy"), "{uneven}");
    let other_machine = doubts(&[("cpu", 4)], &[("cpu", 2)], [3.0, 1.5]);
    assert!(!other_machine.contains("busy"), "{other_machine}");
}

#[test]
fn speeds_on_a_busy_machine_are_unclear() {
    const CPU: &[(&str, usize)] = &[("cpu", 4)];
    let judged = |old: f64, new: f64| {
        let comparison = compared(&with_cpu_time(old, CPU), &with_cpu_time(new, CPU));
        let speeds = comparison.compared.iter();
        let speeds = speeds.filter(|found| found.measure == "utterances_per_second");
        let verdicts: Vec<_> = speeds.map(|found| (found.verdict, found.reason)).collect();
        (verdicts, render(&comparison, Style::Markdown))
    };
    let (idle, text) = judged(1.9, 1.8);
    assert!(idle.iter().all(|&found| found == (Verdict::Same, None)));
    assert!(!text.contains("busy"), "{text}");
    for (old, new) in [(1.9, 1.2), (0.5, 1.9), (0.5, 0.5)] {
        let (busy, text) = judged(old, new);
        let unclear = (Verdict::Unclear, Some(UnclearReason::BusyMachine));
        assert!(busy.iter().all(|&found| found == unclear));
        assert!(
            text.contains("Unclear, busy machine: 6; repeat the run on an idle machine."),
            "{text}"
        );
    }
}
