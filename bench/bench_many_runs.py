"""Time for a whole track: 129 runs of 50 topics and 1,000 documents, scored and compared in one call.

Two shapes are timed because their costs differ: one with few judgments per query and no ties; the other with a pool as
deep as that of TREC-8, large parts of which are retrieved, and with ties in most runs.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from bench.answer import Answer, Bar, Setting, ratio
from bench.data import SEED, STEPS, columns, digits, distinct, text
from bench.peers import MEASURES
from bench.side_by_side import CHECKOUT, Program, answer, carob, side_by_side

if TYPE_CHECKING:
    from collections.abc import Sequence

VERSION = 2


class Shape(NamedTuple):
    """The size of a track, whether its pool is deep, and the minimum speed-up over pytrec_eval."""

    runs: int
    queries: int
    depth: int
    judged: int
    dense: bool
    limit: float

    @property
    def name(self) -> str:
        """The name of the folder for the shape."""
        size = (self.runs, self.queries, self.depth, self.judged)
        return f"many-{'x'.join(map(str, size))}-{SEED}-{VERSION}"


SHAPES = (
    Shape(129, 50, 1000, 200, dense=False, limit=12.0),
    Shape(129, 50, 1000, 1737, dense=True, limit=14.0),
)
"""TREC-8's ad hoc track has 129 runs, 6.3 M lines and 1,737 judgments per query."""
TINY = (Shape(5, 8, 50, 20, dense=False, limit=0.0), Shape(5, 8, 50, 60, dense=True, limit=0.0))
READERS = {"carob": "carob", "pytrec_eval": "pytrec_eval-terrier"}


REAL = {"fusion-fed14": 3.0, "clef-tar2017": 4.0, "microblog2014": 3.0}
"""Folders of real runs, which may be next to a checkout, and the minimum speed-up over pytrec_eval."""


def ask(setting: Setting) -> list[Answer]:
    """Times each shape, and real runs if they are available."""
    made_up = [found for shape in (TINY if setting.quick else SHAPES) for found in ask_shape(setting, shape)]
    real = [CHECKOUT.parent / "shared" / "data" / name for name in REAL]
    return made_up + [ask_real(setting, folder) for folder in real if folder.exists() and not setting.quick]


def ask_real(setting: Setting, folder: Path) -> Answer:
    """Times the runs of a collection that ``pytrec_eval`` can read, which have no duplicates and cover all topics."""
    qrels = next(folder.glob("qrels*.txt"))
    topics = {line.split()[0] for line in qrels.read_bytes().splitlines() if line.split()}
    paths = [path for path in sorted((folder / "runs").iterdir()) if complete(path, topics)]
    size = f"{len(paths)} runs, {sum(path.stat().st_size for path in paths) / 1e6:,.1f} MB"
    what = f"{folder.name}, reading and scoring"
    return together(setting, what, size, str(qrels), list(map(str, paths)), REAL[folder.name])


def complete(run: Path, topics: set[bytes]) -> bool:
    """Returns whether a run covers every judged topic and contains each document only once per topic."""
    pairs = [tuple(fields[0:3:2]) for fields in map(bytes.split, run.read_bytes().splitlines()) if fields]
    return len(set(pairs)) == len(pairs) and topics <= {topic for topic, _ in pairs}


def ask_shape(setting: Setting, shape: Shape) -> list[Answer]:
    """Times ``carob eval`` and ``carob compare``, and as many calls of pytrec_eval in one process.

    In addition, compare tests 8,256 pairs under six measures, by default with Romano and Wolf's test with 10,000
    resamples each.
    """
    folder, runs = made(setting, shape), shape.runs
    what = f"{runs} runs, {shape.judged:,} judged"
    paths = [str(path) for path in sorted(folder.glob("*.run"))]
    qrels = str(folder / "qrels")
    asked = [part for measure in MEASURES for part in ("-m", measure)]
    size = f"{folder.name}, {sum(Path(path).stat().st_size for path in paths) / 1e6:,.0f} MB"
    rounds = setting.times(3)
    read = together(setting, f"{what}, reading and scoring", size, qrels, paths, shape.limit)
    commands = [
        Program("carob eval", [*carob(), "eval", qrels, *paths, *asked, "--format", "json"], means),
        Program("carob compare", [*carob(), "compare", qrels, *paths, *asked]),
        Program("carob compare --test t", [*carob(), "compare", qrels, *paths, *asked, "--test", "t"]),
    ]
    return [read, Answer(f"{what}, whole process", size, side_by_side(commands, rounds))]


def together(
    setting: Setting, what: str, size: str, qrels: str, paths: Sequence[str], limit: float
) -> Answer:
    """Times carob and pytrec_eval, each of which reads and scores all runs in one process."""
    children = [
        ("carob", sys.executable),
        *((peer, setting.python) for peer in setting.peers if peer in READERS),
    ]
    readers = [
        Program(
            READERS[name],
            [python, "-m", "bench.bench_many_runs", name, qrels, *paths],
            lambda printed: list(answer(printed)["means"]),
            lambda printed: list(answer(printed)["seconds"]),
        )
        for name, python in children
    ]
    timings = side_by_side(readers, setting.times(3))
    bars = [
        Bar(f"{what}, against {each.name}", "at least", limit, ratio(timings[0], each), "times as fast")
        for each in timings[1:]
    ]
    return Answer(what, size, timings, bars)


def means(printed: str) -> list[Any]:
    """Returns every run's means."""
    return [value for run in json.loads(printed)["runs"] for value in run["means"].values()]


# ---------------------------------------------------------------- data


