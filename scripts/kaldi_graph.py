"""Builds static decoding graphs from a lexicon and an ARPA language model, with kaldifst.

Used by decode_with_kaldi.py and by the script that makes the decoder's golden files. It shares no code with the Rust
decoder, so agreement between the two means something. All scores are natural logarithms, higher is better; weights
of a graph are negated scores.

- read_phones, read_lexicon, read_arpa, read_numbers: the input files.
- LanguageModel.score: the exact score of a word sequence.
- lexicon_and_grammar: L composed with G, determinised and minimised. It depends on the lexicon and on the language
  model only, so it is worth caching.
- expand_phones: the same graph with three states per phone, self-loops, an LM scale and a word penalty.
- expand_ctc: the same graph for CTC, with blanks.
- align, align_ctc: the exact acoustic score of a word sequence, by a plain Viterbi search without any graph.
"""

import gzip
import math
import pathlib
import struct
from dataclasses import dataclass, field

import kaldifst
import numpy as np

LN10 = math.log(10)
STATES_PER_PHONE = 3
FILLERS = ("SIL", "+NSN+")
# The binary layout of OpenFst's constant graphs, without its header.
STATE = np.dtype([("final", "<f4"), ("first", "<u4"), ("arcs", "<u4"), ("input_eps", "<u4"), ("output_eps", "<u4")])
ARC = np.dtype([("input", "<i4"), ("output", "<i4"), ("weight", "<f4"), ("next", "<i4")])
MAGIC = 2125659606


def open_text(path: pathlib.Path):
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8")
    return open(path, encoding="utf-8")


def read_phones(path: pathlib.Path) -> list[str]:
    with open_text(path) as file:
        return file.read().split()


def read_numbers(path: pathlib.Path) -> np.ndarray:
    with open_text(path) as file:
        return np.array([float(word) for word in file.read().split()])


def read_lexicon(path: pathlib.Path, phones: list[str]) -> dict[str, list[tuple[int, ...]]]:
    """Pronunciations of each word as classes, in the order of the file, each once."""
    classes = {phone: index for index, phone in enumerate(phones)}
    lexicon: dict[str, list[tuple[int, ...]]] = {}
    with open_text(path) as file:
        for line in file:
            word, *pronunciation = line.split()
            known = lexicon.setdefault(word, [])
            sounds = tuple(classes[phone] for phone in pronunciation)
            if sounds not in known:
                known.append(sounds)
    return lexicon


@dataclass
class LanguageModel:
    """A back-off model. N-grams are tuples of words; scores are natural logarithms."""

    order: int
    scores: dict[tuple[str, ...], float] = field(default_factory=dict)
    back_offs: dict[tuple[str, ...], float] = field(default_factory=dict)

    def word_score(self, history: tuple[str, ...], word: str) -> float:
        """ln p(word | history): the longest explicit n-gram, with the back-off weights on the way to it."""
        history = history[max(0, len(history) - self.order + 1) :]
        total = 0.0
        while (*history, word) not in self.scores:
            if not history:
                return -math.inf
            total += self.back_offs.get(history, 0.0)
            history = history[1:]
        return total + self.scores[(*history, word)]

    def score(self, words: list[str]) -> float:
        """ln p(words </s>)."""
        history = ("<s>",)
        total = 0.0
        for word in (*words, "</s>"):
            total += self.word_score(history, word)
            history = (*history, word)[-self.order + 1 :]
        return total

    def free_back_off_score(self, words: list[str]) -> float:
        """The best score if a path may back off although the explicit n-gram exists, as in a graph with epsilons."""
        best = {("<s>",): 0.0}
        for word in (*words, "</s>"):
            after: dict[tuple[str, ...], float] = {}
            for history, score in best.items():
                context = history[max(0, len(history) - self.order + 1) :]
                while True:
                    if (*context, word) in self.scores:
                        total = score + self.scores[(*context, word)]
                        target, total = self.state_after((*context, word), total)
                        after[target] = max(after.get(target, -math.inf), total)
                    if not context:
                        break
                    score += self.back_offs.get(context, 0.0)
                    context = context[1:]
            best = after
        return max(best.values())

    def state_after(self, ngram: tuple[str, ...], score: float) -> tuple[tuple[str, ...], float]:
        """The longest history with explicit continuations, and the score with the back-off weights on the way to it."""
        history = ngram[-self.order + 1 :] if self.order > 1 else ()
        while history and history not in self.contexts:
            score += self.back_offs.get(history, 0.0)
            history = history[1:]
        return history, score

    @property
    def contexts(self) -> set[tuple[str, ...]]:
        """Histories with explicit continuations."""
        if not hasattr(self, "_contexts"):
            self._contexts = {ngram[:-1] for ngram in self.scores}
        return self._contexts


