"""Writes the golden files in this folder with PyTorch, which shares no code with this crate.

    pip install torch==2.15.0 numpy==2.4.6 safetensors==0.8.0
    python make_goldens.py

Parameters and inputs are rounded to f32 first, so this crate reads exactly the numbers that PyTorch uses. The results are
float64. Padding frames of the inputs contain large numbers on purpose, so that reading them is noticed.
"""

import pathlib

import torch
from safetensors.torch import save_file
from torch import nn
from torch.nn.functional import cross_entropy, ctc_loss, log_softmax
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

HERE = pathlib.Path(__file__).parent
NO_LABEL = -1


def exact(tensor):
    """Rounds to f32 precision, keeping the type."""
    return tensor.float().to(tensor.dtype)


class AcousticModel(nn.Module):
    """The model. The files use its parameter names."""

    def __init__(self, inputs, hidden, layers, classes):
        super().__init__()
        self.rnn = nn.LSTM(inputs, hidden, layers, bidirectional=True)
        self.out = nn.Linear(2 * hidden, classes)

    def forward(self, frames, lengths):
        output = run_packed(self.rnn, frames, lengths)
        return output, self.out(output)


def run_packed(rnn, frames, lengths):
    packed = pack_padded_sequence(frames, lengths, enforce_sorted=False)
    return pad_packed_sequence(rnn(packed)[0], total_length=len(frames))[0]


def outputs_of_layers(rnn, frames, lengths):
    """The output of each layer, computed by one-layer networks with that layer's parameters."""
    outputs, parameters = {}, dict(rnn.named_parameters())
    for layer in range(rnn.num_layers):
        alone = nn.LSTM(frames.shape[-1], rnn.hidden_size, 1, bidirectional=True).to(frames.dtype)
        for name, own in alone.named_parameters():
            own.data = parameters[name.replace("_l0", f"_l{layer}")].data
        frames = run_packed(alone, frames, lengths)
        outputs[f"output.l{layer}"] = frames
    return outputs


def is_speech(total, lengths):
    """[T, B]: whether a frame is inside its utterance."""
    return torch.arange(total)[:, None] < lengths[None, :]


def model_case(name, seed, inputs, hidden, layers, classes, lengths, total=None, scale=1.0, unlabelled=0):
    torch.manual_seed(seed)
    lengths = torch.tensor(lengths)
    total = total or int(lengths.max())
    model = AcousticModel(inputs, hidden, layers, classes).double()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(exact(parameter * scale))

    speech = is_speech(total, lengths)
    frames = exact(torch.randn(total, len(lengths), inputs, dtype=torch.float64))
    frames[~speech] = exact(100 * frames[~speech])
    targets = torch.randint(classes, speech.shape).masked_fill(~speech, NO_LABEL)
    inside = speech.nonzero()
    for t, b in inside[torch.randperm(len(inside))[:unlabelled]]:
        targets[t, b] = NO_LABEL

    frames.requires_grad_(True)
    output, logits = model(frames, lengths)
    flat, labels = logits.flatten(0, 1), targets.flatten()
    mean = cross_entropy(flat, labels, ignore_index=NO_LABEL)
    total_loss = cross_entropy(flat, labels, ignore_index=NO_LABEL, reduction="sum")
    mean.backward()

    labelled = targets != NO_LABEL
    best = logits.detach().topk(2, dim=-1)
    margin = (best.values[..., 0] - best.values[..., 1])[labelled].min()
    assert margin > 1e-5, f"{name}: two classes {margin} apart, so that f32 may choose the other"
    errors = ((best.indices[..., 0] != targets) & labelled).sum()

    written = {key: value.detach().float() for key, value in model.named_parameters()}
    written |= {f"grad.{key}": value.grad for key, value in model.named_parameters()}
    written |= {key: value.detach() for key, value in outputs_of_layers(model.rnn, frames.detach(), lengths).items()}
    assert torch.allclose(written[f"output.l{layers - 1}"], output, rtol=0, atol=1e-14)
    written |= {
        "inputs": frames.detach().float(),
        "lengths": lengths.int(),
        "targets": targets.int(),
        "logits": logits.detach().masked_fill(~speech[..., None], 0),
        "loss.mean": mean.detach().reshape(1),
        "loss.sum": total_loss.detach().reshape(1),
        "labelled_frames": labelled.sum().int().reshape(1),
        "frame_errors": errors.int().reshape(1),
        "grad.inputs": frames.grad,
    }
    assert not frames.grad[~speech].any()
    save_file({key: value.contiguous() for key, value in written.items()}, HERE / f"{name}.safetensors")


