//! The grammar: which phone follows which, and how long each lasts.
//!
//! It is a bigram grammar with several topics. All topics share one table of affinities between neighbours; each topic
//! has its own preferred phones on top. An utterance has one topic, which depends on its length. So short utterances
//! use different phones from long ones, as "yes" and "thank you" do.

use super::draw::{Draw, Purpose};
use super::phones::{PHONES, SILENCE, STATES, is_vowel};

/// Number of topics, from the one with the shortest utterances to the one with the longest.
pub(super) const TOPICS: usize = 4;

/// Factor by which a topic raises the probability of some phones and lowers that of others.
const FAVOUR: f64 = 2.5;
/// Probability of a pause after a phone.
const PAUSE: f64 = 0.05;

/// Thresholds have 31 bits, so the last one, 2³¹, is above every random number.
const WHOLE: u32 = 1 << 31;

/// The grammar of a language.
pub(super) struct Grammar {
    /// Cumulative probabilities of the next phone, for each topic and phone.
    steps: Vec<[u32; PHONES]>,
    /// Mean number of frames of each state beyond its first.
    frames: [[f32; STATES]; PHONES],
    /// Probability of the next phone for each phone, averaged over the topics.
    bigrams: Vec<[f64; PHONES]>,
}

impl Grammar {
    pub(super) fn new(language: u64) -> Self {
        let mut draw = Draw::new(language, 0, Purpose::GRAMMAR);
        let usage: [f64; PHONES] = std::array::from_fn(|_| 0.4 + 1.6 * f64::from(draw.unit()));
        let affinity: Vec<[f64; PHONES]> = (0..PHONES as u8)
            .map(|from| std::array::from_fn(|to| affinity(from, to as u8, &mut draw) * usage[to]))
            .collect();
        let mut steps = Vec::with_capacity(TOPICS * PHONES);
        let mut bigrams = vec![[0.0; PHONES]; PHONES];
        for _ in 0..TOPICS {
            let favour: [f64; PHONES] = std::array::from_fn(|_| match draw.below(3) {
                0 => FAVOUR,
                1 => 1.0,
                _ => 1.0 / FAVOUR,
            });
            for (from, weights) in affinity.iter().enumerate() {
                let row = with_pauses(
                    from as u8,
                    std::array::from_fn(|to| weights[to] * favour[to]),
                );
                steps.push(cumulated(&row));
                for (sum, p) in bigrams[from].iter_mut().zip(row) {
                    *sum += p / TOPICS as f64;
                }
            }
        }
        let frames = std::array::from_fn(|phone| {
            let (least, spread) = match phone as u8 {
                SILENCE => (4.0, 2.0),
                p if is_vowel(p) => (1.4, 1.4),
                _ => (0.6, 1.2),
            };
            std::array::from_fn(|_| least + spread * draw.unit())
        });
        Grammar {
            steps,
            frames,
            bigrams,
        }
    }

    /// Draws the phone after `phone`.
    pub(super) fn next(&self, topic: usize, phone: u8, draw: &mut Draw) -> u8 {
        let at = draw.bits() >> 1;
        let row = &self.steps[topic * PHONES + usize::from(phone)];
        row.partition_point(|&threshold| threshold <= at) as u8
    }

    /// Draws the number of frames of each state of a phone: 1, plus a random number whose mean is scaled by `rate`.
    pub(super) fn durations(&self, phone: u8, rate: f32, draw: &mut Draw) -> [u32; STATES] {
        self.frames[usize::from(phone)].map(|mean| {
            // Two 16-bit numbers from one word: their sum has a triangular distribution around 1.
            let bits = draw.bits();
            let sum = ((bits & 0xffff) + (bits >> 16)) as f32 * (1.0 / 65536.0);
            1 + (mean * rate * sum) as u32
        })
    }

    /// Probability of the next phone for each phone, averaged over the topics.
    pub(super) fn bigrams(&self) -> &[[f64; PHONES]] {
        &self.bigrams
    }
}

/// Relative frequency of one phone after another. Some pairs are several times as likely as most, so neighbours are
/// informative. No pair is impossible except a phone after itself.
fn affinity(from: u8, to: u8, draw: &mut Draw) -> f64 {
    let chance = f64::from(draw.unit());
    let turn = if is_vowel(from) == is_vowel(to) {
        1.0
    } else {
        3.0
    };
    if from == to {
        0.0
    } else {
        turn * (0.01 + chance * chance * chance * chance)
    }
}

/// Converts weights to probabilities. Pauses are equally likely after every phone.
fn with_pauses(from: u8, weights: [f64; PHONES]) -> [f64; PHONES] {
    let pause = if from == SILENCE { 0.0 } else { PAUSE };
    let spoken: f64 = weights[1..].iter().sum();
    let mut row = weights.map(|weight| weight / spoken * (1.0 - pause));
    row[usize::from(SILENCE)] = pause;
    row
}

fn cumulated(row: &[f64; PHONES]) -> [u32; PHONES] {
    // An impossible phone gets the threshold of the one before it, so it is never drawn. Impossible phones at the end
    // share the last threshold with the last possible phone.
    let last = row.iter().rposition(|&p| p > 0.0).unwrap_or(0);
    let mut sum = 0.0;
    std::array::from_fn(|to| {
        sum += row[to];
        if to >= last {
            WHOLE
        } else {
            (sum * f64::from(WHOLE)) as u32
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phones_follow_each_other_as_the_bigrams_say() {
        let grammar = Grammar::new(3);
        let mut draw = Draw::new(1, 1, Purpose::SCRIPT);
        let mut counts = [0u32; PHONES];
        for topic in 0..TOPICS {
            for _ in 0..20_000 {
                counts[usize::from(grammar.next(topic, 7, &mut draw))] += 1;
            }
        }
        for (count, p) in counts.iter().zip(grammar.bigrams()[7]) {
            // Within five standard deviations.
            let expected = 80_000.0 * p;
            assert!((f64::from(*count) - expected).abs() <= 5.0 * expected.sqrt());
        }
        assert_eq!(counts[7], 0, "no phone follows itself");
    }

    #[test]
    fn every_phone_can_follow_every_other_in_every_topic() {
        let grammar = Grammar::new(0);
        for (row, thresholds) in grammar.steps.iter().enumerate() {
            let mut before = 0;
            for (to, &threshold) in thresholds.iter().enumerate() {
                assert_eq!(threshold > before, to != row % PHONES, "{row} {to}");
                before = threshold;
            }
            assert_eq!(before, WHOLE);
        }
    }
}
