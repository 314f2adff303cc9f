"""Compares the speed of our kaldi-mfcc16 front end with kaldi-native-fbank. Called by bench_front_end.sh.

usage: bench_front_end.py EXTRACT_DIR FOLDER ROUNDS

EXTRACT_DIR is the program extract_dir. The two alternate, so background load slows both; the best round counts. Both start from
decoded samples in memory and use one core. The table also shows times with reading and decoding the files.
"""

import json
import pathlib
import subprocess
import sys
import time

import kaldi_native_fbank as knf
import soundfile


def theirs(waveforms):
    """Returns frames and seconds. Samples are passed as a list, which the binding accepts much faster than an array;
    building the list is not timed."""
    options = knf.MfccOptions()
    options.frame_opts.dither = 0
    options.num_ceps = 16
    frames, seconds = 0, 0.0
    for samples in waveforms:
        samples = samples.tolist()
        start = time.perf_counter()
        mfcc = knf.OnlineMfcc(options)
        mfcc.accept_waveform(16000, samples)
        mfcc.input_finished()
        frames += mfcc.num_frames_ready
        seconds += time.perf_counter() - start
    return frames, seconds


def read(files):
    # 16-bit integers as floats: Kaldi's scale.
    for file in files:
        samples, rate = soundfile.read(file, dtype="int16")
        assert rate == 16000, f"{file} is at {rate} Hz"
        yield samples.astype("float32")


program, folder, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
files = sorted(pathlib.Path(folder).rglob("*.flac"))
if not files:
    sys.exit(f"no .flac files in {folder}")
waveforms = list(read(files))

rows = {}
for turn in range(rounds):
    output = subprocess.run([program, folder, "kaldi-mfcc16", "1"], check=True, capture_output=True, text=True)
    ours = json.loads(output.stdout)
    frames, from_samples = theirs(waveforms)
    start = time.perf_counter()
    for _ in read(files):
        pass
    reading = time.perf_counter() - start
    assert (ours["files"], ours["frames"]) == (len(files), frames), f"{ours}, but kaldi-native-fbank has {frames} frames"
    for name, seconds in [
        ("padwise, from samples, one core", ours["from_samples"]),
        ("kaldi-native-fbank, from samples, one core", from_samples),
        ("padwise, from FLAC files, one core", ours["from_files"]),
        ("kaldi-native-fbank and libsndfile, from FLAC files, one core", from_samples + reading),
        (f"padwise, from FLAC files, {ours['cores']} cores", ours["from_files_all_cores"]),
    ]:
        rows.setdefault(name, []).append(seconds)

audio = ours["audio_seconds"]
print(f"kaldi-mfcc16: {len(files)} files, {audio:.0f} s of audio, {frames} frames, {rounds} rounds\n")
print("| | best s | median s | µs/frame | × real time |")
print("| --- | ---: | ---: | ---: | ---: |")
for name, seconds in rows.items():
    best, median = min(seconds), sorted(seconds)[len(seconds) // 2]
    print(f"| {name} | {best:.3f} | {median:.3f} | {1e6 * best / frames:.2f} | {audio / best:.0f} |")
best = {name: min(seconds) for name, seconds in rows.items()}
ratio = best["kaldi-native-fbank, from samples, one core"] / best["padwise, from samples, one core"]
print(f"\nFrom samples, one core: padwise takes 1/{ratio:.1f} of kaldi-native-fbank's time.")
sys.exit(0 if ratio >= 1 else 1)
