#!/usr/bin/env python3
"""Copies CSV from standard input to standard output without the named columns.

usage: drop_columns.py NAME...
"""
import csv
import sys

rows = list(csv.DictReader(sys.stdin))
kept = [name for name in (rows[0] if rows else {}) if name not in sys.argv[1:]]
writer = csv.DictWriter(sys.stdout, kept, extrasaction="ignore", lineterminator="\n")
writer.writeheader()
writer.writerows(rows)
