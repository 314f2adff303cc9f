#!/usr/bin/env python3
"""Decodes posteriors into words with kaldi-decoder, to verify `padwise decode`.

usage: decode_with_kaldi.py --posteriors DIR --lexicon FILE --lm FILE --phones FILE (--durations FILE | --ctc) [options]

Needs Python packages: kaldi-decoder, kaldifst, numpy. See `--help` for all options.

DIR contains one ID.npy per utterance (frames × classes, log posteriors), `priors.txt` (one probability per class) and
`text` (lines of ID and transcript). The lexicon and the ARPA model may be compressed with gzip.

The model is the one of `padwise decode`: three states per phone with self-loops, any number of fillers between words,
no pronunciation probabilities, and a back-off language model. With `--ctc`, the last class is the blank, and there are
no durations, fillers or priors. The graph is static and has free back-off arcs: a path may back off although the
explicit n-gram exists. So each result is scored again, without the graph, with exact language model scores. A result
whose two scores agree is optimal up to pruning. The others are counted.

Prints the word error rate and the speed, and writes lines of ID, exact score and words to `--out`.
"""
import argparse
import hashlib
import json
import pathlib
import sys
import time

import kaldi_decoder
import kaldifst
import numpy as np

import kaldi_graph


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Decode posteriors with kaldi-decoder.")
    parser.add_argument(
        "--posteriors", type=pathlib.Path, required=True, help="folder with .npy files, priors.txt and text"
    )
    parser.add_argument("--lexicon", type=pathlib.Path, required=True, help="lines of a word and its phones")
    parser.add_argument("--lm", type=pathlib.Path, required=True, help="ARPA language model")
    topology = parser.add_mutually_exclusive_group(required=True)
    topology.add_argument("--durations", type=pathlib.Path, help="mean frames of each phone")
    topology.add_argument("--ctc", action="store_true", help="decode CTC posteriors")
    parser.add_argument(
        "--phones", type=pathlib.Path, required=True, help="names of the phones, in the order of the classes"
    )
    parser.add_argument("--lm-scale", type=float, default=5.0, help="weight of the language model (default 5)")
    parser.add_argument("--prior-scale", type=float, default=1.0, help="weight of the priors (default 1)")
    parser.add_argument("--word-penalty", type=float, default=0.0, help="subtracted per word (default 0)")
    parser.add_argument("--beam", type=float, default=200.0, help="largest distance from the best path (default 200)")
    parser.add_argument("--max-active", type=int, default=20000, help="most states per frame (default 20000)")
    parser.add_argument("--limit", type=int, help="decode only the first N utterances")
    parser.add_argument(
        "--cache", type=pathlib.Path, default=pathlib.Path("target/kaldi-graphs"), help="folder for graphs"
    )
    parser.add_argument("--out", type=pathlib.Path, help="write ID, exact score and words to this file")
    return parser.parse_args()


def digest(*parts) -> str:
    """A name for a cached file: changes with the content of files and with values."""
    state = hashlib.sha256(pathlib.Path(kaldi_graph.__file__).read_bytes())
    for part in parts:
        state.update(part.read_bytes() if isinstance(part, pathlib.Path) else repr(part).encode())
    return state.hexdigest()[:16]


def word_errors(reference: list[str], hypothesis: list[str]) -> int:
    """Substitutions, deletions and insertions."""
    row = list(range(len(hypothesis) + 1))
    for index, word in enumerate(reference, 1):
        diagonal, row[0] = row[0], index
        for column, other in enumerate(hypothesis, 1):
            diagonal, row[column] = row[column], min(diagonal + (word != other), row[column] + 1, row[column - 1] + 1)
    return row[-1]


def decode(graph, acoustic: np.ndarray, beam: float, max_active: int) -> tuple[list[int], float] | None:
    """Output labels and score of the best path, or None if no path reached a final state."""
    options = kaldi_decoder.FasterDecoderOptions(beam=beam, max_active=max_active)
    decoder = kaldi_decoder.FasterDecoder(graph, options)
    decoder.decode(kaldi_decoder.DecodableCtc(np.ascontiguousarray(acoustic, dtype=np.float32)))
    found, path = decoder.get_best_path()
    if not found or not decoder.reached_final():
        return None
    _, _, labels, weight = kaldifst.get_linear_symbol_sequence(path)
    return labels, -(weight.value1 + weight.value2)


