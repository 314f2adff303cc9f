#!/usr/bin/env python3
"""Writes a tiny corpus with frame labels, for tests: tones instead of phones.

usage: make_example_corpus.py FOLDER [UTTERANCES]

FOLDER gets wavs/*.wav (16 kHz), manifest.csv (id, path, speaker, text), phones.ctm (a time-aligned label sequence) and
lengths.csv (id, frames). The same arguments always give the same files.
"""
import array
import csv
import math
import pathlib
import random
import sys
import wave

RATE = 16_000
FRAME_SHIFT = 160
FRAME_LENGTH = 400
SPEAKERS = ["anna", "ben", "chloe", "dev", "elif", "femi"]
# A fundamental frequency and a formant for each "phone".
PHONES = {
    "a": (180, 900), "e": (200, 1700), "i": (220, 2400), "o": (160, 600),
    "u": (150, 400), "m": (120, 250), "s": (0, 5000), "t": (0, 3200),
}


def samples(phone, seconds, pitch, random_numbers):
    fundamental, formant = PHONES[phone]
    for index in range(int(seconds * RATE)):
        time = index / RATE
        noise = random_numbers.uniform(-1, 1)
        if fundamental:
            voiced = math.sin(math.tau * fundamental * pitch * time) + 0.6 * math.sin(math.tau * formant * pitch * time)
            yield 6000 * voiced + 200 * noise
        else:
            yield 3000 * noise * math.sin(math.tau * formant * time)


def main():
    folder = pathlib.Path(sys.argv[1])
    utterances = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    (folder / "wavs").mkdir(parents=True, exist_ok=True)
    random_numbers = random.Random(1)
    manifest, alignment, lengths = [], [], []
    for number in range(utterances):
        speaker = SPEAKERS[number % len(SPEAKERS)]
        name = f"{speaker}-{number:03}"
        pitch = 0.8 + 0.1 * SPEAKERS.index(speaker)
        audio, phones, start = array.array("h"), [], 0.0
        for _ in range(min(60, 4 + int(random_numbers.expovariate(1 / 14)))):
            phone = random_numbers.choice(list(PHONES))
            seconds = random_numbers.randrange(6, 16) * FRAME_SHIFT / RATE
            audio.extend(int(sample) for sample in samples(phone, seconds, pitch, random_numbers))
            alignment.append(f"{name} 1 {start:.2f} {seconds:.2f} {phone}")
            phones.append(phone)
            start += seconds
        with wave.open(str(folder / "wavs" / f"{name}.wav"), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(RATE)
            file.writeframes(audio.tobytes())
        manifest.append([name, f"wavs/{name}.wav", speaker, " ".join(phones)])
        lengths.append([name, 1 + (len(audio) - FRAME_LENGTH) // FRAME_SHIFT])
    for name, header, rows in (
        ("manifest.csv", ["id", "path", "speaker", "text"], manifest),
        ("lengths.csv", ["id", "frames"], lengths),
    ):
        with (folder / name).open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([header, *rows])
    (folder / "phones.ctm").write_text("\n".join(alignment) + "\n")
    print(f"{folder}: {utterances} utterances of {len(SPEAKERS)} speakers")


main()
