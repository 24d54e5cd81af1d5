"""Two judgments and one run: which judgments differ, and what that does to the score."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from carob.cli import main
from carob.conventions.policy import Policy
from carob.diagnosis.difference import rejudged
from carob.output.errors import DataError, DataWarning, MeasureError

if TYPE_CHECKING:
    from pathlib import Path

FULL = {"q": {"a": 1, "b": 1, "c": 0}, "r": {"a": 1}, "alone": {"a": 1}}
SPARSE = {"q": {"a": 1, "c": 1, "d": 1}, "r": {"a": 1}}
RUN = {"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}, "r": {"a": 1.0}, "alone": {"a": 1.0}}


def test_each_kind_of_change_has_its_step() -> None:
    found = rejudged(FULL, SPARSE, "P@4", RUN)
    # P@4 under the full judgments: q 2/4, r 1/4, alone 1/4. Without alone 3/8; b unjudged 1/4; c relevant 3/8; d 1/2.
    assert found.values == (pytest.approx(1 / 3), pytest.approx(1 / 2))
    assert [(step.axis, step.before, step.after) for step in found.steps] == [
        ("queries of A only", "1 query", "omitted"),
        ("only A judged", "1 document", "unjudged"),
        ("grades", "1 document", "as in B"),
        ("only B judged", "unjudged", "1 document"),
    ]
    assert [step.value for step in found.steps] == [
        pytest.approx(each) for each in (3 / 8, 1 / 4, 3 / 8, 1 / 2)
    ]
    assert [step.queries for step in found.steps] == [1, 1, 1, 1]


def test_missing_judgments_are_named_as_the_cause() -> None:
    sparse = {query: dict(list(its.items())[:1]) for query, its in FULL.items()}
    found = rejudged(FULL, sparse, "R@2", {**RUN, "q": {"a": 4.0, "x": 3.0, "y": 2.0}})
    assert found.blame == "only A judged"
    assert "Cause: only A judged" in str(found)


def test_equal_judgments_have_no_steps() -> None:
    found = rejudged(FULL, FULL, "AP", RUN)
    assert (found.gap, found.steps, found.blame) == (0.0, (), None)


def test_judgments_that_never_meet_and_measures_by_subtopic_are_refused() -> None:
    with pytest.raises(DataError, match="no query in common"):
        rejudged(FULL, {"other": {"a": 1}}, "AP", RUN)
    with pytest.raises(MeasureError, match="by subtopic"):
        rejudged(FULL, SPARSE, "alphanDCG@10", RUN)


@pytest.mark.filterwarnings("error")
def test_only_the_two_judgments_have_to_go_with_the_run() -> None:
    one, other = {"q": {"a": 1}}, {"q": {"b": 1}}
    run = {"q": {"a": 2.0, "b": 1.0}}
    # Between the two no document is judged, which is nobody's mistake.
    for overlap in ("query", "document"):
        found = rejudged(one, other, "RR", run, policy=Policy(overlap=overlap))
        assert found.values == (1.0, 0.5)
        assert [step.value for step in found.steps] == [0.0, 0.5]


def test_a_run_that_does_not_go_with_one_of_the_judgments_is_told_its_name(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("q 0 a 1\nr 0 a 1\n", encoding="utf-8")
    (tmp_path / "two.txt").write_text("r 0 b 1\n", encoding="utf-8")
    one, two = str(tmp_path / "one.txt"), str(tmp_path / "two.txt")
    with pytest.raises(DataError, match=r"two\.txt have no query in common"):
        rejudged(one, two, "RR", {"q": {"a": 1.0}})
    with pytest.raises(DataError, match=r"one\.txt have no query in common"):
        rejudged(one, two, "RR", {"s": {"a": 1.0}})
    with pytest.warns(DataWarning, match=r"two\.txt judges"):
        rejudged(one, two, "RR", {"q": {"a": 1.0}, "r": {"a": 1.0}})


def written(folder: Path) -> tuple[str, str, str]:
    """Both judgments and the run as files."""
    for name, judgments in (("full.txt", FULL), ("sparse.txt", SPARSE)):
        lines = [
            f"{query} 0 {each} {grade}\n" for query, its in judgments.items() for each, grade in its.items()
        ]
        (folder / name).write_text("".join(lines), encoding="utf-8")
    lines = [f"{query} Q0 {each} 1 {score} t\n" for query, its in RUN.items() for each, score in its.items()]
    (folder / "one.run").write_text("".join(lines), encoding="utf-8")
    return str(folder / "full.txt"), str(folder / "sparse.txt"), str(folder / "one.run")


def test_difference_takes_two_judgments_in_place_of_profiles(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    full, sparse, run = written(tmp_path)
    main(["difference", full, sparse, "P@4", run])
    out = capfd.readouterr().out
    rows = [line.split() for line in out.splitlines()]
    assert ["full.txt", "5", "judgments", "0.3333"] in rows
    assert ["sparse.txt", "4", "judgments", "0.5000"] in rows
    main(["difference", full, sparse, "P@4", run, "--format", "json"])
    assert len(json.loads(capfd.readouterr().out)["steps"]) == 4
    with pytest.raises(SystemExit):
        main(["difference", "trec_eval-10", "sklearn", "AP", run])
    assert "or pass two QRELS, a measure and a RUN" in capfd.readouterr().err


@pytest.mark.parametrize("command", ["eval", "compare"])
def test_judgments_in_the_place_of_a_run_point_to_what_compares_judgments(
    command: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    full, sparse, run = written(tmp_path)
    with pytest.raises(SystemExit):
        main([command, full, sparse, run])
    err = capfd.readouterr().err
    assert "This looks like qrels" in err
    assert "carob difference A.QRELS B.QRELS MEASURE RUN" in err
    assert "carob agreement" in err


def test_check_says_that_a_second_file_of_judgments_is_no_run(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    full, sparse, run = written(tmp_path)
    with pytest.raises(SystemExit) as end:
        main(["check", full, sparse, run])
    out = capfd.readouterr().out
    assert end.value.code == 2
    assert f"error: second-judgments in {sparse}" in out
    assert "carob agreement A B" in out
    assert f"missing-queries in {sparse}" not in out
