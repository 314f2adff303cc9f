#!/usr/bin/env python3
"""Puts what peer.py measured beside padwise's own record, strategy by strategy.

    scripts/peer_table.py results/peer/doetsch-table2-librispeech.csv results/doetsch-table2-librispeech

Prints a Markdown table and writes it beside the .csv. Speed and memory are of all epochs that each side has of a strategy: the median, and
the most that tensors took at once. Losses are means over the epochs, of the same seeds, that both have.
"""
import csv
import statistics
import sys
from pathlib import Path

HEADER = ["strategy", "utt/s", "PyTorch's", "times as fast", "GB", "PyTorch's", "loss", "PyTorch's", "epochs of both"]


def rows(path):
    with path.open() as file:
        return list(csv.DictReader(file))


def key(row):
    return row["strategy"], row["seed"], row["epoch"]


def table(theirs, ours):
    own = {key(row): row for row in ours}
    lines = [HEADER, ["---"] * len(HEADER)]
    for strategy in dict.fromkeys(row["strategy"] for row in theirs):
        shared = [row for row in theirs if row["strategy"] == strategy and key(row) in own]
        speed, memory = [], []
        for rows_, bytes_ in (ours, "device_peak_bytes"), (theirs, "peak_bytes"):
            epochs = [row for row in rows_ if row["strategy"] == strategy]
            speed.append(statistics.median(int(row["utterances"]) / float(row["train_seconds"]) for row in epochs))
            memory.append(max(int(row[bytes_] or 0) for row in epochs) / 1e9)
        loss = [statistics.mean(float(row["validation_loss"]) for row in side) for side in ([own[key(row)] for row in shared], shared)]
        lines.append([
            strategy, *(f"{value:.1f}" for value in speed), f"{speed[0] / speed[1]:.1f}",
            *(f"{value:.2f}" for value in memory), *(f"{value:.3f}" for value in loss), str(len(shared)),
        ])
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    peer, record = map(Path, sys.argv[1:])
    text = table(rows(peer), rows(record / "epochs.csv"))
    peer.with_suffix(".md").write_text(text)
    print(text, end="")
