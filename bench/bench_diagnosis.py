"""Processor time of carob's diagnoses, relative to ``carob eval`` on the same files."""

from __future__ import annotations

import random
import subprocess
import sys
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from bench.answer import Answer, Bar, Setting
from bench.data import SEED
from bench.side_by_side import CHECKOUT, Program, carob, side_by_side

if TYPE_CHECKING:
    from pathlib import Path

    from bench.side_by_side import Timing

VERSION = 1
CHECK, OTHERS = 4.0, 2.0
"""The limits on how many times as long as ``carob eval`` each command may take."""


class Shape(NamedTuple):
    """The numbers of queries, documents and judgments in a data set, and the number of distinct scores."""

    queries: int
    depth: int
    judged: int
    steps: int


SHAPES = {
    "pooled": Shape(250, 1000, 1500, 500),
    "sparse": Shape(1000, 1000, 1, 10**6),
    "users": Shape(100_000, 10, 3, 10**6),
}
"""Data with a deep pool and ties, with one judgment per query as in MS MARCO, and with short lists of many users."""
TINY = {name: Shape(12, 20, min(shape.judged, 30), shape.steps) for name, shape in SHAPES.items()}


def ask(setting: Setting) -> list[Answer]:
    """Times ``carob eval``, check, explain, difference, gate and verify on three kinds of data."""
    answers = []
    start = side_by_side([Program("start", [*carob(), "--version"])], setting.times(5))[0]
    for name, shape in (TINY if setting.quick else SHAPES).items():
        folder = made(setting.folder, name, shape)
        timings = side_by_side(programs(folder), setting.times(3))
        bars = [bar(name, timings[0], each, start) for each in timings[1:]]
        size = ", ".join(f"{count:,} {what}" for what, count in shape._asdict().items())
        answers.append(Answer(f"diagnoses, {name}", size, timings, bars))
    return answers


def programs(folder: Path) -> list[Program]:
    """Returns the commands, with ``carob eval`` first, and writes the record that ``verify`` reads."""
    qrels, run, record = (str(folder / name) for name in ("qrels", "run", "record.json"))
    measures = ["-m", "AP", "-m", "nDCG@10"]
    subprocess.run(
        [*carob(), "eval", qrels, run, *measures, "--record", record],
        check=True,
        capture_output=True,
        cwd=CHECKOUT,
    )
    return [
        Program("carob eval", [*carob(), "eval", qrels, run, *measures]),
        Program("carob check", [*carob(), "check", qrels, run, "--format", "json"], fine=(0, 1, 2)),
        Program("carob explain", [*carob(), "explain", "nDCG@10", qrels, run, "--query", "q0000001"]),
        Program("carob difference", [*carob(), "difference", "trec_eval-9", "ranx", "AP", qrels, run]),
        Program("carob gate", [*carob(), "gate", qrels, run, "--baseline", record, "--max-drop", "AP=0.05"]),
        Program("carob verify", [*carob(), "verify", record]),
    ]


def bar(shape: str, first: Timing, other: Timing, start: Timing) -> Bar:
    """Returns the limit of a command."""
    begin, least, taken = (median(each.processor or [0.0]) for each in (start, first, other))
    if other.name.endswith("check"):
        return Bar(f"{other.name}, {shape}", "at most", CHECK, taken / least, "times carob eval")
    return Bar(
        f"{other.name}, {shape}",
        "at most",
        OTHERS,
        (taken - begin) / least,
        "times carob eval, without the start",
    )


# ---------------------------------------------------------------- data


def made(folder: Path, name: str, shape: Shape) -> Path:
    """Returns the folder of a data set, writing the data if they do not exist."""
    found = folder / f"diagnosis-{name}-{'x'.join(map(str, shape))}-{SEED}-{VERSION}"
    if found.exists():
        return found
    print(f"making {found.name} ...", file=sys.stderr)
    draw, part = random.Random(SEED), found.with_name(found.name + ".part")
    part.mkdir(parents=True, exist_ok=True)
    with (part / "qrels").open("w") as qrels, (part / "run").open("w") as run:
        for number in range(shape.queries):
            query = f"q{number:07}"
            pool = draw.sample(range(10**7), shape.depth + shape.judged // 2)
            ids = [f"clueweb12-{each // 10**4:04}wb-{each % 100:02}-{each:09}" for each in pool]
            for document in draw.sample(ids, min(shape.judged, len(ids))):
                qrels.write(f"{query} 0 {document} {max(draw.randint(-3, 3), 0)}\n")
            scores = sorted(
                (draw.randrange(shape.steps) / shape.steps for _ in ids[: shape.depth]), reverse=True
            )
            for rank, (document, score) in enumerate(zip(ids, scores), 1):
                run.write(f"{query} Q0 {document} {rank} {score:.6f} system\n")
    part.rename(found)
    return found
