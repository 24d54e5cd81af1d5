"""``carob.compat.ranx`` against ranx: the same calls, values, p-values and fused scores."""

from __future__ import annotations

import json
import math
import os
import random
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob import ArgumentError, DataError
from carob.compat import ranx
from carob.compat.ranx import Qrels, Run, compare, evaluate, fuse

if TYPE_CHECKING:
    from pathlib import Path

METRICS = ["ndcg@3", "ndcg@3-l2", "hits@3", "mrr", "bpref-l2", "rbp.65", "rbp@80"]
"""Few, of each kind; tests/peers/test_ranx.py has the others."""
FUSED: list[tuple[str | None, str, dict[str, Any]]] = [
    ("min-max", "wsum", {"weights": [0.3, 0.7]}),
    (None, "rrf", {"k": 10}),
    ("zmuv", "gmnz", {"gamma": 0.5}),
]
PROGRAM = """
import json, sys
{imports}
data, metrics, fused = json.load(sys.stdin)
qrels, runs = Qrels(data["qrels"]), [Run(each, name=name) for name, each in data["runs"].items()]
found = {{"values": evaluate(qrels, runs[0], metrics, return_mean=False)}}
found["means"] = evaluate(qrels, runs[0], metrics, return_std=True)
found["one"] = evaluate(data["qrels"], data["runs"]["one"], "ndcg@3")
found["kept"] = [runs[0].mean_scores, runs[0].std_scores, runs[0].scores]
short = Run({{query: its for query, its in data["runs"]["one"].items() if query != "q3"}} | {{"x": {{"a": 1.0}}}})
found["comparable"] = evaluate(qrels, short, ["mrr", "hits@3"], make_comparable=True)
report = compare(qrels, runs, metrics[:4], max_p=0.05)
found["report"] = report.to_dict()
found["pair"] = report.comparisons["two", "one"]["mrr"]["p_value"]
found["fused"] = [fuse(runs[:2], *each).to_dict() for each in fused]
print(json.dumps(found, default=lambda value: value.tolist()))
"""


def drawn() -> dict[str, Any]:
    """Judgments with a relevant document for each query, and three runs without equal scores in a list."""
    draw = random.Random(7)
    queries, documents = [f"q{number}" for number in range(12)], [f"d{number:02}" for number in range(25)]
    qrels = {
        query: {each: draw.choice([0, 1, 2, 3]) for each in draw.sample(documents, 12)} for query in queries
    }
    for its in qrels.values():
        its |= {"d00": 3, "d01": 0, "d02": 1}
    lists = {
        name: {query: {each: draw.gauss(3, 1) for each in draw.sample(documents, 14)} for query in queries}
        for name in ("one", "two", "three")
    }
    return {"qrels": qrels, "runs": lists}


def told_by(module: str) -> Any:
    """What a program prints that imports one or the other, in a process of its own, as ranx runs threads."""
    program = PROGRAM.format(imports=f"from {module} import Qrels, Run, compare, evaluate, fuse")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        input=json.dumps([drawn(), METRICS, FUSED]),
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "NUMBA_NUM_THREADS": "1"},
    )
    return json.loads(done.stdout)


def differences(ours: Any, theirs: Any, place: str = "") -> list[str]:
    """Where two results differ by more than 1e-9."""
    if isinstance(theirs, dict):
        assert ours.keys() == theirs.keys(), place
        return [each for key in theirs for each in differences(ours[key], theirs[key], f"{place}/{key}")]
    if isinstance(theirs, list):
        assert len(ours) == len(theirs), place
        return [each for n, its in enumerate(theirs) for each in differences(ours[n], its, f"{place}/{n}")]
    same = ours == pytest.approx(theirs, abs=1e-9) if isinstance(theirs, float) else ours == theirs
    return [] if same else [f"{place}: {ours}, {theirs}"]


@pytest.mark.long
def test_a_program_that_imports_carob_in_its_place_gets_the_same_values() -> None:
    pytest.importorskip("ranx", reason="needs ranx, of the extra 'peers'")
    ours, theirs = told_by("carob.compat.ranx"), told_by("ranx")
    assert differences(ours, theirs) == []
    assert len(ours["values"]) == len(METRICS)


