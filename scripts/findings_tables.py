#!/usr/bin/env python3
"""The tables of docs/findings.md and other documents that hold rows of a record, or records, beside each other in ways that `padwise report` does not.

    scripts/findings_tables.py RESULTS OUT    # results results/findings
"""
import csv
import math
import sys
from pathlib import Path
from statistics import mean, median

from least_squares import fit

PAIRS = [("SB", "SB-BR"), ("SSB", "SSB-BR"), ("SSB-DBS", "SSB-DBS-BR")]
STEPS = ["RAND", "SSB-BR", "SSB-DBS-BR"]
# Records with three seeds on real speech, and something to compare with.
ERRORS = ["doetsch-table2-librispeech", "doetsch-table1-librispeech", "ge-table2-librispeech", "twelve-epochs-librispeech", "last-utterances", "last-utterances-whole-batches"]
# What each corpus is called, and its record with random batches and with dynamic sizes, where it has them.
CORPORA = [
    ("LibriSpeech dev-clean", "ge-table2-librispeech", "RAND", "SSB-DBS-BR"),
    ("CHiME-4's lengths", "doetsch-table2-chime4", "random", None),
    ("LJSpeech's lengths", "ge-table2-ljspeech", "RAND", "SSB-DBS-BR"),
]
# Orders that several records have, by the names that they have there: runs of one seed should be one run. The first three are of the time when the norm for clipping had no fixed order.
REPEATED = {
    "random": {"ge-table2-librispeech": "RAND", "doetsch-table1-librispeech": "max", "twelve-epochs-librispeech": "RAND"},
    "sorted": {"ge-table2-librispeech": "SB", "twelve-epochs-librispeech": "SB", "last-utterances": "1 bin: long last"},
    "semi-sorted": {"ge-table2-librispeech": "SSB", "twelve-epochs-librispeech": "SSB"},
    "random, sums in order": {"doetsch-table2-librispeech": "random", "doetsch-table2-librispeech-again": "random"},
    "sorted, sums in order": {"doetsch-table2-librispeech": "sorted", "doetsch-table2-librispeech-again": "sorted"},
}
# Dynamic sizes at other rates than the record of twelve epochs has.
RATES = ["0.002", "0.004"]
# Beyond what sums of losses in another order make.
SAME_LOSS = 1e-6
# Seconds of training after which errors are looked up.
TIMES = [5, 10, 15, 20, 27, 40]


def read(record):
    """The epochs of every run: strategy, then seed."""
    runs = {}
    with open(record / "epochs.csv", newline="") as file:
        for row in csv.DictReader(file):
            runs.setdefault(row["strategy"], {}).setdefault(row["seed"], []).append(row)
    return runs


def shuffled_batches(runs):
    """What it does to the loss that batches come in random order, epoch by epoch."""
    epochs = len(next(iter(runs[PAIRS[0][0]].values())))
    yield "| in order | shuffled | " + " | ".join(f"epoch {epoch + 1}" for epoch in range(epochs)) + " | lowest and highest of the last, by seed |"
    yield "| --- " * (epochs + 3) + "|"
    for ordered, shuffled in PAIRS:
        differences = [
            [float(b["validation_loss"]) - float(a["validation_loss"]) for a, b in zip(runs[ordered][seed], runs[shuffled][seed])]
            for seed in runs[ordered]
        ]
        means = " | ".join(f"{mean(column):+.3f}" for column in zip(*differences))
        last = [by_epoch[-1] for by_epoch in differences]
        yield f"| {ordered} | {shuffled} | {means} | {min(last):+.3f}, {max(last):+.3f} |"


