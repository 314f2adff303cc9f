"""Trains the same model with Hugging Face's Trainer.

usage: python train_hugging_face.py
"""

import tempfile

from torch.utils.data import DataLoader
from transformers import Trainer, TrainingArguments

import padwise
from toy_corpus import Classifier, ToyCorpus, pad


class EpochLoader(DataLoader):
    """Tells the sampler the epoch. The Trainer calls `set_epoch` if a loader has it."""

    def set_epoch(self, epoch):
        self.batch_sampler.set_epoch(epoch)


class PadwiseTrainer(Trainer):
    """Takes its batches from padwise."""

    def get_train_dataloader(self):
        # Not passed to `accelerator.prepare`, which would divide the batches over ranks a second time.
        lengths, seed = self.train_dataset.lengths, self.args.seed
        sampler = padwise.BatchSampler(lengths, "semi-sorted:lrf=0.1,batch=16,shuffle-batches", seed)
        return EpochLoader(self.train_dataset, batch_sampler=sampler, collate_fn=self.data_collator)

    def training_step(self, model, inputs, *arguments, **named):
        self.batches.append(inputs["indices"].tolist())
        return super().training_step(model, inputs, *arguments, **named)


def main():
    corpus = ToyCorpus()
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            folder,
            num_train_epochs=3,
            learning_rate=0.02,
            seed=0,
            use_cpu=True,
            remove_unused_columns=False,
            save_strategy="no",
            logging_strategy="epoch",
            report_to=[],
            disable_tqdm=True,
        )
        trainer = PadwiseTrainer(Classifier(), arguments, train_dataset=corpus, data_collator=pad)
        trainer.batches = []
        trainer.train()
    losses = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
    print("losses of the epochs:", losses)
    plans = [padwise.plan(corpus.lengths, "semi-sorted:lrf=0.1,batch=16,shuffle-batches", epoch) for epoch in range(3)]
    assert trainer.batches == [batch.tolist() for plan in plans for batch in plan]
    assert float(losses[-1]) < float(losses[0])


if __name__ == "__main__":
    main()
