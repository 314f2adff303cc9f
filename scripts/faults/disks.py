"""Trials on full disks: small tmpfs file systems, which only root can mount."""
import os
import shutil
import subprocess

from . import trials, workloads

NAME = "small disk"
# Disk sizes relative to the results.
SHARES = (0.1, 0.3, 0.5, 0.75, 0.9, 1.0, 1.3)
PAGE = 4096
# In KiB; enough for every command.
LARGE = 65536


def can_mount(folder):
    """Whether this process may mount a tmpfs."""
    place = folder / "mount"
    place.mkdir()
    able = mount(place, 16) == 0
    unmount(place)
    place.rmdir()
    return able


def mount(place, kib):
    if os.geteuid() != 0 or not shutil.which("mount"):
        return 1
    command = ["mount", "-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", place]
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode


def unmount(place):
    if os.path.ismount(place):
        subprocess.run(["umount", place], check=True)


def sizes(expected):
    """Disk sizes in KiB, from far too small to large enough."""
    pages = sum(-(-len(content) // PAGE) if isinstance(content, bytes) else 1 for content in expected.values())
    return sorted({max(2, round(pages * share)) * PAGE // 1024 for share in SHARES})


def trial(padwise, workload, folder, kib):
    """Runs a command on a small disk, then enlarges the disk. Returns how the command ended."""
    out = folder / "out"
    out.mkdir()
    if mount(out, LARGE) != 0:
        raise trials.Failed("cannot mount a tmpfs")
    if workload.filled_from:
        shutil.copytree(workload.filled_from, out, dirs_exist_ok=True)
    usage = os.statvfs(out)
    used = (usage.f_blocks - usage.f_bfree) * usage.f_frsize // 1024
    resize(out, max(kib, used))
    done = workloads.run(padwise, workload.command(out))
    if done.returncode not in (0, 3):
        raise trials.Failed(f"{workloads.ending(done.returncode)} on a disk of {kib} KiB: {done.stderr}")
    if done.returncode == 3 and "No space left on device" not in done.stderr:
        raise trials.Failed(f"the message does not say that the disk is full: {done.stderr}")
    if panics := workloads.panics(out, done.stderr):
        raise trials.Failed(panics[0])
    resize(out, LARGE)
    return f"exit code {done.returncode}"


def resize(place, kib):
    subprocess.run(["mount", "-o", f"remount,size={kib}k", place], check=True)


def finish(padwise, workload, out, failed, expected):
    """Continues a command without faults and compares the results."""
    command = workload.command(out) if failed or workload.resumes else None
    if command:
        done = workloads.run(padwise, command)
        if done.returncode != 0:
            raise trials.Failed(f"continuing ended with {workloads.ending(done.returncode)}: {done.stderr}")
    if problems := workloads.differences(expected, workloads.contents(out)):
        raise trials.Failed(f"after continuing: {'; '.join(problems)}")
