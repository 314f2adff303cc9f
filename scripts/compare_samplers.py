#!/usr/bin/env python3
"""Measures the speed of padwise's Python sampler and of four others on the same lengths, and records it.

Install padwise and these packages into the environment of the Python that runs this script:

    pip install ./crates/python
    python scripts/install_torch.py
    pip install lhotse==1.33.0 transformers==5.22.2 typeguard==4.5.2

The samplers of NeMo and ESPnet are taken from their wheels on PyPI, which are downloaded, checked and kept in a cache. Their
other dependencies are not needed. Every sampler runs in its own process, several times, and the fastest run counts. Run this on
an idle machine; it takes about a quarter of an hour.

usage: compare_samplers.py [--cache FOLDER] [--out FOLDER] [--lengths N...] [--only NAME...]
"""
import argparse
import csv
import hashlib
import importlib.metadata
import itertools
import json
import pathlib
import platform
import resource
import subprocess
import sys
import tempfile
import time
import types
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BATCH = 16
FRAMES_PER_SECOND = 100
STRATEGY = f"semi-sorted:lrf=0.1,batch={BATCH},shuffle-batches"
# At most this many runs, and no further one after this many seconds.
RUNS, SECONDS = 5, 60
# An epoch that takes longer is not finished, and its time is empty in the record.
LIMIT = 900
# Padding is computed in a separate pass over this many lengths.
PADDING_LENGTHS = 100_000
VERSIONS = {"lhotse": "1.33.0", "transformers": "5.22.2", "torch": "2.15.0"}
WHEELS = {
    "nemo_toolkit": ("3.0.0", "f1d8238e35909464cf426e5792af3113a7060de419f194b83bedd81cbe909394"),
    "espnet": ("202611", "878069c6a5538c5da0f6826bc1cfcd338c53caa58c831f3fa8b4d38dd379278e"),
}
COLUMNS = ["sampler", "version", "lengths", "first_batch_seconds", "epoch_seconds", "padding_percent", "memory_mb", "runs"]


def wheel(name, cache):
    """The folder with the unpacked wheel of a package."""
    version, expected = WHEELS[name]
    folder = cache / f"{name}-{version}"
    if not folder.exists():
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
        # ESPnet's wheel is for newer Pythons, but its samplers run on any.
        command += ["--python-version", "3.12", "--dest", str(cache), f"{name}=={version}"]
        subprocess.run(command, check=True)
        [file] = cache.glob(f"{name}-{version}-*.whl")
        found = hashlib.sha256(file.read_bytes()).hexdigest()
        if found != expected:
            sys.exit(f"{file}: its SHA-256 is {found}, not {expected}; delete it and try again")
        with zipfile.ZipFile(file) as archive:
            archive.extractall(folder)
    return folder


def padwise_sampler(lengths, cache):
    import padwise

    return lambda: padwise.BatchSampler(lengths, STRATEGY)


def padwise_list(lengths, cache):
    return padwise_sampler(lengths.tolist(), cache)


def hugging_face(lengths, cache):
    from torch.utils.data import BatchSampler
    from transformers.trainer_pt_utils import LengthGroupedSampler

    lengths = lengths.tolist()
    return lambda: BatchSampler(LengthGroupedSampler(BATCH, lengths=lengths), BATCH, drop_last=False)


def nemo(lengths, cache):
    # The file imports the rest of NeMo only for names that the sampler does not use.
    for name, attributes in {
        "nemo": [], "nemo.collections": [], "nemo.collections.asr": [], "nemo.collections.asr.data": [],
        "nemo.collections.asr.data.audio_to_text": ["AudioToBPEDataset", "AudioToCharDataset"],
        "nemo.collections.asr.models": [], "nemo.collections.asr.models.asr_model": ["ASRModel"],
        "nemo.utils": [],
    }.items():
        module = sys.modules[name] = types.ModuleType(name)
        for attribute in attributes:
            setattr(module, attribute, type(attribute, (), {}))
    sys.modules["nemo.utils"].logging = types.SimpleNamespace(info=lambda text: None, warning=lambda text: None)
    path = wheel("nemo_toolkit", cache) / "nemo/collections/asr/parts/utils/asr_batching.py"
    names = {"__name__": "asr_batching"}
    exec(compile(path.read_text(), str(path), "exec"), names)
    durations = (lengths / FRAMES_PER_SECOND).tolist()
    return lambda: names["SemiSortBatchSampler"](0, 1, durations, BATCH, randomization_factor=0.1)


def lhotse(lengths, cache):
    from lhotse import MonoCut
    from lhotse.dataset import DynamicBucketingSampler

    durations = (lengths / FRAMES_PER_SECOND).tolist()

    class Cuts:
        """Cuts without audio, made one by one: reading a manifest takes longer."""

        def __iter__(self):
            return (MonoCut(id=index, start=0, duration=duration, channel=0) for index, duration in enumerate(durations))

    def batches():
        # A generator, because `iter` on this sampler starts the epoch again.
        yield from DynamicBucketingSampler(Cuts(), max_cuts=BATCH, num_buckets=30, shuffle=True, rank=0, world_size=1)

    return batches


