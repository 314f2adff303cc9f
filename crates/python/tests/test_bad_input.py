"""Bad input raises ValueError with the remedy, and nothing panics.

PADWISE_FUZZ_CALLS sets the number of random calls; by default 5,000.
"""

import os
import random
from typing import Any

import numpy as np
import padwise
import pytest

CASES = [
    ([], "no lengths to plan: the corpus is empty, or a filter removed every utterance"),
    (np.zeros(0, dtype=np.int64), "no lengths to plan: the corpus is empty, or a filter removed every utterance"),
    ([3, 0, 5], "lengths[1] is 0: every utterance needs at least one frame; remove it from the corpus"),
    ([3, -4, 5], "lengths[1] is -4: every utterance needs at least one frame; remove it from the corpus"),
    ([3, 2**31], "lengths[1] is 2147483648: an utterance can have at most 2147483647 frames"),
    ([3, 2**40], "lengths[1] is 1099511627776: an utterance can have at most 2147483647 frames"),
    ([3, 2**64], "lengths have dtype object: pass whole numbers of frames, one per sequence"),
    ([3.5, 2], "lengths have dtype float64: pass whole numbers of frames, for example lengths.astype(int)"),
    ([3.0, 2.0], "lengths have dtype float64: pass whole numbers of frames, for example lengths.astype(int)"),
    ([3, float("nan")], "lengths[1] is nan: remove it from the corpus, and pass whole numbers of frames"),
    ([3, float("inf")], "lengths[1] is inf: remove it from the corpus, and pass whole numbers of frames"),
    ([[3, 4], [5, 6]], "lengths have 2 dimensions: pass a one-dimensional array, for example lengths.ravel()"),
    (7, "lengths have 0 dimensions: pass a one-dimensional array, for example lengths.ravel()"),
    (None, "lengths have 0 dimensions: pass a one-dimensional array, for example lengths.ravel()"),
    ({3, 4}, "lengths have 0 dimensions: pass a one-dimensional array, for example lengths.ravel()"),
    (["3", "4"], "lengths have dtype <U1: pass whole numbers of frames, one per sequence"),
    ([True, False], "lengths have dtype bool: pass whole numbers of frames, one per sequence"),
    ([3, None], "lengths have dtype object: pass whole numbers of frames, one per sequence"),
    ([1 + 2j], "lengths have dtype complex128: pass whole numbers of frames, one per sequence"),
]


@pytest.mark.parametrize("lengths, message", CASES, ids=[repr(case[0])[:30] for case in CASES])
def test_lengths(lengths: Any, message: str) -> None:
    for call in (padwise.plan, padwise.BatchSampler, padwise.analyze):
        with pytest.raises(ValueError) as error:
            call(lengths, "random")
        assert str(error.value) == message


def test_ragged_lengths() -> None:
    with pytest.raises(ValueError, match="lengths cannot be converted to an array .*: pass one whole number per sequence"):
        padwise.plan([[1], [2, 3]], "random")


STRATEGIES = [
    ("semisorted:lrf=0.1", "unknown order `semisorted` (did you mean `semi-sorted`?); orders are"),
    ("random,bach=16", "unknown option `bach` (did you mean `batch`?)"),
    ("", "strategy `` has an empty part: write an order, then options, separated by single commas"),
    ("random,batch=0", "batch is 0: it must be at least 1"),
    ("random,pad=bucket", "pad=bucket needs a bucketed order, but `random` has no buckets"),
    ("semi-sorted:lrf=nan", "lrf is NaN: the local randomisation factor must be finite and at least 0 (the paper uses 0.1)"),
    (None, 'strategy is None: pass text such as "semi-sorted:lrf=0.1,batch=16"'),
    (b"random", "strategy is b'random': pass text such as \"semi-sorted:lrf=0.1,batch=16\""),
    ("random\ud800", "it is not valid Unicode"),
]


