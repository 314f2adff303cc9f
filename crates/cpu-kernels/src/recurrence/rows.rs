//! The tasks of one call, and each task's slices of the shared tensors.

use std::mem::take;

use super::layout::RowLayout;
use crate::simd::prefetch;

/// Enough rows to reuse a panel several times while it is in the cache, few enough to keep several cores
/// busy.
const ROWS_PER_TASK: usize = 8;

/// One direction of a group of utterances.
pub struct Rows {
    /// 0 for forward, 1 for reverse.
    pub direction: usize,
    /// Indices in the batch, longest utterance first.
    pub places: Vec<usize>,
    /// Lengths in the same order.
    pub lengths: Vec<usize>,
}

impl Rows {
    /// Splits the batch into tasks. The split depends on the lengths alone, not on the number of threads.
    pub fn split(layout: &RowLayout) -> Vec<Self> {
        let length = |place: usize| layout.lengths()[place] as usize;
        let batch = layout.batch();
        let mut order: Vec<usize> = (0..batch).collect();
        order.sort_by_key(|&place| std::cmp::Reverse(length(place)));
        let groups = batch.div_ceil(ROWS_PER_TASK);
        let ends = (0..=groups).map(|group| group * batch / groups.max(1));
        let ranges: Vec<_> = ends.clone().zip(ends.skip(1)).collect();
        // The longest utterances of both directions come first, so tasks that start late are short.
        ranges
            .iter()
            .flat_map(|&(start, end)| [0, 1].map(|direction| (direction, start, end)))
            .map(|(direction, start, end)| {
                let places = order[start..end].to_vec();
                let lengths = places.iter().map(|&place| length(place)).collect();
                Self {
                    direction,
                    places,
                    lengths,
                }
            })
            .collect()
    }

    /// Number of rows in the task.
    pub fn count(&self) -> usize {
        self.places.len()
    }

    /// Number of rows whose utterance reaches frame `time`. They always come first.
    pub fn active(&self, time: usize) -> usize {
        self.lengths.partition_point(|&length| length > time)
    }

    /// Frames in the order in which the recurrence visits them.
    pub fn times(&self) -> Box<dyn DoubleEndedIterator<Item = usize>> {
        let longest = self.lengths.first().copied().unwrap_or(0);
        if self.direction == 0 {
            Box::new(0..longest)
        } else {
            Box::new((0..longest).rev())
        }
    }

    /// The next or previous frame. It may lie past the end.
    pub fn neighbour(time: usize, later: bool) -> Option<usize> {
        if later {
            Some(time + 1)
        } else {
            time.checked_sub(1)
        }
    }

    /// The frame that `row` visits just before `time`, if there is one.
    pub fn previous(&self, row: usize, time: usize) -> Option<usize> {
        if self.direction == 0 {
            time.checked_sub(1)
        } else {
            Some(time + 1).filter(|&t| t < self.lengths[row])
        }
    }

    /// Index of this task's first element of one row and frame, in a tensor with `columns` per direction.
    pub fn offset(&self, layout: &RowLayout, row: usize, time: usize, columns: usize) -> usize {
        (layout.row(self.places[row], time) * 2 + self.direction) * columns
    }
}

/// A tensor split into one slice per frame, utterance and direction. Tasks take their slices from it.
pub struct Pieces<'a, E> {
    pieces: Vec<&'a mut [E]>,
    layout: &'a RowLayout,
}

impl<'a, E: Copy + Default> Pieces<'a, E> {
    /// Splits a tensor with `columns` per direction.
    pub fn cut(tensor: &'a mut [E], layout: &'a RowLayout, columns: usize) -> Self {
        Self {
            pieces: tensor.chunks_exact_mut(columns).collect(),
            layout,
        }
    }

    /// Removes and returns the slices of one task, with zeros at padding. Frames that have no row are empty.
    pub fn take(&mut self, rows: &Rows) -> Track<'a, E> {
        let frames = self.layout.frames();
        let extents = rows
            .places
            .iter()
            .map(|&place| self.layout.extents()[place] as usize);
        let extents: Vec<usize> = extents.collect();
        let end = extents.iter().copied().max().unwrap_or(0).max(frames);
        let mut pieces = Vec::with_capacity(frames * rows.count());
        for time in 0..end {
            for (row, (&length, &extent)) in rows.lengths.iter().zip(&extents).enumerate() {
                let mut piece: &mut [E] = &mut [];
                if time < extent {
                    piece = take(&mut self.pieces[rows.offset(self.layout, row, time, 1)]);
                }
                if time >= length {
                    piece.fill(E::default());
                }
                if time < frames {
                    pieces.push(piece);
                }
            }
        }
        Track {
            pieces,
            rows: rows.count(),
        }
    }
}

/// One task's part of a tensor: a slice for every frame and row.
pub struct Track<'a, E> {
    pieces: Vec<&'a mut [E]>,
    rows: usize,
}

impl<'a, E> Track<'a, E> {
    /// The rows of frame `time` and of a neighbouring frame, if there is one.
    pub fn frame_and_neighbour(
        &mut self,
        time: usize,
        later: bool,
    ) -> (&mut [&'a mut [E]], Option<&[&'a mut [E]]>) {
        let start = time * self.rows;
        if later {
            let (left, right) = self.pieces.split_at_mut(start + self.rows);
            (&mut left[start..], right.get(..self.rows))
        } else {
            let (left, right) = self.pieces.split_at_mut(start);
            let neighbour = start.checked_sub(self.rows).map(|before| &left[before..]);
            (&mut right[..self.rows], neighbour)
        }
    }

    /// Prefetches the first rows of a frame, if there is such a frame.
    #[inline(always)]
    pub fn prefetch(&self, time: Option<usize>, rows: usize) {
        let start = time.map_or(self.pieces.len(), |time| time * self.rows);
        for piece in self.pieces.iter().skip(start).take(rows) {
            prefetch(piece);
        }
    }
}