def test_what_it_computes_is_what_carob_computes() -> None:
    data = drawn()
    qrels, run = Qrels(data["qrels"]), Run(data["runs"]["one"], name="one")
    scores = carob.evaluate(data["qrels"], data["runs"]["one"], ["nDCG@3", "AP(rel=2)"])
    found = evaluate(qrels, run, ["ndcg@3", "map-l2"])
    assert [*found.values()] == pytest.approx([*scores.means().values()], abs=1e-12)
    assert run.mean_scores == found
    assert run.scores["ndcg@3"] == pytest.approx(scores.by_query("nDCG@3"), abs=1e-12)
    report = compare(qrels, [run, Run(data["runs"]["two"], name="two")], "ndcg@3", max_p=0.9)
    compared = carob.compare(data["qrels"], data["runs"], "nDCG@3", test=carob.Test("t", correction="none"))
    p = next(each.p_uncorrected for each in compared.primary.pairs if (each.a, each.b) == (0, 1))
    assert report.comparisons["one", "two"]["ndcg@3"]["p_value"] == pytest.approx(p, abs=1e-12)
    assert sum(report.win_tie_loss["two", "one"]["ndcg@3"].values()) == 12
    better = max(("one", "two"), key=lambda name: report.results[name]["ndcg@3"])
    row = next(line for line in str(report).splitlines() if f" {better} " in f"{line} ")
    assert row.split()[-1] == {"one": "b", "two": "a"}[better]
    assert r"\toprule" in report.to_latex()


@pytest.mark.parametrize("test", ["fisher", "tukey"])
def test_its_other_tests_are_carobs(test: str) -> None:
    data = drawn()
    runs = [Run(each, name=name) for name, each in data["runs"].items()]
    report = compare(Qrels(data["qrels"]), runs, ["map"], test)
    values = [its["map"]["p_value"] for its in report.comparisons.values()]
    assert len(values) == 3
    assert all(0 < each <= 1 for each in values)
    assert report.to_dict()["stat_test"] == test


def test_objects_come_from_files_and_frames_and_go_there(tmp_path: Path) -> None:
    data = drawn()
    for made, kind in ((Qrels(data["qrels"]), Qrels), (Run(data["runs"]["one"], "one"), Run)):
        for name in ("a.trec", "a.txt", "a.json"):
            made.save(str(tmp_path / name))
            assert kind.from_file(str(tmp_path / name)).to_dict() == made.to_dict()
        assert kind.from_file(str(tmp_path / "a.json"), kind="json").to_dict() == made.to_dict()
        assert kind.from_dict(made.to_dict()).to_dict() == made.to_dict()
    pandas = pytest.importorskip("pandas")
    frame = made.to_dataframe()
    assert isinstance(frame, pandas.DataFrame)
    assert Run.from_df(frame).to_dict() == made.to_dict()
    grown = Run()
    grown.add_multi(["q"], [["a"]], [[1]])
    grown.add_score("q", "b", 2)
    assert (len(grown), grown["q"]) == (1, {"a": 1.0, "b": 2.0})


def test_what_ranx_refuses_is_one_sentence() -> None:
    qrels, run = Qrels({"q": {"a": 1}}), Run({"p": {"a": 1}})
    with pytest.raises(DataError, match="make_comparable=True"):
        evaluate(qrels, run, "map")
    with pytest.raises(DataError, match="same name"):
        compare(qrels, [Run({"q": {}}, "x"), Run({"q": {}}, "x")], "map")
    with pytest.raises(ArgumentError, match="no test 'sign'"):
        compare(qrels, [Run({"q": {}}, "x"), Run({"q": {}}, "y")], "map", "sign")
    with pytest.raises(DataError, match="at least two runs"):
        fuse([run])
    with pytest.raises(DataError, match="queries of runs 0 and 1 differ"):
        fuse([run, Run({"q": {"a": 1}})])
    with pytest.raises(ArgumentError, match="condorcet"):
        fuse([run, run], method="condorcet")
    with pytest.raises(carob.MeasureError, match="Did you mean"):
        evaluate(qrels, Run({"q": {"a": 1}}), "maap")
    assert ranx.__all__ == ["Qrels", "Run", "compare", "evaluate", "fuse"]