def main() -> None:
    options = arguments()
    began = time.monotonic()

    def say(message: str) -> None:
        print(f"{time.monotonic() - began:7.1f} s  {message}", file=sys.stderr, flush=True)

    phones = kaldi_graph.read_phones(options.phones)
    durations = None if options.ctc else kaldi_graph.read_numbers(options.durations)
    log_priors = np.zeros(len(phones) + 1)
    if not options.ctc:
        log_priors = np.log(kaldi_graph.read_numbers(options.posteriors / "priors.txt"))
    lexicon = kaldi_graph.read_lexicon(options.lexicon, phones)
    fillers = [phones.index(filler) for filler in kaldi_graph.FILLERS if filler in phones]
    model = kaldi_graph.read_arpa(options.lm)
    say(f"read {len(lexicon):,} words and {len(model.scores):,} n-grams")

    options.cache.mkdir(parents=True, exist_ok=True)
    base = options.cache / f"lg-{digest(options.lexicon, options.lm, options.phones)}.fst"
    names = base.with_suffix(".json")
    if not (base.exists() and names.exists()):
        names.write_text(json.dumps(kaldi_graph.lexicon_and_grammar(lexicon, model, phones, base, say=say)))
    words = json.loads(names.read_text())
    scales = (options.lm_scale, options.word_penalty)
    if options.ctc:
        expanded = options.cache / f"ctc-{digest(base.name, *scales)}.fst"
    else:
        expanded = options.cache / f"hlg-{digest(base.name, durations.tolist(), len(log_priors), *scales)}.fst"
    if not expanded.exists():
        if options.ctc:
            size = kaldi_graph.expand_ctc(base, expanded, len(phones), *scales)
        else:
            size = kaldi_graph.expand_phones(base, expanded, durations, len(log_priors), *scales)
        say(f"with the states of each phone: {size}")
    graph = kaldifst.StdConstFst.read(str(expanded))
    say(f"graph {expanded}")

    transcripts = [line.split() for line in (options.posteriors / "text").read_text().splitlines()]
    errors = total = frames = failed = backed_off = disagree = 0
    seconds = 0.0
    lines = []
    for name, *reference in transcripts[: options.limit]:
        log_posteriors = np.load(options.posteriors / f"{name}.npy").astype(np.float64)
        acoustic = (log_posteriors - options.prior_scale * log_priors).astype(np.float32)
        started = time.monotonic()
        result = decode(graph, acoustic, options.beam, options.max_active)
        seconds += time.monotonic() - started
        frames += len(acoustic)
        total += len(reference)
        if result is None:
            failed += 1
            errors += len(reference)
            lines.append(f"{name}\t-inf\t")
            continue
        hypothesis = [words[label - 1] for label in result[0]]
        errors += word_errors(reference, hypothesis)
        if options.ctc:
            acoustic_score = kaldi_graph.align_ctc(hypothesis, lexicon, acoustic)
        else:
            acoustic_score = kaldi_graph.align(hypothesis, lexicon, fillers, durations, acoustic)
        rest = acoustic_score - options.word_penalty * len(hypothesis)
        exact = rest + options.lm_scale * model.score(hypothesis)
        free = rest + options.lm_scale * model.free_back_off_score(hypothesis)
        if free - exact > 1e-6:
            backed_off += 1
            say(f"{name}: backing off from an explicit n-gram gains {free - exact:.4f}")
        if abs(free - result[1]) > 0.05:
            disagree += 1
            say(f"{name}: kaldi-decoder scores {result[1]:.4f}, rescoring {free:.4f}")
        lines.append(f"{name}\t{exact:.4f}\t{' '.join(hypothesis)}")
    if options.out:
        options.out.write_text("".join(line + "\n" for line in lines))
    print(f"WER {100 * errors / max(total, 1):.2f} % ({errors} errors, {total} words, {len(lines)} utterances)")
    print(f"{frames} frames in {seconds:.1f} s ({1000 * seconds / max(frames, 1):.2f} ms per frame)")
    print(f"{failed} without a complete path")
    print(f"{backed_off} back off from an explicit n-gram; {disagree} have another score without the graph")


if __name__ == "__main__":
    main()
