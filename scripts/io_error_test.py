#!/usr/bin/env python3
"""Makes padwise's file operations fail one at a time, and checks that it reports the error and can continue.

A small library (faults/inject.c, loaded with LD_PRELOAD) makes the n-th operation on the output files fail, for every n. For
each command and kind of fault, a trial checks: exit code 3 and a message with the file and the error, or success if the fault is
harmless; no panic; and that continuing without the fault gives the same results as an undisturbed run, bit for bit. As root,
the same commands also run on full disks (tmpfs) of seven sizes.
"""
import argparse
import collections
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

from faults import disks, io_commands, io_faults, trials, workloads

EXAMPLES = """examples:
  scripts/io_error_test.py                         every operation of every command, about 15 minutes
  scripts/io_error_test.py --sample 40             40 random trials
  scripts/io_error_test.py --command prepare --fault "disk full"
  scripts/io_error_test.py --only "run/I/O error/17"

Exit codes: 0 all trials passed, 1 a trial failed. A failed trial keeps its folder.
"""


def main():
    options = arguments()
    if not shutil.which("cc"):
        sys.exit("io_error_test.py needs a C compiler, cc")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="padwise-io-"))
    tester = Tester(options.padwise, folder)
    keys = tester.keys(options.command, options.fault)
    if options.only:
        keys = [key for key in keys if trials.name_of(key) in options.only]
    elif options.sample:
        keys = sample(keys, options.sample, random.Random(options.seed))
    start = time.monotonic()
    results, failures = trials.run_all(
        keys,
        tester.trial,
        folder / "trials",
        options.jobs,
        lambda key: f"{sys.argv[0]} --padwise {options.padwise} --only '{trials.name_of(key)}'",
    )
    for title, place in (("command", 0), ("fault", 1), ("ending", 2)):
        counts = collections.Counter(result[place] for result in results).most_common()
        print(f"{title}: " + ", ".join(f"{name} {count}" for name, count in counts))
    print(f"{len(results)} passed, {failures} failed ({time.monotonic() - start:.0f} s)")
    if failures:
        sys.exit(1)
    shutil.rmtree(folder)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--padwise", type=pathlib.Path, help="program to test [default: the newest build in target/]")
    parser.add_argument("--command", action="append", help="test only this command (repeatable)")
    parser.add_argument("--fault", action="append", help="test only this fault (repeatable)")
    parser.add_argument("--only", action="append", metavar="COMMAND/FAULT/N", help="run only this trial (repeatable)")
    parser.add_argument("--sample", type=int, metavar="K", help="run K random trials [default: all]")
    parser.add_argument("--seed", type=int, default=1, help="seed of the sample [default: 1]")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="trials at a time [default: one per core]")
    options = parser.parse_args()
    options.padwise = (options.padwise or workloads.find_padwise()).resolve()
    return options


def sample(keys, size, draws):
    """Draws trials: one for each pair of command and fault before a second for any."""
    draws.shuffle(keys)
    drawn = collections.Counter()
    order = []
    for key in keys:
        drawn[key[:2]] += 1
        order.append((drawn[key[:2]], key))
    order.sort(key=lambda entry: entry[0])
    return [key for _, key in order[:size]]


class Tester:
    """Commands with their undisturbed results, and the library that disturbs them."""

    def __init__(self, padwise, folder):
        self.padwise = padwise
        self.folder = folder
        self.library = io_faults.compile_library(folder)
        self.commands = {workload.name: workload for workload in io_commands.all_commands(padwise, folder)}
        self.expected, self.operations = {}, {}
        for name, workload in self.commands.items():
            self.expected[name], self.operations[name] = self.undisturbed(workload)

    def undisturbed(self, workload):
        """Runs a command without a fault. Returns its results and the injection that logged its operations."""
        folder = self.folder / "references" / workload.name
        out = self.begin(workload, folder)
        injection = io_faults.Injection(self.library, io_faults.NO_FAULT, 0, folder)
        code, stderr = self.attempt(workload, out, folder, injection)
        if code != 0:
            sys.exit(f"{workload.name} failed without a fault, with exit code {code}: {stderr}")
        return workloads.contents(out), injection

    def begin(self, workload, folder):
        """Creates the folder that a command writes to."""
        out = folder / "out"
        if workload.filled_from:
            shutil.copytree(workload.filled_from, out)
        else:
            out.mkdir(parents=True)
        return out

    def keys(self, commands, faults):
        """All trials: (command, fault, number of the operation or size of the disk)."""
        names = [name for name in self.commands if not commands or name in commands]
        keys = []
        for name in names:
            for fault in io_faults.FAULTS:
                if not faults or fault.name in faults:
                    count = self.operations[name].count(fault)
                    keys += [(name, fault.name, number) for number in range(1, count + 1)]
        if faults and disks.NAME not in faults:
            return keys
        if not disks.can_mount(self.folder):
            print("SKIPPED full disks: mounting a tmpfs needs root")
            return keys
        return keys + [(name, disks.NAME, size) for name in names for size in disks.sizes(self.expected[name])]

    def attempt(self, workload, out, folder, injection):
        """Runs a command with a fault. Returns its exit code and standard error."""
        (folder / "stdout").mkdir()
        with (folder / "stdout" / "stdout.txt").open("w") as stdout:
            done = workloads.run(self.padwise, workload.command(out), stdout=stdout, env=injection.environment())
        return done.returncode, done.stderr

    def trial(self, key, folder):
        """Runs a command with one fault, checks how it ends, and continues it without the fault."""
        name, kind, number = key
        workload, expected = self.commands[name], self.expected[name]
        try:
            if kind == disks.NAME:
                code = disks.trial(self.padwise, workload, folder, number)
            else:
                fault = next(fault for fault in io_faults.FAULTS if fault.name == kind)
                out = self.begin(workload, folder)
                injection = io_faults.Injection(self.library, fault, number, folder)
                code, stderr = self.attempt(workload, out, folder, injection)
                io_faults.check_ending(code, stderr, injection)
                code = f"exit code {code}" if injection.hits() else "not hit"
                if panics := workloads.panics(out, stderr):
                    raise trials.Failed(panics[0])
            disks.finish(self.padwise, workload, folder / "out", code != "exit code 0", expected)
        except subprocess.TimeoutExpired:
            raise trials.Failed("not finished after 120 s") from None
        finally:
            disks.unmount(folder / "out")
        return name, kind, code


if __name__ == "__main__":
    main()
