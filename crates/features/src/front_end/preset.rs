//! Front ends with a name.

use std::str::FromStr;

use super::error::ParseFrontEndError;
use super::{Fbank, FrontEnd, Kind, Mel, Mfcc};

/// The names of all presets.
pub const PRESETS: &[&str] = &["kaldi-mfcc16", "kaldi-fbank80", "tacotron-mel80"];

impl FromStr for FrontEnd {
    type Err = ParseFrontEndError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let kind = match name {
            "kaldi-mfcc16" => Kind::Mfcc(Mfcc::default()),
            "kaldi-fbank80" => Kind::Fbank(Fbank::default()),
            "tacotron-mel80" => Kind::Mel(Mel::default()),
            _ => {
                return Err(ParseFrontEndError::UnknownPreset {
                    name: name.into(),
                    nearest: nearest(name),
                    valid: PRESETS,
                });
            }
        };
        Ok(kind.into())
    }
}

/// The preset whose name is most alike, unless none is.
fn nearest(name: &str) -> Option<&'static str> {
    PRESETS
        .iter()
        .map(|&preset| (strsim::jaro_winkler(name, preset), preset))
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .filter(|&(likeness, _)| likeness > 0.7)
        .map(|(_, preset)| preset)
}
