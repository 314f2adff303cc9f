//! What the kernels of [`super`] need to know of a batch besides its scores, as one list of integers.
//!
//! For every utterance a head of [`FIELDS`] numbers; then its states' classes (blank, first label, blank, …, blank), and its labels'
//! states once more, sorted by class, with the place where each class begins: the gradient sums a class's states in that order, so that it is the
//! same every time.

/// Numbers that an utterance's head has: frames, states, where its states' classes begin, where its table begins, where the list of
/// its classes' first states begins.
pub(super) const FIELDS: usize = 5;

/// A batch of label sequences.
#[derive(Debug)]
pub struct Layout {
    /// Heads and lists.
    pub numbers: Vec<i32>,
    /// How many values a table of all utterances' frames and states has.
    pub(super) table: usize,
    /// States of the longest sequence.
    pub(super) most_states: usize,
    /// The class of every other state.
    pub(super) blank: usize,
}

impl Layout {
    /// Lays out a batch: the labels and the number of frames of each utterance, all labels below `classes`. Nothing, if it is too
    /// large to be counted.
    pub fn new(targets: &[&[u32]], lengths: &[usize], classes: usize, blank: u32) -> Option<Self> {
        let mut numbers = vec![0; FIELDS * targets.len()];
        let (mut table, mut most_states) = (0, 0);
        for (utterance, (target, &frames)) in targets.iter().zip(lengths).enumerate() {
            let states = classes_of_states(target, blank);
            let first_state = numbers.len();
            numbers.extend(states.iter().map(|&class| class as i32));
            let mut sorted: Vec<usize> = (1..states.len()).step_by(2).collect();
            sorted.sort_by_key(|&state| states[state]);
            // The states follow the list of the classes' beginnings, which has one entry more than there are classes.
            let first_class = numbers.len();
            let begin = first_class + classes + 1;
            let before = |class| sorted.partition_point(|&state| (states[state] as usize) < class);
            numbers.extend((0..=classes).map(|class| (begin + before(class)) as i32));
            numbers.extend(sorted.iter().map(|&state| state as i32));
            let head = [frames, states.len(), first_state, table, first_class];
            numbers[FIELDS * utterance..][..FIELDS]
                .copy_from_slice(&head.map(|number| number as i32));
            table += frames * states.len();
            most_states = most_states.max(states.len());
        }
        // Two tables lie one behind the other.
        let counts = 2 * table.max(numbers.len()) <= i32::MAX as usize;
        counts.then_some(Self {
            numbers,
            table,
            most_states,
            blank: blank as usize,
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
        let layout = Layout::new(&[&[], &[3, 1, 1]], &[4, 7], 4, 0).expect("small");
        let numbers: Vec<usize> = layout.numbers.iter().map(|&n| n as usize).collect();
        assert_eq!((layout.table, layout.most_states), (4 + 7 * 7, 7));
        let [frames, states, first_state, table, first_class] = numbers[FIELDS..2 * FIELDS] else {
            panic!("a head");
        };
        assert_eq!((frames, states, table), (7, 7, 4));
        assert_eq!(numbers[first_state..][..7], [0, 3, 0, 1, 0, 1, 0]);
        let of_class = |class: usize| {
            let at = first_class + class;
            numbers[numbers[at]..numbers[at + 1]].to_vec()
        };
        assert_eq!(of_class(0), Vec::<usize>::new());
        assert_eq!(of_class(1), [3, 5]);
        assert_eq!(of_class(2), Vec::<usize>::new());
        assert_eq!(of_class(3), [1]);
        // No label: the blank alone.
        assert_eq!(numbers[..4], [4, 1, 2 * FIELDS, 0]);
    }
}