def made(setting: Setting, shape: Shape) -> Path:
    """Returns the folder of a shape's files, writing it if it does not exist."""
    folder = setting.folder / shape.name
    if not folder.exists():
        print(f"making {folder.name} ...", file=sys.stderr)
        command = [sys.executable, "-m", "bench.bench_many_runs", "make", str(folder), json.dumps(shape)]
        subprocess.run(command, check=True, cwd=CHECKOUT)
    return folder


def make(folder: Path, shape: Shape) -> None:
    """Writes judgments, and runs of different quality that retrieve the same relevant documents."""
    import numpy as np

    draw = np.random.default_rng(SEED)
    part = folder.with_name(folder.name + ".part")
    part.mkdir(parents=True, exist_ok=True)
    topics = 1_000_000 + 7 * np.arange(shape.queries)
    pool = distinct(draw, shape.queries, (4 if shape.dense else 2) * shape.depth)
    judged = pool[:, : shape.judged]
    worth = np.zeros(pool.shape)
    if shape.dense:
        # Interest falls as in Zipf's law; the pool contains the documents that most runs rank high.
        worth += -0.5 * np.log(np.arange(1, pool.shape[1] + 1))
        grades = (draw.random(judged.shape) < 0.5 / np.arange(1, shape.judged + 1) ** 0.3).astype(int)
    else:
        grades = np.maximum(draw.integers(-3, 4, judged.shape), 0)
        worth[:, : shape.judged] = 0.5 + grades
    grades[:, 0] = 1
    lines = columns(
        digits(np.repeat(topics, shape.judged), 7),
        b" 0 ",
        ids(judged.ravel(), shape),
        b" ",
        digits(grades.ravel(), 1),
        b"\n",
    )
    (part / "qrels").write_bytes(text(draw.permutation(lines)))
    for number in range(shape.runs):
        liking = worth * draw.uniform(0.2, 1.0) + draw.normal(0, 1, pool.shape)
        chosen = np.argsort(-liking, axis=1)[:, : shape.depth]
        documents = np.take_along_axis(pool, chosen, axis=1)
        (part / f"run{number:03}.run").write_bytes(text(ranking(draw, topics, documents, number, shape)))
    part.replace(folder)


def ids(documents: Any, shape: Shape) -> Any:
    """Returns document ids: plain numbers or, if the pool is dense, newspaper ids such as FBIS4-20472."""
    import numpy as np

    if not shape.dense:
        return digits(documents, 7)
    papers = np.array(["FBIS3-", "FBIS4-", "FR940-", "FT911-", "FT923-", "LA0101-", "LA1231-"], "S7")
    letters = papers[documents % len(papers)].view(np.uint8).reshape(-1, 7)
    return np.concatenate([letters, digits(documents, 7)], axis=1)


def ranking(draw: Any, topics: Any, documents: Any, number: int, shape: Shape) -> Any:
    """Returns the lines of a run, whose scores fall by one to three steps or, in dense runs, by at most two."""
    import numpy as np

    depth = documents.shape[1]
    falls = draw.integers(1, 4, documents.shape)
    if shape.dense:
        falls = draw.integers(0, 3, documents.shape) * (draw.random(documents.shape) < (1.0, 0.2)[number % 2])
    scores = falls[:, ::-1].cumsum(axis=1)[:, ::-1].ravel()
    return columns(
        digits(np.repeat(topics, depth), 7),
        b" Q0 ",
        ids(documents.ravel(), shape),
        b" ",
        digits(np.tile(np.arange(1, depth + 1), len(topics)), 4),
        b" ",
        digits(scores // STEPS, 4),
        b".",
        digits(scores % STEPS * (1_000_000 // STEPS), 6, padded=True),
        f" run{number:03}\n".encode(),
    )


# ---------------------------------------------------------------- a process that reads and scores


def carob_means(qrels: str, paths: Sequence[str]) -> list[float]:
    """Returns every run's means, computed by carob in one call."""
    import carob

    # pytrec_eval compares scores in single precision.
    policy = carob.Policy(scores="float32")
    found = carob.evaluate(qrels, list(paths), list(MEASURES), policy=policy)
    return [value for scores in found.values() for value in scores.means().values()]


def pytrec_eval_means(qrels: str, paths: Sequence[str]) -> list[float]:
    """Returns every run's means, computed by pytrec_eval, which parses the files one after the other."""
    import pytrec_eval

    from bench.peers.pytrec_eval import NAMES

    with Path(qrels).open(encoding="ascii") as lines:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(lines), set(NAMES))
    found = []
    for path in paths:
        with Path(path).open(encoding="ascii") as lines:
            results = evaluator.evaluate(pytrec_eval.parse_run(lines))
        found += [
            pytrec_eval.compute_aggregated_measure(key, [values[key] for values in results.values()])
            for key in NAMES.values()
        ]
    return found


def timed(reader: str, qrels: str, paths: Sequence[str]) -> dict[str, Any]:
    """Returns every run's means and the seconds needed to compute them, without the time for imports."""
    import importlib

    # carob imports most modules when they are first used.
    module, first = ("carob", "evaluate") if reader == "carob" else ("pytrec_eval", "RelevanceEvaluator")
    getattr(importlib.import_module(module), first)
    work = carob_means if reader == "carob" else pytrec_eval_means
    start = perf_counter()
    found = work(qrels, paths)
    return {"means": found, "seconds": [perf_counter() - start]}


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(Path(sys.argv[2]), Shape(*json.loads(sys.argv[3])))
    else:
        print(json.dumps(timed(sys.argv[1], sys.argv[2], sys.argv[3:])))
