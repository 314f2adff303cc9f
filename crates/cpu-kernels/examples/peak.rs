//! Prints how many operations all cores can do at once, in billions per second: the floor of a step is its operations divided by this.
//! `cargo run --release --example peak`

use std::hint::black_box;
use std::time::Instant;

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

/// More sums than any processor needs to be busy, few enough for sixteen registers.
const SUMS: usize = 12;

/// Adds products to independent sums, without reading memory. Returns the number of operations.
struct MultiplyAdd {
    rounds: usize,
}

impl WithSimd for MultiplyAdd {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> usize {
        let factor = simd.splat_f32s(black_box(0.999));
        let term = simd.splat_f32s(black_box(0.001));
        let mut sums = [simd.splat_f32s(1.0); SUMS];
        for _ in 0..self.rounds {
            for sum in &mut sums {
                *sum = simd.mul_add_e_f32s(*sum, factor, term);
            }
        }
        for sum in sums {
            black_box(simd.reduce_sum_f32s(sum));
        }
        2 * SUMS * S::F32_LANES * self.rounds
    }
}

fn main() {
    let threads = rayon::current_num_threads();
    let mut rates: Vec<f64> = (0..15)
        .map(|_| {
            let start = Instant::now();
            let tasks = (0..threads).into_par_iter().with_max_len(1);
            let operations: usize = tasks
                .map(|_| Arch::new().dispatch(MultiplyAdd { rounds: 2_000_000 }))
                .sum();
            operations as f64 / start.elapsed().as_secs_f64() / 1e9
        })
        .collect();
    rates.sort_by(f64::total_cmp);
    let (median, best) = (rates[rates.len() / 2], rates[rates.len() - 1]);
    println!("{threads} threads: median {median:.0}, best {best:.0} GFLOP/s in f32");
}
