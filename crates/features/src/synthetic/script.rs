//! The phones of an utterance with their durations, which add up to exactly its length.
//!
//! Phones are drawn until the next one would not fit. The final silence takes the remaining frames. No duration is
//! stretched or cut to fit, so durations have the same distribution in short and long utterances.

use super::draw::{Draw, Purpose};
use super::facts::Facts;
use super::grammar::Grammar;
use super::phones::{SILENCE, STATES};

/// Minimum length of the final silence: one frame per state.
const SHORTEST_END: u32 = STATES as u32;

/// A phone and the durations of its states in frames.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spoken {
    pub phone: u8,
    pub frames: [u32; STATES],
}

impl Spoken {
    pub(super) fn total(&self) -> u32 {
        self.frames.iter().sum()
    }
}

/// Draws the phones of an utterance, from the first silence to the last.
pub(super) fn script(
    grammar: &Grammar,
    seed: u64,
    utterance: usize,
    facts: &Facts,
    rate: f32,
) -> Vec<Spoken> {
    let mut draw = Draw::new(seed, utterance as u64, Purpose::SCRIPT);
    let mut phones = Vec::with_capacity(facts.frames as usize / 6 + 2);
    let mut left = facts.frames;
    let mut phone = SILENCE;
    loop {
        let frames = grammar.durations(phone, rate, &mut draw);
        let spoken = Spoken { phone, frames };
        if spoken.total() + SHORTEST_END > left {
            break;
        }
        left -= spoken.total();
        phones.push(spoken);
        phone = grammar.next(facts.topic, phone, &mut draw);
    }
    // Merge a pause at the end with the final silence.
    if let Some(pause) = phones.pop_if(|last| last.phone == SILENCE) {
        left += pause.total();
    }
    let third = left / STATES as u32;
    phones.push(Spoken {
        phone: SILENCE,
        frames: [third, left - 2 * third, third],
    });
    phones
}