def read_arpa(path: pathlib.Path) -> LanguageModel:
    model = LanguageModel(order=0)
    order = 0
    with open_text(path) as file:
        for line in file:
            if line.startswith("\\") and line.rstrip().endswith("-grams:"):
                order = int(line[1:].split("-")[0])
                model.order = max(model.order, order)
            elif order and line[0] not in "\\\n":
                fields = line.split()
                ngram = tuple(fields[1 : order + 1])
                model.scores[ngram] = float(fields[0]) * LN10
                if len(fields) > order + 1:
                    model.back_offs[ngram] = float(fields[order + 1]) * LN10
    return model


def read_graph(path: pathlib.Path) -> tuple[int, np.ndarray, np.ndarray]:
    """Start state, states and arcs of a constant graph."""
    data = path.read_bytes()
    at = 0

    def take(layout: str):
        nonlocal at
        values = struct.unpack_from("<" + layout, data, at)
        at += struct.calcsize("<" + layout)
        return values if len(values) > 1 else values[0]

    if take("i") != MAGIC:
        raise SystemExit(f"{path}: not a graph")
    names = []
    for _ in range(2):
        length = take("i")
        names.append(data[at : at + length].decode())
        at += length
    if names != ["const", "standard"]:
        raise SystemExit(f"{path}: expected a constant graph with standard arcs, found {names}")
    _version, _flags, _properties, start, states, arcs = take("iiQqqq")
    table = np.frombuffer(data, STATE, states, at)
    return start, table, np.frombuffer(data, ARC, arcs, at + table.nbytes)


def write_graph(path: pathlib.Path, start: int, finals: np.ndarray, sources: np.ndarray, arcs: np.ndarray) -> None:
    """Writes a constant graph. `sources` is the state that each arc leaves."""
    order = np.argsort(sources, kind="stable")
    sources, arcs = sources[order], arcs[order]
    table = np.zeros(len(finals), STATE)
    table["final"] = finals
    table["arcs"] = np.bincount(sources, minlength=len(finals))
    table["first"] = np.cumsum(table["arcs"]) - table["arcs"]
    table["input_eps"] = np.bincount(sources[arcs["input"] == 0], minlength=len(finals))
    table["output_eps"] = np.bincount(sources[arcs["output"] == 0], minlength=len(finals))
    header = struct.pack("<i", MAGIC)
    for name in (b"const", b"standard"):
        header += struct.pack("<i", len(name)) + name
    # Version 2, no flags, and of the properties only "expanded": OpenFst computes the others.
    header += struct.pack("<iiQqqq", 2, 0, 1, start, len(finals), len(arcs))
    partial = path.with_suffix(".partial")
    with open(partial, "wb") as file:
        file.write(header)
        file.write(table.tobytes())
        file.write(arcs.tobytes())
    partial.rename(path)


class GraphBuilder:
    """Collects states and arcs of a graph."""

    def __init__(self) -> None:
        self.finals: list[float] = []
        self.arcs: list[tuple[int, int, float, int]] = []
        self.sources: list[int] = []

    def state(self) -> int:
        self.finals.append(math.inf)
        return len(self.finals) - 1

    def arc(self, source: int, label: int, output: int, weight: float, target: int) -> None:
        self.sources.append(source)
        self.arcs.append((label, output, weight, target))

    def graph(self, path: pathlib.Path, start: int = 0) -> kaldifst.StdVectorFst:
        """The graph, through a file, which is faster than one call per arc."""
        arcs = np.array(self.arcs, ARC)
        write_graph(path, start, np.array(self.finals), np.array(self.sources), arcs)
        graph = kaldifst.StdVectorFst(kaldifst.StdConstFst.read(str(path)))
        path.unlink()
        return graph


