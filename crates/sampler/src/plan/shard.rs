//! Sharding: the batches of one rank in data-parallel training.
//!
//! Ranks wait for each other at every step to average gradients. All ranks therefore need the same number of steps, and
//! similar work. Each step takes the next `world` batches of the plan. The rank with the least work so far gets the
//! largest of them, and so on. Every rank can compute this without communication. The work of two ranks never differs by
//! more than the plan's largest batch.
//!
//! If the number of batches is not a multiple of the number of ranks, the strategy's setting for the last batch decides:
//!
//! - [`LastBatch::Keep`]: batches from the start of the epoch are trained again to complete the last step.
//! - [`LastBatch::Drop`]: the batches of the incomplete last step are dropped.
//!
//! The shard lists the repeated and the dropped batches.

use std::cmp::Reverse;

use super::epoch_plan::{Batch, Plan};
use crate::bounds::MAX_WORLD;
use crate::error::PlanError;
use crate::settings::LastBatch;

/// The batches of one rank.
#[derive(Clone, Debug, PartialEq)]
pub struct Shard<'plan> {
    plan: &'plan Plan,
    rank: usize,
    /// The index of the plan's batch at each step.
    steps: Vec<usize>,
    frames_by_rank: Vec<u64>,
    duplicated: Vec<usize>,
    dropped: Vec<usize>,
}

impl Plan {
    /// The batches of rank `rank` of `world` ranks.
    ///
    /// All ranks get the same number of steps. Their padded frames differ by at most the plan's largest batch.
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
            // Ties go to the earlier batch and the lower rank, so every rank computes the same distribution.
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

    /// Whether there are no steps: the plan is empty, or its only step is incomplete and dropped.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The index of the plan's batch at each step of this rank.
    pub fn batch_indices(&self) -> &[usize] {
        &self.steps
    }

    /// This rank's batches, in order.
    pub fn batches(&self) -> impl Iterator<Item = Batch<'plan>> {
        self.batches_from(0)
    }

    /// This rank's batches from this step on, to resume an interrupted epoch.
    pub fn batches_from(&self, step: usize) -> impl Iterator<Item = Batch<'plan>> {
        let steps = self.steps.iter().skip(step);
        steps.filter_map(|&batch| self.plan.batch(batch))
    }

    /// The indices of the batches that are trained twice, to complete the last step.
    pub fn duplicated(&self) -> &[usize] {
        &self.duplicated
    }

    /// The indices of the batches that no rank trains.
    pub fn dropped(&self) -> &[usize] {
        &self.dropped
    }

    /// The padded frames of this rank.
    pub fn padded_frames(&self) -> u64 {
        self.frames_by_rank[self.rank]
    }

    /// The padded frames of every rank.
    pub fn padded_frames_by_rank(&self) -> &[u64] {
        &self.frames_by_rank
    }
}
