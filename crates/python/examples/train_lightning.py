"""Trains the same model with Lightning, which tells the sampler the epoch.

usage: python train_lightning.py
"""

import lightning
import torch
from torch.utils.data import DataLoader

import padwise
from toy_corpus import Classifier, ToyCorpus, pad


class Module(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.model, self.losses, self.orders = Classifier(), [], []

    def training_step(self, batch, step):
        if step == 0:
            self.orders.append(batch["indices"].tolist())
        loss = self.model(**batch)["loss"]
        self.losses.append(loss.item())
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.02)


def main():
    lightning.seed_everything(0)
    corpus = ToyCorpus()
    # Made after Lightning has started its processes, for example in `train_dataloader`, it knows its rank.
    sampler = padwise.BatchSampler(corpus.lengths, "semi-sorted:lrf=0.1,batch=16,shuffle-batches", seed=0)
    loader = DataLoader(corpus, batch_sampler=sampler, collate_fn=pad)
    module = Module()
    trainer = lightning.Trainer(
        max_epochs=4,
        accelerator="cpu",
        # The sampler divides batches over ranks itself.
        use_distributed_sampler=False,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
    )
    trainer.fit(module, loader)
    print(f"loss {module.losses[0]:.3f} to {module.losses[-1]:.3f}")
    expected = [padwise.plan(corpus.lengths, sampler.strategy, epoch)[0].tolist() for epoch in range(4)]
    assert module.orders == expected and module.losses[-1] < module.losses[0]


if __name__ == "__main__":
    main()
