//! Every number of an experiment by itself, a line a strategy. The names of columns are a contract with whoever reads them.

use crate::findings::Findings;
use crate::record::Measured;
use crate::record::columns::COLUMNS;
use crate::statistics::Change;

/// Names and values.
type Fields = Vec<(String, String)>;

/// The summary's measures with their ratios to the first row, papers' numbers, and changes against the baseline.
pub fn csv(findings: &Findings) -> Result<Vec<u8>, ::csv::Error> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    for row in 0..findings.rows.len() {
        let fields = fields(findings, row);
        if row == 0 {
            writer.write_record(fields.iter().map(|(name, _)| name))?;
        }
        writer.write_record(fields.iter().map(|(_, value)| value))?;
    }
    writer
        .into_inner()
        .map_err(|error| ::csv::Error::from(std::io::Error::other(error.to_string())))
}

/// The columns of one strategy, with their names.
pub fn fields(findings: &Findings, row: usize) -> Vec<(String, String)> {
    let (summary, found) = (&findings.summary.rows[row], &findings.rows[row]);
    let standing = &found.standing;
    let mut fields = Fields::new();
    let mut put = |name: &str, value: String| fields.push((name.into(), value));
    put("strategy", summary.strategy.clone());
    put("resolved", summary.resolved.clone());
    put("runs_planned", standing.planned.to_string());
    put("runs_complete", standing.complete.to_string());
    put("runs_diverged", standing.diverged.len().to_string());
    put("runs_failed", standing.failed.len().to_string());
    put("runs_unfinished", standing.unfinished.len().to_string());
    for measured in Measured::ALL {
        let name = measured.name();
        let interval = summary.get(measured);
        put(name, number(interval.mean));
        put(&format!("{name}_ci95"), number(interval.half_width));
        put(
            &format!("{name}_to_first"),
            number(findings.ratio(row, 0, measured)),
        );
    }
    for (paper, _, _) in COLUMNS.iter().flat_map(|column| column.paper) {
        let name = format!("paper_{}", paper.name().replace('-', "_"));
        let (own, first) = (findings.paper(row, *paper), findings.paper(0, *paper));
        put(&name, number(own));
        let ratio = own.zip(first).map(|(own, first)| own / first);
        put(&format!("{name}_to_first"), number(ratio));
    }
    put(
        "paper_saved_against_baseline",
        number(findings.papers_time_saved(row)),
    );
    put("predicted_speed", number(found.predicted_speed));
    put(
        "predicted_saved_percent",
        number(found.predicted_saved_percent()),
    );
    for (name, change) in [
        ("speed", found.speed),
        ("epoch_time", found.epoch_time),
        ("memory", found.memory),
        ("loss", found.loss),
        ("errors", found.errors),
        ("time_to_loss", found.time_to_loss),
    ] {
        fields.extend(change_fields(name, change));
    }
    fields.push(("on_front".into(), found.on_front.to_string()));
    fields
}

fn change_fields(name: &str, change: Option<Change>) -> Fields {
    let tested = change.and_then(|change| change.tested);
    let values = [
        ("", change.map(|change| change.estimate)),
        ("_low", tested.map(|tested| tested.low)),
        ("_high", tested.map(|tested| tested.high)),
        ("_p", tested.map(|tested| tested.p)),
    ];
    values
        .map(|(part, value)| (format!("{name}_against_baseline{part}"), number(value)))
        .to_vec()
}

/// To seven digits: what is behind them differs from one machine's mathematics to another's.
fn number(value: Option<f64>) -> String {
    let value = value.filter(|value| value.is_finite());
    let rounded = value.and_then(|value| format!("{value:.6e}").parse::<f64>().ok());
    rounded.map_or_else(String::new, |value| value.to_string())
}
