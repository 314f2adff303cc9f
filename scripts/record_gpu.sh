#!/usr/bin/env bash
# Runs the experiments that need a GPU and records each in a folder below OUT. An interrupted experiment resumes.
#
# usage: scripts/record_gpu.sh PADWISE OUT [NAME…]
#
# NAME selects experiments (default: all). Experiments on real speech need LibriSpeech dev-clean as two feature packs,
# datasets/librispeech-dev-clean-{a,b}.pack; make them with `padwise prepare`. They have frame labels and, for CTC, targets:
# --targets chars, and --symbols datasets/librispeech-dev-clean-a.pack for the second.
set -euo pipefail
cd "$(dirname "$0")/.."

padwise=$1
out=$2
shift 2
wanted=("$@")

# The learning rate for real speech. With the rate in the configs a run may diverge, and then stops before its time is measured.
steady=(--set train.learning-rate=0.001 --set train.clip-norm=1.0)
speech=(
    --set 'corpus={packs=["../datasets/librispeech-dev-clean-a.pack","../datasets/librispeech-dev-clean-b.pack"],validation={speakers=6}}'
    "${steady[@]}"
)

# record NAME TITLE CONFIG OPTION…
record() {
    local name=$1 title=$2 config=$3
    shift 3
    if [ "${#wanted[@]}" -gt 0 ] && [[ " ${wanted[*]} " != *" $name "* ]]; then
        return
    fi
    local resume=()
    if [ -e "$out/$name/config.toml" ]; then
        resume=(--resume)
    fi
    echo "== $name"
    "$padwise" run "configs/$config.toml" --set 'train.backend="cuda"' --set "title=\"$title\"" "$@" --out "$out/$name" "${resume[@]}"
}

record doetsch-table2-librispeech 'Doetsch et al. (2017), table 2, on LibriSpeech dev-clean' doetsch-table2 "${speech[@]}" --set train.epochs=6
# Does the same seed reproduce the same run?
record doetsch-table2-librispeech-again 'Doetsch et al. (2017), table 2: batch construction' doetsch-table2 "${speech[@]}" --set train.epochs=6 --set 'train.seeds=[1]' \
    --set 'strategy=[{name="random",line="random"},{name="sorted",line="sorted"}]'
# Bins and buckets that pad as much as semi-sorted batching on these lengths, like the paper's 58 bins and 1,024 utterances on LJSpeech.
record ge-table2-librispeech 'Ge et al. (2021), tables 2 and 3, on LibriSpeech dev-clean' ge-table2 "${speech[@]}" --set train.epochs=6 \
    --set 'strategy.3.line="bucketed:count=192,shuffle-batches"' --set 'strategy.4.line="alternated:bins=13,shuffle-batches"'
# Do the losses of newer kernels agree with PyTorch's, too?
record loss-curves-librispeech 'Losses on LibriSpeech dev-clean, for comparison with PyTorch' ge-table2 "${speech[@]}" --set train.epochs=6 \
    --set 'strategy=[{name="RAND",line="random"},{name="SB",line="sorted"},{name="SSB",line="semi-sorted:lrf=0.1"}]'
record doetsch-table1-librispeech 'Doetsch et al. (2017), table 1, on LibriSpeech dev-clean' doetsch-table1 "${speech[@]}" --set train.epochs=6
# Are six epochs too few to show the cost of sorting, and do dynamic sizes improve with more steps?
record twelve-epochs-librispeech 'Twelve epochs of LibriSpeech dev-clean' ge-table2 "${speech[@]}" --set train.epochs=12 \
    --set 'strategy=[{name="RAND",line="random"},{name="SB",line="sorted"},{name="SSB",line="semi-sorted:lrf=0.1"},{name="SSB-DBS-BR",line="semi-sorted:lrf=0.1,dynamic-overshoot=16,shuffle-batches"}]'
# Do dynamic sizes, with four times as many utterances per batch, need a higher learning rate?
for rate in 0.002 0.004; do
    record "dynamic-sizes-rate-$rate" "Dynamic sizes at a learning rate of $rate" ge-table2 "${speech[@]}" --set "train.learning-rate=$rate" --set train.epochs=12 \
        --set 'strategy=[{name="SSB-DBS-BR",line="semi-sorted:lrf=0.1,dynamic-overshoot=16,shuffle-batches"}]' --set 'measure.baseline="SSB-DBS-BR"'
