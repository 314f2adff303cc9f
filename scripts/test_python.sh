#!/usr/bin/env bash
# Builds the wheel of crates/python and runs its tests and examples in a new environment.
# usage: scripts/test_python.sh     Needs Python 3.10 or newer with venv, and PyPI. Exits 1 if a check fails.
set -euo pipefail
cd "$(dirname "$0")/.."

environment=$(mktemp -d)
trap 'rm -rf "$environment"' EXIT
# The examples need two gigabytes, which a cache would double.
export PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1

run() {
    echo "== $*"
    "$@"
}

if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || ! python3 -m venv "$environment" >/dev/null 2>&1; then
    echo "SKIPPED the Python package: it needs Python 3.10 or newer with venv"
    exit
fi
export PATH="$environment/bin:$PATH"
if ! pip install --quiet 'maturin>=1.9,<2' numpy pytest mypy; then
    echo "SKIPPED the Python package: maturin, numpy, pytest and mypy cannot be installed"
    exit
fi

run maturin build --release --locked --quiet --manifest-path crates/python/Cargo.toml --out "$environment/wheels"
run pip install --quiet --no-deps "$environment"/wheels/padwise-*.whl

cd crates/python
run mypy
(cd "$environment" && run python -m mypy.stubtest padwise._padwise)

# Without PyTorch, pytest reports the tests that it skips.
if ! { python ../../scripts/install_torch.py &&
    pip install --quiet torchdata==0.11.0 lightning==2.6.6 transformers==5.22.2 accelerate==1.15.0; }; then
    echo "SKIPPED the examples of the Python package: PyTorch or a package that uses it cannot be installed"
fi
run python -m pytest -rs -p no:cacheprovider
