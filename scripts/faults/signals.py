"""Sends signals to padwise and its workers at random moments."""
import os
import pathlib
import signal
import time

STOPS = {signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU}
# The signals of users, shells, terminals and the out-of-memory killer: half of all trials.
COMMON = ["SIGKILL", "SIGTERM", "SIGINT", "SIGINT twice", "SIGHUP", "SIGQUIT", "SIGSTOP, then SIGKILL"]
# What a process sees when its terminal is closed or its SSH connection drops: SIGHUP, and errors of all later output.
LOST_TERMINAL = "SIGHUP, terminal lost"
# How long to wait for the first worker.
WORKER_WAIT = 0.3
# A process that stops and never continues. MPI processes find it at their deadline.
STALL = "SIGSTOP"
# mpirun sends these on to the workers. That of Open MPI 4 hangs if they arrive while the workers start.
FORWARDED = ("SIGUSR1", "SIGUSR2")


def draw_kind(random):
    """One of the common signals, or any signal of this system."""
    if random.random() < 0.5:
        return random.choice([*COMMON, LOST_TERMINAL])
    # Half of all signals are real-time ones, which are all handled alike.
    limit = signal.SIGRTMAX if random.random() < 0.1 else signal.SIGRTMIN - 1
    number = random.choice([number for number in sorted(signal.valid_signals()) if number <= limit])
    name = f"SIGRTMIN+{number - signal.SIGRTMIN}" if number >= signal.SIGRTMIN else signal.Signals(number).name
    if number in STOPS:
        name += random.choice([", then SIGKILL", ", then SIGCONT"])
    return name


def sequence(kind):
    """The signals of a kind, in order."""
    if kind.endswith(" twice"):
        return [signal.Signals[kind.removesuffix(" twice")]] * 2
    if kind == LOST_TERMINAL:
        return [signal.SIGHUP]
    if kind.startswith("SIGRTMIN+"):
        return [signal.SIGRTMIN + int(kind.removeprefix("SIGRTMIN+"))]
    return [signal.Signals[name] for name in kind.split(", then ")]


def family(kind):
    """A kind for counting: all real-time signals are one."""
    return "real-time signals" if kind.startswith("SIGRTMIN+") else kind


def members(session):
    """The living processes of a session: {pid: parent}. mpirun gives each of its processes a group of its own."""
    found = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                # The second field, the name in parentheses, may contain spaces.
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if int(fields[3]) == session and fields[0] not in "ZX":
                found[int(entry.name)] = int(fields[1])
    return found


def describe(pids):
    """Names and states of processes, for messages."""
    found = []
    for pid in pids:
        try:
            stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue
        name, _, rest = stat.partition("(")[2].rpartition(")")
        found.append(f"{name} {pid} in state {rest.split()[0]} below {rest.split()[1]}")
    return ", ".join(found)


def wait_for_moment(random, process, folder, usual):
    """Waits a random time, or for a random number of changes to the files: a crash between two writes is the hardest case."""
    if random.random() < 0.5:
        deadline = time.monotonic() + usual * random.random() ** 1.5
        while process.poll() is None and time.monotonic() < deadline:
            time.sleep(min(0.002, max(0.0, deadline - time.monotonic())))
        return
    before, left = listing(folder), 1 + int(random.expovariate(1 / 8))
    deadline = time.monotonic() + usual * 3
    while process.poll() is None and left > 0 and time.monotonic() < deadline:
        time.sleep(0.0003)
        now = listing(folder)
        left -= now != before
        before = now
    time.sleep(random.choice([0, 0, 0.0005, 0.002]))


def listing(folder):
    """Names and sizes of all files below a folder."""
    found = set()
    for path, _, names in os.walk(folder):
        for name in names:
            try:
                found.add((path, name, os.stat(os.path.join(path, name)).st_size))
            except FileNotFoundError:
                pass
    return found


def targets(random, process, wanted):
    """The processes to signal, and what they are: `main`, `worker` or `both`."""
    deadline = time.monotonic() + WORKER_WAIT
    workers = []
    while wanted != "main" and not workers and process.poll() is None and time.monotonic() < deadline:
        workers = [pid for pid in members(process.pid) if pid != process.pid]
        time.sleep(0.001)
    if not workers:
        return [process.pid], "main"
    if wanted == "worker":
        return workers, wanted
    both = [process.pid, *workers]
    random.shuffle(both)
    return both, wanted


def mpi_targets(random, process, ranks):
    """The processes of a run with MPI to signal, and what they are. Waits for a random number of them to exist."""
    deadline, wanted = time.monotonic() + WORKER_WAIT, random.randint(1, 1 + ranks)
    while len(found := members(process.pid)) <= wanted and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.001)
    mpirun = [pid for pid, parent in found.items() if parent == process.pid]
    workers = sorted(pid for pid, parent in found.items() if parent in mpirun and program(pid) != program(parent))
    groups = {"main": [process.pid], "mpirun": mpirun, "all workers": workers, "all processes": [process.pid, *mpirun, *workers]}
    if workers:
        groups["worker"] = [random.choice(workers)]
    who = random.choice(["main", "mpirun", "worker", "worker", "all workers", "all processes"])
    if not groups.get(who):
        return [process.pid], "main"
    return random.sample(groups[who], len(groups[who])), who


def program(pid):
    """The program of a process. Between fork and exec, a worker still is a copy of mpirun, which handles signals in its own way."""
    try:
        return os.readlink(f"/proc/{pid}/exe")
    except (FileNotFoundError, ProcessLookupError):
        return None


def deliver(random, kind, pids):
    """Sends the signals of a kind to processes, with a pause between two signals."""
    for n, number in enumerate(sequence(kind)):
        if n:
            time.sleep(random.choice([0, random.uniform(0, 0.08)]))
        for pid in pids:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass


def wait_for_session(session, seconds):
    """Waits until no process of a session is left; returns those that are."""
    deadline = time.monotonic() + seconds
    while (left := members(session)) and time.monotonic() < deadline:
        time.sleep(0.005)
    return left
