#!/usr/bin/env bash
# Downloads, verifies and unpacks LJSpeech 1.1 (public domain, Keith Ito and Linda Johnson 2017).
#
# usage: scripts/download_ljspeech.sh FOLDER
#
# The download is 2.6 GB. An interrupted download resumes; an existing folder is skipped.
set -euo pipefail

address=https://data.keithito.com/data/speech/LJSpeech-1.1.tar.bz2
sha256=be1a30453f28eb8dd26af4101ae40cbf2c50413b1bb21936cbcdc6fae3de8aa5

if [ $# -ne 1 ]; then
    sed -n '2,6s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
folder=$1
mkdir -p "$folder"
if [ -d "$folder/LJSpeech-1.1" ]; then
    echo "$folder/LJSpeech-1.1 already exists"
    exit 0
fi
archive=$folder/LJSpeech-1.1.tar.bz2
curl --fail --location --continue-at - --output "$archive" "$address"
if ! echo "$sha256  $archive" | sha256sum --check --quiet -; then
    echo "$archive has a wrong checksum: delete it and try again" >&2
    exit 3
fi
# Unpack into a temporary folder and move it, so an existing folder is always complete.
scratch=$(mktemp -d "$folder/unpacking.XXXXXX")
tar --extract --bzip2 --file "$archive" --directory "$scratch"
mv "$scratch/LJSpeech-1.1" "$folder/LJSpeech-1.1"
rm -r "$scratch" "$archive"
echo "Unpacked $folder/LJSpeech-1.1. To make a feature pack:"
echo "  padwise prepare $folder/LJSpeech-1.1 --features tacotron-mel80 --resample --out datasets/ljspeech.pack"