def espnet(lengths, cache):
    sys.path.insert(0, str(wheel("espnet", cache)))
    from espnet2.samplers.sorted_batch_sampler import SortedBatchSampler

    shapes = cache / f"shapes-{len(lengths)}"
    if not shapes.exists():
        shapes.write_text("".join(f"{index} {length}\n" for index, length in enumerate(lengths.tolist())))
    return lambda: SortedBatchSampler(BATCH, str(shapes))


SAMPLERS = {
    "padwise BatchSampler, NumPy array": (padwise_sampler, "padwise"),
    "padwise BatchSampler, list": (padwise_list, "padwise"),
    "NeMo SemiSortBatchSampler": (nemo, "nemo_toolkit"),
    "Hugging Face LengthGroupedSampler": (hugging_face, "transformers"),
    "lhotse DynamicBucketingSampler": (lhotse, "lhotse"),
    "ESPnet SortedBatchSampler": (espnet, "espnet"),
}


def padding(batches, lengths):
    """The share of padding in percent, if every batch is padded to its longest sequence."""
    import numpy as np

    padded = valid = 0
    for batch in batches:
        # lhotse yields cuts, whose ids are indices; ESPnet yields names.
        frames = lengths[np.array([int(getattr(item, "id", item)) for item in batch])]
        padded += len(frames) * int(frames.max())
        valid += int(frames.sum())
    return 100 * (1 - valid / padded)


def exhaust(batches, deadline):
    """Takes all batches. Returns whether they ended before the deadline."""
    while time.perf_counter() < deadline:
        last = None
        for last in itertools.islice(batches, 10_000):
            pass
        if last is None:
            return True
    return False


def measure_one(name, count, cache):
    """Runs one sampler in this process."""
    import padwise

    lengths = padwise.profile_lengths("librispeech", count)
    make, package = SAMPLERS[name]
    construct = make(lengths, cache)
    first = epoch = float("inf")
    runs, started = 0, time.perf_counter()
    while runs < RUNS and (runs == 0 or time.perf_counter() - started < SECONDS):
        start = time.perf_counter()
        batches = iter(construct())
        next(batches)
        first = min(first, time.perf_counter() - start)
        is_whole = exhaust(batches, start + LIMIT)
        epoch = min(epoch, time.perf_counter() - start) if is_whole else epoch
        runs += 1
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    version = WHEELS[package][0] if package in WHEELS else importlib.metadata.version(package)
    fewer = padwise.profile_lengths("librispeech", PADDING_LENGTHS)
    share = round(padding(make(fewer, cache)(), fewer), 2)
    measured = [name, version, count, round(first, 4), round(epoch, 4) if is_whole else "", share, round(memory)]
    return dict(zip(COLUMNS, [*measured, runs]))


def table(rows):
    """The rows as Markdown."""
    lines = ["| sampler | lengths | first batch, s | whole epoch, s | padding % | memory, MB |", "| --- | ---: | ---: | ---: | ---: | ---: |"]
    for row in rows:
        epoch = row["epoch_seconds"]
        cells = [f"{row['sampler']} {row['version']}", f"{row['lengths']:,}", f"{row['first_batch_seconds']:.3f}",
                 f"> {LIMIT}" if epoch == "" else f"{epoch:.2f}", f"{row['padding_percent']:.2f}", f"{row['memory_mb']:,}"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def write(rows, folder):
    """Writes the rows and the machine that measured them."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "samplers.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    (folder / "samplers.md").write_text(table(rows))
    load = pathlib.Path("/proc/loadavg").read_text().split()[:3]
    machine = {"processor": processor(), "python": platform.python_version(), "load_average": load}
    (folder / "environment.json").write_text(json.dumps(machine, indent=2) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir(), "padwise-samplers"))
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "results/python-samplers")
    parser.add_argument("--lengths", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--only", nargs="+", default=list(SAMPLERS), choices=SAMPLERS, metavar="NAME")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    arguments.cache.mkdir(parents=True, exist_ok=True)
    if arguments.one:
        print(json.dumps(measure_one(arguments.one[0], int(arguments.one[1]), arguments.cache)))
        return
    for package, version in VERSIONS.items():
        if (installed := importlib.metadata.version(package)).split("+")[0] != version:
            sys.exit(f"{package} {installed} is installed, not {version}: install the versions that --help lists")
    rows = []
    for count in arguments.lengths:
        for name in arguments.only:
            command = [sys.executable, __file__, "--cache", str(arguments.cache), "--one", name, str(count)]
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
            rows.append(json.loads(done.stdout.splitlines()[-1]))
            print(rows[-1], file=sys.stderr, flush=True)
            # After every row, so an interrupted run leaves what it has measured.
            write(rows, arguments.out)
def processor():
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    names = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    return f"{names[0]}, {len(names)} cores" if names else platform.processor()


if __name__ == "__main__":
    main()
