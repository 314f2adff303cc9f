#!/usr/bin/env python3
"""Checks the project's prose: no sentence over 30 words, no expression that CONTRIBUTING.md asks us to avoid.

Reads Markdown, and the comments and string literals of Rust, Python, shell and TOML files. Sentence length is checked in
Markdown and Rust comments; expressions everywhere. Generated blocks, code, snapshots and test fixtures are left out.

usage: check_prose.py [PATH...]   files or folders; by default everything that git tracks. Exits 1 if anything is found.
"""
import pathlib
import re
import subprocess
import sys

LONGEST = 30

# Each expression with what to write instead.
AVOID = [
    (r"\bknown by heart\b|\bby heart\b", "overfitting"),
    (r"\bseeds? (?:can(?:not)? |could |can hardly )?tells?\b", "statistically significant"),
    (r"\btold apart\b|\btells? (?:them |it |one )?(?:apart|from chance)\b", "differ significantly"),
    (r"\bproducts with\b", "GEMMs"),
    (r"\bis descended\b", "gradient descent, update"),
    (r"\bhe?ld against\b|\bholds? (?:\w+ ){1,4}against\b", "compared with"),
    (r"\b(?:a|what) price\b", "cost"),
    (r"\bwho fell\b", "failed"),
    (r"\bmend(?:s|ed|ing)?\b", "fix"),
    (r"\blike lengths?\b", "similar lengths"),
    (r"\bas (?:one|you) likes?\b", "as needed"),
    (r"\bsees? to (?:it|that)\b", "ensures"),
    (r"\bis no corpus\b", "unrecognised corpus layout"),
    (r"\bwhat no interval covers\b", "frames outside every interval"),
    (r"\b(?:runs|records) are not mixed\b", "already contains a run"),
    (r"\bwhat came before it is kept\b", "completed utterances were kept"),
    (r"\bhas been seen to\b", "was run"),
    (r"\bup to this share\b", "up to this fraction"),
    (r"\bone a (?:line|core|strategy|run|file|row|step)\b|\bline a strategy\b", "one per"),
    (r"\b(?:utterances|frames|steps|batches|files|launch(?:es)?|ms) a (?:second|step|batch|line|minute|launch)\b", "per"),
    (r"\bwith tf32's mantissa\b", "TF32-precision"),
    (r"\bof steps below\b", "p99"),
    (r"\bwhere (?:that|it) holds\b", "if it contains"),
    (r"\bgo(?:es|ing)? on (?:with|from) (?:it|the run|its|that)\b", "resume"),
    (r"\bmakes? of (?:audio|it|them)\b", "converts"),
    (r"\btells? at once\b", "reports in seconds"),
    (r"\ba recurrence that ends with\b", "stops at the longest utterance"),
    (r"\bsurvives being\b", "resumes after"),
    (r"\ba change for the worse\b", "degraded"),
    (r"\btoo few seeds to ask\b", "too few seeds to test"),
    (r"\bwhat is there is not\b", "out of date"),
    (r"\balready holds a run\b", "already contains a run"),
    (r"\bwhatever is faster\b", "every faster strategy"),
    (r"\brooms\b|\bhas room for\b", "memory, space"),
    (r"\bsuch as it is\b|\bwhatever its\b|\bwhatever ran\b", "plain words"),
]
AVOID = [(re.compile(pattern, re.I), instead) for pattern, instead in AVOID]

SKIPPED = re.compile(r"/(?:snapshots|fixtures|golden)/|^target/|scripts/check_prose\.py$|^LICENSE|Cargo\.lock$|\.snap$")
ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|et al|vs|cf|fig|approx|etc)\.$", re.I)


def tracked():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True, check=True)
    return [pathlib.Path(name) for name in listed.stdout.splitlines()]


def files(arguments):
    if not arguments:
        return tracked()
    found = []
    for argument in map(pathlib.Path, arguments):
        found += sorted(p for p in argument.rglob("*") if p.is_file()) if argument.is_dir() else [argument]
    return found


