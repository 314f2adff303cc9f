//! Where the frames of a batch are in memory: one row per frame, in one of two orders.
//!
//! A padded batch is time-major, `[T, B]`: a short utterance has a row for every frame of the longest one. A packed
//! batch stores one utterance after the other, with one row of zeros after each. That row keeps neighbours apart: the
//! frame before the first and after the last one of an utterance is always zero. In both orders, the rows of
//! consecutive frames are a fixed distance apart.

/// The rows of a batch: frame `t` of utterance `b` is row `first[b] + t * step`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowLayout {
    lengths: Vec<u32>,
    first: Vec<u32>,
    /// Number of rows of each utterance: its frames, and the padding after them.
    extents: Vec<u32>,
    step: usize,
    frames: usize,
    rows: usize,
    packed: bool,
}

impl RowLayout {
    /// Utterances padded to `frames` frames, time-major.
    ///
    /// # Panics
    /// If an utterance is longer than `frames`.
    pub fn padded(lengths: &[u32], frames: usize) -> Self {
        assert!(
            lengths.iter().all(|&length| length as usize <= frames),
            "an utterance is longer than its batch"
        );
        let batch = lengths.len();
        Self {
            lengths: lengths.to_vec(),
            first: (0..batch as u32).collect(),
            extents: vec![frames as u32; batch],
            step: batch,
            frames,
            rows: frames * batch,
            packed: false,
        }
    }

    /// Utterances one after the other, each followed by a row of zeros. `round_up` gives the number of rows for
    /// the number needed; the last utterance gets the additional ones.
    pub fn packed(lengths: &[u32], round_up: impl FnOnce(usize) -> usize) -> Self {
        let mut extents: Vec<u32> = lengths.iter().map(|&length| length + 1).collect();
        let first = extents.iter().scan(0, |next, &extent| {
            let first = *next;
            *next += extent;
            Some(first)
        });
        let first = first.collect();
        let needed: usize = extents.iter().map(|&extent| extent as usize).sum();
        let rows = round_up(needed).max(needed);
        if let Some(last) = extents.last_mut() {
            *last += (rows - needed) as u32;
        }
        Self {
            lengths: lengths.to_vec(),
            first,
            extents,
            step: 1,
            frames: lengths.iter().copied().max().unwrap_or(0) as usize,
            rows,
            packed: true,
        }
    }

    /// Number of frames of each utterance.
    pub fn lengths(&self) -> &[u32] {
        &self.lengths
    }

    /// The row of each utterance's first frame.
    pub fn first(&self) -> &[u32] {
        &self.first
    }

    /// Number of rows of each utterance, with the padding after its end.
    pub fn extents(&self) -> &[u32] {
        &self.extents
    }

    /// Number of rows from one frame of an utterance to the next.
    pub fn step(&self) -> usize {
        self.step
    }

    /// Number of time steps.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// Number of utterances.
    pub fn batch(&self) -> usize {
        self.lengths.len()
    }

    /// Number of rows, padding included.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Whether the utterances are stored one after the other.
    pub fn is_packed(&self) -> bool {
        self.packed
    }

    /// The row of a frame.
    pub fn row(&self, utterance: usize, frame: usize) -> usize {
        self.first[utterance] as usize + frame * self.step
    }

    /// The layout as numbers, for kernels that read it from memory: time steps, utterances, lengths, step, first rows and
    /// extents.
    pub fn numbers(&self) -> Vec<i32> {
        let head = [self.frames as i32, self.batch() as i32];
        let signed = |values: &[u32]| values.iter().map(|&value| value as i32).collect::<Vec<_>>();
        [
            &head,
            signed(&self.lengths).as_slice(),
            &[self.step as i32],
            &signed(&self.first),
            &signed(&self.extents),
        ]
        .concat()
    }

    /// The utterance and frame of each row; `None` for padding.
    pub fn owners(&self) -> Vec<Option<(usize, usize)>> {
        let mut owners = vec![None; self.rows];
        for (utterance, &length) in self.lengths.iter().enumerate() {
            for frame in 0..length as usize {
                owners[self.row(utterance, frame)] = Some((utterance, frame));
            }
        }
        owners
    }

