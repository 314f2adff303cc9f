#!/usr/bin/env python3
"""Installs PyTorch for the CPU into the environment of the Python that runs this script.

Takes PyTorch's own CPU build if its server can be reached. The build on PyPI is for CUDA, and its CUDA libraries take
gigabytes that the CPU never needs. So this installs it without them and builds empty libraries in their place, which
satisfy the loader. Such an installation has no GPU. Needs Linux, a C compiler and binutils.

usage: python install_torch.py   Exits 1 if PyTorch cannot be imported afterwards.
"""
import importlib.metadata
import pathlib
import re
import subprocess
import sys
import tempfile

VERSION = "2.15.0"
CPU_BUILDS = "https://download.pytorch.org/whl/cpu"
PIP = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
TEST = "import torch; assert not torch.cuda.is_available(); assert torch.distributed.is_gloo_available(); torch.nn.LSTM(2, 3)(torch.ones(4, 1, 2))"


def works():
    return subprocess.run([sys.executable, "-c", TEST], capture_output=True, text=True)


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def needed_libraries(library):
    return re.findall(r"\(NEEDED\).*\[(.+)\]", output("readelf", "-d", "-W", str(library)))


def needed_versions(library):
    """The versions of symbols that a library needs, as pairs of library and version."""
    file, versions = "", set()
    for line in output("readelf", "-V", "-W", str(library)).splitlines():
        if match := re.search(r"File: (\S+)", line):
            file = match[1]
        elif file and (match := re.search(r"Name: (\S+)\s+Flags", line)):
            versions.add((file, match[1]))
    return versions


def symbols(library):
    """The undefined symbols of a library as pairs of name and version, and the names of its defined ones."""
    undefined, defined = set(), set()
    for line in output("readelf", "--dyn-syms", "-W", str(library)).splitlines():
        fields = line.split()
        if len(fields) < 8 or not fields[0].rstrip(":").isdigit() or fields[4] not in ("GLOBAL", "WEAK"):
            continue
        name, _, version = fields[7].partition("@")
        if fields[6] != "UND":
            defined.add(name)
        elif fields[4] == "GLOBAL":
            undefined.add((name, version.lstrip("@")))
    return undefined, defined


def empty_function(name):
    """A function that reports an error: 100 is CUDA's "no device"."""
    if name.endswith(("String", "Name")):
        return f'const char *{name}(void) {{ return "no device"; }}\n'
    return f"int {name}(void) {{ return 100; }}\n"


def build_empty_libraries(folder):
    """Builds every library that PyTorch's libraries need and that this machine does not have."""
    libraries = sorted(folder.glob("*.so*"))
    needed = {name for library in libraries for name in needed_libraries(library)}
    found = {line.split()[0] for line in output("/sbin/ldconfig", "-p").splitlines()[1:]}
    missing = needed - found - {library.name for library in libraries}
    undefined, defined, versions = set(), set(), set()
    for library in libraries:
        ours = symbols(library)
        undefined |= ours[0]
        defined |= ours[1]
        versions |= needed_versions(library)
    # Libraries without symbol versions: the CUDA driver, cuFile, cuSPARSELt and NCCL.
    unversioned = {name for name, version in undefined if not version and name.startswith(("cu", "nccl"))} - defined
    for library in sorted(missing):
        nodes = sorted(version for file, version in versions if file == library)
        by_node = {node: sorted(name for name, version in undefined if version == node) for node in nodes}
        names = unversioned.union(*by_node.values()) if nodes else unversioned
        script = "".join(f"{node} {{ global: {'; '.join(by_node[node])}; }};\n" for node in nodes if by_node[node])
        source = "".join(map(empty_function, sorted(names)))
        with tempfile.TemporaryDirectory() as temporary:
            code, map_file = pathlib.Path(temporary, "empty.c"), pathlib.Path(temporary, "versions")
            code.write_text(source)
            map_file.write_text(script)
            options = [f"-Wl,--version-script={map_file}"] if script else []
            command = ["cc", "-shared", "-fPIC", "-w", "-fno-builtin", f"-Wl,-soname,{library}", *options]
            subprocess.run([*command, "-o", str(folder / library), str(code)], check=True)
    return missing


def drop_cuda_requirements(distribution):
    """Removes the CUDA libraries from PyTorch's requirements. Otherwise pip installs them with the next package."""
    [name] = [file for file in distribution.files or [] if file.name == "METADATA"]
    path = pathlib.Path(str(distribution.locate_file(name)))
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if not (line.startswith("Requires-Dist:") and "platform_system" in line)]
    path.write_text("".join(kept), encoding="utf-8")


def main():
    if works().returncode == 0:
        return
    cpu = [*PIP, "--timeout", "5", "--retries", "0", "--index-url", CPU_BUILDS, f"torch=={VERSION}"]
    if subprocess.run(cpu, stderr=subprocess.DEVNULL).returncode != 0:
        subprocess.run([*PIP, "--no-deps", f"torch=={VERSION}"], check=True)
        distribution = importlib.metadata.distribution("torch")
        drop_cuda_requirements(distribution)
        subprocess.run([*PIP, "numpy", f"torch=={VERSION}"], check=True)
        missing = build_empty_libraries(pathlib.Path(str(distribution.locate_file("torch"))) / "lib")
        print(f"PyTorch {VERSION} without {', '.join(sorted(missing))}")
    result = works()
    sys.stderr.write(result.stderr)
    sys.exit(0 if result.returncode == 0 else 1)


if __name__ == "__main__":
    main()
