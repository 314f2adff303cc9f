"""Writes the arrays in this folder with NumPy. Usage: python make.py (NumPy 2)."""

import os

import numpy as np

here = os.path.dirname(os.path.abspath(__file__))
base = (np.arange(12, dtype=np.float64).reshape(4, 3) - 5.5) * 0.25


def save(name, array):
    np.save(os.path.join(here, name + ".npy"), array)


for dtype in ("f2", "f4", "f8"):
    save(f"c_{dtype}", base.astype("<" + dtype))
    save(f"fortran_{dtype}", np.asfortranarray(base.astype("<" + dtype)))
save("big_endian_f4", base.astype(">f4"))
for name, array in {
    "labels_u1": np.array([0, 1, 255, 2], "u1"),
    "labels_i8": np.array([0, 1, 255, 2], "<i8"),
    "labels_u2_big_endian": np.array([0, 1, 255, 2], ">u2"),
    "labels_negative": np.array([0, -1, 2], "<i4"),
}.items():
    save(name, array)
bad = base.astype("<f4").copy()
bad[2, 1] = np.nan
save("nan_at_2_1", bad)
bad = np.asfortranarray(base.astype("<f8"))
bad[3, 0] = -np.inf
save("infinite_at_3_0", bad)
save("one_dimension", np.arange(3, dtype="<f4"))
save("complex", base.astype("<c8"))
