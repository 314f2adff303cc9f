"""Loads weights written by this crate into PyTorch, and prints PyTorch's results.

    python check_export.py weights.safetensors frames.safetensors [answer.safetensors]

`weights` contains the parameters with PyTorch's names ("rnn.weight_ih_l0", ..., "out.bias"). `frames` contains "inputs"
[T, B, I] and "lengths" [B]. If `frames` also contains "logits" [T, B, C] computed by this crate, the script prints the largest
difference and exits with 1 if it exceeds the tolerance. PyTorch's logits are written to the third file, if given.
"""

import json
import sys

import torch
from safetensors.torch import load_file, save_file

from make_goldens import AcousticModel, is_speech

TOLERANCE = 1e-5


def model_of(weights):
    """The model, with its shape taken from its parameters. `strict` rejects missing and unexpected names."""
    classes, twice_hidden = weights["out.weight"].shape
    layers = sum(name.startswith("rnn.weight_ih_l") and not name.endswith("_reverse") for name in weights)
    model = AcousticModel(weights["rnn.weight_ih_l0"].shape[1], twice_hidden // 2, layers, classes)
    model.load_state_dict(weights, strict=True)
    return model.eval()


def main(weights_path, frames_path, answer_path=None):
    weights, given = load_file(weights_path), load_file(frames_path)
    lengths = given["lengths"].long()
    with torch.no_grad():
        _, logits = model_of(weights)(given["inputs"], lengths)
    speech = is_speech(len(logits), lengths)
    logits[~speech] = 0
    if answer_path:
        save_file({"logits": logits}, answer_path)
    report = {"shape": list(logits.shape), "sum": logits.double().sum().item()}
    if "logits" not in given:
        print(json.dumps(report))
        return 0
    difference = (logits - given["logits"])[speech].abs().max().item()
    print(json.dumps(report | {"largest_difference": difference, "tolerance": TOLERANCE}))
    return 0 if difference <= TOLERANCE else 1


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
