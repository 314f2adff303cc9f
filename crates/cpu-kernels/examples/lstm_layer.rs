//! Runs one bidirectional LSTM layer forward and backward over a padded batch and prints the time:
//! `cargo run --release --example lstm_layer`.

use std::time::Instant;

use padwise_cpu_kernels::{
    RecurrenceBackward, RecurrenceForward, RowLayout, recurrence_backward, recurrence_forward,
};

/// Pseudo-random numbers from -1 to 1, times `scale`.
fn random(count: usize, scale: f32) -> Vec<f32> {
    let mut state = 1u64;
    (0..count)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            ((state >> 33) as f32 / (1u64 << 30) as f32 - 1.0) * scale
        })
        .collect()
}

fn main() {
    let (batch, hidden) = (16, 128);
    let lengths: Vec<u32> = (0..batch).map(|utterance| 100 + 20 * utterance).collect();
    let frames = lengths.iter().copied().max().unwrap_or(0) as usize;
    let batch = batch as usize;
    let layout = RowLayout::padded(&lengths, frames);
    let states = layout.rows() * 2 * hidden;

    // The inputs times the input weights, [T, B, 8H]; the forward pass replaces them with the gates.
    let mut gates = random(4 * states, 1.0);
    let weight_hh = random(8 * hidden * hidden, 0.05);
    let (mut output, mut cells) = (vec![0.0; states], vec![0.0; states]);
    let start = Instant::now();
    recurrence_forward(RecurrenceForward {
        layout: &layout,
        hidden,
        projections: &mut gates,
        bias: &vec![0.0; 8 * hidden],
        weight_hh: &weight_hh,
        output: &mut output,
        cells: &mut cells,
    });
    let forward = start.elapsed();

    let start = Instant::now();
    recurrence_backward(RecurrenceBackward {
        layout: &layout,
        hidden,
        gates: &mut gates,
        cells: &cells,
        grad_output: &vec![1.0; states],
        weight_hh: &weight_hh,
    });
    let backward = start.elapsed();

    let norm = |values: &[f32]| values.iter().map(|x| x * x).sum::<f32>().sqrt();
    println!("{batch} utterances of up to {frames} frames, {hidden} units per direction");
    println!("forward:  {forward:?}, output norm {:.3}", norm(&output));
    println!(
        "backward: {backward:?}, gate gradient norm {:.3}",
        norm(&gates)
    );
}
