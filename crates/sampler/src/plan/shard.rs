//! One rank's share of an epoch.
//!
//! Ranks that average gradients wait for each other at every step, so each must have as many steps as any other, and
//! no rank should have more work than another. Step s takes the next `world` batches of the plan, in order, and
//! deals them out: the largest to the rank that has had the least work so far, and so on. Every rank can compute
//! this alone, and the work of two ranks never differs by more than the plan's largest batch.
//!
//! When the batches do not go round evenly, the plan's own policy for the last batch decides: where it keeps
//! everything, the last step is filled with batches from the start of the epoch once more; where it drops what is
//! not full, the batches of the incomplete last step are dropped. Either way the shard says which.

use std::cmp::Reverse;

use super::epoch_plan::{Batch, Plan};
use crate::bounds::MAX_WORLD;
use crate::error::PlanError;
use crate::settings::LastBatch;

/// One rank's share of an epoch.
#[derive(Clone, Debug, PartialEq)]
pub struct Shard<'plan> {
    plan: &'plan Plan,
    rank: usize,
    /// The plan's batch at each step.
    steps: Vec<usize>,
    frames_by_rank: Vec<u64>,
    duplicated: Vec<usize>,
    dropped: Vec<usize>,
}

impl Plan {
    /// The share of rank `rank` among `world` ranks.
    pub fn shard(&self, rank: usize, world: usize) -> Result<Shard<'_>, PlanError> {
        if rank >= world {
            return Err(PlanError::NoSuchRank { rank, world });
        }
        if world > MAX_WORLD {
            return Err(PlanError::WorldTooLarge { world });
        }
        let in_whole_steps = self.len() / world * world;
        let mut dealt: Vec<usize> = (0..self.len()).collect();
        let (mut duplicated, mut dropped) = (Vec::new(), Vec::new());
        if self.last_batch == LastBatch::Drop {
            dropped = dealt.split_off(in_whole_steps);
        } else if in_whole_steps < self.len() {
            let lacking = in_whole_steps + world - self.len();
            duplicated = (0..self.len()).cycle().take(lacking).collect();
            dealt.extend(&duplicated);
        }

        let mut frames_by_rank = vec![0u64; world];
        let mut steps = Vec::with_capacity(dealt.len() / world);
        let mut ranks: Vec<usize> = (0..world).collect();
        let frames = |batch: &usize| self.batches[*batch].padded_frames();
        for step in dealt.chunks_mut(world) {
            // Ties go to the earlier batch and the lower rank, so that every rank deals alike.
            step.sort_by_key(|batch| Reverse(frames(batch)));
            ranks.sort_by_key(|&rank| (frames_by_rank[rank], rank));
            for (&receiver, batch) in ranks.iter().zip(step.iter()) {
                frames_by_rank[receiver] += frames(batch);
                if receiver == rank {
                    steps.push(*batch);
                }
            }
        }
        Ok(Shard {
            plan: self,
            rank,
            steps,
            frames_by_rank,
            duplicated,
            dropped,
        })
    }
}

impl<'plan> Shard<'plan> {
    /// The number of steps, the same for every rank.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there is no step: no batch at all, or fewer than ranks where incomplete steps are dropped.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The plan's batch at each of this rank's steps.
    pub fn batch_indices(&self) -> &[usize] {
        &self.steps
    }

    /// This rank's batches, in order.
    pub fn batches(&self) -> impl Iterator<Item = Batch<'plan>> {
        self.batches_from(0)
    }

    /// This rank's batches from this step on: what is left of an epoch that was interrupted.
    pub fn batches_from(&self, step: usize) -> impl Iterator<Item = Batch<'plan>> {
        let steps = self.steps.iter().skip(step);
        steps.filter_map(|&batch| self.plan.batch(batch))
    }

    /// The plan's batches that some rank trains once more, to fill the last step.
    pub fn duplicated(&self) -> &[usize] {
        &self.duplicated
    }

    /// The plan's batches that no rank trains.
    pub fn dropped(&self) -> &[usize] {
        &self.dropped
    }

    /// This rank's padded frames.
    pub fn padded_frames(&self) -> u64 {
        self.frames_by_rank[self.rank]
    }

    /// Padded frames of every rank.
    pub fn padded_frames_by_rank(&self) -> &[u64] {
        &self.frames_by_rank
    }
}