@pytest.mark.parametrize("strategy, message", STRATEGIES, ids=[repr(case[0]) for case in STRATEGIES])
def test_strategies(strategy: Any, message: str) -> None:
    for call in (padwise.plan, padwise.BatchSampler, lambda lengths, s: padwise.analyze(lengths, [s])):
        with pytest.raises(ValueError) as error:
            call([1, 2, 3], strategy)
        assert message in str(error.value)
    with pytest.raises(ValueError) as error:
        padwise.Stream(strategy, buffer=100)
    assert message in str(error.value)


def test_numbers() -> None:
    for bad in [-1, 2**64, 1.5, "1", None, True, float("nan"), [1]]:
        with pytest.raises(ValueError, match="seed is .*: pass a whole number from 0 to 18446744073709551615"):
            padwise.plan([1, 2], "random", seed=bad)
        with pytest.raises(ValueError, match="epoch is .*: pass a whole number"):
            padwise.plan([1, 2], "random", epoch=bad)
        with pytest.raises(ValueError, match="seed is .*: pass a whole number"):
            padwise.BatchSampler([1, 2], "random", seed=bad)
    assert len(padwise.plan([1, 2], "random", seed=np.uint64(2**64 - 1), epoch=2**64 - 1)) == 1


def test_ranks() -> None:
    for rank, world_size, message in [
        (2, 2, "rank 2 of 2 is out of range: ranks count from 0"),
        (0, 2**21, "2097152 ranks: a plan can be sharded over at most 1048576"),
        (-1, 2, "rank is -1: pass a whole number from 0"),
        (0, 0, "world_size is 0: pass a whole number from 1"),
        (None, 2, "pass both rank and world_size, or neither"),
        (0, None, "pass both rank and world_size, or neither"),
        ("0", 2, "rank is '0': pass a whole number"),
    ]:
        with pytest.raises(ValueError) as error:
            padwise.BatchSampler([1, 2], "random", rank=rank, world_size=world_size)
        assert message in str(error.value)
    with pytest.raises(ValueError, match="unknown length profile `x`; profiles are ljspeech, chime4 and librispeech"):
        padwise.profile_lengths("x")


