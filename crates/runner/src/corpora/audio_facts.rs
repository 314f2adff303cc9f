//! The sample rates of a corpus and its empty mel bins, from the description of its features.

use padwise_features::audio_corpus::kilohertz;
use padwise_features::front_end::FrontEnd;
use serde_json::Value;

use super::Check;

/// What the description of a corpus says about its audio.
pub struct AudioFacts {
    /// Sample rates of the audio files in Hz, the lowest first; empty if unknown.
    pub rates: Vec<u32>,
    front_end: Option<Result<FrontEnd, String>>,
}

impl AudioFacts {
    /// Reads a description. A pack that was made from another pack contains the description of that one.
    pub fn of(description: &Value) -> Self {
        let mut computed = description;
        while let Some(source) = computed.get("source") {
            computed = source;
        }
        let rates = computed.get("sample-rates").and_then(Value::as_array);
        let rates = rates.into_iter().flatten().filter_map(Value::as_u64);
        let parse = |front_end: &Value| {
            serde_json::from_value(front_end.clone()).map_err(|error| error.to_string())
        };
        AudioFacts {
            rates: rates.filter_map(|rate| u32::try_from(rate).ok()).collect(),
            front_end: computed.get("front-end").map(parse),
        }
    }

    /// The sample rates in words; `None` if they are unknown.
    pub fn rates_text(&self) -> Option<String> {
        let rates: Vec<String> = self.rates.iter().map(|&rate| kilohertz(rate)).collect();
        let mut text = match rates.as_slice() {
            [] => return None,
            [only] => format!("sample rate {only}"),
            several => format!("sample rates {}", several.join(", ")),
        };
        if let Some(Ok(front_end)) = &self.front_end
            && self.rates != [front_end.sample_rate()]
        {
            text += &format!(", resampled to {}", kilohertz(front_end.sample_rate()));
        }
        Some(text)
    }

    /// Checks that every mel bin has a signal; `None` if the front end or the sample rates are unknown.
    pub fn mel_bins(&self) -> Option<Check> {
        let extractor = self.front_end.as_ref()?.as_ref();
        let extractor = extractor.map_err(String::clone).and_then(|front_end| {
            let extractor = front_end.extractor().map_err(|error| error.to_string())?;
            Ok((extractor, front_end.sample_rate()))
        });
        let (extractor, expected) = match extractor {
            Ok(planned) => planned,
            Err(finding) => {
                return Some(Check {
                    passed: false,
                    finding,
                });
            }
        };
        let lowest = *self.rates.first()?;
        let (empty, bins) = (extractor.empty_mel_bins(lowest), extractor.mel_bins());
        Some(Check {
            passed: empty == 0,
            finding: if empty == 0 {
                format!("none of the {bins} mel bins is empty")
            } else {
                let audio = if self.rates.len() == 1 {
                    "the audio"
                } else {
                    "some of the audio"
                };
                format!(
                    "{empty} of {bins} mel bins are empty: {audio} has {}, the front end {}; use a front end with sample-rate = {lowest}",
                    kilohertz(lowest),
                    kilohertz(expected)
                )
            },
        })
    }
}