done
# Does it matter whether an epoch ends with long or short utterances? Alternated order ends with long ones for an odd number of bins.
record last-utterances 'Epochs that end with long utterances, and with short ones' doetsch-table2 "${speech[@]}" --set train.epochs=6 --set 'measure.baseline="1 bin: long last"' \
    --set 'strategy=[{name="1 bin: long last",line="alternated:bins=1"},{name="2 bins: short last",line="alternated:bins=2"},{name="3 bins: long last",line="alternated:bins=3"},{name="4 bins: short last",line="alternated:bins=4"}]'
# Is the last batch, which has only four utterances, the cause?
record last-utterances-whole-batches 'Epochs that end with long utterances, and with short ones, in whole batches' doetsch-table2 "${speech[@]}" --set train.epochs=6 \
    --set 'measure.baseline="1 bin: long last"' \
    --set 'strategy=[{name="1 bin: long last",line="alternated:bins=1,drop-last"},{name="2 bins: short last",line="alternated:bins=2,drop-last"}]'
# Speed and memory at the papers' scale: one epoch is enough.
record doetsch-table1-chime4 'Doetsch et al. (2017), table 1, lengths of CHiME-4' doetsch-table1 "${steady[@]}" --set train.epochs=1 --set 'train.seeds=[1,2]'
record doetsch-table2-chime4 'Doetsch et al. (2017), table 2, lengths of CHiME-4' doetsch-table2 "${steady[@]}" --set train.epochs=1
record ge-table2-ljspeech 'Ge et al. (2021), tables 2 and 3, lengths of LJSpeech' ge-table2 --set train.epochs=1 --set 'train.seeds=[1,2]' \
    --set corpus.validation.fresh=262
record anderson-smart-h200 'Anderson (2020): smart batching' anderson-smart --set train.epochs=1
record khomenko-buckets-h200 'Khomenko et al. (2016), figures 3 and 4: optimal buckets' khomenko-buckets --set train.epochs=3 --set 'train.seeds=[1,2]' \
    --set corpus.synthetic.utterances=2000 --set corpus.validation.fresh=100
record doetsch-table2-wgpu 'Doetsch et al. (2017), table 2, through Vulkan' doetsch-table2 "${steady[@]}" --set 'train.backend="wgpu"' \
    --set corpus.synthetic.utterances=800 --set corpus.validation.fresh=40 --set train.epochs=1
# CTC on transcripts, for comparison with PyTorch (scripts/peer.py). The second has more seeds of the first epochs, in which runs differ most.
ctc=("${speech[@]}" --set 'strategy=[{name="sorted, then shuffled",line="sorted,shuffle-later"}]' --set 'measure.baseline="sorted, then shuffled"')
record librispeech-ctc 'LibriSpeech dev-clean, CTC on characters' librispeech "${ctc[@]}"
record librispeech-ctc-first-epochs 'LibriSpeech dev-clean, CTC on characters: the first two epochs of more seeds' librispeech "${ctc[@]}" \
    --set train.epochs=2 --set 'train.seeds=[3,4,5,6,7,8]'
