//! The state layout of a batch for the CTC kernels, as one list of integers.
//!
//! First comes the utterance of every row, -1 for padding. Each utterance then has a header of [`FIELDS`] numbers. Two
//! lists follow: the class of every state (blank, first label, blank, …, blank), and the label states sorted by class,
//! with the start of each class. The gradient sums a class's states in that order, so it is reproducible.

use padwise_cpu_kernels::RowLayout;

/// Numbers in an utterance's header: frames, states, three offsets (classes of its states, its table, start of each
/// class), and the row of its first frame.
pub(super) const FIELDS: usize = 6;

/// The layout of a batch of label sequences.
#[derive(Debug)]
pub struct Layout {
    /// Headers and lists.
    pub numbers: Vec<i32>,
    /// Size of a table of all utterances' frames and states.
    pub(super) table: usize,
    /// Number of states of the longest sequence.
    pub(super) most_states: usize,
    /// The blank, which is the class of every other state.
    pub(super) blank: usize,
    /// Number of classes.
    pub(super) classes: usize,
    /// Number of utterances.
    pub(super) utterances: usize,
    /// Number of rows.
    pub(super) rows: usize,
    /// Number of rows from one frame of an utterance to the next.
    pub(super) row_step: usize,
    /// How many numbers there are, also after the caller has taken them.
    pub(super) count: usize,
}

impl Layout {
    /// Lays out a batch, given the labels of each utterance and the rows. Returns `None` if the offsets do not fit into 32
    /// bits.
    ///
    /// # Panics
    ///
    /// If the numbers of targets and utterances differ, an utterance has no frame, or the blank or a label is not
    /// below `classes`. The kernels would access memory outside their buffers.
    pub fn new(targets: &[&[u32]], rows: &RowLayout, classes: usize, blank: u32) -> Option<Self> {
        let lengths = rows.lengths();
        assert_eq!(targets.len(), lengths.len(), "one length per target");
        assert!(
            lengths.iter().all(|&frames| frames > 0),
            "every utterance needs at least one frame"
        );
        let mut used = targets.iter().copied().flatten().chain([&blank]);
        assert!(
            used.all(|&class| (class as usize) < classes),
            "labels and blank must be below the number of classes"
        );
        let mut numbers = vec![-1; rows.rows()];
        for (row, owner) in rows.owners().into_iter().enumerate() {
            if let Some((utterance, _)) = owner {
                numbers[row] = utterance as i32;
            }
        }
        let heads = numbers.len();
        numbers.resize(heads + FIELDS * targets.len(), 0);
        let (mut table, mut most_states) = (0, 0);
        for (utterance, (target, &frames)) in targets.iter().zip(lengths).enumerate() {
            let frames = frames as usize;
            let states = classes_of_states(target, blank);
            let first_state = numbers.len();
            numbers.extend(states.iter().map(|&class| class as i32));
            let mut sorted: Vec<usize> = (1..states.len()).step_by(2).collect();
            sorted.sort_by_key(|&state| states[state]);
            // The sorted states follow the list of class offsets, which has one entry more than there are
            // classes.
            let first_class = numbers.len();
            let begin = first_class + classes + 1;
            let before = |class| sorted.partition_point(|&state| (states[state] as usize) < class);
            numbers.extend((0..=classes).map(|class| (begin + before(class)) as i32));
            numbers.extend(sorted.iter().map(|&state| state as i32));
            let first_row = rows.row(utterance, 0);
            let head = [
                frames,
                states.len(),
                first_state,
                table,
                first_class,
                first_row,
            ];
            numbers[heads + FIELDS * utterance..][..FIELDS]
                .copy_from_slice(&head.map(|number| number as i32));
            table += frames * states.len();
            most_states = most_states.max(states.len());
        }
        // The two tables are stored one after the other.
        let counts = 2 * table.max(numbers.len()) <= i32::MAX as usize;
        counts.then_some(Self {
            count: numbers.len(),
            numbers,
            table,
            most_states,
            blank: blank as usize,
            classes,
            utterances: targets.len(),
            rows: rows.rows(),
            row_step: rows.step(),
        })
    }
}

fn classes_of_states(target: &[u32], blank: u32) -> Vec<u32> {
    let labels = target.iter().flat_map(|&label| [label, blank]);
    std::iter::once(blank).chain(labels).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_of_labels_are_listed_by_class() {
        let rows = RowLayout::packed(&[4, 7], |rows| rows);
        let layout = Layout::new(&[&[], &[3, 1, 1]], &rows, 4, 0).expect("small");
        let owners = [0, 0, 0, 0, -1, 1, 1, 1, 1, 1, 1, 1, -1];
        assert_eq!(layout.numbers[..13], owners);
        let numbers: Vec<usize> = layout.numbers.iter().map(|&n| n as usize).collect();
        let heads = &numbers[13..];
        assert_eq!((layout.table, layout.most_states), (4 + 7 * 7, 7));
        let [frames, states, first_state, table, first_class, first_row] =
            heads[FIELDS..2 * FIELDS]
        else {
            panic!("a head");
        };
        assert_eq!((frames, states, table, first_row), (7, 7, 4, 5));
        assert_eq!(numbers[first_state..][..7], [0, 3, 0, 1, 0, 1, 0]);
        let of_class = |class: usize| {
            let at = first_class + class;
            numbers[numbers[at]..numbers[at + 1]].to_vec()
        };
        assert_eq!(of_class(0), Vec::<usize>::new());
        assert_eq!(of_class(1), [3, 5]);
        assert_eq!(of_class(2), Vec::<usize>::new());
        assert_eq!(of_class(3), [1]);
        // No label: only the blank.
        assert_eq!(heads[..4], [4, 1, 13 + 2 * FIELDS, 0]);
    }

    #[test]
    #[should_panic(expected = "below the number of classes")]
    fn a_label_without_a_class_is_refused() {
        let _ = Layout::new(&[&[4]], &RowLayout::padded(&[3], 3), 4, 0);
    }

    #[test]
    #[should_panic(expected = "at least one frame")]
    fn an_utterance_without_frames_is_refused() {
        let _ = Layout::new(&[&[]], &RowLayout::padded(&[0], 1), 4, 0);
    }
}
