//! Utterance ids, which plans for other programs contain.

use std::borrow::Cow;

use xxhash_rust::xxh3::xxh3_64;

/// The ids of utterances, in the order of their lengths. All are different.
#[derive(Clone, Debug)]
pub enum Ids {
    /// An utterance's position among the lengths, from 0.
    Positions,
    /// The number of each utterance's row in its file, from 0.
    Rows(Vec<u32>),
    /// The ids in the file.
    Text(IdText),
}

/// Many ids in one text, which needs less memory than a string each.
#[derive(Clone, Debug, Default)]
pub struct IdText {
    text: String,
    /// Where each id ends in the text.
    ends: Vec<usize>,
}

impl Ids {
    /// The id of an utterance; empty if the number is out of range.
    pub fn get(&self, utterance: usize) -> Cow<'_, str> {
        match self {
            Ids::Positions => utterance.to_string().into(),
            Ids::Rows(rows) => rows
                .get(utterance)
                .map_or(Cow::Borrowed(""), |row| row.to_string().into()),
            Ids::Text(text) => text.get(utterance).into(),
        }
    }
}

impl IdText {
    fn get(&self, utterance: usize) -> &str {
        let end = self.ends.get(utterance).copied().unwrap_or(0);
        let start = match utterance.checked_sub(1) {
            Some(before) => self.ends.get(before).copied().unwrap_or(end),
            None => 0,
        };
        self.text.get(start..end).unwrap_or_default()
    }

    /// Adds an id. An empty id, and one with control characters such as line breaks, is an error.
    pub(super) fn push(&mut self, id: &str) -> Result<(), String> {
        if id.is_empty() {
            return Err("the id is empty".into());
        }
        if let Some(c) = id.chars().find(|c| c.is_control()) {
            let code = c as u32;
            return Err(format!(
                "the id contains the control character U+{code:04X}"
            ));
        }
        self.text += id;
        self.ends.push(self.text.len());
        Ok(())
    }

    /// An id that occurs twice, if there is one.
    pub(super) fn duplicate(&self) -> Option<&str> {
        // Sorting hashes is much faster than sorting the ids, which lie far apart in memory.
        let hashed = |utterance: usize| (xxh3_64(self.get(utterance).as_bytes()), utterance as u32);
        let mut hashes: Vec<(u64, u32)> = (0..self.ends.len()).map(hashed).collect();
        hashes.sort_unstable();
        hashes
            .chunk_by(|a, b| a.0 == b.0)
            .filter(|same| same.len() > 1)
            .find_map(|same| {
                let ids = same
                    .iter()
                    .map(|&(_, utterance)| self.get(utterance as usize));
                let mut ids: Vec<&str> = ids.collect();
                ids.sort_unstable();
                ids.windows(2)
                    .find(|pair| pair[0] == pair[1])
                    .map(|pair| pair[0])
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(list: &[&str]) -> IdText {
        let mut ids = IdText::default();
        list.iter().for_each(|id| ids.push(id).expect("an id"));
        ids
    }

    #[test]
    fn every_id_is_found_again() {
        let list = ["a", "bc", "é", "a b,\"c\""];
        let found = Ids::Text(ids(&list));
        for (utterance, id) in list.iter().enumerate() {
            assert_eq!(found.get(utterance), *id);
        }
        assert_eq!(found.get(4), "");
        assert_eq!(Ids::Rows(vec![3, 7]).get(1), "7");
        assert_eq!(Ids::Rows(vec![3, 7]).get(2), "");
        assert_eq!(Ids::Positions.get(12), "12");
    }

    #[test]
    fn an_id_that_occurs_twice_is_found() {
        assert_eq!(ids(&["a", "b", "ab", "ba"]).duplicate(), None);
        assert_eq!(ids(&["a", "b", "ab", "b"]).duplicate(), Some("b"));
        assert_eq!(ids(&[]).duplicate(), None);
    }

    #[test]
    fn ids_are_neither_empty_nor_on_several_lines() {
        let mut ids = IdText::default();
        for wrong in ["", "a\nb", "\u{1b}[2J", "\u{85}"] {
            assert!(ids.push(wrong).is_err(), "{wrong:?}");
        }
        assert_eq!(Ids::Text(ids).get(0), "");
    }
}
