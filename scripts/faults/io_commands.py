"""The commands that write files, for io_error_test.py."""
import shutil
import signal
import subprocess
import time

from . import workloads
from .workloads import Workload


def all_commands(padwise, folder):
    """A workload for every command that writes files."""
    short = folder / "short.toml"
    short.write_text(workloads.experiment(workloads.SYNTHETIC, epochs=2, seeds=[1], strategies=2))
    corpus = workloads.make_corpus(folder / "corpus", 4)
    training = workloads.training("run", short)
    finished = folder / "finished"
    finished.mkdir()
    workloads.must_succeed(padwise, training.command(finished))
    return [
        training,
        Workload("resume", training.command, interrupted(padwise, training, folder / "interrupted"), resumes=True),
        workloads.preparation("prepare", corpus),
        Workload("report", lambda out: ["report", out / "results", "--out", out / "report"], finished),
        workloads.export("export", short),
        Workload("figure", lambda out: ["figure", "ge-1", "--out", out / "figures"]),
        Workload("corpus", lambda out: ["corpus", corpus / "manifest.csv", "--plot", out / "lengths"]),
        Workload("man", lambda out: ["man", "--out", out / "man"]),
    ]


def interrupted(padwise, training, out):
    """A folder with a run that was interrupted after its first epoch."""
    for _ in range(20):
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        process = subprocess.Popen([padwise, *map(str, training.command(out))], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        epochs = out / "results" / "epochs.csv"
        while process.poll() is None and not (epochs.exists() and epochs.stat().st_size > 0):
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        if process.wait() == 3:
            return out
    raise SystemExit("cannot interrupt a run: it always finishes first")