def lexicon_graph(
    lexicon: dict[str, list[tuple[int, ...]]],
    fillers: list[int],
    phones: int,
    words: dict[str, int],
    path: pathlib.Path,
) -> kaldifst.StdVectorFst:
    """L: a loop over all pronunciations and fillers, with disambiguation symbols after the phones.

    The input label of class c is c + 1. The label `phones + 1` marks a back-off of the language model; the ones after
    it distinguish equal pronunciations and mark those that begin another one.
    """
    prefixes = {sounds[:end] for known in lexicon.values() for sounds in known for end in range(1, len(sounds))}
    uses: dict[tuple[int, ...], int] = {}
    for known in lexicon.values():
        for sounds in known:
            uses[sounds] = uses.get(sounds, 0) + 1
    builder = GraphBuilder()
    loop = builder.state()
    builder.finals[loop] = 0.0
    back_off = len(words) + 1
    builder.arc(loop, phones + 1, back_off, 0.0, loop)
    for filler in fillers:
        builder.arc(loop, filler + 1, 0, 0.0, loop)
    # Words with the same ending share states: a state is the labels still to come.
    states: dict[tuple[int, ...], int] = {(): loop}

    def state_before(rest: tuple[int, ...]) -> int:
        if rest not in states:
            target = state_before(rest[1:])
            states[rest] = builder.state()
            builder.arc(states[rest], rest[0], 0, 0.0, target)
        return states[rest]

    seen: dict[tuple[int, ...], int] = {}
    for word, known in lexicon.items():
        for sounds in known:
            labels = tuple(sound + 1 for sound in sounds)
            if uses[sounds] > 1 or sounds in prefixes:
                seen[sounds] = seen.get(sounds, 0) + 1
                labels = (*labels, phones + 1 + seen[sounds])
            builder.arc(loop, labels[0], words[word], 0.0, state_before(labels[1:]))
    return builder.graph(path)


def grammar_graph(
    model: LanguageModel, words: dict[str, int], path: pathlib.Path, exact: bool
) -> kaldifst.StdVectorFst:
    """G: one state per history with explicit continuations.

    With `exact`, every state has an arc for every word, with its exact score: no path can back off from an explicit
    n-gram. That is for small vocabularies. Otherwise, back-off arcs have the label `len(words) + 1`.
    """
    builder = GraphBuilder()
    usable = [ngram for ngram in model.scores if all(word in words or word == "<s>" for word in ngram[:-1])]
    states = {(): 0}
    for ngram in usable:
        states.setdefault(ngram[:-1], len(states))
    for _ in states:
        builder.state()
    start, _ = model.state_after(("<s>",), 0.0)
    if exact:
        for history, source in states.items():
            builder.finals[source] = -model.word_score(history, "</s>")
            for word, label in words.items():
                target, score = model.state_after((*history, word), model.word_score(history, word))
                builder.arc(source, label, label, -score, states[target])
        return builder.graph(path, states[start])
    for ngram in usable:
        source, word = states[ngram[:-1]], ngram[-1]
        if word == "</s>":
            builder.finals[source] = -model.scores[ngram]
        elif word in words:
            target, score = model.state_after(ngram, model.scores[ngram])
            builder.arc(source, words[word], words[word], -score, states[target])
    for history, source in states.items():
        if history:
            target, score = model.state_after(history[1:], model.back_offs.get(history, 0.0))
            builder.arc(source, len(words) + 1, 0, -score, states[target])
    return builder.graph(path, states[start])


def lexicon_and_grammar(
    lexicon: dict[str, list[tuple[int, ...]]],
    model: LanguageModel,
    phones: list[str],
    path: pathlib.Path,
    exact: bool = False,
    say=lambda message: None,
) -> list[str]:
    """Writes L composed with G, determinised and minimised, to `path`. Returns the words by output label, from 1.

    Words without a pronunciation or without a unigram cannot occur. Weights are those of the language model alone.
    """
    lexicon = {word: known for word, known in lexicon.items() if (word,) in model.scores}
    words = {word: label for label, word in enumerate(lexicon, 1)}
    fillers = [phones.index(filler) for filler in FILLERS if filler in phones]
    lexicon_fst = lexicon_graph(lexicon, fillers, len(phones), words, path.with_suffix(".l"))
    say(f"L: {describe(lexicon_fst)}")
    grammar_fst = grammar_graph(model, words, path.with_suffix(".g"), exact)
    say(f"G: {describe(grammar_fst)}")
    kaldifst.arcsort(lexicon_fst, "olabel")
    kaldifst.arcsort(grammar_fst, "ilabel")
    graph = kaldifst.compose(lexicon_fst, grammar_fst)
    del lexicon_fst, grammar_fst
    say(f"L composed with G: {describe(graph)}")
    # Finer than Kaldi's default of 1/1024, so that weights stay close to the model's.
    if kaldifst.determinize_star(graph, delta=1e-5):
        raise SystemExit("determinisation stopped early")
    say(f"determinised: {describe(graph)}")
    kaldifst.minimize_encoded(graph, delta=1e-5)
    say(f"minimised: {describe(graph)}")
    partial = path.with_suffix(".partial")
    kaldifst.StdConstFst(graph).write(str(partial))
    partial.rename(path)
    return list(words)


