"""Trains an LSTM with packed sequences in plain PyTorch.

usage: python train_pytorch.py
"""

import torch
from torch.utils.data import DataLoader

import padwise
from toy_corpus import Classifier, ToyCorpus, pad


def main():
    torch.manual_seed(0)
    corpus, model = ToyCorpus(), Classifier()
    optimiser = torch.optim.Adam(model.parameters(), lr=0.02)
    sampler = padwise.BatchSampler(corpus.lengths, "semi-sorted:lrf=0.1,batch=16,shuffle-batches", seed=0)
    loader = DataLoader(corpus, batch_sampler=sampler, collate_fn=pad, num_workers=2, persistent_workers=True)
    losses = []
    for epoch in range(4):
        sampler.set_epoch(epoch)
        total, padded, valid = 0.0, 0, 0
        for batch in loader:
            optimiser.zero_grad()
            loss = model(**batch)["loss"]
            loss.backward()
            optimiser.step()
            total += loss.item()
            padded += batch["labels"].numel()
            valid += int(batch["lengths"].sum())
        losses.append(total / len(loader))
        print(f"epoch {epoch}: loss {losses[-1]:.3f}, padding {100 * (1 - valid / padded):.1f} %")
    assert losses[-1] < losses[0]


if __name__ == "__main__":
    main()
