//! The parameters of a model among those of a model with wider layers. All others are zero.

use padwise_model_config::{BlstmConfig, TrainerConfig};

/// The position of a model's parameters in the parameters of a wider one.
#[derive(Debug, Clone)]
pub(super) struct WideParameters {
    model: BlstmConfig,
    wide: BlstmConfig,
}

/// One dimension of a parameter: a number of groups of equal size, and their size in the wider model.
#[derive(Debug, Clone, Copy)]
struct Groups {
    count: usize,
    size: usize,
    wide: usize,
}

/// Values that are adjacent in both models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    from: usize,
    to: usize,
    length: usize,
}

impl WideParameters {
    /// The parameters of `model` in a model with `hidden` units per direction, at least as many.
    pub(super) fn new(model: &BlstmConfig, hidden: usize) -> Self {
        assert!(hidden >= model.hidden, "the wider model is narrower");
        Self {
            model: model.clone(),
            wide: model.clone().with_hidden(hidden),
        }
    }

    /// The same settings for the wider model.
    pub(super) fn config(&self, config: &TrainerConfig) -> TrainerConfig {
        TrainerConfig {
            model: self.wide.clone(),
            ..config.clone()
        }
    }

    /// The values of the wider model: those of the model, and zeros.
    pub(super) fn widen(&self, values: &[f32]) -> Vec<f32> {
        let mut wide = vec![0.0; self.wide.parameter_count()];
        self.runs(|Run { from, to, length }| {
            wide[to..to + length].copy_from_slice(&values[from..from + length]);
        });
        wide
    }

    /// The values of the model among those of the wider one.
    pub(super) fn narrow(&self, wide: &[f32]) -> Vec<f32> {
        let mut values = vec![0.0; self.model.parameter_count()];
        self.runs(|Run { from, to, length }| {
            values[from..from + length].copy_from_slice(&wide[to..to + length]);
        });
        values
    }

    /// Visits all runs of values, in the order of [`BlstmConfig::parameters`].
    fn runs(&self, mut visit: impl FnMut(Run)) {
        let (mut from, mut to) = (0, 0);
        for [rows, columns] in self.shapes() {
            for group in 0..rows.count {
                for row in 0..rows.size {
                    let wide_row = group * rows.wide + row;
                    for column in 0..columns.count {
                        visit(Run {
                            from,
                            to: to + (wide_row * columns.count + column) * columns.wide,
                            length: columns.size,
                        });
                        from += columns.size;
                    }
                }
            }
            to += rows.count * rows.wide * columns.count * columns.wide;
        }
    }

    /// Rows and columns of every parameter. Both directions and all gates have their units one after the other.
    fn shapes(&self) -> Vec<[Groups; 2]> {
        let unit_groups = |count| Groups {
            count,
            size: self.model.hidden,
            wide: self.wide.hidden,
        };
        let one_group = |size| Groups {
            count: 1,
            size,
            wide: size,
        };
        let mut shapes = Vec::new();
        for layer in 0..self.model.layers {
            let inputs = match layer {
                0 => one_group(self.model.inputs),
                _ => unit_groups(2),
            };
            let bias = [one_group(1), unit_groups(8)];
            shapes.extend([
                [unit_groups(8), inputs],
                [unit_groups(8), unit_groups(1)],
                bias,
                bias,
            ]);
        }
        let classes = one_group(self.model.classes);
        shapes.extend([[classes, unit_groups(2)], [one_group(1), classes]]);
        shapes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_has_its_own_place() {
        let model = BlstmConfig::new(3, 4).with_layers(2).with_hidden(5);
        let wide = WideParameters::new(&model, 8);
        let values: Vec<f32> = (1..=model.parameter_count()).map(|n| n as f32).collect();
        let widened = wide.widen(&values);
        assert_eq!(widened.len(), wide.wide.parameter_count());
        assert_eq!(
            widened.iter().filter(|&&value| value != 0.0).count(),
            values.len()
        );
        assert_eq!(wide.narrow(&widened), values);
        // Unit 1 of the input gate follows unit 0, and the forget gate begins with unit 0 of the wider model.
        assert_eq!(widened[..6], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(
            widened[15..25],
            [0.0; 9].into_iter().chain([16.0]).collect::<Vec<_>>()
        );
    }
}
