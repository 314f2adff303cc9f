"""Plans, statistics, ledgers and analyses."""

import threading
import time

import numpy as np
import padwise
import pytest

LENGTHS = padwise.profile_lengths("ljspeech", 2000)


def test_batches_are_read_only_views_of_one_array() -> None:
    plan = padwise.plan(LENGTHS, "semi-sorted:lrf=0.1,batch=16,shuffle-batches")
    assert np.shares_memory(plan[3], plan.indices)
    assert all(np.shares_memory(batch, plan.indices) for batch in plan.batches)
    assert all(np.shares_memory(view, array) for view, array in zip(plan.batch(-1), (plan.indices, plan.starts, plan.lengths)))
    assert not plan[0].flags.writeable and plan[0].dtype == np.int64
    assert sorted(plan.indices.tolist()) == list(range(2000))
    assert np.array_equal(plan.lengths, LENGTHS[plan.indices])
    assert np.array_equal(plan.padded_lengths, [plan.batch(i).lengths.max() for i in range(len(plan))])


def test_batches_are_a_sequence() -> None:
    plan = padwise.plan([5, 3, 4], "sorted,batch=2")
    assert [batch.tolist() for batch in plan[:]] == [[1, 2], [0]]
    assert plan[-1].tolist() == [0] and len(plan) == 2
    with pytest.raises(IndexError, match="batch 2 does not exist: there are 2"):
        plan[2]


def test_lengths_are_copied() -> None:
    lengths = np.array([5, 3, 4], dtype=np.uint32)
    sampler = padwise.BatchSampler(lengths, "sorted,batch=2")
    lengths[:] = 0
    sampler.set_epoch(1)
    assert list(sampler) == [[1, 2], [0]]


def test_statistics_and_ledger() -> None:
    plan = padwise.plan([10, 20, 30, 35], "sorted,chunk=20,min-chunk=12,batch=2,drop-last")
    ledger = plan.ledger
    assert ledger["sequences"] == 4 and ledger["items"] == 6
    dropped = [(item["sequence"], item["start"], item["length"], item["reason"]) for item in ledger["dropped"]]
    assert (2, 20, 10, "shorter-than-minimum") in dropped and (0, 0, 10, "shorter-than-minimum") in dropped
    assert plan.stats["dropped"] == len(dropped) and plan.stats["items"] == 6
    assert plan.stats["padded_frames"] == int((np.diff(plan.offsets) * plan.padded_lengths).sum())
    oversized = padwise.plan([10, 90], "sorted,frames=50")
    assert oversized.ledger["oversized"] == [{"sequence": 1, "start": 0, "length": 90}]
    assert oversized.largest_batch == 1


def test_epochs_differ_and_repeat() -> None:
    first, second = (padwise.plan(LENGTHS, "random", epoch) for epoch in (0, 1))
    assert first.indices.tolist() != second.indices.tolist()
    assert padwise.plan(LENGTHS, "random", 1).indices.tolist() == second.indices.tolist()
    assert first.pair_recurrence(second) == pytest.approx(15 / 1999, rel=0.5)
    assert first.pair_recurrence(first) == 1.0


def test_everything_dropped_is_an_empty_plan() -> None:
    plan = padwise.plan([5], "random,batch=2,drop-last")
    assert len(plan) == 0 and list(plan) == [] and plan.largest_batch is None and plan.stats["zpr"] is None
    assert list(padwise.BatchSampler([5], "random,batch=2,drop-last")) == []


def test_analysis_matches_the_recorded_one(repository) -> None:
    table = (repository / "results/length-statistics/ljspeech.md").read_text()
    rows = [[cell.strip(" `") for cell in line.split("|")] for line in table.splitlines()]
    cells = dict(zip(rows[0], next(row for row in rows if "sorted" in row)))
    [record] = padwise.analyze(padwise.profile_lengths("ljspeech"), "sorted")
    assert f"{record['pooled_padding_percent']:.2f}" == cells["padding %"]
    assert f"{record['batches']:,}" == cells["batches"]
    assert f"{record['largest_batch_frames']:,}" == cells["largest"]


def test_analysis_has_a_record_per_strategy_and_seed() -> None:
    records = padwise.analyze(LENGTHS, ["random,batch=7", "bucketed:mxnet,batch=1000"], seeds=2, world_size=4)
    assert [(r["strategy"], r["seed"]) for r in records] == [
        ("random,batch=7", 0), ("random,batch=7", 1), ("bucketed:mxnet,batch=1000", 0), ("bucketed:mxnet,batch=1000", 1),
    ]
    assert len({tuple(record) for record in records}) == 1, "all records have the same keys"
    assert records[0]["batches"] == 286 and records[0]["steps"] == 72 and records[0]["duplicated"] == 14
    assert records[0]["padded_frames"] != records[1]["padded_frames"]
    assert "no length occurs at least 1000 times" in str(records[2]["error"]) and records[2]["batches"] is None


def test_planning_releases_the_gil() -> None:
    lengths, ticks, stop = padwise.profile_lengths("librispeech", 3_000_000), [], threading.Event()

    def count() -> None:
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    start = time.perf_counter()
    padwise.plan(lengths, "semi-sorted:lrf=0.1")
    end = time.perf_counter()
    stop.set()
    thread.join()
    assert sum(start < tick < end for tick in ticks) >= 5, f"the other thread did not run during {end - start:.3f} s"
