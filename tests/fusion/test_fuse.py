"""Fused runs: values of engines and of ranx, the order of runs and lines, and input that cannot be fused."""

from __future__ import annotations

import itertools
import json
import math
import os
import re
import subprocess
import sys
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import carob
from carob.fusion.methods import METHODS, NORMALISATIONS
from carob.fusion.profiles import known_profiles
from strategies import examples

if TYPE_CHECKING:
    from pathlib import Path

BM25 = {"q1": {"a": 9.0, "b": 6.0, "c": 3.0}, "q2": {"x": 2.0, "y": 1.0}}
DENSE = {"q1": {"b": 0.9, "d": 0.5, "a": 0.4}, "q2": {"z": 0.7}}
RUNS = {"bm25": BM25, "dense": DENSE}
BY_SCORE = [name for name, method in METHODS.items() if not method.by_rank]


def scores(fused: carob.FusedRun) -> dict[str, dict[str, float]]:
    """The scores of a fused run, in the order of its lines."""
    found: dict[str, dict[str, float]] = {}
    for line in fused.text.decode().splitlines():
        query, _, document, rank, score, _ = line.split()
        found.setdefault(query, {})[document] = float(score)
        assert int(rank) == len(found[query])
    return found


def of_q1(runs: Any = RUNS, method: str = "rrf", norm: str | None = None, **options: Any) -> dict[str, float]:
    return scores(carob.fuse(runs, method, norm, **options))["q1"]


HAND: dict[str, tuple[dict[str, Any], dict[str, float]]] = {
    "rrf": ({}, {"b": 1 / 62 + 1 / 61, "a": 1 / 61 + 1 / 63, "d": 1 / 62, "c": 1 / 63}),
    "rrf, weights": (
        {"weights": [2, 1]},
        {"a": 2 / 61 + 1 / 63, "b": 2 / 62 + 1 / 61, "c": 2 / 63, "d": 1 / 62},
    ),
    "isr": ({}, {"b": 2 * 1.25, "a": 2 * (1 + 1 / 9), "d": 0.25, "c": 1 / 9}),
    "log_isr": ({}, {"b": math.log(2) * 1.25, "a": math.log(2) * (1 + 1 / 9), "d": 0, "c": 0}),
    "logn_isr(sigma=1)": (
        {},
        {"b": math.log(3) * 1.25, "a": math.log(3) * 10 / 9, "d": math.log(2) / 4, "c": math.log(2) / 9},
    ),
    "rbc(phi=0.5)": ({}, {"b": 0.25 + 0.5, "a": 0.5 + 0.125, "d": 0.25, "c": 0.125}),
    # Four candidates: 4, 3 and 2 points, and 1 for the one that is absent.
    "borda": ({}, {"b": 3 + 4, "a": 4 + 2, "d": 1 + 3, "c": 2 + 1}),
    # b defeats c and d, and a defeats c. The lists disagree about a and b, a and d, and c and d.
    "copeland": ({}, {"b": 2, "a": 1, "d": -1, "c": -2}),
    "sum": ({"norm": "none"}, {"a": 9.4, "b": 6.9, "c": 3.0, "d": 0.5}),
    "sum, min-max": ({}, {"b": 0.5 + 1, "a": 1.0, "d": (0.5 - 0.4) / 0.5, "c": 0}),
    "sum, weights": ({"weights": {"dense": 3, "bm25": 1}}, {"b": 3.5, "a": 1.0, "d": 0.6, "c": 0}),
    "mnz": ({}, {"b": 3.0, "a": 2.0, "d": 0.2, "c": 0}),
    "mnz, weights": ({"weights": [1, 3]}, {"b": 6.0, "a": 4.0, "d": 0.6, "c": 0}),
    "anz": ({}, {"b": 0.75, "a": 0.5, "d": 0.2, "c": 0}),
    "gmnz(gamma=2)": ({}, {"b": 6.0, "a": 4.0, "d": 0.2, "c": 0}),
    "max": ({}, {"b": 1, "a": 1, "d": 0.2, "c": 0}),
    "min": ({}, {"b": 0.5, "d": 0.2, "c": 0, "a": 0}),
    "med": ({}, {"b": 0.75, "a": 0.5, "d": 0.2, "c": 0}),
    "mean": ({"absent": "zero", "weights": [1, 3]}, {"b": 0.875, "a": 0.25, "d": 0.15, "c": 0}),
    "mixed": ({"weights": [1, 2]}, {"b": 2.5 * math.sqrt(2), "a": math.sqrt(2), "d": 0.4, "c": 0}),
}


