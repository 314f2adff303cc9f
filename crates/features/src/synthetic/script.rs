//! What is said in an utterance: phones with their durations, of exactly the length settled for it.
//!
//! Phones are drawn until the next would not fit; the silence at the end takes what is left. No duration is stretched
//! or cut to fit, so durations mean the same in short and in long utterances.

use super::draw::{Draw, Purpose};
use super::facts::Facts;
use super::grammar::Grammar;
use super::phones::{SILENCE, STATES};

/// The last silence has at least a frame for each state.
const SHORTEST_END: u32 = STATES as u32;

/// A phone and the frames of its states.
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

/// The phones of an utterance, from the silence at the beginning to the one at the end.
pub(super) fn script(
    grammar: &Grammar,
    seed: u64,
    utterance: usize,
    facts: &Facts,
    rate: f32,
) -> Vec<Spoken> {
    let mut draw = Draw::new(seed, utterance as u64, Purpose::SCRIPT);
    let mut said = Vec::with_capacity(facts.frames as usize / 6 + 2);
    let mut left = facts.frames;
    let mut phone = SILENCE;
    loop {
        let frames = grammar.durations(phone, rate, &mut draw);
        let spoken = Spoken { phone, frames };
        if spoken.total() + SHORTEST_END > left {
            break;
        }
        left -= spoken.total();
        said.push(spoken);
        phone = grammar.next(facts.topic, phone, &mut draw);
    }
    // A pause that happens to come last is part of the end.
    if let Some(pause) = said.pop_if(|last| last.phone == SILENCE) {
        left += pause.total();
    }
    let third = left / STATES as u32;
    said.push(Spoken {
        phone: SILENCE,
        frames: [third, left - 2 * third, third],
    });
    said
}