def steps(runs):
    """Loss by the number of steps so far."""
    epochs = len(next(iter(runs[STEPS[0]].values())))
    yield "| strategy | " + " | ".join(f"epoch {epoch + 1}" for epoch in range(epochs)) + " |"
    yield "| --- " * (epochs + 1) + "|"
    for strategy in STEPS:
        cells = []
        for epoch in range(epochs):
            so_far = mean(sum(int(row["batches"]) for row in run[: epoch + 1]) for run in runs[strategy].values())
            loss = mean(float(run[epoch]["validation_loss"]) for run in runs[strategy].values())
            cells.append(f"{loss:.3f} ({so_far:.0f})")
        yield f"| {strategy} | " + " | ".join(cells) + " |"


def by_time(runs):
    """Phone errors of the last epoch that had ended after so many seconds of training, averaged over seeds."""
    yield "| strategy | " + " | ".join(f"{time} s" for time in TIMES) + " | lowest of all epochs | loss: lowest | last |"
    yield "| --- " * (len(TIMES) + 4) + "|"
    for strategy, by_seed in runs.items():
        def means(name):
            return [mean(float(row[name]) for row in rows) for rows in zip(*by_seed.values())]

        seconds, errors, losses = (means(name) for name in ("train_seconds", "sequence_error_percent", "validation_loss"))
        ended = [sum(seconds[: epoch + 1]) for epoch in range(len(seconds))]
        cells = []
        for time in TIMES:
            # What a strategy had at its end it still has later.
            epochs = sum(end <= time for end in ended)
            cells.append(f"{errors[epochs - 1]:.1f} ({epochs})" if epochs else "")

        def lowest(values, digits):
            best = min(range(len(values)), key=values.__getitem__)
            return f"{values[best]:.{digits}f} ({best + 1}, {ended[best]:.1f} s)"

        yield f"| {strategy} | " + " | ".join(cells) + f" | {lowest(errors, 1)} | {lowest(losses, 3)} | {losses[-1]:.3f} |"


def last_utterances(records):
    """Loss by epoch, and how the last differs from that of the record's first row, by seed."""
    epochs = len(next(iter(next(iter(records[0][1].values())).values())))
    yield "| alternated order | " + " | ".join(f"epoch {epoch + 1}" for epoch in range(epochs)) + " | more than with one bin after the last, by seed |"
    yield "| --- " * (epochs + 2) + "|"
    for behind, runs in records:
        first = next(iter(runs.values()))
        for strategy, by_seed in runs.items():
            losses = {seed: [float(row["validation_loss"]) for row in rows] for seed, rows in by_seed.items()}
            more = [losses[seed][-1] - float(first[seed][-1]["validation_loss"]) for seed in losses]
            means = " | ".join(f"{mean(column):.3f}" for column in zip(*losses.values()))
            said = "" if by_seed is first else f"{min(more):+.3f} to {max(more):+.3f}"
            yield f"| {strategy}{behind} | {means} | {said} |"


def errors(results):
    """Phone errors after the last epoch whose difference from the baseline's, as `padwise report` tests it, has an interval on one side of zero."""
    yield "| record | strategy | phone errors % | more than the baseline's | 95 % interval | p, corrected |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for record in ERRORS:
        with open(results / record / "report.csv", newline="") as file:
            for row in csv.DictReader(file):
                low, high = (row[f"errors_against_baseline_{end}"] for end in ("low", "high"))
                if low and float(low) * float(high) > 0:
                    found, more = (float(row[name]) for name in ("sequence_error_percent", "errors_against_baseline"))
                    p = f"{float(row['errors_against_baseline_p']):.3f}".replace("0.000", "< 0.001")
                    yield f"| `{record}` | {row['strategy']} | {found:.1f} | {more:+.1f} | {float(low):+.1f} to {float(high):+.1f} | {p} |"


