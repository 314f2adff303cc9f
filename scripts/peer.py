#!/usr/bin/env python3
"""Trains the same model on the same batches with PyTorch, for comparison with padwise.

    padwise export configs/librispeech.toml --out /tmp/plain
    python3 scripts/peer.py /tmp/plain --out results/peer/librispeech.csv

Writes one row per epoch of each strategy and seed, measured as in padwise's epochs.csv: training time without validation, with a device
synchronisation before and after; validation loss masked and averaged over frames, or over utterances for CTC. CTC is decoded greedily,
as in padwise. Runs that OUT already contains are skipped, so an
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
COLUMNS += ["sequence_error_rate", "word_error_rate"]


class Part:
    """The utterances of the training or validation set."""

    def __init__(self, folder, name, lengths, dims):
        self.features = np.fromfile(folder / f"{name}.f32", dtype="<f4").reshape(-1, dims)
        self.labels = np.fromfile(folder / f"{name}.i32", dtype="<i4").astype("i8")
        self.starts = np.concatenate([[0], np.cumsum(lengths)])
        targets = folder / f"{name}.targets.jsonl"
        self.targets = [json.loads(line) for line in targets.open()] if targets.exists() else None

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


def loss_of(scores, y, part, items, lengths, blank):
    """The loss of a batch: cross-entropy per labelled frame, or CTC per utterance. Returns the sum and what it is divided by."""
    if part.targets is None:
        loss = nn.functional.cross_entropy(scores.flatten(0, 1), y.flatten(), ignore_index=-1, reduction="sum")
        return loss, (y >= 0).sum()
    targets = [torch.tensor(part.targets[item[0]]) for item in items]
    sizes = torch.tensor([len(target) for target in targets])
    targets = torch.cat(targets).to(scores.device)
    loss = nn.functional.ctc_loss(scores.log_softmax(2), targets, lengths, sizes, blank=blank, reduction="sum")
    return loss, len(items)


def edits(reference, found):
    """The edit distance of two lists, one row of the table at a time."""
    numbers = {symbol: number for number, symbol in enumerate(dict.fromkeys([*reference, *found]))}
    found = np.array([numbers[symbol] for symbol in found])
    columns = np.arange(len(found) + 1)
    row = columns
    for number, symbol in enumerate(reference, 1):
        best = np.minimum(row[1:] + 1, row[:-1] + (found != numbers[symbol]))
        row = np.minimum.accumulate(np.concatenate([[number], best]) - columns) + columns
    return int(row[-1])


def decode(best, blank):
    """Greedy CTC decoding: repeats are one symbol, then blanks are removed."""
    return [symbol for at, symbol in enumerate(best) if symbol != blank and (at == 0 or best[at - 1] != symbol)]


def optimiser(model, train, device):
    if train.get("schedule", "constant") != "constant":
        raise SystemExit("train.schedule: this comparison needs a constant learning rate; export with --set train.schedule=constant")
    rate = train.get("learning-rate", 1e-3)
    if str(train.get("optimiser", "adam")).lower() == "adadelta":
        return torch.optim.Adadelta(model.parameters(), lr=rate)
    return torch.optim.Adam(model.parameters(), lr=rate, fused=device == "cuda")


def validate(model, part, batches, device, about):
    """Validation loss, frame error rate, and sequence and word error rates of CTC (None where they do not apply)."""
    loss = counted = 0
    frames, sequences, words = [0, 0], [0, 0], [0, 0]
    blank, targets = about["classes"] - 1, about.get("targets") or {}
    model.eval()
    with torch.no_grad():
        for items in batches:
            x, y, lengths = part.batch(items, device)
            scores = model(x, lengths).float()
            total, count = loss_of(scores, y, part, items, lengths, blank)
            loss, counted = loss + float(total), counted + int(count)
            best = scores.argmax(2)
            if part.targets is None:
                frames[0] += int((best != y)[y >= 0].sum())
                frames[1] += int(count)
                continue
            for column, (utterance, _, length) in enumerate(items):
                reference, found = part.targets[utterance], decode(best[:length, column].tolist(), blank)
                sequences[0] += edits(reference, found)
                sequences[1] += len(reference)
                if targets.get("unit") == "chars":
                    reference, found = ("".join(targets["symbols"][n] for n in text).split() for text in (reference, found))
                    words[0] += edits(reference, found)
                    words[1] += len(reference)
    model.train()
    rate = lambda part: round(part[0] / part[1], 6) if part[1] else ""
    return round(loss / counted, 6), rate(frames), rate(sequences), rate(words)


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
            total, count = loss_of(scores.float(), y, parts["training"], items, lengths, about["classes"] - 1)
            loss = total / count
            adam.zero_grad(set_to_none=True)
            loss.backward()
            if clip:
                nn.utils.clip_grad_norm_(model.parameters(), clip)
            adam.step()
        wait()
        seconds = time.perf_counter() - begin
        loss, frame_errors, sequence_errors, word_errors = validate(model, parts["validation"], validation, device, about)
        items = [item for batch in epoch["batches"] for item in batch]
        yield dict(
            strategy=epoch["strategy"], seed=epoch["seed"], epoch=epoch["epoch"] + 1, utterances=len(items),
            padded_frames=sum(len(batch) * max(item[2] for item in batch) for batch in epoch["batches"]),
            valid_frames=sum(item[2] for item in items), train_seconds=round(seconds, 6),
            validation_loss=loss, frame_error_rate=frame_errors, sequence_error_rate=sequence_errors, word_error_rate=word_errors,
            peak_bytes=torch.cuda.max_memory_allocated() if device == "cuda" else "",
            device=torch.cuda.get_device_name() if device == "cuda" else "cpu", precision=precision,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--precision", choices=["fp32", "tf32", "bf16"], default="tf32")
    parser.add_argument("--strategy", action="append", help="train only this strategy; can be repeated (default: all)")
    parser.add_argument("--seed", action="append", type=int, help="train only this seed; can be repeated (default: all)")
    arguments = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = arguments.precision == "tf32"
    about = json.loads((arguments.folder / "experiment.json").read_text())
    parts = {name: Part(arguments.folder, name, about[name], about["dims"]) for name in ("training", "validation")}
    lines = [json.loads(line) for line in (arguments.folder / "batches.jsonl").read_text().splitlines()]
    runs = {}
    for line in lines[:-1]:
        chosen = not arguments.strategy or line["strategy"] in arguments.strategy
        if chosen and (not arguments.seed or line["seed"] in arguments.seed):
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
                  f"loss {row['validation_loss']:.4f}, errors {row['sequence_error_rate'] or row['frame_error_rate']}", flush=True)
        partial = arguments.out.with_suffix(".partial")
        with partial.open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(rows)
        partial.rename(arguments.out)


if __name__ == "__main__":
    main()
