#!/bin/sh
# Compares the speed of the front end with kaldi-native-fbank on a folder of FLAC files.
#
# usage: scripts/bench_front_end.sh [FOLDER [ROUNDS]]
#
# FOLDER is searched for .flac files (default: librispeech/audio in $PADWISE_DATA). ROUNDS defaults to 7.
# Python packages are installed into a virtual environment in the build folder.
set -eu
cd "$(dirname "$0")/.."
folder=${1:-${PADWISE_DATA:-../shared/data}/librispeech/audio}
rounds=${2:-7}
target=${CARGO_TARGET_DIR:-target}

cargo build --release --quiet -p padwise-features --example extract_dir
venv=$target/bench-front-end-venv
if ! [ -x "$venv/bin/python" ]; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet kaldi-native-fbank==1.22.4 numpy soundfile
fi
exec "$venv/bin/python" scripts/bench_front_end.py "$target/release/examples/extract_dir" "$folder" "$rounds"
