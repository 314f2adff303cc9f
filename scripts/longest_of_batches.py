#!/usr/bin/env python3
"""How long the longest utterance of every batch is, added up over each epoch: where a recurrence that ends with the longest utterance of its batch can stop,
whatever the batch is padded to.

    padwise export results/RECORD/config.toml --out FOLDER
    scripts/longest_of_batches.py FOLDER > results/RECORD/longest.csv
"""
import csv
import json
import sys
from pathlib import Path


def main():
    rows = csv.writer(sys.stdout, lineterminator="\n")
    rows.writerow(["strategy", "seed", "epoch", "batches", "longest_frames"])
    with open(Path(sys.argv[1]) / "batches.jsonl") as file:
        for line in map(json.loads, file):
            # The last line has the batches for validation.
            if "batches" in line:
                longest = sum(max(frames for _, _, frames in batch) for batch in line["batches"])
                rows.writerow([line["strategy"], line["seed"], line["epoch"] + 1, len(line["batches"]), longest])


if __name__ == "__main__":
    main()
