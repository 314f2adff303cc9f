//! The colour and mark of each strategy, the same in every plot of a report. A family of strategies shares a hue; within the family
//! strategies differ in shade and in the shape of their marks, so that no plot depends on colour alone. Numbers of workers have
//! colours and marks too.
//!
//! Styles are assigned over all experiments of a report, so a strategy has one colour on the whole page.

use padwise_experiment_config::Row;
use padwise_sampler::{Batching, Items, Order, Strategy};
use plotters::style::RGBColor;

use super::charts::Shape;
use super::palette::{BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILLION};

/// The colours of a strategy in light and dark mode, and the shape of its marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StrategyStyle {
    /// Its colour in light mode.
    pub light: RGBColor,
    /// Its colour in dark mode.
    pub dark: RGBColor,
    /// The shape of its marks.
    pub shape: Shape,
}

/// The styles of all strategies of a report.
#[derive(Clone, Debug, Default)]
pub struct StrategyStyles {
    known: Vec<(Key, StrategyStyle)>,
    workers: Vec<(u32, StrategyStyle)>,
}

/// What determines a style: a strategy and its number of workers.
type Key = (Strategy, Option<u32>);

/// The hues of numbers of workers. Yellow is too pale for lines, and grey is the hue of random batches.
const WORKER_HUES: [RGBColor; 6] = [BLUE, ORANGE, GREEN, VERMILLION, PURPLE, SKY];

impl StrategyStyles {
    /// Assigns styles to these rows; shades follow the order of first appearance in the family.
    pub fn of<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Self {
        let mut distinct: Vec<Key> = Vec::new();
        for key in rows.into_iter().map(key) {
            if !distinct.contains(&key) {
                distinct.push(key);
            }
        }
        let known = distinct.iter().map(|key| {
            let own = hue(&key.0);
            let family: Vec<&Key> = distinct
                .iter()
                .filter(|(other, _)| hue(other) == own)
                .collect();
            let at = family.iter().position(|other| *other == key);
            (key.clone(), style(own, at.unwrap_or(0), family.len()))
        });
        let known = known.collect();
        let mut counts: Vec<u32> = distinct
            .iter()
            .filter_map(|(_, workers)| *workers)
            .collect();
        counts.sort_unstable();
        counts.dedup();
        let rounds = counts.len().div_ceil(WORKER_HUES.len());
        let workers = counts.iter().enumerate().map(|(at, &workers)| {
            let (round, hue) = (at / WORKER_HUES.len(), at % WORKER_HUES.len());
            let shape = Shape::nth(at);
            let style = style(WORKER_HUES[hue], round, rounds);
            (workers, StrategyStyle { shape, ..style })
        });
        StrategyStyles {
            known,
            workers: workers.collect(),
        }
    }

    /// The style of a row; grey if it was not among those given to [`StrategyStyles::of`].
    pub fn get(&self, row: &Row) -> StrategyStyle {
        let key = key(row);
        let known = self.known.iter().find(|(other, _)| *other == key);
        known.map_or_else(|| style(GREY, 0, 1), |(_, style)| *style)
    }

    /// The style of a number of workers; grey if no row has it.
    pub fn of_workers(&self, workers: u32) -> StrategyStyle {
        let known = self.workers.iter().find(|(other, _)| *other == workers);
        known.map_or_else(|| style(GREY, 0, 1), |(_, style)| *style)
    }

    /// All styles in use.
    pub fn all(&self) -> impl Iterator<Item = StrategyStyle> {
        let rows = self.known.iter().map(|(_, style)| *style);
        rows.chain(self.workers.iter().map(|(_, style)| *style))
    }
}

fn key(row: &Row) -> Key {
    (of_any_size(&row.strategy), row.workers)
}

/// The strategy with a fixed batch size ignored: it looks the same in small and large batches.
fn of_any_size(strategy: &Strategy) -> Strategy {
    let mut strategy = strategy.clone();
    if let Batching::Fixed { size } = &mut strategy.batching {
        *size = 1;
    }
    strategy
}

/// The hue of a strategy's family.
fn hue(strategy: &Strategy) -> RGBColor {
    if strategy.items != Items::Sequences {
        return SKY;
    }
    match strategy.order {
        Order::Random => GREY,
        Order::Sorted => VERMILLION,
        Order::Alternated { .. } => BLUE,
        Order::SemiSorted { .. } => GREEN,
        Order::Bucketed(_) => ORANGE,
        Order::Smart => PURPLE,
        _ => GREY,
    }
}

