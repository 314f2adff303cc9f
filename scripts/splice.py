#!/usr/bin/env python3
"""Fills the marked blocks of a document from recorded files.

usage: scripts/splice.py DOCUMENT...      (run from the top of the project)

A block begins with a line `<!-- from FILE -->` and ends with `<!-- end -->`; what stands between becomes FILE's content.
"""
import pathlib
import re
import sys

BLOCK = re.compile(r"(<!-- from (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)

for document in map(pathlib.Path, sys.argv[1:]):
    text = document.read_text()
    document.write_text(BLOCK.sub(lambda m: m[1] + pathlib.Path(m[2]).read_text() + m[3], text))
