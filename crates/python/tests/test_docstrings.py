"""The examples in docstrings, and the names in documents."""

import doctest
import importlib
import re

import padwise
import pytest

MODULES = ["", "._analysis", "._batch_sampler", "._plan", "._profile", "._stream"]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    results = doctest.testmod(importlib.import_module(f"padwise{name}"))
    assert results.attempted > 0 and results.failed == 0


def test_documents_use_names_that_exist(repository) -> None:
    for document in ["docs/python.md", "README.md", "crates/python/README.md"]:
        names = set(re.findall(r"\bpadwise\.([A-Za-z]\w*)", (repository / document).read_text()))
        assert names and not [name for name in names if not hasattr(padwise, name)], document
