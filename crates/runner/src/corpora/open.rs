//! Opens a corpus of any layout.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use padwise_experiment_config::CorpusConfig;
use padwise_features::audio_corpus::{AudioCorpus, Recipe};
use padwise_features::files::{Limits, read_text};
use padwise_features::kaldi::{KaldiCorpus, KaldiFiles};
use padwise_features::layouts::{self, Chime4, MissingFiles, RowFilter, Source};
use padwise_features::npy::{NpyArray, NpyCorpus, NpyUtterance};
use padwise_features::pack::Pack;
use padwise_features::raw::RawCorpus;
use padwise_features::{Corpus, SyntheticCorpus};
use padwise_sampler::excerpt::excerpt;
use serde::Deserialize;

use super::view::View;
use super::{CorporaError, CorpusKind, Skipped};

/// A corpus with its frame hop and how its features were computed.
pub struct Opened {
    /// The corpus.
    pub corpus: Box<dyn Corpus>,
    /// The path of the feature pack, if it is one.
    pub pack: Option<PathBuf>,
    /// Frame hop in milliseconds, if known.
    pub hop_ms: Option<f64>,
    /// The settings that the features were computed with, if known.
    pub description: serde_json::Value,
}

/// Maximum size of a config in bytes.
const LARGEST_CONFIG: u64 = 16 << 20;

/// The `[corpus]` table of a config; all other tables are ignored.
#[derive(Deserialize)]
struct ConfigFile {
    corpus: CorpusConfig,
}

/// What to read from a corpus.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions<'a> {
    /// Set of CHiME-4.
    pub chime4_set: Option<&'a str>,
    /// Rows of a manifest, as `COLUMN=VALUE`.
    pub filters: &'a [String],
    /// What to do with files that do not exist.
    pub missing: MissingFiles,
    /// Limits on what files may decode to.
    pub limits: Limits,
}

/// What a corpus contains.
pub enum Content {
    /// Audio files, from which a recipe computes features.
    Audio(Vec<Source>),
    /// Features.
    Features(Opened),
}

/// A corpus, with notes for the user.
pub struct Found {
    /// Audio or features.
    pub content: Content,
    /// One line each, for example about ignored columns.
    pub notes: Vec<String>,
}

/// Lists the audio files of a corpus, or opens its features.
pub fn open(path: &Path, layout: CorpusKind, options: &OpenOptions) -> Result<Found, CorporaError> {
    if !options.filters.is_empty() && layout != CorpusKind::Manifest {
        return Err(CorporaError::DoesNotApply {
            option: "--where",
            reason: "only the rows of a manifest have columns",
        });
    }
    let features = |corpus: Box<dyn Corpus>| Content::Features(imported(corpus));
    let missing = options.missing;
    let content = match layout {
        CorpusKind::Librispeech => Content::Audio(layouts::librispeech(path, missing)?),
        CorpusKind::Ljspeech => Content::Audio(layouts::ljspeech(path, missing)?),
        CorpusKind::Folder => Content::Audio(layouts::folder(path, missing)?),
        CorpusKind::Chime4 => {
            let set = options.chime4_set.ok_or(CorporaError::NoSet)?;
            Content::Audio(layouts::chime4(path, &chime4_part(path, set), missing)?)
        }
        CorpusKind::Manifest => return open_manifest(path, options),
        CorpusKind::Pack => Content::Features(open_pack(path)?),
        CorpusKind::Config => Content::Features(open_config(path, read_config(path)?)?),
        CorpusKind::Kaldi => features(Box::new(open_kaldi(path)?)),
        CorpusKind::Npy => features(Box::new(
            NpyCorpus::folder(path).map_err(CorporaError::other)?,
        )),
        CorpusKind::Raw => features(Box::new(
            RawCorpus::open_within(path, &options.limits).map_err(CorporaError::other)?,
        )),
    };
    Ok(Found {
        content,
        notes: Vec::new(),
    })
}

/// Opens a manifest of audio or feature files.
fn open_manifest(path: &Path, options: &OpenOptions) -> Result<Found, CorporaError> {
    let filters = RowFilter::parse_all(options.filters)?;
    let manifest = layouts::manifest(path, &filters, options.missing)?;
    let mut notes = manifest.notes;
    let content = if manifest.has_features {
        let utterance = |source: Source| NpyUtterance {
            id: source.id,
            features: source.audio,
            labels: source.labels,
            speaker: source.speaker,
            text: source.text,
        };
        let mut sources = manifest.sources;
        if options.missing == MissingFiles::List {
            sources.retain(|source| match NpyArray::open(&source.audio) {
                Ok(_) => true,
                Err(error) => {
                    notes.push(format!("skipped {}: {error}", excerpt(&source.id)));
                    false
                }
            });
        }
        let utterances = sources.into_iter().map(utterance).collect();
        let corpus = NpyCorpus::open(utterances, None).map_err(CorporaError::other)?;
        Content::Features(imported(Box::new(corpus)))
    } else {
        Content::Audio(manifest.sources)
    };
    Ok(Found { content, notes })
}

