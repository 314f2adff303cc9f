#!/usr/bin/env python3
"""Writes the results of `cargo bench` to results/benches/benches.{csv,md}.

usage: cargo bench --workspace && scripts/record_benches.py [TARGET_DIR]

TARGET_DIR is cargo's target folder (default: target). Times are criterion's medians. Throughput is in bytes or elements per second,
for benches that declare it.
"""
import csv
import json
import os
import pathlib
import platform
import sys

COLUMNS = ("group", "bench", "median_ms", "low_ms", "high_ms", "throughput")


def processor():
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "unknown processor"


def throughput(bench, seconds):
    """Criterion writes {"Bytes": n}, {"Elements": n} or null."""
    kind = bench.get("throughput")
    if not kind:
        return ""
    (unit, amount), = kind.items()
    if unit.startswith("Bytes"):
        return f"{amount / seconds / 2**30:.2f} GiB/s"
    return f"{amount / seconds:,.0f} /s"


def rows(folder):
    for path in sorted(folder.glob("**/new/estimates.json")):
        estimate = json.loads(path.read_text())["median"]
        bench = json.loads(path.with_name("benchmark.json").read_text())
        seconds = estimate["point_estimate"] / 1e9
        interval = estimate["confidence_interval"]
        yield {
            "group": bench["group_id"],
            "bench": bench["function_id"] or bench["value_str"] or "",
            "median_ms": f"{seconds * 1e3:.4g}",
            "low_ms": f"{interval['lower_bound'] / 1e6:.4g}",
            "high_ms": f"{interval['upper_bound'] / 1e6:.4g}",
            "throughput": throughput(bench, seconds),
        }


def main():
    target = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "target")
    measured = list(rows(target / "criterion"))
    if not measured:
        sys.exit(f"no results in {target / 'criterion'}: run cargo bench --workspace first")
    out = pathlib.Path(__file__).resolve().parent.parent / "results/benches"
    out.mkdir(parents=True, exist_ok=True)
    with open(out / "benches.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(measured)
    lines = [f"Measured on {os.cpu_count()} cores of {processor()}.", ""]
    lines += ["| group | bench | median ms | throughput |", "| --- | --- | ---: | ---: |"]
    lines += [f"| {r['group']} | {r['bench']} | {r['median_ms']} | {r['throughput']} |" for r in measured]
    (out / "benches.md").write_text("\n".join(lines) + "\n")
    print(f"{len(measured)} benches recorded")


main()
