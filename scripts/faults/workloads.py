"""Commands to disturb, how to continue each after a failure, and what its results are.

Every workload writes below one folder, `out`, so its leftovers can be listed and its disk can be replaced.
"""
import csv
import dataclasses
import os
import pathlib
import shutil
import signal
import subprocess
import sys
from typing import Callable

SCRIPTS = pathlib.Path(__file__).resolve().parent.parent

SYNTHETIC = """
[corpus]
validation = { fresh = 2 }

[corpus.synthetic]
utterances = 8
profile = "ljspeech"
classes = 123
speakers = 3
"""

PACK = """
[corpus]
pack = "corpus.pack"
validation = { share = 0.2 }
"""

EXPERIMENT = """
title = "Faults"
{corpus}
[model]
layers = 1
hidden = 8

[train]
epochs = {epochs}
seeds = {seeds}
backend = "cpu"
{parallel}
[measure]
validation-batch = 2
warm-up-steps = 1
{strategies}"""

# Workers that are MPI processes. A stopped one fails at the deadline.
PARALLEL = """
[train.parallel]
workers = {workers}
{averaging}
deadline-seconds = 10.0
"""
AVERAGING = {"epoch": 'optimiser-state = "keep"', "step": 'average = "step"'}

STRATEGIES = ["random,chunk=30,frames=300", "sorted,chunk=30,frames=300", "bucketed:count=4,chunk=30,frames=300"]

# These files contain times, so two runs never agree on them.
TIMED = {"log.txt", "summary.csv", "summary.json", "table.md"}
TIMED_COLUMNS = ("_seconds", "_bytes")


@dataclasses.dataclass
class Workload:
    """A command that writes below a folder."""

    name: str
    # Arguments to start the command, or to continue after a failure; none if the results are complete. It gets the folder `out`.
    command: Callable[[pathlib.Path], list | None]
    # A folder whose files are in `out` before the first start.
    filled_from: pathlib.Path | None = None
    # Whether it can be interrupted and resumed, and has worker processes.
    resumes: bool = False
    # Number of MPI processes; 0 without MPI.
    ranks: int = 0


def training(name, config, ranks=0):
    """`padwise run`, continued with --resume as soon as the folder contains a run."""

    def command(out):
        begun = (out / "results" / "config.toml").exists()
        return ["run", config, "--out", out / "results", *(["--resume"] if begun else [])]

    return Workload(name, command, resumes=True, ranks=ranks)


def preparation(name, corpus):
    """`padwise prepare`, continued by the same command."""

    def command(out):
        if (out / "corpus.pack").exists():
            return None
        labels = ["--labels", corpus / "phones.ctm", "--label-times", "true"]
        return ["prepare", corpus / "manifest.csv", *labels, "--out", out / "corpus.pack"]

    return Workload(name, command)


def export(name, config):
    """`padwise export`, which needs a new folder for each attempt."""

    def command(out):
        shutil.rmtree(out / "exported", ignore_errors=True)
        return ["export", config, "--out", out / "exported"]

    return Workload(name, command)


def parallel_training(average, workers, folder):
    """`padwise run` with several MPI processes that average parameters after an epoch, or gradients at a step."""
    parallel = PARALLEL.format(workers=workers, averaging=AVERAGING[average])
    config = folder / f"{average}.toml"
    config.write_text(experiment(SYNTHETIC, seeds=[1], strategies=2, parallel=parallel))
    return training(f"run with {workers} workers, averaged every {average}", config, workers)


def experiment(corpus, epochs=3, seeds=(1, 2), strategies=3, parallel=""):
    """The text of a config that trains in about a second."""
    rows = "".join(f'\n[[strategy]]\nname = "s{n}"\nline = "{line}"\n' for n, line in enumerate(STRATEGIES[:strategies]))
    return EXPERIMENT.format(corpus=corpus, epochs=epochs, seeds=list(seeds), strategies=rows, parallel=parallel)


def make_corpus(folder, utterances):
    """Writes audio and labels that `padwise prepare` reads."""
    script = SCRIPTS / "make_example_corpus.py"
    subprocess.run([sys.executable, script, folder, str(utterances)], check=True, stdout=subprocess.DEVNULL)
    return folder


