//! Sums over frames, and the likelihood of the Gaussian that fits them.
//!
//! A split needs the statistics of "all but these", so these are plain sums, which can be subtracted.
//! [`Moments`](crate::normalisation::Moments) are more accurate but can only be merged.

/// Number of frames, and sums of every dimension and its square.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sums {
    frames: u64,
    /// Sum and sum of squares of each dimension.
    dims: Vec<[f64; 2]>,
}

impl Sums {
    pub fn new(dims: usize) -> Self {
        Sums {
            frames: 0,
            dims: vec![[0.0; 2]; dims],
        }
    }

    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Adds frames, stored row by row.
    pub fn add_frames(&mut self, rows: &[f32]) {
        for row in rows.chunks_exact(self.dims.len().max(1)) {
            self.frames += 1;
            for (sums, &value) in self.dims.iter_mut().zip(row) {
                let value = f64::from(value);
                sums[0] += value;
                sums[1] += value * value;
            }
        }
    }

    pub fn add(&mut self, other: &Sums) {
        self.frames += other.frames;
        for (own, others) in self.dims.iter_mut().zip(&other.dims) {
            own[0] += others[0];
            own[1] += others[1];
        }
    }

    /// The sums of the frames that are not in `part`.
    pub fn without(&self, part: &Sums) -> Sums {
        let dims = self.dims.iter().zip(&part.dims);
        Sums {
            frames: self.frames.saturating_sub(part.frames),
            dims: dims
                .map(|(all, part)| [all[0] - part[0], all[1] - part[1]])
                .collect(),
        }
    }

    /// The variance of each dimension.
    pub fn variances(&self) -> impl Iterator<Item = f64> {
        let frames = self.frames.max(1) as f64;
        self.dims.iter().map(move |[sum, squares]| {
            let mean = sum / frames;
            (squares / frames - mean * mean).max(0.0)
        })
    }

    /// The log-likelihood of the frames under the Gaussian that fits them best, without the constant that all Gaussians
    /// share. `floors` are the smallest variances of that Gaussian.
    pub fn log_likelihood(&self, floors: &[f64]) -> f64 {
        if self.frames == 0 {
            return 0.0;
        }
        let of_dim = |(variance, &floor): (f64, &f64)| {
            let floored = variance.max(floor);
            floored.ln() + variance / floored
        };
        let per_frame: f64 = self.variances().zip(floors).map(of_dim).sum();
        -0.5 * self.frames as f64 * per_frame
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_likelihood_is_that_of_a_gaussian() {
        let mut sums = Sums::new(1);
        sums.add_frames(&[1.0, 3.0, 5.0, 7.0]);
        // Variance 5: each frame has −(ln 5 + 1) / 2 on average.
        let expected = -2.0 * (5.0f64.ln() + 1.0);
        assert!((sums.log_likelihood(&[0.1]) - expected).abs() < 1e-12);
        assert_eq!(Sums::new(3).log_likelihood(&[0.1; 3]), 0.0);
    }

    #[test]
    fn subtracting_a_part_leaves_the_rest() {
        let (mut all, mut part, mut rest) = (Sums::new(2), Sums::new(2), Sums::new(2));
        part.add_frames(&[1.0, 2.0, 3.0, 4.0]);
        rest.add_frames(&[-1.0, 0.5]);
        all.add(&part);
        all.add(&rest);
        assert_eq!(all.without(&part), rest);
        assert_eq!(all.frames(), 3);
    }
}
