//! Operations give the same bits as one process.

use padwise_parallel::weighted_mean;

use crate::programs::{LENGTHS, values, weight};
use crate::start::{mpirun_exists, run};

#[test]
fn one_rank_agrees_with_one_process() {
    agrees(1);
}

#[test]
fn two_ranks_agree_with_one_process() {
    agrees(2);
}

#[test]
fn three_ranks_agree_with_one_process() {
    agrees(3);
}

fn agrees(size: usize) {
    if !mpirun_exists() {
        return;
    }
    let ended = run("operations", size, &[]);
    assert_eq!(ended.code, Some(0), "{}", ended.output);
    let weights: Vec<f64> = (0..size).map(weight).collect();
    for length in LENGTHS {
        let vectors: Vec<Vec<f32>> = (0..size).map(|rank| values(rank, length)).collect();
        let slices: Vec<&[f32]> = vectors.iter().map(Vec::as_slice).collect();
        let mut mean = vec![0.0; length];
        weighted_mean(&slices, &weights, &mut mean).expect("mean");
        let expected: Vec<u8> = mean.iter().flat_map(|v| v.to_le_bytes()).collect();
        for rank in 0..size {
            let found = ended.file(&format!("mean-{length}"), rank);
            assert!(
                found == expected,
                "mean of {length} values on rank {rank} of {size}"
            );
        }
    }
    let sums: Vec<f64> = (0..1000)
        .map(|index| {
            let of_rank = |rank| f64::from(values(rank, 1000)[index]);
            (1..size).fold(of_rank(0), |sum, rank| sum + of_rank(rank))
        })
        .collect();
    let expected: Vec<u8> = sums.iter().flat_map(|v| v.to_le_bytes()).collect();
    for rank in 0..size {
        assert!(
            ended.file("sum", rank) == expected,
            "sum on rank {rank} of {size}"
        );
    }
}

/// Prints how long a mean takes. Run it with `--ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn timing() {
    for size in 1..=3 {
        println!("{size} ranks\n{}", run("timing", size, &[]).output);
    }
}
