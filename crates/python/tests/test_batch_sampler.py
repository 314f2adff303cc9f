"""The batch sampler: epochs, ranks, resuming and pickling."""

import copy
import json
import pickle
import sys
import types

import padwise
import pytest

LENGTHS = padwise.profile_lengths("librispeech", 1000)
STRATEGY = "semi-sorted:lrf=0.1,batch=16,shuffle-batches"


def sampler(**arguments) -> padwise.BatchSampler:
    return padwise.BatchSampler(LENGTHS, STRATEGY, **arguments)


def test_every_pass_is_an_epoch() -> None:
    ours = sampler()
    first, second = list(ours), list(ours)
    assert len(first) == len(ours) == 63 and ours.epoch == 2
    assert all(type(index) is int for batch in first for index in batch)
    assert first == [batch.tolist() for batch in padwise.plan(LENGTHS, STRATEGY, 0)]
    assert second == [batch.tolist() for batch in padwise.plan(LENGTHS, STRATEGY, 1)]
    ours.set_epoch(0)
    assert list(ours) == first


def test_an_abandoned_pass_starts_again() -> None:
    ours = sampler()
    first = next(iter(ours))
    assert next(iter(ours)) == first and ours.epoch == 0


def test_set_epoch_of_the_current_epoch_keeps_the_position() -> None:
    ours, resumed = sampler(), sampler()
    batches = list(ours)
    resumed.load_state_dict(resumed.state_dict(epoch=0, batch=40))
    resumed.set_epoch(0)
    assert list(resumed) == batches[40:]


@pytest.mark.parametrize("strategy", [STRATEGY, "random,chunk=100,frames=5000", "sorted,dynamic=16,shuffle-batches"])
@pytest.mark.parametrize("world_size", [1, 3])
def test_resume_at_every_batch(strategy: str, world_size: int) -> None:
    arguments = {"seed": 3, "rank": world_size - 1, "world_size": world_size}
    ours = padwise.BatchSampler(LENGTHS[:300], strategy, **arguments)
    ours.set_epoch(2)
    batches, states = [], [ours.state_dict()]
    for batch in ours:
        batches.append(batch)
        states.append(ours.state_dict())
    following = list(ours)
    for position, state in enumerate(states):
        resumed = padwise.BatchSampler(LENGTHS[:300], strategy, **arguments)
        resumed.load_state_dict(json.loads(json.dumps(state)))
        if position < len(batches):
            assert resumed.epoch == 2 and len(resumed) == len(batches)
            assert resumed.state_dict() == state
            assert list(resumed) == batches[position:]
        assert resumed.epoch == 3 and list(resumed) == following


def test_states_of_other_samplers_are_refused() -> None:
    state = sampler().state_dict()
    others = [
        padwise.BatchSampler(LENGTHS, "random"),
        sampler(seed=1),
        sampler(rank=0, world_size=2),
        padwise.BatchSampler(LENGTHS[:-1], STRATEGY),
        padwise.BatchSampler([*LENGTHS[:-1], 7], STRATEGY),
    ]
    for other, name in zip(others, ["strategy", "seed", "world_size", "sequences", "lengths_crc32"]):
        with pytest.raises(ValueError, match=f"the state was saved with {name} .*: make the sampler with the same arguments"):
            other.load_state_dict(state)
    with pytest.raises(ValueError, match="batch 64 does not exist: resume at a batch from 0 to 63"):
        sampler().load_state_dict({**state, "batch": 64})
    for bad in [{}, [], None, {**state, "batch": -1}, {**state, "epoch": "x"}, {k: v for k, v in state.items() if k != "batch"}]:
        with pytest.raises(ValueError):
            sampler().load_state_dict(bad)


def test_pickle_and_copy_keep_the_position() -> None:
    ours = sampler(seed=5)
    batches = list(ours)
    ours.load_state_dict(ours.state_dict(epoch=0, batch=10))
    for clone in (pickle.loads(pickle.dumps(ours)), copy.deepcopy(ours)):
        assert clone.state_dict() == ours.state_dict()
        assert list(clone) == batches[10:]
    assert len(pickle.dumps(ours)) < 5 * len(LENGTHS) + 1000, "the plan is not pickled"


@pytest.mark.parametrize("strategy", [STRATEGY, STRATEGY + ",drop-last", "random,frames=20000"])
def test_ranks_have_equal_steps_and_all_sequences(strategy: str) -> None:
    ranks = [padwise.BatchSampler(LENGTHS, strategy, rank=rank, world_size=4) for rank in range(4)]
    epochs = [list(rank) for rank in ranks]
    assert len({len(epoch) for epoch in epochs}) == 1
    whole = {tuple(batch) for batch in padwise.BatchSampler(LENGTHS, strategy)}
    trained = {tuple(batch) for epoch in epochs for batch in epoch}
    assert trained <= whole and (trained == whole or "drop-last" in strategy)


def test_ranks_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "1")
    with pytest.raises(ValueError, match="WORLD_SIZE is not set"):
        sampler()
    monkeypatch.setenv("WORLD_SIZE", "3")
    assert (sampler().rank, sampler().world_size) == (1, 3)
    assert (sampler(rank=0, world_size=1).rank, sampler(rank=0, world_size=1).world_size) == (0, 1)
    for bad in ["", "-1", "x", "9" * 5000, "٣"]:
        monkeypatch.setenv("RANK", bad)
        with pytest.raises(ValueError, match="RANK"):
            sampler()


def test_ranks_of_torch_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = types.SimpleNamespace(
        is_available=lambda: True, is_initialized=lambda: True, get_rank=lambda: 2, get_world_size=lambda: 4
    )
    monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(distributed=distributed))
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "3")
    assert (sampler().rank, sampler().world_size) == (2, 4)
    distributed.is_initialized = lambda: False
    assert (sampler().rank, sampler().world_size) == (1, 3)


def test_torch_is_not_imported() -> None:
    import subprocess

    program = "import sys, padwise; padwise.BatchSampler([1, 2], 'random'); assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_chunks_are_tuples() -> None:
    ours = padwise.BatchSampler([25, 10], "sorted,chunk=10,batch=2")
    items = [item for batch in ours for item in batch]
    assert sorted(items) == [(0, 0, 10), (0, 10, 10), (0, 20, 5), (1, 0, 10)]