/// The style of strategy `at` in a family of `of`. Shades go from the hue to a lighter one, because dark shades of all hues
/// look alike. Dark mode uses lighter colours. A family with more strategies than shapes starts with darker shades, so that two
/// strategies with one shape differ clearly; not too dark, so that whiskers stay visible on bars.
fn style(hue: RGBColor, at: usize, of: usize) -> StrategyStyle {
    let along = at as f64 / (of.max(2) - 1) as f64;
    let darkest = if of > Shape::ALL.len() { -0.45 } else { 0.0 };
    let shade = darkest + (0.48 - darkest) * along;
    // Dark shades are lightened in dark mode.
    let on_black = 0.12 + if shade < 0.0 { 0.6 * shade } else { shade };
    StrategyStyle {
        light: shaded(hue, shade),
        dark: shaded(hue, on_black),
        shape: Shape::nth(at),
    }
}

/// The colour mixed with white, or with black if the shade is negative.
fn shaded(RGBColor(r, g, b): RGBColor, shade: f64) -> RGBColor {
    let end = if shade < 0.0 { 0.0 } else { 255.0 };
    let mix = |from: u8| {
        let mixed = f64::from(from) * (1.0 - shade.abs()) + end * shade.abs();
        mixed.round() as u8
    };
    RGBColor(mix(r), mix(g), mix(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strategies(lines: &[&str]) -> Vec<Row> {
        let row = |line: &&str| Row {
            name: (*line).into(),
            strategy: line.parse().expect("valid"),
            paper: Default::default(),
            workers: None,
            learning_rate: None,
        };
        lines.iter().map(row).collect()
    }

    #[test]
    fn numbers_of_workers_have_different_styles() {
        let row = |workers: u32| Row {
            workers: Some(workers),
            ..strategies(&["random"]).remove(0)
        };
        let rows: Vec<Row> = (1..=8).map(row).collect();
        let styles = StrategyStyles::of(&rows);
        for one in 1..=8 {
            for other in 1..one {
                let of_row = |workers: u32| styles.get(&row(workers)).light;
                assert_ne!(of_row(one), of_row(other), "{one} and {other}");
                let of_workers = |workers: u32| styles.of_workers(workers).light;
                assert_ne!(of_workers(one), of_workers(other), "{one} and {other}");
            }
        }
    }

    #[test]
    fn styles_are_distinct_and_stable() {
        let lines = [
            "random",
            "sorted",
            "sorted,shuffle-batches",
            "alternated:bins=8",
            "alternated:bins=64",
            "alternated:bins=256",
            "semi-sorted:lrf=0.1",
            "bucketed:width=250",
            "smart",
            "random,chunk=100",
        ];
        let strategies = strategies(&lines);
        let styles = StrategyStyles::of(&strategies);
        for (i, one) in strategies.iter().enumerate() {
            for other in &strategies[..i] {
                let (one, other) = (styles.get(one), styles.get(other));
                assert_ne!(one.light, other.light);
                assert_ne!(one.dark, other.dark);
            }
        }
        // A second experiment that shares strategies changes no style.
        let twice: Vec<Row> = strategies
            .iter()
            .chain(&strategies[2..5])
            .cloned()
            .collect();
        let again = StrategyStyles::of(&twice);
        for strategy in &strategies {
            assert_eq!(again.get(strategy), styles.get(strategy));
        }
    }

    #[test]
    fn marks_within_a_family_have_different_shapes() {
        let strategies = strategies(&["alternated:bins=8", "alternated:bins=64"]);
        let styles = StrategyStyles::of(&strategies);
        assert_ne!(
            styles.get(&strategies[0]).shape,
            styles.get(&strategies[1]).shape
        );
    }

    #[test]
    fn marks_of_one_shape_differ_clearly_in_shade() {
        let lines: Vec<String> = (1..=2 * Shape::ALL.len())
            .map(|buckets| format!("bucketed:optimal={buckets}"))
            .collect();
        let strategies = strategies(&lines.iter().map(String::as_str).collect::<Vec<_>>());
        let styles = StrategyStyles::of(&strategies);
        let brightness = |RGBColor(r, g, b): RGBColor| u32::from(r) + u32::from(g) + u32::from(b);
        for (one, other) in strategies.iter().zip(&strategies[Shape::ALL.len()..]) {
            let (one, other) = (styles.get(one), styles.get(other));
            assert_eq!(one.shape, other.shape);
            for (one, other) in [(one.light, other.light), (one.dark, other.dark)] {
                assert!(
                    brightness(other) > brightness(one) + 120,
                    "{one:?} and {other:?}"
                );
            }
        }
    }
}
