//! Measures feature extraction on all WAV and FLAC files below a folder.
//!
//! ```sh
//! cargo run --release -p padwise-features --example extract_dir -- FOLDER [FRONT-END [REPEATS]]
//! ```
//!
//! Each repeat prints one line of JSON with the seconds for one core from decoded samples, one core from files, and all
//! cores from files. `scripts/bench_front_end.sh` compares these with kaldi-native-fbank.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

use padwise_features::audio::{Channel, DecodeOptions, Waveform, decode};
use padwise_features::front_end::{ExtractError, FrontEnd};
use rayon::prelude::*;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments
        .next()
        .ok_or("usage: extract_dir FOLDER [FRONT-END [REPEATS]]")?;
    let front_end: FrontEnd = arguments
        .next()
        .unwrap_or_else(|| "kaldi-mfcc16".into())
        .parse()?;
    let repeats: u32 = arguments.next().map_or(Ok(1), |n| n.parse())?;

    let mut files = Vec::new();
    find_audio(Path::new(&folder), &mut files)?;
    files.sort();
    let options = DecodeOptions {
        channel: Channel::Mix,
        rate: Some(front_end.sample_rate()),
        ..DecodeOptions::default()
    };
    let waveforms: Vec<Waveform> = files
        .iter()
        .map(|file| decode(file, &options))
        .collect::<Result<_, _>>()?;
    let samples: usize = waveforms.iter().map(|w| w.samples.len()).sum();
    let audio_seconds = samples as f64 / f64::from(front_end.sample_rate());

    for _ in 0..repeats {
        let mut extractor = front_end.extractor()?;
        let start = Instant::now();
        let mut frames = 0;
        for waveform in &waveforms {
            frames += extractor.extract(waveform)?.rows();
        }
        let from_samples = start.elapsed().as_secs_f64();

        let start = Instant::now();
        for file in &files {
            extractor.extract_file(file, Channel::Mix)?;
        }
        let from_files = start.elapsed().as_secs_f64();

        let start = Instant::now();
        files.par_iter().try_for_each_init(
            || extractor.clone(),
            |extractor, file| {
                extractor.extract_file(file, Channel::Mix)?;
                Ok::<_, ExtractError>(())
            },
        )?;
        let all_cores = start.elapsed().as_secs_f64();
        println!(
            r#"{{"files": {}, "audio_seconds": {audio_seconds:.2}, "frames": {frames}, "from_samples": {from_samples:.6}, "from_files": {from_files:.6}, "from_files_all_cores": {all_cores:.6}, "cores": {}}}"#,
            files.len(),
            rayon::current_num_threads(),
        );
    }
    Ok(())
}

fn find_audio(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in folder.read_dir()? {
        let path = entry?.path();
        if path.is_dir() {
            find_audio(&path, files)?;
        } else if path
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("flac") || e.eq_ignore_ascii_case("wav"))
        {
            files.push(path);
        }
    }
    Ok(())
}