def paragraphs_of_markdown(text):
    """Yields (line, paragraph, is_table). Code, comments and blocks that span lines between `from` and `end` are left out."""
    start, lines, in_code, in_block = 0, [], False, False
    for number, line in enumerate(text.splitlines() + [""], 1):
        stripped = line.strip()
        fence = stripped.startswith(("```", "~~~"))
        opens = stripped.startswith("<!-- from") and "<!-- end" not in stripped
        ends_paragraph = (
            not stripped or fence or in_code or in_block or opens
            or stripped.startswith(("#", "|", "![")) or re.match(r"(?:[-*+]|\d+\.) ", stripped)
        )
        if ends_paragraph and lines:
            yield start, " ".join(lines), False
            lines = []
        if fence:
            in_code = not in_code
        elif opens:
            in_block = True
        elif in_block:
            in_block = not stripped.startswith("<!-- end")
        elif not in_code and stripped:
            if stripped.startswith("|"):
                yield number, stripped, True
            else:
                if not lines:
                    start = number
                lines.append(re.sub(r"^(?:[-*+>]|\d+\.|#+) ", "", stripped))


def paragraphs_of_comments(text, marker):
    """Yields (line, paragraph, False) for comment blocks whose lines start with `marker`."""
    block, start = [], 0
    for number, line in enumerate(text.splitlines() + [""], 1):
        match = re.match(marker, line)
        if match:
            if not block:
                start = number
            block.append(line[match.end():])
        elif block:
            for offset, paragraph, is_table in paragraphs_of_markdown("\n".join(block)):
                yield start + offset - 1, paragraph, is_table
            block = []


def strings(text):
    """Yields (line, text, True) for string literals of several words; their length is not checked."""
    for match in re.finditer(r'"((?:[^"\\\n]|\\.|\\\n)*)"', text):
        if len(match.group(1).split()) > 3:
            yield text.count("\n", 0, match.start()) + 1, re.sub(r"\\\n\s*", "", match.group(1)), True


def paragraphs(path):
    try:
        text = path.read_text(encoding="utf-8")
    except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
        return
    if path.suffix == ".md":
        yield from paragraphs_of_markdown(text)
    elif path.suffix in (".rs", ".cu"):
        yield from paragraphs_of_comments(text, r"\s*//[/!]? ?")
        yield from strings(text)
    elif path.suffix in (".toml", ".sh", ".py") or path.name == "run":
        yield from paragraphs_of_comments(text, r"\s*#(?!!):? ?")
        yield from strings(text)
    elif path.suffix == ".html":
        yield from ((n, line, True) for n, line in enumerate(text.splitlines(), 1))


def sentences(paragraph):
    plain = re.sub(r"<!--.*?-->", "", paragraph)
    plain = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", plain)
    parts, sentence = re.split(r"(?<=[.!?])[)*\"”]*\s+", plain), ""
    for part in parts:
        sentence = f"{sentence} {part}".strip()
        if not ABBREVIATION.search(sentence):
            yield sentence
            sentence = ""
    if sentence:
        yield sentence


def words(sentence):
    return sum(1 for word in sentence.split() if re.search(r"\w", word))


def main():
    found = 0
    for path in files(sys.argv[1:]):
        if SKIPPED.search(str(path)):
            continue
        for line, paragraph, is_short_text in paragraphs(path):
            for pattern, instead in AVOID:
                match = pattern.search(paragraph)
                if match:
                    print(f'{path}:{line}: avoid "{match.group(0)}", write for example "{instead}"')
                    found += 1
            if is_short_text:
                continue
            for sentence in sentences(paragraph):
                if words(sentence) > LONGEST:
                    print(f"{path}:{line}: {words(sentence)} words: {sentence[:90]}…")
                    found += 1
    if found:
        print(f"{found} places to rewrite; see CONTRIBUTING.md, Writing")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
