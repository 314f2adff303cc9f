//! How classes sound.
//!
//! A class's frames lie around a target: the centre of the phone's kind, plus what tells the phone from its kind, plus
//! what tells the state from the phone, plus what tells the class from the state. All of it is small beside the noise,
//! so that no single frame gives its class away.
//!
//! Speakers have one of two accents. Those of the second pronounce four pairs of phones the other way round. Which
//! accent it is can be heard in the silence before the first phone (a breath, or a click of the tongue), so a model
//! that remembers the beginning of an utterance knows how to read the rest, and one that sees a window does not.

use super::draw::{Draw, Purpose};
use super::phones::{KINDS, PHONES, STATES, SWAPPED_PAIRS, kind};

// Standard deviations in each dimension, where the noise on a frame is 1.
const KIND_SPREAD: f32 = 0.45;
const PHONE_SPREAD: f32 = 0.5;
const STATE_SPREAD: f32 = 0.25;
const CLASS_SPREAD: f32 = 0.3;
const ACCENT_MARK: f32 = 0.5;

/// How many accents there are.
pub(super) const ACCENTS: usize = 2;

/// The targets of all classes in both accents.
pub(super) struct Sounds {
    dims: usize,
    targets: [Vec<f32>; ACCENTS],
    /// What an accent adds to the first silence.
    marks: [Vec<f32>; ACCENTS],
}

impl Sounds {
    /// The sounds of a language whose classes belong to these phones and states.
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

    /// What frames of a class lie around, in an accent.
    pub(super) fn target(&self, class: u32, accent: usize) -> &[f32] {
        let start = class as usize * self.dims;
        &self.targets[accent][start..start + self.dims]
    }

    /// What an accent adds to the first silence.
    pub(super) fn mark(&self, accent: usize) -> &[f32] {
        &self.marks[accent]
    }
}

/// The phone that a phone sounds like in an accent.
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
