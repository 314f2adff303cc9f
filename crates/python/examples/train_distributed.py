"""Trains the same model with several processes, whose gradients are averaged at every step.

usage: torchrun --nproc-per-node 2 train_distributed.py
"""

import torch
import torch.distributed as distributed
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader

import padwise
from toy_corpus import Classifier, ToyCorpus, pad


def main():
    distributed.init_process_group("gloo")
    torch.manual_seed(0)
    corpus, model = ToyCorpus(), DistributedDataParallel(Classifier())
    optimiser = torch.optim.Adam(model.parameters(), lr=0.02)
    # Rank and number of ranks come from torch.distributed. The seed is the same everywhere.
    sampler = padwise.BatchSampler(corpus.lengths, "semi-sorted:lrf=0.1,batch=8,shuffle-batches", seed=0)
    assert sampler.world_size == distributed.get_world_size()
    loader = DataLoader(corpus, batch_sampler=sampler, collate_fn=pad)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        trained = []
        for batch in loader:
            optimiser.zero_grad()
            model(**batch)["loss"].backward()
            optimiser.step()
            trained += batch["indices"].tolist()
        everywhere = [None] * sampler.world_size
        distributed.all_gather_object(everywhere, (len(loader), trained))
        steps = {steps for steps, _ in everywhere}
        assert len(steps) == 1, "every rank has the same number of steps"
        assert {index for _, indices in everywhere for index in indices} == set(range(len(corpus)))
        if sampler.rank == 0:
            print(f"epoch {epoch}: {steps.pop()} steps on each of {sampler.world_size} ranks")
    distributed.destroy_process_group()


if __name__ == "__main__":
    main()
