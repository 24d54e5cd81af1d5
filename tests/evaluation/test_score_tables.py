"""Tables of scores: the order of runs, the best values, cells without a value, and what is kept to be read again."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob import MeasureError
from carob.evaluation.score_tables import (
    SAME,
    best_first,
    board,
    document_of,
    document_to_keep,
    facts_of,
    footers,
)
from carob.output.language import Language

if TYPE_CHECKING:
    from pathlib import Path

QRELS = {"q1": {"a": 1}, "q2": {"b": 1}}
RUNS = {
    "less": {"q1": {"a": 1.0}},
    "low": {"q1": {"x": 2.0, "a": 1.0}, "q2": {"x": 3.0, "y": 2.0, "b": 1.0}},
    "high": {"q1": {"a": 1.0}, "q2": {"b": 1.0}},
    "equal": {"q1": {"a": 1.0}, "q2": {"b": 1.0}},
}


def scored(measures: Any, missing: Any = "nan") -> list[carob.Scores]:
    return [*carob.evaluate(QRELS, RUNS, measures, policy=carob.Policy(missing=missing)).values()]


@pytest.mark.parametrize("measures", [["RR", "NumRet"], ["E", "RR"]])
def test_the_best_run_by_the_first_measure_comes_first_and_one_without_a_mean_last(measures: Any) -> None:
    assert [each.name for each in best_first(scored(measures))] == ["high", "equal", "low", "less"]
    assert [each.name for each in best_first(scored(measures)[1:2])] == ["low"]


def test_the_best_printed_values_are_bold_but_no_counts() -> None:
    table = board(scored(["RR", "NumRet", "E"]), "terminal").splitlines()
    bold = [[part.partition("\x1b")[0] for part in line.split("\x1b[1m")[1:]] for line in table]
    assert bold == [[], [], [], ["1.0000", "0.0000"], ["1.0000", "0.0000"]]
    assert "\x1b" not in board(scored(["RR"])[1:2], "terminal")
    assert "\x1b" not in board(scored(["RR"])[:1] * 2, "terminal")  # neither has a mean


def test_data_say_which_query_a_run_lacks() -> None:
    for missing, value, mean in (("nan", "", ""), ("zero", "0.0", "0.5"), ("skip", "", "1.0")):
        assert board(scored(["RR"], missing)[:2], "csv", per_query=True).splitlines() == [
            "run,query,RR,missing",
            "less,q1,1.0,0",
            f"less,q2,{value},1",
            f"less,all,{mean},1",
            "low,q1,0.5,0",
            "low,q2,0.3333333333333333,0",
            "low,all,0.41666666666666663,0",
        ]


RICH = {"q1": {"a": 2, "b": 1}, "q2": {"b": 1}, "q3": {"c": 2}}
TIED = {"q1": {"x": 2.0, "a": 1.0, "b": 1.0}, "q2": {"x": 3.0, "y": 2.0, "b": 1.0}, "q9": {"b": 1.0}}


def rich(**more: Any) -> carob.Scores:
    """Scores with most of what a document or a footer may have."""
    measures = ["AP(rel=2)", "RR", "R@1"]
    weights = {"q1": 2.0, "q2": 1.0, "q3": 1.0}
    return carob.evaluate(RICH, TIED, measures, policy=carob.Policy(empty="skip"), weights=weights, **more)


@pytest.mark.parametrize(("layout", "third"), [("csv", "0.3333333333333333"), ("text", "0.3333")])
def test_a_query_that_a_measure_leaves_out_has_an_empty_cell(layout: str, third: str) -> None:
    lines = [
        line.split("," if layout == "csv" else None)
        for line in board([rich()], layout, per_query=True).splitlines()
    ]
    cells = {line[-5 if layout == "csv" else 0]: line for line in lines}
    assert third in cells["q1"]
    assert [each for each in cells["q2"] if each.startswith(third)] == [third]
    assert len(cells["q2"]) == len(cells["q1"]) - (layout == "text")


def test_a_table_too_wide_for_any_turn_has_shorter_names_or_bands() -> None:
    scores = [
        replace(each, name=f"a run of a long name, number {place}")
        for place, each in enumerate(scored(["RR", "P@1"])[:3])
    ]
    assert board(scores, "text", columns=32).splitlines() == [
        "run                   RR     P@1",
        "a run o…number 0       –       –",
        "a run o…number 1  0.4167  0.0000",
        "a run o…number 2  1.0000  1.0000",
    ]
    lines = board(scores, "text", columns=20).splitlines()
    assert [line.split() for line in lines[:5]][::4] == [["run", "RR"], []]
    assert lines[5].split() == ["run", "P@1"]
    assert lines[6:] == [
        f"a run of a long name, number {place}  {each}"
        for place, each in enumerate(("     –", "0.0000", "1.0000"))
    ]


def test_json_has_all_that_is_known_of_a_run_and_leaves_out_what_is_not() -> None:
    scores = rich(by={"q1": ["x"], "q2": ["x", "y"], "q3": []})
    known = replace(scores, judged=0.0, warnings=("Odd.",), errors={"RR": 0.01}, failed={"P": "no"}, name="")
    run = document_of([known], per_query=True)["runs"][0]
    third = scores["RR"]
    assert {name: each for name, each in run.items() if name not in ("counts", "groups")} == {
        "name": "",
        "means": scores.means(),
        "queries": {
            "q1": {"AP(rel=2)": 1 / 3, "RR": 0.5, "R@1": 0.0},
            "q2": {"AP(rel=2)": None, "RR": 1 / 3, "R@1": 0.0},
            "q3": {"AP(rel=2)": 0.0, "RR": 0.0, "R@1": 0.0},
        },
        "failed": {"P": "no"},
        "warnings": [{"kind": "doubt", "runs": [], "sentence": "Odd.", "numbers": {}}],
        "weights": {query: dict.fromkeys(scores.labels, 2.0 if query == "q1" else 1.0) for query in RICH},
        "in_several_groups": 1,
        "errors": {"RR": 0.01},
        "ties": {label: [*ends] for label, ends in scores.bounds.items()},
        "caps": {"R@1": {"mean": 0.75, "queries": 1, "depth": 1}},
        "judged": 0.0,
    }
    assert third == pytest.approx(1 / 3)
    assert {name: (its["queries"], its["ungrouped"]) for name, its in run["groups"].items()} == {
        "x": (2, False),
        "y": (1, False),
        "(none)": (1, True),
    }
    assert run["groups"]["y"]["means"] == {"AP(rel=2)": None, "RR": 1 / 3, "R@1": 0.0}
    assert run["counts"]["empty_for"] == {"AP(rel=2)": 1, "RR": 0, "R@1": 0}
    plain = document_of(scored(["RR"])[2:3], per_query=False)
    assert plain["runs"] == [{"name": "high", "means": {"RR": 1.0}, "counts": plain["runs"][0]["counts"]}]
    assert {name: each for name, each in plain.items() if name not in ("runs", "policy")} == {
        "measures": {"RR": "RR"},
        "profile": None,
        "carob": carob.__version__,
    }


def test_scores_that_are_kept_name_their_files(tmp_path: Path) -> None:
    for name, text in (("a.qrels", "q 0 a 1\n"), ("b.run", "q Q0 a 1 1 t\n"), ("c.txt", "q 0 z 1\n")):
        (tmp_path / name).write_text(text)
    qrels, run, lost = (str(tmp_path / name) for name in ("a.qrels", "b.run", "c.txt"))
    scores = [carob.evaluate(qrels, run, "RR", exclude=lost), carob.evaluate(qrels, {"q": ["a"]}, "RR")]
    kept = document_to_keep(scores, per_query=True)["inputs"]
    assert [(each["role"], each.get("path")) for each in kept] == [
        ("qrels", qrels),
        ("run", run),
        ("exclude", lost),
    ]
    assert "inputs" not in document_to_keep(scores, per_query=False)
    other = carob.evaluate({"q": {"a": 1}}, run, "RR")
    assert document_to_keep([scores[0], other], per_query=True)["inputs"][0]["role"] == "run"


def test_a_measure_is_read_as_the_profile_of_the_scores_reads_it() -> None:
    scores = carob.evaluate(QRELS, RUNS["low"], ["MAP", "MRR@10"], profile="ranx")
    assert scores["map"] == scores["MAP"] == pytest.approx(5 / 12)
    assert "mrr@10" in scores
    with pytest.raises(MeasureError, match="several measures"):
        carob.evaluate(QRELS, RUNS["low"], "map", profile="trec_eval-9")["all_trec"]


# ---------------------------------------------------------------- footers


class Marking(Mapping[str, str]):
    """Sentences of a language that puts each English one between marks."""

    def __getitem__(self, english: str) -> str:
        return f"«{english}»"

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


MARKED = Language("marked", Marking())
SIX = {f"q{place}": {"a": 1} for place in range(6)}


def test_each_part_of_a_footer_is_in_the_language_of_the_reader() -> None:
    assert footers([rich(by={"q1": ["x"], "q2": ["x", "y"], "q3": []})], MARKED) == [
        (
            "«3 queries» · «1 query counts in several groups» · «1 missing query «counted as 0»» · "
            "«1 unjudged query ignored» · «1 query without «grade 2 or more» «skipped» (AP(rel=2))» · "
            "«ties touch 1 query (AP(rel=2) 0.2222–0.3333)» · «R@1 cannot exceed «0.7500 over all queries»: "
            "1 of 3 queries has more than «1 relevant document»» · ««weighted mean (AP(rel=2), RR, R@1)»» · "
            "««policy empty skip»»"
        )
    ]
    more = replace(rich(), policy=carob.Policy(ties="expected"), errors={"RR": 0.0123}, failed={"P": "no"})
    assert footers([more], MARKED)[0].endswith(
        " · ««mean over a sample of their orders (RR ± 0.012)»» · ««weighted mean (AP(rel=2), RR, R@1)»» · "
        "««policy ties expected»»"
    )
    assert " · ««no value of P»» · " in footers([more], MARKED)[0]
    odd = {"q1": {"a": 0.5, "b": -1}, "q2": {"a": 1}, "q3": {"a": 0}}
    found = carob.evaluate(odd, {"q1": {"x": 1.0}, "q2": {"y": 1.0}}, ["RR", "DCG"], exclude={"q1": ["x"]})
    assert footers([found], MARKED)[0].split(" · ") == [
        "«3 queries»",
        "«1 missing query «counted as 0»»",
        (
            "«2 queries without «grade 1 or more» «counted as 0» (RR)», "
            "«1 query without «a positive gain» «counted as 0» (DCG)»"
        ),
        "««no judged document retrieved»»",
        "«1 query without retrieved documents»",
        "«1 grade between 0 and 1 counted as not relevant (RR)»",
        "«1 document excluded»",
        "«1 negative grade «unjudged»»",
        "««policy trec»»",
    ]


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        ({}, "««profile ranx»» · ««MAP is AP»»"),
        ({"ties": "optimistic"}, "««profile ranx, changed: ties optimistic»» · ««MAP is AP»»"),
    ],
)
def test_a_footer_names_the_profile_and_what_its_names_mean(policy: Any, said: str) -> None:
    found = carob.evaluate(
        SIX, {query: ["a"] for query in SIX}, "MAP", profile="ranx", policy=carob.Policy(**policy)
    )
    assert footers([found], MARKED) == [f"«6 queries» · {said}"]


def lacking(count: int) -> carob.Scores:
    """Scores of a run that lacks so many of the six queries."""
    run = {query: {"x": 2.0, "a": 1.0} for query in [*SIX][count:]}
    return carob.evaluate(SIX, run, "AP", name=f"r{count}")


def test_what_many_different_footers_share_is_said_once() -> None:
    same = [replace(lacking(1), name=f"s{place}") for place in range(2)]
    assert footers([lacking(0), *same], MARKED, equal=False) == [
        "r0: «6 queries» · ««policy trec»»",
        "s0, s1: «6 queries» · «1 missing query «counted as 0»» · ««policy trec»»",
    ]
    five = [lacking(count) for count in range(5)]
    assert footers([*five, *same], MARKED, equal=False) == [
        "«all 7 runs: «6 queries» · ««policy trec»»»",
        "r0: «nothing else»",
        "r1, s0, s1: «1 missing query «counted as 0»»",
        *(f"r{count}: «{count} missing queries «counted as 0»»" for count in range(2, 5)),
    ]
    other = [replace(each, counts=replace(each.counts, extra=3), name=f"t{each.name}") for each in five]
    lines = footers([*five, *other, same[0]], MARKED, equal=False)
    assert len(lines) == 8
    assert lines[-1] == "«and 4 more runs, whose counts differ: see the JSON output»"
    assert footers([lacking(0), *same], MARKED, without=SAME, equal=False) == [
        "s0, s1: «1 missing query «counted as 0»»"
    ]


def test_what_labels_mean_is_said_once_even_of_two_runs() -> None:
    qrels = {query: {"a": 1, "b": 1} for query in SIX}
    runs = [{query: ["a"] for query in [*SIX][count:]} for count in (0, 1)]
    found = [carob.evaluate(qrels, run, ["R@1", "AP"], name=f"r{place}") for place, run in enumerate(runs)]
    assert footers(found, MARKED, equal=False) == [
        "«all 2 runs: «R@1 cannot exceed 0.5000: 6 of 6 queries have more than «1 relevant document»»»",
        "r0: «6 queries» · ««policy trec»»",
        "r1: «6 queries» · «1 missing query «counted as 0»» · ««policy trec»»",
    ]
    ranx = [
        carob.evaluate(qrels, run, "map", profile="ranx", policy=carob.Policy(missing="zero"), name=name)
        for run, name in zip(runs, "xy", strict=True)
    ]
    assert footers(ranx, MARKED, equal=False)[0] == "«all 2 runs: ««map is AP»»»"


@pytest.mark.parametrize(("queries", "said"), [(4, False), (5, True)])
def test_runs_of_several_queries_with_equal_values_are_named(queries: int, said: bool) -> None:
    qrels = {query: SIX[query] for query in [*SIX][:queries]}
    run = {query: {"b": 2.0, "a": 1.0} for query in qrels}
    found = carob.evaluate(qrels, dict.fromkeys("xyz", run), "RR")
    sentence = "«the same value for every query: x = y = z»"
    assert footers([*found.values()], MARKED)[1:] == [sentence] * said
    pairs = [
        replace(found["x"], name=f"e{each}", matrix=found["x"].matrix / (1 + each // 2)) for each in range(18)
    ]
    if said:
        assert footers(pairs, MARKED)[-1].endswith("e10 = e11, e12 = e13 and 2 more»»")


FOUND = {query: ["x", "b", "a"] for query in SIX}
TEN = {query: {f"d{place}": place % 2 for place in range(10)} for query in SIX}
RISING = {query: {name: float(name[1]) for name in its} for query, its in TEN.items()}
ENDLESS = {query: {"a": math.inf, "x": 2.0, "b": 1.0} for query in SIX}
EQUAL = {query: dict.fromkeys("xba", 1.0) for query in SIX}
FEW, THREE = (
    {"q1": {"a": 2}, "q2": {"a": 1}, "q3": {"a": 0}},
    {f"q{place}": ["x", "a"] for place in (1, 2, 3)},
)
HALVES, RATINGS = ({query: {"b": 5, "a": low} for query in SIX} for low in (0.5, 1))
CODES = {**{query: {"a": 1, "b": 0} for query in SIX}, "q1": {"a": 9, "b": 0}}
INPUT, FINITE = {"policy": carob.Policy(ties="input")}, {"policy": carob.Policy(retrieved="finite")}


@pytest.mark.parametrize(
    ("qrels", "run", "measures", "how", "said"),
    [
        (
            SIX,
            FOUND,
            "map@5 map@10 mrr",
            {"profile": "ranx"},
            "profile ranx»» · ««map@k is AP@k»» · ««mrr is RR",
        ),
        (SIX, FOUND, "map@5", {"profile": "ranx"}, "profile ranx»» · ««map@5 is AP@5"),
        (SIX, FOUND, "AP NDCG@10", {}, "policy trec"),
        (SIX, ENDLESS, "Bpref", {}, "6 infinite scores» · "),
        (
            SIX,
            ENDLESS,
            "Bpref",
            FINITE,
            "6 queries» · ««policy retrieved finite",
        ),
        (
            SIX,
            EQUAL,
            "AP",
            INPUT,
            "6 lists with all scores equal, «in the run's own order»» · ««policy ties input",
        ),
        (SIX, FOUND, "AP", {"exclude": {"q9": ["z"]}}, "6 queries» · ««0 documents excluded»» · "),
        (
            SIX,
            FOUND,
            "WSS@0.95 AP",
            {},
            "6 queries» · «6 queries require reading all documents for WSS@0.95» · ",
        ),
        (
            FEW,
            THREE,
            "AP(rel=2) RR(rel=2) DCG",
            {},
            "2 queries without «grade 2 or more» «counted as 0» (AP(rel=2), ",
        ),
        (
            FEW,
            THREE,
            "AP(rel=2) RR(rel=2) DCG",
            {},
            "RR(rel=2))», «1 query without «a positive gain» «counted as 0» (DCG)» ·",
        ),
        (
            HALVES,
            FOUND,
            "AP DCG",
            {},
            "6 queries» · «6 grades between 0 and 1 counted as not relevant (AP)» · ",
        ),
        (HALVES, FOUND, "DCG", {}, "6 queries» · ««policy trec"),
        (
            RATINGS,
            FOUND,
            "AP RR DCG",
            {},
            "6 queries» · «6 grades of 1, the lowest, counted as relevant (AP, RR)» · ",
        ),
        (
            CODES,
            FOUND,
            "AP",
            {},
            "«1 grade far from all other grades, such as a code (9, -9) for documents without a grade» · ",
        ),
        (
            TEN,
            RISING,
            "AP",
            {},
            "6 lists in ascending order of score» · «60 documents retrieved, all of them judged» · ",
        ),
    ],
)
def test_a_footer_tells_what_is_odd(qrels: Any, run: Any, measures: str, how: Any, said: str) -> None:
    assert said in footers([carob.evaluate(qrels, run, measures.split(), **how)], MARKED)[0]


def test_a_footer_leaves_out_what_labels_say_themselves() -> None:
    assert footers([carob.evaluate(SIX, FOUND, ["AP", "NDCG@10"])], MARKED) == [
        "«6 queries» · ««policy trec»»"
    ]


def test_a_footer_names_conventions_that_carob_does_not_know() -> None:
    found = carob.evaluate(SIX, FOUND, "AP")
    for profile, said in (
        ("mine", "«profile mine, policy trec»"),
        ("given", "«values as given, policy unknown»"),
    ):
        assert footers([replace(found, profile=profile)], MARKED) == [f"«6 queries» · «{said}»"]
    distances = carob.Run.of(
        [{"q": query, "d": "a", "distance": 0.5} for query in SIX],
        query="q",
        document="d",
        distance="distance",
    )
    assert "««scores are negated distances»»" in footers([carob.evaluate(SIX, distances, "AP")], MARKED)[0]


def test_facts_count_what_they_are_about() -> None:
    counted = {fact.kind: fact.count for fact in facts_of(rich(by={"q1": ["x"], "q2": ["x", "y"], "q3": []}))}
    assert counted == {
        "queries": 3,
        "groups": 1,
        "missing": 1,
        "extra": 1,
        "empty": 1,
        "tied": 1,
        "cap of R@1": 1,
        "weighted": 1,
        "policy": 1,
    }


def test_equal_weights_are_no_weighted_mean() -> None:
    qrels, run = {"q": {"a": 1}, "p": {"b": 1}}, {"q": {"a": 1.0}, "p": {"a": 2.0, "b": 1.0}}
    assert "weighted" not in carob.evaluate(qrels, run, "AP", weights={"q": 2.0, "p": 2.0}).footer()
    assert "weighted mean (AP)" in carob.evaluate(qrels, run, "AP", weights={"q": 3.0, "p": 1.0}).footer()
