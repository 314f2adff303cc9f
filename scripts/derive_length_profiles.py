#!/usr/bin/env python3
"""Derives the sampler's built-in length profiles from the lengths of real corpora.

usage: scripts/derive_length_profiles.py LENGTHS_DIR

LENGTHS_DIR contains ljspeech.csv (id, frames, seconds, split), chime4.csv (set, seconds, kind) and librispeech.csv
(id, frames, split). A profile is the quantile function of the lengths in frames at 513 evenly spaced probabilities
from 0 to 1 (linear interpolation between order statistics, rounded). It contains no content of the corpus.
Writes crates/sampler/src/profile/{ljspeech,chime4,librispeech}.rs.
"""
import csv
import math
import pathlib
import sys

INTERVALS = 512


def rows(path):
    with open(path, newline="") as file:
        yield from csv.DictReader(file)


def ljspeech(folder):
    """The training split of the code released by Ge et al. (2021), with a hop of 12.5 ms."""
    return [int(r["frames"]) for r in rows(folder / "ljspeech.csv") if r["split"] == "train"]


def chime4(folder):
    """The training sets: frames of 25 ms with a hop of 10 ms, only those inside the recording."""
    seconds = [float(r["seconds"]) for r in rows(folder / "chime4.csv") if r["set"] in ("tr05_real", "tr05_simu")]
    return [max(1, math.floor((s - 0.025) / 0.010) + 1) for s in seconds]


def librispeech(folder):
    """dev-clean and test-clean, with a hop of 10 ms."""
    return [int(r["frames"]) for r in rows(folder / "librispeech.csv")]


def quantiles(lengths):
    ordered = sorted(lengths)
    table = []
    for k in range(INTERVALS + 1):
        position = k * (len(ordered) - 1) / INTERVALS
        low = math.floor(position)
        high = min(low + 1, len(ordered) - 1)
        value = ordered[low] + (position - low) * (ordered[high] - ordered[low])
        table.append(math.floor(value + 0.5))
    return table


def write(target, name, lengths, derivation):
    table = quantiles(lengths)
    lines = [f"//! {line}" for line in (*derivation, "Written by scripts/derive_length_profiles.py.")]
    lines += ["", "/// The number of sequences in the corpus.", f"pub(super) const SEQUENCES: usize = {len(lengths):_};"]
    lines += ["", "/// Frames at evenly spaced probabilities from 0 to 1.", "#[rustfmt::skip]"]
    lines += [f"pub(super) const QUANTILES: [u32; {len(table)}] = ["]
    lines += ["    " + ", ".join(map(str, table[i:i + 19])) + "," for i in range(0, len(table), 19)]
    lines += ["];", ""]
    (target / f"{name}.rs").write_text("\n".join(lines))
    print(f"{name}: {len(lengths)} utterances, {table[0]} to {table[-1]} frames, mean {sum(lengths) / len(lengths):.1f}")


def main():
    folder = pathlib.Path(sys.argv[1])
    target = pathlib.Path(__file__).resolve().parent.parent / "crates/sampler/src/profile"
    write(target, "ljspeech", ljspeech(folder), (
        "LJSpeech 1.1 (public domain), the 10,480 training utterances of Ge et al. (2021), in frames of 12.5 ms.",))
    write(target, "chime4", chime4(folder), (
        "CHiME-4, training sets tr05_real (exact) and tr05_simu (mostly estimated from the transcripts' lengths),",
        "in frames of 10 ms. Tables mark it as estimated.",))
    write(target, "librispeech", librispeech(folder), (
        "LibriSpeech (CC BY 4.0), dev-clean and test-clean, in frames of 10 ms. The training sets differ:",
        "most of their utterances are 12 to 16 seconds long.",))


main()
