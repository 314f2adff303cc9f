#!/usr/bin/env python3
"""Kills padwise at random moments and checks that continuing gives the same results, bit for bit.

Each trial starts `padwise run` or `padwise prepare`, sends a random signal to the main process, to its worker or to both, and
continues with --resume or the same command. With --workers, runs have several MPI processes, and signals go to some of them,
to mpirun or to the main process. Most trials repeat this several times. The last attempt is left alone. Its
results must equal those of an undisturbed run; only times, memory and the log may differ. A panic, a process left behind, a
leftover file, an undocumented exit code or an attempt of over a minute is a failure.
"""
import argparse
import collections
import os
import pathlib
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time

from faults import signals, trials, workloads
from faults.terminal import Terminal

EXAMPLES = """examples:
  scripts/crash_test.py 1000                  about 15 minutes on two cores
  scripts/crash_test.py 20 --jobs 1
  scripts/crash_test.py 20 --workers 3        about a minute; needs a build with --features mpi
  scripts/crash_test.py 1000 --seed 7 --only 123    repeat the draws of one trial; its timing varies

Exit codes: 0 all trials passed, 1 a trial failed. A failed trial keeps its folder.
"""
# An attempt takes about a second; on a busy machine with a debug build, ten.
TIMEOUT = 60
MOST_ROUNDS = 6


def main():
    options = arguments()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    folder = pathlib.Path(tempfile.mkdtemp(prefix="padwise-crash-"))
    references = make_references(options, folder)
    keys = options.only if options.only else range(options.trials)
    workers = f" --workers {options.workers}" if options.workers else ""
    start = time.monotonic()
    results, failures = trials.run_all(
        keys,
        lambda key, place: trial(options, references, key, place),
        folder / "trials",
        options.jobs,
        lambda key: f"{sys.argv[0]} {options.trials}{workers} --padwise {options.padwise} --seed {options.seed} --only {key}",
    )
    print_counts(results)
    print(f"{len(results)} passed, {failures} failed ({time.monotonic() - start:.0f} s, seed {options.seed})")
    if failures:
        sys.exit(1)
    shutil.rmtree(folder)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trials", type=int, help="number of trials")
    parser.add_argument("--padwise", type=pathlib.Path, help="program to test [default: the newest build in target/]")
    parser.add_argument("--seed", type=int, default=1, help="seed of all draws [default: 1]")
    parser.add_argument("--only", type=int, action="append", metavar="K", help="run only this trial (repeatable)")
    parser.add_argument("--workers", type=int, default=0, metavar="N", help="runs with this many MPI processes [default: without MPI]")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="trials at a time [default: one per core]")
    options = parser.parse_args()
    options.padwise = (options.padwise or workloads.find_padwise()).resolve()
    return options


def make_references(options, folder):
    """Runs every workload undisturbed. Returns (workload, contents, seconds) for each."""
    padwise = options.padwise
    work = parallel_work(options.workers, folder) if options.workers else usual_work(padwise, folder)
    references = []
    for number, workload in enumerate(work):
        out = folder / "references" / str(number)
        out.mkdir(parents=True)
        start = time.monotonic()
        workloads.must_succeed(padwise, workload.command(out))
        references.append((workload, workloads.contents(out), time.monotonic() - start))
    return references


def usual_work(padwise, folder):
    """The workloads without MPI."""
    corpus = workloads.make_corpus(folder / "corpus", 24)
    many = workloads.repeat_corpus(corpus, folder / "many", 20)
    workloads.must_succeed(padwise, workloads.preparation("", corpus).command(folder))
    synthetic = workloads.training("run", write(folder / "synthetic.toml", workloads.experiment(workloads.SYNTHETIC)))
    pack = workloads.training("run on a pack", write(folder / "pack.toml", workloads.experiment(workloads.PACK)))
    return [synthetic, pack, workloads.preparation("prepare", many)]


def parallel_work(workers, folder):
    """The workloads with MPI."""
    return [workloads.parallel_training(average, workers, folder) for average in workloads.AVERAGING]


def write(path, text):
    path.write_text(text)
    return path


def trial(options, references, key, folder):
    """Disturbs one workload up to six times, then continues it to the end. Returns the signals sent."""
    draws = random.Random(f"{options.seed}/{key}")
    weights = [3 if workload.resumes else 1 for workload, _, _ in references]
    workload, expected, usual = draws.choices(references, weights=weights)[0]
    out = folder / "out"
    out.mkdir()
    sent = []
    for _ in range(draws.choice([1, 1, 2, 3, MOST_ROUNDS])):
        if disturb(options.padwise, draws, workload, out, usual, sent) or not workload.command(out):
            break
    if command := workload.command(out):
        code = wait(attempt(options.padwise, command, folder))
        if code != 0:
            raise trials.Failed(f"{story(workload, sent)}; the last attempt ended with {workloads.ending(code)}: {said(folder)}")
    problems = workloads.differences(expected, workloads.contents(out)) + workloads.panics(out, said(folder))
    if problems:
        raise trials.Failed(f"{story(workload, sent)}; {'; '.join(problems)}")
    return [(workload.name, kind, who) for kind, who in sent]


