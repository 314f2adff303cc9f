//! Reads the front end that an option names.

use padwise_features::files::read_text;
use padwise_features::front_end::{FrontEnd, ParseFrontEndError};

/// The preset of commands that compute features.
pub(crate) const DEFAULT_FRONT_END: &str = "kaldi-mfcc16";

/// Maximum size of a front end's TOML file in bytes.
const LARGEST_FILE: u64 = 1 << 20;

/// A preset, or the front end that a TOML file describes.
pub(crate) fn read_front_end(text: &str) -> Result<FrontEnd, String> {
    if !text.ends_with(".toml") {
        return text
            .parse()
            .map_err(|error: ParseFrontEndError| error.to_string());
    }
    let content = read_text(text, LARGEST_FILE).map_err(|error| error.to_string())?;
    toml::from_str(&content).map_err(|error| error.to_string())
}
