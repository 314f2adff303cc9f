//! What a rank does. `PROGRAM` in its environment says which program.

use std::path::PathBuf;
use std::time::{Duration, Instant};
use std::{env, fs, process};

use padwise_parallel::{Mpi, World, launched, launched_with, watch_parent};

/// The variable with the name of the program.
pub const PROGRAM: &str = "PADWISE_TEST_RANK_PROGRAM";
/// The variable with the folder for files.
pub const OUT: &str = "PADWISE_TEST_RANK_OUT";

/// Lengths of averaged vectors. The last needs two blocks.
pub const LENGTHS: [usize; 6] = [0, 1, 2, 7, 4097, (1 << 22) + 5];
/// More than one message.
pub const BROADCAST: usize = (1 << 26) + 9;

/// The deadline in seconds of programs that miss it. On a busy machine a rank may not run for some seconds, also when MPI starts.
pub const DEADLINE: u64 = 15;

/// Longer than any test waits.
const FOREVER: Duration = Duration::from_secs(1000);

/// Exit code of a rank whose operation failed.
pub const FAILED: i32 = 9;

/// The values of a rank, of very different sizes.
pub fn values(rank: usize, length: usize) -> Vec<f32> {
    let mut state = rank as u32 * 7919 + length as u32 + 1;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let exponent = ((state >> 8) % 40) as i32 - 20;
        (state >> 16) as f32 * 2_f32.powi(exponent) * if state & 128 == 0 { 1.0 } else { -1.0 }
    };
    (0..length).map(|_| next()).collect()
}

/// The weight of a rank.
pub fn weight(rank: usize) -> f64 {
    100.0 + 37.0 * rank as f64
}

#[test]
#[ignore = "runs as a rank"]
fn run() {
    let Some(program) = env::var_os(PROGRAM) else {
        return;
    };
    watch_parent().expect("watch");
    let program = program.into_string().expect("name of a program");
    let launch = match program.as_str() {
        "another-library" => launched_with(|name| match name {
            "OMPI_COMM_WORLD_RANK" => Some("1".to_owned()),
            "OMPI_COMM_WORLD_SIZE" => Some("3".to_owned()),
            _ => None,
        }),
        _ => launched(),
    };
    let launch = launch.expect("variables").expect("launched by mpirun");
    let deadline = match program.as_str() {
        "sleeps" | "stops" | "stops-in-a-mean" => Duration::from_secs(DEADLINE),
        _ => FOREVER,
    };
    let mut world = match Mpi::start(&launch, deadline) {
        Ok(world) => world,
        Err(error) => {
            eprintln!("{error}");
            process::exit(FAILED);
        }
    };
    let rank = world.rank();
    write("pid", rank, process::id().to_string().as_bytes());
    // A first operation that works.
    world.mean(&mut [1.0], 1.0).expect("first mean");
    match (program.as_str(), rank) {
        ("operations", _) => operations(&mut world),
        ("timing", _) => timing(&mut world),
        ("exits", 1) => process::exit(7),
        ("killed", 1) => kill_self(rustix::process::Signal::KILL),
        ("stops", 1) => kill_self(rustix::process::Signal::STOP),
        ("stops-in-a-mean", _) => {
            if rank == 1 {
                std::thread::spawn(|| {
                    std::thread::sleep(Duration::from_millis(300));
                    kill_self(rustix::process::Signal::STOP);
                });
            }
            let mut values = values(rank, 1 << 22);
            report(&mut world, |world| {
                loop {
                    world.mean(&mut values, 1.0)?;
                }
            });
        }
        ("sleeps", 1) | ("waits", _) => std::thread::sleep(FOREVER),
        ("differs", 1) => report(&mut world, |world| world.sum(&mut [1.0; 5])),
        ("lengths", 1) => report(&mut world, |world| world.mean(&mut [1.0; 4], 1.0)),
        ("weights", 1) => report(&mut world, |world| world.mean(&mut [1.0; 5], f64::NAN)),
        ("leaves", 1) => {}
        _ => report(&mut world, |world| world.mean(&mut [1.0; 5], 1.0)),
    }
    let world: Box<dyn World> = Box::new(world);
    if let Err(error) = world.finish() {
        eprintln!("{error}");
        process::exit(FAILED);
    }
    process::exit(0);
}