def lengths(results):
    """How far the longest utterance is from the others, and what that makes of batches with as many frames as sixteen of the longest."""
    yield "| corpus | utterances | mean frames | longest | longest / mean | batches of 16 | of dynamic size | utterances in one of these |"
    yield "| --- " * 8 + "|"
    for corpus, record, fixed, dynamic in CORPORA:
        runs = read(results / record)
        first = next(iter(runs[fixed].values()))[0]
        utterances, batches = int(first["utterances"]), int(first["batches"])
        # The largest batch is of the longest utterance, unless that falls into the remnant at the end; in one epoch of many it does not.
        longest = max(int(row["largest_batch_frames"]) for run in runs[fixed].values() for row in run) / 16
        average = int(first["valid_frames"]) / utterances
        cells = [f"{utterances:,}", f"{average:.0f}", f"{longest:,.0f}", f"{longest / average:.1f}", str(batches)]
        counts = [int(row["batches"]) for run in runs[dynamic].values() for row in run] if dynamic else []
        cells += [f"{mean(counts):.0f}", f"{utterances / mean(counts):.0f}"] if counts else ["", ""]
        yield f"| {corpus} | " + " | ".join(cells) + " |"


def paper_batches(results):
    """Padding, batch lengths and counts beside those that the paper reports, and how far off the furthest is."""
    yield "| strategy | ZPR: points off | ABL: % off | batches: % off |"
    yield "| --- | --- | --- | --- |"
    furthest = {"zpr_percent": 0.0, "abl": 0.0, "batches": 0.0}
    with open(results / "ge-table2-ljspeech" / "report.csv", newline="") as file:
        for row in csv.DictReader(file):
            cells = []
            for name in furthest:
                if row[f"paper_{name}"]:
                    ours, theirs = float(row[name]), float(row[f"paper_{name}"])
                    off = ours - theirs if name == "zpr_percent" else 100 * (ours / theirs - 1)
                    furthest[name] = max(furthest[name], abs(off))
                    cells.append(f"{off:+.2f}")
                else:
                    cells.append("")
            yield f"| {row['strategy']} | " + " | ".join(cells) + " |"
    # Rounded up: a bound.
    yield "| furthest | " + " | ".join(f"{math.ceil(100 * off) / 100:.2f}" for off in furthest.values()) + " |"


def alike(a, b):
    """Whether two runs have the same losses throughout."""
    return all(abs(x - y) < SAME_LOSS for x, y in zip(a, b))


def repeated_runs(results):
    """Runs of one order and seed in several records: how many came out alike, and from which epoch on others part."""
    yield "| order | seed | trained in | came out alike | first apart after epoch | furthest apart |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for order, records in REPEATED.items():
        by_seed = {}
        for record, strategy in records.items():
            for seed, run in read(results / record)[strategy].items():
                by_seed.setdefault(seed, {})[record] = [float(row["validation_loss"]) for row in run]
        for seed, runs in sorted(by_seed.items()):
            if len(runs) < 2:
                continue
            epochs = min(map(len, runs.values()))
            losses = [run[:epochs] for run in runs.values()]
            most = max(sum(alike(one, other) for other in losses) for one in losses)
            apart = [epoch + 1 for epoch in range(epochs) if max(run[epoch] for run in losses) - min(run[epoch] for run in losses) >= SAME_LOSS]
            furthest = max(max(column) - min(column) for column in zip(*losses))
            yield f"| {order} | {seed} | {len(runs)} | {most if most > 1 else 0} | {apart[0] if apart else ''} | {f'{furthest:.3f}' if apart else ''} |"


def bucket_epochs(record):
    """Medians over the epochs of every number of buckets: batches, frames of the longest utterances of batches, padded frames, seconds."""
    with open(record / "longest.csv", newline="") as file:
        # By batches as well, so that those of another corpus are not found.
        longest = {(row["strategy"], row["seed"], row["epoch"], row["batches"]): float(row["longest_frames"]) for row in csv.DictReader(file)}
    found = {}
    for strategy, by_seed in read(record).items():
        rows = [
            [float(row["batches"]), longest[strategy, seed, row["epoch"], row["batches"]], float(row["padded_frames"]), float(row["train_seconds"])]
            for seed, run in by_seed.items()
            for row in run
        ]
        found[strategy] = [median(column) for column in zip(*rows)]
    return found