/// Features from another tool, which do not tell how they were computed.
fn imported(corpus: Box<dyn Corpus>) -> Opened {
    Opened {
        corpus,
        pack: None,
        hop_ms: None,
        description: serde_json::Value::Null,
    }
}

/// Chooses the track and channel of a CHiME-4 set. The one-channel track has no training sets. Among the six channels, microphone 5
/// faces the speaker.
fn chime4_part(root: &Path, set: &str) -> Chime4 {
    let one_channel = "isolated_1ch_track";
    let prefix = set.split('_').next().unwrap_or_default();
    let has_set =
        std::fs::read_dir(root.join("data/audio/16kHz").join(one_channel)).is_ok_and(|entries| {
            let mut names = entries.flatten().map(|entry| entry.file_name());
            names.any(|name| name.to_string_lossy().starts_with(prefix))
        });
    let (audio, channel) = if has_set {
        (one_channel, None)
    } else {
        ("isolated", Some(5))
    };
    Chime4 {
        set: set.into(),
        audio: audio.into(),
        channel,
    }
}

/// Opens a corpus of audio files; a recipe computes the features. With `keep_going`, also returns the utterances that were
/// left out because their header cannot be read.
pub fn open_audio(
    recipe: Recipe,
    sources: Vec<Source>,
    keep_going: bool,
) -> Result<(Opened, Vec<Skipped>), CorporaError> {
    let (hop_ms, description) = (Some(recipe.hop_ms()), recipe.describe());
    let (corpus, skipped) = if keep_going {
        AudioCorpus::open_readable(recipe, sources)
    } else {
        (AudioCorpus::open(recipe, sources)?, Vec::new())
    };
    let opened = Opened {
        hop_ms,
        description,
        pack: None,
        corpus: Box::new(corpus),
    };
    let skipped = skipped.into_iter();
    let skipped = skipped.map(|(id, reason)| Skipped { id, reason });
    Ok((opened, skipped.collect()))
}

/// Opens the whole corpus of a config, validation utterances included.
fn open_config(path: &Path, config: CorpusConfig) -> Result<Opened, CorporaError> {
    config.check().map_err(|error| CorporaError::Config {
        path: path.into(),
        problem: error.message,
    })?;
    let folder = path.parent().unwrap_or(Path::new(""));
    if let Some(synthetic) = config.synthetic {
        return Ok(Opened {
            description: serde_json::to_value(&synthetic).unwrap_or_default(),
            hop_ms: Some(synthetic.profile.hop_ms()),
            pack: None,
            corpus: Box::new(SyntheticCorpus::new(synthetic).map_err(CorporaError::other)?),
        });
    }
    if let Some(pack) = &config.pack {
        return open_pack(&folder.join(pack));
    }
    let mut parts = Vec::new();
    for pack in config.packs() {
        let path = folder.join(pack);
        parts.push((path.display().to_string(), open_pack(&path)?));
    }
    let hop_ms = parts.first().and_then(|(_, part)| part.hop_ms);
    let parts = parts
        .into_iter()
        .map(|(name, part)| (name, Arc::from(part.corpus)))
        .collect();
    Ok(Opened {
        corpus: Box::new(View::joined(parts)?),
        pack: None,
        hop_ms,
        description: serde_json::Value::Null,
    })
}

fn open_pack(path: &Path) -> Result<Opened, CorporaError> {
    let pack = Pack::open(path).map_err(CorporaError::other)?;
    Ok(Opened {
        hop_ms: pack.setup().front_end["hop-ms"].as_f64(),
        description: pack.setup().front_end.clone(),
        pack: Some(path.into()),
        corpus: Box::new(pack),
    })
}

fn open_kaldi(path: &Path) -> Result<KaldiCorpus, CorporaError> {
    let (feats, folder) = if path.is_dir() {
        (path.join("feats.scp"), path)
    } else {
        (path.into(), path.parent().unwrap_or(Path::new("")))
    };
    let in_folder = |name: &str| Some(folder.join(name)).filter(|file| file.is_file());
    let files = KaldiFiles {
        feats,
        alignments: in_folder("ali.ark").into_iter().collect(),
        utt2spk: in_folder("utt2spk"),
        text: in_folder("text"),
    };
    KaldiCorpus::open(&files).map_err(CorporaError::other)
}

fn read_config(path: &Path) -> Result<CorpusConfig, CorporaError> {
    let text = read_text(path, LARGEST_CONFIG)?;
    let file: ConfigFile = toml::from_str(&text).map_err(|error| CorporaError::Config {
        path: path.into(),
        problem: error.to_string(),
    })?;
    Ok(file.corpus)
}
