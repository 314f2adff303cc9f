#!/usr/bin/env python3
"""Writes a small speech corpus: spoken digits, synthesised with espeak-ng.

usage: make_digits_corpus.py FOLDER [UTTERANCES_PER_VOICE]

Needs espeak-ng (Debian: apt-get install espeak-ng). FOLDER gets one subfolder per voice with NNN.wav (22.05 kHz) and NNN.txt,
the digits as words. Every utterance has one to six digits, with its own speed and pitch. The same arguments and the same version of
espeak-ng always give the same files.
"""
import os
import pathlib
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

DIGITS = "zero one two three four five six seven eight nine".split()
# Folder and voice: an accent of English and a variant of the speaker. The last two in alphabetical order are for validation.
VOICES = {
    "anna": "en-us+f1", "ben": "en-us+m1", "carla": "en-gb+f2", "david": "en-gb+m2", "emma": "en-us+f3", "frank": "en-gb-scotland+m3",
    "grace": "en-gb-x-rp+f4", "henry": "en-us+m4", "irene": "en-029+f5", "jack": "en-gb+m5", "karen": "en-gb-x-gbclan+f1",
    "liam": "en-gb-x-rp+m6", "mary": "en-us+f2", "nick": "en-gb-x-gbcwmd+m7", "olivia": "en-gb+f3", "peter": "en-us+m3",
}


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    utterances = int(sys.argv[2]) if len(sys.argv) == 3 else 100
    random_numbers = random.Random(1)
    commands = []
    for name, voice in VOICES.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        for number in range(utterances):
            path = folder / name / f"{number:03}.wav"
            text = " ".join(random_numbers.choice(DIGITS) for _ in range(random_numbers.randint(1, 6)))
            speed, pitch = random_numbers.randint(130, 200), random_numbers.randint(35, 65)
            path.with_suffix(".txt").write_text(text + "\n")
            commands.append(["espeak-ng", "-v", voice, "-s", str(speed), "-p", str(pitch), "-w", str(path), text])
    try:
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            list(threads.map(lambda command: subprocess.run(command, check=True), commands))
    except FileNotFoundError:
        sys.exit("espeak-ng is not installed. On Debian and Ubuntu: apt-get install espeak-ng")
    print(f"{len(commands)} utterances of {len(VOICES)} voices in {folder}")


if __name__ == "__main__":
    main()
