"""Time of a whole track: 129 runs of 50 topics and 1,000 documents, scored and compared in one call."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from bench.answer import Answer, Bar, Setting, ratio
from bench.data import SEED, STEPS, columns, digits, distinct, text
from bench.peers import MEASURES
from bench.side_by_side import CHECKOUT, Program, answer, karat, side_by_side

if TYPE_CHECKING:
    from collections.abc import Sequence

VERSION = 1
RUNS, QUERIES, DEPTH, JUDGED = 129, 50, 1000, 200
"""TREC-8's ad hoc track: 6.3 M lines."""
TINY = (5, 8, 50, 20)
LIMIT = 12.0
READERS = {"karat": "karat", "pytrec_eval": "pytrec_eval-terrier"}


def ask(setting: Setting) -> list[Answer]:
    """``karat eval`` and ``karat compare``, and as many calls of pytrec_eval in one process.

    What compare adds is the tests of 8,256 pairs under six measures: by default Tukey's, with 10,000 resamples each.
    """
    folder, runs = made(setting)
    paths = [str(path) for path in sorted(folder.glob("*.run"))]
    qrels = str(folder / "qrels")
    asked = [part for measure in MEASURES for part in ("-m", measure)]
    size = f"{folder.name}, {sum(Path(path).stat().st_size for path in paths) / 1e6:,.0f} MB"
    rounds = setting.times(3)
    children = [
        ("karat", sys.executable),
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
    timings = side_by_side(readers, rounds)
    bars = [
        Bar(
            f"{runs} runs, reading and scoring, against {each.name}",
            "at least",
            LIMIT,
            ratio(timings[0], each),
            "times as fast",
        )
        for each in timings[1:]
    ]
    commands = [
        Program("karat eval", [*karat(), "eval", qrels, *paths, *asked, "--format", "json"], means),
        Program("karat compare", [*karat(), "compare", qrels, *paths, *asked]),
        Program("karat compare --test t", [*karat(), "compare", qrels, *paths, *asked, "--test", "t"]),
        *(Program(each.name, each.command, each.values) for each in readers[1:]),
    ]
    return [
        Answer(f"{runs} runs, reading and scoring", size, timings, bars),
        Answer(f"{runs} runs, whole process", size, side_by_side(commands, rounds)),
    ]


def means(printed: str) -> list[Any]:
    """Every run's means."""
    return [value for run in json.loads(printed)["runs"] for value in run["means"].values()]


# ---------------------------------------------------------------- data


def made(setting: Setting) -> tuple[Path, int]:
    """The folder of the files, written if it is not there, and how many runs it holds."""
    size = TINY if setting.quick else (RUNS, QUERIES, DEPTH, JUDGED)
    folder = setting.folder / f"many-{'x'.join(map(str, size))}-{SEED}-{VERSION}"
    if not folder.exists():
        print(f"making {folder.name} ...", file=sys.stderr)
        command = [sys.executable, "-m", "bench.bench_many_runs", "make", str(folder), *map(str, size)]
        subprocess.run(command, check=True, cwd=CHECKOUT)
    return folder, size[0]


def make(folder: Path, runs: int, queries: int, depth: int, judged: int) -> None:
    """Write judgments, and runs that find the same relevant documents with more or less skill."""
    import numpy as np

    draw = np.random.default_rng(SEED)
    part = folder.with_name(folder.name + ".part")
    part.mkdir(parents=True, exist_ok=True)
    topics = 1_000_000 + 7 * np.arange(queries)
    pool = distinct(draw, queries, 2 * depth)
    grades = np.maximum(draw.integers(-3, 4, (queries, judged)), 0)
    grades[:, 0] = 1
    worth = np.zeros(pool.shape)
    worth[:, :judged] = 0.5 + grades
    lines = columns(
        digits(np.repeat(topics, judged), 7),
        b" 0 ",
        digits(pool[:, :judged].ravel(), 7),
        b" ",
        digits(grades.ravel(), 1),
        b"\n",
    )
    (part / "qrels").write_bytes(text(lines))
    for number in range(runs):
        liking = worth * draw.uniform(0.2, 1.0) + draw.normal(0, 1, pool.shape)
        chosen = np.argsort(-liking, axis=1)[:, :depth]
        documents = np.take_along_axis(pool, chosen, axis=1)
        (part / f"run{number:03}.run").write_bytes(text(ranking(draw, topics, documents, number)))
    part.replace(folder)


def ranking(draw: Any, topics: Any, documents: Any, number: int) -> Any:
    """The lines of a run: scores fall by one to three steps, so that there are no ties."""
    import numpy as np

    depth = documents.shape[1]
    scores = draw.integers(1, 4, documents.shape)[:, ::-1].cumsum(axis=1)[:, ::-1].ravel()
    return columns(
        digits(np.repeat(topics, depth), 7),
        b" Q0 ",
        digits(documents.ravel(), 7),
        b" ",
        digits(np.tile(np.arange(1, depth + 1), len(topics)), 4),
        b" ",
        digits(scores // STEPS, 4),
        b".",
        digits(scores % STEPS * (1_000_000 // STEPS), 6, padded=True),
        f" run{number:03}\n".encode(),
    )


# ---------------------------------------------------------------- a process that reads and scores


def karat_means(qrels: str, paths: Sequence[str]) -> list[float]:
    """Every run's means by karat, as its commands read them."""
    from karat.conventions.request import conventions, labelled
    from karat.evaluation.evaluate import evaluate_together
    from karat.inputs.qrels import Qrels
    from karat.inputs.run import Run

    convention, policy = conventions(None, None)
    asked = labelled(list(MEASURES), convention)
    runs = [Run.of(path) for path in paths]
    found = evaluate_together(Qrels.of(qrels, policy), runs, asked, convention, policy)
    return [value for scores, _ in found for value in scores.means().values()]


def pytrec_eval_means(qrels: str, paths: Sequence[str]) -> list[float]:
    """Every run's means by pytrec_eval, its own parsers reading one file after the other."""
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
    """Every run's means, and the seconds that they took; what is imported is imported before."""
    import importlib

    importlib.import_module("karat" if reader == "karat" else "pytrec_eval")
    work = karat_means if reader == "karat" else pytrec_eval_means
    start = perf_counter()
    found = work(qrels, paths)
    return {"means": found, "seconds": [perf_counter() - start]}


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(Path(sys.argv[2]), *map(int, sys.argv[3:]))
    else:
        print(json.dumps(timed(sys.argv[1], sys.argv[2], sys.argv[3:])))
