"""Files that Beam reads: judgments and run are grouped by shard, each shard is evaluated where it lies, and merged.

python examples/shards/with_beam.py qrels/ run/
"""

import pickle
import sys
import zlib

import apache_beam as beam
import pyarrow as pa

import carob

MEASURES = ["AP", "nDCG@10", "P@10"]
POLICY = carob.Policy(overlap="none")  # a part may have nothing in common with its judgments
SHARDS = 8
IDS = [("query_id", "string"), ("doc_id", "string")]


def shard_of(row):
    """The shard of a row's query, the same in every process, and the row."""
    return zlib.crc32(row["query_id"].encode()) % SHARDS, row


def evaluated(keyed):
    """The scores of the queries of one shard, pickled; none if it has no judgments."""
    _, tables = keyed
    qrels = pa.Table.from_pylist(list(tables["qrels"]), pa.schema([*IDS, ("relevance", "int64")]))
    run = pa.Table.from_pylist(list(tables["run"]), pa.schema([*IDS, ("score", "double")]))
    if len(qrels):
        yield pickle.dumps(carob.evaluate(qrels, run, MEASURES, policy=POLICY, name="run"))


def merged(parts):
    """The scores of all queries."""
    first, *others = map(pickle.loads, parts)
    return first.merge(*others)


if __name__ == "__main__":
    with beam.Pipeline() as pipeline:
        tables = {
            name: pipeline
            | f"read {name}" >> beam.io.ReadFromParquet(f"{folder}/*.parquet")
            | f"shard {name}" >> beam.Map(shard_of)
            for name, folder in zip(("qrels", "run"), sys.argv[1:], strict=True)
        }
        parts = tables | beam.CoGroupByKey() | beam.FlatMap(evaluated)
        parts | beam.combiners.ToList() | beam.Map(merged) | beam.Map(print)
