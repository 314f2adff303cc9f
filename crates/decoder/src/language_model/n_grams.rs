//! All n-grams of a model while it is read, as a trie: an n-gram is a word after another n-gram.

/// An n-gram of at least two words, or a unigram.
#[derive(Clone, Copy, Debug)]
pub(super) struct NGram {
    /// The index of the n-gram without its last word, one level below.
    pub history: u32,
    /// The last word.
    pub word: u32,
    /// Natural logarithm of the probability. NaN in a history that the file does not list, −∞ in a missing unigram.
    pub score: f32,
    /// The back-off weight.
    pub backoff: f32,
    /// The line, for messages.
    pub line: u32,
}

impl NGram {
    fn key(&self) -> u64 {
        u64::from(self.history) << 32 | u64::from(self.word)
    }
}

/// The n-grams of one order, sorted by history and word.
#[derive(Clone, Debug, Default)]
pub(super) struct Level {
    pub n_grams: Vec<NGram>,
    /// Where the n-grams of each history begin, and the end.
    starts: Vec<u32>,
}

impl Level {
    fn new(n_grams: Vec<NGram>, histories: usize) -> Level {
        let mut level = Level {
            n_grams,
            starts: Vec::new(),
        };
        level.find_starts(histories);
        level
    }

    fn find_starts(&mut self, histories: usize) {
        self.starts.clear();
        self.starts.reserve_exact(histories + 1);
        for (index, n_gram) in (0..).zip(&self.n_grams) {
            // The histories up to this one begin here, if they have not begun.
            let started = n_gram.history as usize + 1;
            if self.starts.len() < started {
                self.starts.resize(started, index);
            }
        }
        self.starts.resize(histories + 1, self.n_grams.len() as u32);
    }

    /// The n-grams after a history.
    pub fn after(&self, history: usize) -> &[NGram] {
        &self.n_grams[self.starts[history] as usize..self.starts[history + 1] as usize]
    }

    fn find(&self, history: u32, word: u32) -> Option<u32> {
        let found = self
            .after(history as usize)
            .binary_search_by_key(&word, |n_gram| n_gram.word);
        let first = self.starts[history as usize];
        found.ok().map(|index| first + index as u32)
    }
}

/// The n-grams of all orders.
#[derive(Clone, Debug)]
pub(super) struct NGrams {
    /// The first has one entry per word, in the order of their numbers.
    pub levels: Vec<Level>,
}

/// An n-gram that occurs twice: its two lines.
pub(super) struct Duplicate {
    pub first: u32,
    pub second: u32,
}

/// An n-gram whose history is not in the file.
pub(super) struct Orphan {
    /// The history and the last word.
    pub words: Vec<u32>,
    pub score: f32,
    pub backoff: f32,
    pub line: u32,
}

impl NGrams {
    /// Starts with the unigrams, one for each word in the order of the words' numbers.
    pub fn new(unigrams: Vec<NGram>) -> NGrams {
        let levels = vec![Level::new(unigrams, 1)];
        NGrams { levels }
    }

    /// The index of an n-gram on its level.
    pub fn find(&self, words: &[u32]) -> Option<u32> {
        let (&first, further) = words.split_first()?;
        further
            .iter()
            .zip(&self.levels[1..])
            .try_fold(first, |history, (&word, level)| level.find(history, word))
    }

    /// Adds the n-grams of the next order, in any order. Histories of orphans are created with a weight of 0.
    pub fn add(&mut self, mut n_grams: Vec<NGram>, orphans: Vec<Orphan>) -> Result<(), Duplicate> {
        if !orphans.is_empty() {
            let moved = self.create_histories(&orphans);
            for n_gram in &mut n_grams {
                n_gram.history = moved[n_gram.history as usize];
            }
            n_grams.extend(orphans.into_iter().filter_map(|orphan| {
                let (&word, history) = orphan.words.split_last()?;
                Some(NGram {
                    history: self.find(history)?,
                    word,
                    score: orphan.score,
                    backoff: orphan.backoff,
                    line: orphan.line,
                })
            }));
        }
        n_grams.sort_unstable_by_key(NGram::key);
        let same = n_grams.windows(2).find(|two| two[0].key() == two[1].key());
        if let Some(two) = same {
            let (a, b) = (two[0].line, two[1].line);
            return Err(Duplicate {
                first: a.min(b),
                second: a.max(b),
            });
        }
        let histories = self.levels.last().map_or(0, |level| level.n_grams.len());
        self.levels.push(Level::new(n_grams, histories));
        Ok(())
    }

    /// Creates the missing histories of orphans. Returns the new index of each n-gram on the highest level.
    fn create_histories(&mut self, orphans: &[Orphan]) -> Vec<u32> {
        let mut moved: Vec<u32> = (0..self.levels[0].n_grams.len() as u32).collect();
        for index in 1..self.levels.len() {
            let histories = self.levels[index - 1].n_grams.len();
            let level = &mut self.levels[index];
            for n_gram in &mut level.n_grams {
                n_gram.history = moved[n_gram.history as usize];
            }
            level.find_starts(histories);
            let missing = orphans.iter().filter_map(|orphan| {
                let words = &orphan.words[..=index];
                let (&word, history) = words.split_last()?;
                let is_missing = self.find(words).is_none();
                Some(NGram {
                    // An earlier turn of the loop has created it.
                    history: self.find(history).filter(|_| is_missing)?,
                    word,
                    score: f32::NAN,
                    backoff: 0.0,
                    line: orphan.line,
                })
            });
            let mut missing: Vec<NGram> = missing.collect();
            missing.sort_unstable_by_key(NGram::key);
            missing.dedup_by_key(|n_gram| n_gram.key());
            let present = std::mem::take(&mut self.levels[index].n_grams);
            let merged;
            (merged, moved) = merge(&present, &missing);
            self.levels[index] = Level::new(merged, histories);
        }
        moved
    }
}

/// Merges two sorted lists. Also returns where each n-gram of the first one is now.
fn merge(present: &[NGram], missing: &[NGram]) -> (Vec<NGram>, Vec<u32>) {
    let mut merged = Vec::with_capacity(present.len() + missing.len());
    let mut moved = Vec::with_capacity(present.len());
    let mut missing = missing.iter().peekable();
    for n_gram in present {
        while let Some(created) = missing.next_if(|created| created.key() < n_gram.key()) {
            merged.push(*created);
        }
        moved.push(merged.len() as u32);
        merged.push(*n_gram);
    }
    merged.extend(missing);
    (merged, moved)
}
