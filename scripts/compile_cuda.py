#!/usr/bin/env python3
"""Compiles every CUDA kernel for each architecture with NVRTC, without a GPU; fails on an error or a spilled register.

usage: compile_cuda.py [--all] [--nvrtc FOLDER]

Sources come from `cargo run -p padwise-cuda-kernels --example sources`. NVRTC is loaded from FOLDER, or installed with pip into the
build folder. --all compiles every size of the recurrence up to 1,024 units and every third above: about 16,000 kernels.
"""

import argparse
import ctypes
import multiprocessing
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# CubeCL's options, and a report of register use.
OPTIONS = ["-lineinfo", "--ptxas-options=-v"]


def libraries(folder: pathlib.Path) -> ctypes.CDLL:
    """Loads NVRTC and, before it, the library that NVRTC looks up by name."""
    found = {path.name.split(".so")[0]: path for path in sorted(folder.rglob("libnvrtc*.so.13*"))}
    ctypes.CDLL(str(found["libnvrtc-builtins"]), mode=ctypes.RTLD_GLOBAL)
    return ctypes.CDLL(str(found["libnvrtc"]))


def number(source: bytes, name: str) -> int:
    """The value of a #define."""
    return int(re.search(rf"#define {name} (\d+)".encode(), source).group(1))


def compile_one(job: tuple) -> tuple:
    """Compiles one source; returns its path, the error if any, registers and spilled bytes."""
    folder, path = job
    nvrtc = libraries(folder)
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    source = path.read_bytes()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, path.name.encode(), 0, None, None)
    options = [f"--gpu-architecture={path.parent.name}", *OPTIONS]
    array = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
    failed = nvrtc.nvrtcCompileProgram(program, len(options), array)
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    text = log.value.decode()
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    registers = [int(number) for number in re.findall(r"Used (\d+) registers", text)]
    # A stack frame holds spilled registers, or arrays that are indexed at run time.
    spilled = sum(int(number) for number in re.findall(r"(\d+) bytes (?:stack|spill)", text))
    if failed or not registers:
        return path, text, 0, 0
    # Then it waits for every multiplication of a warpgroup.
    if "wgmma.mma_async instructions are serialized" in text:
        return path, text, 0, 0
    # Warps can pass on registers only if a block begins with all of them.
    if b"#define MULTIPLY_REGISTERS" in source:
        warps, groups, cell_warps = (number(source, name) for name in ("WARPS", "CELL_GROUPS", "CELL_WARPS"))
        expected = 65536 // (32 * (warps + groups * cell_warps)) // 8 * 8
        if max(registers) != expected:
            return path, f"begins with {max(registers)} registers instead of {expected}", 0, 0
    return path, None, max(registers), spilled


def install(folder: pathlib.Path) -> pathlib.Path:
    """Installs NVRTC with pip, unless it is installed."""
    if not list(folder.rglob("libnvrtc.so.13*")):
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder)]
        subprocess.run([*command, "nvidia-cuda-nvrtc==13.0.*"], check=True)
    return folder


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--all", action="store_true", help="compile many more sizes of the recurrence")
    parser.add_argument("--nvrtc", type=pathlib.Path, metavar="FOLDER", help="folder with the NVRTC libraries (default: install them)")
    arguments = parser.parse_args()
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
    folder = arguments.nvrtc or install(target / "nvrtc")
    with tempfile.TemporaryDirectory() as sources:
        command = "cargo run --quiet --locked -p padwise-cuda-kernels --example sources --".split()
        subprocess.run([*command, sources, *(["--all"] if arguments.all else [])], check=True, cwd=ROOT)
        return compile_all([(folder, path) for path in sorted(pathlib.Path(sources).rglob("*.cu"))])


def compile_all(jobs: list) -> int:
    """Compiles on all cores, prints errors and returns the exit code."""
    wrong = 0
    # Replace processes after a few kernels, because the compiler does not free memory.
    with multiprocessing.Pool(maxtasksperchild=8) as pool:
        for path, error, registers, spilled in pool.imap_unordered(compile_one, jobs):
            name = f"{path.parent.name}/{path.stem}"
            if error is not None:
                print(f"{name}: does not compile or cannot run\n{error}")
            elif spilled:
                print(f"{name}: {registers} registers, {spilled} bytes spilled")
            wrong += error is not None or spilled > 0
    print(f"{len(jobs)} kernels compiled, {wrong} with an error or a spill")
    return 1 if wrong or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
