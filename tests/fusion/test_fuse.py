"""Fused runs: the order of runs and lines, files, the derivation, and input that cannot be fused."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import carob
from carob.fusion.methods import METHODS
from fusion.runs import BM25, ONE, RUNS, of_q1, scores
from strategies import examples

if TYPE_CHECKING:
    from pathlib import Path

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
    with pytest.raises(carob.DataError, match=r"carob cannot write runs as \.h5 files"):
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
    ({"a": ONE}, {}, "a is the only run, so there is nothing to fuse it with"),
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
        "The id '#q' cannot be written to a text file",
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
    (RUNS, {"method": "max", "weights": [1, 2]}, "max does not support weights"),
    (RUNS, {"method": "sum(k=60)"}, "sum has no parameter 'k': it has none"),
    (RUNS, {"method": "rrf(k=-1)"}, "k=-1: use 0 or a positive, finite number"),
    (RUNS, {"method": "rrf(k=0,first=0)"}, "k=0 cannot be used with ranks that start at 0"),
    (RUNS, {"method": "rbc(phi=1)"}, "phi=1: use a number between 0 and 1"),
    (RUNS, {"method": "sum", "bounds": {"x": (0, 1)}}, "There is a bound for run x"),
    (RUNS, {"method": "sum", "bounds": {"bm25": (1, 0)}}, "write the lower bound first"),
    (
        RUNS,
        {"method": "sum", "norm": "l2", "bounds": {"bm25": (0, 1)}},
        "bounds can only be used with the normalisation min-max",
    ),
    (RUNS, {"profile": "quadrant"}, "There is no fusion profile 'quadrant'. Did you mean qdrant"),
    (
        RUNS,
        {"profile": "chroma", "method": "sum"},
        "The profile chroma does not support the method 'sum'. Its methods are rrf",
    ),
    (RUNS, {"method": "rrf(k)"}, "'k' in rrf(k) is not a valid setting"),
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
