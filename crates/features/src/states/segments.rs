//! Phone segments of an utterance, and the thirds of a segment.

use std::ops::Range;

use super::PARTS;

/// A run of frames with the same label.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Segment {
    pub frames: Range<usize>,
    pub label: i32,
}

/// The segments of an utterance in order. Unlabelled frames are segments, too.
pub(super) fn segments(labels: &[i32]) -> Vec<Segment> {
    let mut segments: Vec<Segment> = Vec::new();
    for (frame, &label) in labels.iter().enumerate() {
        match segments.last_mut() {
            Some(last) if last.label == label => last.frames.end = frame + 1,
            _ => segments.push(Segment {
                frames: frame..frame + 1,
                label,
            }),
        }
    }
    segments
}

/// The frames of the three parts of a segment. Frame `i` of `n` belongs to part `3i / n`, rounded down.
///
/// So parts differ by at most one frame, and the first ones are longer. A segment of one frame has the first part only,
/// one of two frames the first two.
pub(super) fn thirds(frames: &Range<usize>) -> [Range<usize>; PARTS] {
    let boundary = |part: usize| frames.start + (part * frames.len()).div_ceil(PARTS);
    std::array::from_fn(|part| boundary(part)..boundary(part + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_neighbouring_labels_are_one_segment() {
        let found = segments(&[3, 3, -1, 0, 3]);
        let expected = [(0..2, 3), (2..3, -1), (3..4, 0), (4..5, 3)];
        let expected = expected.map(|(frames, label)| Segment { frames, label });
        assert_eq!(found, expected);
        assert_eq!(segments(&[]), []);
    }

    #[test]
    fn frame_i_of_n_is_in_part_3i_over_n() {
        for n in 0..50usize {
            let parts = thirds(&(7..7 + n));
            for i in 0..n {
                assert!(parts[3 * i / n].contains(&(7 + i)), "frame {i} of {n}");
            }
            assert_eq!(parts.iter().map(ExactSizeIterator::len).sum::<usize>(), n);
        }
        assert_eq!(thirds(&(0..1)), [0..1, 1..1, 1..1]);
        assert_eq!(thirds(&(0..2)), [0..1, 1..2, 2..2]);
        assert_eq!(thirds(&(0..4)), [0..2, 2..3, 3..4]);
    }
}
