//! Feature extraction.

use std::fmt;
#[cfg(feature = "audio")]
use std::path::Path;

use super::config::Splice;
use super::definition::{FrontEnd, Kind};
use super::deltas::DeltaFilters;
#[cfg(feature = "audio")]
use super::error::ExtractError;
use super::error::FrontEndError;
use super::kaldi::Kaldi;
use super::mel_bank::MelBank;
use super::range::in_range;
use super::splice::splice;
use super::tacotron::Tacotron;
use crate::audio::{self, Waveform};
#[cfg(feature = "audio")]
use crate::audio::{Channel, DecodeOptions};
use crate::matrix::Matrix;

/// A front end that is ready to compute features, with all its buffers. Use one per thread, for any number of
/// utterances. Clones share the FFT plan, so cloning is cheap.
#[derive(Clone)]
pub struct Extractor {
    rate: u32,
    pipeline: Pipeline,
    deltas: Option<DeltaFilters>,
    splice: Option<Splice>,
}

#[derive(Clone)]
enum Pipeline {
    Kaldi(Box<Kaldi>),
    Tacotron(Box<Tacotron>),
}

impl fmt::Debug for Extractor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Extractor")
            .field("sample_rate", &self.rate)
            .field("dims", &self.dims())
            .finish_non_exhaustive()
    }
}

impl FrontEnd {
    /// Plans the FFT and allocates the buffers.
    ///
    /// # Errors
    /// A setting is out of range, or two settings conflict.
    pub fn extractor(&self) -> Result<Extractor, FrontEndError> {
        Extractor::new(self)
    }

    /// Checks that [`FrontEnd::extractor`] would succeed.
    ///
    /// # Errors
    /// The same as for [`FrontEnd::extractor`].
    pub fn validate(&self) -> Result<(), FrontEndError> {
        self.extractor().map(drop)
    }
}

impl Extractor {
    fn new(front_end: &FrontEnd) -> Result<Self, FrontEndError> {
        let pipeline = match &front_end.kind {
            Kind::Mfcc(config) => Pipeline::Kaldi(Box::new(Kaldi::mfcc(config)?)),
            Kind::Fbank(config) => Pipeline::Kaldi(Box::new(Kaldi::fbank(config)?)),
            Kind::Mel(config) => Pipeline::Tacotron(Box::new(Tacotron::new(config)?)),
        };
        if let Some(deltas) = front_end.deltas {
            in_range("deltas.order", deltas.order, 1.0..=4.0)?;
            in_range("deltas.window", deltas.window, 1.0..=100.0)?;
        }
        if let Some(splice) = front_end.splice {
            in_range("splice.left", splice.left, 0.0..=100.0)?;
            in_range("splice.right", splice.right, 0.0..=100.0)?;
        }
        Ok(Extractor {
            rate: front_end.sample_rate(),
            pipeline,
            deltas: front_end.deltas.map(DeltaFilters::new),
            splice: front_end.splice,
        })
    }

    /// Dimensions of a frame.
    pub fn dims(&self) -> usize {
        let context = self.splice.map_or(1, |s| 1 + s.left + s.right) as usize;
        let orders = self.deltas.as_ref().map_or(1, DeltaFilters::factor);
        self.static_dims() * orders * context
    }

    /// Dimensions without deltas and splicing.
    fn static_dims(&self) -> usize {
        match &self.pipeline {
            Pipeline::Kaldi(kaldi) => kaldi.dims(),
            Pipeline::Tacotron(tacotron) => tacotron.dims(),
        }
    }

    /// Number of mel filters.
    pub fn mel_bins(&self) -> usize {
        self.mel_bank().len()
    }

    /// Number of mel filters that receive no signal if the audio was recorded at `source_rate` Hz and then resampled:
    /// they cover only frequencies above half of that rate.
    pub fn empty_mel_bins(&self, source_rate: u32) -> usize {
        if source_rate >= self.rate {
            return 0;
        }
        self.mel_bank().above(f64::from(source_rate) / 2.0)
    }

    fn mel_bank(&self) -> &MelBank {
        match &self.pipeline {
            Pipeline::Kaldi(kaldi) => kaldi.mel_bank(),
            Pipeline::Tacotron(tacotron) => tacotron.mel_bank(),
        }
    }

    /// Number of frames for this number of samples; 0 if there are too few for a frame.
    pub fn frames(&self, samples: usize) -> usize {
        match &self.pipeline {
            Pipeline::Kaldi(kaldi) => kaldi.frames(samples),
            Pipeline::Tacotron(tacotron) => tacotron.frames(samples),
        }
    }

    /// Computes the features of a waveform: [`Extractor::frames`] rows of [`Extractor::dims`] values.
    ///
    /// # Errors
    /// The sample rate is wrong, or a sample is not finite.
    pub fn extract(&mut self, waveform: &Waveform) -> Result<Matrix, FrontEndError> {
        self.extract_samples(&waveform.samples, waveform.rate)
    }

    /// Computes the features of samples at `rate` Hz, with full scale at ±1.
    ///
    /// # Errors
    /// The same as for [`Extractor::extract`].
    pub fn extract_samples(&mut self, samples: &[f32], rate: u32) -> Result<Matrix, FrontEndError> {
        if rate != self.rate {
            return Err(FrontEndError::Rate {
                expected: self.rate,
                actual: rate,
            });
        }
        if let Some((index, &value)) = audio::first_invalid_sample(samples) {
            return Err(FrontEndError::Sample { index, value });
        }
        let mut features = Matrix::zeros(self.frames(samples.len()), self.static_dims());
        match &mut self.pipeline {
            Pipeline::Kaldi(kaldi) => kaldi.extract(samples, features.as_mut_slice()),
            Pipeline::Tacotron(tacotron) => tacotron.extract(samples, features.as_mut_slice()),
        }
        if let Some(deltas) = &self.deltas {
            features = deltas.apply(&features);
        }
        if let Some(context) = self.splice {
            features = splice(&features, context);
        }
        Ok(features)
    }

    /// Computes the features of a WAV or FLAC file, resampling it if needed.
    #[cfg(feature = "audio")]
    ///
    /// # Errors
    /// The file cannot be decoded. The message names it.
    pub fn extract_file(
        &mut self,
        path: impl AsRef<Path>,
        channel: Channel,
    ) -> Result<Matrix, ExtractError> {
        let options = DecodeOptions {
            channel,
            rate: Some(self.rate),
            ..DecodeOptions::default()
        };
        self.extract_file_within(path, options)
    }

    /// Computes the features of a WAV or FLAC file, decoded with these options.
    #[cfg(feature = "audio")]
    pub(crate) fn extract_file_within(
        &mut self,
        path: impl AsRef<Path>,
        options: DecodeOptions,
    ) -> Result<Matrix, ExtractError> {
        let waveform = audio::decode(&path, &options)?;
        self.extract(&waveform)
            .map_err(|source| ExtractError::FrontEnd {
                file: path.as_ref().display().to_string(),
                source,
            })
    }
}
