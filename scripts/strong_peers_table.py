#!/usr/bin/env python3
"""Makes table.md and speed-up.csv from the measurements in a CSV of training steps of padwise and its peers.

usage: strong_peers_table.py results/strong-peers/h200.csv
"""
import csv
import pathlib
import sys

SHAPES = [(700, 16), (700, 64), (1400, 16)]
# Name in the table, name in the CSV, and which setups count: the fastest of them is shown.
GROUPS = [
    ("padwise, TF32 precision", "padwise f32", lambda setup: setup == "padwise f32"),
    ("padwise, bf16", "padwise bf16", lambda setup: setup == "padwise bf16"),
    ("cuDNN C API, best setup (fp16)", "cuDNN", lambda setup: setup.startswith("cuDNN direct")),
    ("cuDNN persistent fp16 through PyTorch, six one-direction `nn.LSTM`", "six nn.LSTM", lambda setup: setup.startswith("cuDNN persistent via")),
    ("JAX `lax.scan`, bf16 (unrolled at the first shape only)", "JAX", lambda setup: setup.startswith("JAX")),
    ("`nn.LSTM` in a CUDA graph, best precision", "nn.LSTM graph", lambda setup: setup.startswith("nn.LSTM") and "graph" in setup),
    ("`nn.LSTM` eager, best precision", "nn.LSTM eager", lambda setup: setup.startswith("nn.LSTM") and "graph" not in setup),
]


def main():
    source = pathlib.Path(sys.argv[1])
    times = {}
    for row in csv.DictReader(source.open()):
        measured = [float(row[name]) for name in ("synchronised_ms", "pipelined_ms") if row[name]]
        times.setdefault((int(row["frames"]), int(row["batch"])), {})[row["setup"]] = min(measured)
    heads = [f"T={frames} B={batch}" for frames, batch in SHAPES]
    table = ["| ms per step | " + " | ".join(heads) + " |", "| --- | ---: | ---: | ---: |"]
    ratios = [["setup"] + [f"{frames}x{batch}" for frames, batch in SHAPES]]
    for title, short, counts in GROUPS:
        cells, row = [], [short]
        for shape in SHAPES:
            found = [ms for setup, ms in times[shape].items() if counts(setup)]
            if not found:
                cells.append("–")
                row.append("")
                continue
            fastest = min(found)
            ratio = fastest / times[shape]["padwise f32"]
            cells.append(f"{fastest:.1f}" if short.startswith("padwise") else f"{fastest:.1f} ({ratio:.1f}×)")
            row.append(f"{ratio:.3f}")
        if not any(row[1:]):
            continue
        table.append(f"| {title} | " + " | ".join(cells) + " |")
        ratios.append(row)
    source.with_name("table.md").write_text("\n".join(table) + "\n", encoding="utf-8")
    with source.with_name("speed-up.csv").open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(ratios)


main()