@pytest.mark.parametrize("case", HAND)
def test_each_method_has_the_value_of_its_formula(case: str) -> None:
    options, wanted = HAND[case]
    found = of_q1(method=case.partition(",")[0], **options)
    assert found == pytest.approx(wanted, abs=1e-15)
    assert list(found.values()) == sorted(found.values(), reverse=True)


def test_every_method_has_a_case() -> None:
    assert {re.split(r"[,(]", case)[0] for case in HAND} == METHODS.keys()


SPREAD = math.sqrt(((0.9 - 0.6) ** 2 + 0.1**2 + 0.2**2) / 3)
NORMS = {
    "none": {"b": 0.9, "d": 0.5, "a": 0.4},
    "min-max": {"b": 1, "d": 0.2, "a": 0},
    "max": {"b": 1, "d": 5 / 9, "a": 4 / 9},
    "sum": {"b": 0.5 / 0.6, "d": 0.1 / 0.6, "a": 0},
    "z-score": {"b": 0.3 / SPREAD, "d": -0.1 / SPREAD, "a": -0.2 / SPREAD},
    "l2": {each: value / math.sqrt(0.81 + 0.25 + 0.16) for each, value in DENSE["q1"].items()},
    "dbsf": {
        "b": 0.5 + 0.3 / (6 * SPREAD),
        "d": 0.5 - 0.1 / (6 * SPREAD),
        "a": 0.5 - 0.2 / (6 * SPREAD),
    },
    "rank": {"b": 1, "d": 2 / 3, "a": 1 / 3},
    "borda": {"b": 1, "d": 3 / 4, "a": 2 / 4},
}


@pytest.mark.parametrize("norm", NORMS)
def test_each_normalisation_has_the_value_of_its_formula(norm: str) -> None:
    for document, wanted in NORMS[norm].items():
        found = carob.fuse(RUNS, "sum", norm).explain("q1", document).shares[1]
        assert found.points == pytest.approx(wanted, abs=1e-12)
    assert NORMS.keys() == set(NORMALISATIONS)


def test_borda_shares_what_is_left_among_absent_documents() -> None:
    found = carob.fuse(RUNS, "sum", "borda").explain("q1", "c")
    assert found.shares[1].points == 0.5 - 2 / 8
    assert found.shares[1].rank is None


def test_theoretical_bounds_replace_the_observed_ones() -> None:
    found = carob.fuse(RUNS, "sum", bounds={"dense": (-1, 1), "bm25": (0, None)})
    assert found.explain("q1", "d").shares[1].points == 0.75
    assert found.explain("q1", "c").shares[0].points == 3 / 9
    with pytest.raises(carob.DataError, match=r"dense has the score 0\.9, which is outside the bounds"):
        carob.fuse(RUNS, "sum", bounds={"dense": (0, 0.5)})


@pytest.mark.parametrize(("rule", "points"), [("0", 0.0), ("0.5", 0.5), ("1", 1.0), ("sign", 1.0)])
@pytest.mark.parametrize("norm", ["min-max", "dbsf", "sum"])
def test_equal_scores_have_the_points_of_the_rule(rule: str, points: float, norm: str) -> None:
    found = carob.fuse(RUNS, "sum", f"{norm}(equal={rule})")
    assert found.explain("q2", "z").shares[1].points == points
    assert carob.fuse(RUNS, "sum", "z-score").explain("q2", "z").shares[1].points == 0


def test_the_deviation_divides_by_n_or_by_one_less() -> None:
    both = [
        carob.fuse(RUNS, "sum", f"z-score(deviation={each})").explain("q1", "b").shares[1].points
        for each in ("population", "sample")
    ]
    assert both[0] == pytest.approx(both[1] * math.sqrt(3 / 2))  # type: ignore[operator]


