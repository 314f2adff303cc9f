//! Validation loss for each number of workers, one panel per strategy, as in figure 5 of Khomenko et al. (2016).

use super::charts::{Curve, CurvePanels, Curves};
use super::data::{PlotData, axis};
use crate::findings::{ErrorMetric, ScalingRow, StrategyScaling};
use crate::text::counted;

impl PlotData<'_> {
    /// Validation loss by epoch.
    pub(super) fn workers_by_epoch(&self) -> Option<CurvePanels> {
        self.worker_panels("epoch", true, |epoch, _| epoch)
    }

    /// Validation loss over training time.
    pub(super) fn workers_by_time(&self) -> Option<CurvePanels> {
        let (x_axis, unit) = self.time_axis();
        self.worker_panels(&x_axis, false, move |_, seconds| seconds / unit)
    }

    fn worker_panels(
        &self,
        x_axis: &str,
        by_epoch: bool,
        x: impl Fn(f64, f64) -> f64,
    ) -> Option<CurvePanels> {
        let curve = |row: &ScalingRow| {
            let mut curve = self.curve(row.row, ErrorMetric::LOSS, &x);
            let style = self.styles.of_workers(row.workers);
            curve.series.name = counted(row.workers, "worker");
            curve.series.colour = style.light;
            curve.series.shape = style.shape;
            curve
        };
        let panel = |strategy: &StrategyScaling| {
            let curves = strategy.rows.iter().map(curve);
            let curves: Vec<Curve> = curves.filter(|curve| !curve.points.is_empty()).collect();
            let curves = Curves {
                x_axis: x_axis.to_owned(),
                y_axis: axis(ErrorMetric::LOSS),
                from_zero: !by_epoch,
                whole_numbers: by_epoch,
                curves,
            };
            (strategy.name.clone(), curves)
        };
        let scaling = self.findings.scaling.as_ref()?;
        let mut panels: Vec<(String, Curves)> = scaling.strategies.iter().map(panel).collect();
        panels.retain(|(_, panel)| !panel.curves.is_empty());
        let mut curves = panels.iter().flat_map(|(_, panel)| &panel.curves);
        let has_line = curves.any(|curve| curve.points.len() > 1);
        has_line.then_some(CurvePanels { panels })
    }
}
