"""Tables of Dask: both are shuffled by query, each pair of partitions is evaluated where it lies, and merged.

python examples/shards/with_dask.py qrels/ run/
"""

import sys

import dask
import dask.dataframe as dd

import carob

MEASURES = ["AP", "nDCG@10", "P@10"]
POLICY = carob.Policy(overlap="none")  # a part may have nothing in common with its judgments
SHARDS = 8


@dask.delayed
def evaluated(qrels, run):
    """The scores of the queries of one partition; None if it has no judgments."""
    return carob.evaluate(qrels, run, MEASURES, policy=POLICY, name="run") if len(qrels) else None


if __name__ == "__main__":
    tables = (dd.read_parquet(folder) for folder in sys.argv[1:])
    qrels, run = (each.shuffle("query_id", npartitions=SHARDS).to_delayed() for each in tables)
    parts = dask.compute(*map(evaluated, qrels, run))
    first, *others = (each for each in parts if each is not None)
    print(first.merge(*others))
