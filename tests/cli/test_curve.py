"""``carob curve``: the vectors of the command line are those of Python."""

from __future__ import annotations

import csv
import json
from io import StringIO

import pytest

import carob
from carob.cli import main

G = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
"""The list of note 002."""
TYPED = ",".join(map(str, G))
TWO = "q1 Q0 a 2\nq1 Q0 b 1\nq2 Q0 a 0\nq2 Q0 c 3\n"


def rows(printed: str) -> list[list[str]]:
    return list(csv.reader(StringIO(printed)))[1:]


def test_the_vectors_of_note_002(capfd) -> None:
    main(["curve", "-m", "CG DCG IDCG NDCG", "--grades", TYPED, "--profile", "note-002", "--format", "csv"])
    found: dict[str, list[float]] = {}
    for measure, _, value in rows(capfd.readouterr().out):
        found.setdefault(measure, []).append(float(value))
    assert found["CG"] == [3, 5, 8, 8, 8, 9, 11, 13, 16, 16]
    curve = carob.curve(["DCG", "IDCG", "NDCG"], grades=[G], profile="note-002")
    assert {name: found[name] for name in curve} == dict(curve)


@pytest.mark.parametrize("typed", ["3,2,1", "3 2 1", "[3, 2, 1]", "3，2，1"])
def test_grades_as_people_write_them(capfd, typed: str) -> None:
    main(
        ["curve", "-m", "CG", "--grades", *(typed.split() if typed[0] != "[" else [typed]), "--format", "csv"]
    )
    assert [float(row[2]) for row in rows(capfd.readouterr().out)] == [3, 5, 6]


def test_means_over_queries_and_each_of_them(tmp_path, capfd) -> None:
    (tmp_path / "two.txt").write_text(TWO)
    (tmp_path / "two.run").write_text("q1 Q0 a 1 2 r\nq1 Q0 b 2 1 r\nq2 Q0 a 1 2 r\nq2 Q0 c 2 1 r\n")
    ways = [
        ["--grades", "2,1", "--grades", "0,3"],
        ["--grades", "2,1", "--grades", "0,3", "--judged", "2,1", "--judged", "3,0"],
        ["--judged-ranking", str(tmp_path / "two.txt")],
        [str(tmp_path / "two.txt"), str(tmp_path / "two.run")],
    ]
    for way in ways:
        main(["curve", "-m", "CG", *way, "-q", "--format", "json"])
        found = json.loads(capfd.readouterr().out)["curves"]["CG"]
        assert (found["at"], found["mean"]) == ([1, 2], [1.0, 3.0])
        assert list(found["queries"].values()) == [[2.0, 3.0], [0.0, 3.0]]


def test_depths_weights_and_digits(tmp_path, capfd) -> None:
    (tmp_path / "weights").write_text("1 3\n2 1\n")
    weighed = ["--weights", str(tmp_path / "weights"), "--at", "1", "--digits", "2", "--lang", "en"]
    main(["curve", "-m", "P", "--grades", "1,0", "--grades", "0,1", *weighed])
    assert capfd.readouterr().out.splitlines()[:2] == ["@     P", "1  0.75"]


NOTHING = (
    "Use QRELS and RUN, or one table of retrieved_ids and reference_ids, or --judged-ranking, or --grades."
)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], NOTHING),
        (["qrels", "--grades", "1"], NOTHING),
        (["--grades", "1", "--judged", "1", "--judged", "1"], "--judged was passed for 2 queries"),
        (["--grades", "1", "--at", "x"], "'x' in --at is not a number"),
        (["--grades", "1", "-m", "nDCG@5"], "leave out '@' and the depth"),
    ],
)
def test_misuse_is_one_sentence(capfd, words: list[str], sentence: str) -> None:
    with pytest.raises(SystemExit):
        main(["curve", *words])
    assert sentence in " ".join(capfd.readouterr().err.split())
