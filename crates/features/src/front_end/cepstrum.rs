//! Discrete cosine transform from log mel energies to cepstra. The lifter is folded into the table.

use std::f64::consts::PI;

#[derive(Clone, Debug)]
pub(super) struct Cepstrum {
    cepstra: usize,
    /// One row per mel bin: adding up rows is a loop over contiguous memory, which vectorises.
    table: Vec<f32>,
}

impl Cepstrum {
    pub fn new(cepstra: usize, bins: usize, lifter: f64) -> Self {
        let n = bins as f64;
        let entry = |bin: usize, k: usize| {
            let scale = if k == 0 { 1.0 / n } else { 2.0 / n }.sqrt();
            let lift = if lifter == 0.0 {
                1.0
            } else {
                1.0 + 0.5 * lifter * (PI * k as f64 / lifter).sin()
            };
            (lift * scale * (PI / n * (bin as f64 + 0.5) * k as f64).cos()) as f32
        };
        let table = (0..bins)
            .flat_map(|bin| (0..cepstra).map(move |k| entry(bin, k)))
            .collect();
        Cepstrum { cepstra, table }
    }

    pub fn apply(&self, log_mel: &[f32], out: &mut [f32]) {
        out.fill(0.0);
        for (&value, row) in log_mel.iter().zip(self.table.chunks_exact(self.cepstra)) {
            for (out, weight) in out.iter_mut().zip(row) {
                *out += value * weight;
            }
        }
    }
}
