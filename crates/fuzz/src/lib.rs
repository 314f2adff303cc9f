//! Fuzz targets for every reader of padwise, and the tools to run them.
//!
//! A [`Target`] takes bytes, calls one reader and then everything that a successful read enables. Bad input must return an
//! error. It must not panic, hang or allocate much more memory than the input has ([`guard`]).
//!
//! There are two ways to run the targets, both on stable Rust:
//!
//! - `tests/mutations.rs` runs all [`seeds`] and a fixed number of deterministic mutations ([`mutate`]).
//! - `scripts/fuzz.sh` builds the binary `libfuzzer`, which searches for inputs by code coverage, and runs it for hours.
//!
//! To add a target, add a module to `targets`, an entry to [`targets::ALL`] and a folder of seeds. The example `make_seeds`
//! writes the seeds.

pub mod guard;
pub mod mutate;
pub mod parts;
pub mod repair;
pub mod scratch;
pub mod seeds;
pub mod stored_xz;
pub mod targets;

/// A reader to test.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Name on the command line, and name of the folder with its seeds.
    pub name: &'static str,
    /// Reads an input and uses the result. Must return for every input.
    pub run: fn(&[u8]),
    /// Words of the format, which mutations insert.
    pub words: &'static [&'static str],
    /// Makes the checksums of a mutated input valid again, so that the code behind them is reached.
    pub repair: Option<fn(&mut [u8])>,
    /// Mutations in `tests/mutations.rs`: about a second in a debug build.
    pub mutations: u32,
}

impl Target {
    /// The target with this name.
    pub fn named(name: &str) -> Option<&'static Target> {
        targets::ALL.iter().find(|target| target.name == name)
    }
}