def test_absent_documents_count_by_the_rule() -> None:
    assert of_q1(method="min", absent="zero") == {"b": 0.5, "d": 0.0, "c": 0.0, "a": 0.0}
    found = of_q1(method="sum", norm="none", absent="lowest")
    assert found == {"a": 9.4, "b": 6.9, "d": 3.5, "c": 3.4}


ONE = {"q1": {"a": 3.0, "b": 2.0}}
OTHER = {"q1": {"b": 5.0}}
ENGINES: dict[str, tuple[str, dict[str, float]]] = {
    # Documentation of Elasticsearch, OpenSearch, Milvus, Azure and Vespa: 1 / (60 + rank), ranks from 1.
    "elasticsearch": ("rrf", {"b": 1 / 62 + 1 / 61, "a": 1 / 61}),
    "opensearch": ("rrf", {"b": 1 / 62 + 1 / 61, "a": 1 / 61}),
    "milvus": ("rrf", {"b": 1 / 62 + 1 / 61, "a": 1 / 61}),
    "azure": ("rrf", {"b": 1 / 62 + 1 / 61, "a": 1 / 61}),
    "vespa": ("rrf", {"b": 1 / 62 + 1 / 61, "a": 1 / 61}),
    "pyserini": ("rrf", {"b": 1 / 62 + 1 / 61, "a": 1 / 61}),
    "anserini": ("rrf", {"b": 1 / 62 + 1 / 61, "a": 1 / 61}),
    "ranx": ("rrf", {"b": 1 / 62 + 1 / 61, "a": 1 / 61}),
    # Documentation of Chroma: A has 1 / (60 + 0), ranks from 0. Weaviate and LlamaIndex likewise.
    "chroma": ("rrf", {"b": 1 / 61 + 1 / 60, "a": 1 / 60}),
    "weaviate": ("rrf", {"b": 1 / 61 + 1 / 60, "a": 1 / 60}),
    "llamaindex": ("rrf", {"b": 1 / 61 + 1 / 60, "a": 1 / 60}),
    # Qdrant: 1 / (position / weight + k - 1), positions from 1, k = 2.
    "qdrant": ("rrf", {"b": 1 / 3 + 1 / 2, "a": 1 / 2}),
    # Haystack: the first document of both lists would have 1. LangChain: weights 1 / 2.
    "haystack": ("rrf", {"b": (61 / 62 + 1) / 2, "a": 1 / 2}),
    "langchain": ("rrf", {"b": (1 / 62 + 1 / 61) / 2, "a": 1 / 61 / 2}),
}


@pytest.mark.parametrize("engine", ENGINES)
def test_rrf_of_each_engine(engine: str) -> None:
    method, wanted = ENGINES[engine]
    assert of_q1([ONE, OTHER], method, profile=engine) == pytest.approx(wanted, rel=1e-7)


def test_every_profile_has_a_case_and_its_settings_are_known() -> None:
    assert ENGINES.keys() == known_profiles().keys()
    for name, profile in known_profiles().items():
        for method in profile.methods:
            carob.fuse([ONE, OTHER], method, profile=name)


SCORED: dict[tuple[str, str], dict[str, float]] = {
    # A list with one document: 0 (ranx), 1 (Weaviate, OpenSearch), a half (Qdrant, Vespa).
    ("ranx", "sum"): {"a": 1.0, "b": 0.0},
    ("weaviate", "sum"): {"b": 1.0, "a": 1.0},
    ("vespa", "sum"): {"a": 1.0, "b": 0.5},
    ("llamaindex", "sum"): {"b": 0.5, "a": 0.5},
    # OpenSearch: 0 becomes 0.001, and the mean is over both lists.
    ("opensearch", "mean"): {"b": (0.001 + 1) / 2, "a": 0.5},
    # Qdrant: mean 2.5, deviation sqrt(0.5) over n - 1, so 0.5 / (6 * 0.7071) from the middle.
    ("qdrant", "sum"): {"b": 0.5 - 0.5 / (6 * math.sqrt(0.5)) + 0.5, "a": 0.5 + 0.5 / (6 * math.sqrt(0.5))},
    # Haystack: the higher of both, deviation 0.5 over n.
    ("haystack", "max"): {"a": 0.5 + 0.5 / 3, "b": 0.5 - 0.5 / 3},
    ("milvus", "sum"): {"b": 7.0, "a": 3.0},
}