# Word error rates: hybrid models, decoded with a lexicon and a trigram. These need LibriSpeech test-clean as two packs, and
# datasets/lexicon-20k.txt.gz and datasets/gutenberg-20k-3gram.arpa (any lexicon and ARPA model with the packs' phones).
# words NAME TITLE CONFIG STATES TEST OPTION…
words() {
    local name=$1 title=$2 config=$3 states=$4 test=$5
    shift 5
    record "$name" "$title" "$config" "${steady[@]}" --set train.epochs=6 --set model.dropout=0.3 \
        --set "corpus={packs=[\"../datasets/librispeech-dev-clean-a.pack\",\"../datasets/librispeech-dev-clean-b.pack\"],validation={speakers=6},test=$test,states=$states}" \
        --set 'measure.words={lexicon="../datasets/lexicon-20k.txt.gz",language-model="../datasets/gutenberg-20k-3gram.arpa",max-active=2500}' "$@"
}
test_clean='{packs=["../datasets/librispeech-test-clean-a.pack","../datasets/librispeech-test-clean-b.pack"]}'
one_run=(--set 'train.seeds=[1]' --set 'strategy=[{name="random",line="random"}]')
words doetsch-table2-words 'Doetsch et al. (2017), table 2, with word error rates' doetsch-table2 '{tied=1500}' "$test_clean"
words doetsch-table1-words 'Doetsch et al. (2017), table 1, with word error rates' doetsch-table1 '{tied=1500}' "$test_clean" \
    --set measure.words.lm-scale=10 # as tuned for table 2: the first row here is too poor to tune on
# Which classes give the fewest word errors?
for states in '"phones"' '"thirds"' '{tied=1500}'; do
    words "words-${states//[^a-z]/}" "Word error rate by kind of classes: ${states//[^a-z]/}" doetsch-table2 "$states" "$test_clean" "${one_run[@]}"
done
# Posteriors of held-out speakers, to decode them with scripts/decode_with_kaldi.py as well.
words words-posteriors 'Posteriors of phones, for a comparison of decoders' doetsch-table2 '"phones"' '{speakers=4}' "${one_run[@]}" \
    --set measure.words.keep-posteriors=true
# Figure 5 of Khomenko et al., and which strategies divide well over workers. On one GPU the workers take turns.
record khomenko-workers-librispeech 'Khomenko et al. (2016), figure 5, on LibriSpeech dev-clean' khomenko-workers "${speech[@]}" \
    --set 'train.optimiser="adam"' --set model.hidden=512 --set train.epochs=12
record workers-balance-librispeech 'Balance of four workers, by strategy, on LibriSpeech dev-clean' workers-balance "${speech[@]}" --set model.hidden=512 --set train.epochs=3
# Strategies at convergence: first the learning rate of each on the validation speakers, with a seed that the study does not use.
for rate in 0.0005 0.001 0.002 0.004; do
    record "study-rate-$rate" "Batching strategies at convergence, learning rate $rate" study --set "train.learning-rate=$rate" --set 'train.seeds=[101]' \
        --set 'measure={baseline="random"}'
done
record study 'Batching strategies at convergence' study
# Do other seeds give the same verdicts?
record study-again 'Batching strategies at convergence, with other seeds' study --set 'train.seeds=[11,12,13,14,15,16,17,18]'
# Do dynamic sizes and smart batches catch up with more epochs? In the study many of their runs reached the limit, and smart batches
# had half the learning rate of the others.
record study-longer 'Dynamic sizes and smart batches for up to 24 epochs' study --set train.epochs=24 --set 'measure.baseline="semi-sorted, dynamic sizes"' \
    --set 'strategy=[{name="semi-sorted, dynamic sizes",line="semi-sorted:lrf=0.1,dynamic-overshoot=16,shuffle-batches"},{name="smart",line="smart"}]'
# What do strategies gain if padding is neither stored nor multiplied?
record doetsch-table2-packed 'Doetsch et al. (2017), table 2, on LibriSpeech dev-clean, packed batches' doetsch-table2 "${speech[@]}" --set train.epochs=2 \
    --set 'model.padding="packed"'
# Do the findings hold for a small corpus? Needs the packs that the config names.
record an4-strategies 'AN4, CTC on characters, six strategies' an4 --set train.epochs=40 --set 'train.seeds=[1,2,3,4]' \
    --set 'strategy=[{name="random",line="random"},{name="sorted",line="sorted"},{name="sorted, shuffled batches",line="sorted,shuffle-batches"},{name="semi-sorted",line="semi-sorted:lrf=0.1"},{name="buckets",line="bucketed:count=16,shuffle-batches"},{name="semi-sorted, dynamic sizes",line="semi-sorted:lrf=0.1,dynamic-overshoot=8,shuffle-batches"}]'
# And for another language? Needs the packs that the config names.
record iban 'Iban radio news, CTC on characters' iban
