//! Seeds of audio files, written here because padwise only reads them.

use padwise_fuzz::repair;

use crate::{Made, Seeds};

const SAMPLES: usize = 512;

pub(crate) fn make(seeds: &Seeds) -> Made {
    let samples: Vec<i16> = (0..SAMPLES as i32)
        .map(|n| (n * 37 % 901 - 450) as i16)
        .collect();
    let pcm: Vec<u8> = samples.iter().flat_map(|s| s.to_le_bytes()).collect();
    let floats = samples.iter().map(|&s| f32::from(s) / 32768.0);
    let floats: Vec<u8> = floats.flat_map(f32::to_le_bytes).collect();
    seeds.add("wav", "pcm16.wav", wav(1, 1, 16000, 16, &pcm))?;
    seeds.add("wav", "stereo24.wav", wav(1, 2, 8000, 24, &pcm[..1020]))?;
    seeds.add("wav", "float.wav", wav(3, 1, 44100, 32, &floats))?;
    let mut claim = wav(1, 1, 16000, 16, &pcm);
    claim[40..44].copy_from_slice(&u32::MAX.to_le_bytes());
    seeds.add("wav", "bad-size.wav", claim)?;
    seeds.add("wav", "bad-channels.wav", wav(1, 65535, 16000, 16, &pcm))?;

    let verbatim = |bits: &mut Bits| {
        bits.push(1 << 1, 8);
        samples.iter().for_each(|&s| bits.push(s as u16 as u64, 16));
    };
    let constant = |bits: &mut Bits| {
        bits.push(0, 8);
        bits.push(5, 16);
    };
    // Fixed prediction of order 0, Rice coded with parameter 8.
    let fixed = |bits: &mut Bits| {
        bits.push(8 << 1, 8);
        bits.push(0, 6);
        bits.push(8, 4);
        for &sample in &samples {
            let sample = i64::from(sample);
            let folded = (sample << 1 ^ sample >> 63) as u64;
            (0..folded >> 8).for_each(|_| bits.push(0, 1));
            bits.push(1, 1);
            bits.push(folded & 255, 8);
        }
    };
    // Linear prediction of order 1 with coefficient 1, all residuals 0.
    let linear = |bits: &mut Bits| {
        bits.push(32 << 1, 8);
        bits.push(7, 16);
        bits.push(4, 4);
        bits.push(0, 5);
        bits.push(1, 5);
        bits.push(0, 10);
        (1..SAMPLES).for_each(|_| bits.push(1, 1));
    };
    let total = SAMPLES as u64;
    let one = |subframes: &[Subframe]| frame(0, SAMPLES, subframes);
    let file = |channels, frames| flac(channels, total, SAMPLES, frames);
    seeds.add("flac", "verbatim.flac", file(1, one(&[&verbatim])))?;
    seeds.add("flac", "stereo.flac", file(2, one(&[&constant, &verbatim])))?;
    seeds.add("flac", "fixed.flac", file(1, one(&[&fixed])))?;
    seeds.add("flac", "linear.flac", file(1, one(&[&linear])))?;
    let claim = flac(1, (1 << 36) - 1, SAMPLES, one(&[&constant]));
    seeds.add("flac", "bad-claim.flac", claim)?;
    // 1,000 blocks of 32,768 samples, each in a few bytes.
    let frames: Vec<Vec<u8>> = (0..1000)
        .map(|number| frame(number, 1 << 15, &[&constant]))
        .collect();
    let bomb = flac(1, 1000 << 15, 1 << 15, frames.concat());
    seeds.add("flac", "bad-bomb.flac", bomb)
}

fn wav(format: u16, channels: u16, rate: u32, bits: u16, data: &[u8]) -> Vec<u8> {
    let block = u32::from(channels) * u32::from(bits / 8);
    let mut file = b"RIFF".to_vec();
    file.extend((36 + data.len() as u32).to_le_bytes());
    file.extend(b"WAVEfmt ");
    file.extend(16_u32.to_le_bytes());
    file.extend(format.to_le_bytes());
    file.extend(channels.to_le_bytes());
    file.extend(rate.to_le_bytes());
    file.extend((rate.wrapping_mul(block)).to_le_bytes());
    file.extend((block as u16).to_le_bytes());
    file.extend(bits.to_le_bytes());
    file.extend(b"data");
    file.extend((data.len() as u32).to_le_bytes());
    file.extend(data);
    file
}

/// Bits, highest first.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    used: u32,
}

impl Bits {
    fn push(&mut self, number: u64, bits: u32) {
        for bit in (0..bits).rev() {
            if self.used.is_multiple_of(8) {
                self.bytes.push(0);
            }
            if let Some(last) = self.bytes.last_mut() {
                *last |= ((number >> bit & 1) as u8) << (7 - self.used % 8);
            }
            self.used += 1;
        }
    }
}

/// Writes the samples of one channel.
type Subframe<'a> = &'a dyn Fn(&mut Bits);

/// A FLAC file at 16 kHz with 16 bits.
fn flac(channels: u64, samples: u64, block: usize, frames: Vec<u8>) -> Vec<u8> {
    let mut info = Bits::default();
    info.push(block as u64, 16);
    info.push(block as u64, 16);
    info.push(0, 48);
    info.push(16000, 20);
    info.push(channels - 1, 3);
    info.push(15, 5);
    info.push(samples, 36);
    info.bytes.resize(34, 0);
    [&b"fLaC\x80\0\0\x22"[..], &info.bytes, &frames].concat()
}

/// A frame with its checksums. The block size is 512 or 32,768.
fn frame(number: u32, block: usize, channels: &[Subframe]) -> Vec<u8> {
    let block = if block == SAMPLES { 9 } else { 15 };
    let mut bits = Bits::default();
    bits.push(0xfff8, 16);
    bits.push(block << 4, 8);
    bits.push((channels.len() as u64 - 1) << 4 | 8, 8);
    // Frame numbers are coded like UTF-8.
    let number = char::from_u32(number).unwrap_or_default();
    for byte in number.encode_utf8(&mut [0; 4]).bytes() {
        bits.push(byte.into(), 8);
    }
    let head = repair::crc(&bits.bytes, 0x07, 8);
    bits.push(head.into(), 8);
    for channel in channels {
        channel(&mut bits);
    }
    let mut bytes = bits.bytes;
    let all = repair::crc(&bytes, 0x8005, 16) as u16;
    bytes.extend(all.to_be_bytes());
    bytes
}
