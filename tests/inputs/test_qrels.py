"""Judgments: a grade for every row, subtopics, runs in their place, grades that cannot be used, other processes."""

from __future__ import annotations

import pickle
import re
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob import DataError, Policy, Qrels
from toys import command

if TYPE_CHECKING:
    from pathlib import Path


def test_a_number_is_the_grade_of_every_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pl = pytest.importorskip("polars", reason="makes the frames")
    clicks = pl.DataFrame({"userID": [1, 1, 2], "itemID": [5, 6, 7]})
    shown = pl.DataFrame({"userID": [1, 1, 2], "itemID": [4, 5, 7], "prediction": [0.9, 0.8, 0.7]})
    with pytest.raises(DataError, match=r"implicit feedback\), carob\.Qrels\.of\(qrels, grade=1\)"):
        carob.evaluate(clicks, shown, "RR")
    for made in (clicks, clicks.lazy(), clicks.to_arrow()):
        assert carob.evaluate(Qrels.of(made, grade=1), shown, "RR").by_query("RR") == {"1": 0.5, "2": 1.0}
    assert carob.evaluate(Qrels.of(clicks, grade=3), shown, "AP(rel=3)@1")["AP(rel=3)@1"] == 0.5
    clicks.write_csv(tmp_path / "clicks.csv")
    shown.write_csv(tmp_path / "shown.csv")
    files = [str(tmp_path / "clicks.csv"), str(tmp_path / "shown.csv")]
    assert command("eval", "-m", "RR", *files) == 2
    assert "--qrels-columns grade:=1" in capsys.readouterr().err
    assert (
        command("eval", "-m", "RR", *files, "--qrels-columns", "grade:=1", "--record", files[0] + ".json")
        == 0
    )
    assert "0.7500" in capsys.readouterr().out
    assert carob.verify(files[0] + ".json").equal
    assert Qrels.of({"q": {"a": 5, "b": 0}}, grade=1).judgments.grades.tolist() == [1.0, 1.0]
    (tmp_path / "qrels.txt").write_text("q 0 a 1\n")
    with pytest.raises(DataError, match="TREC text, in which each line has a grade"):
        Qrels.of(str(tmp_path / "qrels.txt"), grade=1)


def test_a_subtopic_may_be_called_0() -> None:
    for subtopic in ("0", "Q0", "s1", 0):
        qrels: Any = {"q": {subtopic: {"d": 1}}}
        assert carob.evaluate(qrels, {"q": {"x": 2.0, "d": 1.0}}, "alphanDCG@5")["alphanDCG@5"] < 1
    with pytest.raises(DataError, match="there are no subtopics"):
        carob.evaluate(b"q 0 d 1\n", {"q": {"d": 1.0}}, "alphanDCG@5")


def test_judgments_by_subtopic_are_told_to_be_for_measures_by_subtopic() -> None:
    qrels, run = b"q 1 a 1\nq 2 a 1\nq 1 b 0\n", b"q Q0 a 1 1.0 t\n"
    with pytest.raises(DataError, match=r"judged for two subtopics, '1' and '2'.*such as alphanDCG"):
        carob.evaluate(qrels, run, "AP")
    assert carob.evaluate(qrels, run, "alphanDCG@20")["alphanDCG@20"] == 1.0
    assert carob.evaluate(qrels, run, "AP", policy=Policy(duplicates="max"))["AP"] == 1.0
    with pytest.raises(
        DataError,
        match=r"line 2: document '.*' is judged twice for query 'q' \(first in line 1\). Remove one",
    ):
        carob.evaluate(b"q 0 a 1\nq 0 a 0\n", run, "AP")


@pytest.mark.parametrize("form", ["frame", "rows"])
def test_a_run_given_as_judgments_in_memory_is_refused_as_in_a_file(form: str) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"qid": ["q", "q"], "docno": ["a", "b"], "score": [2.5, 1.0]})
    given = frame if form == "frame" else frame.to_dict("records")
    with pytest.raises(DataError, match="column 'score', have fractions: are qrels and run swapped"):
        Qrels.of(given)
    assert Qrels.of(given, grade="score").judgments.grades.tolist() == [2.5, 1.0]  # whoever names it means it
    whole = frame.assign(score=[2, 1])
    assert Qrels.of(whole if form == "frame" else whole.to_dict("records")).queries == ["q"]


@pytest.mark.parametrize(
    ("given", "policy"),
    [
        (b"q 0 a 1\nr 0 \xff 2.5\n", Policy()),
        (b"# of 2021\nq 0 a 1\nheavy\nr 0 b -1\n\nq 0\n", Policy(malformed="skip")),
        ({"q": {"a b": 1, "b": 0}, "r": {}}, Policy()),
    ],
)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_judgments_are_the_same_in_another_process(given: Any, policy: Policy, protocol: int) -> None:
    here = Qrels.of(given, policy)
    there = pickle.loads(pickle.dumps(here, protocol))
    for name in ("queries", "malformed", "line_count"):
        assert getattr(there.judgments, name) == getattr(here.judgments, name), name
    for name in ("grades", "offsets", "lines"):
        assert getattr(there.judgments, name).tolist() == getattr(here.judgments, name).tolist(), name
    assert [there.judgments.documents(n) for n in (0, 1)] == [here.judgments.documents(n) for n in (0, 1)]
    assert (there.name, there.origin) == (here.name, here.origin)


@pytest.mark.parametrize("form", ["text", "mapping", "frame", "table"])
@pytest.mark.parametrize("value", ["nan", "9007199254740993"])
def test_a_grade_that_cannot_be_used_is_called_a_grade(form: str, value: str, tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    number = float(value) if value == "nan" else int(value)
    (tmp_path / "a.csv").write_text(f"query_id,doc_id,relevance\nq,a,{value}\n")
    given = {
        "text": f"q 0 a {value}\n".encode(),
        "mapping": {"q": {"a": number}},
        "frame": polars.DataFrame({"query_id": ["q"], "doc_id": ["a"], "relevance": [number]}),
        "table": tmp_path / "a.csv",
    }[form]
    with pytest.raises(DataError) as error:
        Qrels.of(given)
    said = str(error.value)
    assert ("grade is NaN" if value == "nan" else "different grades would become equal") in said
    assert not re.search("score|rank|run|constant", said), said