def buckets(record):
    """How many times as fast as one bucket, and what would follow if time went into padded frames, or into frames up to the longest utterance of a batch."""
    found = bucket_epochs(record)
    _, longest, padded, _ = next(iter(found.values()))
    with open(record / "report.csv", newline="") as file:
        measured = {row["strategy"]: float(row["speed_against_baseline"] or 1) for row in csv.DictReader(file)}
    yield "| buckets | by padded frames | by frames to the longest utterance of each batch | measured |"
    yield "| --- | --- | --- | --- |"
    for strategy, row in found.items():
        yield f"| {strategy} | {padded / row[2]:.2f} | {longest / row[1]:.2f} | {measured[strategy]:.2f} |"


def bucket_cost(record):
    """What each batch, each frame of a batch's longest utterance and each padded frame take, and how far off at most that is: by two of them, and by all."""
    found = list(bucket_epochs(record).values())
    yield "| time goes by | ms a batch | µs a frame of the longest utterance | µs a padded frame | at most off by % |"
    yield "| --- | --- | --- | --- | --- |"
    for name, used in [("batches and padded frames", [0, 2]), ("batches and longest utterances", [0, 1]), ("all three", [0, 1, 2])]:
        rows = [[row[column] for column in used] + [row[-1]] for row in found]
        fitted = fit(rows)
        off = max(abs(sum(a * b for a, b in zip(fitted, row)) / row[-1] - 1) for row in rows)
        weights = dict(zip(used, fitted))
        cells = [f"{scale * weights[column]:.{digits}f}" if column in weights else "" for column, scale, digits in [(0, 1e3, 2), (1, 1e6, 1), (2, 1e6, 3)]]
        yield f"| {name} | " + " | ".join(cells) + f" | {100 * off:.1f} |"


def rates(usual, doubled):
    """Phone errors of dynamic sizes at two learning rates, and by how many fewer the higher one makes, by seed."""
    yield "| epoch | phone errors % at 0.001 | at 0.002 | fewer by, mean | by seed |"
    yield "| --- | --- | --- | --- | --- |"
    for epoch in range(1, len(next(iter(usual.values()))), 2):
        one, other = ([float(runs[seed][epoch]["sequence_error_percent"]) for seed in sorted(usual)] for runs in (usual, doubled))
        fewer = [a - b for a, b in zip(one, other)]
        yield f"| {epoch + 1} | {mean(one):.1f} | {mean(other):.1f} | {mean(fewer):.1f} | " + ", ".join(f"{by:.1f}" for by in fewer) + " |"


def main():
    results, out = Path(sys.argv[1]), Path(sys.argv[2])
    out.mkdir(exist_ok=True)
    combinations = read(results / "ge-table2-librispeech")
    at_rates = {f"SSB-DBS-BR, rate {rate}": read(results / f"dynamic-sizes-rate-{rate}")["SSB-DBS-BR"] for rate in RATES}
    twelve = read(results / "twelve-epochs-librispeech")
    tables = {
        "shuffled-batches": shuffled_batches(combinations),
        "steps": steps(combinations),
        "errors": errors(results),
        "lengths": lengths(results),
        "paper-batches": paper_batches(results),
        "repeated-runs": repeated_runs(results),
        "by-time": by_time(twelve | at_rates),
        "last-utterances": last_utterances([
            ("", read(results / "last-utterances")),
            (", whole batches", read(results / "last-utterances-whole-batches")),
        ]),
        "rates": rates(twelve["SSB-DBS-BR"], at_rates["SSB-DBS-BR, rate 0.002"]),
        "buckets": buckets(results / "khomenko-buckets-h200"),
        "bucket-cost": bucket_cost(results / "khomenko-buckets-h200"),
    }
    for name, table in tables.items():
        (out / f"{name}.md").write_text("\n".join(table) + "\n")


if __name__ == "__main__":
    main()
