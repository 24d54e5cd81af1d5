"""Processor time of a report, of a comparison, and of the explanation of a very long list."""

from __future__ import annotations

import sys
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from bench.answer import Answer, Bar, Setting
from bench.data import SEED
from bench.side_by_side import Program, carob, side_by_side

if TYPE_CHECKING:
    from pathlib import Path

    from bench.side_by_side import Timing


VERSION = 1
MEASURES = ("nDCG@10", "AP", "RR")
LONG = 1_000_000
"""The number of documents of the explained list."""
SECONDS = 10.0
MODULES = 40
"""The maximum number of carob's modules in which a report calls a function."""


class Shape(NamedTuple):
    """The size of generated data, and the limit on the seconds that a report takes in addition to ``compare``.

    Every second run has scores with one decimal and therefore ties; every fifth run lacks some queries. Ids are as long
    as ClueWeb ids. There is no limit on a report with too many runs for a page.
    """

    runs: int
    queries: int
    depth: int
    judged: int
    beyond: float | None = None


SHAPES = {
    "dense": Shape(2, 200, 1000, 60, 1.5),
    "sparse": Shape(2, 200, 1000, 2, 1.5),
    "federated": Shape(8, 50, 100, 100, 3.0),
    "track": Shape(129, 50, 1000, 200),
}
TINY = {name: Shape(min(each.runs, 3), 8, 50, 20, each.beyond) for name, each in SHAPES.items()}
TRACK = 15.0
"""The limit on the seconds of a comparison of the track."""
ORDERS = 2.0
"""How many times as long as eval a comparison with --orders may take, not counting Python's start."""


def ask(setting: Setting) -> list[Answer]:
    """Times reports and comparisons of generated tracks, and an explanation of a million documents."""
    shapes = TINY if setting.quick else SHAPES
    start = side_by_side([Program("start", [*carob(), "--version"])], setting.times(5))[0]
    answers = [of_shape(setting, name, shape, start) for name, shape in shapes.items()]
    qrels, run = long_list(setting.folder, 1000 if setting.quick else LONG)
    explain = [*carob(), "explain", "nDCG", qrels, run, "--query", "q"]
    explained = side_by_side([Program("carob explain", explain)], setting.times(3))
    bars = [Bar("a long list explained", "at most", SECONDS, explained[0].median, "s")]
    return [
        *answers,
        Answer("an explanation of a long list", f"{LONG:,} documents, whole process", explained, bars),
    ]


def of_shape(setting: Setting, name: str, shape: Shape, start: Timing) -> Answer:
    """Returns the result for one size of data, with limits in processor seconds."""
    folder = made(setting, name, shape)
    files = [str(folder / "qrels"), *(str(folder / f"run{number:03}.run") for number in range(shape.runs))]
    asked = [*files, *(part for measure in MEASURES for part in ("-m", measure))]
    page = str(setting.folder / "report.html")
    programs = [
        Program("carob eval", [*carob(), "eval", *asked]),
        Program("carob compare", [*carob(), "compare", *asked]),
    ]
    if shape.beyond:
        programs += [
            Program("carob compare --orders", [*carob(), "compare", *asked, "--orders"]),
            Program("carob report", [*carob(), "report", *asked, "-o", page]),
            Program("modules", [sys.executable, "-m", "bench.walls", "report", *files], modules),
        ]
    timings = side_by_side(programs, setting.times(3))
    spent = {each.name: median(each.processor) if each.processor else each.median for each in timings}
    if shape.beyond:
        beyond = spent["carob report"] - spent["carob compare"]
        first = median(start.processor or start.seconds)
        times = (spent["carob compare --orders"] - first) / spent["carob eval"]
        bars = [
            Bar(f"{name}: a report beyond its comparison", "at most", shape.beyond, beyond, "s"),
            Bar(f"{name}: --orders beyond start, against eval", "at most", ORDERS, times, "times as long"),
            Bar(f"{name}: carob's files in a report", "at most", MODULES, timings[-1].values[0], "files"),
        ]
    else:
        bars = [Bar(f"{name}: compared", "at most", TRACK, spent["carob compare"], "s")]
    return Answer(f"a report of {name} judgments", f"{folder.name}, whole process", timings, bars)


def modules(printed: str) -> list[int]:
    """Returns the last number printed by ``bench.walls``."""
    return [int(printed.split()[-1])]


def made(setting: Setting, name: str, shape: Shape) -> Path:
    """Returns the folder of a data set, writing the data if they do not exist."""
    size = "x".join(map(str, shape[:4]))
    folder = setting.folder / f"report-{name}-{size}-{SEED}-{VERSION}"
    if not folder.exists():
        print(f"making {folder.name} ...", file=sys.stderr)
        part = folder.with_name(folder.name + ".part")
        part.mkdir(parents=True, exist_ok=True)
        make(part, shape)
        part.replace(folder)
    return folder


def make(folder: Path, shape: Shape) -> None:
    """Writes judgments, and runs of different quality that retrieve the same relevant documents."""
    import numpy as np

    draw = np.random.default_rng(SEED)
    pools, worth, lines = [], np.zeros((shape.queries, 2 * shape.depth)), []
    for query in range(shape.queries):
        numbers = draw.choice(10**7, 2 * shape.depth, replace=False).tolist()
        pool = [f"clueweb12-{each // 10**4:04}wb-{each % 97:02}-{each % 10**5:05}" for each in numbers]
        judged = min(max(int(shape.judged * draw.uniform(0.3, 1.7)), 1), len(pool))
        grades = np.maximum(draw.integers(-3, 4, judged), 0)
        grades[0] = 1
        worth[query, :judged] = 0.5 + grades
        pools.append(pool)
        lines += [f"{201 + query} 0 {pool[place]} {grade}\n" for place, grade in enumerate(grades.tolist())]
    (folder / "qrels").write_text("".join(lines))
    for number in range(shape.runs):
        liking = worth * draw.uniform(0.2, 1.0) + draw.normal(0, 1, worth.shape)
        lines = []
        for query in range(shape.queries):
            if number % 5 == 4 and query % 40 == 7:
                continue
            chosen = np.argsort(-liking[query])[: shape.depth]
            scores = np.round(liking[query][chosen], 1 if number % 2 else 6).tolist()
            lines += [
                f"{201 + query} Q0 {pools[query][place]} {rank} {score:.6f} run{number:03}\n"
                for rank, (place, score) in enumerate(zip(chosen.tolist(), scores, strict=True), 1)
            ]
        (folder / f"run{number:03}.run").write_text("".join(lines))


def long_list(folder: Path, count: int) -> tuple[str, str]:
    """Returns judgments and a run of one query with this many documents, writing the files if they do not exist."""
    qrels, run = folder / f"long-{count}.qrels", folder / f"long-{count}.run"
    if not run.exists():
        folder.mkdir(parents=True, exist_ok=True)
        qrels.write_text("".join(f"q 0 d{7 * number} {number % 3}\n" for number in range(count // 500)))
        run.write_text(
            "".join(f"q Q0 d{number} {number + 1} {count - number / 7:.5f} long\n" for number in range(count))
        )
    return str(qrels), str(run)
