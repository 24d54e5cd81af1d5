"""Holds judgments of a truth and of a judge, four runs, and leaderboards in each format."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import carob

if TYPE_CHECKING:
    from pathlib import Path


def board(path: Path, runs: dict[str, Any]) -> Path:
    """Writes a leaderboard as JSON lines, with the mean of each run."""
    lines = []
    for run, (values, stated) in runs.items():
        cells = [*((f"q{number}", value) for number, value in enumerate(values)), ("all", stated)]
        lines += [{"run_id": run, "topic_id": q, "measure": "M", "value": value} for q, value in cells]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


QRELS = {f"q{q}": {f"d{d}": (d * q) % 3 for d in range(8)} for q in range(1, 13)}
MODEL = {
    q: {d: max(grade - (place == 2), 0) for place, (d, grade) in enumerate(its.items())}
    for q, its in QRELS.items()
}
SYSTEMS = {
    name: {
        q: {d: float((place * step + int(q[1:])) % 11) for place, d in enumerate(its)}
        for q, its in QRELS.items()
    }
    for name, step in {"a": 3, "b": 5, "c": 7, "d": 9}.items()
}


def long(rows: list[tuple[str, str, float]], pattern: str) -> str:
    """Lines of values in a pattern."""
    return "".join(pattern.format(run=run, query=query, value=value) + "\n" for run, query, value in rows)


VALUES = [
    (run, query, (n * k) % 7 / 10)
    for n, run in enumerate("abcd", 2)
    for k, query in enumerate(("q1", "q2", "q3"), 1)
]
PATTERNS = {
    "tot": "{run}\tCOVERAGE\t{query}\t{value}",
    "ir_measures": "{run} {query} COVERAGE {value}",
    "ranking": "{query} Q0 {run} 0 {value} COVERAGE",
    "jsonl": '{{"run_id": "{run}", "topic_id": "{query}", "measure": "COVERAGE", "value": {value}}}',
}


def nested(runs: str, shift: float = 0.0, queries: int = 6) -> Any:
    """Scores of runs, of which later ones are better."""
    return carob.read_scores(
        {
            run: {
                "AP": {f"q{q}": (0.1 * ord(run) - 9 + shift * (ord(run) * q % 5)) % 1 for q in range(queries)}
            }
            for run in runs
        }
    )


def lines_of(qrels: dict[str, dict[str, int]]) -> str:
    """Judgments as text."""
    return "".join(f"{q} 0 {d} {grade}\n" for q, its in qrels.items() for d, grade in its.items())


def written(folder: Path) -> dict[str, str]:
    """The paths by name of files with judgments of a truth and of a judge, four runs, and a leaderboard."""
    for name, qrels in {"people.qrels": QRELS, "model.qrels": MODEL}.items():
        rows = (f"{q} 0 {d} {grade}\n" for q, its in qrels.items() for d, grade in its.items())
        (folder / name).write_text("".join(rows), encoding="utf-8")
    for name, run in SYSTEMS.items():
        rows = (f"{q} Q0 {d} 1 {score} x\n" for q, its in run.items() for d, score in its.items())
        (folder / f"{name}.run").write_text("".join(rows), encoding="utf-8")
    (folder / "board.jsonl").write_text(long(VALUES, PATTERNS["jsonl"]), encoding="utf-8")
    return {path.name: str(path) for path in folder.iterdir()}
