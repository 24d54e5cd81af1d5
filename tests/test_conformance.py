"""One number everywhere: whatever holds the judgments and the run, each query has the same values."""

from __future__ import annotations

import math
import random
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import carob
from arrays import array
from carob import DataError, Policy, Qrels, Run
from carob.tensors import evaluate as evaluate_arrays

if TYPE_CHECKING:
    from collections.abc import Callable

Nested = dict[str, dict[str, float]]
Rows = list[tuple[str, str, float]]

MEASURES = [
    "AP",
    "RR",
    "nDCG",
    "nDCG@3",
    "P@2",
    "R@5",
    "Bpref",
    "NumRet",
    "NumRelRet",
    "Q",
    "infAP",
    "AP(over=retrieved)",
]
POLICIES: list[dict[str, Any]] = [
    {},
    {"ties": "ascending", "scores": "float32"},
    {"ties": "optimistic", "negative": "nonrelevant"},
    {"ties": "pessimistic", "unjudged": "removed", "depth": 3},
    {"judgments": "retrieved", "empty": "one"},
]
CASES = 40
IDS = ["a", "b", "B", "ab", "é", "z", "9", "10", "-1", "ﬀ", "😀", "a b"]
SCORES = [-1.5, 0.0, -0.0, 0.25, 0.25, 1.0, 1.0 + 2**-40, 1e-300, 2.0, math.inf]


def cases(seed: int) -> tuple[Nested, Nested]:
    """Many small cases at once, each with its own queries: ties, unjudged and negative, empty, missing, extra."""
    draw = random.Random(seed)
    qrels: Nested = {}
    run: Nested = {}
    for case in range(CASES):
        for query in draw.sample(["1", "02", "q", "é", "r"], 4):
            name = f"{case}:{query}"
            if draw.random() < 0.85:
                judged = draw.sample(IDS, draw.randint(1, 8))
                grades = [0] if draw.random() < 0.15 else [-2, -1, 0, 0, 1, 1, 2, 4]
                qrels[name] = {each: draw.choice(grades) for each in judged}
            if draw.random() < 0.85:
                retrieved = draw.sample(IDS, draw.randint(1, len(IDS)))
                run[name] = {each: draw.choice(SCORES) for each in retrieved}
    return qrels, run


def rows_of(nested: Nested) -> Rows:
    """One row a document, in no order."""
    rows = [(query, each, value) for query, its in nested.items() for each, value in its.items()]
    random.Random(1).shuffle(rows)
    return rows


def columns(rows: Rows, number: str) -> dict[str, list[Any]]:
    queries, documents, numbers = ([*each] for each in zip(*rows, strict=True))
    return {"query_id": queries, "doc_id": documents, number: numbers}


def needed(*libraries: str) -> None:
    for library in libraries:
        if not find_spec(library):
            pytest.skip(f"needs {library}, which is not installed")


# ---------------------------------------------------------------- carriers


def pandas_frame(given: dict[str, list[Any]], spark: Any) -> Any:
    needed("pandas", "pyarrow")
    import pandas as pd

    return pd.DataFrame(given)


def polars_frame(given: dict[str, list[Any]], spark: Any) -> Any:
    needed("polars")
    import polars as pl

    return pl.DataFrame(given)


def polars_lazy(given: dict[str, list[Any]], spark: Any) -> Any:
    return polars_frame(given, spark).lazy()


def arrow_table(given: dict[str, list[Any]], spark: Any) -> Any:
    needed("pyarrow")
    import pyarrow as pa

    return pa.table(given)


def duckdb_relation(given: dict[str, list[Any]], spark: Any) -> Any:
    needed("duckdb", "pyarrow")
    import duckdb

    return duckdb.from_arrow(arrow_table(given, spark))


def spark_frame(given: dict[str, list[Any]], spark: Any) -> Any:
    return spark().createDataFrame(arrow_table(given, spark))


def extracted(make: Any, where: str = "engine") -> Any:
    """The same frames, their judged rows found by their engine, or in Spark's executors."""

    def made(given: dict[str, list[Any]], spark: Any) -> Any:
        frame = make(given, spark)
        return frame if "relevance" in given else Run.of(frame, extract=where)

    made.__name__ = f"{make.__name__}_by_its_{where}"
    return made


FRAMES = [
    pandas_frame,
    polars_frame,
    polars_lazy,
    arrow_table,
    duckdb_relation,
    extracted(polars_lazy),
    extracted(duckdb_relation),
    spark_frame,
    extracted(spark_frame),
    extracted(spark_frame, "executors"),
]
on_frames = pytest.mark.parametrize("make", FRAMES, ids=lambda make: make.__name__)


def in_text(qrels: Rows, run: Rows) -> tuple[bytes, bytes]:
    """The files, with what separates fields left out of ids."""
    return (
        "".join(f"{query} 0 {each} {int(grade)}\n" for query, each, grade in qrels).encode(),
        "".join(f"{query} Q0 {each} 0 {score!r} t\n" for query, each, score in run).encode(),
    )


@pytest.fixture
def session(request: pytest.FixtureRequest) -> Callable[[], Any]:
    """Spark for who asks for it: no other test waits for its start."""
    return lambda: request.getfixturevalue("spark")


def by_query(scores: carob.Scores) -> dict[str, dict[str, float]]:
    return {label: scores.by_query(label) for label in MEASURES}


def check_same(found: dict[str, dict[str, float]], wanted: dict[str, dict[str, float]]) -> None:
    for label in MEASURES:
        assert found[label].keys() == wanted[label].keys(), label
        for query, value in found[label].items():
            assert value == pytest.approx(wanted[label][query], abs=1e-12, rel=0, nan_ok=True), (label, query)


