//! Speaker, length and topic of an utterance, drawn before any frame is generated.
//!
//! Length depends on the speaker, and the topic depends on the length, as in real corpora. Because of this, batches of
//! similar lengths differ from random batches in more than their padding. Lengths still follow the profile exactly.
//! Each speaker has a position on a scale from short to long utterances. The position and a random number, both
//! uniform, are added with weights. The distribution function of the sum, which is known in closed form, turns it into
//! a quantile of the profile. The topic is drawn from that quantile and another random number in the same way.

use padwise_sampler::Profile;

use super::draw::{Draw, Purpose};
use super::grammar::TOPICS;
use super::sounds::ACCENTS;

/// Weight of the speaker relative to chance in the length of an utterance: a correlation of about 0.5.
const SPEAKER_WEIGHT: f64 = 0.6;
/// Weight of chance relative to length in the topic of an utterance: a correlation of about 0.85.
const TOPIC_CHANCE: f64 = 0.6;
/// Duration of a state beyond its first frame, relative to the mean, for the fastest and the slowest speakers.
const FASTEST: f32 = 0.75;
const SLOWEST: f32 = 1.25;
/// Standard deviation of the speaker offset in each dimension; the noise of a frame has 1.
const SPEAKER_SPREAD: f32 = 0.3;

/// Speaker, length and topic of an utterance.
pub(super) struct Facts {
    pub speaker: u32,
    pub frames: u32,
    pub topic: usize,
}

/// The speakers, and how long their utterances tend to be.
pub(super) struct Speakers {
    seed: u64,
    profile: Profile,
    /// Rank of each speaker, from short to long utterances.
    places: Vec<u32>,
}

/// Voice of a speaker.
pub(super) struct Voice {
    pub accent: usize,
    /// Duration of a state beyond its first frame, relative to the mean.
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
        // A speaker covers an interval of the scale, not a point, so the positions are uniform for any number of
        // speakers.
        let place = self.places.get(speaker as usize).copied().unwrap_or(0);
        let place = (f64::from(place) + chance()) / self.places.len() as f64;
        let quantile = combined_quantile(SPEAKER_WEIGHT, place, chance());
        let topic = combined_quantile(TOPIC_CHANCE, chance(), quantile) * TOPICS as f64;
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

/// The distribution function of `weight` · a + b at that sum, for independent uniform `a` and `b` in [0, 1]. The result
/// is uniform too, and increases with both. The density of the sum is a trapezium. The weight is in (0, 1].
fn combined_quantile(weight: f64, a: f64, b: f64) -> f64 {
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
    fn lengths_follow_the_profile_for_any_number_of_speakers() {
        for speakers in [1, 7, 80] {
            let speakers = Speakers::new(5, Profile::LibriSpeech, speakers);
            let mut lengths: Vec<u32> = (0..8_000).map(|i| speakers.facts(i).frames).collect();
            lengths.sort_unstable();
            for percent in [5, 25, 50, 75, 95] {
                let drawn = f64::from(lengths[lengths.len() * percent / 100]);
                // Within three percentage points: five standard deviations of the median.
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