def weight_exchange():
    """A weight file as saved by a PyTorch user, and that model's outputs in f32."""
    torch.manual_seed(20)
    model = AcousticModel(inputs=9, hidden=10, layers=3, classes=8)
    save_file(model.state_dict(), HERE / "torch_state.safetensors")
    lengths = torch.tensor([6, 15, 1, 11])
    frames = torch.randn(15, 4, 9)
    with torch.no_grad():
        _, logits = model(frames, lengths)
    logits[~is_speech(15, lengths)] = 0
    answer = {"inputs": frames, "lengths": lengths.int(), "logits": logits}
    save_file(answer, HERE / "torch_state_answer.safetensors")


def steps(optimiser, settings, start, gradients):
    parameter = nn.Parameter(start.clone())
    optimiser = optimiser([parameter], foreach=False, **settings)
    taken = []
    for gradient in gradients:
        parameter.grad = gradient.clone()
        optimiser.step()
        taken.append(parameter.detach().clone())
    return torch.stack(taken)


def optimisers():
    """Five steps each. Gradients span seven orders of magnitude, so the position of epsilon matters."""
    torch.manual_seed(30)
    start = exact(torch.randn(6, dtype=torch.float64))
    sizes = torch.tensor([1e-6, 1e-4, 1e-2, 1.0, 10.0, 0.0], dtype=torch.float64)
    gradients = exact(torch.randn(5, 6, dtype=torch.float64) * sizes)
    written = {"start": start.float(), "gradients": gradients.float()}
    cases = {
        "adam.usual": (torch.optim.Adam, {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8}),
        "adam.other": (torch.optim.Adam, {"lr": 0.02, "betas": (0.8, 0.95), "eps": 1e-3}),
        "adadelta.usual": (torch.optim.Adadelta, {"lr": 1.0, "rho": 0.9, "eps": 1e-6}),
        "adadelta.other": (torch.optim.Adadelta, {"lr": 0.5, "rho": 0.95, "eps": 1e-8}),
    }
    for name, (optimiser, settings) in cases.items():
        numbers = []
        for value in settings.values():
            numbers.extend(value if isinstance(value, tuple) else (value,))
        written[f"{name}.settings"] = torch.tensor(numbers, dtype=torch.float64)
        written[f"{name}.steps"] = steps(optimiser, settings, start, gradients)

    parts = {"vector": exact(torch.randn(6, dtype=torch.float64)), "matrix": exact(torch.randn(2, 3, dtype=torch.float64))}
    written |= {f"clip.{part}": value.float() for part, value in parts.items()}
    for name, limit in {"bites": 1.5, "spares": 50.0}.items():
        clipped = {part: nn.Parameter(torch.zeros_like(value)) for part, value in parts.items()}
        for part, parameter in clipped.items():
            parameter.grad = parts[part].clone()
        norm = nn.utils.clip_grad_norm_(clipped.values(), limit, foreach=False)
        written[f"clip.{name}.limit"] = torch.tensor([limit], dtype=torch.float64)
        written[f"clip.{name}.norm_before"] = norm.reshape(1)
        written |= {f"clip.{name}.{part}": parameter.grad for part, parameter in clipped.items()}
    save_file(written, HERE / "optimisers.safetensors")


