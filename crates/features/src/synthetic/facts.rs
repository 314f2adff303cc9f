//! Who speaks an utterance, how long and about what: all that is settled before a frame is made.
//!
//! Length is tied to the speaker and to the topic, as it is in real corpora: this is what makes batches of like
//! lengths different from random ones in more than their padding. The ties are made so that lengths still follow
//! the profile exactly. Each speaker has a place on a scale from terse to long-winded; place and chance, both uniform,
//! are added with weights, and the sum's own distribution (which a formula gives) turns it into a quantile of the
//! profile. The topic comes from that quantile and chance in the same way.

use padwise_sampler::Profile;

use super::draw::{Draw, Purpose};
use super::grammar::TOPICS;
use super::sounds::ACCENTS;

/// The weight of the speaker beside chance in an utterance's length: a correlation of about 0.5.
const SPEAKER_WEIGHT: f64 = 0.6;
/// The weight of chance beside length in an utterance's topic: a correlation of about 0.85.
const TOPIC_CHANCE: f64 = 0.6;
/// What a state lasts beyond its first frame, as a multiple of the usual: from the fastest speakers to the slowest.
const FASTEST: f32 = 0.75;
const SLOWEST: f32 = 1.25;
/// The standard deviation of speakers' offsets in each dimension, where the noise on a frame is 1.
const SPEAKER_SPREAD: f32 = 0.3;

/// What is settled about one utterance.
pub(super) struct Facts {
    pub speaker: u32,
    pub frames: u32,
    pub topic: usize,
}

/// The speakers, and who of them makes long utterances.
pub(super) struct Speakers {
    seed: u64,
    profile: Profile,
    /// Each speaker's place among all, from terse to long-winded.
    places: Vec<u32>,
}

/// How one speaker speaks.
pub(super) struct Voice {
    pub accent: usize,
    /// What a state lasts beyond its first frame, as a multiple of the usual.
    pub rate: f32,
    pub offset: Vec<f32>,
}

impl Speakers {
    pub(super) fn new(seed: u64, profile: Profile, speakers: usize) -> Self {
        let mut places: Vec<u32> = (0..speakers as u32).collect();
        Draw::new(seed, 0, Purpose::TENDENCIES).shuffle(&mut places);
        Speakers {
            seed,
            profile,
            places,
        }
    }

    pub(super) fn facts(&self, utterance: usize) -> Facts {
        let mut draw = Draw::new(self.seed, utterance as u64, Purpose::FACTS);
        let speaker = draw.below(self.places.len() as u32);
        let mut chance = || f64::from(draw.bits()) * (1.0 / (1u64 << 32) as f64);
        // A speaker is a stretch of the scale, not a point: all of them together cover it evenly, even one alone.
        let place = self.places.get(speaker as usize).copied().unwrap_or(0);
        let place = (f64::from(place) + chance()) / self.places.len() as f64;
        let quantile = evenly(SPEAKER_WEIGHT, place, chance());
        let topic = evenly(TOPIC_CHANCE, chance(), quantile) * TOPICS as f64;
        Facts {
            speaker,
            frames: self.profile.quantile(quantile),
            topic: (topic as usize).min(TOPICS - 1),
        }
    }

    pub(super) fn voice(&self, speaker: u32, dims: usize) -> Voice {
        let mut draw = Draw::new(self.seed, u64::from(speaker), Purpose::SPEAKER);
        let accent = draw.below(ACCENTS as u32) as usize;
        let rate = FASTEST + (SLOWEST - FASTEST) * draw.unit();
        let mut offset = vec![0.0; dims];
        draw.fill_normal(SPEAKER_SPREAD, &mut offset);
        Voice {
            accent,
            rate,
            offset,
        }
    }
}

/// A number that is uniform in [0, 1] if `a` and `b` are, and grows with both: the distribution function of
/// `weight` · a + b, a trapezium, at that sum. The weight is from 0 (exclusive) to 1.
fn evenly(weight: f64, a: f64, b: f64) -> f64 {
    let sum = weight * a + b;
    if sum < weight {
        sum * sum / (2.0 * weight)
    } else if sum <= 1.0 {
        sum - weight / 2.0
    } else {
        let above = 1.0 + weight - sum;
        1.0 - above * above / (2.0 * weight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_follow_the_profile_however_many_speakers_there_are() {
        for speakers in [1, 7, 80] {
            let speakers = Speakers::new(5, Profile::LibriSpeech, speakers);
            let mut lengths: Vec<u32> = (0..8_000).map(|i| speakers.facts(i).frames).collect();
            lengths.sort_unstable();
            for percent in [5, 25, 50, 75, 95] {
                let drawn = f64::from(lengths[lengths.len() * percent / 100]);
                // Within three points of a percentile: five standard deviations of the middle one.
                let low = Profile::LibriSpeech.quantile(percent as f64 / 100.0 - 0.03);
                let high = Profile::LibriSpeech.quantile(percent as f64 / 100.0 + 0.03);
                assert!(
                    (f64::from(low)..=f64::from(high)).contains(&drawn),
                    "{percent} %: {drawn}"
                );
            }
        }
    }

    #[test]
    fn topics_are_equally_frequent() {
        let speakers = Speakers::new(5, Profile::Chime4, 10);
        let mut counts = [0u32; TOPICS];
        (0..20_000).for_each(|i| counts[speakers.facts(i).topic] += 1);
        assert!(
            counts.iter().all(|c| (4700..5300).contains(c)),
            "{counts:?}"
        );
    }
}
