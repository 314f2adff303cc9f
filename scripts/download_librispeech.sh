#!/usr/bin/env bash
# Downloads, verifies and unpacks sets of LibriSpeech (CC BY 4.0, Panayotov et al. 2015) from OpenSLR.
#
# usage: scripts/download_librispeech.sh FOLDER [SET...]
#
# Sets are dev-clean (the default), dev-other, test-clean, test-other, train-clean-100, train-clean-360 and
# train-other-500. An interrupted download resumes; an existing set is skipped. The checksums are published by OpenSLR.
# The set `words` is LibriSpeech's lexicon (with and without stress marks) and its pruned trigram, for word error rates.
set -euo pipefail

site=https://www.openslr.org/resources/12

if [ $# -lt 1 ]; then
    sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
folder=$1
shift
[ $# -gt 0 ] || set -- dev-clean

md5_of() {
    case $1 in
        dev-clean) echo 42e2234ba48799c1f50f24a7926300a1 ;;
        dev-other) echo c8d0bcc9cca99d4f8b62fcc847357931 ;;
        test-clean) echo 32fa31d27d2e1cad72775fee3f4849a9 ;;
        test-other) echo fb5a50374b501bb3bac4815ee91d3135 ;;
        train-clean-100) echo 2a93770f6d5c6c964bc36631d331a522 ;;
        train-clean-360) echo c0e676e450a7ff2f54aeade5171606fa ;;
        train-other-500) echo d1a0fd59409feb2c614ce4d30c387708 ;;
        *)
            echo "unknown LibriSpeech set: $1; run $0 without arguments for a list" >&2
            exit 2
            ;;
    esac
}

# OpenSLR publishes no checksums for these files, so only their form is checked.
download_words() {
    local model=3-gram.pruned.1e-7.arpa.gz lexicon=librispeech-lexicon
    for file in "$lexicon.txt" "$model"; do
        curl --fail --location --continue-at - --output "$folder/$file" "https://www.openslr.org/resources/11/$file"
    done
    gzip --test "$folder/$model"
    # 39 phones, as in most alignments: AH0 and AH1 become AH.
    sed -E ':again; s/([[:space:]][A-Z]+)[0-2]([[:space:]]|$)/\1\2/; t again' "$folder/$lexicon.txt" > "$folder/$lexicon-39.txt"
    echo "Downloaded $folder/$model, $folder/$lexicon.txt and $folder/$lexicon-39.txt (without stress marks)."
}

mkdir -p "$folder"
for set in "$@"; do
    if [ "$set" = words ]; then
        download_words
        continue
    fi
    md5=$(md5_of "$set")
    if [ -d "$folder/LibriSpeech/$set" ]; then
        echo "$folder/LibriSpeech/$set already exists"
        continue
    fi
    archive=$folder/$set.tar.gz
    curl --fail --location --continue-at - --output "$archive" "$site/$set.tar.gz"
    if ! echo "$md5  $archive" | md5sum --check --quiet -; then
        echo "$archive has a wrong checksum: delete it and try again" >&2
        exit 3
    fi
    # Unpack into a temporary folder and move it, so an existing folder is always complete.
    scratch=$(mktemp -d "$folder/unpacking.XXXXXX")
    tar --extract --gzip --file "$archive" --directory "$scratch"
    mkdir -p "$folder/LibriSpeech"
    mv "$scratch/LibriSpeech/$set" "$folder/LibriSpeech/$set"
    rm -r "$scratch" "$archive"
    echo "Unpacked $folder/LibriSpeech/$set. To make a feature pack:"
    echo "  padwise prepare $folder/LibriSpeech/$set --targets chars --out datasets/librispeech-$set.pack"
done
