//! Plans of all shapes and devices.

use super::*;

const A100: Device = Device::A100;
const H200: Device = Device::H200;

fn padded(utterances: usize) -> Batches {
    Batches {
        utterances,
        packed: false,
    }
}

#[test]
fn every_plan_is_resident_and_covers_the_batch() {
    for (_, _, device) in Device::KNOWN {
        for (pass, format) in VARIANTS {
            for hidden in (64..=2048).step_by(32) {
                for batch in (1..=128).chain([129, 500, 1024]) {
                    for packed in [false, true] {
                        let batches = Batches {
                            utterances: batch,
                            packed,
                        };
                        let Ok(plan) = Plan::new(pass, format, hidden, batches, device) else {
                            // f32 weights are twice as large, and an H200 has the most shared memory.
                            let fits = match format {
                                Format::F32 => device == H200 && hidden <= 512,
                                _ => device == H200 || hidden <= 512,
                            };
                            let shape = (hidden, batch, packed);
                            assert!(!fits, "{pass:?} {format:?} {shape:?} {device:?}");
                            continue;
                        };
                        let (x, y, z) = plan.grid();
                        assert!((x * y * z) as usize <= device.multiprocessors);
                        assert!(plan.shared_bytes <= device.shared_bytes);
                        let tiles = plan.sets * plan.tiles * plan.passes;
                        assert!(
                            plan.rows * tiles >= batch || batch > PASSES_FIXED_UP_TO,
                            "{plan:?}"
                        );
                        assert!(plan.threads() <= 512);
                    }
                }
            }
        }
    }
}

/// The resident clusters would wait forever for one that is not.
#[test]
fn clusters_leave_some_multiprocessors_free() {
    for multiprocessors in [132, 114, 78] {
        let device = Device {
            multiprocessors,
            ..H200
        };
        let mut clustered = 0;
        for (pass, format) in VARIANTS {
            for hidden in (64..=2048).step_by(32) {
                for batch in [1, 16, 64, 200] {
                    let plan = Plan::new(pass, format, hidden, padded(batch), device);
                    let Some(plan) = plan.ok().filter(|plan| plan.clustered) else {
                        continue;
                    };
                    let (x, y, z) = plan.grid();
                    assert!(x.is_multiple_of(2), "{plan:?}");
                    assert!(x * y * z <= multiprocessors as u32 * 128 / 132, "{plan:?}");
                    clustered += 1;
                }
            }
        }
        assert!(clustered > 0, "{multiprocessors}");
    }
}

#[test]
fn large_batches_share_their_kernels() {
    let plan = |batch| {
        let plan =
            Plan::new(Pass::Backward, Format::F16, 512, padded(batch), H200).expect("a plan");
        plan.definitions(
            0,
            Storage {
                results: Results::Factor,
                gates: Gates::Interleaved,
            },
        )
    };
    assert_eq!(plan(129), plan(1024));
    assert_ne!(plan(128), plan(129));
}

#[test]
fn shapes_that_do_not_fit_are_refused_with_a_reason() {
    let small = Device {
        multiprocessors: 20,
        shared_bytes: 100_000,
        capability: (8, 6),
    };
    let refused = |hidden, batch, device| {
        Plan::new(Pass::Backward, Format::F16, hidden, padded(batch), device).expect_err("refused")
    };
    assert!(refused(1024, 16, small).contains("32 blocks of 32 units do not fit on 20"));
    assert!(refused(2048, 16, A100).contains("bytes of shared memory"));
    let with = |multiprocessors| Device {
        multiprocessors,
        ..H200
    };
    assert!(Plan::new(Pass::Forward, Format::F16, 512, padded(16), with(32)).is_ok());
    let one_too_large = Plan::new(Pass::Forward, Format::F16, 512, padded(16), with(15));
    assert!(one_too_large.is_err_and(|why| why.contains("do not fit on 15")));
    assert!(refused(100, 16, H200).contains("not a multiple of 32"));
    assert!(refused(512, 1025, H200).contains("outside the range 1 to 1024"));
}

/// docs/performance.md names these sizes.
#[test]
fn documented_sizes_are_the_largest() {
    let fits = |format, hidden, batches, device| {
        let plan = |pass| Plan::new(pass, format, hidden, batches, device).ok();
        plan(Pass::Forward).zip(plan(Pass::Backward))
    };
    let sizes = || (64..=2048).step_by(32);
    // All sizes up to this one fit.
    let largest = |format, batches, device| {
        let fitting = |&hidden: &usize| fits(format, hidden, batches, device).is_some();
        sizes().take_while(fitting).last()
    };
    let at_once = |format| {
        let both = |hidden| {
            let (forward, backward) = fits(format, hidden, padded(16), H200)?;
            (forward.directions == 2 && backward.directions == 2).then_some(hidden)
        };
        sizes().map_while(both).last()
    };
    let packed = Batches {
        utterances: 129,
        packed: true,
    };
    let found = [
        largest(Format::F16, padded(1024), H200),
        largest(Format::F16, packed, H200),
        largest(Format::F32, padded(1024), H200),
        largest(Format::F32, packed, H200),
        largest(Format::F16, padded(16), A100),
        largest(Format::F16, padded(128), A100),
        at_once(Format::F16),
        at_once(Format::F32),
    ];
    let named = [2048, 2048, 960, 960, 1248, 1248, 1056, 512];
    assert_eq!(found, named.map(Some));
}
