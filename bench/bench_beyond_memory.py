"""Memory and time for a run that is larger than memory: Parquet files of 10 M and of 100 M rows."""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib.util import find_spec

from bench.answer import Answer, Bar, Setting, size_of
from bench.rows import ORDERS, made
from bench.side_by_side import Timing, carob_eval, side_by_side

QUERIES = (10_000, 100_000)
DEPTH = 1000
MEMORY = 2000.0
GROWTH = 1.3


def ask(setting: Setting) -> list[Answer]:
    """Times the command on tables grouped by query and on shuffled tables. The files are deleted afterwards."""
    if not (find_spec("polars") or find_spec("duckdb")) or not find_spec("pyarrow"):
        print("pyarrow and polars or duckdb are not installed: no tables are timed", file=sys.stderr)
        return []
    sizes = (10, 20) if setting.quick else QUERIES
    answers, found = [], []
    for queries in sizes:
        files = [made(setting.folder, queries, DEPTH, order) for order in ORDERS]
        name = rows_of(queries)
        programs = [
            replace(carob_eval(each), name=f"carob eval, {name}, {order}")
            for each, order in zip(files, ORDERS)
        ]
        timings = side_by_side(programs, setting.times(3))
        found.append(timings)
        bars = [
            Bar(f"peak memory, {each.name}", "at most", MEMORY, each.peak or float("nan"), "MB")
            for each in timings
        ]
        if len(found) == len(sizes):
            bars += growth(found[0], found[-1], sizes[-1] / sizes[0])
        shown = ", ".join(size_of(each.run) for each in files)
        answers.append(Answer(f"beyond memory, {name}", shown, timings, bars))
        for each in files:
            each.run.unlink()
    return answers


def growth(small: list[Timing], large: list[Timing], times: float) -> list[Bar]:
    """Returns how many times as long a row takes in a table with ten times as many rows."""
    return [
        Bar(f"time per row, {order}", "at most", GROWTH, more.median / few.median / times, "times as long")
        for order, few, more in zip(ORDERS, small, large)
    ]


def rows_of(queries: int) -> str:
    """Returns the number of rows as text."""
    rows = queries * DEPTH
    return f"{rows / 1e6:g} M rows"
