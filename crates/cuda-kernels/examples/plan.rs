//! Prints how the persistent recurrence would run on a device, without a GPU:
//! `cargo run --example plan -- DEVICE HIDDEN BATCH`, for example `h200 512 64`.

use std::error::Error;

use padwise_cuda_kernels::Device;
use padwise_cuda_kernels::recurrence::{Batches, Gates, Plan, Results, Storage, VARIANTS};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument =
        |index: usize, default: &'static str| arguments.get(index).map_or(default, String::as_str);
    let name = argument(0, "h200");
    let (hidden, utterances) = (argument(1, "512").parse()?, argument(2, "64").parse()?);
    let (_, _, device) = Device::KNOWN
        .into_iter()
        .find(|(known, _, _)| *known == name)
        .ok_or_else(|| {
            let known = Device::KNOWN.map(|(known, _, _)| known).join(", ");
            format!("unknown device {name}: use one of {known}")
        })?;
    println!("{name}: hidden size {hidden}, {utterances} utterances");
    for (pass, format) in VARIANTS {
        for packed in [false, true] {
            let rows = if packed { "packed" } else { "padded" };
            print!("{pass:?} {format:?}, {rows}: ");
            let batches = Batches { utterances, packed };
            match Plan::new(pass, format, hidden, batches, device) {
                Ok(plan) => {
                    let storage = Storage {
                        results: Results::Matrix,
                        gates: Gates::ByGate,
                    };
                    for kernel in plan.kernels(storage) {
                        let (x, y, z) = kernel.grid;
                        println!(
                            "grid {x}x{y}x{z}, {} threads per block, {} bytes of shared memory, {} exchange words",
                            kernel.threads, kernel.shared_bytes, plan.exchange_words
                        );
                    }
                }
                Err(reason) => println!("does not fit: {reason}"),
            }
        }
    }
    Ok(())
}
