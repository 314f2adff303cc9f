"""A corpus of noisy sequences of different lengths, for the other examples. The class of a frame is its strongest feature."""

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import Dataset

import padwise

CLASSES = 4
PADDING = -100


class ToyCorpus(Dataset):
    """Utterances with LibriSpeech's distribution of lengths, a sixteenth as long."""

    def __init__(self, utterances=160):
        self.lengths = padwise.profile_lengths("librispeech", utterances) // 16

    def __len__(self):
        return len(self.lengths)

    def __getitem__(self, index):
        generator = torch.Generator().manual_seed(int(index))
        frames = torch.randn(int(self.lengths[index]), CLASSES, generator=generator)
        return index, frames, frames.argmax(dim=1)


def pad(samples):
    """Pads the utterances of a batch to the longest one."""
    indices, frames, classes = zip(*samples)
    return {
        "indices": torch.tensor(indices),
        "lengths": torch.tensor([len(utterance) for utterance in frames]),
        "frames": pad_sequence(frames, batch_first=True),
        "labels": pad_sequence(classes, batch_first=True, padding_value=PADDING),
    }


class Classifier(nn.Module):
    """A bidirectional LSTM that classifies frames. Packed sequences skip the padding."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(CLASSES, 8, bidirectional=True, batch_first=True)
        self.output = nn.Linear(16, CLASSES)

    def forward(self, frames, lengths, labels, indices=None):
        packed = pack_padded_sequence(frames, lengths.cpu(), batch_first=True, enforce_sorted=False)
        hidden, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        logits = self.output(hidden)
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=PADDING)
        return {"loss": loss, "logits": logits}
