//! The inner GEMM loop: a few rows times one panel, with all partial sums in registers.

use crate::simd::{Lanes, Real, Simd, prefetch_element};

/// How many lines of a panel are loaded ahead. Panels come from the second-level cache, and the processor runs ahead by fewer lines.
const AHEAD: usize = 20;

/// Computes `rows · panel`; the panel holds `WIDTH` vectors for each element of a row. Each sum runs over the
/// elements in order, so it does not depend on the number of rows computed together.
#[inline(always)]
pub fn product<E: Real, S: Simd, const ROWS: usize, const WIDTH: usize>(
    simd: S,
    rows: [&[E]; ROWS],
    panel: &[E],
) -> [[Lanes<E, S>; WIDTH]; ROWS] {
    let lines = E::vectors::<S>(panel).0.as_chunks::<WIDTH>().0;
    for row in rows {
        assert!(row.len() >= lines.len(), "a row as long as its panel");
    }
    let mut sums = [[Lanes::splat(simd, E::default()); WIDTH]; ROWS];
    for (index, line) in lines.iter().enumerate() {
        prefetch_element(lines, index + AHEAD);
        for (row, sums) in rows.iter().zip(&mut sums) {
            // Checks of eight rows for each index made the backward pass 1.4 times as slow, and the compiler does not remove them.
            #[allow(unsafe_code)]
            // SAFETY: the index is below the number of lines, and no row is shorter (asserted above).
            let factor = Lanes::splat(simd, *unsafe { row.get_unchecked(index) });
            for (sum, weight) in sums.iter_mut().zip(line) {
                *sum = factor.mul_add(Lanes::new(simd, *weight), *sum);
            }
        }
    }
    sums
}

/// Splits `count` rows into blocks of at most `most` rows, all of about the same size.
#[inline(always)]
pub fn blocks(count: usize, most: usize) -> impl Iterator<Item = (usize, usize)> {
    let number = count.div_ceil(most);
    (0..number).map(move |block| {
        let (start, end) = (block * count / number, (block + 1) * count / number);
        (start, end - start)
    })
}

/// Dispatches a step to a version compiled for the number of rows; the last one covers all larger numbers.
macro_rules! run_rows {
    ($step:ident, $simd:ident, $count:expr, [$($rows:literal)*], $most:literal) => {
        match $count {
            $($rows => $step.run::<S, $rows>($simd),)*
            _ => $step.run::<S, $most>($simd),
        }
    };
}

pub(super) use run_rows;