def test_a_sample_is_not_taken_for_complete_judgments(tmp_path: Path) -> None:
    path = tmp_path / "sample.csv"
    path.write_text("query,document,grade,probability,sample_size\nq,a,1,0.5,2\nq,b,0,0.5,2\n")
    with pytest.raises(DataError, match="judgments are a sample of 2 documents, drawn"):
        Qrels.from_file(str(path))
    frame = pytest.importorskip("pandas").read_csv(path)
    with pytest.raises(DataError, match="judgments are a sample of 2 documents, drawn"):
        Qrels.from_df(frame, "query", "document", "grade")


@pytest.mark.parametrize(
    "grade", [0.9, "1_0", "٣", "high", None, (1, 0.5), float("nan"), float("inf"), [1], "0.5"]
)
def test_a_grade_that_is_no_whole_number_is_one_sentence(grade: Any) -> None:
    assert Qrels({"q": {"a": 2.0, "b": "1"}}).to_dict() == {"q": {"a": 2, "b": 1}}  # type: ignore[dict-item]
    with pytest.raises(DataError, match=r"document 'a' of query 'q': expected a whole number, found"):
        Qrels({"q": {"a": grade}})


def test_a_score_in_a_text_is_a_number_where_the_same_text_in_a_file_is() -> None:
    for text, score in {" 1e3 ": 1000.0, "inf": math.inf, "-Infinity": -math.inf, "+.5": 0.5}.items():
        assert Run({"q": {"a": text}}).to_dict() == {"q": {"a": score}}  # type: ignore[dict-item]
        assert next(iter(carob.Run.of(f"q Q0 a 1 {text.strip()} t\n".encode()).held.rows()))[2] == score
    assert math.isnan(Run({"q": {"a": "nan"}})["q"]["a"])  # type: ignore[dict-item]
    for text in ("1_0", "٣", "0x10", ""):
        with pytest.raises(DataError, match="expected a number, found"):
            Run({"q": {"a": text}})  # type: ignore[dict-item]


def test_what_is_no_mapping_of_numbers_is_one_sentence() -> None:
    given: Any
    for given, said in (
        (5, "expected {query: {document: number}}, found 5"),
        ({"q": 5}, "query 'q': expected {document: number}, found 5"),
        ({"q": {"a": "high"}}, "expected a number, found 'high'"),
        ({1: {"a": 1}}, r"the id 1 is not text.*str\(id\)"),
        ({"q": {2: 1}}, "the id 2 is not text"),
    ):
        with pytest.raises(DataError, match=said):
            Run(given)
    with pytest.raises(DataError, match="the id 1 is not text"):
        evaluate({1: {2: 1}}, {1: {2: 1.0}}, "mrr")
    with pytest.raises(DataError, match="2 queries, 1 list of documents and 1 list of numbers"):
        Run().add_multi(["p", "q"], [["a"]], [[1]])
    with pytest.raises(DataError, match="query 'q' has 2 documents and 1 number"):
        Run().add("q", ["a", "b"], [1])


@pytest.mark.parametrize("metric", ["mrr-l1_0", "mrr-lnan", "map-lx", "map-l"])
def test_a_level_that_is_no_number_is_one_sentence(metric: str) -> None:
    with pytest.raises(carob.MeasureError, match="a level is a number such as 2"):
        evaluate(Qrels({"q": {"a": 1}}), Run({"q": {"a": 1}}), metric)


@pytest.mark.parametrize("level", [5, -1, float("nan")])
def test_a_max_p_that_is_no_probability_is_one_sentence(level: float) -> None:
    runs = [Run({"q": {"a": 1}}, name) for name in "xy"]
    with pytest.raises(ArgumentError, match=r"max_p is .*between 0 and 1"):
        compare(Qrels({"q": {"a": 1}}), runs, "map", max_p=level)
