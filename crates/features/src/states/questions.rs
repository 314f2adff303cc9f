//! Yes-no questions about a neighbour: sets of similar phones, found by clustering.

use std::collections::BTreeSet;

use super::inventory::Phones;
use super::sums::Sums;

/// The questions: every cluster of phones, every phone, and silence. Each is a sorted list of phones.
///
/// Phones are clustered bottom-up. Each step merges the two clusters that lose the least likelihood, the first pair if
/// several lose the same. `sums` are the sums of each phone; a phone without frames is in no cluster.
pub(super) fn questions(phones: &Phones, sums: &[Sums], floors: &[f64]) -> Vec<Vec<u16>> {
    let mut questions: BTreeSet<Vec<u16>> =
        (0..phones.len() as u16).map(|phone| vec![phone]).collect();
    let silence = (0..phones.len()).filter(|&phone| phones.is_silence(phone));
    questions.insert(silence.map(|phone| phone as u16).collect());
    let seen = (0u16..).zip(sums).filter(|(_, sums)| sums.frames() > 0);
    let mut clusters: Vec<Cluster> = seen
        .map(|(phone, sums)| Cluster::new(vec![phone], sums.clone(), floors))
        .collect();
    let mut losses: Vec<Vec<f64>> = (0..clusters.len())
        .map(|second| {
            (0..second)
                .map(|first| clusters[first].loss(&clusters[second], floors))
                .collect()
        })
        .collect();
    while clusters.len() > 1 {
        let (first, second) = smallest(&losses);
        let merged = clusters[first].merged(&clusters[second], floors);
        questions.insert(merged.phones.clone());
        clusters.remove(second);
        losses.remove(second);
        for row in &mut losses[second..] {
            row.remove(second);
        }
        clusters[first] = merged;
        for other in (0..clusters.len()).filter(|&other| other != first) {
            let loss = clusters[first].loss(&clusters[other], floors);
            losses[first.max(other)][first.min(other)] = loss;
        }
    }
    // A question about nobody or about all phones divides nothing.
    questions.retain(|set| !set.is_empty() && set.len() < phones.len());
    questions.into_iter().collect()
}

/// The first pair with the smallest loss. A loss that is not a number comes last.
fn smallest(losses: &[Vec<f64>]) -> (usize, usize) {
    let pairs = losses.iter().enumerate();
    let pairs = pairs.flat_map(|(second, row)| {
        let row = row.iter().enumerate();
        row.map(move |(first, &loss)| (loss, first, second))
    });
    let smallest = pairs.min_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    smallest.map_or((0, 1), |(_, first, second)| (first, second))
}

struct Cluster {
    phones: Vec<u16>,
    sums: Sums,
    log_likelihood: f64,
}

impl Cluster {
    fn new(phones: Vec<u16>, sums: Sums, floors: &[f64]) -> Self {
        Cluster {
            log_likelihood: sums.log_likelihood(floors),
            phones,
            sums,
        }
    }

    fn merged(&self, other: &Cluster, floors: &[f64]) -> Cluster {
        let mut phones = [&self.phones[..], &other.phones].concat();
        phones.sort_unstable();
        let mut sums = self.sums.clone();
        sums.add(&other.sums);
        Cluster::new(phones, sums, floors)
    }

    /// The likelihood that is lost if one Gaussian models both.
    fn loss(&self, other: &Cluster, floors: &[f64]) -> f64 {
        let mut sums = self.sums.clone();
        sums.add(&other.sums);
        self.log_likelihood + other.log_likelihood - sums.log_likelihood(floors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_phones_share_a_question() {
        let names = ["SIL", "A", "B", "C", "D", "spn", "unseen"].map(String::from);
        let phones = Phones::new(names.to_vec()).expect("phones");
        let sums: Vec<Sums> = [0.0f32, 10.0, 30.0, 11.0, 32.0, 1.5, f32::NAN]
            .iter()
            .map(|&mean| {
                let mut sums = Sums::new(1);
                if mean.is_finite() {
                    sums.add_frames(&[mean - 1.0, mean + 1.0]);
                }
                sums
            })
            .collect();
        let expected: [&[u16]; 12] = [
            &[0],
            &[0, 1, 3, 5],
            &[0, 1, 2, 3, 4, 5],
            &[0, 5],
            &[1],
            &[1, 3],
            &[2],
            &[2, 4],
            &[3],
            &[4],
            &[5],
            &[6],
        ];
        let mut expected: Vec<Vec<u16>> = expected.iter().map(|set| set.to_vec()).collect();
        expected.sort();
        assert_eq!(questions(&phones, &sums, &[0.01]), expected);
    }
}