/// Writes the error of an operation that must fail to a file and ends the job.
fn report(
    world: &mut Mpi,
    mut operation: impl FnMut(&mut Mpi) -> Result<(), padwise_parallel::ParallelError>,
) {
    let error = operation(world).expect_err("the operation fails");
    let began = Instant::now();
    let later = operation(world).expect_err("the world is unusable");
    assert!(
        began.elapsed() < Duration::from_secs(DEADLINE) / 2,
        "not at once"
    );
    assert_eq!(
        later
            .to_string()
            .matches("an earlier operation failed")
            .count(),
        1
    );
    let third = operation(world).expect_err("the world is unusable");
    assert_eq!(third.reason, later.reason);
    let text = format!("{error}\n{:?}\n", error.ranks_at_fault());
    write("error", world.rank(), text.as_bytes());
    // Other ranks find their errors, too.
    std::thread::sleep(Duration::from_secs(3));
    world.abort(FAILED);
}

fn kill_self(signal: rustix::process::Signal) {
    rustix::process::kill_process(rustix::process::getpid(), signal).expect("signal");
    std::thread::sleep(FOREVER);
}

fn operations(world: &mut Mpi) {
    let rank = world.rank();
    for length in LENGTHS {
        let mut values = values(rank, length);
        world.mean(&mut values, weight(rank)).expect("mean");
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        write(&format!("mean-{length}"), rank, &bytes);
    }
    let mut sums: Vec<f64> = values(rank, 1000).into_iter().map(f64::from).collect();
    world.sum(&mut sums).expect("sum");
    let bytes: Vec<u8> = sums.iter().flat_map(|v| v.to_le_bytes()).collect();
    write("sum", rank, &bytes);

    for length in [0, 5, BROADCAST] {
        let expected: Vec<u8> = (0..length).map(|index| (index % 251) as u8).collect();
        let mut bytes = if rank == 0 {
            expected.clone()
        } else {
            vec![1; 3]
        };
        world.broadcast(&mut bytes).expect("broadcast");
        assert!(bytes == expected, "{length} bytes");
    }
    let gathered = world
        .gather(&vec![rank as u8; rank * 1000])
        .expect("gather");
    let expected: Vec<Vec<u8>> = match rank {
        0 => (0..world.size()).map(|r| vec![r as u8; r * 1000]).collect(),
        _ => Vec::new(),
    };
    assert_eq!(gathered, expected);
}

fn timing(world: &mut Mpi) {
    let mut values = values(world.rank(), 15_000_000);
    for _ in 0..5 {
        world.sum(&mut [0.0]).expect("barrier");
        let began = Instant::now();
        world.mean(&mut values, 1.0).expect("mean");
        if world.rank() == 0 {
            println!(
                "mean of 15 M floats: {:.3} s",
                began.elapsed().as_secs_f64()
            );
        }
    }
    let began = Instant::now();
    for _ in 0..1000 {
        world.sum(&mut [0.0]).expect("sum");
    }
    if world.rank() == 0 {
        println!(
            "1000 sums of one value: {:.3} s",
            began.elapsed().as_secs_f64()
        );
        let status = fs::read_to_string("/proc/self/status").expect("status");
        println!(
            "{}",
            status
                .lines()
                .find(|line| line.starts_with("VmHWM"))
                .expect("peak")
        );
    }
}

/// Writes a file that is complete as soon as it exists.
fn write(name: &str, rank: usize, bytes: &[u8]) {
    let folder = PathBuf::from(env::var_os(OUT).expect("folder"));
    let partial = folder.join(format!("partial-{name}-{rank}"));
    fs::write(&partial, bytes).expect("file");
    fs::rename(partial, folder.join(format!("{name}-{rank}"))).expect("file");
}
