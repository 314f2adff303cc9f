#!/usr/bin/env python3
"""Runs every shell block of getting-started.md and README.md, as a reader would paste them.

usage: run_documentation.py PADWISE

The blocks run in a copy of the project's files, so they leave nothing behind. PADWISE is the program to test; instead of `cargo
install`, which would build it once more, the blocks copy it. Blocks that .ci/run runs by itself (the tests) are left out. The example
corpus is made smaller and trained for fewer epochs.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

DOCUMENTS = ["docs/getting-started.md", "README.md"]
RUN_ELSEWHERE = ["cargo test --workspace"]
# What is shortened, and to what. Each must occur in getting-started.md.
SHORTENED = {
    "cargo install --locked --path crates/runner": "mkdir -p installed/bin && cp \"$PADWISE\" installed/bin/padwise",
    "make_digits_corpus.py my-digits 40": "make_digits_corpus.py my-digits 4",
    "epochs = 12": "epochs = 2",
}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    top = pathlib.Path(__file__).resolve().parent.parent
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=top, capture_output=True, text=True, check=True)
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "padwise"
        for name in listed.stdout.splitlines():
            if (top / name).is_file():
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(top / name, copy / name, follow_symlinks=True)
        environment = os.environ | {
            "PADWISE": str(pathlib.Path(sys.argv[1]).resolve()),
            "PATH": f"{copy / 'installed' / 'bin'}{os.pathsep}{os.environ['PATH']}",
        }
        for document in DOCUMENTS:
            text = (top / document).read_text(encoding="utf-8")
            other = [kind for kind in re.findall(r"^```(\w+)$", text, re.M) if kind not in ("sh", "text", "python")]
            if other:
                sys.exit(f"{document}: a block of kind {other[0]} cannot be run; use sh, text for output, or python for an excerpt")
            # The README repeats a step of the first page, and `prepare` never overwrites a pack.
            (copy / "my-digits.pack").unlink(missing_ok=True)
            if document == DOCUMENTS[0]:
                missing = [whole for whole in SHORTENED if whole not in text]
                if missing:
                    sys.exit(f"{document}: `{missing[0]}` is not there to be shortened; change SHORTENED in {sys.argv[0]}")
            for block in re.findall(r"^```sh\n(.*?)^```$", text, re.M | re.S):
                line = text[: text.index(block)].count("\n") + 1
                if block.strip() in RUN_ELSEWHERE:
                    continue
                for whole, short in SHORTENED.items():
                    block = block.replace(whole, short)
                print(f"== {document}:{line}\n{block}", flush=True)
                done = subprocess.run(["bash", "-euo", "pipefail", "-c", block], cwd=copy, env=environment)
                if done.returncode != 0:
                    sys.exit(f"{document}:{line}: the block ended with exit code {done.returncode}")


main()
