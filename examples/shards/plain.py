"""A run in shards, files split by query, each evaluated by a process of its own, and merged.

python examples/shards/plain.py qrels/ run/
"""

import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import carob

MEASURES = ["AP", "nDCG@10", "P@10"]
POLICY = carob.Policy(overlap="none")  # a part may have nothing in common with its judgments


def evaluated(qrels, run):
    """The scores of the queries of one shard."""
    return carob.evaluate(qrels, run, MEASURES, policy=POLICY, name="run")


if __name__ == "__main__":
    qrels, runs = (sorted(Path(folder).iterdir()) for folder in sys.argv[1:])
    with ProcessPoolExecutor() as pool:
        first, *others = pool.map(evaluated, qrels, runs)
    print(first.merge(*others))
