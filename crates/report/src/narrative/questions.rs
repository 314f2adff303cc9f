//! The questions that an experiment answers, each with its answer.

use super::answer::Answer;
use super::learning;
use super::verdict::{is_as_fast, verdict};
use crate::findings::Findings;
use crate::record::Metric;
use crate::text::{listed, signed};

/// Everything that can be answered from what was recorded.
pub fn answers(findings: &Findings) -> Vec<Answer> {
    if findings
        .recorded
        .epochs
        .iter()
        .all(|row| !row.is_complete())
    {
        return vec![Answer::new(
            "What was found?",
            "Nothing yet: no epoch was trained to its end.",
        )];
    }
    [
        for_nothing(findings),
        against_baseline(findings),
        learning::past_their_best(findings),
        learning::errors(findings),
        choice(findings),
        soonest(findings),
        memory(findings),
        prediction(findings),
        papers(findings),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The answer that most people came for: what is gained without a price.
fn for_nothing(findings: &Findings) -> Option<Answer> {
    let baseline = findings.baseline_name()?;
    // What three seeds cannot tell apart may still be a price. So a mean that is higher must be so by no more than the baseline's own is uncertain, and
    // by an interval that reaches zero without being widened for the number of strategies.
    let uncertain = findings
        .baseline
        .and_then(|row| findings.interval(row, Metric::ValidationLoss).half_width)
        .unwrap_or(0.0);
    let past = findings.any_past_its_best();
    // Where the baseline has overfitted, it must not look worse for it.
    let lowest = |row: usize| findings.rows[row].lowest.map(|lowest| lowest.loss);
    let at_most = findings
        .baseline
        .and_then(lowest)
        .map(|loss| loss + uncertain);
    let no_worse = |row: usize| {
        let at_its_best = at_most.is_none_or(|most| lowest(row).is_none_or(|loss| loss <= most));
        findings.rows[row].loss.is_some_and(|loss| {
            let reaches_zero = loss.tested.is_some_and(|tested| tested.low <= 0.0);
            at_its_best && (loss.estimate <= 0.0 || (reaches_zero && loss.estimate <= uncertain))
        })
    };
    let faster = |row: usize| {
        let speed = findings.rows[row].speed?;
        let real = speed.estimate > 1.0
            && !is_as_fast(speed.estimate)
            && speed.is_significant() != Some(false);
        real.then_some((speed.estimate, row))
    };
    let best = findings
        .others()
        .filter(|&row| no_worse(row))
        .filter_map(faster)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let said = match best {
        Some((_, row)) if findings.has_repeats() => verdict(findings, row) + ".",
        Some((_, row)) => verdict(findings, row) + ". With one seed that may be chance.",
        None if findings.others().any(|row| faster(row).is_some()) => {
            let when = if past {
                ", at its lowest or after the last epoch,"
            } else {
                ""
            };
            format!(
                "None: whatever is faster than {baseline} has a mean loss that{when} is higher by more than {baseline}'s is uncertain, or has not ended."
            )
        }
        None => format!("None: nothing is faster than {baseline} as far as can be told."),
    };
    let caution = match past {
        true => " Losses are those after the last epoch, and some have risen by then: see below.",
        false => "",
    };
    let question = "Which is the fastest at no higher loss?";
    Some(Answer::new(question, said + caution))
}

fn against_baseline(findings: &Findings) -> Option<Answer> {
    let baseline = findings.baseline_name()?;
    let mut rows: Vec<usize> = (0..findings.rows.len()).collect();
    let speed = |row: usize| findings.mean(row, Metric::UtterancesPerSecond);
    rows.sort_by(|&a, &b| {
        speed(b)
            .partial_cmp(&speed(a))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    let mut said = if findings.has_repeats() {
        "Fastest first; p is corrected for the number of strategies, intervals are not.".to_owned()
    } else {
        "Fastest first. There is one seed, so nothing can be tested: differences may be chance."
            .to_owned()
    };
    if findings.recorded.config.train.epochs < 3 {
        said += " So few epochs say little of where a loss ends.";
    }
    let question = format!("What does each gain against {baseline}, and at what loss?");
    let each = rows.iter().map(|&row| verdict(findings, row));
    Some(Answer::new(question, said).with_each(each.collect()))
}

fn choice(findings: &Findings) -> Option<Answer> {
    let mut front: Vec<(f64, usize)> = (0..findings.rows.len())
        .filter(|&row| findings.rows[row].on_front)
        .filter_map(|row| Some((findings.point(row)?.0, row)))
        .collect();
    front.sort_by(|a, b| b.0.total_cmp(&a.0));
    let named: Vec<String> = front
        .iter()
        .filter_map(|&(_, row)| {
            let (speed, loss) = findings.point(row)?;
            Some(format!(
                "{} ({speed:.1} utt/s, loss {loss:.3})",
                findings.name(row)
            ))
        })
        .collect();
    let said = match named.len() {
        0 => return None,
        1 => format!("{}: the fastest, and the lowest in loss.", named[0]),
        _ => {
            let measured = (0..findings.rows.len()).filter(|&row| findings.point(row).is_some());
            let others = match measured.count() > named.len() {
                true => "; every other strategy is beaten by one of these",
                false => "",
            };
            format!(
                "Nothing measured is both faster and lower in loss than {}, from fast to low in loss{others}. That goes by means; the tables have the intervals.",
                listed(&named)
            )
        }
    };
    let caution = match findings.any_past_its_best() {
        true => " After the last epoch, that is.",
        false => "",
    };
    let question = "Which are worth choosing between?";
    Some(Answer::new(question, said + caution))
}

fn soonest(findings: &Findings) -> Option<Answer> {
    let target = findings.summary.target_loss?;
    let best = *findings.ranked(Metric::SecondsToLoss).first()?;
    let mut said = format!(
        "{}, after {:.1} s of training",
        findings.name(best.1),
        best.0
    );
    let baseline = findings.baseline.filter(|&row| row != best.1);
    let seconds = |row: usize| findings.mean(row, Metric::SecondsToLoss);
    if let Some((row, time)) = baseline.and_then(|row| Some((row, seconds(row)?))) {
        said += &format!("; {} takes {time:.1} s", findings.name(row));
        let change = findings.rows[best.1].time_to_loss;
        said += match change.and_then(|change| change.is_significant()) {
            Some(true) => ", and seeds tell them apart",
            Some(false) => ", which seeds do not tell apart",
            None => "",
        };
    }
    Some(Answer::new(
        format!("Which reaches a validation loss of {target:.3} first?"),
        said + ".",
    ))
}

fn memory(findings: &Findings) -> Option<Answer> {
    let rows = findings.ranked(Metric::MemoryGb);
    let (least, most) = (rows.first()?, rows.last()?);
    let named = |&(gb, row): &(f64, usize)| format!("{} ({gb:.2} GB)", findings.name(row));
    let question = "What memory does each take?";
    if format!("{:.2}", least.0) == format!("{:.2}", most.0) {
        return Some(Answer::new(
            question,
            format!("All take {:.2} GB.", least.0),
        ));
    }
    let mut said = format!("The least {}, the most {}", named(least), named(most));
    let is_between = |row| Some(row) == findings.baseline && row != least.1 && row != most.1;
    if let Some(baseline) = rows.iter().find(|&&(_, row)| is_between(row)) {
        said += &format!("; {}", named(baseline));
    }
    Some(Answer::new(question, said + "."))
}

fn prediction(findings: &Findings) -> Option<Answer> {
    let off: Vec<(f64, usize)> = findings
        .others()
        .filter_map(|row| {
            let found = &findings.rows[row];
            Some((found.speed?.estimate / found.predicted_speed? - 1.0, row))
        })
        .collect();
    let (worst, row) = off
        .iter()
        .copied()
        .max_by(|a, b| a.0.abs().total_cmp(&b.0.abs()))?;
    let near = off.iter().filter(|(off, _)| off.abs() <= 0.1).count();
    let found = &findings.rows[row];
    let (measured, predicted) = (found.speed?.estimate, found.predicted_speed?);
    Some(Answer::new(
        "Does speed follow from padding?",
        format!(
            "For {near} of {} strategies the measured ratio is within 10 % of what padded frames alone predict. The furthest off is {}: measured {measured:.2}×, predicted {predicted:.2}× ({} %).",
            off.len(),
            findings.name(row),
            signed(100.0 * worst, 0),
        ),
    ))
}

fn papers(findings: &Findings) -> Option<Answer> {
    let each: Vec<String> = findings
        .others()
        .filter_map(|row| {
            let paper = findings.papers_time_saved(row)?;
            let ours = 100.0 * (1.0 - findings.rows[row].epoch_time?.estimate);
            Some(format!(
                "{}: {ours:.1} % here, {paper:.1} % in the paper",
                findings.name(row)
            ))
        })
        .collect();
    let baseline = findings.baseline_name()?;
    let answer = Answer::new(
        format!("Is as much time saved against {baseline} as in the paper?"),
        "Time of an epoch; the paper's as it reports it, or from its times or speeds.",
    );
    (!each.is_empty()).then(|| answer.with_each(each))
}