def describe(graph) -> str:
    arcs = sum(graph.num_arcs(state) for state in range(graph.num_states))
    return f"{graph.num_states:,} states, {arcs:,} arcs"


def transitions(duration: float) -> tuple[float, float]:
    """Scores of the self-loop and of leaving a state of a phone with this mean duration in frames."""
    mean = max(duration / STATES_PER_PHONE, 1.05)
    return math.log(1 - 1 / mean), math.log(1 / mean)


def emission_class(phone: int, state: int, classes: int, phones: int) -> int:
    """The column of the posteriors: one per phone, or one per state of each phone."""
    if classes == phones:
        return phone
    if classes == STATES_PER_PHONE * phones:
        return STATES_PER_PHONE * phone + state
    raise SystemExit(f"{classes} classes do not fit {phones} phones: expected {phones} or {STATES_PER_PHONE * phones}")


def expand_phones(
    source_path: pathlib.Path,
    path: pathlib.Path,
    durations: np.ndarray,
    classes: int,
    lm_scale: float,
    word_penalty: float,
) -> str:
    """Replaces each phone by three states with self-loops. Returns the size in words.

    Arcs with the same phone and the same target share their states, because output and weight are on the arc that
    enters the first one. The last state is merged with the target if nothing else leads there.
    """
    start, states, arcs = read_graph(source_path)
    phones = len(durations)
    count = len(states)
    sources = np.repeat(np.arange(count, dtype=np.int64), states["arcs"])
    weights = arcs["weight"] * np.float64(lm_scale) + np.where(arcs["output"] > 0, word_penalty, 0.0)
    labels = np.where(arcs["input"] <= phones, arcs["input"], 0)
    emitting = labels > 0
    loops, leaves = (-np.array(column) for column in zip(*map(transitions, durations)))

    keys = arcs["next"][emitting].astype(np.int64) * phones + (labels[emitting] - 1)
    pairs, pair_of_arc = np.unique(keys, return_inverse=True)
    targets, phone = pairs // phones, pairs % phones
    incoming = np.bincount(targets, minlength=count)
    incoming[arcs["next"][~emitting]] = 2
    incoming[start] = 2
    merged = incoming[targets] == 1
    leave_of_state = np.zeros(count)
    leave_of_state[targets[merged]] = leaves[phone[merged]]

    first = count + 2 * np.arange(len(pairs))
    second = first + 1
    third = np.where(merged, targets, 0)
    third[~merged] = count + 2 * len(pairs) + np.arange(np.count_nonzero(~merged))
    total = count + 2 * len(pairs) + np.count_nonzero(~merged)
    columns = [
        1 + np.array([emission_class(p, state, classes, phones) for p in range(phones)])[phone]
        for state in range(STATES_PER_PHONE)
    ]

    pieces = []

    def add(origin, label, output, weight, target):
        piece = np.zeros(len(origin), ARC)
        piece["input"], piece["output"], piece["weight"], piece["next"] = label, output, weight, target
        pieces.append((origin, piece))

    entering = sources[emitting]
    output = arcs["output"]
    add(
        entering,
        columns[0][pair_of_arc],
        output[emitting],
        weights[emitting] + leave_of_state[entering],
        first[pair_of_arc],
    )
    silent = sources[~emitting]
    add(silent, 0, output[~emitting], weights[~emitting] + leave_of_state[silent], arcs["next"][~emitting])
    for state, column in zip((first, second, third), columns):
        add(state, column, 0, loops[phone], state)
    add(first, columns[1], 0, leaves[phone], second)
    add(second, columns[2], 0, leaves[phone], third)
    apart = ~merged
    add(third[apart], 0, 0, leaves[phone[apart]], targets[apart])

    finals = np.full(total, np.inf)
    finals[:count] = states["final"] * np.float64(lm_scale) + leave_of_state
    all_arcs = np.concatenate([piece for _, piece in pieces])
    write_graph(path, start, finals, np.concatenate([origin for origin, _ in pieces]), all_arcs)
    return f"{total:,} states, {len(all_arcs):,} arcs"


