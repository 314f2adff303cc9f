//! Generates the frames of an utterance.
//!
//! Every frame starts at the target of its state. The targets are smoothed over time in both directions, like the
//! coarticulation of neighbouring sounds. Then the offsets of the speaker and the channel are added, the same for every
//! frame, and noise. The noise of neighbouring frames is correlated, because their windows overlap.

use super::draw::Draw;
use super::facts::Voice;
use super::phones::{SILENCE, STATES};
use super::script::Spoken;
use super::sounds::Sounds;
use super::tying::Tying;

/// Fraction of the way from the previous frame to the target that a frame covers; the same in the other direction.
const AGILITY: f32 = 0.5;
/// Standard deviation of the channel offset in each dimension; the noise of a frame has 1.
const CHANNEL_SPREAD: f32 = 0.3;
/// Correlation of the noise of neighbouring frames.
const NOISE_MEMORY: f32 = 0.28;
/// Factor for new noise that keeps the variance: √(1 − 0.28²).
const NOISE_NEWS: f32 = 0.96;
/// Number of frames for which noise is drawn at a time.
const FRAMES_AT_ONCE: usize = 64;

/// Writes the class of each frame.
pub(super) fn labels(tying: &Tying, script: &[Spoken], out: &mut [i32]) {
    let mut rest = out;
    for (at, spoken) in script.iter().enumerate() {
        let left = at
            .checked_sub(1)
            .map_or(SILENCE, |before| script[before].phone);
        let right = script.get(at + 1).map_or(SILENCE, |after| after.phone);
        for state in 0..STATES {
            let whole = std::mem::take(&mut rest);
            let frames = (spoken.frames[state] as usize).min(whole.len());
            let (these, later) = whole.split_at_mut(frames);
            these.fill(tying.class(spoken.phone, state, left, right) as i32);
            rest = later;
        }
    }
}

/// The inputs of an utterance's features.
pub(super) struct Scene<'a> {
    pub sounds: &'a Sounds,
    pub voice: &'a Voice,
    /// The class of each frame.
    pub labels: &'a [i32],
    /// Number of frames of the first silence.
    pub opening: usize,
    /// Standard deviation of the noise.
    pub noise: f32,
}

impl Scene<'_> {
    /// Writes the features. The speaker offset determines the number of dimensions.
    pub(super) fn render(&self, draw: &mut Draw, out: &mut [f32]) {
        self.place_targets(out);
        self.look_ahead(out);
        self.add_offsets_and_noise(draw, out);
    }

    /// Writes the target of each frame, smoothed with the frames before it.
    fn place_targets(&self, out: &mut [f32]) {
        let dims = self.voice.offset.len();
        let accent = self.voice.accent;
        let mut before: Option<&mut [f32]> = None;
        for (at, (frame, &class)) in out.chunks_exact_mut(dims).zip(self.labels).enumerate() {
            frame.copy_from_slice(self.sounds.target(class as u32, accent));
            if at < self.opening {
                add(frame, self.sounds.mark(accent));
            }
            if let Some(before) = before {
                approach(frame, before);
            }
            before = Some(frame);
        }
    }

    /// Smooths from the end to the beginning.
    fn look_ahead(&self, out: &mut [f32]) {
        let mut after: Option<&mut [f32]> = None;
        for frame in out.chunks_exact_mut(self.voice.offset.len()).rev() {
            if let Some(after) = after {
                approach(frame, after);
            }
            after = Some(frame);
        }
    }

    fn add_offsets_and_noise(&self, draw: &mut Draw, out: &mut [f32]) {
        let dims = self.voice.offset.len();
        let mut offset = vec![0.0; dims];
        draw.fill_normal(CHANNEL_SPREAD, &mut offset);
        add(&mut offset, &self.voice.offset);
        let mut noise = vec![0.0; dims];
        draw.fill_normal(self.noise, &mut noise);
        let mut news = vec![0.0; dims * FRAMES_AT_ONCE];
        for frames in out.chunks_mut(news.len()) {
            let news = &mut news[..frames.len()];
            draw.fill_normal(self.noise * NOISE_NEWS, news);
            for (frame, news) in frames.chunks_exact_mut(dims).zip(news.chunks_exact(dims)) {
                for (((value, offset), noise), news) in
                    frame.iter_mut().zip(&offset).zip(&mut noise).zip(news)
                {
                    *noise = *noise * NOISE_MEMORY + news;
                    *value += offset + *noise;
                }
            }
        }
    }
}

fn add(to: &mut [f32], what: &[f32]) {
    for (value, what) in to.iter_mut().zip(what) {
        *value += what;
    }
}

/// Moves a frame towards its neighbour.
fn approach(frame: &mut [f32], neighbour: &[f32]) {
    for (value, neighbour) in frame.iter_mut().zip(neighbour) {
        *value = neighbour + AGILITY * (*value - neighbour);
    }
}
