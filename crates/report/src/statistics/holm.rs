//! Holm's correction for multiple comparisons: with ten strategies, some p-value is small by chance.

/// Corrects p-values for the number of tests (Holm, 1979). Comparisons without a test are not counted.
pub fn holm(ps: &[Option<f64>]) -> Vec<Option<f64>> {
    let mut ordered: Vec<(usize, f64)> = ps
        .iter()
        .enumerate()
        .filter_map(|(index, p)| Some((index, (*p)?)))
        .collect();
    ordered.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut corrected = vec![None; ps.len()];
    let mut at_least: f64 = 0.0;
    for (rank, &(index, p)) in ordered.iter().enumerate() {
        let times = (ordered.len() - rank) as f64;
        at_least = at_least.max((p * times).min(1.0));
        corrected[index] = Some(at_least);
    }
    corrected
}
