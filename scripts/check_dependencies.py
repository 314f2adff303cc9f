#!/usr/bin/env python3
"""Checks the licence and source of every dependency against .cargo/deny.toml, without cargo-deny.

Covers all features and targets, as resolved by cargo. Duplicates and advisories need `cargo deny`.

usage: check_dependencies.py   Exits 1 if anything is found.
"""
import pathlib
import re
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
RULES = tomllib.loads((ROOT / ".cargo/deny.toml").read_text())
ALLOWED = set(RULES["licenses"]["allow"])
EXCEPTIONS = {rule["crate"]: set(rule["allow"]) for rule in RULES["licenses"]["exceptions"]}
REGISTRIES = {f"registry+{address}" for address in RULES["sources"]["allow-registry"]}


def satisfied(expression, allowed):
    """Evaluates an SPDX expression. AND binds tighter than OR; old crates write a slash for OR."""
    def flat(text):
        return any(all(name.strip() in allowed for name in part.split(" AND ")) for part in re.split(r" OR |/", text))

    allowed = allowed | {"True"}
    while "(" in expression:
        expression = re.sub(r"\(([^()]*)\)", lambda inner: str(flat(inner[1])), expression)
    return flat(expression)


def main():
    found = []
    for package in tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]:
        source = package.get("source")
        if source is not None and source not in REGISTRIES:
            found.append(f"Cargo.lock: {package['name']} {package['version']} comes from {source}, which is not allowed")
    tree = "cargo tree --workspace --all-features --target all --locked --prefix none --format".split()
    listed = subprocess.run([*tree, "{p}\t{l}"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    packages = {line.removesuffix(" (*)") for line in listed.splitlines() if line}
    for package in sorted(packages):
        name, licence = package.split("\t")
        allowed = ALLOWED | EXCEPTIONS.get(name.split()[0], set())
        if not licence or not satisfied(licence, allowed):
            found.append(f"{name}: licence {licence or 'missing'} is not in .cargo/deny.toml")
    print("\n".join(found) or f"{len(packages)} packages have an allowed licence and source")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
