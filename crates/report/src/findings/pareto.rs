//! The Pareto front of speed and loss: strategies that no other strategy beats on both.

/// Whether each point (speed, loss) is on the Pareto front. A point is off the front if another is at least as fast, has at most
/// the same loss, and is strictly better in one of the two. A strategy without a point is off the front.
pub fn front(points: &[Option<(f64, f64)>]) -> Vec<bool> {
    let beaten = |(speed, loss): (f64, f64)| {
        let mut others = points.iter().flatten();
        others.any(|&(other_speed, other_loss)| {
            other_speed >= speed && other_loss <= loss && (other_speed > speed || other_loss < loss)
        })
    };
    points
        .iter()
        .map(|point| point.is_some_and(|point| !beaten(point)))
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

        /// Small whole numbers make ties common.
        #[test]
        fn points_off_the_front_are_beaten_by_one_on_it(
            points in prop::collection::vec(prop::option::of((0u8..6, 0u8..6)), 0..12),
        ) {
            let points: Vec<Option<(f64, f64)>> = points
                .into_iter()
                .map(|point| point.map(|(speed, loss)| (speed.into(), loss.into())))
                .collect();
            let on_front = front(&points);
            for (point, on) in points.iter().zip(&on_front) {
                let Some((speed, loss)) = point else {
                    prop_assert!(!on);
                    continue;
                };
                let beaten = points.iter().zip(&on_front).any(|(other, on)| {
                    *on && other.is_some_and(|(s, l)| s >= *speed && l <= *loss && (s, l) != (*speed, *loss))
                });
                prop_assert_eq!(*on, !beaten);
            }
        }
    }
}
