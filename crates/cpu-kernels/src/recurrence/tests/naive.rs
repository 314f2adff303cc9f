//! The recurrence one number at a time, in f64.

use super::Case;

impl Case {
    /// Computes the same four tensors one number at a time.
    pub(super) fn naive(&self) -> [Vec<f64>; 4] {
        let (batch, hidden) = (self.lengths.len(), self.hidden);
        let states = self.frames * batch * 2 * hidden;
        let (mut output, mut cells) = (vec![0.0; states], vec![0.0; states]);
        let (mut gates, mut gradients) = (vec![0.0; 4 * states], vec![0.0; 4 * states]);
        let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
        for direction in 0..2 {
            let weight = |gate: usize, from: usize| {
                self.weight_hh[(direction * 4 * hidden + gate) * hidden + from]
            };
            for row in 0..batch {
                let at = |time: usize| (time * batch + row) * 2 + direction;
                let length = self.lengths[row] as usize;
                let mut order: Vec<usize> = (0..length).collect();
                if direction == 1 {
                    order.reverse();
                }
                for (step, &time) in order.iter().enumerate() {
                    let previous = step.checked_sub(1).map(|step| at(order[step]));
                    let state = |tensor: &[f64], unit: usize| {
                        previous.map_or(0.0, |p| tensor[p * hidden + unit])
                    };
                    let here = at(time);
                    for gate in 0..4 * hidden {
                        let recurrent: f64 = (0..hidden)
                            .map(|from| weight(gate, from) * state(&output, from))
                            .sum();
                        let x = self.projections[here * 4 * hidden + gate]
                            + self.bias[direction * 4 * hidden + gate]
                            + recurrent;
                        gates[here * 4 * hidden + gate] = if gate / hidden == 2 {
                            x.tanh()
                        } else {
                            sigmoid(x)
                        };
                    }
                    for unit in 0..hidden {
                        let [i, f, g, o] =
                            [0, 1, 2, 3].map(|gate| gates[(here * 4 + gate) * hidden + unit]);
                        let cell = f * state(&cells, unit) + i * g;
                        cells[here * hidden + unit] = cell;
                        output[here * hidden + unit] = o * cell.tanh();
                    }
                }
                let mut carried = vec![0.0; hidden];
                for (step, &time) in order.iter().enumerate().rev() {
                    let (here, next) = (at(time), order.get(step + 1).map(|&time| at(time)));
                    let previous = step.checked_sub(1).map(|step| at(order[step]));
                    for unit in 0..hidden {
                        let recurrent: f64 = next.map_or(0.0, |next| {
                            (0..4 * hidden)
                                .map(|gate| {
                                    gradients[next * 4 * hidden + gate] * weight(gate, unit)
                                })
                                .sum()
                        });
                        let dh = self.grad_output[here * hidden + unit] + recurrent;
                        let [i, f, g, o] =
                            [0, 1, 2, 3].map(|gate| gates[(here * 4 + gate) * hidden + unit]);
                        let (before, tanh) = (
                            previous.map_or(0.0, |p| cells[p * hidden + unit]),
                            cells[here * hidden + unit].tanh(),
                        );
                        let dc = dh * o * (1.0 - tanh * tanh) + carried[unit];
                        carried[unit] = dc * f;
                        let values = [
                            dc * g * i * (1.0 - i),
                            dc * before * f * (1.0 - f),
                            dc * i * (1.0 - g * g),
                            dh * tanh * o * (1.0 - o),
                        ];
                        for (gate, value) in values.into_iter().enumerate() {
                            gradients[(here * 4 + gate) * hidden + unit] = value;
                        }
                    }
                }
            }
        }
        [output, cells, gates, gradients]
    }
}
