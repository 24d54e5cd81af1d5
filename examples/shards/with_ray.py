"""Data sets of Ray: rows of both are grouped by a hash of the query, each group is evaluated by a worker, and merged.

python examples/shards/with_ray.py qrels/ run/
"""

import pickle
import sys

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import ray

import carob

MEASURES = ["AP", "nDCG@10", "P@10"]
POLICY = carob.Policy(overlap="none")  # a part may have nothing in common with its judgments
SHARDS = 8


def numbered(rows):
    """The rows with the number of the shard that their query belongs to."""
    shard = pd.util.hash_array(rows["query_id"].to_numpy(zero_copy_only=False)) % SHARDS
    return rows.append_column("shard", pa.array(shard.astype("int64")))


def evaluated(rows):
    """The scores of the queries of one shard, pickled; no row if it has no judgments."""
    qrels, run = (rows.filter(pc.is_valid(rows[column])) for column in ("relevance", "score"))
    parts = [carob.evaluate(qrels, run, MEASURES, policy=POLICY, name="run")] if len(qrels) else []
    return pa.table({"scores": pa.array(map(pickle.dumps, parts), pa.binary())})


if __name__ == "__main__":
    qrels, run = map(ray.data.read_parquet, sys.argv[1:])
    rows = qrels.union(run).map_batches(numbered, batch_format="pyarrow")
    parts = (
        rows.groupby("shard", num_partitions=SHARDS).map_groups(evaluated, batch_format="pyarrow").take_all()
    )
    first, *others = (pickle.loads(each["scores"]) for each in parts)
    print(first.merge(*others))