@pytest.mark.parametrize(("engine", "method"), SCORED)
def test_fusion_by_score_of_each_engine(engine: str, method: str) -> None:
    assert of_q1([ONE, OTHER], method, profile=engine) == pytest.approx(SCORED[engine, method], rel=1e-6)


def test_a_weight_divides_the_position_in_qdrant() -> None:
    found = of_q1([ONE, OTHER], profile="qdrant", weights=[3, 1])
    assert found == pytest.approx({"b": 1 / (2 / 3 + 1) + 1 / 2, "a": 1 / (1 / 3 + 1)}, rel=1e-7)


LISTS = st.dictionaries(
    st.sampled_from("abcdefgh"), st.integers(-20, 20).map(lambda each: each / 7), min_size=1
)
SEVERAL = st.lists(st.fixed_dictionaries({"q1": LISTS, "q2": LISTS}), min_size=2, max_size=4)


@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    SEVERAL,
    st.sampled_from(sorted(METHODS)),
    st.sampled_from(["min-max", "z-score", "borda", "none"]),
    st.randoms(),
)
def test_neither_the_order_of_runs_nor_of_lines_changes_a_byte(
    runs: list[Any], method: str, norm: str, random: Any
) -> None:
    norms = None if METHODS[method].by_rank else norm
    wanted = carob.fuse(dict(enumerate(runs)), method, norms).text
    mixed = list(enumerate(runs))
    random.shuffle(mixed)
    shuffled: dict[int, Any] = {}
    for name, run in mixed:
        queries = list(run.items())
        random.shuffle(queries)
        shuffled[name] = {query: dict(random.sample(list(its.items()), len(its))) for query, its in queries}
    assert carob.fuse(shuffled, method, norms).text == wanted


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(st.lists(st.floats(-1e30, 1e30), min_size=3, max_size=3), min_size=3, max_size=6))
def test_sums_are_rounded_once(rows: list[list[float]]) -> None:
    runs = [{"q1": dict(zip("abc", row, strict=True))} for row in rows]
    found = of_q1(runs, "sum", "none")
    assert [found[name] for name in "abc"] == [
        float(sum(map(Fraction, column))) for column in zip(*rows, strict=True)
    ]


def test_sums_of_reciprocal_ranks_do_not_depend_on_the_order() -> None:
    dice = np.random.default_rng(2)
    lists = [[f"d{each}" for each in dice.permutation(300)] for _ in range(3)]
    orders = list(itertools.permutations(lists))

    def found(profile: str | None) -> list[bytes]:
        return [carob.fuse([{"q1": each} for each in order], profile=profile).text for order in orders]

    assert len(set(found(None))) == 1 < len(set(found("ranx")))


def test_ties_are_ordered_by_id_as_everywhere() -> None:
    runs = [{"q1": {"a": 2.0}}, {"q1": {"b": 2.0, "c": 1.0}}, {"q1": {"long-name-0001": 1.0}}]
    assert list(of_q1(runs)) == ["long-name-0001", "b", "a", "c"]
    up = carob.fuse(runs, policy=carob.Policy(ties="ascending"))
    assert list(scores(up)["q1"]) == ["a", "b", "long-name-0001", "c"]
    assert list(of_q1(runs, depth=2)) == ["long-name-0001", "b"]
    for fused in (carob.fuse(runs, depth=1), up):
        places = {name: fused.explain("q1", name).rank for name in ("a", "b", "c", "long-name-0001")}
        reading = carob.fuse(runs, policy=fused.made.policy)
        assert sorted(places, key=places.__getitem__) == list(scores(reading)["q1"])


def test_scores_read_back_as_the_same_numbers(tmp_path: Path) -> None:
    fused = carob.fuse(RUNS)
    fused.save(tmp_path / "fused.run")
    qrels = {"q1": {"b": 1}, "q2": {"y": 1}}
    assert (
        carob.evaluate(qrels, tmp_path / "fused.run", "RR")["RR"]
        == (carob.evaluate(qrels, fused, "RR")["RR"])
    )
    assert (tmp_path / "fused.run").read_bytes() == fused.text


