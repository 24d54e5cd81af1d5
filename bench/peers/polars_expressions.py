"""The same measures as a user would write them in Polars: rank within a query, join, sum.

This is the shortest program that is correct if no scores are equal and no document occurs twice; nothing is checked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bench.data import as_frames

if TYPE_CHECKING:
    from pathlib import Path

label = "Polars expressions"


def prepare(qrels: Path, run: Path) -> tuple[Any, Any]:
    """The frames."""
    return as_frames(qrels, run)


def run(qrels: Any, run: Any) -> list[float]:
    """The means."""
    import polars as pl

    grade, rank = pl.col("relevance"), pl.col("rank")
    gain = grade.clip(lower_bound=0)
    relevant = qrels.lazy().sort("query_id", "relevance", descending=[False, True])
    place = pl.int_range(1, pl.len() + 1)
    ideal = relevant.group_by("query_id").agg(
        (grade > 0).sum().alias("R"),
        (gain / (place + 1).log(2)).sum().alias("ideal"),
        (gain / (place + 1).log(2)).head(10).sum().alias("ideal10"),
    )
    ranked = run.lazy().with_columns(rank=pl.col("score").rank("ordinal", descending=True).over("query_id"))
    hits = (
        ranked.join(qrels.lazy().filter(grade > 0), on=["query_id", "doc_id"])
        .sort("query_id", "rank")
        .group_by("query_id")
        .agg(
            (place / rank).sum().alias("ap"),
            (1 / rank.min()).alias("rr"),
            (gain / (rank + 1).log(2)).filter(rank <= 10).sum().alias("dcg10"),
            (gain / (rank + 1).log(2)).sum().alias("dcg"),
            ((rank <= 10).sum() / 10).alias("p10"),
            (rank <= 1000).sum().alias("found"),
        )
    )
    every = ideal.join(hits, on="query_id", how="left").fill_null(0)
    means = every.select(
        (pl.col("ap") / pl.col("R")).fill_nan(0).mean().alias("AP"),
        pl.col("rr").mean(),
        (pl.col("dcg10") / pl.col("ideal10")).fill_nan(0).mean().alias("nDCG@10"),
        (pl.col("dcg") / pl.col("ideal")).fill_nan(0).mean().alias("nDCG"),
        pl.col("p10").mean(),
        (pl.col("found") / pl.col("R")).fill_nan(0).mean().alias("R@1000"),
    ).collect()
    return list(means.row(0))
