"""Streams: batches, chunks and resuming."""

import json

import padwise
import pytest

LENGTHS = padwise.profile_lengths("ljspeech", 500).tolist()
STRATEGIES = ["sorted,batch=8", "semi-sorted:lrf=0.1,batch=8,shuffle-batches,drop-last", "random,chunk=100,min-chunk=20,frames=2000"]


def samples() -> list[tuple[str, int]]:
    return [(f"utterance {i}", length) for i, length in enumerate(LENGTHS)]


def length_of(sample: tuple[str, int]) -> int:
    return sample[1]


def test_a_large_buffer_gives_the_plan() -> None:
    stream = padwise.Stream("semi-sorted:lrf=0.1,batch=8,shuffle-batches", buffer=500, seed=3, epoch=1)
    batches = list(stream.batch(range(500), length=LENGTHS.__getitem__))
    assert batches == [b.tolist() for b in padwise.plan(LENGTHS, "semi-sorted:lrf=0.1,batch=8,shuffle-batches", 1, 3)]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_resume_at_every_batch(strategy: str) -> None:
    stream = padwise.Stream(strategy, buffer=64, seed=1)
    batches, states = [], [stream.state_dict()]
    for batch in stream.batch(samples(), length_of):
        batches.append(batch)
        states.append(json.loads(json.dumps(stream.state_dict())))
    assert stream.waiting == 0 and len(batches) > 20
    ledger = stream.ledger
    assert ledger["received"] == ledger["batched"] + sum(ledger["dropped"].values())
    for position in range(0, len(states), 7):
        resumed = padwise.Stream(strategy, buffer=64)
        resumed.load_state_dict(states[position])
        assert list(resumed.batch(samples(), length_of)) == batches[position:]


def test_chunks_come_with_their_sample() -> None:
    stream = padwise.Stream("sorted,chunk=4,min-chunk=2,batch=2", buffer=8)
    items = [item for batch in stream.batch(["abcdefghi", "xyz"]) for item in batch]
    assert sorted(items) == [("abcdefghi", 0, 4), ("abcdefghi", 4, 4), ("xyz", 0, 3)]


def test_single_steps() -> None:
    stream = padwise.Stream("sorted,batch=2,drop-last", buffer=2)
    for id, length in [(7, 5), (8, 3), (9, 4)]:
        stream.push(id, length)
    assert stream.pop() == padwise.StreamBatch([padwise.StreamItem(8, 0, 3), padwise.StreamItem(7, 0, 5)], 5)
    assert stream.pop() is None and stream.waiting == 1
    stream.finish()
    assert stream.take_dropped() == [padwise.StreamDropped(9, 0, 4, "last-batch")]
    assert stream.ledger["dropped"] == {"last-batch": 1}
    with pytest.raises(ValueError, match="item 1 was pushed after finish"):
        stream.push(1, 1)


def test_errors_say_what_to_do() -> None:
    with pytest.raises(ValueError, match="bucketed:mxnet cannot be streamed"):
        padwise.Stream("bucketed:mxnet", buffer=100)
    with pytest.raises(ValueError, match="a buffer of 4 items cannot hold one batch of 16: use at least 16"):
        padwise.Stream("random", buffer=4)
    with pytest.raises(ValueError, match="item 3 has 0 frames"):
        padwise.Stream("random", buffer=16).push(3, 0)
    with pytest.raises(ValueError, match="the length of item 3 is -1"):
        padwise.Stream("random", buffer=16).push(3, -1)
    stream = padwise.Stream("random,batch=2", buffer=4)
    batches = stream.batch(samples(), length_of)
    next(batches)
    state = stream.state_dict()
    with pytest.raises(ValueError, match="3 samples, but 5 were read before"):
        stream.load_state_dict(state)
        list(stream.batch(samples()[:3], length_of))
    for bad in [{}, [], None, {"sampler": {}, "samples_read": 1}, {**state, "samples_read": -1}]:
        with pytest.raises(ValueError):
            stream.load_state_dict(bad)
    wrong = json.loads(json.dumps(state))
    wrong["sampler"]["buffer"] = [{"id": 77, "start": 0, "length": 5}]
    with pytest.raises(ValueError, match="item 77 is in the state but not among the samples"):
        stream.load_state_dict(wrong)
        list(stream.batch(samples(), length_of))
