//! How each strategy scales over workers.

use super::text_table::TextTable;
use super::titled::TitledTable;
use crate::findings::{Scaling, ScalingRow};
use crate::record::{Metric, Row};
use crate::statistics::ConfidenceInterval;
use crate::text::{marked, mean_with_interval, or_nothing};

/// Time, speed-up and lost time for each number of workers; `rows` are the strategies of the config.
pub fn workers(rows: &[Row], scaling: &Scaling) -> TitledTable {
    let name = |row: &ScalingRow| marked(&rows[row.row].name, row.time_is_predicted);
    let mut cells = TextTable::new(["strategy"]);
    for row in scaling.rows() {
        cells.add_row([name(row)]);
    }
    let mut add = |title: &str, cell: &dyn Fn(&ScalingRow) -> String| {
        cells.add_column(title, scaling.rows().map(cell));
    };
    let over_seeds = |values: &[(u64, f64)], decimals: usize| {
        let values = values.iter().map(|&(_, value)| Some(value));
        mean_with_interval(ConfidenceInterval::of(values), decimals)
    };
    let (seconds, loss) = (
        Metric::EpochSeconds.definition(),
        Metric::ValidationLoss.definition(),
    );
    add("workers", &|row| row.workers.to_string());
    add(seconds.title, &|row| {
        over_seeds(&row.epoch_seconds, seconds.decimals)
    });
    add("parallel speed-up", &|row| {
        or_nothing(row.speed_up.map(|ratio| format!("{ratio:.2}×")))
    });
    add("efficiency %", &|row| {
        or_nothing(row.efficiency_percent.map(|share| format!("{share:.0}")))
    });
    add("slowest %", &|row| over_seeds(&row.slowest_percent, 1));
    add("averaging %", &|row| over_seeds(&row.averaging_percent, 1));
    // Workers that take turns never wait.
    let waits = |row: &ScalingRow| row.waiting_percent.iter().any(|&(_, share)| share >= 0.05);
    if scaling.rows().any(waits) {
        add("waiting %", &|row| over_seeds(&row.waiting_percent, 1));
    }
    add(loss.title, &|row| {
        mean_with_interval(row.validation_loss, loss.decimals)
    });
    TitledTable {
        title: "Workers",
        note: "Each strategy compared with itself with the fewest workers.".into(),
        cells,
    }
}
