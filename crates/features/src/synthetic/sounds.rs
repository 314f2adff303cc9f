//! Targets of classes in feature space.
//!
//! The frames of a class are distributed around its target. A target is the sum of four vectors: for the kind of phone,
//! the phone, the state and the class. All are small compared with the noise, so no single frame identifies its class.
//!
//! Speakers have one of two accents. Speakers of the second accent exchange four pairs of phones. The first silence of an
//! utterance shows the accent. A model that remembers the beginning of an utterance can therefore interpret the rest; a
//! model with a limited window cannot.

use super::draw::{Draw, Purpose};
use super::phones::{KINDS, PHONES, STATES, SWAPPED_PAIRS, kind};

// Standard deviations in each dimension; the noise of a frame has 1.
const KIND_SPREAD: f32 = 0.45;
const PHONE_SPREAD: f32 = 0.5;
const STATE_SPREAD: f32 = 0.25;
const CLASS_SPREAD: f32 = 0.3;
const ACCENT_MARK: f32 = 0.5;

/// Number of accents.
pub(super) const ACCENTS: usize = 2;

/// The targets of all classes in both accents.
pub(super) struct Sounds {
    dims: usize,
    targets: [Vec<f32>; ACCENTS],
    /// Vector that an accent adds to the first silence.
    marks: [Vec<f32>; ACCENTS],
}

impl Sounds {
    /// Draws the targets of a language. `owners` lists the phone and state of each class.
    pub(super) fn new(language: u64, dims: usize, owners: &[(u8, usize)]) -> Self {
        let mut draw = Draw::new(language, 0, Purpose::SOUNDS);
        let mut vectors = |count: usize, spread: f32| {
            let mut all = vec![0.0; count * dims];
            draw.fill_normal(spread, &mut all);
            all
        };
        let kinds = vectors(KINDS, KIND_SPREAD);
        let phones = vectors(PHONES, PHONE_SPREAD);
        let states = vectors(PHONES * STATES, STATE_SPREAD);
        let mark = vectors(1, ACCENT_MARK);
        let classes = vectors(owners.len(), CLASS_SPREAD);
        let row = |table: &[f32], at: usize, dim: usize| table[at * dims + dim];
        let targets = std::array::from_fn(|accent| {
            let mut targets = classes.clone();
            for (target, &(phone, state)) in targets.chunks_exact_mut(dims).zip(owners) {
                let sounds_like = pronounced(phone, accent);
                for (dim, value) in target.iter_mut().enumerate() {
                    *value += row(&kinds, kind(sounds_like), dim)
                        + row(&phones, usize::from(sounds_like), dim)
                        + row(&states, usize::from(phone) * STATES + state, dim);
                }
            }
            targets
        });
        let other_mark = mark.iter().map(|value| -value).collect();
        Sounds {
            dims,
            targets,
            marks: [mark, other_mark],
        }
    }

    /// The target of a class in an accent.
    pub(super) fn target(&self, class: u32, accent: usize) -> &[f32] {
        let start = class as usize * self.dims;
        &self.targets[accent][start..start + self.dims]
    }

    /// The vector that an accent adds to the first silence.
    pub(super) fn mark(&self, accent: usize) -> &[f32] {
        &self.marks[accent]
    }
}

/// The phone whose sound a phone has in an accent.
fn pronounced(phone: u8, accent: usize) -> u8 {
    if accent == 0 {
        return phone;
    }
    SWAPPED_PAIRS
        .iter()
        .find_map(|&(a, b)| match phone {
            p if p == a => Some(b),
            p if p == b => Some(a),
            _ => None,
        })
        .unwrap_or(phone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accents_exchange_the_swapped_phones_and_leave_the_others() {
        let owners: Vec<(u8, usize)> = (0..PHONES as u8).map(|phone| (phone, 1)).collect();
        let sounds = Sounds::new(0, 8, &owners);
        for phone in 0..PHONES as u8 {
            let is_swapped = SWAPPED_PAIRS.iter().any(|&(a, b)| phone == a || phone == b);
            let (first, second) = (
                sounds.target(phone.into(), 0),
                sounds.target(phone.into(), 1),
            );
            assert_eq!(first != second, is_swapped, "{phone}");
            assert_eq!(pronounced(pronounced(phone, 1), 1), phone);
        }
    }
}
