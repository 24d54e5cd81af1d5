"""Time to evaluate Spark tables: carob, PySpark, recommenders and RePlay.

Each program has its own session, so no program uses code compiled for another.
"""

from __future__ import annotations

import shutil
import sys
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING

from bench.answer import Answer, faster_than, versions
from bench.data import Files, as_frames
from bench.side_by_side import Timing, late, peer, side_by_side

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.answer import Setting
    from bench.side_by_side import Program

OURS = {
    "carob_spark": "carob",
    "carob_spark_executors": "carob, in the executors",
    "carob_spark_engine": "carob, ranked by Spark",
}
"""carob with its defaults, which collect up to a million rows and rank larger runs in the executors, and with each of
the two ways to rank the run in Spark."""

PEERS = {
    "spark_ranking_metrics": ("RankingMetrics", "pyspark"),
    "spark_ranking_evaluator": ("RankingEvaluator", "pyspark"),
    "recommenders_spark": ("recommenders", "recommenders"),
    "replay_spark": ("RePlay", "replay"),
}
"""The label of each tool in tables and the module that it needs, keyed by the tool's file."""

LIMIT = 900.0
"""The seconds after which a session is stopped. Finished evaluations count."""


def ask(setting: Setting) -> Iterator[Answer]:
    """Times five measures on a million recommendations and, if ``huge`` is set, on ten million.

    Yields the timings for a million before starting on ten million, which take half an hour.
    """
    missing = [each for each in ("pyspark", "polars") if not find_spec(each)]
    if missing or shutil.which("java") is None:
        print(f"{(missing or ['Java'])[0]} is not installed: no tables of Spark are timed", file=sys.stderr)
        return
    for size in ("users", "users10") if setting.huge else ("users",):
        yield from asked(setting, size)


def asked(setting: Setting, size: str) -> list[Answer]:
    """Returns the timings of the first and of later evaluations of a session, on a run of a given size."""
    made = parquet(setting.data(size))
    programs = [peer(name, label, "session", made, sys.executable, LIMIT) for name, label in OURS.items()]
    for name, (label, module) in PEERS.items():
        if setting.python != sys.executable or find_spec(module):
            programs.append(peer(name, label, "session", made, setting.python, LIMIT))
        else:
            print(f"{label} is not installed and left out", file=sys.stderr)
    first, later = sessions(programs, setting.times(1))
    found = versions(setting.python, ["pyspark", "recommenders", "replay-rec"])
    tools = ", ".join(f"{name} {number}" for name, number in found.items() if number)
    data = f"{made.run.name}, {tools}, local[2]"
    answers = []
    for question, timings in (("a session's first evaluation", first), ("its later ones", later)):
        bars = [
            bar
            for ours in timings[: len(OURS)]
            for label, _ in PEERS.values()
            for bar in faster_than([ours, *timings], label, 1.0, f"Spark, {question}, {ours.name}")
        ]
        if size == "users10" and timings is later:
            bars += faster_than(timings[1:], OURS["carob_spark_engine"], 2.5, "Spark, in the executors")
        answers.append(Answer(f"tables of Spark, {question}", data, timings, bars))
    return answers


def sessions(programs: Sequence[Program], rounds: int) -> tuple[list[Timing], list[Timing]]:
    """Returns the timings of the first and of later evaluations of each session."""
    first = [Timing(program.name) for program in programs]
    later = [Timing(program.name) for program in programs]
    for _ in range(rounds):
        going = [place for place, kept in enumerate(later) if not (kept.failure or kept.stopped)]
        for place, timing in zip(going, side_by_side([programs[each] for each in going], 1), strict=True):
            for kept, some in ((first, slice(0, 1)), (later, slice(1, None))):
                seconds = [*kept[place].seconds, *timing.seconds[some]]
                processor = [*kept[place].processor, *timing.processor[some]]
                failure = timing.failure
                if timing.stopped and not seconds:
                    failure = late(programs[place])
                # The peak is that of the driver's Python process only, without the JVM, which uses most of the memory.
                kept[place] = replace(
                    timing, seconds=seconds, processor=processor, peak=None, failure=failure
                )
    return first, later


def parquet(made: Files) -> Files:
    """Returns the files as Parquet, with whole-number ids and only judgments above 0."""
    written = Files(*(path.with_suffix(f"{path.suffix}.parquet") for path in made))
    if not all(path.exists() for path in written):
        names = {"query_id": "user_id", "doc_id": "item_id"}
        qrels, run = (frame.rename(names) for frame in as_frames(*made, whole=True))
        qrels.filter(qrels["relevance"] > 0).write_parquet(written.qrels)
        run.write_parquet(written.run)
    return written
