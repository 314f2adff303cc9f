#!/usr/bin/env python3
"""A second implementation of all plans, written from the papers and the documentation of the random streams.

usage: python3 plans.py > plans.json      (standard library only)

The Rust tests compare every batch with plans.json. A difference means that one implementation misreads a paper, or that
plans are no longer the same on every machine and in every version.
"""
import json
import struct

MASK = 0xFFFFFFFF


class Stream:
    """ChaCha with 8 rounds as 32-bit words. The key is (seed, epoch, window, purpose)."""

    def __init__(self, seed, epoch, purpose, window=0):
        key = struct.pack("<QQQ", seed, epoch, window) + purpose.encode().ljust(8, b"\0")
        self.key, self.block, self.words = struct.unpack("<8I", key), 0, []

    def refill(self):
        start = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574, *self.key, self.block & MASK, self.block >> 32, 0, 0]
        x = list(start)

        def quarter(a, b, c, d):
            for i, j, k, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
                x[i] = (x[i] + x[j]) & MASK
                x[k] ^= x[i]
                x[k] = (x[k] << turn | x[k] >> (32 - turn)) & MASK

        for _ in range(4):
            for column in ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15)):
                quarter(*column)
            for diagonal in ((0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)):
                quarter(*diagonal)
        self.words = [(a + b) & MASK for a, b in zip(x, start)]
        self.block += 1

    def u32(self):
        if not self.words:
            self.refill()
        return self.words.pop(0)

    def unit(self):
        low = self.u32()
        return ((self.u32() << 32 | low) >> 11) / 2.0**53

    def below(self, n):
        while True:
            product = self.u32() * n
            if product & MASK >= (2**32 - n) % n:
                return product >> 32

    def shuffle(self, items):
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]
        return items


