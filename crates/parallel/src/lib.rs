//! Weighted means, sums, broadcasts and gathers over the processes of one training run, with deadlines.
//!
//! A [`World`] is the set of processes: [`Alone`], or `Mpi` with the feature `mpi`. [`launched`] tells which one to use, and
//! [`weighted_mean`] is the mean that all of them compute, bit for bit.
//!
//! ```
//! use padwise_parallel::{Alone, World, weighted_mean};
//!
//! let mut values = [1.0, 2.0];
//! Alone.mean(&mut values, 3.0)?;
//! assert_eq!(values, [1.0, 2.0]);
//!
//! let mut mean = [0.0; 2];
//! weighted_mean(&[&[1.0, 2.0], &[5.0, 6.0]], &[3.0, 1.0], &mut mean)?;
//! assert_eq!(mean, [2.0, 3.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod join;
mod launch;
mod mean;
#[cfg(feature = "mpi")]
mod mpi;
mod parent;
mod world;

pub use error::{Operation, ParallelError, Reason};
pub use join::{HAS_MPI, join};
pub use launch::{Launch, LaunchError, Launcher, launched, launched_with};
pub use mean::{MeanError, weighted_mean};
#[cfg(feature = "mpi")]
pub use mpi::Mpi;
pub use parent::watch_parent;
pub use world::{Alone, World};

/// Runs the README's example as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
