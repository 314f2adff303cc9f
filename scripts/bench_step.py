#!/usr/bin/env python3
"""Compares the time of a training step with PyTorch, interleaved, and writes a record.

    scripts/bench_step.py --padwise target/release/padwise --out results/step-speed/cpu \
        --case frames=300,batch=16,hidden=128 --ours backend=cpu

Every --case is timed for every --ours (options of `padwise bench step`, comma-separated) and every --torch mode (fp32, tf32, bf16 on
a GPU; fp32 on the CPU), for --rounds alternating rounds. OUT.jsonl gets one line per measurement. `padwise report --show "OUT.jsonl
steps"` prints a table of medians; "OUT.jsonl parts" prints the time of each part of our steps. Needs PyTorch.
"""
import argparse
import json
import subprocess
import time
from pathlib import Path

MODEL = dict(layers=3, inputs=16, classes=1500)


def options(text):
    return dict(part.split("=", 1) for part in text.split(","))


def ours(padwise, case, choice, steps):
    arguments = [padwise, "bench", "step", "--json", "--steps", str(steps)]
    for name, value in {**case, **choice, **MODEL}.items():
        arguments += [f"--{name.replace('_', '-')}", str(value)]
    found = json.loads(subprocess.run(arguments, check=True, capture_output=True, text=True).stdout)
    return dict(
        who="padwise",
        backend=found["description"]["backend"],
        recurrence=found["description"]["recurrence"],
        precision=found["description"]["precision"],
        device=found["description"]["device"],
        **case,
        steps_s=found["steps_s"],
        pipelined_s=found["pipelined_s"],
        first_step_s=found["first_step_s"],
        launches=found["launches"],
        peak_bytes=found["memory_peak"],
        parts_s=dict(found["parts_s"]),
    )


def torch_step(case, mode, steps, warm_up=3):
    import torch
    from torch import nn

    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = mode == "tf32"
    frames, batch, hidden = (int(case[name]) for name in ("frames", "batch", "hidden"))
    rnn = nn.LSTM(MODEL["inputs"], hidden, MODEL["layers"], bidirectional=True).to(device)
    out = nn.Linear(2 * hidden, MODEL["classes"]).to(device)
    adam = torch.optim.Adam([*rnn.parameters(), *out.parameters()], lr=1e-3, fused=True)
    x = torch.randn(frames, batch, MODEL["inputs"], device=device)
    y = torch.randint(0, MODEL["classes"], (frames * batch,), device=device)
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    seconds = []
    for step in range(warm_up + steps):
        wait()
        begin = time.perf_counter()
        with torch.autocast(device, torch.bfloat16, enabled=mode == "bf16"):
            scores = out(rnn(x)[0])
            loss = nn.functional.cross_entropy(scores.float().view(-1, MODEL["classes"]), y)
        adam.zero_grad(set_to_none=True)
        loss.backward()
        adam.step()
        wait()
        if step >= warm_up:
            seconds.append(time.perf_counter() - begin)
    peak = torch.cuda.max_memory_allocated() if device == "cuda" else None
    if device == "cuda":
        torch.cuda.reset_peak_memory_stats()
    name = torch.cuda.get_device_name() if device == "cuda" else f"{torch.get_num_threads()} threads"
    return dict(
        who=f"PyTorch {torch.__version__}", backend=device, recurrence="nn.LSTM", precision=mode, device=name,
        **case, steps_s=seconds, peak_bytes=peak,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--padwise", default="target/release/padwise")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--case", action="append", type=options, default=[])
    parser.add_argument("--ours", action="append", type=options, default=[])
    parser.add_argument("--torch", default="fp32", help="comma-separated modes")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=10)
    arguments = parser.parse_args()
    record = arguments.out.with_suffix(".jsonl")
    lines = []
    for case in arguments.case:
        for _ in range(arguments.rounds):
            for choice in arguments.ours:
                lines.append(ours(arguments.padwise, case, choice, arguments.steps))
            for mode in arguments.torch.split(","):
                lines.append(torch_step(case, mode, arguments.steps))
    record.parent.mkdir(parents=True, exist_ok=True)
    record.write_text("".join(json.dumps(line) + "\n" for line in lines))
    subprocess.run([arguments.padwise, "report", "--show", f"{record} steps"], check=True)


if __name__ == "__main__":
    main()