def expand_ctc(
    source_path: pathlib.Path, path: pathlib.Path, symbols: int, lm_scale: float, word_penalty: float
) -> str:
    """Composes CTC's topology with the graph. The blank is the class after the symbols. Returns the size in words."""
    start, states, arcs = read_graph(source_path)
    arcs = arcs.copy()
    arcs["weight"] = arcs["weight"] * np.float64(lm_scale) + np.where(arcs["output"] > 0, word_penalty, 0.0)
    arcs["input"][arcs["input"] > symbols] = 0
    sources = np.repeat(np.arange(len(states)), states["arcs"])
    write_graph(path, start, states["final"] * np.float64(lm_scale), sources, arcs)
    words = kaldifst.StdVectorFst(kaldifst.StdConstFst.read(str(path)))
    kaldifst.arcsort(words, "ilabel")
    # State 0 is "after a blank" and the start; state s is "after symbol s".
    builder = GraphBuilder()
    blank = symbols + 1
    for state in range(symbols + 1):
        builder.state()
        builder.finals[state] = 0.0
        builder.arc(state, blank, 0, 0.0, 0)
        if state:
            builder.arc(state, state, 0, 0.0, state)
        for symbol in range(1, symbols + 1):
            if symbol != state:
                builder.arc(state, symbol, symbol, 0.0, symbol)
    topology = builder.graph(path.with_suffix(".t"))
    kaldifst.arcsort(topology, "olabel")
    graph = kaldifst.compose(topology, words)
    kaldifst.StdConstFst(graph).write(str(path))
    return describe(graph)


def viterbi(
    columns: list[int],
    loops: list[float],
    edges: list[tuple[int, int, float]],
    starts: list[int],
    ends: list[tuple[int, float]],
    acoustic: np.ndarray,
) -> float:
    """The best score over all frames: `columns` are the classes of the states, `loops` the scores of staying."""
    source, target = (np.array([edge[end] for edge in edges], dtype=int) for end in (0, 1))
    step = np.array([edge[2] for edge in edges])
    emissions = acoustic.astype(np.float64)[:, columns]
    best = np.full(len(columns), -np.inf)
    best[starts] = 0.0
    best += emissions[0]
    for frame in emissions[1:]:
        after = best + np.array(loops)
        np.maximum.at(after, target, best[source] + step)
        best = after + frame
    return max((float(best[state] + score) for state, score in ends), default=-math.inf)


def align(
    words: list[str],
    lexicon: dict[str, list[tuple[int, ...]]],
    fillers: list[int],
    durations: np.ndarray,
    acoustic: np.ndarray,
) -> float:
    """The best acoustic and transition score of the words: a Viterbi search over their pronunciations and fillers."""
    phones, classes = len(durations), acoustic.shape[1]
    columns: list[int] = []
    loops: list[float] = []
    edges: list[tuple[int, int, float]] = []
    # States that may be left for whatever follows the word before, with the score of leaving them.
    starts: list[int] = []

    def chain(sounds: tuple[int, ...], before: list[tuple[int, float]], initial: bool) -> tuple[int, float]:
        previous = before
        for position, sound in enumerate(sounds):
            loop, leave = transitions(durations[sound])
            for state in range(STATES_PER_PHONE):
                index = len(columns)
                columns.append(emission_class(sound, state, classes, phones))
                loops.append(loop)
                edges.extend((source, index, score) for source, score in previous)
                if initial and position == 0 and state == 0:
                    starts.append(index)
                previous = [(index, leave)]
        return previous[0]

    def fill(ends: list[tuple[int, float]], initial: bool) -> list[tuple[int, float]]:
        entered = len(columns)
        exits = [chain((filler,), ends, initial) for filler in fillers]
        for number in range(len(fillers)):
            edges.extend((source, entered + STATES_PER_PHONE * number, score) for source, score in exits)
        return ends + exits

    ends = fill([], True)
    for number, word in enumerate(words):
        ends = fill([chain(sounds, ends, number == 0) for sounds in lexicon[word]], False)
    return viterbi(columns, loops, edges, starts, ends, acoustic)


def align_ctc(words: list[str], lexicon: dict[str, list[tuple[int, ...]]], acoustic: np.ndarray) -> float:
    """The same for CTC: each symbol takes one or more frames, and blanks may surround it."""
    blank = acoustic.shape[1] - 1
    # A blank state follows each symbol's state. State 0 is the blank before everything.
    columns = [blank]
    edges: list[tuple[int, int, float]] = []
    starts = [0]
    ends = [0]
    for number, word in enumerate(words):
        exits = []
        for spelling in lexicon[word]:
            previous = ends
            for position, symbol in enumerate(spelling):
                state = len(columns)
                columns += [symbol, blank]
                edges.append((state, state + 1, 0.0))
                edges.extend((source, state, 0.0) for source in previous if columns[source] != symbol)
                if number == 0 and position == 0:
                    starts.append(state)
                previous = [state, state + 1]
            exits += previous
        ends = exits
    return viterbi(columns, [0.0] * len(columns), edges, starts, [(state, 0.0) for state in ends], acoustic)
