//! Records with `train.patience`: the best epoch of a run is its result.

use padwise_report::findings::Findings;
use padwise_report::plots::{self, StrategyStyles};
use padwise_report::record::{Metric, Recorded};

use crate::common::{changed, findings};

fn with_patience() -> Findings {
    let folder = changed("overfitted", "config.toml", |text| {
        text.replace("[train]\n", "[train]\npatience = 2\n")
    });
    Findings::of(Recorded::open(folder.path()).expect("a record"))
}

fn stems(findings: &Findings) -> Vec<&'static str> {
    let styles = StrategyStyles::of(&findings.recorded.config.strategy);
    let plots = plots::all(findings, &styles).expect("plots");
    plots.iter().map(|plot| plot.stem).collect()
}

#[test]
fn losses_are_those_of_the_best_epochs() {
    let (last, best) = (findings("overfitted"), with_patience());
    for row in 0..best.rows.len() {
        for run in best.runs(row) {
            let losses = run.losses();
            let lowest = losses
                .iter()
                .map(|&(_, loss)| loss)
                .fold(f64::MAX, f64::min);
            let of_run = |findings: &Findings| {
                let values = findings.by_seed(row, Metric::ValidationLoss);
                values.into_iter().find(|(seed, _)| *seed == run.seed)
            };
            assert_eq!(of_run(&best), Some((run.seed, lowest)));
            if row == 0 {
                assert_ne!(of_run(&last), of_run(&best), "the baseline overfits");
            }
        }
    }
    assert!(last.any_overfitted() && !best.any_overfitted());
}

#[test]
fn the_time_until_the_best_epoch_is_a_column_and_a_plot() {
    let (last, best) = (findings("overfitted"), with_patience());
    let seconds = |findings: &Findings| findings.mean(0, Metric::BestEpochSeconds);
    assert_eq!(seconds(&last), None);
    let run = &best.runs(0)[0];
    let until = seconds(&best).expect("a time");
    assert!(until > 0.0 && until < run.train_seconds(), "{until}");
    assert!(stems(&best).contains(&"time-against-error"));
    assert!(!stems(&last).contains(&"time-against-error"));
}

#[test]
fn a_run_that_ended_keeps_its_best_loss_in_curves() {
    let best = with_patience();
    let run = &best.runs(0)[0];
    let losses = run.losses();
    let lowest = losses
        .iter()
        .map(|&(_, loss)| loss)
        .fold(f64::MAX, f64::min);
    let after = |epochs| run.after(epochs, |row| row.validation_loss);
    let all = run.epochs.len();
    assert_eq!(after(1), Some((run.epochs[0].train_seconds, losses[0].1)));
    assert_eq!(after(all).map(|(_, loss)| loss), Some(losses[all - 1].1));
    assert_eq!(after(all + 3), Some((run.train_seconds(), lowest)));
    assert_ne!(lowest, losses[all - 1].1, "the last epoch is not the best");
}
