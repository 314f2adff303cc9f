//! Writes the source of every kind of kernel, one folder per architecture, for a compiler check: `cargo run
//! -p padwise-cuda-kernels --example sources -- DIR [--all]`.
//!
//! With `--all`, it writes every size of the recurrence up to 1,024 units and every third above, otherwise a few of each kind. Other
//! architectures than Hopper get fewer, because Hopper's plans have more kinds.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use padwise_cuda_kernels::cross_entropy::CrossEntropy;
use padwise_cuda_kernels::gemm::{self, Contiguous, Element, GemmPlan};
use padwise_cuda_kernels::recurrence::{
    Batches, Format, Gates, Pass, Plan, Results, Storage, VARIANTS,
};
use padwise_cuda_kernels::{Device, Kernel, sums, upload};

fn recurrences(device: Device, hopper: bool, all: bool) -> Vec<(String, Kernel)> {
    let hidden: Vec<usize> = if all {
        (64..=1024)
            .step_by(32)
            .chain((1088..=2048).step_by(96))
            .collect()
    } else if hopper {
        vec![64, 320, 512, 1024, 2048]
    } else {
        vec![320, 512, 1024]
    };
    let batches: &[usize] = if all {
        &[1, 32, 48, 64, 128, 500]
    } else {
        &[16, 64, 500]
    };
    let mut kernels = Vec::new();
    for (pass, format) in VARIANTS {
        for &hidden in &hidden {
            for &utterances in batches {
                for packed in [false, true] {
                    // Only Hopper's plans for such batches have kernels that other batches do not have.
                    if packed && utterances == 64 && !hopper && !all {
                        continue;
                    }
                    let batches = Batches { utterances, packed };
                    // Skip shapes that do not fit.
                    if let Ok(plan) = Plan::new(pass, format, hidden, batches, device) {
                        let rows = if packed { "-packed" } else { "" };
                        let name = format!("{pass:?}-{format:?}-{hidden}-{utterances}{rows}");
                        // The second launch differs in one constant.
                        let launches = if all { 2 } else { 1 };
                        for &(results, form) in forms(pass, format, hopper) {
                            let gates = gates(format, hopper);
                            let storage = Storage { results, gates };
                            let kinds = plan.kernels(storage).zip(["", "-second"]);
                            for (kernel, launch) in kinds.take(launches) {
                                let name = format!("{name}{form}{launch}");
                                kernels.push((name.to_lowercase(), kernel));
                            }
                        }
                    }
                }
            }
        }
    }
    kernels
}

/// The forms of results that training uses. Hopper's GEMMs take factors; dropout needs hidden states as a matrix.
fn forms(pass: Pass, format: Format, hopper: bool) -> &'static [(Results, &'static str)] {
    match (pass, format) {
        (_, Format::F32) => &[(Results::Matrix, "")],
        _ if !hopper => &[(Results::Matrix, "")],
        (Pass::Forward, _) => &[(Results::Matrix, ""), (Results::Factor, "-factor")],
        (Pass::Backward, _) => &[(Results::Factor, "-factor")],
    }
}

/// The order of gates that training uses.
fn gates(format: Format, hopper: bool) -> Gates {
    match format {
        Format::F16 if hopper => Gates::Interleaved,
        Format::Bf16 if hopper => Gates::InterleavedF16,
        _ => Gates::ByGate,
    }
}

fn others(device: Device, hopper: bool) -> Vec<(String, Kernel)> {
    let sms = device.multiprocessors;
    let mut kernels = vec![
        ("columns".to_owned(), sums::column_sums([99, 7], sms).kernel),
        ("largest".to_owned(), gemm::largest(99, sms).0),
        ("sum-slices".to_owned(), sums::sum_slices(99, 2, 1, sms).0),
    ];
    kernels.push(("upload".to_owned(), upload::kernel(99, sms)));
    for element in [Element::F16, Element::Bf16] {
        let (narrow, _) = gemm::narrow([9, 9], None, false, element, sms);
        kernels.push((format!("narrow-{element:?}").to_lowercase(), narrow));
        for classes in [1024, 1536, 2048] {
            if let Some(plan) = CrossEntropy::new([9, classes], 1.0, element, sms)
                && hopper
            {
                let name = format!("cross-entropy-{element:?}-{classes}").to_lowercase();
                kernels.push((name, plan.kernel));
            }
        }
        for left in [Contiguous::K, Contiguous::Other] {
            for right in [Contiguous::K, Contiguous::Other] {
                if hopper {
                    let name = format!("product-{element:?}-{left:?}-{right:?}").to_lowercase();
                    let product = GemmPlan::new([300, 300, 300], 1, sms);
                    kernels.push((name, product.kernel(element, left, right)));
                }
            }
        }
    }
    kernels
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let folder = arguments.first().ok_or("usage: sources DIR [--all]")?;
    let all = arguments.iter().any(|argument| argument == "--all");
    for (_, architecture, device) in Device::KNOWN {
        let folder = Path::new(folder).join(architecture);
        std::fs::create_dir_all(&folder)?;
        let hopper = architecture == "sm_90a";
        let mut kernels = recurrences(device, hopper, all);
        kernels.extend(others(device, hopper));
        // Several shapes may share a kernel; write it once.
        let distinct: BTreeMap<String, String> = kernels
            .into_iter()
            .map(|(name, kernel)| (kernel.text(), name))
            .collect();
        for (text, name) in &distinct {
            std::fs::write(folder.join(format!("{name}.cu")), text)?;
        }
        println!("{}: {} kernels", folder.display(), distinct.len());
    }
    Ok(())
}
