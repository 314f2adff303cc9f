//! Removes active nodes that are far below the best, or too many.

use super::{Search, SearchSettings};

/// Number of score intervals when there are too many active nodes.
const BINS: usize = 256;

/// How much wider than the last frame's limit the beam is for paths that enter nodes.
const SLACK: f32 = 1.1;

impl Search<'_> {
    /// Keeps the active nodes within the beam, and about [`super::SearchSettings::max_active`] at most.
    pub(super) fn prune(&mut self) {
        let SearchSettings {
            beam, max_active, ..
        } = self.decoder.settings;
        let mut threshold = self.best - beam;
        self.entry_beam = beam;
        if self.space.active.len() > max_active {
            threshold = threshold.max(self.histogram_threshold(max_active));
            // What enters below this would be removed at once. The next frame may differ a little.
            self.entry_beam = beam.min(SLACK * (self.best - threshold));
        }
        self.space.active.retain(threshold);
    }

    /// The score that at most `most` active nodes reach, up to the width of a bin. The best bin is always kept.
    fn histogram_threshold(&self, most: usize) -> f32 {
        let (best, width) = (self.best, self.decoder.settings.beam / BINS as f32);
        let mut counts = [0_usize; BINS];
        for active in &self.space.active.list {
            let bin = (best - active.best()) / width;
            if let Some(count) = counts.get_mut(bin as usize) {
                *count += 1;
            }
        }
        let mut kept = 0;
        let full = counts.iter().position(|count| {
            kept += count;
            kept > most
        });
        match full {
            None => f32::NEG_INFINITY,
            Some(bin) => best - width * bin.max(1) as f32,
        }
    }
}