def ctc_case(seed, classes, blank, utterances, total=None, size=2.0):
    """`utterances` are pairs of a number of frames and a target. Utterances that cannot be aligned have an infinite loss
    and a gradient of 0. The gradient is that of the sum of the losses with respect to the logits."""
    torch.manual_seed(seed)
    lengths = torch.tensor([frames for frames, _ in utterances])
    total = total or int(lengths.max())
    logits = exact(size * torch.randn(total, len(utterances), classes, dtype=torch.float64)).requires_grad_(True)
    targets = torch.tensor([label for _, target in utterances for label in target], dtype=torch.long)
    sizes = torch.tensor([len(target) for _, target in utterances])

    def losses(zero_infinity):
        log_probabilities = log_softmax(logits, dim=-1)
        return ctc_loss(log_probabilities, targets, lengths, sizes, blank, "none", zero_infinity)

    losses(zero_infinity=True).sum().backward()
    padding = ~is_speech(total, lengths)
    assert not logits.grad[padding].any()
    shown = logits.detach().float()
    shown[padding] *= 100
    return {
        "logits": shown,
        "input_lengths": lengths.int(),
        "targets": targets.int(),
        "target_lengths": sizes.int(),
        "blank": torch.tensor([blank], dtype=torch.int32),
        "losses": losses(zero_infinity=False).detach(),
        "grad.logits": logits.grad,
    }


def ctc():
    long_target = [1 + (label * 7) % 11 for label in range(22)]
    cases = {
        "ragged": ctc_case(40, 5, 0, [(12, [1, 2, 3]), (7, [4, 4]), (3, [2, 1]), (9, [3])]),
        "blank_last": ctc_case(41, 6, 5, [(10, [0, 1, 2]), (8, [4, 0, 0, 4]), (6, [3])]),
        "blank_inside": ctc_case(42, 4, 2, [(9, [0, 1, 3]), (5, [3, 3]), (4, [1])], total=11),
        "repeats": ctc_case(43, 3, 0, [(11, [1, 1, 1]), (5, [2, 2, 2]), (8, [1, 1, 2, 2]), (7, [1, 2, 1, 2])]),
        "empty_targets": ctc_case(44, 4, 0, [(6, []), (8, [1, 2]), (1, [])]),
        "single_frames": ctc_case(45, 4, 0, [(1, [2]), (1, []), (1, [3])]),
        "impossible": ctc_case(46, 4, 0, [(3, [1, 2, 3, 1]), (8, [1, 2]), (4, [2, 2, 2]), (1, [1, 2]), (5, [3, 3, 3])]),
        "only_empty": ctc_case(47, 3, 1, [(4, []), (2, [])]),
        "sharp": ctc_case(48, 5, 0, [(20, [1, 2, 3, 4, 1]), (14, [3, 3, 2])], size=40.0),
        # Many alignments tie, which reveals implementations that differentiate a maximum.
        "uniform": ctc_case(50, 5, 0, [(9, [1, 2]), (6, [3, 3, 4]), (4, [])], size=0.0),
        "long": ctc_case(49, 12, 0, [(60, long_target), (45, long_target[:9]), (33, long_target[3:15])]),
    }
    written = {f"{name}/{key}": value for name, case in cases.items() for key, value in case.items()}
    save_file(written, HERE / "ctc.safetensors")


if __name__ == "__main__":
    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(1)
    model_case("ragged_one_layer", 1, inputs=7, hidden=5, layers=1, classes=4, lengths=[9, 1, 14, 6])
    model_case("unlabelled_two_layers", 2, inputs=6, hidden=8, layers=2, classes=6, lengths=[17, 23, 1, 5, 11], unlabelled=9)
    model_case("ragged_three_layers", 3, inputs=10, hidden=12, layers=3, classes=9, lengths=[40, 3, 28])
    model_case("equal_lengths", 4, inputs=5, hidden=6, layers=2, classes=5, lengths=[12] * 4)
    model_case("one_frame", 5, inputs=4, hidden=7, layers=2, classes=3, lengths=[1] * 3)
    model_case("one_utterance", 6, inputs=3, hidden=9, layers=3, classes=5, lengths=[21])
    model_case("padding_only_frames", 7, inputs=4, hidden=5, layers=2, classes=4, lengths=[11, 13], total=16)
    model_case("saturated_gates", 8, inputs=5, hidden=10, layers=1, classes=6, lengths=[18, 25, 4], scale=6.0)
    model_case("wide", 9, inputs=13, hidden=64, layers=1, classes=10, lengths=[60, 41, 7])
    weight_exchange()
    optimisers()
    ctc()