def disturb(padwise, draws, workload, out, usual, sent):
    """Starts or continues a workload and sends it a signal. Returns whether it ended with success."""
    kind = signals.STALL if workload.ranks and draws.random() < 0.03 else signals.draw_kind(draws)
    wanted = draws.choice(["main", "worker", "both"]) if workload.resumes else "main"
    terminal = Terminal() if kind == signals.LOST_TERMINAL else None
    process = attempt(padwise, workload.command(out), out.parent, terminal)
    signals.wait_for_moment(draws, process, out, usual)
    if workload.ranks:
        pids, who = signals.mpi_targets(draws, process, workload.ranks)
        # Nothing finds a coordinator that stops.
        if (kind == signals.STALL and who in ("main", "all processes")) or (kind in signals.FORWARDED and who in ("mpirun", "all processes")):
            kind = "SIGKILL"
    else:
        pids, who = signals.targets(draws, process, wanted)
    if process.poll() is None:
        sent.append((kind, who))
        if terminal:
            terminal.close()
        signals.deliver(draws, kind, pids)
    try:
        code = wait(process)
    except trials.Failed as failed:
        raise trials.Failed(f"{story(workload, sent)}; {failed}") from None
    if terminal:
        terminal.close()
    check_ending(code, workload, kind, who, sent, said(out.parent))
    problems = workloads.panics(out, said(out.parent))
    if problems:
        raise trials.Failed(f"{story(workload, sent)}: {problems[0]}")
    return code == 0


def attempt(padwise, arguments, folder, terminal=None):
    """Starts padwise in its own session. Its output goes to files, or to a terminal."""
    with (folder / "stdout.txt").open("w") as stdout, (folder / "stderr.txt").open("w") as stderr:
        outputs = (terminal.writer, terminal.writer) if terminal else (stdout, stderr)
        command = [padwise, *map(str, arguments)]
        # Killed MPI processes leave their files there.
        places = dict.fromkeys(("TMPDIR", "OMPI_MCA_btl_vader_backing_directory", "OMPI_MCA_btl_sm_backing_directory"), str(folder))
        streams = {"stdin": subprocess.DEVNULL, "stdout": outputs[0], "stderr": outputs[1]}
        return subprocess.Popen(command, **streams, env=os.environ | places, start_new_session=True)


def wait(process):
    """Waits for a process and its workers to end; returns its exit code."""
    try:
        code = process.wait(TIMEOUT)
    except subprocess.TimeoutExpired:
        hung = signals.members(process.pid)
        names = signals.describe(hung)
        kill(process, hung)
        raise trials.Failed(f"not finished after {TIMEOUT} s: {names}") from None
    left = signals.wait_for_session(process.pid, TIMEOUT)
    if left:
        names = signals.describe(left)
        kill(process, left)
        raise trials.Failed(f"padwise ended with {workloads.ending(code)}, but after {TIMEOUT} s there still is {names}")
    return code


def kill(process, pids):
    signals.deliver(random.Random(0), "SIGKILL", pids)
    process.wait()


def said(folder):
    return (folder / "stderr.txt").read_text(errors="replace")


def check_ending(code, workload, kind, who, sent, stderr):
    """Checks an exit code: 0 if the signal came too late or is ignored, 3 with advice, or the signal itself."""
    allowed = {0}
    if workload.resumes or kind == signals.LOST_TERMINAL:
        allowed.add(3)
    if who in ("main", "both", "all processes") or not workload.resumes:
        allowed.update(-number for number in signals.sequence(kind))
    if code not in allowed:
        raise trials.Failed(f"{story(workload, sent)}; it ended with {workloads.ending(code)}: {stderr}")
    if code == 3 and "twice" not in kind and kind != signals.LOST_TERMINAL and "--resume" not in stderr:
        raise trials.Failed(f"{story(workload, sent)}; exit code 3 without advice how to resume: {stderr}")


def story(workload, sent):
    return f"{workload.name}: " + (", ".join(f"{kind} to {who}" for kind, who in sent) or "no signal")


def print_counts(results):
    """Prints how many signals of each kind were sent to which process."""
    sent = [(name, signals.family(kind), who) for result in results for name, kind, who in result]
    for title, place in (("command", 0), ("process", 2), ("signal", 1)):
        counts = collections.Counter(entry[place] for entry in sent).most_common()
        print(f"{title}: " + ", ".join(f"{name} {count}" for name, count in counts))


if __name__ == "__main__":
    main()
