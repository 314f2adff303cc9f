//! `report.csv`: every number of an experiment, one line per strategy. Other programs rely on the names of its columns.

use crate::findings::{Findings, over_seeds};
use crate::record::{Metric, objects_as_csv};
use crate::statistics::Change;

/// `report.csv`: metrics with their ratios to the first row, figures from the paper, and changes from the baseline.
pub fn csv(findings: &Findings) -> std::io::Result<Vec<u8>> {
    let mut text = Vec::new();
    let rows = (0..findings.rows.len()).map(|row| {
        let fields = fields(findings, row).into_iter();
        fields.map(|(name, value)| (name, value.into())).collect()
    });
    objects_as_csv(rows, &mut text)?;
    Ok(text)
}

/// The names and values of the columns for one strategy.
pub fn fields(findings: &Findings, row: usize) -> Vec<(String, String)> {
    let (summary, found) = (&findings.summary.rows[row], &findings.rows[row]);
    let status = &found.status;
    let mut fields: Vec<(String, String)> = [
        ("strategy", summary.strategy.clone()),
        ("resolved", summary.resolved.clone()),
        ("runs_planned", status.planned.to_string()),
        ("runs_complete", status.complete.to_string()),
        ("runs_diverged", status.diverged.len().to_string()),
        ("runs_failed", status.failed.len().to_string()),
        ("runs_unfinished", status.unfinished.len().to_string()),
    ]
    .map(|(name, value)| (name.into(), value))
    .to_vec();
    let mut put = |name: String, value: Option<f64>| fields.push((name, number(value)));
    for &metric in Metric::ALL {
        let name = metric.name();
        let interval = summary.get(metric);
        put(name.into(), interval.mean);
        put(format!("{name}_ci95"), interval.half_width);
        put(format!("{name}_to_first"), findings.ratio(row, 0, metric));
    }
    let papers = Metric::TABLE.map(|(metric, _)| metric.definition().papers);
    for &paper in papers.into_iter().flatten() {
        let name = format!("paper_{}", paper.name().replace('-', "_"));
        let (own, first) = (findings.paper(row, paper), findings.paper(0, paper));
        put(name.clone(), own);
        let ratio = own.zip(first).map(|(own, first)| own / first);
        put(format!("{name}_to_first"), ratio);
    }
    let saved = findings.papers_time_saved(row);
    put("paper_saved_against_baseline".into(), saved);
    put("predicted_speed".into(), found.predicted_speed);
    let saved = found.predicted_saved_percent();
    put("predicted_saved_percent".into(), saved);
    for (name, change) in [
        ("speed", found.speed),
        ("epoch_time", found.epoch_time),
        ("memory", found.memory),
        ("loss", found.loss),
        ("errors", found.errors),
        ("time_to_loss", found.time_to_loss),
    ] {
        let tested = change.and_then(|change: Change| change.tested);
        let name = format!("{name}_against_baseline");
        put(name.clone(), change.map(|change| change.estimate));
        put(format!("{name}_low"), tested.map(|tested| tested.low));
        put(format!("{name}_high"), tested.map(|tested| tested.high));
        put(format!("{name}_p"), tested.map(|tested| tested.p));
        let detectable = tested.and_then(|tested| tested.detectable);
        put(format!("{name}_detectable"), detectable);
    }
    let scaling = findings.scaling.as_ref();
    if let Some(scaling) = scaling.and_then(|scaling| scaling.row(row)) {
        put("workers".into(), Some(scaling.workers.into()));
        let speed_up = scaling.speed_up;
        let tested = speed_up.and_then(|change| change.tested);
        let name = "parallel_speed_up";
        put(name.into(), speed_up.map(|change| change.estimate));
        put(format!("{name}_low"), tested.map(|tested| tested.low));
        put(format!("{name}_high"), tested.map(|tested| tested.high));
        put(format!("{name}_p"), tested.map(|tested| tested.p));
        put("efficiency_percent".into(), scaling.efficiency_percent);
        for (name, values) in [
            ("slowest_percent", &scaling.slowest_percent),
            ("averaging_percent", &scaling.averaging_percent),
            ("waiting_percent", &scaling.waiting_percent),
        ] {
            let interval = over_seeds(values);
            put(name.into(), interval.mean);
            put(format!("{name}_ci95"), interval.half_width);
        }
        let is_predicted = scaling.time_is_predicted.to_string();
        fields.push(("time_is_predicted".into(), is_predicted));
    }
    fields.push(("on_front".into(), found.on_front.to_string()));
    fields
}

/// Rounds to seven significant digits. Further digits depend on the machine's maths library.
fn number(value: Option<f64>) -> String {
    let value = value.filter(|value| value.is_finite());
    let rounded = value.and_then(|value| format!("{value:.6e}").parse::<f64>().ok());
    rounded.map_or_else(String::new, |value| value.to_string())
}
