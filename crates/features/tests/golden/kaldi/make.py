"""Writes the archives in this folder with kaldi_native_io, which contains Kaldi's I/O code, and the values it reads back
as .npy. Usage: python make.py (kaldi_native_io 1.23, NumPy 2)."""

import os

import kaldi_native_io as kio
import numpy as np

os.chdir(os.path.dirname(os.path.abspath(__file__)))
rng = np.random.default_rng(1)
utterances = {
    "utt-a": (rng.normal(size=(7, 3)) * [1, 10, 100] + [0, -5, 50]).astype(np.float32),
    "utt-b": rng.normal(size=(11, 3)).astype(np.float32),
}
labels = {"utt-a": [0, 1, 1, 2, 2, 2, 0], "utt-b": [3] * 11}


def read_back(name):
    with kio.SequentialFloatMatrixReader(f"scp:{name}.scp") as reader:
        for key, value in reader:
            np.save(f"{name}.{key}.npy", np.array(value, dtype=np.float32))


for name, options in {"float": "", "text": ",t"}.items():
    with kio.FloatMatrixWriter(f"ark,scp{options}:{name}.ark,{name}.scp") as writer:
        for key, value in utterances.items():
            writer.write(key, value)
    read_back(name)
with kio.DoubleMatrixWriter("ark,scp:double.ark,double.scp") as writer:
    for key, value in utterances.items():
        writer.write(key, value.astype(np.float64))
with kio.SequentialDoubleMatrixReader("scp:double.scp") as reader:
    for key, value in reader:
        np.save(f"double.{key}.npy", np.array(value).astype(np.float32))
methods = {
    "cm": kio.CompressionMethod.kSpeechFeature,
    "cm2": kio.CompressionMethod.kTwoByteAuto,
    "cm3": kio.CompressionMethod.kOneByteAuto,
}
for name, method in methods.items():
    with kio.CompressedMatrixWriter(f"ark,scp:{name}.ark,{name}.scp") as writer:
        for key, value in utterances.items():
            writer.write(key, value, method)
    read_back(name)
for name, options in {"ali": "", "ali_text": ",t"}.items():
    with kio.Int32VectorWriter(f"ark{options}:{name}.ark") as writer:
        for key, value in labels.items():
            writer.write(key, value)
