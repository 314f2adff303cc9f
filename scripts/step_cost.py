#!/usr/bin/env python3
"""Takes the time of epochs apart: so much for every batch, so much for every padded frame.

    scripts/step_cost.py RECORD… > results/step-speed/step-cost.md

Least squares over the strategies of each record whose batches have one size, the median epoch of each; what that gives for batches of dynamic size
stands beside it. Chunks are left out.
"""
import csv
import sys
from pathlib import Path
from statistics import median

from least_squares import fit


def epochs(record):
    """Batches, padded frames and seconds of every strategy's median epoch."""
    found = {}
    with open(record / "epochs.csv", newline="") as file:
        for row in csv.DictReader(file):
            if row["utterances"] == row["items"]:
                numbers = [float(row[name]) for name in ("batches", "padded_frames", "train_seconds")]
                found.setdefault(row["strategy"], []).append(numbers)
    return {name: [median(column) for column in zip(*rows)] for name, rows in found.items()}


def dynamic(record):
    """The names of the strategies whose batches have no one size."""
    with open(record / "report.csv", newline="") as file:
        return {row["strategy"] for row in csv.DictReader(file) if "dynamic" in row["resolved"]}


def main():
    print("| record | ms a batch | frames a second beyond that | furthest off of batches of one size | of dynamic sizes |")
    print("| --- | --- | --- | --- | --- |")
    for record in map(Path, sys.argv[1:]):
        rows, without_size = epochs(record), dynamic(record)
        batch, frame = fit([row for name, row in rows.items() if name not in without_size])
        off = {name: 100 * ((batch * b + frame * f) / s - 1) for name, (b, f, s) in rows.items()}
        said = {name: f"{name}: {percent:+.1f} %" for name, percent in off.items()}
        worst = max(off.keys() - without_size, key=lambda name: abs(off[name]))
        others = ", ".join(said[name] for name in rows if name in without_size)
        print(f"| `{record.name}` | {1e3 * batch:.2f} | {1 / frame:,.0f} | {said[worst]} | {others} |")


if __name__ == "__main__":
    main()
