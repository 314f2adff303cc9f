//! Operations over all ranks, and the world of one process.

use std::time::Duration;

use crate::error::{Operation, ParallelError};
use crate::mean::Weights;

/// The processes that train one model. Each has a rank from 0 to `size() - 1`.
///
/// All ranks must call the same operations in the same order. An operation returns when it has finished on this rank. After an error
/// the world cannot be used any more, and later calls return an error at once.
pub trait World: Send {
    /// The number of this process.
    fn rank(&self) -> usize;

    /// The number of processes.
    fn size(&self) -> usize;

    /// Replaces `values` by the weighted mean over all ranks, as [`weighted_mean`](crate::weighted_mean) computes it.
    ///
    /// All ranks get the same bits.
    ///
    /// # Errors
    ///
    /// Fails if a rank is lost or late, lengths differ, or the weights have no mean.
    fn mean(&mut self, values: &mut [f32], weight: f64) -> Result<(), ParallelError>;

    /// Replaces `values` by their sums over all ranks, added in rank order. All ranks get the same bits.
    ///
    /// # Errors
    ///
    /// Fails if a rank is lost or late, or lengths differ.
    fn sum(&mut self, values: &mut [f64]) -> Result<(), ParallelError>;

    /// Replaces `bytes` by those of rank 0. Only rank 0 needs to know their number.
    ///
    /// # Errors
    ///
    /// Fails if a rank is lost or late.
    fn broadcast(&mut self, bytes: &mut Vec<u8>) -> Result<(), ParallelError>;

    /// Returns the bytes of every rank on rank 0, in rank order, and nothing on other ranks. Numbers of bytes may differ.
    ///
    /// # Errors
    ///
    /// Fails if a rank is lost or late.
    fn gather(&mut self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, ParallelError>;

    /// Leaves the world when all ranks have called this.
    ///
    /// A rank that ends without calling this makes its launcher end the other ranks.
    ///
    /// # Errors
    ///
    /// Fails if a rank is lost or late.
    fn finish(self: Box<Self>) -> Result<(), ParallelError>;

    /// Ends all processes of the world with this exit code. Works after errors, too.
    fn abort(&mut self, code: i32) -> !;
}

/// A world of one process.
#[derive(Debug, Clone, Copy, Default)]
pub struct Alone;

impl World for Alone {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn mean(&mut self, _: &mut [f32], weight: f64) -> Result<(), ParallelError> {
        match Weights::new(&[weight]) {
            Ok(_) => Ok(()),
            Err(error) => Err(ParallelError {
                engine: "one process",
                operation: Operation::Mean,
                rank: 0,
                elapsed: Duration::ZERO,
                reason: error.into(),
            }),
        }
    }

    fn sum(&mut self, _: &mut [f64]) -> Result<(), ParallelError> {
        Ok(())
    }

    fn broadcast(&mut self, _: &mut Vec<u8>) -> Result<(), ParallelError> {
        Ok(())
    }

    fn gather(&mut self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, ParallelError> {
        Ok(vec![bytes.to_vec()])
    }

    fn finish(self: Box<Self>) -> Result<(), ParallelError> {
        Ok(())
    }

    fn abort(&mut self, code: i32) -> ! {
        std::process::exit(code)
    }
}
