//! Random numbers that are the same on every machine and in every version of this crate.
//!
//! Only the ChaCha8 keystream comes from a dependency, and its specification fixes it. Every stream has its own key
//! (seed, number, purpose), so any utterance can be generated without those before it. Everything is computed with
//! integers, or with floating-point additions, multiplications and divisions, which IEEE 754 defines exactly.
//! Logarithms and cosines differ between platforms in the last bit, so they are not used here.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Purpose of a random stream. It is part of the key, so changing one changes every synthetic corpus. Never do that.
#[derive(Clone, Copy, Debug)]
pub(super) struct Purpose(&'static [u8; 16]);

impl Purpose {
    /// Which phone follows which, and how long each is.
    pub(super) const GRAMMAR: Self = Purpose(b"synth grammar\0\0\0");
    /// Targets of phones and classes in feature space.
    pub(super) const SOUNDS: Self = Purpose(b"synth sounds\0\0\0\0");
    /// Which speakers have long utterances.
    pub(super) const TENDENCIES: Self = Purpose(b"synth tendencies");
    /// Voice of a speaker.
    pub(super) const SPEAKER: Self = Purpose(b"synth speaker\0\0\0");
    /// Speaker, length and topic of an utterance.
    pub(super) const FACTS: Self = Purpose(b"synth facts\0\0\0\0\0");
    /// Phones of an utterance.
    pub(super) const SCRIPT: Self = Purpose(b"synth script\0\0\0\0");
    /// Channel and noise of an utterance.
    pub(super) const NOISE: Self = Purpose(b"synth noise\0\0\0\0\0");
}

/// A stream of random numbers.
pub(super) struct Draw(ChaCha8Rng);

impl Draw {
    pub(super) fn new(seed: u64, number: u64, purpose: Purpose) -> Self {
        let mut key = [0u8; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..16].copy_from_slice(&number.to_le_bytes());
        key[16..].copy_from_slice(purpose.0);
        Draw(ChaCha8Rng::from_seed(key))
    }

    pub(super) fn bits(&mut self) -> u32 {
        self.0.next_u32()
    }

    /// An integer below `n`. The bias towards some values is less than n / 2³².
    pub(super) fn below(&mut self, n: u32) -> u32 {
        ((u64::from(self.bits()) * u64::from(n)) >> 32) as u32
    }

    /// A number in [0, 1), exact in f32.
    pub(super) fn unit(&mut self) -> f32 {
        (self.bits() >> 8) as f32 * (1.0 / (1u32 << 24) as f32)
    }

    /// Fisher–Yates shuffle.
    pub(super) fn shuffle<T>(&mut self, slice: &mut [T]) {
        for i in (1..slice.len()).rev() {
            let j = self.below(i as u32 + 1) as usize;
            slice.swap(i, j);
        }
    }

    /// Independent, approximately normal numbers with mean 0 and variance `scale`²; see [`bell`].
    pub(super) fn fill_normal(&mut self, scale: f32, out: &mut [f32]) {
        let scale = scale * BELL_UNIT;
        let mut bytes = [0u8; 1024];
        for part in out.chunks_mut(bytes.len() / 4) {
            let bytes = &mut bytes[..part.len() * 4];
            self.0.fill_bytes(bytes);
            for (value, word) in part.iter_mut().zip(bytes.as_chunks::<4>().0) {
                *value = bell(u32::from_le_bytes(*word)) as f32 * scale;
            }
        }
    }
}

/// Inverse of the standard deviation of [`bell`], √(4 · (256² − 1) / 12).
const BELL_UNIT: f32 = 1.0 / 147.799_86;

/// The sum of the four bytes of a word, minus its mean: an integer from −510 to 510.
///
/// Its distribution is nearly normal: the kurtosis is 2.7 instead of 3. It ends at 3.45 standard deviations, so a corpus
/// has no outliers. The cost is four additions.
fn bell(word: u32) -> i32 {
    let pairs = (word & 0x00ff_00ff) + ((word >> 8) & 0x00ff_00ff);
    ((pairs & 0xffff) + (pairs >> 16)) as i32 - 510
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bell_curve_has_unit_variance_and_no_outliers() {
        let mut drawn = vec![0.0; 100_003];
        Draw::new(1, 2, Purpose::NOISE).fill_normal(1.0, &mut drawn);
        let count = drawn.len() as f32;
        let mean = drawn.iter().sum::<f32>() / count;
        let variance = drawn.iter().map(|x| x * x).sum::<f32>() / count;
        assert!(mean.abs() < 0.02, "{mean}");
        assert!((variance - 1.0).abs() < 0.02, "{variance}");
        assert!(drawn.iter().all(|x| x.abs() < 3.46));
    }

    #[test]
    fn streams_with_different_keys_differ() {
        let first = |seed, number, purpose| Draw::new(seed, number, purpose).bits();
        let reference = first(1, 2, Purpose::NOISE);
        assert_eq!(reference, first(1, 2, Purpose::NOISE));
        assert_ne!(reference, first(2, 2, Purpose::NOISE));
        assert_ne!(reference, first(1, 3, Purpose::NOISE));
        assert_ne!(reference, first(1, 2, Purpose::SCRIPT));
    }
}
