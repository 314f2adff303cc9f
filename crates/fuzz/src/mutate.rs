//! Deterministic mutations of inputs.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::Target;
use crate::guard::LARGEST_INPUT;

/// Numbers near which readers make mistakes.
const NUMBERS: [u64; 22] = [
    0,
    1,
    2,
    3,
    4,
    7,
    8,
    0x7f,
    0x80,
    0xff,
    0x100,
    0x7fff,
    0x8000,
    0xffff,
    0x10000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    u64::MAX,
];

/// The same numbers and others as text.
const WORDS: [&str; 24] = [
    "0",
    "-1",
    "1",
    "99",
    "255",
    "65535",
    "65536",
    "2147483647",
    "-2147483648",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "18446744073709551616",
    "1e308",
    "1e-320",
    "1e999",
    "inf",
    "-inf",
    "NaN",
    "0.5",
    "\n",
    "\"",
    ",",
    "\u{feff}",
];

/// Makes mutated inputs. The same seed makes the same inputs.
pub struct Mutator {
    target: &'static Target,
    random: ChaCha8Rng,
}

impl Mutator {
    /// A mutator for inputs of `target`.
    pub fn new(target: &'static Target, seed: u64) -> Self {
        Mutator {
            target,
            random: ChaCha8Rng::seed_from_u64(seed),
        }
    }

    /// Picks a seed, changes it in a few places, and repairs half of the results.
    pub fn next(&mut self, seeds: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = self.pick(seeds).cloned().unwrap_or_default();
        for _ in 0..1 << self.random.random_range(0..5) {
            self.change(&mut bytes, seeds);
        }
        bytes.truncate(LARGEST_INPUT);
        self.repair_half(&mut bytes);
        bytes
    }

    /// Makes the checksums of half of the inputs valid, if the format has any.
    pub fn repair_half(&mut self, bytes: &mut [u8]) {
        if let Some(repair) = self.target.repair
            && self.random.random_bool(0.5)
        {
            repair(bytes);
        }
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        match from.len() {
            0 => None,
            count => from.get(self.random.random_range(0..count)),
        }
    }

    /// A random range of the bytes, mostly short.
    fn range(&mut self, bytes: &[u8]) -> std::ops::Range<usize> {
        let from = self.random.random_range(0..=bytes.len());
        let longest = if self.random.random_bool(0.8) {
            16
        } else {
            bytes.len()
        };
        let length = self.random.random_range(0..=longest);
        from..bytes.len().min(from + length)
    }

    /// Changes an input in one place.
    pub fn change(&mut self, bytes: &mut Vec<u8>, seeds: &[Vec<u8>]) {
        let range = self.range(bytes);
        let at = range.start;
        match self.random.random_range(0..12) {
            0 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << self.random.random_range(0..8);
                }
            }
            1 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = self.random.random();
                }
            }
            2 | 3 => self.set_number(&mut bytes[at..]),
            4 => drop(bytes.drain(range)),
            5 => {
                let copy = bytes[range].to_vec();
                let times = self.random.random_range(1..8);
                bytes.splice(at..at, copy.repeat(times));
            }
            6 => {
                if let Some(other) = self.pick(seeds) {
                    let inserted = self.range(other);
                    bytes.splice(range, other[inserted].iter().copied());
                }
            }
            7 => bytes.truncate(at),
            8 => self.set_word(bytes, at),
            9 | 10 => {
                let own = self.target.words;
                let words = if self.random.random_bool(0.7) {
                    own
                } else {
                    &WORDS
                };
                let word = self.pick(words).copied().unwrap_or_default();
                let replaced = match self.random.random_bool(0.5) {
                    true => at..at,
                    false => at..bytes.len().min(at + word.len()),
                };
                bytes.splice(replaced, word.bytes());
            }
            _ => {
                let noise = self.random.next_u64().to_le_bytes();
                let length = self.random.random_range(1..=noise.len());
                bytes.splice(at..at, noise[..length].iter().copied());
            }
        }
    }

    /// Overwrites a number of 1, 2, 4 or 8 bytes.
    fn set_number(&mut self, bytes: &mut [u8]) {
        let size = 1 << self.random.random_range(0..4);
        let Some(place) = bytes.get_mut(..size) else {
            return;
        };
        let mut number = *self.pick(&NUMBERS).unwrap_or(&0);
        if self.random.random_bool(0.3) {
            let mut old = [0; 8];
            old[..size].copy_from_slice(place);
            number = u64::from_le_bytes(old).wrapping_add(self.random.random_range(0..32));
            number = number.wrapping_sub(16);
        }
        if self.random.random_bool(0.5) {
            place.copy_from_slice(&number.to_le_bytes()[..size]);
        } else {
            place.copy_from_slice(&number.to_be_bytes()[8 - size..]);
        }
    }

    /// Replaces the next word of letters and digits by a number.
    fn set_word(&mut self, bytes: &mut Vec<u8>, at: usize) {
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b".-+".contains(byte);
        let Some(start) = bytes[at..].iter().position(is_word) else {
            return;
        };
        let start = at + start;
        let length = bytes[start..]
            .iter()
            .take_while(|byte| is_word(byte))
            .count();
        let word = self.pick(&WORDS).copied().unwrap_or_default();
        bytes.splice(start..start + length, word.bytes());
    }
}
