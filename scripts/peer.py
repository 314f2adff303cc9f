#!/usr/bin/env python3
"""Trains the same model on the same batches with PyTorch, for comparison with padwise.

    padwise export configs/librispeech.toml --out /tmp/plain
    python3 scripts/peer.py /tmp/plain --out results/peer/librispeech.csv

Writes one row per epoch of each strategy and seed, measured as in padwise's epochs.csv: training time without validation, with a device
synchronisation before and after; validation loss masked and averaged over frames. Runs that OUT already contains are skipped, so an
interrupted script resumes. `padwise report --show "results/NAME peer FILE.csv"` prints both side by side.
"""
import argparse
import csv
import json
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

COLUMNS = "strategy seed epoch utterances padded_frames valid_frames train_seconds validation_loss frame_error_rate peak_bytes device precision".split()


class Part:
    """The utterances of the training or validation set."""

    def __init__(self, folder, name, lengths, dims):
        self.features = np.fromfile(folder / f"{name}.f32", dtype="<f4").reshape(-1, dims)
        self.labels = np.fromfile(folder / f"{name}.i32", dtype="<i4").astype("i8")
        self.starts = np.concatenate([[0], np.cumsum(lengths)])

    def batch(self, items, device):
        """Returns a padded, time-major batch; padding has the label -1."""
        lengths = [frames for _, _, frames in items]
        x = np.zeros((max(lengths), len(items), self.features.shape[1]), "f4")
        y = np.full((max(lengths), len(items)), -1, "i8")
        for column, (utterance, first, frames) in enumerate(items):
            at = self.starts[utterance] + first
            x[:frames, column] = self.features[at : at + frames]
            y[:frames, column] = self.labels[at : at + frames]
        x, y = torch.from_numpy(x), torch.from_numpy(y)
        if device == "cuda":
            x, y = x.pin_memory(), y.pin_memory()
        return x.to(device, non_blocking=True), y.to(device, non_blocking=True), torch.tensor(lengths)


class Model(nn.Module):
    def __init__(self, dims, classes, layers, hidden, dropout):
        super().__init__()
        self.rnn = nn.LSTM(dims, hidden, layers, bidirectional=True, dropout=dropout)
        self.out = nn.Linear(2 * hidden, classes)

    def forward(self, x, lengths):
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, enforce_sorted=False)
        return self.out(nn.utils.rnn.pad_packed_sequence(self.rnn(packed)[0], total_length=len(x))[0])


def optimiser(model, train, device):
    rate = train.get("learning-rate", 1e-3)
    if str(train.get("optimiser", "adam")).lower() == "adadelta":
        return torch.optim.Adadelta(model.parameters(), lr=rate)
    return torch.optim.Adam(model.parameters(), lr=rate, fused=device == "cuda")


def validate(model, part, batches, device):
    loss = wrong = counted = 0
    with torch.no_grad():
        for items in batches:
            x, y, lengths = part.batch(items, device)
            scores, y = model(x, lengths).flatten(0, 1), y.flatten()
            labelled = y >= 0
            loss += nn.functional.cross_entropy(scores, y, ignore_index=-1, reduction="sum").item()
            wrong += (scores.argmax(1) != y)[labelled].sum().item()
            counted += labelled.sum().item()
    return loss / counted, wrong / counted


def run(epochs, about, parts, validation, device, precision):
    """Trains one strategy with one seed; yields a row per epoch."""
    config = about["config"]
    torch.manual_seed(epochs[0]["seed"])
    shape = config["model"]
    model = Model(about["dims"], about["classes"], shape["layers"], shape["hidden"], shape["dropout"]).to(device)
    adam, clip = optimiser(model, config["train"], device), config["train"].get("clip-norm")
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    if device == "cuda":
        torch.cuda.reset_peak_memory_stats()
    for epoch in epochs:
        wait()
        begin = time.perf_counter()
        for items in epoch["batches"]:
            x, y, lengths = parts["training"].batch(items, device)
            with torch.autocast(device, torch.bfloat16, enabled=precision == "bf16"):
                scores = model(x, lengths)
            loss = nn.functional.cross_entropy(scores.float().flatten(0, 1), y.flatten(), ignore_index=-1)
            adam.zero_grad(set_to_none=True)
            loss.backward()
            if clip:
                nn.utils.clip_grad_norm_(model.parameters(), clip)
            adam.step()
        wait()
        seconds = time.perf_counter() - begin
        found = validate(model, parts["validation"], validation, device)
        items = [item for batch in epoch["batches"] for item in batch]
        yield dict(
            strategy=epoch["strategy"], seed=epoch["seed"], epoch=epoch["epoch"] + 1, utterances=len(items),
            padded_frames=sum(len(batch) * max(item[2] for item in batch) for batch in epoch["batches"]),
            valid_frames=sum(item[2] for item in items), train_seconds=round(seconds, 6),
            validation_loss=round(found[0], 6), frame_error_rate=round(found[1], 6),
            peak_bytes=torch.cuda.max_memory_allocated() if device == "cuda" else "",
            device=torch.cuda.get_device_name() if device == "cuda" else "cpu", precision=precision,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--precision", choices=["fp32", "tf32", "bf16"], default="tf32")
    parser.add_argument("--strategy", action="append", help="train only this strategy; can be repeated (default: all)")
    arguments = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = arguments.precision == "tf32"
    about = json.loads((arguments.folder / "experiment.json").read_text())
    parts = {name: Part(arguments.folder, name, about[name], about["dims"]) for name in ("training", "validation")}
    lines = [json.loads(line) for line in (arguments.folder / "batches.jsonl").read_text().splitlines()]
    runs = {}
    for line in lines[:-1]:
        if not arguments.strategy or line["strategy"] in arguments.strategy:
            runs.setdefault((line["strategy"], line["seed"]), []).append(line)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    rows = list(csv.DictReader(arguments.out.open())) if arguments.out.exists() else []
    have = {key: sum((row["strategy"], int(row["seed"])) == key for row in rows) for key in runs}
    rows = [row for row in rows if have.get((row["strategy"], int(row["seed"])), 0) in (0, len(runs.get((row["strategy"], int(row["seed"])), [])))]
    for key, epochs in runs.items():
        if have[key] == len(epochs):
            continue
        for row in run(epochs, about, parts, lines[-1]["validation"], device, arguments.precision):
            rows.append(row)
            print(f"{row['strategy']}, seed {row['seed']}, epoch {row['epoch']}: {row['utterances'] / row['train_seconds']:.1f} utt/s, "
                  f"loss {row['validation_loss']:.4f}", flush=True)
        partial = arguments.out.with_suffix(".partial")
        with partial.open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(rows)
        partial.rename(arguments.out)


if __name__ == "__main__":
    main()
