//! Fits the cost model to measured steps.

use padwise_model::Padding;
use padwise_recommend::cost::{
    BatchShape, CostModel, FitError, Measurement, MemoryCost, SizeCost, size_weights,
};
use padwise_report::statistics::least_squares;

/// Columns before those of the batch sizes: step, items, ragged padding, padding beyond the longest item.
const BEFORE_SIZES: usize = 4;

/// Fits a cost model, or returns `None` if the shapes do not determine it.
pub fn fit(measurements: &[Measurement], padding: Padding) -> Option<CostModel> {
    let fitted: Vec<&Measurement> = measurements.iter().filter(|step| step.fitted).collect();
    let mut sizes: Vec<usize> = fitted.iter().map(|step| step.shape.items).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let sizes: Vec<SizeCost> = sizes
        .into_iter()
        .map(|items| SizeCost {
            items,
            frame_seconds: 0.0,
        })
        .collect();
    let rows: Vec<Vec<f64>> = fitted
        .iter()
        .map(|step| {
            // Relative errors count, so every row is divided by its time.
            let columns = columns(&step.shape, &sizes).into_iter();
            columns
                .chain([step.seconds])
                .map(|value| value / step.seconds)
                .collect()
        })
        .collect();
    if rows.len() < BEFORE_SIZES + sizes.len() {
        return None;
    }
    let weights = non_negative(&rows)?;
    // A frame that costs nothing would make large batches free.
    if weights[BEFORE_SIZES..].contains(&0.0) {
        return None;
    }
    Some(CostModel {
        step_seconds: weights[0],
        item_seconds: weights[1],
        ragged_saving: weights[2],
        excess_seconds: weights[3],
        sizes: sizes
            .iter()
            .zip(&weights[BEFORE_SIZES..])
            .map(|(size, &frame_seconds)| SizeCost {
                frame_seconds,
                ..*size
            })
            .collect(),
        memory: fit_memory(measurements, padding),
    })
}

/// What each part of the cost is multiplied with.
fn columns(shape: &BatchShape, sizes: &[SizeCost]) -> Vec<f64> {
    let mut columns = vec![0.0; BEFORE_SIZES + sizes.len()];
    columns[0] = 1.0;
    columns[1] = shape.items as f64;
    columns[2] = -shape.ragged_frames();
    columns[3] = shape.excess_frames();
    for (at, weight) in size_weights(sizes, shape.items as f64) {
        columns[BEFORE_SIZES + at] += weight * f64::from(shape.longest);
    }
    columns
}

/// Least squares with weights of at least zero: a weight below zero is set to zero, and the others are fitted again.
fn non_negative(rows: &[Vec<f64>]) -> Option<Vec<f64>> {
    let count = rows.first()?.len() - 1;
    let mut used: Vec<usize> = (0..count).collect();
    loop {
        // Columns differ by orders of magnitude, so they are scaled to at most 1.
        let scale = |column: usize| rows.iter().map(|row| row[column].abs()).fold(0.0, f64::max);
        used.retain(|&column| scale(column) > 0.0);
        let scales: Vec<f64> = used.iter().map(|&column| scale(column)).collect();
        let scaled = rows.iter().map(|row| {
            let values = used
                .iter()
                .zip(&scales)
                .map(|(&column, scale)| row[column] / scale);
            values.chain([row[count]]).collect::<Vec<f64>>()
        });
        let found = least_squares(&scaled.collect::<Vec<_>>())?;
        let worst = (0..found.len())
            .filter(|&at| found[at] < 0.0)
            .min_by(|&a, &b| found[a].total_cmp(&found[b]));
        let Some(worst) = worst else {
            let mut weights = vec![0.0; count];
            for ((&column, scale), value) in used.iter().zip(&scales).zip(found) {
                weights[column] = value / scale;
            }
            return Some(weights);
        };
        used.remove(worst);
    }
}

/// Fits peak memory, then raises it so that no measured step is under-predicted. None if no memory was measured.
fn fit_memory(measurements: &[Measurement], padding: Padding) -> Option<MemoryCost> {
    let measured: Vec<(BatchShape, f64)> = measurements
        .iter()
        .filter_map(|step| Some((step.shape, step.bytes? as f64)))
        .collect();
    let rows: Vec<Vec<f64>> = measured
        .iter()
        .map(|(shape, bytes)| {
            let stored = shape.stored_frames(padding) as f64;
            let squared = stored * f64::from(shape.padded_length);
            [1.0, stored, squared, *bytes]
                .map(|value| value / bytes)
                .into()
        })
        .collect();
    let weights = non_negative(&rows)?;
    let fitted = MemoryCost {
        fixed_bytes: weights[0],
        frame_bytes: weights[1],
        square_bytes: weights[2],
    };
    let ratio =
        |(shape, bytes): &(BatchShape, f64)| bytes / fitted.bytes_of(shape, padding).max(1) as f64;
    let raise = measured.iter().map(ratio).fold(1.0, f64::max);
    Some(MemoryCost {
        fixed_bytes: raise * fitted.fixed_bytes,
        frame_bytes: raise * fitted.frame_bytes,
        square_bytes: raise * fitted.square_bytes,
    })
}