    /// Moves time-major values, `width` per frame, into rows. Padding gets the default value if the batch is packed. Otherwise
    /// it keeps its contents.
    pub fn from_time_major<E: Copy + Default>(&self, mut values: Vec<E>, width: usize) -> Vec<E> {
        if !self.packed {
            values.resize(self.rows * width, E::default());
            return values;
        }
        let mut rows = vec![E::default(); self.rows * width];
        self.copy(width, |row, place| {
            rows[row].copy_from_slice(&values[place]);
        });
        rows
    }

    /// Overwrites the padding with the default value. It may contain anything, even NaN.
    pub fn clear_padding<E: Copy + Default>(&self, rows: &mut [E], width: usize) {
        if self.packed {
            return;
        }
        for (utterance, &length) in self.lengths.iter().enumerate() {
            for frame in length as usize..self.frames {
                rows[self.row(utterance, frame) * width..][..width].fill(E::default());
            }
        }
    }

    /// Moves rows of `width` values into time-major order. Padding gets the default value if the batch is packed.
    pub fn to_time_major<E: Copy + Default>(&self, mut rows: Vec<E>, width: usize) -> Vec<E> {
        if !self.packed {
            rows.truncate(self.rows * width);
            return rows;
        }
        let mut values = vec![E::default(); self.frames * self.batch() * width];
        self.copy(width, |row, place| {
            values[place].copy_from_slice(&rows[row]);
        });
        values
    }

    /// Calls `copy` with the range of a frame's values in rows and in time-major order, for every frame.
    fn copy(
        &self,
        width: usize,
        mut copy: impl FnMut(std::ops::Range<usize>, std::ops::Range<usize>),
    ) {
        let range = |row: usize| row * width..(row + 1) * width;
        for (utterance, &length) in self.lengths.iter().enumerate() {
            for frame in 0..length as usize {
                let place = frame * self.batch() + utterance;
                copy(range(self.row(utterance, frame)), range(place));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_frame_has_its_own_row_and_a_zero_after_the_last() {
        for layout in [
            RowLayout::padded(&[3, 1, 4], 5),
            RowLayout::packed(&[3, 1, 4], |rows| rows),
            RowLayout::packed(&[3, 1, 4], |rows| rows.next_multiple_of(16)),
        ] {
            let owners = layout.owners();
            assert_eq!(owners.len(), layout.rows());
            assert_eq!(owners.iter().flatten().count(), 8);
            let rows: u32 = layout.extents().iter().sum();
            assert_eq!(rows as usize, layout.rows());
            for (utterance, &length) in layout.lengths().iter().enumerate() {
                let next = layout.row(utterance, length as usize);
                assert!(owners.get(next).is_none_or(Option::is_none));
                let before = layout.row(utterance, 0).checked_sub(layout.step());
                assert!(before.is_none_or(|row| owners[row].is_none()));
            }
        }
    }

    #[test]
    fn rows_and_time_major_order_are_inverse() {
        let values: Vec<i32> = (1..=24).collect();
        let kept = [1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 11, 12, 13, 14, 0, 0, 17, 18];
        for layout in [
            RowLayout::packed(&[3, 1, 4], |rows| rows),
            RowLayout::packed(&[3, 1, 4], |_| 20),
        ] {
            let rows = layout.from_time_major(values.clone(), 2);
            assert_eq!(rows[..8], [1, 2, 7, 8, 13, 14, 0, 0]);
            assert_eq!(layout.to_time_major(rows, 2)[..18], kept);
        }
        let padded = RowLayout::padded(&[3, 1, 4], 5);
        assert_eq!(padded.from_time_major(values.clone(), 2)[..24], values);
        let mut cleared = padded.from_time_major(values, 2);
        padded.clear_padding(&mut cleared, 2);
        assert_eq!(cleared[..18], kept);
        assert_eq!(cleared[18..], [0, 0, 0, 0, 23, 24, 0, 0, 0, 0, 0, 0]);
    }
}
