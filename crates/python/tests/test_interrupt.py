"""Ctrl-C ends long calls."""

import os
import signal
import subprocess
import sys
import time

import pytest

# A program that starts in the background may ignore SIGINT, and so would its children.
PROGRAM = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
import padwise
lengths = padwise.profile_lengths("librispeech", 200_000)
print("started", flush=True)
padwise.analyze(lengths, ["semi-sorted:lrf=0.1", "smart"], seeds=100_000)
"""


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
def test_analyze_stops_on_interrupt() -> None:
    process = subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "started\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    try:
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert errors.rstrip().endswith("KeyboardInterrupt"), errors