# ---------------------------------------------------------------- the same values


@pytest.mark.parametrize("axes", POLICIES, ids=str)
def test_files_give_what_dicts_give(axes: dict[str, Any]) -> None:
    policy = Policy(**axes)
    qrels, run = cases(2)
    named = {
        query: {each.replace(" ", "_"): value for each, value in its.items()} for query, its in qrels.items()
    }
    listed = {
        query: {each.replace(" ", "_"): value for each, value in its.items()} for query, its in run.items()
    }
    found = carob.evaluate(*in_text(rows_of(named), rows_of(listed)), MEASURES, policy=policy)
    check_same(by_query(found), by_query(carob.evaluate(named, listed, MEASURES, policy=policy)))


@on_frames
@pytest.mark.parametrize("axes", POLICIES, ids=str)
def test_frames_and_engines_give_what_dicts_give(make: Any, axes: dict[str, Any], session: Any) -> None:
    policy = Policy(**axes)
    qrels, run = cases(1)
    wanted = carob.evaluate(qrels, run, MEASURES, policy=policy)
    frames = (
        make(columns(rows_of(qrels), "relevance"), session),
        make(columns(rows_of(run), "score"), session),
    )
    found = carob.evaluate(*frames, MEASURES, policy=policy)
    check_same(by_query(found), by_query(wanted))
    mine, its = found.counts.as_dict(), wanted.counts.as_dict()
    told = ("queries", "judged", "missing", "extra", "empty", "tied", "duplicates", "malformed", "negative")
    assert {name: mine[name] for name in told} == {name: its[name] for name in told}
    assert found.counts.lines == sum(map(len, run.values()))


@pytest.mark.parametrize("axes", POLICIES, ids=str)
@pytest.mark.parametrize("name", ["numpy", "array_api_strict", "torch", "jax"])
def test_arrays_give_what_dicts_give(name: str, axes: dict[str, Any]) -> None:
    policy = Policy(**{"ties": "trec", **axes})
    qrels, run = cases(1)
    queries = sorted(qrels, key=str.encode)
    width = len(IDS)
    scores, grades = np.zeros((len(queries), width)), np.full((len(queries), width), np.nan)
    mask, judged = np.zeros((len(queries), width), bool), np.full((len(queries), width), np.nan)
    for row, query in enumerate(queries):
        # Documents stand in the order of their ids, so that a place breaks ties as the id does.
        for place, each in enumerate(sorted(run.get(query, {}), key=str.encode)):
            scores[row, place], mask[row, place] = run[query][each], True
            grades[row, place] = qrels[query].get(each, np.nan)
        judged[row, : len(qrels[query])] = list(qrels[query].values())
    values = evaluate_arrays(
        array(name, scores),
        array(name, grades),
        MEASURES,
        mask=array(name, mask, "bool"),
        judged=array(name, judged),
        policy=policy,
        per_query=True,
    )
    found = {label: dict(zip(queries, np.asarray(values[label]).tolist(), strict=True)) for label in MEASURES}
    check_same(found, by_query(carob.evaluate(qrels, run, MEASURES, policy=policy)))


# ---------------------------------------------------------------- a document twice


def repeated(seed: int) -> tuple[Rows, Rows]:
    qrels, run = cases(seed)
    rows = [(query, each.replace(" ", "_"), score) for query, each, score in rows_of(run)]
    draw = random.Random(seed)
    again = [(query, each, draw.choice(SCORES)) for query, each, _ in draw.sample(rows, 60)]
    return [(query, each.replace(" ", "_"), grade) for query, each, grade in rows_of(qrels)], rows + again


@on_frames
def test_a_document_twice_is_refused_everywhere(make: Any, session: Any) -> None:
    qrels, run = repeated(3)
    with pytest.raises(DataError, match="is listed twice for query"):
        carob.evaluate(*in_text(qrels, run), MEASURES)
    with pytest.raises(DataError, match="is listed twice for query"):
        carob.evaluate(
            make(columns(qrels, "relevance"), session), make(columns(run, "score"), session), MEASURES
        )


@on_frames
def test_of_a_document_that_stands_twice_the_highest_score_counts_alike(make: Any, session: Any) -> None:
    qrels, run = repeated(4)
    policy = Policy(duplicates="max")
    wanted = carob.evaluate(*in_text(qrels, run), MEASURES, policy=policy)
    found = carob.evaluate(
        make(columns(qrels, "relevance"), session),
        make(columns(run, "score"), session),
        MEASURES,
        policy=policy,
    )
    check_same(by_query(found), by_query(wanted))
    assert found.counts.duplicates == wanted.counts.duplicates > 0


@on_frames
def test_whole_numbers_as_ids_meet_text(make: Any, session: Any) -> None:
    draw = random.Random(5)
    run = {
        str(query): {str(each): float(draw.randint(0, 3)) for each in draw.sample(range(-3, 120), 15)}
        for query in range(30)
    }
    qrels = {
        query: {each: draw.choice([0, 1, 2]) for each in draw.sample(sorted(its), 8)}
        for query, its in run.items()
    }
    given = columns(rows_of(run), "score")
    numbered = {**given, "query_id": [*map(int, given["query_id"])], "doc_id": [*map(int, given["doc_id"])]}
    found = carob.evaluate(Qrels.of(qrels), make(numbered, session), MEASURES)
    check_same(by_query(found), by_query(carob.evaluate(qrels, run, MEASURES)))
