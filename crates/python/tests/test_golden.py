"""Plans are identical to those of Rust: both are compared with the same file."""

import json
import pathlib

import padwise
import pytest

GOLDEN = json.loads((pathlib.Path(__file__).parents[2] / "sampler/tests/golden/plans.json").read_text())
PLANS = [(line, GOLDEN["epoch"], batches) for line, batches in GOLDEN["plans"].items()]
PLANS += [(line, 0, batches) for line, batches in GOLDEN["first_epoch"].items()]


def test_the_golden_file_is_complete() -> None:
    assert (len(GOLDEN["plans"]), len(GOLDEN["first_epoch"]), len(GOLDEN["shards"])) == (19, 2, 3)


@pytest.mark.parametrize("line, epoch, expected", PLANS)
def test_plans(line: str, epoch: int, expected: list[dict]) -> None:
    plan = padwise.plan(GOLDEN["lengths"], line, epoch=epoch, seed=GOLDEN["seed"])
    batches = [plan.batch(i) for i in range(len(plan))]
    assert [
        {"items": [list(item) for item in zip(b.indices.tolist(), b.starts.tolist())], "padded": b.padded_length}
        for b in batches
    ] == expected
    assert [array.tolist() for array in plan] == [[item[0] for item in batch["items"]] for batch in expected]


@pytest.mark.parametrize("line", GOLDEN["shards"])
def test_shards(line: str) -> None:
    plan = padwise.plan(GOLDEN["lengths"], line, GOLDEN["epoch"], GOLDEN["seed"])
    ranks = GOLDEN["shards"][line]
    for rank, expected in enumerate(ranks):
        shard = plan.shard(rank, len(ranks))
        assert shard.batch_indices.tolist() == expected
        assert [batch.tolist() for batch in shard] == [plan[batch].tolist() for batch in expected]


@pytest.mark.parametrize("line, epoch, expected", PLANS)
def test_batch_samplers(line: str, epoch: int, expected: list[dict]) -> None:
    sampler = padwise.BatchSampler(GOLDEN["lengths"], line, seed=GOLDEN["seed"])
    sampler.set_epoch(epoch)
    is_chunked = any("chunk" in part for part in line.split(","))
    items = [[item[:2] if is_chunked else (item, 0) for item in batch] for batch in sampler]
    assert items == [[tuple(item) for item in batch["items"]] for batch in expected]
