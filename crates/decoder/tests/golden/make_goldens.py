#!/usr/bin/env python3
"""Makes the golden files of the decoder's tests: posteriors, a lexicon, a language model and the best word sequences.

usage: make_goldens.py DEV_CLEAN_A DEV_CLEAN_B LEXICON [--check-only]

DEV_CLEAN_A and DEV_CLEAN_B are folders with labels.u8, index.csv, text.tsv and phones.txt of LibriSpeech's dev-clean
set. LEXICON has lines of a word and its phones, from the CMU Pronouncing Dictionary. Needs Python packages:
kaldi-decoder, kaldifst, numpy. Writes into the folder of this script.

The posteriors are made from the frame labels, with errors from noise that is correlated in time. kaldi-decoder finds
the best words without pruning, in a graph in which every history has an arc with the exact score of every word. Each
result is checked twice: a plain Viterbi search for its words gives the same score, and exchanging any of its words for
a homophone gives a lower score. Tiny cases are compared with a search through all paths.
"""
import argparse
import csv
import itertools
import math
import pathlib
import sys
import tempfile
import zlib
from collections import Counter, defaultdict

import kaldifst
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[3] / "scripts"))

import kaldi_graph  # noqa: E402
from decode_with_kaldi import decode, word_errors  # noqa: E402

UTTERANCES = 12
VOCABULARY = 230
# Without pruning: no score comes near it.
BEAM = 1e9
STEP = 0.1
# Frames of the longest utterance.
LONGEST = 260
NO_LIMIT = 2**31 - 1
Settings = tuple[float, float, float]


# Posteriors