class Epoch:
    def __init__(self, lengths, seed, epoch):
        self.lengths, self.seed, self.epoch = lengths, seed, epoch

    def stream(self, purpose):
        return Stream(self.seed, self.epoch, purpose)

    def shuffled(self):
        return self.stream("shuffle").shuffle(list(range(len(self.lengths))))

    def sorted(self):
        return sorted(self.shuffled(), key=lambda i: self.lengths[i])

    def alternated(self, bins):
        items, order = self.shuffled(), []
        for b in range(bins):
            part = items[b * len(items) // bins:(b + 1) * len(items) // bins]
            order += sorted(part, key=lambda i: self.lengths[i], reverse=b % 2 == 1)
        return order

    def semi_sorted(self, lrf):
        a, noise = (max(self.lengths) - min(self.lengths)) * lrf, self.stream("perturb")
        perturbed = [(length + a * (noise.unit() - 0.5), i) for i, length in enumerate(self.lengths)]
        return [i for _, i in sorted(perturbed, key=lambda pair: pair[0])]

    def in_buckets(self, runs):
        shuffle = self.stream("bucket")
        return [shuffle.shuffle(list(run)) for run in runs]

    def runs_from_longest(self, count):
        order = self.sorted()
        return [order[max(0, end - count):end] for end in range(len(order), 0, -count)][::-1]

    def by_boundaries(self, boundaries):
        runs, low = [], 0
        for boundary in boundaries:
            runs.append([i for i in self.sorted() if low < self.lengths[i] <= boundary])
            low = boundary
        return self.in_buckets([run for run in runs if run])

    def optimal(self, buckets):
        """Khomenko et al.'s pseudo-code over every length from 1 to the longest."""
        longest = max(self.lengths)
        f = [self.lengths.count(length) for length in range(longest + 1)]
        best = [[float("inf")] * (longest + 1) for _ in range(buckets + 1)]
        cut = [[0] * (longest + 1) for _ in range(buckets + 1)]
        best[0][0] = 0
        for q in range(1, buckets + 1):
            for i in range(1, longest + 1):
                if not f[i]:
                    continue  # a boundary at a length without items would only widen a bucket
                items = f[i]
                for j in range(i - 1, -1, -1):
                    value = items * i + best[q - 1][j]
                    if value < best[q][i]:
                        best[q][i], cut[q][i] = value, j
                    items += f[j]
        boundaries, end = [], longest
        for q in range(buckets, 0, -1):
            boundaries.insert(0, end)
            end = cut[q][end]
        return self.by_boundaries(boundaries)

    def smart(self, batch):
        walk, order = self.stream("walk"), self.sorted()
        starts, used, batches = walk.shuffle(list(range(len(order)))), set(), []
        for start in starts:
            if start in used:
                continue
            length = self.lengths[order[start]]
            taken, upward = [start], None
            used.add(start)
            while len(taken) < batch and len(used) < len(order):
                above = next((p for p in range(start, len(order)) if p not in used), None)
                below = next((p for p in range(start - 1, -1, -1) if p not in used), None)
                same = [p for p in (above, below) if p is not None and self.lengths[order[p]] == length]
                if same:
                    chosen = same[0]
                else:
                    if upward is None:
                        upward = walk.below(2) == 1
                    first, second = (above, below) if upward else (below, above)
                    chosen = second if first is None else first
                taken.append(chosen)
                used.add(chosen)
            batches.append([order[p] for p in taken])
        return batches


def fixed(groups, size):
    return [group[i:i + size] for group in groups for i in range(0, len(group), size)]


def within(order, lengths, cap, overshoot=False):
    """Batches whose size times longest item stays within the limit or, with overshoot, first exceeds it."""
    batches, batch = [], []
    for i in order:
        grown = (len(batch) + 1) * max(lengths[k] for k in batch + [i])
        if not overshoot and batch and grown > cap:
            batches, batch = batches + [batch], []
        batch = batch + [i]
        if overshoot and grown > cap:
            batches, batch = batches + [batch], []
    return batches + [batch] if batch else batches


def cut(lengths, size, step, minimum):
    """Chunks as (utterance, start, length)."""
    chunks = []
    for utterance, length in enumerate(lengths):
        start = 0
        while True:
            end = min(start + size, length)
            if end - start >= minimum:
                chunks.append((utterance, start, end - start))
            if end == length:
                break
            start += step
    return chunks


def deal(padded, sizes, world, drops):
    """The batches of every rank. In each step, the largest batch goes to the rank with the least work so far."""
    batches = list(range(len(padded)))
    lacking = -len(batches) % world
    if lacking and drops:
        batches = batches[:len(batches) - len(batches) % world]
    elif lacking:
        batches += [i % len(padded) for i in range(lacking)]
    work, ranks = [0] * world, [[] for _ in range(world)]
    for first in range(0, len(batches), world):
        step = sorted(batches[first:first + world], key=lambda b: -padded[b] * sizes[b])
        for rank, batch in zip(sorted(range(world), key=lambda r: (work[r], r)), step):
            ranks[rank].append(batch)
            work[rank] += padded[batch] * sizes[batch]
    return ranks


def main():
    lengths = [40 + (i * i * 7 + i * 13) % 161 for i in range(75)]
    seed, number = 7, 3
    e = Epoch(lengths, seed, number)
    longest = max(lengths)
    width = longest // 50 + 1

    def at_end(batch):
        return max(lengths[i] for i in batch)

    plans = {
        "random,batch=8": fixed([e.shuffled()], 8),
        "sorted,batch=8": fixed([e.sorted()], 8),
        "alternated:bins=4,batch=8": fixed([e.alternated(4)], 8),
        "semi-sorted:lrf=0.25,batch=8": fixed([e.semi_sorted(0.25)], 8),
        "bucketed:width=50,batch=8": fixed(e.by_boundaries([50 * (k + 1) for k in range(width)]), 8),
        "bucketed:count=24,batch=8": fixed(e.in_buckets(e.runs_from_longest(24)), 8),
        "bucketed:optimal=5,batch=8": fixed(e.optimal(5), 8),
        "smart,batch=8": e.smart(8),
        "random,dynamic=8": within(e.shuffled(), lengths, 8 * longest),
        "sorted,dynamic=8": within(e.sorted(), lengths, 8 * longest),
        "sorted,dynamic-overshoot=8": within(e.sorted(), lengths, 8 * longest, overshoot=True),
        "sorted,batch=8,shuffle-batches": e.stream("batches").shuffle(fixed([e.sorted()], 8)),
        "sorted,batch=8,shuffle-later": e.stream("batches").shuffle(fixed([e.sorted()], 8)),
        "random,batch=8,short-first": sorted(fixed([e.shuffled()], 8), key=at_end),
        "random,batch=8,long-first": sorted(fixed([e.shuffled()], 8), key=lambda batch: -at_end(batch)),
    }
    start = Epoch(lengths, seed, 0)
    first_plans = {
        "sorted,batch=8,shuffle-batches": start.stream("batches").shuffle(fixed([start.sorted()], 8)),
        "sorted,batch=8,shuffle-later": fixed([start.sorted()], 8),
    }

    def write(plans):
        return {
            line: [{"items": [(i, 0) for i in batch], "padded": at_end(batch)} for batch in batches]
            for line, batches in plans.items()
        }

    written = write(plans)
    written["random,batch=8,pad=multiple:32"] = [
        {**batch, "padded": -(-batch["padded"] // 32) * 32} for batch in written["random,batch=8"]]
    written["bucketed:width=50,batch=8,pad=bucket"] = [
        {**batch, "padded": -(-batch["padded"] // 50) * 50} for batch in written["bucketed:width=50,batch=8"]]

    frequent = sorted({length for length in lengths if lengths.count(length) >= 2})
    mxnet = e.stream("batches").shuffle([batch for batch in fixed(e.by_boundaries(frequent), 2) if len(batch) == 2])
    written["bucketed:mxnet,batch=2,shuffle-batches,drop-last,pad=bucket"] = [
        {"items": [(i, 0) for i in batch], "padded": min(f for f in frequent if f >= at_end(batch))} for batch in mxnet]

    chunks = cut(lengths, 50, 30, 15)
    chunk_lengths = [length for _, _, length in chunks]
    chunked = within(Epoch(chunk_lengths, seed, number).shuffled(), chunk_lengths, 600)
    written["random,frames=600,chunk=50,step=30,min-chunk=15"] = [
        {"items": [chunks[i][:2] for i in batch], "padded": max(chunk_lengths[i] for i in batch)} for batch in chunked]

    shards = {}
    for line, drops in ("random,dynamic=8", False), ("random,batch=8", False), ("sorted,batch=8,drop-last", True):
        batches = written[line.removesuffix(",drop-last")]
        if drops:
            batches = [batch for batch in batches if len(batch["items"]) == 8]
        shards[line] = deal([b["padded"] for b in batches], [len(b["items"]) for b in batches], 4, drops)
    print(json.dumps({"lengths": lengths, "seed": seed, "epoch": number, "plans": written,
                      "first_epoch": write(first_plans), "shards": shards}))


main()