class Fuzzer:
    """Random arguments: half of the calls are valid, except that options of a strategy may conflict."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.may_be_wrong = False

    def is_wrong(self, probability: float) -> bool:
        return self.may_be_wrong and self.random.random() < probability

    def number(self) -> Any:
        r = self.random
        valid = r.choice([0, 1, 2, 3, 16, 100])
        return valid if not self.is_wrong(0.2) else r.choice(
            [-1, 2**31 - 1, 2**31, 2**32, 2**63, 2**64 - 1, 2**64, 1.0, float("nan"), "1", None, True, [], np.int8(3), np.float32(2)]
        )

    def lengths(self) -> Any:
        r = self.random
        count = r.choice([1, 2, 3, 10, 50])
        values: list[Any] = [r.randint(1, r.choice([1, 5, 1000])) for _ in range(count)]
        if not self.is_wrong(0.4):
            return values if r.random() < 0.5 else np.array(values, dtype=r.choice(["i2", "i4", "i8", "u2", "u4", "u8", ">i4"]))
        if r.random() < 0.5:
            # No length near the maximum: with tiny chunks it would need gigabytes.
            values[r.randrange(count)] = r.choice([0, -1, 2**31, 2**32, 2**64, float("nan"), 1.5, "5", None, True, [1], b"x"])
            return values
        return r.choice(
            [[], None, 5, "abc", {}, {3: 4}, object(), np.ones((3, 3), int), np.ones(3), np.array(["a"]), range(1, 9), (4, 5),
             np.arange(1, 20)[::-3], np.array([1, 2], dtype="M8[s]"), np.ma.masked_array([1, 2], [0, 1]), np.zeros((0, 2))]
        )

    def value(self) -> str:
        if not self.is_wrong(0.2):
            return self.random.choice(["1", "2", "5", "16", "250"])
        return self.random.choice(["0", "0.1", "-1", "nan", "inf", "1e3", "", "x", "4294967296", "9" * 30])

    def strategy(self) -> Any:
        r = self.random
        order = r.choice(
            ["random", "sorted", "smart", "bucketed:mxnet", f"semi-sorted:lrf={self.value()}", f"alternated:bins={self.value()}",
             f"bucketed:width={self.value()}", f"bucketed:count={self.value()}", f"bucketed:optimal={self.value()}", "semi-sorted"]
        )
        options = ["shuffle-batches", "shuffle-later", "short-first", "long-first", "drop-last", "pad=bucket"]
        options += [f"{name}={self.value()}" for name in ("batch", "frames", "dynamic", "dynamic-overshoot", "max-items", "chunk", "step", "min-chunk")]
        options += [f"pad=multiple:{self.value()}"]
        text = ",".join([order, *r.sample(options, r.choice([0, 1, 1, 2, 3]))])
        if self.is_wrong(0.1):
            place = r.randrange(len(text))
            text = text[:place] + r.choice(["\0", ",", "=", ":", "é", "\ud800", "\u202e", " "]) + text[place + 1:]
        return text if not self.is_wrong(0.05) else r.choice([None, 5, b"random", ["random"], ""])

    def call(self) -> None:
        r = self.random
        kind = r.randrange(5)
        self.may_be_wrong = r.random() < 0.5
        if kind == 0:
            plan = padwise.plan(self.lengths(), self.strategy(), self.number(), self.number())
            assert plan.stats["batches"] == len(plan) == len(list(plan))
            rank = self.number()
            plan.shard(rank, rank + 1 if type(rank) is int else self.number()).batch_indices
            if len(plan):
                plan.batch(r.randrange(-len(plan), len(plan)))
        elif kind == 1:
            sampler = padwise.BatchSampler(self.lengths(), self.strategy(), self.number(), *r.choice([(None, None), (0, 1), (1, 3), (self.number(), self.number())]))
            assert len(list(sampler)) == len(sampler) or "=" in sampler.strategy
            sampler.set_epoch(self.number())
            state = sampler.state_dict(epoch=self.number(), batch=r.choice([0, 1, self.number()]))
            if self.is_wrong(0.5):
                state[r.choice(list(state))] = self.number()  # type: ignore[literal-required]
            sampler.load_state_dict(state)
        elif kind == 2:
            padwise.analyze(self.lengths(), [self.strategy(), self.strategy()], seeds=r.choice([0, -1]) if self.is_wrong(0.2) else 2, world_size=r.choice([0, "x"]) if self.is_wrong(0.2) else 3)
        elif kind == 3:
            stream = padwise.Stream(self.strategy(), r.choice([1, 20, 100, self.number()]), self.number(), self.number())
            for _ in range(r.choice([0, 5, 40])):
                stream.push(self.number(), r.choice([0, -1, 1.5]) if self.is_wrong(0.05) else r.randint(1, 300))
            stream.pop()
            state = stream.state_dict()
            if self.is_wrong(0.5):
                state["sampler"][r.choice(list(state["sampler"]))] = r.choice([None, -1, 0, 5, "x", [], {}])
            stream.load_state_dict(state)
            list(stream.batch(["abc"] * r.choice([0, 5, 50])))
        else:
            padwise.profile_lengths(r.choice(["ljspeech", "chime4", "x", "", None]), r.choice([None, 5, 0, -1, "x"]))


def test_no_call_panics() -> None:
    calls = int(os.environ.get("PADWISE_FUZZ_CALLS", "5000"))
    fuzzer = Fuzzer(7)
    succeeded = 0
    for number in range(calls):
        try:
            fuzzer.call()
            succeeded += 1
        except ValueError:
            pass
        except BaseException as error:
            raise AssertionError(f"call {number} raised {type(error).__name__}: {error}") from error
    print(f"{calls} calls, {succeeded} without an error")
    assert succeeded > calls / 10, "too few calls get past the checks of arguments"
