"""Scores are read back from records and from the output of carob eval, and what is neither is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import carob
from carob import DataError, Policy
from carob.cli import main
from carob.evaluation.read_record import read_record
from toys import command

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 c 2\nq3 0 d 1\n"


@pytest.fixture
def folder(folder: Path) -> Path:
    (folder / "qrels.txt").write_text(QRELS)
    return folder


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"run AP\none 0.5\n", "is not JSON"),
        (b"[1, 2]", "contains neither a record nor scores"),
        (
            b'{"record": 2, "runs": [], "measures": {}, "policy": {}}',
            "has the record format 2, but this version of carob reads format 1",
        ),
        (b'{"runs": [{"name": "a", "means": {}}], "measures": {}, "policy": {}}', "no per-query scores"),
        (b'{"runs": [{}], "measures": {}, "policy": {}}', "is damaged"),
        (
            b'{"record": 1, "runs": [{"name": "a", "means": {}, "queries": {"q": {}}}], "measures": {}, "policy": {}}',
            "is damaged",
        ),
        (b'{"runs": 5, "measures": {}, "policy": {}}', "is damaged"),
        (b"\xff\xfe\x00", "is not JSON"),
    ],
)
def test_what_is_no_record_is_refused_with_a_sentence(
    folder: Path, content: bytes, words: str, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "bad.json").write_bytes(content)
    with pytest.raises(DataError, match=words):
        read_record("bad.json")
    assert command("verify", "bad.json") == 2
    assert capfd.readouterr().err.startswith("carob: bad.json ")


def test_scores_without_hashes_can_be_read_but_not_verified(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    main(["eval", "-q", "qrels.txt", "one.run", "--format", "json"])
    Path("plain.json").write_text(capfd.readouterr().out)
    assert read_record("plain.json").names == ["one"]
    with pytest.raises(DataError, match="contains scores, but no record of the inputs"):
        carob.verify("plain.json")


def test_what_is_read_back_is_what_was_written(folder: Path) -> None:
    scores = carob.evaluate(
        "qrels.txt",
        "one.run",
        ["AP", "GAUC", "NumRel"],
        policy=Policy(by_measure={"AP": {"missing": "skip"}}),
    )
    carob.record(scores, "out.json")
    (back,) = read_record("out.json").scores
    assert back.means() == scores.means()
    assert back.by_query("AP") == scores.by_query("AP") == {"q1": 0.5, "q2": 1.0}
    assert (back.name, back.queries, back.measures, back.policy) == (
        scores.name,
        scores.queries,
        scores.measures,
        scores.policy,
    )
    assert back.counts.as_dict() == scores.counts.as_dict()
