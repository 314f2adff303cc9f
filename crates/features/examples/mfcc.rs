//! Prints the MFCC of a WAV or FLAC file.
//!
//! ```sh
//! cargo run -p padwise-features --no-default-features --features audio --example mfcc -- FILE
//! ```
//!
//! Without `FILE`, the example writes one second of a 440 Hz tone to a temporary WAV file and reads that.

use std::error::Error;
use std::f32::consts::TAU;
use std::fs;
use std::path::{Path, PathBuf};

use padwise_features::audio::Channel;
use padwise_features::front_end::FrontEnd;

const ROWS_SHOWN: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let file = match std::env::args_os().nth(1) {
        Some(file) => PathBuf::from(file),
        None => {
            let file = std::env::temp_dir().join("padwise-tone.wav");
            write_tone(&file)?;
            file
        }
    };

    let front_end: FrontEnd = "kaldi-mfcc16".parse()?;
    let mut extractor = front_end.extractor()?;
    // Decodes the file and resamples it to the front end's 16 kHz if needed.
    let mfcc = extractor.extract_file(&file, Channel::Mix)?;

    let (frames, coefficients) = (mfcc.rows(), mfcc.cols());
    println!(
        "{}: {frames} frames × {coefficients} coefficients",
        file.display()
    );
    for frame in 0..frames.min(ROWS_SHOWN) {
        let row: Vec<String> = mfcc.row(frame).iter().map(|x| format!("{x:6.1}")).collect();
        println!("{frame:>3}: {}", row.join(" "));
    }
    Ok(())
}

/// Writes one second of a 440 Hz tone: mono, 16 bits, 16 kHz.
fn write_tone(path: &Path) -> std::io::Result<()> {
    const RATE: u32 = 16_000;
    let sample = |i: u32| ((TAU * 440.0 * i as f32 / RATE as f32).sin() * 10_000.0) as i16;
    let data: Vec<u8> = (0..RATE).flat_map(|i| sample(i).to_le_bytes()).collect();
    let mut wav = b"RIFF".to_vec();
    wav.extend((36 + data.len() as u32).to_le_bytes());
    wav.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0"); // 16 bytes of format: PCM, 1 channel
    wav.extend(RATE.to_le_bytes());
    wav.extend((2 * RATE).to_le_bytes());
    wav.extend(b"\x02\0\x10\0data"); // 2 bytes per frame, 16 bits per sample
    wav.extend((data.len() as u32).to_le_bytes());
    wav.extend(data);
    fs::write(path, wav)
}
