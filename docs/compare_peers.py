"""Puts the same small questions to carob and its peers, and prints the table of answers in docs/peers.md.

It needs the extra ``bench`` (pytrec_eval-terrier, ir_measures, ranx), and runs the program ``trec_eval`` if it is
on the PATH.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import carob

if TYPE_CHECKING:
    from collections.abc import Callable

PROGRAM = shutil.which("trec_eval")


@dataclass(frozen=True)
class Question:
    """Judgments and a run, as TREC text, and the measure to compute.

    Args:
        text: the question, as in the table.
        qrels: pairs of query and document with a grade.
        run: query, document and score.
        measure: the measure's name in trec_eval, in ir_measures and in ranx.
    """

    text: str
    qrels: tuple[tuple[str, str, float], ...]
    run: tuple[tuple[str, str, float], ...]
    measure: tuple[str, str, str]

    def write(self, folder: Path) -> tuple[str, str]:
        """Writes both as files."""
        qrels, run = folder / "qrels.txt", folder / "a.run"
        qrels.write_text("".join(f"{query} 0 {document} {grade}\n" for query, document, grade in self.qrels))
        run.write_text(
            "".join(f"{query} Q0 {document} 0 {score!r} t\n" for query, document, score in self.run)
        )
        return str(qrels), str(run)

    def dicts(self) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]:
        """Returns both as dicts, which cannot hold duplicates."""
        qrels: dict[str, dict[str, float]] = {}
        run: dict[str, dict[str, float]] = {}
        for query, document, grade in self.qrels:
            qrels.setdefault(query, {})[document] = grade
        for query, document, score in self.run:
            run.setdefault(query, {})[document] = score
        return qrels, run


RR, AP, NDCG = ("recip_rank", "RR", "mrr"), ("map", "AP", "map"), ("ndcg", "nDCG", "ndcg")
JUDGED = (("q", "a", 1), ("q", "b", 0))

QUESTIONS = (
    Question(
        "RR: equal scores, the relevant document is listed first", JUDGED, (("q", "a", 1), ("q", "b", 1)), RR
    ),
    Question(
        "RR: equal scores, the relevant document is listed last", JUDGED, (("q", "b", 1), ("q", "a", 1)), RR
    ),
    Question(
        "RR@10: equal scores, the relevant document is listed last",
        JUDGED,
        (("q", "b", 1), ("q", "a", 1)),
        ("recip_rank -M10", "RR@10", "mrr@10"),
    ),
    Question(
        "RR: scores 16777217 (relevant) and 16777216",
        JUDGED,
        (("q", "a", 16777217), ("q", "b", 16777216)),
        RR,
    ),
    Question(
        "AP: the run lacks one of two judged queries", (("p", "a", 1), ("q", "a", 1)), (("q", "a", 1),), AP
    ),
    Question("AP: a document is listed twice", JUDGED, (("q", "a", 3), ("q", "b", 2), ("q", "a", 1)), AP),
    Question(
        "nDCG: grades 0.9 and 1.7", (("q", "a", 0.9), ("q", "b", 1.7)), (("q", "a", 2), ("q", "b", 1)), NDCG
    ),
)


def ask_carob(question: Question, folder: Path) -> float:
    """Returns carob's value by default."""
    measure = question.measure[1]
    return carob.evaluate(*question.write(folder), [measure])[measure]


def ask_trec_eval(question: Question, folder: Path) -> float:
    """Returns the value of the program trec_eval."""
    name, *options = question.measure[0].split()
    assert PROGRAM
    command = [PROGRAM, "-m", name, *options, *question.write(folder)]
    # The program on the user's PATH, and files made here.
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise SystemExit(done.returncode)
    return float(done.stdout.split()[-1])


def ask_pytrec_eval(question: Question, folder: Path) -> float:
    """Returns the value of pytrec_eval, averaged over the queries that it returns."""
    import pytrec_eval

    qrels, run = question.dicts()
    if len(question.run) != sum(map(len, run.values())):
        with Path(question.write(folder)[1]).open() as file:
            run = pytrec_eval.parse_run(file)
    name, *options = question.measure[0].split()
    if options:
        return float("nan")
    values = pytrec_eval.RelevanceEvaluator(qrels, {name}).evaluate(run)
    return float(sum(each[name] for each in values.values()) / len(values))


def ask_ir_measures(question: Question, folder: Path) -> float:
    """Returns the value of ir_measures."""
    import ir_measures

    qrels, run = question.write(folder)
    measure = ir_measures.parse_measure(question.measure[1])
    values = ir_measures.calc_aggregate(
        [measure], ir_measures.read_trec_qrels(qrels), ir_measures.read_trec_run(run)
    )
    return float(values[measure])


def ask_ranx(question: Question, folder: Path) -> float:
    """Returns the value of ranx."""
    import ranx

    qrels, run = question.write(folder)
    return float(
        ranx.evaluate(
            ranx.Qrels.from_file(qrels, kind="trec"),
            ranx.Run.from_file(run, kind="trec"),
            question.measure[2],
        )
    )


PEERS: dict[str, Callable[[Question, Path], float]] = {
    "carob": ask_carob,
    **({"trec_eval 10": ask_trec_eval} if PROGRAM else {}),
    "pytrec_eval": ask_pytrec_eval,
    "ir_measures": ask_ir_measures,
    "ranx": ask_ranx,
}


def answer(ask: Callable[[Question, Path], float], question: Question) -> str:
    """Returns the number, or the error that the peer raises."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value = ask(question, Path(folder))
        except SystemExit as end:
            return f"exit code {end.code}"
        except Exception as error:  # noqa: BLE001 - how a peer refuses is the answer
            return f"`{type(error).__name__}`"
    return "–" if value != value else f"{value:.4f}"


def table() -> str:
    """Returns the table, with questions as rows and peers as columns."""
    rows = [[each.text, *(answer(ask, each) for ask in PEERS.values())] for each in QUESTIONS]
    lines = [["", *PEERS], ["---"] * (len(PEERS) + 1), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


if __name__ == "__main__":
    sys.stdout.write(table())
