"""Faults of file operations, their injection, and how a command must end."""
import dataclasses
import errno
import os
import pathlib
import subprocess

from . import trials

WRITES = ("open", "write", "mkdir", "sync", "link", "rename", "truncate")


@dataclasses.dataclass
class Fault:
    """Operations that fail in one way."""

    name: str
    calls: tuple
    # The error; 0 stands for half a write.
    error: int
    # The error of all later operations; 0 if they succeed.
    sticks: int = 0
    # Whether padwise must succeed, as if nothing had happened.
    harmless: bool = False
    # Whether standard output is hit instead of the files.
    stdout: bool = False


FAULTS = [
    Fault("disk full", WRITES, errno.ENOSPC, errno.ENOSPC),
    Fault("disk full once", WRITES, errno.ENOSPC),
    Fault("half a write, then disk full", ("write",), 0, errno.ENOSPC),
    Fault("I/O error", (*WRITES, "unlink", "close", "lock"), errno.EIO),
    Fault("read-only", ("open", "mkdir", "link", "rename", "unlink", "truncate"), errno.EROFS, errno.EROFS),
    Fault("too many open files", ("open",), errno.EMFILE),
    Fault("half a write", ("write",), 0, harmless=True),
    Fault("interrupted call", ("write", "truncate"), errno.EINTR, harmless=True),
    Fault("standard output full", ("write",), errno.ENOSPC, errno.ENOSPC, stdout=True),
    Fault("standard output closed", ("write",), errno.EPIPE, errno.EPIPE, harmless=True, stdout=True),
]


def compile_library(folder):
    """Compiles the library that makes operations fail."""
    library = folder / "inject.so"
    source = pathlib.Path(__file__).with_name("inject.c")
    subprocess.run(["cc", "-O2", "-Wall", "-Wextra", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return library


# Lets every operation pass and logs it.
NO_FAULT = Fault("none", (*WRITES, "unlink", "close", "lock"), 0)


class Injection:
    """One fault at one operation of a command that writes below `folder`; operations count from 1."""

    def __init__(self, library, fault, number, folder):
        self.library, self.fault, self.number, self.folder = library, fault, number, folder
        self.control, self.log = folder / "control", folder / "hits.txt"
        self.control.write_bytes(bytes(8))

    def environment(self):
        root = self.folder if self.fault is NO_FAULT else self.folder / ("stdout" if self.fault.stdout else "out")
        return os.environ | {
            "LD_PRELOAD": str(self.library),
            "FAULT_ROOT": str(root),
            "FAULT_CONTROL": str(self.control),
            "FAULT_CALLS": "".join(f"{call}," for call in self.fault.calls),
            "FAULT_AT": str(self.number),
            "FAULT_ERROR": str(self.fault.error),
            "FAULT_STICKS": str(self.fault.sticks),
            "FAULT_LOG": str(self.log),
        }

    def count(self, fault):
        """The number of logged operations that a fault can hit."""
        root = str(self.folder / ("stdout" if fault.stdout else "out"))
        return sum(call in fault.calls and path.startswith(root) for call, path in self.hits())

    def hits(self):
        """The logged operations, which failed: (operation, path)."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [tuple(line.split(" ", 1)) for line in lines]


def check_ending(code, stderr, injection):
    """Checks exit code and message: an error is reported with the file, or it is harmless."""
    fault, hits = injection.fault, injection.hits()
    where = f"{hits[0][0]} of {hits[0][1]} failed" if hits else "nothing failed"
    ignored = [hit for hit in hits if not may_be_ignored(*hit)]
    if code == 0 and (fault.harmless or not ignored):
        return
    if code == 0:
        raise trials.Failed(f"{where}, but the exit code is 0")
    if code != 3 or fault.harmless:
        raise trials.Failed(f"{where}: exit code {code}: {stderr}")
    reason = os.strerror(fault.error or fault.sticks)
    place = "standard output" if fault.stdout else str(injection.folder / "out")
    for wanted in (reason, place):
        if wanted not in stderr:
            raise trials.Failed(f"{where}: the message does not contain `{wanted}`: {stderr}")


def may_be_ignored(call, path):
    """Whether results are complete without an operation: closing, removing, and everything about the log."""
    return call in ("close", "unlink") or path.endswith("/log.txt")
