"""PyTorch's DataLoader and torchdata's StatefulDataLoader."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import padwise  # noqa: E402
from torch.utils.data import DataLoader, Dataset, IterableDataset  # noqa: E402

LENGTHS = padwise.profile_lengths("librispeech", 400)
STRATEGIES = ["semi-sorted:lrf=0.1,batch=16,shuffle-batches", "random,chunk=100,frames=5000"]


class Items(Dataset):
    """Returns what the sampler asks for."""

    def __getitem__(self, item):
        return item

    def __len__(self):
        return len(LENGTHS)


def sampler(strategy: str) -> padwise.BatchSampler:
    return padwise.BatchSampler(LENGTHS, strategy, seed=3)


def as_list(samples):
    return list(samples)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("options", [{}, {"num_workers": 2, "persistent_workers": True, "prefetch_factor": 4}])
def test_a_resumed_loader_yields_the_remaining_batches(strategy: str, options: dict) -> None:
    ours = sampler(strategy)
    loader = DataLoader(Items(), batch_sampler=ours, collate_fn=as_list, **options)
    first, second = list(loader), list(loader)
    assert first == list(sampler(strategy)) and len(loader) == len(second) and second != first
    for done in (0, 1, 7, len(first) - 1, len(first)):
        resumed = sampler(strategy)
        loader = DataLoader(Items(), batch_sampler=resumed, collate_fn=as_list, **options)
        # The state is taken while the loader's workers are ahead.
        ours.set_epoch(0)
        iterator = iter(DataLoader(Items(), batch_sampler=ours, collate_fn=as_list, **options))
        for _ in range(done):
            next(iterator)
        resumed.load_state_dict(ours.state_dict(epoch=0, batch=done))
        del iterator
        if done < len(first):
            assert list(loader) == first[done:]
        assert resumed.epoch == 1 and list(loader) == second


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("options", [{}, {"num_workers": 2}, {"num_workers": 2, "persistent_workers": True}])
def test_stateful_loader(strategy: str, options: dict) -> None:
    stateful = pytest.importorskip("torchdata.stateful_dataloader", reason="torchdata is not installed")

    def loader():
        return stateful.StatefulDataLoader(Items(), batch_sampler=sampler(strategy), collate_fn=as_list, **options)

    whole = loader()
    epochs = [list(whole) for _ in range(3)]
    for done in (1, 7, len(epochs[1]) - 1):
        interrupted = loader()
        assert list(interrupted) == epochs[0]
        iterator = iter(interrupted)
        for _ in range(done):
            next(iterator)
        state = interrupted.state_dict()
        del iterator
        resumed = loader()
        resumed.load_state_dict(state)
        assert list(resumed) == epochs[1][done:]
        assert list(resumed) == epochs[2]
    ended = loader()
    assert list(ended) == epochs[0]
    resumed = loader()
    resumed.load_state_dict(ended.state_dict())
    assert list(resumed) == epochs[1]


def test_stream_in_an_iterable_dataset() -> None:
    class Utterances(IterableDataset):
        def __iter__(self):
            samples = (torch.zeros(int(length)) for length in LENGTHS)
            yield from padwise.Stream("sorted,batch=8", buffer=100).batch(samples)

    batches = list(DataLoader(Utterances(), batch_size=None, num_workers=1, collate_fn=as_list))
    assert sum(map(len, batches)) == len(LENGTHS) and len(batches[0]) == 8


def test_lengths_as_a_tensor() -> None:
    lengths = torch.tensor(LENGTHS.astype("int64"))
    assert list(padwise.BatchSampler(lengths, "sorted")) == list(padwise.BatchSampler(LENGTHS, "sorted"))
    with pytest.raises(ValueError, match="lengths have dtype float32"):
        padwise.BatchSampler(lengths.float(), "sorted")
