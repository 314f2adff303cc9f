#!/usr/bin/env bash
# Downloads LJSpeech 1.1 (public domain, Keith Ito and Linda Johnson 2017), checks it and unpacks it.
#
# usage: scripts/download_ljspeech.sh FOLDER
#
# 2.6 GB. A download that was interrupted goes on where it stopped; a folder that is there already is left alone.
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
    echo "$folder/LJSpeech-1.1 is there already"
    exit 0
fi
archive=$folder/LJSpeech-1.1.tar.bz2
curl --fail --location --continue-at - --output "$archive" "$address"
if ! echo "$sha256  $archive" | sha256sum --check --quiet -; then
    echo "$archive is not LJSpeech 1.1: remove it and try again" >&2
    exit 3
fi
# Unpacked beside its place and moved there whole, so that a folder with its name is complete.
scratch=$(mktemp -d "$folder/unpacking.XXXXXX")
tar --extract --bzip2 --file "$archive" --directory "$scratch"
mv "$scratch/LJSpeech-1.1" "$folder/LJSpeech-1.1"
rm -r "$scratch" "$archive"
echo "$folder/LJSpeech-1.1: prepare it with"
echo "  padwise prepare $folder/LJSpeech-1.1 --features tacotron-mel80 --out datasets/ljspeech.pack"
