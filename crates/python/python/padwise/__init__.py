"""Batch sampling for sequences of different lengths.

The sequences of a batch are padded to the longest one, and the padding costs time and memory. padwise chooses which
sequences share a batch, with the strategies of four papers.

>>> import padwise
>>> sampler = padwise.BatchSampler([120, 80, 300, 95], "semi-sorted:lrf=0.1,batch=2")
>>> len(sampler)
2

Pass the sampler to ``torch.utils.data.DataLoader(dataset, batch_sampler=sampler)``. `GRAMMAR` describes strategies.
"""

from padwise._analysis import Record, analyze
from padwise._batch_sampler import BatchSampler, SamplerState
from padwise._padwise import GRAMMAR, __version__
from padwise._plan import Batch, DroppedItem, Item, Ledger, Plan, Shard, Stats, plan
from padwise._profile import profile_lengths
from padwise._recommendation import Prediction, Recommendation, recommend
from padwise._stream import Stream, StreamBatch, StreamDropped, StreamItem, StreamLedger, StreamState

__all__ = [
    "GRAMMAR",
    "Batch",
    "BatchSampler",
    "DroppedItem",
    "Item",
    "Ledger",
    "Plan",
    "Prediction",
    "Recommendation",
    "Record",
    "SamplerState",
    "Shard",
    "Stats",
    "Stream",
    "StreamBatch",
    "StreamDropped",
    "StreamItem",
    "StreamLedger",
    "StreamState",
    "__version__",
    "analyze",
    "plan",
    "profile_lengths",
    "recommend",
]
