//! The strategies that one could reasonably choose: nothing is both faster and lower in loss.

/// For each point (speed, loss), whether no other is at least as fast and at least as low and better in one of the two. A
/// strategy without a point is on no front.
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

        /// Small whole numbers, so that ties are common.
        #[test]
        fn whoever_is_not_on_the_front_is_beaten_by_one_who_is(
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
