"""Kills a training process in the middle of an epoch, resumes it, and checks that it trains exactly the remaining batches.

usage: python resume.py
"""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile

import torch
from torch.utils.data import DataLoader

import padwise
from toy_corpus import Classifier, ToyCorpus, pad

EPOCHS = 2


def train(folder, die_after=None):
    """Trains, and writes a checkpoint after every batch. The checkpoint has the batches that were trained."""
    torch.manual_seed(0)
    corpus, model = ToyCorpus(), Classifier()
    optimiser = torch.optim.Adam(model.parameters(), lr=0.02)
    sampler = padwise.BatchSampler(corpus.lengths, "semi-sorted:lrf=0.1,batch=16,shuffle-batches", seed=0)
    loader = DataLoader(corpus, batch_sampler=sampler, collate_fn=pad, num_workers=2, persistent_workers=True)
    checkpoint, trained, done = folder / "checkpoint.pt", [], 0
    if checkpoint.exists():
        saved = torch.load(checkpoint, weights_only=True)
        model.load_state_dict(saved["model"])
        optimiser.load_state_dict(saved["optimiser"])
        sampler.load_state_dict(saved["sampler"])
        trained, done = saved["trained"], saved["sampler"]["batch"]
    for epoch in range(sampler.epoch, EPOCHS):
        sampler.set_epoch(epoch)
        for batch in loader:
            optimiser.zero_grad()
            model(**batch)["loss"].backward()
            optimiser.step()
            trained.append(batch["indices"].tolist())
            done += 1
            # The loader's workers are ahead of this loop, so the loop counts.
            state = {
                "sampler": sampler.state_dict(epoch=epoch, batch=done),
                "model": model.state_dict(),
                "optimiser": optimiser.state_dict(),
                "trained": trained,
            }
            torch.save(state, folder / "new.pt")
            os.replace(folder / "new.pt", checkpoint)
            if len(trained) == die_after:
                os.kill(os.getpid(), signal.SIGKILL)
        done = 0
    return trained, model


def main():
    if len(sys.argv) > 1:
        train(pathlib.Path(sys.argv[1]), die_after=int(sys.argv[2]))
        return
    with tempfile.TemporaryDirectory() as whole, tempfile.TemporaryDirectory() as parts:
        expected, model = train(pathlib.Path(whole))
        for killed_after in (4, 12, 15):
            killed = subprocess.run([sys.executable, __file__, parts, str(killed_after)])
            assert killed.returncode == -signal.SIGKILL
        trained, resumed = train(pathlib.Path(parts))
        assert trained == expected
        pairs = zip(model.parameters(), resumed.parameters())
        assert all(torch.equal(one, other) for one, other in pairs)
        print(f"{len(trained)} batches, killed three times: the same batches and the same model")


if __name__ == "__main__":
    main()
