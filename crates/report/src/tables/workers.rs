//! How each strategy scales over workers.

use super::text_table::TextTable;
use super::titled::TitledTable;
use crate::findings::{Scaling, ScalingRow, over_seeds};
use crate::record::{Metric, Row};
use crate::text::{ChangeFormat, marked, mean_with_interval, or_nothing, times};

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
    let with_interval =
        |values: &[(u64, f64)], decimals: usize| mean_with_interval(over_seeds(values), decimals);
    let (seconds, loss) = (
        Metric::EpochSeconds.definition(),
        Metric::ValidationLoss.definition(),
    );
    add("workers", &|row| row.workers.to_string());
    add(seconds.title, &|row| {
        with_interval(&row.epoch_seconds, seconds.decimals)
    });
    add("parallel speed-up", &|row| {
        or_nothing(row.speed_up.map(|change| times(change.estimate)))
    });
    let interval = |row: &ScalingRow| {
        let change = row.speed_up;
        change.and_then(|change| ChangeFormat::Ratio.interval(change))
    };
    if scaling.rows().any(|row| interval(row).is_some()) {
        add("95 % CI", &|row| or_nothing(interval(row)));
    }
    add("efficiency %", &|row| {
        or_nothing(row.efficiency_percent.map(|share| format!("{share:.0}")))
    });
    add("slowest %", &|row| with_interval(&row.slowest_percent, 1));
    add("averaging %", &|row| {
        with_interval(&row.averaging_percent, 1)
    });
    // Workers that take turns never wait.
    let waits = |row: &ScalingRow| row.waiting_percent.iter().any(|&(_, share)| share >= 0.05);
    if scaling.rows().any(waits) {
        add("waiting %", &|row| with_interval(&row.waiting_percent, 1));
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
