"""Writes the golden features in this folder with independent implementations.

    pip install kaldi-native-fbank==1.22.4 librosa==0.11.0 numpy==2.4.6 scipy soundfile==0.14.0
    python make.py

The signal is computed with integers only, so it is the same on every machine. It is a chirp of parabolas (which has
overtones, unlike a sine chirp), noise, and digital silence. The file names match those in `front_end_golden.rs`, which
has the same settings in this crate's notation.
"""

import pathlib
import wave

import kaldi_native_fbank as knf
import librosa
import numpy as np
import scipy.signal
import soundfile

HERE = pathlib.Path(__file__).parent


def signal(rate, seconds_halved):
    samples = []
    phase, noise = 0, 12345
    total = rate * seconds_halved // 2
    for i in range(total):
        hz = 100 + i * (rate // 2 - 400) // total
        phase = (phase + 65536 * hz // rate) & 65535
        half = phase & 32767
        parabola = (half * (32768 - half)) >> 13
        chirp = -parabola if phase & 32768 else parabola
        noise = (noise * 1664525 + 1013904223) & 0xFFFFFFFF
        value = (chirp * 9000 >> 15) + ((noise >> 16) - 32768 >> 5) + 40
        silent = total * 6 // 10 <= i < total * 7 // 10
        samples.append(0 if silent else value)
    return np.array(samples, dtype=np.int16)


def write_wav(name, samples, rate):
    with wave.open(str(HERE / name), "wb") as f:
        f.setnchannels(1)
        f.setsampwidth(2)
        f.setframerate(rate)
        f.writeframes(samples.astype("<i2").tobytes())


def kaldi(options, computer, samples, rate, frame={}, mel={}, **rest):
    options.frame_opts.dither = 0
    options.frame_opts.samp_freq = rate
    for name, value in frame.items():
        setattr(options.frame_opts, name, value)
    for name, value in mel.items():
        setattr(options.mel_opts, name, value)
    for name, value in rest.items():
        setattr(options, name, value)
    computer = computer(options)
    computer.accept_waveform(rate, samples.astype(np.float32))
    computer.input_finished()
    return np.stack([computer.get_frame(i) for i in range(computer.num_frames_ready)])


def mfcc(*args, **options):
    return kaldi(knf.MfccOptions(), knf.OnlineMfcc, *args, **options)


def fbank(*args, **options):
    return kaldi(knf.FbankOptions(), knf.OnlineFbank, *args, **options)


def mel(samples, rate, floor=1e-5, preemphasis=0.0, **options):
    x = samples.astype(np.float32) / 32768
    if preemphasis:
        x = scipy.signal.lfilter([1, -preemphasis], [1], x)
    return np.log(np.maximum(librosa.feature.melspectrogram(y=x, sr=rate, **options), floor)).T


def with_deltas(features):
    """Two orders over two neighbours on each side. Repeating the end frames first keeps both orders away from the ends."""
    slope = lambda x: librosa.feature.delta(x, width=5, order=1, axis=0, mode="nearest")
    padded = np.pad(features, ((8, 8), (0, 0)), mode="edge")
    return np.hstack([features, slope(padded)[8:-8], slope(slope(padded))[8:-8]])


def save(name, features):
    np.save(HERE / f"{name}.npy", np.ascontiguousarray(features, dtype="<f4"))
    print(name, features.shape)


wide, narrow = signal(16000, 1), signal(8000, 1)
write_wav("chirp16k.wav", wide, 16000)
write_wav("chirp8k.wav", narrow, 8000)
soundfile.write(HERE / "chirp16k.flac", wide, 16000, subtype="PCM_16")

mfcc16 = mfcc(wide, 16000, num_ceps=16)
save("kaldi-mfcc16", mfcc16)
save("kaldi-fbank80", fbank(wide, 16000, mel=dict(num_bins=80)))
save(
    "tacotron-mel80",
    mel(wide, 16000, n_fft=1024, win_length=800, hop_length=200, n_mels=80, fmin=0, fmax=8000, power=1),
)

save("deltas", with_deltas(mfcc16))
save(
    "mfcc20-hamming-mirrored",
    mfcc(
        wide,
        16000,
        frame=dict(window_type="hamming", snip_edges=False),
        mel=dict(num_bins=40),
        num_ceps=20,
        use_energy=False,
        cepstral_lifter=0,
    ),
)
save(
    "fbank40-hann-energy",
    fbank(
        wide,
        16000,
        frame=dict(window_type="hanning", preemph_coeff=0.0, remove_dc_offset=False, frame_length_ms=32, frame_shift_ms=8),
        mel=dict(num_bins=40, low_freq=64, high_freq=7600),
        use_energy=True,
        raw_energy=False,
        energy_floor=1000.0,
        use_power=False,
    ),
)
for window in ["rectangular", "blackman", "sine"]:
    save(f"fbank23-{window}", fbank(wide, 16000, frame=dict(window_type=window), mel=dict(num_bins=23)))
save(
    "mfcc13-8k",
    mfcc(
        narrow,
        8000,
        frame=dict(frame_length_ms=20, frame_shift_ms=7.5, preemph_coeff=0.9),
        mel=dict(num_bins=24, low_freq=100, high_freq=3800),
        num_ceps=13,
        raw_energy=False,
    ),
)
save(
    "mel40-8k-htk-power",
    mel(
        narrow,
        8000,
        floor=1e-6,
        preemphasis=0.97,
        n_fft=512,
        win_length=400,
        hop_length=80,
        window="hamming",
        pad_mode="reflect",
        n_mels=40,
        fmin=50,
        fmax=3900,
        power=2,
        htk=True,
        norm=None,
    ),
)
save(
    "mel64-uncentred",
    mel(wide, 16000, n_fft=1024, win_length=1024, hop_length=256, window="blackman", center=False, n_mels=64, fmax=8000, power=1),
)