@pytest.mark.parametrize("ending", ["run.gz", "csv", "tsv", "json", "jsonl", "parquet", "arrow"])
def test_the_ending_of_its_file_is_its_format(ending: str, tmp_path: Path) -> None:
    if ending not in ("run.gz", "tsv", "json"):
        pytest.importorskip("polars", reason="reads the tables")
    fused, path = carob.fuse(RUNS), tmp_path / f"fused.{ending}"
    fused.save(path)
    qrels = {"q1": {"b": 1}, "q2": {"y": 1}}
    assert carob.evaluate(qrels, path, "RR")["RR"] == carob.evaluate(qrels, fused, "RR")["RR"]
    with pytest.raises(carob.DataError, match=r"carob does not write runs as \.h5 files"):
        fused.save(tmp_path / "fused.h5")


def test_ids_with_blanks_and_other_letters_are_kept() -> None:
    runs = [{"q 1": {"Käse 1": 2.0, "b": 1.0}}, {"q 1": {"b": 1.0}}]
    fused = carob.fuse(runs, name="größer")
    assert "q 1\tQ0\tKäse 1\t2\t0.01639344262295082\tgrößer" in fused.text.decode()
    assert carob.evaluate({"q 1": {"Käse 1": 1}}, fused, "RR")["RR"] == 0.5


def test_the_derivation_names_every_list() -> None:
    found = carob.fuse(RUNS, weights=[1, 2]).explain("q1", "d")
    assert [(each.run, each.rank, each.score, each.weight) for each in found.shares] == [
        ("bm25", None, None, 1.0),
        ("dense", 2, 0.5, 2.0),
    ]
    assert (found.rank, found.score) == (3, 2 / 62)
    assert "rrf(k=60, first=1), weights 1, 2: Σ w / (k + rank)." in str(found)
    for query, document, message in (
        ("q9", "a", "No run has query 'q9'"),
        ("q1", "z", "No run retrieves document 'z'"),
    ):
        with pytest.raises(carob.DataError, match=message):
            carob.fuse(RUNS).explain(query, document)