def repeat_corpus(corpus, folder, times):
    """Lists every utterance of a corpus several times under other ids, so that preparing it takes longer."""
    folder.mkdir()
    header, *lines = (corpus / "manifest.csv").read_text().splitlines()
    fields = [line.split(",", 2) for line in lines]
    copies = [f"{name}-{n},{corpus / path},{rest}" for n in range(times) for name, path, rest in fields]
    (folder / "manifest.csv").write_text("\n".join([header, *copies]) + "\n")
    labels = [line.split(" ", 1) for line in (corpus / "phones.ctm").read_text().splitlines()]
    labels = [f"{name}-{n} {rest}" for n in range(times) for name, rest in labels]
    (folder / "phones.ctm").write_text("\n".join(labels) + "\n")
    return folder


def run(padwise, arguments, **options):
    """Runs padwise to its end with captured output."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "timeout": 120} | options
    return subprocess.run([padwise, *map(str, arguments)], text=True, errors="replace", stdin=subprocess.DEVNULL, **options)


def must_succeed(padwise, arguments):
    """Runs padwise to prepare a test; exits if that fails."""
    done = run(padwise, arguments)
    if done.returncode != 0:
        sys.exit(f"padwise {' '.join(map(str, arguments))} failed with {ending(done.returncode)} before any fault:\n{done.stderr}")


def ending(code):
    """How a process ended, in words."""
    if code >= 0:
        return f"exit code {code}"
    return f"signal {signal.Signals(-code).name if -code in set(signal.Signals) else -code}"


def contents(out):
    """Everything below a folder that must not depend on faults: file names, and contents without times."""
    found = {}
    for path in sorted(out.rglob("*")):
        name = str(path.relative_to(out))
        if path.is_dir():
            found[name] = "folder"
        elif path.name == "epochs.csv":
            found[name] = rows(path)
        elif path.name == "workers.csv":
            found[name] = rows(path, replaced=True)
        elif path.name in TIMED:
            found[name] = "file with times"
        else:
            found[name] = path.read_bytes()
    return found


def rows(path, replaced=False):
    """The recorded epochs by strategy, seed and epoch, without times, memory and failed attempts.

    With `replaced`, a later line replaces an earlier one of the same epoch.
    """
    with path.open(newline="") as file:
        lines = [line for line in csv.DictReader(file) if line.get("status") != "failed"]
    kept = {}
    for line in lines:
        key = f"{line['strategy']}, seed {line['seed']}, epoch {line['epoch']}"
        if key in kept and not replaced:
            return f"two rows for {key}"
        kept[key] = {column: value for column, value in line.items() if not str(column).endswith(TIMED_COLUMNS)}
    return kept


def differences(expected, found):
    """Differences of two results of `contents`, one message each."""
    messages = [f"missing: {name}" for name in expected if name not in found]
    messages += [f"left over: {name}" for name in found if name not in expected]
    for name in expected:
        old, new = expected[name], found.get(name, expected[name])
        if old == new:
            continue
        if isinstance(old, dict) and isinstance(new, dict):
            keys = [key for key in {**old, **new} if old.get(key) != new.get(key)]
            messages.append(f"{name}: {keys[0]}: {new.get(keys[0])}, expected {old.get(keys[0])} ({len(keys)} rows differ)")
        else:
            messages.append(f"{name}: {new if isinstance(new, str) else 'its bytes differ'}")
    return messages


def panics(out, stderr):
    """Lines of standard error and of the logs that report a panic."""
    texts = [stderr, *(path.read_text(errors="replace") for path in out.rglob("log.txt"))]
    return [line for text in texts for line in text.splitlines() if "panicked at" in line or "RUST_BACKTRACE" in line]


def find_padwise():
    """The newest build of padwise in this checkout."""
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", SCRIPTS.parent / "target"))
    builds = [path for path in (target / "release/padwise", target / "debug/padwise") if path.exists()]
    if not builds:
        sys.exit(f"no padwise in {target}: run `cargo build --release -p padwise`, or pass --padwise PATH")
    return max(builds, key=lambda path: path.stat().st_mtime)
