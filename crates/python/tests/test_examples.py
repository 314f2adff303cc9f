"""Every example runs. Each checks its own result."""

import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).parents[1] / "examples"
NEEDS = {
    "train_pytorch.py": ["torch"],
    "train_lightning.py": ["torch", "lightning"],
    "train_hugging_face.py": ["torch", "transformers", "accelerate"],
    "train_distributed.py": ["torch"],
    "resume.py": ["torch"],
}
RUN_AND_EXIT = str(pathlib.Path(__file__).with_name("run_and_exit.py"))
LAUNCHER = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", RUN_AND_EXIT]


def test_every_example_is_listed() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == {*NEEDS, "toy_corpus.py"}


@pytest.mark.parametrize("name", NEEDS)
def test_example(name: str) -> None:
    missing = [module for module in NEEDS[name] if importlib.util.find_spec(module) is None]
    if missing:
        pytest.skip(f"{' and '.join(missing)} not installed")
    command = [sys.executable, *(LAUNCHER if "distributed" in name else []), str(EXAMPLES / name)]
    # Several threads for such small tensors are slow on a busy machine.
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    assert ran.returncode == 0, ran.stdout + ran.stderr