BAD: list[tuple[Any, dict[str, Any], str]] = [
    (
        {"a": {"q1": {"x": 1.0}}, "b": {"q2": {"x": 1.0}}},
        {},
        "No two of the runs have a query in common: a has query 'q1'",
    ),
    ({"a": ONE}, {}, "There is one run, a, and nothing to fuse it with"),
    ({"a": ONE, "b": {"q1": {"x": math.nan}}}, {}, "NaN"),
    (
        {"a": ONE, "b": {"q1": {"x": math.inf, "y": 1.0}}},
        {"method": "sum"},
        "Run b, query 'q1': a score is inf",
    ),
    (
        {"a": ONE, "b": {"q1": {"x": 1.5e308, "y": 1.0}}},
        {"method": "sum", "norm": "z-score"},
        "Run b, query 'q1': a score is 1.5e+308",
    ),
    ({"a": ONE, "b": {}}, {}, "Run b contains no documents"),
    (
        {"a": {"#q": {"x": 1.0}}, "b": {"#q": {"x": 1.0}}},
        {},
        "The id '#q' cannot be written in lines of text",
    ),
    (
        {"a": ONE, "b": {"q1": {"x": -1.5, "y": -2.5}}},
        {"method": "sum", "norm": "max"},
        "would turn the list upside down",
    ),
    (RUNS, {"method": "condorcet"}, "Use copeland"),
    (RUNS, {"method": "rff"}, "Did you mean"),
    (RUNS, {"norm": "min-max"}, "rrf reads ranks only"),
    (RUNS, {"method": "sum", "norm": "minmax"}, "There is no normalisation='minmax'"),
    (RUNS, {"weights": [1]}, "1 weights for 2 runs"),
    (RUNS, {"weights": [1, -1]}, "A weight is -1"),
    (RUNS, {"weights": [0, 0]}, "All weights are 0"),
    (RUNS, {"weights": {"bm25": 1}}, "There is no weight for run dense"),
    (
        RUNS,
        {"weights": {"bm25": 1, "dens": 1}},
        "There is a weight for run dens, but the runs are: bm25, dense",
    ),
    (RUNS, {"method": "max", "weights": [1, 2]}, "max takes no weights"),
    (RUNS, {"method": "sum(k=60)"}, "sum has no parameter 'k': it has none"),
    (RUNS, {"method": "rrf(k=-1)"}, "k=-1: use 0 or a positive, finite number"),
    (RUNS, {"method": "rrf(k=0,first=0)"}, "k=0 needs ranks from 1"),
    (RUNS, {"method": "rbc(phi=1)"}, "phi=1: use a number between 0 and 1"),
    (RUNS, {"method": "sum", "bounds": {"x": (0, 1)}}, "There is a bound for run x"),
    (RUNS, {"method": "sum", "bounds": {"bm25": (1, 0)}}, "write the lower one first"),
    (
        RUNS,
        {"method": "sum", "norm": "l2", "bounds": {"bm25": (0, 1)}},
        "bounds belong to the normalisation min-max",
    ),
    (RUNS, {"profile": "quadrant"}, "There is no fusion profile 'quadrant'. Did you mean qdrant"),
    (RUNS, {"profile": "chroma", "method": "sum"}, "The profile chroma has no method 'sum': it has rrf"),
    (RUNS, {"method": "rrf(k)"}, "'k' in rrf(k) is not a setting"),
    (RUNS, {"method": "rrf(k=x)"}, "'x' is not a number"),
    (RUNS, {"method": "rrf("}, "must be a name, or a name with settings"),
    (RUNS, {"method": "rrf(first=2)"}, "first=2: use 0 or 1"),
    (
        RUNS,
        {"method": "sum", "norm": "l2(equal=1)"},
        "The normalisation l2 has no setting 'equal': it has none",
    ),
    (RUNS, {"method": "sum", "norm": "min-max(equal=2)"}, "There is no equal='2'"),
    (RUNS, {"absent": "none"}, "There is no absent='none'"),
    (RUNS, {"policy": carob.Policy(ties="expected")}, "Fusion needs a fixed order of documents"),
    (
        RUNS,
        {"method": "gmnz(gamma=2000)"},
        "With gmnz(gamma=2000), min-max, the fused score of at least one document exceeds",
    ),
    (
        [*RUNS.values(), BM25],
        {"method": "sum", "weights": [1e308, 1e308, 1e308]},
        "the fused score of at least one document exceeds the largest floating-point number. Choose smaller weights",
    ),
    (RUNS, {"depth": 0}, "depth=0: use a whole number of at least 1"),
    ({"a": ONE, "b": {"q1": {"x\ty": 1.0}}}, {}, "contains a tab or the end of a line"),
]


