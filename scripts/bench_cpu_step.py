"""Times training steps of the same model in PyTorch on the CPU, beside which this project's own are recorded.

    pip install torch==2.15.0 numpy==2.4.6
    python bench_cpu_step.py --frames 300 --utterances 16 --hidden 256 --classes 183 --inputs 40 --threads 2

A step is all that one batch costs: forward through three bidirectional LSTM layers and the output layer, cross entropy
over the frames that are speech, backward, and Adam. By default every utterance fills the batch; with `--shortest` the
lengths go down evenly to that many frames and the batch is packed, as PyTorch advises for padded batches.
Prints one line of JSON: the settings, the median, and every time in seconds.
"""

import argparse
import json
import statistics
import time

import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

NO_LABEL = -1


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, usual, help_text in [
        ("frames", 300, "frames of the longest utterance (T)"),
        ("utterances", 16, "utterances in the batch (B)"),
        ("hidden", 256, "cells in each direction (H)"),
        ("classes", 183, "classes of a frame"),
        ("inputs", 40, "features of a frame"),
        ("layers", 3, "bidirectional layers"),
        ("threads", 1, "threads PyTorch may use"),
        ("warm-up", 2, "steps that are not timed"),
        ("steps", 7, "steps that are timed"),
    ]:
        parser.add_argument(f"--{name}", type=int, default=usual, help=f"{help_text}; {usual} unless said")
    parser.add_argument("--shortest", type=int, help="frames of the shortest utterance; like the longest unless said")
    return parser.parse_args()


def spread_lengths(longest, shortest, count):
    """From the longest down to the shortest in even steps."""
    if count == 1:
        return torch.tensor([longest])
    return torch.linspace(longest, shortest, count).round().long()


def main():
    wanted = arguments()
    torch.set_num_threads(wanted.threads)
    torch.manual_seed(0)
    shortest = wanted.shortest or wanted.frames
    lengths = spread_lengths(wanted.frames, shortest, wanted.utterances)
    padding = torch.arange(wanted.frames)[:, None] >= lengths[None, :]
    frames = torch.randn(wanted.frames, wanted.utterances, wanted.inputs)
    targets = torch.randint(wanted.classes, padding.shape).masked_fill(padding, NO_LABEL).flatten()

    rnn = nn.LSTM(wanted.inputs, wanted.hidden, wanted.layers, bidirectional=True)
    out = nn.Linear(2 * wanted.hidden, wanted.classes)
    optimiser = torch.optim.Adam([*rnn.parameters(), *out.parameters()], lr=1e-3)

    def step():
        optimiser.zero_grad(set_to_none=True)
        if shortest < wanted.frames:
            packed = pack_padded_sequence(frames, lengths, enforce_sorted=False)
            output = pad_packed_sequence(rnn(packed)[0], total_length=wanted.frames)[0]
        else:
            output = rnn(frames)[0]
        loss = cross_entropy(out(output).flatten(0, 1), targets, ignore_index=NO_LABEL)
        loss.backward()
        optimiser.step()
        return loss.item()

    for _ in range(wanted.warm_up):
        step()
    times = []
    for _ in range(wanted.steps):
        began = time.perf_counter()
        step()
        times.append(time.perf_counter() - began)
    settings = vars(wanted) | {"shortest": shortest, "speech_frames": int(lengths.sum())}
    print(
        json.dumps(
            settings
            | {"torch": torch.__version__, "median_s": statistics.median(times), "times_s": times},
        )
    )


if __name__ == "__main__":
    main()
