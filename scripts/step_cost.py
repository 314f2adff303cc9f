#!/usr/bin/env python3
"""Takes the time of epochs apart: so much for every batch, so much for every padded frame.

    scripts/step_cost.py RECORD… > results/step-speed/step-cost.md

Least squares over the strategies of each record, the median epoch of each. Chunks are left out: their batches have another size.
"""
import csv
import sys
from pathlib import Path
from statistics import median


def epochs(record):
    """Batches, padded frames and seconds of every strategy's median epoch."""
    found = {}
    with open(record / "epochs.csv", newline="") as file:
        for row in csv.DictReader(file):
            if row["utterances"] == row["items"]:
                numbers = [float(row[name]) for name in ("batches", "padded_frames", "train_seconds")]
                found.setdefault(row["strategy"], []).append(numbers)
    return {name: [median(column) for column in zip(*rows)] for name, rows in found.items()}


def fit(rows):
    """Seconds a batch and seconds a frame, by the normal equations."""
    bb = sum(b * b for b, _, _ in rows)
    bf = sum(b * f for b, f, _ in rows)
    ff = sum(f * f for _, f, _ in rows)
    bs = sum(b * s for b, _, s in rows)
    fs = sum(f * s for _, f, s in rows)
    det = bb * ff - bf * bf
    return (bs * ff - fs * bf) / det, (fs * bb - bs * bf) / det


def main():
    print("| record | ms a batch | frames a second beyond that | furthest off |")
    print("| --- | --- | --- | --- |")
    for record in map(Path, sys.argv[1:]):
        rows = epochs(record)
        batch, frame = fit(list(rows.values()))
        off = {name: batch * b + frame * f - s for name, (b, f, s) in rows.items()}
        name = max(off, key=lambda name: abs(off[name] / rows[name][2]))
        percent = 100 * off[name] / rows[name][2]
        print(f"| `{record.name}` | {1e3 * batch:.2f} | {1 / frame:,.0f} | {name}: {percent:+.1f} % |")


if __name__ == "__main__":
    main()