@pytest.mark.parametrize(("runs", "options", "message"), BAD)
def test_what_cannot_be_fused_is_refused_by_one_sentence(
    runs: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(carob.CarobError, match=r".") as caught:
        carob.fuse(runs, **options)
    assert message in str(caught.value)


def test_a_document_twice_in_a_list_is_refused_or_kept_by_the_policy() -> None:
    twice = b"q1 Q0 a 1 3 t\nq1 Q0 a 2 2 t\nq1 Q0 b 3 1 t\n"
    with pytest.raises(carob.DataError, match="document 'a' is listed twice for query 'q1'"):
        carob.fuse({"one": twice, "two": OTHER})
    assert of_q1({"one": twice, "two": OTHER}, policy=carob.Policy(duplicates="first"))["a"] == 1 / 61


def test_doubts_about_lists_are_warnings() -> None:
    with pytest.warns(carob.DataWarning, match="Run b has no documents for 1 of 2 queries, such as 'q2'"):
        assert "q2 Q0 x 1" in carob.fuse({"a": BM25, "b": OTHER}).text.decode()
    negative = {"q1": {"x": 2.0, "y": -1.0}}
    with pytest.warns(carob.DataWarning, match="Run b has negative scores in 1 of 1 lists"):
        carob.fuse({"a": ONE, "b": negative}, "sum", "max")


def test_ranks_without_scores_are_fused_by_rank_only() -> None:
    pytest.importorskip("pandas", reason="needs pandas, which is not installed")
    pytest.importorskip("narwhals", reason="needs narwhals, which is not installed")
    import pandas as pd

    ranks = pd.DataFrame({"query": ["q1", "q1"], "document": ["b", "a"], "rank": [1, 2]})
    assert of_q1({"one": ONE, "two": ranks}) == {"b": 1 / 62 + 1 / 61, "a": 1 / 61 + 1 / 62}
    with pytest.raises(carob.DataError, match="sum adds up scores, but run two has only ranks"):
        carob.fuse({"one": ONE, "two": ranks}, "sum")


@pytest.mark.parametrize("form", ["dict", "json", "rows", "golden", "npy", "column"])
def test_lists_of_ids_have_no_scores_to_add_up(form: str, tmp_path: Path) -> None:
    """Their scores, minus the ranks, are carob's own."""
    lists = {"1": ["7", "8"], "2": ["9"]}
    rows = [{"query": query, "retrieved_ids": ids} for query, ids in lists.items()]
    given: Any = {"dict": lists, "rows": rows}.get(form)
    if form in ("json", "golden"):
        given = tmp_path / "lists.json"
        given.write_text(json.dumps(lists if form == "json" else rows))
    if form == "npy":
        given = tmp_path / "lists.npy"
        np.save(given, np.array([[7, 8], [9, -1]]))
    if form == "column":
        given = pytest.importorskip("pandas", reason="needs pandas, which is not installed").DataFrame(rows)
    other = {"1": {"8": 0.5}, "2": {"9": 0.2}}
    assert "1 Q0 8 1" in carob.fuse({"one": given, "two": other}).text.decode()
    with pytest.raises(carob.DataError, match="sum adds up scores, but run one has only ranks"):
        carob.fuse({"one": given, "two": other}, "sum")
    scored = {"1": {"7": -1.5, "8": -2.0}, "2": {"9": -1.0}}
    assert carob.fuse({"one": scored, "two": other}, "sum").text


@pytest.mark.parametrize(
    "form", ["dict", "json", "text", "run", "frame", "rows", "array", "nested", "nested frame"]
)
def test_scores_of_minus_one_minus_two_are_scores_where_they_were_passed(form: str, tmp_path: Path) -> None:
    """They are refused only where carob made them of lists of ids, and the refusal says how scores are passed."""
    ranked = {"1": {"7": -1.0, "8": -2.0, "6": -3.0}}
    given: Any = ranked
    if form == "json":
        given = tmp_path / "scores.json"
        given.write_text(json.dumps(ranked))
    if form == "text":
        given = b"1 Q0 7 1 -1 t\n1 Q0 8 2 -2 t\n1 Q0 6 3 -3 t\n"
    if form == "run":
        given = carob.Run.of(ranked, exclude={"1": ["5"]})
    if form in ("rows", "array"):
        given = [{"query": "1", "document": its, "score": score} for its, score in ranked["1"].items()]
    if form.startswith("nested"):
        given = [{"query": "1", "hits": [{"id": its, "score": score} for its, score in ranked["1"].items()]}]
    if form in ("array", "nested"):
        (tmp_path / "array.json").write_text(json.dumps(given))
        given = tmp_path / "array.json"
    if form == "nested frame":
        given = pytest.importorskip("pandas", reason="needs pandas, which is not installed").DataFrame(given)
    if form == "frame":
        rows = {"query": ["1"] * 3, "document": ["7", "8", "6"], "score": [-1.0, -2.0, -3.0]}
        given = pytest.importorskip("pandas", reason="needs pandas, which is not installed").DataFrame(rows)
    other = {"1": {"8": 2.0, "9": 1.0}}
    assert scores(carob.fuse({"one": given, "two": other}, "sum"))["1"] == {
        "8": 1.5,
        "7": 1.0,
        "9": 0.0,
        "6": 0.0,
    }
    with pytest.raises(carob.DataError, match="Scores that are -1, -2, -3 … in each list are read from"):
        carob.fuse({"one": {"1": ["7", "8", "6"]}, "two": other}, "sum")


def test_pyserini_reads_the_rank_column() -> None:
    odd = b"q1 Q0 a 2 3 t\nq1 Q0 b 1 2 t\n"
    assert of_q1({"one": odd, "two": OTHER}, profile="pyserini") == {"b": 2 / 61, "a": 1 / 62}
    assert of_q1({"one": odd, "two": OTHER}) == {"b": 1 / 62 + 1 / 61, "a": 1 / 61}


RANX = {
    "rrf": ("rrf", {"k": 60}, {}),
    "isr": ("isr", {}, {}),
    "log_isr": ("log_isr", {}, {}),
    "logn_isr(sigma=0.01)": ("logn_isr", {"sigma": 0.01}, {}),
    "rbc(phi=0.8)": ("rbc", {"phi": 0.8}, {}),
    "borda": ("bordafuse", {}, {}),
    "borda, weights": ("w_bordafuse", {"weights": [0.3, 0.5, 0.2]}, {"weights": [0.3, 0.5, 0.2]}),
    "sum": ("sum", {}, {}),
    "sum, weights": ("wsum", {"weights": [0.3, 0.5, 0.2]}, {"weights": [0.3, 0.5, 0.2]}),
    "mnz": ("mnz", {}, {}),
    "mnz, weights": ("wmnz", {"weights": [0.3, 0.5, 0.2]}, {"weights": [0.3, 0.5, 0.2]}),
    "anz": ("anz", {}, {}),
    "gmnz(gamma=0.5)": ("gmnz", {"gamma": 0.5}, {}),
    "max": ("max", {}, {}),
    "min": ("min", {}, {}),
    "med": ("med", {}, {}),
    "mixed": ("mixed", {"weights": [0.3, 0.5, 0.2]}, {"weights": [0.3, 0.5, 0.2]}),
}
RANX_NORMS = {
    "min-max": "min-max",
    "max": "max",
    "sum": "sum",
    "z-score": "zmuv",
    "rank": "rank",
    "borda": "borda",
    "none": None,
}


def drawn(seed: int) -> list[dict[str, dict[str, float]]]:
    """Runs without equal scores in a list, which ranx orders as its sort leaves them."""
    random = np.random.default_rng(seed)
    return [
        {
            f"q{query}": {
                f"d{each:02d}": float(score)
                for each, score in zip(
                    random.choice(30, int(random.integers(5, 20)), replace=False),
                    np.sort(random.gamma(2.0, 3.0, 20))[::-1],
                    strict=False,
                )
            }
            for query in range(4)
        }
        for _ in range(3)
    ]


IN_RANX = """
import json, sys
import ranx
runs, cases = json.load(sys.stdin)
for norm, method, parameters in cases:
    fused = ranx.fuse([ranx.Run(each) for each in runs], norm=norm, method=method, params=parameters)
    print(json.dumps(fused.to_dict()), flush=True)
"""
"""ranx runs in a process of its own, on one thread, where its compiled code cannot harm the tests."""


@pytest.mark.long
def test_values_by_the_profile_ranx_are_those_of_ranx() -> None:
    pytest.importorskip("ranx", reason="needs ranx, which is not installed")
    runs = drawn(5)
    cases = [
        (case, norm)
        for case in RANX
        for norm in RANX_NORMS
        if norm == "none" or not METHODS[re.split(r"[,(]", case)[0]].by_rank
    ]
    asked = json.dumps([runs, [[RANX_NORMS[norm], *RANX[case][:2]] for case, norm in cases]])
    done = subprocess.run(
        [sys.executable, "-c", IN_RANX],
        input=asked,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "NUMBA_NUM_THREADS": "1"},
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    for (case, norm), wanted in zip(cases, lines, strict=True):
        method = case.partition(",")[0]
        norms = None if METHODS[method.partition("(")[0]].by_rank else norm
        found = scores(carob.fuse(runs, method, norms, profile="ranx", **RANX[case][2]))
        assert found.keys() == wanted.keys(), case
        for query, its in wanted.items():
            assert found[query] == pytest.approx(its, rel=1e-12, abs=1e-13), (case, norm)
            if method == "rrf":
                assert found[query] == its
