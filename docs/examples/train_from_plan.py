"""usage: python3 train_from_plan.py plan.jsonl lengths.csv"""
import csv
import json
import sys


def batches(path, epoch=0, batch=0):
    """Yields the batches of a plan. To resume, pass the epoch and the next batch."""
    with open(path, encoding="utf-8") as plan:
        for record in map(json.loads, plan):
            if (record["epoch"], record["batch"]) >= (epoch, batch):
                yield record


def train(path, utterances):
    """Trains on utterances[id], a pair of features (frames, dims) and labels (frames)."""
    import torch
    model = torch.nn.Linear(40, 10)
    optimizer = torch.optim.Adam(model.parameters())
    for record in batches(path):
        x = torch.zeros(len(record["ids"]), record["padded_length"], 40)
        y = torch.full(x.shape[:2], -1)
        for row, id in enumerate(record["ids"]):
            features, labels = utterances[id]
            x[row, : len(features)], y[row, : len(labels)] = features, labels
        loss = torch.nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten(), ignore_index=-1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(record["epoch"], record["batch"], loss.item())


def main():
    import torch
    frames = {row["id"]: int(row["frames"]) for row in csv.DictReader(open(sys.argv[2], encoding="utf-8"))}
    # Replace these random utterances with yours.
    train(sys.argv[1], {id: (torch.randn(n, 40), torch.randint(10, (n,))) for id, n in frames.items()})


if __name__ == "__main__":
    main()