def smooth(rows: np.ndarray, width: int, unit_variance: bool = False) -> np.ndarray:
    """Each column convolved with a Hann window of this many frames."""
    window = np.hanning(width + 2)[1:-1]
    window /= np.sqrt((window**2).sum()) if unit_variance else window.sum()
    padded = np.pad(rows, ((width // 2, width // 2), (0, 0)), mode="edge")
    return np.stack([np.convolve(column, window, "valid") for column in padded.T], axis=1)


def pseudo_posteriors(
    name: str, labels: np.ndarray, priors: np.ndarray, noise: float = 2.4, contrast: float = 6.0, width: int = 5
) -> np.ndarray:
    """Log posteriors of a model that is often wrong for several frames in a row."""
    random = np.random.default_rng(zlib.crc32(name.encode()))
    errors = smooth(random.standard_normal((len(labels), len(priors))), 9, unit_variance=True)
    logits = contrast * smooth(np.eye(len(priors))[labels], width) + noise * errors + np.log(priors)
    return logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))


def quantise(log_posteriors: np.ndarray) -> np.ndarray:
    return np.clip(np.round(-log_posteriors / STEP), 0, 255).astype(np.uint8)


def runs(labels: np.ndarray) -> list[tuple[int, int, int]]:
    """Label, first frame and frames of each stretch of equal labels."""
    starts = [0, *(np.flatnonzero(np.diff(labels.astype(int))) + 1).tolist(), len(labels)]
    return [(int(labels[begin]), begin, end - begin) for begin, end in itertools.pairwise(starts)]


def state_labels(labels: np.ndarray) -> np.ndarray:
    """Classes of three states per phone: each stretch in three nearly equal parts."""
    states = labels.astype(int) * 3
    for _, begin, frames in runs(labels):
        for frame in range(frames):
            states[begin + frame] += 3 * frame // frames
    return states


def ctc_labels(labels: np.ndarray, fillers: int, blank: int) -> np.ndarray:
    """Labels at half the frame rate: one or two frames in the middle of each phone, blanks elsewhere."""
    spikes = np.full((len(labels) + 1) // 2, blank)
    for label, begin, frames in runs(labels):
        if label >= fillers:
            middle = (begin + frames // 2) // 2
            spikes[middle : middle + 1 + (frames > 8)] = label - fillers
    return spikes


# Language model


def train(sentences: list[list[str]], vocabulary: list[str]) -> kaldi_graph.LanguageModel:
    """A trigram with Witten-Bell discounting and without interpolation. N-grams seen once are left out.

    A word outside the vocabulary ends one stretch of words and begins the next. The probability reserved for unseen
    words differs from word to word. Otherwise unseen homophones would be equally good, and the best words not unique.
    """
    known = {*vocabulary, "<s>", "</s>"}
    counts: dict[tuple[str, ...], Counter] = defaultdict(Counter)
    for sentence in sentences:
        words = ["<s>", *sentence, "</s>"]
        for end in range(1, len(words)):
            for length in (0, 1, 2):
                ngram = words[max(0, end - length) : end + 1]
                if len(ngram) == length + 1 and known.issuperset(ngram):
                    counts[tuple(ngram[:-1])][ngram[-1]] += 1
    probabilities: dict[tuple[str, ...], float] = {("<s>",): 1e-99}
    back_offs: dict[tuple[str, ...], float] = {}
    words = [*vocabulary, "</s>"]
    total, types = sum(counts[()].values()), len(counts[()])
    shares = 1.0 + (0.618 * np.arange(len(words))) % 1.0
    for word, share in zip(words, shares / shares.sum()):
        probabilities[(word,)] = float((counts[()][word] + types * share) / (total + types))

    def probability(history: tuple[str, ...], word: str) -> float:
        if (*history, word) in probabilities:
            return probabilities[(*history, word)]
        return back_offs.get(history, 1.0) * probability(history[1:], word)

    for length in (1, 2):
        for history in sorted(history for history in counts if len(history) == length):
            if length == 2 and history not in probabilities:
                continue
            seen = counts[history]
            kept = {word: count for word, count in sorted(seen.items()) if count > 1}
            if not kept:
                continue
            explicit = {word: count / (sum(seen.values()) + len(seen)) for word, count in kept.items()}
            lower = sum(probability(history[1:], word) for word in explicit)
            for word, value in explicit.items():
                probabilities[(*history, word)] = value
            # A history with all words explicit never backs off.
            if 1 - lower > 1e-9:
                back_offs[history] = (1 - sum(explicit.values())) / (1 - lower)
    model = kaldi_graph.LanguageModel(order=3)
    model.scores = {ngram: math.log(value) for ngram, value in probabilities.items()}
    model.back_offs = {ngram: math.log(value) for ngram, value in back_offs.items()}
    return model


def write_arpa(path: pathlib.Path, model: kaldi_graph.LanguageModel) -> None:
    orders = range(1, model.order + 1)
    by_order = {order: sorted(ngram for ngram in model.scores if len(ngram) == order) for order in orders}
    lines = ["\\data\\", *(f"ngram {order}={len(ngrams)}" for order, ngrams in by_order.items()), ""]
    for order, ngrams in by_order.items():
        lines.append(f"\\{order}-grams:")
        for ngram in ngrams:
            columns = [f"{model.scores[ngram] / kaldi_graph.LN10:.4f}", " ".join(ngram)]
            if ngram in model.back_offs:
                columns.append(f"{model.back_offs[ngram] / kaldi_graph.LN10:.4f}")
            lines.append("\t".join(columns))
        lines.append("")
    path.write_text("\n".join([*lines, "\\end\\", ""]))


# Expected results


class Task:
    """A lexicon, a language model and a topology, with the graphs made from them."""

    def __init__(
        self,
        name: str,
        phones: list[str],
        lexicon: dict[str, list[tuple[int, ...]]],
        model: kaldi_graph.LanguageModel,
        durations: np.ndarray | None,
        classes: int,
        folder: pathlib.Path,
        exact: bool = True,
    ) -> None:
        """Without durations, the topology is CTC's."""
        self.name, self.lexicon, self.model, self.durations, self.classes = name, lexicon, model, durations, classes
        self.folder = folder
        self.fillers = [phones.index(filler) for filler in kaldi_graph.FILLERS if filler in phones]
        self.base = folder / f"{name}.fst"
        self.words = kaldi_graph.lexicon_and_grammar(lexicon, model, phones, self.base, exact=exact)
        self.graphs: dict[tuple[float, float], kaldifst.StdConstFst] = {}

    def graph(self, lm_scale: float, word_penalty: float) -> kaldifst.StdConstFst:
        key = (lm_scale, word_penalty)
        if key not in self.graphs:
            path = self.folder / f"{self.name}-expanded.fst"
            if self.durations is None:
                size = kaldi_graph.expand_ctc(self.base, path, self.classes - 1, *key)
            else:
                size = kaldi_graph.expand_phones(self.base, path, self.durations, self.classes, *key)
            print(f"{self.name}, LM scale {lm_scale:g}, word penalty {word_penalty:g}: {size}", flush=True)
            self.graphs[key] = kaldifst.StdConstFst.read(str(path))
        return self.graphs[key]

    def best(self, acoustic: np.ndarray, settings: Settings, beam: float) -> tuple[list[str], float]:
        result = decode(self.graph(*settings[:2]), acoustic, beam, NO_LIMIT)
        if result is None:
            return [], -math.inf
        return [self.words[label - 1] for label in result[0]], result[1]

    def score(self, words: list[str], acoustic: np.ndarray, settings: Settings) -> float:
        """The exact score of a word sequence, without any graph."""
        if self.durations is None:
            total = kaldi_graph.align_ctc(words, self.lexicon, acoustic)
        else:
            total = kaldi_graph.align(words, self.lexicon, self.fillers, self.durations, acoustic)
        return total + settings[0] * self.model.score(words) - settings[1] * len(words)

    def homophones(self, word: str) -> list[str]:
        return [other for other in self.lexicon if other != word and set(self.lexicon[other]) & set(self.lexicon[word])]


def acoustic_scores(levels: np.ndarray, priors: np.ndarray | None, prior_scale: float) -> np.ndarray:
    scores = -STEP * levels.astype(np.float64)
    return scores if priors is None else scores - prior_scale * np.log(priors)


def write_expected(
    task: Task,
    folder: pathlib.Path,
    utterances: list[tuple[str, np.ndarray]],
    texts: dict[str, list[str]],
    priors: np.ndarray | None,
    settings: list[Settings],
) -> None:
    folder.mkdir(exist_ok=True)
    with open(folder / "posteriors.u8", "wb") as file:
        for _, levels in utterances:
            file.write(levels.tobytes())
    with open(folder / "utterances.csv", "w") as file:
        file.write("id,frames,text\n")
        file.writelines(f"{name},{len(levels)},{' '.join(texts[name])}\n" for name, levels in utterances)
    free_task = Task(f"{task.name}-free", *task_parts(task), exact=False)
    rows, errors, different, margin = [], 0, 0, math.inf
    for setting in settings:
        for name, levels in utterances:
            acoustic = acoustic_scores(levels, priors, setting[2])
            words, score = task.best(acoustic, setting, BEAM)
            exact = task.score(words, acoustic, setting)
            if abs(score - exact) > 0.02:
                raise SystemExit(f"{name} {setting}: {words} {score}, rescored {exact}")
            for position, word in enumerate(words):
                for other in task.homophones(word):
                    changed = [*words[:position], other, *words[position + 1 :]]
                    loss = exact - task.score(changed, acoustic, setting)
                    if loss < 0.01:
                        raise SystemExit(f"{name} {setting}: {other} is as good as {word}: {exact}, lower by {loss}")
                    margin = min(margin, loss)
            different += free_task.best(acoustic, setting, 200.0)[0] != words
            errors += word_errors(texts[name], words)
            print(f"{setting} {name} {exact:.4f} {' '.join(words)}", flush=True)
            rows.append([*(f"{value:g}" for value in setting), name, f"{exact:.4f}", " ".join(words)])
    columns = ["lm_scale", "word_penalty", "prior_scale", "id", "score", "words"]
    if priors is None:
        columns.remove("prior_scale")
        rows = [row[:2] + row[3:] for row in rows]
    with open(folder / "expected.csv", "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([columns, *rows])
    total = sum(len(texts[name]) for name, _ in utterances) * len(settings)
    print(
        f"{task.name}: {len(rows)} results, WER {100 * errors / total:.1f} %, "
        f"smallest margin to a homophone {margin:.3f}, {different} results differ with free back-off",
        flush=True,
    )


def task_parts(task: Task):
    """Arguments of another task with the same lexicon, model and topology."""
    names = ["" for _ in range(task.classes)]
    for filler, index in zip(kaldi_graph.FILLERS, task.fillers):
        names[index] = filler
    count = len(task.durations) if task.durations is not None else task.classes - 1
    return names[:count], task.lexicon, task.model, task.durations, task.classes, task.folder


# Brute force


def every_hmm_path(task: Task, acoustic: np.ndarray, settings: Settings) -> tuple[float, list[str]]:
    """The best score and words, by trying all sequences of words and fillers and all durations of all states."""
    frames = len(acoustic)
    units = [(None, (filler,)) for filler in task.fillers]
    units += [(word, sounds) for word, known in task.lexicon.items() for sounds in known]
    best = (-math.inf, [])
    longest = frames // kaldi_graph.STATES_PER_PHONE
    for count in range(1, longest + 1):
        for sequence in itertools.product(units, repeat=count):
            phones = [sound for _, sounds in sequence for sound in sounds]
            if len(phones) > longest:
                continue
            words = [word for word, _ in sequence if word]
            fixed = settings[0] * task.model.score(words) - settings[1] * len(words)
            states = [(phone, state) for phone in phones for state in range(kaldi_graph.STATES_PER_PHONE)]
            for cuts in itertools.combinations(range(1, frames), len(states) - 1):
                total = fixed
                for (phone, state), (begin, end) in zip(states, itertools.pairwise((0, *cuts, frames))):
                    loop, leave = kaldi_graph.transitions(task.durations[phone])
                    column = kaldi_graph.emission_class(phone, state, task.classes, len(task.durations))
                    total += acoustic[begin:end, column].sum() + (end - begin - 1) * loop + leave
                best = max(best, (total, words))
    return best


def every_ctc_path(task: Task, acoustic: np.ndarray, settings: Settings) -> tuple[float, list[str]]:
    """The same for CTC, by trying all class sequences and all ways to split their symbols into words."""
    blank = task.classes - 1
    spellings = [(word, known) for word, prons in task.lexicon.items() for known in prons]
    sentences: dict[tuple[int, ...], tuple[float, list[str]]] = {}

    def sentence(symbols: tuple[int, ...], words: list[str]) -> tuple[float, list[str]]:
        if not symbols:
            return settings[0] * task.model.score(words) - settings[1] * len(words), words
        return max(
            (
                sentence(symbols[len(known) :], [*words, word])
                for word, known in spellings
                if symbols[: len(known)] == known
            ),
            default=(-math.inf, []),
        )

    best = (-math.inf, [])
    for path in itertools.product(range(task.classes), repeat=len(acoustic)):
        symbols = tuple(symbol for symbol, _ in itertools.groupby(path) if symbol != blank)
        if symbols not in sentences:
            sentences[symbols] = sentence(symbols, [])
        score, words = sentences[symbols]
        best = max(best, (score + sum(acoustic[frame, column] for frame, column in enumerate(path)), words))
    return best


def check_by_brute_force(folder: pathlib.Path) -> None:
    """Compares kaldi-decoder with a search through all paths: three words, two of them homophones."""
    vocabulary = ["X", "Y", "Z"]
    random = np.random.default_rng(7)
    phones = ["SIL", "A", "B"]
    durations = np.array([4.0, 5.0, 2.0])
    lexicon = {"X": [(1,), (1, 2)], "Y": [(2,)], "Z": [(2,), (1, 1)]}
    compared = 0
    for trial in range(6):
        sentences = [list(random.choice(vocabulary, random.integers(1, 5))) for _ in range(8)]
        model = train(sentences, vocabulary)
        # Back-off weights that differ from those of the training, so that backing off is sometimes better.
        model.back_offs = {ngram: score + random.normal() for ngram, score in model.back_offs.items()}
        settings = (float(random.choice([0.5, 1, 2])), float(random.choice([0, 1])), 1.0)
        for classes, frames in ((3, 11), (9, 11)):
            acoustic = np.log(random.dirichlet(np.full(classes, 0.5), frames) + 1e-3)
            task = Task(f"tiny-{classes}-{trial}", phones, lexicon, model, durations, classes, folder)
            compare(task, acoustic, settings, every_hmm_path(task, acoustic, settings))
        acoustic = np.log(random.dirichlet(np.full(3, 0.5), 8) + 1e-3)
        symbols = {word: [tuple(sound - 1 for sound in known) for known in prons] for word, prons in lexicon.items()}
        task = Task(f"tiny-ctc-{trial}", ["A", "B"], symbols, model, None, 3, folder)
        compare(task, acoustic, settings, every_ctc_path(task, acoustic, settings))
        compared += 3
    print(f"{compared} tiny cases agree with a search through all paths")


def compare(task: Task, acoustic: np.ndarray, settings: Settings, best: tuple[float, list[str]]) -> None:
    words, score = task.best(acoustic, settings, BEAM)
    rescored = task.score(words, acoustic, settings)
    if abs(score - best[0]) > 1e-3 or abs(rescored - best[0]) > 1e-6:
        raise SystemExit(f"{task.name}: kaldi-decoder {score} {words}, rescored {rescored}, all paths {best}")


# Data


def read_set(folder: pathlib.Path) -> tuple[np.ndarray, list[tuple[str, int, int]], dict[str, list[str]]]:
    """Labels, (id, first frame, frames) and transcripts."""
    with open(folder / "index.csv", newline="") as file:
        index = [(row["id"], int(row["start_frame"]), int(row["n_frames"])) for row in csv.DictReader(file)]
    lines = (folder / "text.tsv").read_text().splitlines()
    texts = {name: words.split() for name, words in (line.split("\t") for line in lines)}
    return np.fromfile(folder / "labels.u8", np.uint8), index, texts


def choose(index: list[tuple[str, int, int]], texts: dict[str, list[str]], lexicon) -> list[tuple[str, int, int]]:
    """One short utterance of each of the first speakers, with five words or more, all in the lexicon."""
    by_speaker: dict[str, tuple[str, int, int]] = {}
    for row in sorted(index, key=lambda row: row[2]):
        words = texts[row[0]]
        if len(words) >= 5 and row[2] <= LONGEST and all(word in lexicon for word in words):
            by_speaker.setdefault(row[0].split("-")[0], row)
    return [by_speaker[speaker] for speaker in sorted(by_speaker)][:UTTERANCES]


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the golden files of the decoder's tests.")
    parser.add_argument("dev_clean_a", type=pathlib.Path, help="utterances, and text for the language model")
    parser.add_argument("dev_clean_b", type=pathlib.Path, help="more text for the language model")
    parser.add_argument("lexicon", type=pathlib.Path, help="lines of a word and its phones")
    parser.add_argument("--check-only", action="store_true", help="only compare tiny cases with all paths")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        check_by_brute_force(pathlib.Path(temporary))
        if not options.check_only:
            make(options, pathlib.Path(temporary))


def make(options: argparse.Namespace, temporary: pathlib.Path) -> None:
    phones = kaldi_graph.read_phones(options.dev_clean_a / "phones.txt")
    full_lexicon = kaldi_graph.read_lexicon(options.lexicon, phones)
    labels, index, texts = read_set(options.dev_clean_a)
    chosen = choose(index, texts, full_lexicon)
    names = {name for name, _, _ in chosen}
    sentences = [words for name, words in (texts | read_set(options.dev_clean_b)[2]).items() if name not in names]

    vocabulary = {word for name in names for word in texts[name]}
    sounds = {known for word in vocabulary for known in full_lexicon[word]}
    vocabulary |= {word for word, prons in full_lexicon.items() if sounds & set(prons)}
    frequent = Counter(word for words in sentences for word in words if word in full_lexicon)
    for word, _ in sorted(frequent.items(), key=lambda item: (-item[1], item[0])):
        if len(vocabulary) >= VOCABULARY:
            break
        vocabulary.add(word)
    ordered = sorted(vocabulary)
    lines = [
        f"{word} {' '.join(phones[sound] for sound in known)}\n" for word in ordered for known in full_lexicon[word]
    ]
    (HERE / "lexicon.txt").write_text("".join(lines))
    (HERE / "phones.txt").write_text("".join(phone + "\n" for phone in phones))
    write_arpa(HERE / "lm.arpa", train(sentences, ordered))
    model = kaldi_graph.read_arpa(HERE / "lm.arpa")
    lexicon = kaldi_graph.read_lexicon(HERE / "lexicon.txt", phones)
    homophones = Counter(known for prons in lexicon.values() for known in prons)
    print(
        f"{len(lexicon)} words, {len(lines)} pronunciations, {sum(count > 1 for count in homophones.values())} of "
        f"them of several words, {len(model.scores)} n-grams"
    )

    lengths: dict[int, list[int]] = defaultdict(list)
    for _, start, frames in index:
        for label, _, length in runs(labels[start : start + frames]):
            lengths[label].append(length)
    (HERE / "durations.txt").write_text("".join(f"{np.mean(lengths[label]):.3f}\n" for label in range(len(phones))))
    durations = kaldi_graph.read_numbers(HERE / "durations.txt")

    def write_priors(folder: pathlib.Path, classes: np.ndarray, count: int) -> np.ndarray:
        folder.mkdir(exist_ok=True)
        shares = np.bincount(classes, minlength=count) / len(classes)
        (folder / "priors.txt").write_text("".join(f"{share:.6f}\n" for share in shares))
        return kaldi_graph.read_numbers(folder / "priors.txt")

    priors = write_priors(HERE / "phones", labels, len(phones))
    utterances = [
        (name, quantise(pseudo_posteriors(name, labels[start : start + frames], priors)))
        for name, start, frames in chosen
    ]
    settings = list(itertools.product((3.0, 6.0), (0.0, 1.0), (0.5, 1.0)))
    task = Task("phones", phones, lexicon, model, durations, len(phones), temporary)
    write_expected(task, HERE / "phones", utterances, texts, priors, settings)

    priors = write_priors(HERE / "states", state_labels(labels), 3 * len(phones))
    short = sorted(chosen, key=lambda row: row[2])[:2]
    utterances = [
        (name, quantise(pseudo_posteriors(name, state_labels(labels[start : start + frames]), priors, 1.6, 6.0, 3)))
        for name, start, frames in short
    ]
    task = Task("states", phones, lexicon, model, durations, 3 * len(phones), temporary)
    write_expected(task, HERE / "states", utterances, texts, priors, [(3.0, 0.0, 1.0), (6.0, 1.0, 0.5)])

    symbols = [phone for phone in phones if phone not in kaldi_graph.FILLERS]
    fillers, blank = len(phones) - len(symbols), len(symbols)
    spelled = {word: [tuple(sound - fillers for sound in known) for known in prons] for word, prons in lexicon.items()}
    uniform = np.full(len(symbols) + 1, 1 / (len(symbols) + 1))
    utterances = []
    for name, start, frames in sorted(chosen, key=lambda row: row[2])[:6]:
        spikes = ctc_labels(labels[start : start + frames], fillers, blank)
        utterances.append((name, quantise(pseudo_posteriors(name, spikes, uniform, 1.7, 6.0, 1))))
    (HERE / "ctc").mkdir(exist_ok=True)
    (HERE / "ctc" / "symbols.txt").write_text("".join(symbol + "\n" for symbol in symbols))
    task = Task("ctc", symbols, spelled, model, None, len(symbols) + 1, temporary)
    write_expected(task, HERE / "ctc", utterances, texts, None, [(1.0, 0.0, 0.0), (2.0, 0.0, 0.0), (2.0, 1.0, 0.0)])


if __name__ == "__main__":
    main()
