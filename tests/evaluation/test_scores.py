"""Scores: access, aggregates, merging, and what tables and footers say."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import carob
from carob import DataError, MeasureError, Policy
from carob._dataclasses import replace
from carob.evaluation.score_tables import aggregate, board, document_of, footers
from toys import command

if TYPE_CHECKING:
    from pathlib import Path

QRELS = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}}
RUN = {"q1": {"a": 1.0}, "q2": {"x": 2.0, "b": 1.0}, "q7": {"a": 1.0}}


def test_trec_evals_names_find_the_same_measure() -> None:
    scores = carob.evaluate(QRELS, RUN, ["AP", "ndcg_cut_10"])
    assert scores["map"] == scores["AP"]
    assert scores["nDCG@10"] == scores["ndcg_cut.10"]
    assert scores.labels == ("AP", "ndcg_cut_10")
    assert "AP" in scores
    assert "RR" not in scores
    assert list(scores) == ["AP", "ndcg_cut_10"]
    with pytest.raises(MeasureError, match=r"RR was not evaluated. These measures were: AP, ndcg_cut_10"):
        scores["RR"]


def test_aggregates() -> None:
    scores = carob.evaluate(QRELS, RUN, ["RR", "GMAP", "NumRet"])
    assert scores["RR"] == (1 + 1 / 2 + 0) / 3
    assert scores["GMAP"] == pytest.approx(
        math.exp((math.log(1) + math.log(1 / 2) + math.log(1e-5)) / 3), abs=1e-15
    )
    assert scores["NumRet"] == 3
    # A query without weight needs no value.
    assert aggregate(np.array([0.25, math.nan, 1.0]), "mean", np.array([2.0, 0.0, 1.0])) == 0.5
    assert math.isnan(aggregate(np.array([0.25]), "mean", np.array([0.0])))


def test_merging_parts_gives_the_whole() -> None:
    parts_of = Policy(overlap="none")
    whole = carob.evaluate(QRELS, RUN, policy=parts_of)
    parts = [
        carob.evaluate({q: QRELS[q]}, {q: RUN[q]} if q in RUN else {}, policy=parts_of)
        for q in ("q3", "q1", "q2")
    ]
    merged = parts[0].merge(parts[1]).merge(parts[2])
    assert merged.queries == whole.queries
    assert merged.means() == whole.means()
    assert merged.counts.missing == ("q3",)
    with pytest.raises(DataError, match="'q1' was evaluated in two parts"):
        merged.merge(parts[1])
    with pytest.raises(DataError, match="the same measures"):
        parts[0].merge(carob.evaluate(QRELS, RUN, ["RR"]))


def test_many_parts_merge_at_once() -> None:
    qrels = {f"q{number}": {"a": 1, "b": 2} for number in range(12)}
    run = {query: {"a": 1.0, "c": 1.0} for query in list(qrels)[::3]}
    parts_of = Policy(overlap="none")
    whole = carob.evaluate(qrels, run, policy=parts_of)
    parts = [
        carob.evaluate({q: qrels[q]}, {q: run[q]} if q in run else {}, policy=parts_of)
        for q in reversed(qrels)
    ]
    merged = parts[0].merge(*parts[1:])
    assert merged.queries == whole.queries
    assert merged.counts.as_dict() == whole.counts.as_dict()
    assert merged.means() == whole.means()
    assert parts[0].merge().means() == parts[0].means()
    with pytest.raises(DataError, match="'q7' was evaluated in two parts"):
        parts[0].merge(*parts[1:], parts[4])


@pytest.mark.parametrize("weights", [None, {"q1": 3.0, "q4": 0.5}])
@pytest.mark.parametrize("empty", ["zero", "skip"])
def test_merged_parts_keep_what_is_known_of_ties_depths_and_faults(weights: Any, empty: Any) -> None:
    draw = np.random.default_rng(3)
    qrels = {
        f"q{query}": {f"d{each}": int(draw.integers(0, 3)) * (query != 5) for each in range(8)}
        for query in range(12)
    }
    run = {query: {f"d{each}": float(draw.integers(0, 3)) for each in range(8)} for query in list(qrels)[1:]}
    measures = ["AP", "nDCG@3", "GMAP", "R@2", "NumRelRet", "ERR"]
    policy = Policy(overlap="none", empty=empty)

    def scores(own: list[str]) -> carob.Scores:
        its = {query: run[query] for query in own if query in run}
        given = None if weights is None else {query: weights.get(query, 1.0) for query in own}
        return carob.evaluate(
            {query: qrels[query] for query in own}, its, measures, policy=policy, weights=given
        )

    whole = scores([*qrels])
    parts = [scores(own) for own in ([*qrels][:2], [*qrels][2:6], [*qrels][6:])]
    merged = parts[0].merge(*parts[1:])
    assert set(merged.bounds) == set(whole.bounds) >= {"AP", "GMAP", "ERR"}
    for label, ends in whole.bounds.items():
        assert merged.bounds[label] == pytest.approx(ends, abs=1e-12), label
    assert set(whole.caps) == {"R@2"} == set(merged.caps)
    assert merged.caps["R@2"] == pytest.approx(whole.caps["R@2"], abs=1e-12)
    assert merged.footer() == whole.footer()
    doubtful = [replace(each, warnings=("The scores rise.",)) for each in parts]
    assert doubtful[0].merge(*doubtful[1:]).warnings == ("The scores rise.",)


def test_the_footer_says_what_was_decided() -> None:
    footer = carob.evaluate(QRELS, RUN, ["AP", "nDCG@10"]).footer()
    assert footer == "3 queries · 1 missing query counted as 0 · 1 unjudged query ignored · policy trec"
    tied = carob.evaluate(
        {"q": {"a": 1, "b": -2}}, {"q": {"a": 1.0, "b": 1.0}}, ["RR"], policy=Policy(empty="one")
    )
    assert tied.footer() == (
        "1 query · ties touch 1 query (RR 0.5000–1.0000) · 1 negative grade unjudged · policy empty one"
    )
    # RR depends on the order of b and c only below a.
    below = carob.evaluate({"q": {"a": 1, "b": 1}}, {"q": {"a": 2.0, "b": 1.0, "c": 1.0}}, ["RR", "AP"])
    assert below.footer() == "1 query · ties touch 1 query (RR 1.0000 either way) · policy trec"
    assert below.footer("zh") == "1 个查询 · 同分涉及 1 个查询（RR 都是 1.0000） · 策略 trec"
    note = carob.evaluate_judged_ranking(b"q 0 a 1\n", ["MAP"], profile="note-004")
    assert note.footer() == "1 query · profile note-004 · MAP is AP(over=retrieved)"


def test_json_has_everything() -> None:
    document = json.loads(carob.evaluate(QRELS, RUN, ["RR"]).to_json())
    assert document["carob"] == carob.__version__
    assert document["policy"]["ties"] == "trec"
    run = document["runs"][0]
    assert run["means"] == {"RR": 0.5}
    assert run["queries"]["q2"] == {"RR": 0.5}
    assert run["counts"]["missing"] == ["q3"]


def test_tables() -> None:
    scores = carob.evaluate(QRELS, RUN, ["RR", "NumRet"], name="b_m|25")
    assert scores.to_markdown() == "| run | RR | NumRet |\n| --- | ---: | ---: |\n| b_m\\|25 | 0.5000 | 3 |\n"
    assert "b\\_m\\textbar{}25 & 0.5000 & 3 \\\\\n" in scores.to_latex()
    assert str(scores).splitlines()[1] == "b_m|25  0.5000       3"


def test_a_table_wider_than_the_terminal_is_turned() -> None:
    scores = carob.evaluate(QRELS, RUN, ["RR", "NumRet"], name="b")
    assert board([scores], "text", columns=19) == "run      RR  NumRet\nb    0.5000       3\n"
    assert board([scores], "text", columns=18) == "run          b\nRR      0.5000\nNumRet       3\n"


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frames(backend: str) -> None:
    pytest.importorskip(backend, reason=f"{backend} is not installed")
    frame = carob.evaluate(QRELS, RUN, ["RR"]).to_frame(backend)
    assert type(frame).__module__.startswith(backend)
    assert [float(value) for value in frame["RR"].to_numpy()] == [1.0, 0.5, 0.0]


def test_the_footers_of_many_runs_name_each_of_them_once() -> None:
    qrels = {f"q{number}": {"a": 1} for number in range(12)}
    runs = {
        f"run{number:02}": {
            query: {"a": 1.0, "b": 1.0 if place < number // 2 else 0.5} for place, query in enumerate(qrels)
        }
        for number in range(10)
    }
    found = [carob.evaluate(qrels, run, "AP", name=name) for name, run in runs.items()]
    for count in (4, 10):
        lines = footers(found[:count])
        named = [
            name for line in lines for name in line.partition(": ")[0].split(", ") if name.startswith("run")
        ]
        assert sorted(named) == sorted(runs)[:count]
    assert lines[0] == "all 10 runs: 12 queries · policy trec"
    assert lines[1].startswith("run00, run01: every query has the highest possible value")
    # Where all are alike, no name is needed.
    assert footers(found[:2], equal=False) == [found[0].footer()]


def test_a_footer_of_many_runs_names_the_first_and_counts_the_others() -> None:
    qrels = {"q": {"a": 1}, "p": {"a": 1}}
    other = carob.evaluate(qrels, {"q": {"a": 1.0}}, "AP", name="other")
    alike = [
        carob.evaluate(qrels, {"q": {"a": 1.0}, "p": {"a": 1.0}}, "AP", name=f"r{n}") for n in range(300)
    ]
    said = "2 queries · policy trec"
    assert footers([*alike[:8], other])[0] == f"r0, r1, r2, r3, r4, r5, r6, r7: {said}"
    assert footers([*alike[:9], other])[0] == f"r0, r1, r2, r3, r4, r5, r6 and 2 more: {said}"
    lines = footers([*alike, other])
    assert lines == [
        f"r0, r1, r2, r3, r4, r5, r6 and 293 more: {said}",
        "other: 2 queries · 1 missing query counted as 0 · policy trec",
    ]
    runs = document_of([*alike, other], per_query=False)["runs"]
    assert [run["counts"]["missing"] for run in runs] == [[]] * 300 + [["p"]]


# ---------------------------------------------------------------- several runs

OTHER = {"q1": {"x": 2.0, "a": 1.0}, "q2": {"b": 1.0}, "q3": {"c": 1.0}}


def test_runs_by_name_are_scored_as_one_by_one_and_shown_in_one_table() -> None:
    found = carob.evaluate(QRELS, {"bm25": RUN, "dense": OTHER}, ["RR", "nDCG@10"])
    alone = [
        carob.evaluate(QRELS, run, ["RR", "nDCG@10"], name=name)
        for name, run in (("bm25", RUN), ("dense", OTHER))
    ]
    assert list(found) == ["bm25", "dense"]
    assert found.means() == {each.name: each.means() for each in alone}
    assert str(found) == board(alone, "text") + "\n".join(footers(alone))
    assert json.loads(found.to_json())["runs"][1]["queries"]["q1"]["RR"] == 0.5
    assert found.to_markdown() == board(alone, "markdown")
    assert found.to_latex() == board(alone, "latex")


def test_a_list_of_runs_is_called_by_their_files(tmp_path: Path) -> None:
    paths = [tmp_path / "bm25.run", tmp_path / "dense.run"]
    for path in paths:
        path.write_text(f"q1 Q0 a 1 {len(path.name)} t\n")
    for given in (paths, list(map(str, paths)), tuple(paths), [carob.Run.of(path) for path in paths]):
        assert list(carob.evaluate(QRELS, given, "RR")) == ["bm25", "dense"]
    assert list(carob.evaluate(QRELS, [RUN, OTHER], "RR")) == ["run 1", "run 2"]


def test_a_dictionary_of_queries_is_one_run() -> None:
    assert carob.evaluate(QRELS, RUN, "RR").name == "run"
    assert carob.evaluate(QRELS, {"q1": {}, "q2": {"b": 1.0}}, "RR").by_query("RR")["q2"] == 1
    assert carob.evaluate(QRELS, {"q1": ["a"], "q2": ["x"]}, "RR").by_query("RR")["q1"] == 1
    assert list(carob.evaluate(QRELS, {"one": {"q1": ["a"]}}, "RR")) == ["one"]


def test_scores_of_runs_go_where_runs_do(tmp_path: Path) -> None:
    found = carob.evaluate(QRELS, {"bm25": RUN, "dense": OTHER}, "RR")
    assert carob.compare(None, found, "RR").names == ("bm25", "dense")
    carob.record(found, tmp_path / "record.json")
    assert carob.verify(tmp_path / "record.json", QRELS, {"bm25": RUN, "dense": OTHER}).equal


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_scores_of_runs_are_a_frame(library: str) -> None:
    pytest.importorskip(library, reason=f"needs {library}")
    found = carob.evaluate(QRELS, {"bm25": RUN, "dense": OTHER}, "RR")
    means, queries = found.to_frame(library), found.to_frame(library, per_query=True)
    assert (len(means), len(queries)) == (2, 6)
    assert list(map(float, means["RR"].to_numpy())) == [found["bm25"]["RR"], found["dense"]["RR"]]


def test_what_is_taken_out_is_taken_out_of_every_run() -> None:
    found = carob.evaluate(QRELS, {"bm25": RUN, "dense": OTHER}, "RR", exclude={"q1": ["x"], "q2": ["x"]})
    assert [each.counts.excluded for each in found.values()] == [1, 1]
    assert found["dense"].by_query("RR")["q1"] == 1


def test_the_views_of_every_mapping_show_their_contents_and_no_table() -> None:
    qrels = {"q": {"a": 1}}
    by_run = carob.evaluate(qrels, {"old": {"q": {"a": 2.0}}, "new": {"q": {"b": 2.0, "a": 1.0}}}, "RR")
    assert repr(by_run.keys()) == "Keys(['old', 'new'])"
    assert repr(by_run.values()) == "Values([{'RR': 1.0}, {'RR': 0.5}])"
    assert repr(by_run.items()) == "Items([('old', {'RR': 1.0}), ('new', {'RR': 0.5})])"
    one = by_run["new"]
    assert (repr(one.keys()), repr(one.values())) == ("Keys(['RR'])", "Values([0.5])")
    assert "recip_rank" in one.keys()  # noqa: SIM118 - a view knows a measure by trec_eval's name, as the scores do
    curve = carob.curve("P", grades=[[1, 0]])
    assert repr(curve.items()) == "Items([('P', [1.0, 0.5])])"
    assert (
        repr(carob.beyond_accuracy({"u": ["a", "b"]}, ["NumItems@1"]).items())
        == "Items([('NumItems@1', 1.0)])"
    )


@pytest.mark.parametrize("form", ["dict", "lists", "hits", "compare"])
def test_queries_without_a_document_retrieved_are_told(form: str, tmp_path: Path) -> None:
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}}
    said = "2 queries without retrieved documents"
    if form == "hits":
        lines = [
            {"query_id": q, "hits": {"hits": [{"_id": "a", "_score": 1.0}] * (q == "q1")}} for q in qrels
        ]
        (tmp_path / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        assert said in str(carob.evaluate(qrels, str(tmp_path / "log.jsonl"), "AP"))
        return
    answer: Any = {"dict": {"a": 1.0}, "compare": {"a": 1.0}, "lists": ["a"]}[form]
    run = {"q1": answer, "q2": type(answer)(), "q3": type(answer)()}
    if form == "compare":
        found = carob.compare(qrels, {"one": run, "two": {**run, "q2": {"a": 1.0}}}, "AP")
        assert "without retrieved documents: one (2), two (1)" in " ".join(found.to_text(100).split())
        return
    scores = carob.evaluate(qrels, run, "AP")
    assert said in str(scores)
    assert scores.counts.unanswered == 2


def test_runs_with_equal_values_are_named_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    qrels = {f"q{each}": {"a": 1, "b": 0} for each in range(6)}
    first = {query: {"a": 2.0 + (query > "q2"), "b": 2.5} for query in qrels}
    other = {query: {"b": 2.0} for query in qrels}
    runs = {"one": first, "two": other, "again": first, "copy": dict(first)}
    said = "the same value for every query: one = again = copy"
    scores = carob.evaluate(qrels, runs, ["AP", "RR"])
    assert said in str(scores)
    assert said in scores.beside()
    assert "same value" not in str(carob.evaluate(qrels, {"one": first, "two": other}, "AP"))
    (tmp_path / "qrels").write_text(
        "".join(f"{q} 0 {d} {g}\n" for q, its in qrels.items() for d, g in its.items())
    )
    for name in ("one", "again"):
        lines = [f"{q} Q0 {d} 1 {s} t\n" for q, its in runs[name].items() for d, s in its.items()]
        (tmp_path / name).write_text("".join(lines))
    paths = [str(tmp_path / name) for name in ("qrels", "one", "again")]
    for layout in ("text", "markdown", "csv", "html"):
        assert command("eval", "-m", "AP", "--format", layout, *paths) == 0
        assert "same value for every query: one = again" in "".join(capsys.readouterr()), layout
