"""Runs trials in parallel, shows progress and counts failures."""
import concurrent.futures
import shutil
import sys
import time


class Failed(Exception):
    """A trial that found something wrong."""


def run_all(trials, trial, folder, jobs, reproduce):
    """Calls `trial(key, folder)` for every key, `jobs` at a time. Returns the results of those that passed and the number of failures.

    A failed trial keeps its folder and prints the command that repeats it: `reproduce(key)`.
    """
    results, failures, start, shown = [], 0, time.monotonic(), 0.0
    trials = list(trials)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        waiting = {pool.submit(one_trial, trial, key, folder / str(n)): (n, key) for n, key in enumerate(trials)}
        try:
            for done, future in enumerate(concurrent.futures.as_completed(waiting), 1):
                n, key = waiting[future]
                result, problem = future.result()
                if problem:
                    failures += 1
                    print(f"\nFAILED {name_of(key)}: {problem}")
                    print(f"  files: {folder / str(n)}\n  repeat: {reproduce(key)}", flush=True)
                else:
                    results.append(result)
                shown = show(done, len(trials), failures, start, shown)
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)
            raise
    return results, failures


def name_of(key):
    """A key as the user writes it."""
    return "/".join(map(str, key)) if isinstance(key, tuple) else str(key)


def one_trial(trial, key, folder):
    """Runs one trial in its own folder, which stays only if the trial fails."""
    folder.mkdir(parents=True)
    try:
        result = trial(key, folder)
    except Failed as failed:
        return None, str(failed)
    shutil.rmtree(folder)
    return result, None


def show(done, total, failures, start, shown):
    """Prints progress: on a terminal at once, elsewhere every 10 seconds. Returns when it last printed."""
    elapsed, terminal = time.monotonic() - start, sys.stderr.isatty()
    if done < total and elapsed - shown < (0.2 if terminal else 10):
        return shown
    rate = done / max(elapsed, 1e-3)
    left = round((total - done) / rate)
    line = f"{done}/{total} trials, {rate:.1f} trials/s, {left // 60}:{left % 60:02} left, {failures} failed"
    print(f"\r{line}" if terminal else line, end="\n" if done == total or not terminal else "", file=sys.stderr, flush=True)
    return elapsed