/// The largest relative errors of a model, in percent.
pub fn errors(model: &CostModel, measurements: &[Measurement], padding: Padding) -> FitError {
    let worst = |fitted: bool| {
        let steps = measurements.iter().filter(|step| step.fitted == fitted);
        let errors = steps.map(|step| 100.0 * (model.step(&step.shape) / step.seconds - 1.0).abs());
        errors.fold(0.0, f64::max)
    };
    let memory = measurements.iter().filter_map(|step| {
        let memory = model.memory?;
        let predicted = memory.bytes_of(&step.shape, padding) as f64;
        Some(100.0 * (predicted / step.bytes? as f64 - 1.0).abs())
    });
    FitError {
        fitted_percent: worst(true),
        held_out_percent: worst(false),
        memory_percent: memory.reduce(f64::max),
    }
}

#[cfg(test)]
mod tests {
    use super::super::design::{sizes, trials};
    use super::*;
    use padwise_model::BackendChoice;

    fn truth() -> CostModel {
        let size = |items: usize| SizeCost {
            items,
            frame_seconds: 1e-5 * (1.0 + 0.05 * items as f64),
        };
        CostModel {
            step_seconds: 1.5e-3,
            item_seconds: 2e-6,
            sizes: [1, 512].map(size).into(),
            ragged_saving: 1e-7,
            excess_seconds: 2e-7,
            memory: Some(MemoryCost {
                fixed_bytes: 2e8,
                frame_bytes: 7e4,
                square_bytes: 3.0,
            }),
        }
    }

    fn measured(truth: &CostModel) -> Vec<Measurement> {
        let trials = trials(&sizes(BackendChoice::Cuda), 1e9);
        let of = |trial: &super::super::design::Trial| {
            let shape = trial.shape();
            Measurement {
                shape,
                seconds: truth.step(&shape),
                bytes: truth
                    .memory
                    .map(|memory| memory.bytes(shape.items, shape.padded_length)),
                fitted: trial.fitted,
            }
        };
        trials.iter().map(of).collect()
    }

    #[test]
    fn the_parts_of_a_known_cost_are_found() {
        let truth = truth();
        let steps = measured(&truth);
        let found = fit(&steps, Padding::Padded).expect("the design determines every part");
        let error = errors(&found, &steps, Padding::Padded);
        assert!(
            error.fitted_percent < 0.01 && error.held_out_percent < 0.01,
            "{error:?}"
        );
        assert!(
            error.memory_percent.is_some_and(|percent| percent < 0.1),
            "{error:?}"
        );
        let close = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-3;
        assert!(close(found.step_seconds, truth.step_seconds), "{found:?}");
        assert!(close(found.ragged_saving, truth.ragged_saving), "{found:?}");
        assert!(
            close(found.excess_seconds, truth.excess_seconds),
            "{found:?}"
        );
    }

    #[test]
    fn no_part_is_negative_and_memory_is_never_under_predicted() {
        let mut steps = measured(&truth());
        for (at, step) in steps.iter_mut().enumerate() {
            let noise = 1.0 + 0.1 * ((at * 7 % 5) as f64 - 2.0) / 2.0;
            step.seconds *= noise;
            step.bytes = step.bytes.map(|bytes| (bytes as f64 * noise) as u64);
        }
        let found = fit(&steps, Padding::Padded).expect("the design determines every part");
        let sizes = found.sizes.iter().map(|size| size.frame_seconds);
        let parts = [
            found.step_seconds,
            found.item_seconds,
            found.ragged_saving,
            found.excess_seconds,
        ];
        assert!(
            parts.into_iter().chain(sizes).all(|part| part >= 0.0),
            "{found:?}"
        );
        for step in &steps {
            let memory = found.memory.expect("memory was measured");
            let predicted = memory.bytes(step.shape.items, step.shape.padded_length);
            assert!(Some(predicted + 1) >= step.bytes);
        }
    }
}
