"""Profiles: the numbers that real tools give on one fixture, and how a profile reads names."""

from __future__ import annotations

import inspect
import math
import re
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import carob
import carob.tensors
from carob import DataError, MeasureError, Policy, PolicyError
from carob.adapters.objects import calc_aggregate, iter_calc
from carob.cli import main
from carob.conventions.profiles import every_profile, profile_named
from carob.measures import REGISTER, Measure

PROFILES = every_profile()

# ---------------------------------------------------------------- the golden fixture
# Two queries, binary, without ties; then a third one without relevant items, or a fourth that was not answered.
# The expected figures were measured by running the tools, each as ``MADE`` says; they are given to four decimals.

TRUTH = {
    "u1": dict.fromkeys("abcde", 1),
    "u2": {"a": 1},
    "u3": {"a": 0},
    "u4": {"a": 1, "b": 1},
}
ORDERS = {"u1": "axbyczde", "u2": "xayzwvbc", "u3": "abcxyzde"}
RUN = {user: {item: 8.0 - rank for rank, item in enumerate(order)} for user, order in ORDERS.items()}
FIXTURES = {"core": ("u1", "u2"), "u3": ("u1", "u2", "u3"), "u4": ("u1", "u2", "u4")}

COLUMNS = ("P@3", "R@3", "Success@3", "RR", "AP@3", "AP", "nDCG@3", "nDCG", "Rprec")

TABLES = {
    "core": """
        trec_eval-9            .5      .7      1       .75     .4167   .5963   .6674   .7455   .3
        trec_eval-10           .5      .7      1       .75     .4167   .5963   .6674   .7455   .3
        pytrec_eval            .5      .7      1       .75     .4167   .5963   .6674   .7455   .3
        ir_measures            .5      .7      1       .75     .4167   .5963   .6674   .7455   .3
        ranx                   .5      .7      1       .75     .4167   .5963   .6674   .7455   .3
        torchmetrics           .5      .7      1       .75     .6667   -       .6674   -       -
        rax                    .5      .7      -       .75     .4167   -       .6674   -       -
        sklearn                -       -       -       -       -       .5963   .6674   -       -
        xgboost                .5      -       -       -       .5278   -       .6674   -       -
        xgboost-               -       -       -       -       .5278   -       .6674   -       -
        lightgbm               -       -       -       -       .5278   -       .6674   -       -
        catboost               .5      .7      -       .75     .5278   -       .6674   -       -
        spark                  .5      .7      -       -       .5278   .5963   .6674   -       -
        recommenders           .5      .7      -       -       .5278   -       .6674   -       -
        replay                 .5      .7      1       .75     .5278   -       .6674   -       -
        rectools               .5      .7      1       .75     .4167   -       .5      -       -
        recbole                .5      .7      1       .75     .5278   -       .6674   -       -
        lenskit                .5      .8333   1       .75     .5278   -       .81     -       -
        cornac                 .5      .7      1       -       -       -       .6674   -       -
        catalyst               -       -       -       .75     .6667   -       .6674   -       -
        allrank                -       -       -       .75     -       -       .6674   -       -
        torcheval              .5      -       -       -       -       -       -       -       -
        evidently              .5      .7      -       -       .4167   -       .6674   -       -
        haystack               -       .7      1       .75     .4167   -       .5698   -       -
        llamaindex             .5      .7      1       .75     .4167   -       .5698   -       -
        ragas                  -       -       -       -       .6667   -       -       -       -
        deepeval               -       -       -       -       .6667   -       -       -       -
    """,
    "u3": """
        trec_eval-9            .3333   .4667   .6667   .5      .2778   .3975   .4449   .4970   -
        trec_eval-10           .3333   .4667   .6667   .5      .2778   .3975   .4449   .4970   -
        pytrec_eval            .3333   .4667   .6667   .5      .2778   .3975   .4449   .4970   -
        ir_measures            .3333   .4667   .6667   .5      .2778   .3975   .4449   .4970   -
        ranx                   .3333   .4667   .6667   .5      .2778   .3975   .4449   .4970   -
        torchmetrics           .3333   .4667   .6667   .5      .4444   -       .4449   -       -
        rax                    .3333   .4667   -       .5      .2778   -       .4449   -       -
        sklearn                -       -       -       -       -       .7309   .4449   -       -
        xgboost                .3333   -       -       -       .6852   -       .7783   -       -
        lightgbm               -       -       -       -       .6852   -       .7783   -       -
        catboost               .3333   .8      -       .5      .3519   -       .7783   -       -
        spark                  .3333   .4667   -       -       .3519   -       .4449   -       -
        recommenders           .5      .7      -       -       .5278   -       .6674   -       -
        replay                 .5      .7      1       .75     .5278   -       .6674   -       -
        rectools               .5      .7      1       .75     .4167   -       .5      -       -
        recbole                .3333   nan     .6667   .5      .3519   -       .4449   -       -
        lenskit                .3333   nan     nan     nan     -       -       nan     -       -
        cornac                 .3333   nan     .6667   -       -       -       nan     -       -
        catalyst               -       -       -       .5      .4444   -       .4449   -       -
        allrank                -       -       -       .8333   -       -       .7783   -       -
        torcheval              .3333   -       -       -       -       -       -       -       -
        haystack               -       .4667   .6667   .5      .2778   -       .3799   -       -
        ragas                  -       -       -       -       .4444   -       -       -       -
        deepeval               -       -       -       -       .4444   -       -       -       -
    """,
    "u4": """
        trec_eval-9            .5      .7      1       .75     .4167   -       .6674   -       -
        trec_eval-9:zero       .3333   .4667   .6667   .5      .2778   -       .4449   -       -
        trec_eval-10:zero      .3333   .4667   .6667   .5      .2778   -       .4449   -       -
        pytrec_eval            .5      .7      1       .75     .4167   -       .6674   -       -
        ir_measures            .3333   .4667   .6667   .5      .2778   -       .4449   -       -
        ranx:zero              .3333   .4667   .6667   .5      .2778   -       .4449   -       -
        beir                   -       -       .6667   .5      .4167   -       .6674   -       -
        recommenders           .5      .7      -       -       .5278   -       .4449   -       -
        replay                 .3333   .4667   .6667   .5      .3519   -       .4449   -       -
        rectools               .3333   .4667   .6667   .5      .2778   -       .3333   -       -
        spark                  .3333   .4667   -       -       .3519   -       .4449   -       -
        lenskit                nan     .5556   .6667   .5      nan     -       .54     -       -
        haystack               -       .4667   .6667   .5      .2778   -       .3799   -       -
    """,
}

LIVE = "pytest tests/peers/test_{}.py, which calls the tool on 1,000 random cases"
"""The same calls on random cases, for whoever has the tool."""

OPTIONS = "P.3 recall.3 success.3 recip_rank map_cut.3 map ndcg_cut.3 ndcg Rprec"
TREC_EVAL = " ".join(["trec_eval", *(f"-m {each}" for each in OPTIONS.split()), "{}"])

MADE = {
    # profile: (what was run on the fixture, version, when)
    "trec_eval-9": (TREC_EVAL.format("QRELS RUN, -c for a missing query as 0"), "9.0.8", "2026-11-21"),
    "trec_eval-10": (TREC_EVAL.format("-c QRELS RUN"), "10.0", "2026-11-21"),
    "pytrec_eval": (LIVE.format("pytrec_eval"), "0.5.11", "2026-11-22"),
    "ir_measures": (LIVE.format("ir_measures"), "0.4.3", "2026-11-22"),
    "ranx": (LIVE.format("ranx"), "0.3.21", "2026-11-22"),
    "torchmetrics": (LIVE.format("torchmetrics"), "1.9.0", "2026-11-22"),
    "rax": (LIVE.format("rax"), "0.4.0", "2026-11-22"),
    "sklearn": (LIVE.format("sklearn"), "1.9.1", "2026-11-22"),
    "xgboost": (LIVE.format("xgboost"), "3.2.0", "2026-11-22"),
    "xgboost-": (LIVE.format("xgboost"), "3.2.0", "2026-11-22"),
    "lightgbm": (LIVE.format("lightgbm"), "4.7.0", "2026-11-22"),
    "catboost": (LIVE.format("catboost"), "1.2.10", "2026-11-22"),
    "spark": (LIVE.format("spark"), "4.3.0", "2026-11-21"),
    "recommenders": (LIVE.format("recommenders"), "1.2.1", "2026-11-22"),
    "replay": (LIVE.format("replay"), "0.22.0", "2026-11-22"),
    "rectools": (LIVE.format("rectools"), "0.19.0", "2026-11-22"),
    "recbole": (LIVE.format("recbole"), "1.2.1", "2026-11-22"),
    "lenskit": (LIVE.format("lenskit"), "2025.8.1", "2026-11-22"),
    "cornac": (LIVE.format("cornac"), "3.0.1", "2026-11-22"),
    "evidently": (LIVE.format("evidently"), "0.7.23", "2026-11-22"),
    "llamaindex": (LIVE.format("llamaindex"), "0.14.25", "2026-11-22"),
    "haystack": (LIVE.format("haystack"), "3.4.1", "2026-11-25"),
    "catalyst": (
        "catalyst.metrics.functional: map, mrr, ndcg, hitrate, its files alone",
        "22.04",
        "2026-11-21",
    ),
    "allrank": ("allrank.models.metrics: ndcg, mrr, the file alone", "1.4.3", "2026-11-21"),
    "torcheval": (
        "torcheval.metrics.functional.retrieval_precision(scores, labels, k=3)",
        "0.0.7",
        "2026-11-21",
    ),
    "ragas": ("the formulas of its source, worked out on the fixture", "3e28e9d", "2026-11-21"),
    "deepeval": ("the formula of its source, worked out on the fixture", "a2e0d4c", "2026-11-21"),
    "beir": (
        "EvaluateRetrieval.evaluate and evaluate_custom, their functions alone",
        "ef83d29",
        "2026-11-21",
    ),
    "elliot": ("elliot's map.py, the file alone", "0.3.1", "2026-11-21"),
}

UNDER_ANOTHER_NAME = [
    ("core", "beir", "R_cap@3", 0.8333),
    ("core", "beir", "Accuracy@3", 1),
    ("core", "beir", "MRR@3", 0.75),
    ("core", "beir", "Hole@3", 0.5),
    ("u4", "beir", "R_cap@3", 0.5556),
    ("u4", "beir", "Hole@3", 0.3333),
    ("u3", "beir", "MRR@3", 0.5),
    ("core", "torchmetrics", "RetrievalAUROC@3", 0.5),
    ("u3", "torchmetrics", "RetrievalAUROC@3", 0.3333),
    ("core", "recommenders", "map@3", 0.4167),
    ("core", "recommenders", "map_at_k@3", 0.5278),
    ("core", "replay", "RocAuc@3", 0.5),
    ("u4", "replay", "RocAuc@3", 0.3333),
    ("core", "rectools", "PartialAUC@3", 0.5333),
    ("core", "rectools", "MAP(divide_by_k=True)@3", 0.3611),
    ("core", "rectools", "NDCG(divide_by_achievable=True)@3", 0.6674),
    ("core", "rectools", "PAP@3", 0.6667),
    ("u4", "rectools", "PartialAUC@3", 0.3556),
    ("u4", "rectools", "MAP(divide_by_k=True)@3", 0.2407),
    ("u4", "rectools", "NDCG(divide_by_achievable=True)@3", 0.4449),
    ("u4", "rectools", "PAP@3", 0.4444),
    ("core", "elliot", "MAP@3", 0.5),
    ("core", "catalyst", "hitrate@3", 0.7),
    ("u3", "catalyst", "hitrate@3", 0.4667),
    ("core", "haystack", "DocumentRecallEvaluator(mode=multi_hit)@3", 0.7),
    ("core", "sklearn", "LRAP", 0.5963),
    ("u3", "sklearn", "LRAP", 0.7309),
    ("core", "spark", "meanAveragePrecision", 0.5963),
    ("core", "ragas", "context_precision@3", 0.6667),
    ("core", "xgboost", "auc", 0.8214),
    ("u3", "xgboost", "auc", 0.881),
    ("core", "recommenders", "r_precision", 0.6),
    ("u3", "recommenders", "r_precision", 0.6),
]


def cells() -> list[tuple[str, str, str, float]]:
    found = []
    for fixture, table in TABLES.items():
        for line in table.strip().splitlines():
            name, *values = line.split()
            for column, value in zip(COLUMNS, values, strict=True):
                if value != "-":
                    found.append((fixture, name, column, float(value)))
    return found + UNDER_ANOTHER_NAME


def test_every_table_of_figures_says_what_made_it() -> None:
    told = {name.partition(":")[0] for _, name, _, _ in cells()}
    assert told == set(MADE)
    for name, (command, version, day) in MADE.items():
        assert version == PROFILES[name].version, name
        assert command, name
        assert date.fromisoformat(day), name
        if command.startswith("pytest "):
            assert (
                Path(__file__).parents[1] / "peers" / command.split()[1].rstrip(",").rpartition("/")[2]
            ).is_file(), name


def scored(fixture: str, profile: str, measure: str, **changed: Any) -> carob.Scores:
    users = FIXTURES[fixture]
    name, _, missing = profile.partition(":")
    policy = profile_named(name).policy.changed(**({"missing": missing} if missing else {}), **changed)
    if name in ("haystack", "llamaindex"):
        policy = policy.changed(depth=3)  # these are handed what was retrieved: the first three
    qrels = {user: TRUTH[user] for user in users}
    run = {user: RUN[user] for user in users if user in RUN}
    return carob.evaluate(qrels, run, measure, profile=name, policy=policy)


@pytest.mark.parametrize(("fixture", "profile", "measure", "expected"), cells())
def test_a_cell_of_the_golden_table(fixture: str, profile: str, measure: str, expected: float) -> None:
    found = scored(fixture, profile, measure)[measure]
    assert found == pytest.approx(expected, abs=0.00005, nan_ok=True)


@pytest.mark.parametrize("text", [False, True], ids=["mapping", "file"])
@pytest.mark.parametrize(
    ("profile", "measure", "expected"),
    [
        ("evidently", "MAP@3", 13 / 60),
        ("evidently", "nDCG@3", 0.6674),
        ("xgboost", "auc", 6 / 28),
    ],
)
def test_rows_in_another_order_than_that_of_the_scores(
    profile: str, measure: str, expected: float, text: bool
) -> None:
    run: Any = {user: dict(reversed(RUN[user].items())) for user in FIXTURES["core"]}
    if text:
        lines = [
            f"{user} Q0 {item} 0 {score} t\n" for user, its in run.items() for item, score in its.items()
        ]
        run = "".join(["# in disorder\n", *lines]).encode()
    qrels = {user: TRUTH[user] for user in FIXTURES["core"]}
    assert carob.evaluate(qrels, run, measure, profile=profile)[measure] == pytest.approx(
        expected, abs=0.00005
    )
    # Who knows nothing of the lines' order has another value.
    policy = profile_named(profile).policy.changed(listing="ignored")
    found = carob.evaluate(qrels, run, measure, profile=profile, policy=policy)[measure]
    assert found == pytest.approx({"MAP@3": 5 / 12, "nDCG@3": 0.6674, "auc": 23 / 28}[measure], abs=0.00005)


@pytest.mark.parametrize(
    ("fixture", "profile", "measure", "sentence"),
    [
        ("u4", "trec_eval-10", "AP", "lacks 1 of 3 judged queries"),
        ("u4", "ranx", "AP", "lacks 1 of 3 judged queries"),
        ("u3", "llamaindex", "mrr", "Query 'u3' has no relevant document"),
        ("u4", "llamaindex", "mrr", "lacks 1 of 3 judged queries"),
        ("u3", "beir", "R_cap@3", "Query 'u3' has no relevant document"),
    ],
)
def test_where_a_tool_raises_the_profile_refuses(
    fixture: str, profile: str, measure: str, sentence: str
) -> None:
    with pytest.raises(DataError, match=sentence):
        scored(fixture, profile, measure)


def test_dropping_a_user_is_counted() -> None:
    scores = scored("u3", "rectools", "MAP@3")
    assert scores.counts.queries == 2
    assert scores.counts.empty == 1


# ---------------------------------------------------------------- small fixtures for single axes


def ranked(grades: list[int], profile: str, measure: str) -> float:
    return carob.evaluate_grades([grades], measure, profile=profile)[measure]


def tied(profile: str, measure: str) -> float:
    """One relevant document, tied with two others and listed first."""
    documents = {"a": 1, "b": 0, "c": 0}
    return carob.evaluate({"q": documents}, {"q": dict.fromkeys(documents, 1.0)}, measure, profile=profile)[
        measure
    ]


def test_names_without_a_depth_that_stop_at_32() -> None:
    grades = [0] * 49 + [1] + [0] * 50
    assert ranked(grades, "xgboost", "ndcg") == 0
    assert ranked(grades, "xgboost", "ndcg@100") == pytest.approx(1 / math.log2(51), abs=1e-15)
    assert ranked(grades, "xgboost", "map") == 0
    assert ranked(grades, "xgboost", "map@100") == 0.02
    assert ranked(grades, "xgboost", "pre") == 0
    assert ranked(grades, "xgboost", "pre@100") == 0.01
    assert ranked(grades, "xgboost", "nDCG") > 0


def test_ties() -> None:
    expected = (1 / math.log2(2) + 1 / math.log2(3) + 1 / math.log2(4)) / 3
    assert tied("sklearn", "ndcg_score@3") == pytest.approx(expected, abs=1e-15)
    assert tied("torchmetrics", "RetrievalNormalizedDCG@3") == pytest.approx(expected, abs=1e-15)
    assert tied("sklearn", "LRAP") == 1 / 3
    assert tied("catboost", "NDCG@3") == 0.5
    assert tied("catboost", "MAP") == 1 / 3
    assert tied("catboost", "MRR") == 1 / 3
    assert tied("lightgbm", "ndcg@3") == 1
    assert tied("trec_eval-10", "map") == 1 / 3


def test_pairs_of_equal_labels() -> None:
    documents = {"a": 1, "b": 0, "c": 0, "d": 0}
    for scores, expected in (([4, 1, 2, 3], 0.5), ([4, 3, 2, 1], 1.0)):
        run = {"q": dict(zip(documents, map(float, scores), strict=True))}
        assert carob.evaluate({"q": documents}, run, "auc", profile="xgboost")["auc"] == expected


def test_gains_and_discounts() -> None:
    grades = [1, 0, 2, 3]
    assert ranked(grades, "sklearn", "ndcg_score") == pytest.approx(0.6913, abs=0.00005)
    assert ranked(grades, "lightgbm", "ndcg@4") == pytest.approx(0.5871, abs=0.00005)
    assert ranked(grades, "catboost", "NDCG:type=Exp@4") == pytest.approx(0.5871, abs=0.00005)
    assert ranked(grades, "catboost", "NDCG:denominator=Position@4") == pytest.approx(0.5577, abs=0.00005)


def test_gains_of_ones_own() -> None:
    qrels, run = {"q": {"d1": 3, "d2": 1, "d3": 0, "d4": 2}}, {"q": {"d3": 4, "d2": 3, "d1": 2, "d4": 1}}
    names = ["nDCG@10", "nDCG(gain={1:10,2:1,3:0})@10"]
    scores = carob.evaluate(qrels, run, names, profile="ir_measures")
    assert scores[names[0]] == pytest.approx(0.6284, abs=0.00005)
    assert scores[names[1]] == pytest.approx(0.6340, abs=0.00005)


@pytest.mark.parametrize(
    ("profile", "expected"),
    [("trec_eval-9", 0.5), ("pytrec_eval", 0.5), ("ir_measures", 0.5), ("trec_eval-10", 1), ("ranx", 1)],
)
def test_width_of_scores(profile: str, expected: float) -> None:
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 16777217.0, "b": 16777216.0}}
    assert carob.evaluate(qrels, run, "RR", profile=profile)["RR"] == expected


def test_a_tie_in_ir_measures_depends_on_the_depth() -> None:
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0}}
    scores = carob.evaluate(qrels, run, ["RR", "RR@10"], profile="ir_measures")
    assert scores.means() == {"RR": 0.5, "RR@10": 1.0}


@pytest.mark.parametrize(("profile", "bpref"), [("trec_eval-9", 1), ("ir_measures", 1), ("ranx", 0)])
def test_negative_grades(profile: str, bpref: float) -> None:
    qrels, run = {"q": {"a": 2, "b": -2}}, {"q": {"b": 2.0, "a": 1.0}}
    scores = carob.evaluate(qrels, run, ["nDCG@2", "AP", "Bpref"], profile=profile)
    assert scores["nDCG@2"] == pytest.approx(1 / math.log2(3), abs=1e-15)
    assert scores["AP"] == 0.5
    assert scores["Bpref"] == bpref


def test_the_rank_of_the_highest_label() -> None:
    assert ranked([1, 0, 2], "allrank", "mrr") == 1 / 3
    assert ranked([1, 0, 2], "catalyst", "mrr") == 1


def test_what_average_precision_is_divided_by() -> None:
    grades = [1, 0, 0, 1, 1, 1]
    assert ranked(grades, "torchmetrics", "RetrievalMAP@3") == 1
    assert ranked(grades, "torchmetrics", "RetrievalAUROC@3") == 1
    assert ranked(grades, "torchmetrics", "RetrievalAUROC") == 2 / 8
    assert ranked(grades, "rax", "ap_metric@3") == 1 / 4
    assert ranked(grades, "catboost", "MAP@3") == 1 / 3


def test_lists_shorter_than_the_depth() -> None:
    grades = [1, 0, 0, 1, 1, 1]
    assert ranked(grades, "torchmetrics", "RetrievalPrecision@10") == 4 / 10
    assert ranked(grades, "torchmetrics", "RetrievalPrecision(adaptive_k=True)@10") == 4 / 6
    assert ranked([1, 1, 0, 0], "catboost", "PrecisionAt@10") == 2 / 4


def test_what_was_not_retrieved_is_not_known_to_a_library_of_rows() -> None:
    qrels, run = {"q": {"a": 1, "b": 0, "z": 1}}, {"q": {"b": 2.0, "a": 1.0}}
    found = {
        profile: carob.evaluate(qrels, run, "nDCG", profile=profile)["nDCG"]
        for profile in ("lightgbm", "trec_eval-10")
    }
    assert found["lightgbm"] == pytest.approx(1 / math.log2(3), abs=1e-15)
    assert found["trec_eval-10"] == pytest.approx(1 / math.log2(3) / (1 + 1 / math.log2(3)), abs=1e-15)


# ---------------------------------------------------------------- how a profile reads names


@pytest.mark.parametrize(
    ("profile", "name", "meant"),
    [
        ("xgboost", "AP@3", "AP(over=capped)@3"),
        ("xgboost", "map@3", "AP(over=capped)@3"),
        ("xgboost", "ndcg", "nDCG(gain=exp2)@32"),
        ("xgboost", "AP(over=relevant)@3", "AP@3"),
        ("elliot", "MAP@3", "MeanP@3"),
        ("spark", "AP", "AP"),
        ("spark", "AP@3", "AP(over=capped)@3"),
        ("recommenders", "map@3", "AP@3"),
        ("rectools", "NDCG@5", "nDCG(gain=binary, ideal=depth)@5"),
        ("rectools", "NDCG(divide_by_achievable=True)@5", "nDCG(gain=binary)@5"),
        ("rectools", "PAP@5", "PartialAUC(over=capped)@5"),
        ("quepid", "ndcg@5", "nDCG(gain=exp2, ideal=uncut)@5"),
        ("quepid", "ndcg_cut@5", "nDCG(gain=exp2)@5"),
        ("note-003", "DCG-2", "DCG(gain=exp2)"),
        ("trec_eval-9", "map_cut_5", "AP@5"),
        ("trec_eval-9", "11pt_avg", "IPrecMean(rounding=up)"),
    ],
)
def test_reading_a_name(profile: str, name: str, meant: str) -> None:
    label, measure = PROFILES[profile].read(name)[0]
    assert str(measure) == meant
    assert label == name or label == str(Measure(measure.name, (), measure.depth)) or profile == "trec_eval-9"


def test_a_result_answers_to_the_name_that_was_asked() -> None:
    scores = scored("core", "elliot", "MAP@3")
    assert list(scores) == ["MAP@3"]
    assert scores.footer().endswith("profile elliot · MAP@3 is MeanP@3")


def test_trec_evals_names_answer_under_a_profile_too() -> None:
    scores = scored("core", "trec_eval-9", "11pt_avg")
    assert scores["11pt_avg"] == scores["IPrecMean"] == scores["IPrecMean(rounding=up)"] > 0


def test_many_names_in_one_text() -> None:
    found = PROFILES["lightgbm"].read("ndcg@3, map@3 AP(over=relevant)@3")
    assert [(label, str(measure)) for label, measure in found] == [
        ("ndcg@3", "nDCG(gain=exp2)@3"),
        ("map@3", "AP(over=capped)@3"),
        ("AP(over=relevant)@3", "AP@3"),
    ]


PAIRS_OF_NAMES = [
    ("elliot", "MAP@3", "AP"),
    ("torchmetrics", "RetrievalMAP@5", "RetrievalMRR"),
    ("xgboost", "ndcg@5", "map"),
    ("evidently", "HitRate@5", "MAP"),
    ("spark", "recallAt@2", "meanAveragePrecision"),
    ("lenskit", "NDCG@2", "RecipRank"),
    ("lightgbm", "map@3", "AP(over=relevant)@3"),
]


@pytest.mark.parametrize(("profile", "first", "second"), PAIRS_OF_NAMES)
@pytest.mark.parametrize("separator", [" ", ", "])
def test_names_in_one_text_mean_what_they_mean_alone_in_any_order(
    profile: str, first: str, second: str, separator: str
) -> None:
    qrels = {"q": {**dict.fromkeys("ab", 1), "c": 0}}
    run = {"q": {"a": 9.0, **{f"x{number}": 8.0 - number / 100 for number in range(40)}, "b": 1.0, "c": 0.5}}
    alone = {name: carob.evaluate(qrels, run, name, profile=profile)[name] for name in (first, second)}
    for text in (f"{first}{separator}{second}", f"{second}{separator}{first}"):
        for asked in (text, [text], ["NumRel", text]):
            found = carob.evaluate(qrels, run, asked, profile=profile)
            assert {name: found[name] for name in alone} == alone
    compared = carob.compare(
        {**qrels, "r": qrels["q"]}, {"a": {**run, "r": run["q"]}, "b": run}, text, profile=profile
    )
    assert set(compared.labels) == set(alone)
    again = carob.compare(None, {each.name: each for each in compared.scores}, text)
    assert set(again.labels) == set(alone)


def test_a_limit_of_a_gate_holds_for_each_name_of_a_text() -> None:
    qrels, run = {"q": {"a": 1}, "r": {"a": 1}}, {"q": {"a": 1.0}, "r": {"a": 1.0}}
    limits = {"MAP@3 AP": 0.1, "nDCG": 0.2}
    found = carob.gate(qrels, run, run, limits, at_least={"Recall@5, HR@5": 0.5}, profile="elliot")
    assert [(check.label, check.limit) for check in found.checks] == [
        ("MAP@3", 0.1),
        ("AP", 0.1),
        ("nDCG", 0.2),
        ("Recall@5", 0.5),
        ("HR@5", 0.5),
    ]
    with pytest.raises(DataError, match=r"Two limits were passed for AP, 0\.1 and 0\.2"):
        carob.gate(qrels, run, run, {"MAP@3 AP": 0.1, "AP": 0.2}, profile="elliot")


def test_a_curve_of_several_names_in_one_text() -> None:
    assert list(carob.curve("MAP AP", grades=[[1, 0, 1]], profile="elliot").at) == ["MAP", "AP"]


# ---------------------------------------------------------------- what a profile has


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_is_whole(name: str) -> None:
    profile = PROFILES[name]
    assert profile.source
    assert profile.version or name.startswith("note-")
    assert all(sentence.endswith(".") for sentence in profile.differs)
    assert all(key.rstrip("@") in REGISTER for key in profile.axes)
    assert all(key.rstrip("@").partition("(")[0] in REGISTER for key in profile.policy.exceptions)
    for each in (*profile.names, *profile.measures):
        asked = f"{each}10" if each.endswith("@") else each
        ((label, measure),) = profile.read(asked)
        assert measure.name in REGISTER
        assert label == asked


@pytest.mark.parametrize("name", PROFILES)
def test_what_a_profile_measures_if_nothing_is_asked(name: str) -> None:
    qrels: Any = {"q": {"a": 1, "b": 0}}
    if name == "ndeval":
        qrels = {"q": {"subtopic": qrels["q"]}}
    scores = carob.evaluate(qrels, {"q": {"b": 2.0, "a": 1.0}}, profile=name)
    assert len(scores) >= 1
    assert scores.profile == name


def test_names_wanted_of_profiles() -> None:
    wanted = (
        "trec_eval-9 trec_eval-10 pytrec_eval ir_measures ranx sklearn torchmetrics rax lightgbm xgboost catboost "
        "spark recommenders replay rectools recbole lenskit cornac elliot ragas llamaindex haystack beir mteb "
        "elasticsearch opensearch quepid note-000 note-001 note-002 note-003 note-004"
    )
    assert set(wanted.split()) <= set(carob.list_profiles())
    with pytest.raises(PolicyError, match="There is no profile 'lightgmb'"):
        profile_named("lightgmb")
    assert profile_named("carob").policy == Policy()


def test_a_name_that_nobody_knows_is_refused() -> None:
    with pytest.raises(MeasureError, match="There is no measure 'ndgc'"):
        PROFILES["xgboost"].read("ndgc@3")


# ---------------------------------------------------------------- single conventions, each with who has it


def test_lenskit_caps_recall_only_at_a_depth() -> None:
    # lenskit 2025.8.1: metrics.Recall().measure_list([a], [a, b]) is 0.5, Recall(1) is 1.0.
    found = carob.evaluate(
        {"q": {"a": 1, "b": 1}}, {"q": {"a": 1.0}}, ["Recall", "Recall@1"], profile="lenskit"
    )
    assert found.means() == {"Recall": 0.5, "Recall@1": 1.0}


def test_ir_measures_rbp_without_a_grade_adds_the_grades() -> None:
    # ir_measures 0.4.3 with trectools: RBP of grades 3, 1, 0 is 0.2 * (3 + 0.8), with rel=1 0.2 * (1 + 0.8).
    assert ranked([3, 1, 0], "ir_measures", "RBP") == pytest.approx(0.76, abs=1e-15)
    assert ranked([3, 1, 0], "ir_measures", "RBP(rel=1)") == pytest.approx(0.36, abs=1e-15)
    assert ranked([3, 1, 0], "ir_measures", "RBP(p=0.5)@1") == pytest.approx(1.5, abs=1e-15)
    assert ranked([3, 1, 0], "ranx", "rbp.80") == pytest.approx(0.76, abs=1e-15)


def test_cornac_has_a_precision_of_whole_lists() -> None:
    assert ranked([1, 0, 1], "cornac", "Precision") == pytest.approx(2 / 3)
    assert ranked([1, 0, 1], "cornac", "Precision@5") == 2 / 5


def test_a_depth_that_recommenders_gives_its_lists_is_hinted_at() -> None:
    with pytest.raises(MeasureError, match=r"set the policy's depth: carob.Policy\(depth=5\) in Python"):
        ranked([1], "recommenders", "r_precision@5")


def test_ntcirevals_q_is_capped_and_its_nerr_linear() -> None:
    grades, judged = [[0, 2, 1]], [[0, 2, 1, 1]]
    found = carob.evaluate_grades(
        grades, ["Q@2", "Q", "nERR(max=2)@2", "MSnDCG@2"], judged, profile="ntcireval"
    )
    blended = (1 + 2) / (2 + 3)  # at rank 2: a document and a gain of 2, of 2 ranks and a gain of 2 + 1
    assert found["Q@2"] == pytest.approx(blended / 2, abs=1e-15)
    assert found["Q"] == pytest.approx((blended + (2 + 3) / (3 + 4)) / 3, abs=1e-15)
    assert found["nERR(max=2)@2"] == pytest.approx((2 / 3 / 2) / (2 / 3 + 1 / 3 * 1 / 3 / 2), abs=1e-15)
    assert found["MSnDCG@2"] == pytest.approx((2 / math.log2(3)) / (2 + 1 / math.log2(3)), abs=1e-15)


def test_ndeval_breaks_ties_by_id_ascending_and_leaves_missing_queries_out() -> None:
    qrels = {"1": {"s1": {"a": 1, "b": 0}}, "2": {"s1": {"a": 1}}, "3": {"s1": {"a": 0}}}
    run = {"1": {"b": 1.0, "a": 1.0}, "3": {"a": 1.0}}
    found = carob.evaluate(qrels, run, ["strec@1", "nNRBP", "NRBP"], profile="ndeval")
    assert found.by_query("strec@1") == {"1": 1.0, "3": 0.0}
    assert math.isnan(found.by_query("nNRBP")["3"])
    assert found.by_query("NRBP")["3"] == 0


# ---------------------------------------------------------------- nothing retrieved, or not at its rank


@pytest.mark.parametrize(
    ("profile", "undefined", "zero"),
    [
        ("ragas", "id_based_context_precision", "id_based_context_recall"),
        ("lenskit", "Precision", "Recall"),
        ("lenskit", "AveragePrecision", "Hit@3"),
    ],
)
def test_an_empty_list_is_undefined_where_a_missing_one_is(profile: str, undefined: str, zero: str) -> None:
    names = [undefined, zero]
    of_ids = carob.evaluate_ids([[], ["a"]], [["a"], ["a"]], names, profile=profile)
    of_dicts = carob.evaluate(
        {"1": {"a": 1}, "2": {"a": 1}}, {"1": {}, "2": {"a": 1.0}}, names, profile=profile
    )
    absent = carob.evaluate({"1": {"a": 1}, "2": {"a": 1}}, {"2": {"a": 1.0}}, names, profile=profile)
    for found in (of_ids, of_dicts, absent):
        assert math.isnan(found.by_query(undefined)["1"])
        assert found.by_query(zero) == {"1": 0.0, "2": 1.0}
        assert found.counts.missing == ("1",)
        assert f"1 missing query undefined ({undefined}), counted as 0 ({zero})" in found.footer()
    mask = np.array([[False], [True]])
    values = carob.tensors.evaluate(
        np.ones((2, 1)),
        np.ones((2, 1)),
        names,
        mask=mask,
        judged=np.ones((2, 1)),
        profile=profile,
        per_query=True,
    )
    assert values[undefined].tolist() == pytest.approx([math.nan, 1.0], nan_ok=True)
    assert values[zero].tolist() == [0.0, 1.0]


RAX = {
    # rax 0.4.0 on scores 3, 2, -inf, -inf and labels 1, 0, 1, 0 (2026-11-22)
    "recall_metric": 0.5,
    "precision_metric": 0.5,
    "ap_metric": 0.5,
    "mrr_metric": 1.0,
    "ndcg_metric": 0.6131472,
    "dcg_metric": 1.0,
    "recall_metric@3": 0.5,
    "precision_metric@3": 0.5,
}


def test_a_score_of_minus_infinity_is_not_retrieved_by_rax() -> None:
    scores, labels = [3.0, 2.0, -math.inf, -math.inf], [1, 0, 1, 0]
    qrels, run = {"q": dict(zip("abcd", labels))}, {"q": dict(zip("abcd", scores))}
    assert carob.evaluate(qrels, run, list(RAX), profile="rax").means() == pytest.approx(RAX, abs=1e-7)
    lines = "".join(f"q Q0 {each} 1 {score} t\n" for each, score in run["q"].items()).encode()
    assert carob.evaluate(qrels, lines, list(RAX), profile="rax").means() == pytest.approx(RAX, abs=1e-7)
    arrays = carob.tensors.evaluate(np.array([scores]), np.array([labels]), list(RAX), profile="rax")
    assert {name: float(value) for name, value in arrays.items()} == pytest.approx(RAX, abs=1e-7)
    listed = carob.evaluate(qrels, run, "recall_metric", profile="rax", policy=Policy(retrieved="all"))
    assert listed["recall_metric"] == 1
    nothing = carob.evaluate(qrels, {"q": dict.fromkeys("abcd", -math.inf)}, list(RAX), profile="rax")
    assert set(nothing.means().values()) == {0.0}


def test_rank_numbers_stand_as_rectools_has_them() -> None:
    pandas = pytest.importorskip("pandas", reason="needs pandas, of the extra 'peers'")
    qrels = {"1": {"a": 1}, "2": {"a": 1, "b": 1}, "3": {"c": 1}}
    rows = [("1", "a", 9), ("2", "x", 1), ("2", "a", 3), ("2", "b", 4), ("3", "d", 2)]
    run = pandas.DataFrame(rows, columns=["user_id", "item_id", "rank"])
    names = ["MRR@1", "MRR@10", "Precision@3", "MAP@4"]
    found = carob.evaluate(qrels, run, names, profile="rectools")
    assert found.by_query("MRR@1") == {"1": 0, "2": 0, "3": 0}
    assert found.by_query("MRR@10") == {"1": 1 / 9, "2": 1 / 3, "3": 0}
    assert found.by_query("Precision@3") == {"1": 0, "2": 1 / 3, "3": 0}
    assert found.by_query("MAP@4")["2"] == pytest.approx((1 / 3 + 2 / 4) / 2)
    counted = carob.evaluate(qrels, run, names, profile="rectools", policy=Policy(ranks="counted"))
    assert counted.by_query("MRR@1")["1"] == 1
    # Where scores are, ranks are counted from them, as ever.
    scored_run = {query: {item: -float(rank)} for query, item, rank in rows}
    assert carob.evaluate(qrels, scored_run, "MRR@1", profile="rectools").by_query("MRR@1")["1"] == 1
    twice = pandas.DataFrame([("1", "a", 2), ("1", "b", 2)], columns=run.columns)
    with pytest.raises(DataError, match="two documents of a list have the same rank"):
        carob.evaluate(qrels, twice, names, profile="rectools")
    zero = pandas.DataFrame([("1", "a", 0)], columns=run.columns)
    with pytest.raises(DataError, match="ranks count from 1"):
        carob.evaluate(qrels, zero, names, profile="rectools")


# ---------------------------------------------------------------- ir_measures, which asks several providers
# ir_measures.calc_aggregate of version 0.4.3 (2026-11-25): pyndeval sorts ties by id ascending, cwl_eval not at all.

SUBTOPIC = {"1": {"1": {"a": 1}}}
IN_PROVIDERS_ORDER = [
    (SUBTOPIC, "ba", {"alpha_nDCG@10": 1.0, "AP_IA": 1.0, "ERR_IA@10": 0.72143, "P_IA@1": 1.0}),
    (
        SUBTOPIC,
        "ba",
        {"NRBP": 0.75, "nNRBP": 1.0, "StRecall@1": 1.0, "nERR_IA@2": 1.0, "alpha_DCG@2": 0.76019},
    ),
    (
        {"1": {"a": 4}},
        "ab",
        {"BPM(max_rel=4)@2": 1.0, "SDCG(max_rel=4)@2": 0.61315, "AP": 0.5, "RR@2": 1.0},
    ),
    (
        {"1": {"a": 4}},
        "ab",
        {"INST(max_rel=4)": 0.6083, "INSQ(max_rel=4)": 0.3882, "RBP(rel=1)": 0.2, "nDCG@2": 0.6309},
    ),
]


@pytest.mark.parametrize(("qrels", "order", "expected"), IN_PROVIDERS_ORDER)
def test_ties_stand_in_the_order_of_the_provider_that_ir_measures_asks(
    qrels: Any, order: str, expected: dict[str, float]
) -> None:
    run = {"1": dict.fromkeys(order, 1.0)}
    names = list(expected)
    values = list(expected.values())
    found = carob.evaluate(qrels, run, names, profile="ir_measures")
    assert list(found.means().values()) == pytest.approx(values, abs=5e-5)
    lines = "".join(f"1 Q0 {document} 0 1 t\n" for document in order).encode()
    alone = [carob.evaluate(qrels, lines, name, profile="ir_measures")[name] for name in names]
    assert alone == pytest.approx(values, abs=5e-5)
    assert list(calc_aggregate(names, qrels, run).values()) == pytest.approx(values, abs=5e-5)
    assert [value for _, _, value in iter_calc(names, qrels, run)] == pytest.approx(values, abs=5e-5)


def test_counts_are_those_of_the_queries_that_ir_measures_was_given() -> None:
    qrels, run = {"1": {"a": 1, "b": 1}, "2": {"a": 1}}, {"1": {"a": 1.0}}
    assert carob.evaluate(qrels, run, "NumRel NumQ P@1", profile="ir_measures").means() == {
        "NumRel": 2.0,
        "NumQ": 1.0,
        "P@1": 0.5,
    }
    empty = {"1": {"s": {"a": 1}}, "2": {"s": {"b": 0}}}
    scores = carob.evaluate(empty, {"1": {"a": 1.0}, "2": {"b": 1.0}}, "nNRBP NRBP", profile="ir_measures")
    assert math.isnan(scores.by_query("nNRBP")["2"])
    assert scores.by_query("NRBP")["2"] == 0.0
    below = carob.evaluate({"1": {"a": -1, "b": 1}}, {"1": {"a": 1.0}}, "Judged@1 P@1", profile="ir_measures")
    assert below.means() == {"Judged@1": 1.0, "P@1": 0.0}


CONDENSED = {"q": {"a": 1, "b": 0}}
BOTH = {"q": {"x": 3.0, "b": 2.0, "a": 1.0}}


def test_a_name_may_remove_unjudged_documents_for_its_measure_alone() -> None:
    names = ["RR", "RR(unjudged=removed)", "P@1", "P(unjudged=removed)@1", "P(judged_only=True)@2"]
    expected = [1 / 3, 1 / 2, 0.0, 0.0, 1 / 2]
    assert list(carob.evaluate(CONDENSED, BOTH, names).means().values()) == expected
    assert list(carob.evaluate(CONDENSED, BOTH, names, profile="ir_measures").means().values()) == expected
    # The name rules over the policy, and the exceptions of a policy know the measure by its other parameters.
    removed = Policy(unjudged="removed")
    kept = carob.evaluate(CONDENSED, BOTH, ["RR", "RR(unjudged=nonrelevant)"], policy=removed)
    assert list(kept.means().values()) == [1 / 2, 1 / 3]
    apart = Policy(by_measure={"P(over=retrieved)@": {"depth": 2}})
    exceptional = carob.evaluate(CONDENSED, BOTH, "P(over=retrieved, unjudged=removed)@5", policy=apart)
    assert list(exceptional.means().values()) == [0.0]


def test_a_name_that_removes_unjudged_documents_is_one_in_every_face() -> None:
    name = "RR(unjudged=removed)"
    assert str(carob.RR(unjudged="removed")) == name
    assert carob.explain(name, CONDENSED, BOTH, "q").value == 1 / 2
    assert carob.explain(name, CONDENSED, BOTH, "q").full_name == "RR(rel=1, of=first, unjudged=removed)"
    assert carob.curve("P(unjudged=removed)", CONDENSED, BOTH, at=[2])["P(unjudged=removed)"] == [0.5]
    assert carob.difference("carob", "trec_eval-9", name, CONDENSED, BOTH).values == (0.5, 0.5)
    compared = carob.compare(
        CONDENSED | {"r": {"a": 1}}, {"a": BOTH | {"r": {"a": 1.0}}, "b": BOTH}, [name, "RR"]
    )
    assert compared[name].means == pytest.approx([3 / 4, 1 / 4])
    assert compared["RR"].means == pytest.approx([2 / 3, 1 / 6])
    arrays = carob.tensors.evaluate(
        np.array([[3.0, 2.0, 1.0]]), np.array([[math.nan, 0.0, 1.0]]), [name, "RR"]
    )
    assert {label: float(value) for label, value in arrays.items()} == {name: 0.5, "RR": pytest.approx(1 / 3)}
    grades = carob.evaluate_grades([[None, 0, 1]], [name, "RR"])
    assert list(grades.means().values()) == [1 / 2, 1 / 3]
    assert carob.unjudged_bounds(CONDENSED, {"a": BOTH}, name) is not None


def test_a_setting_in_a_name_is_one_that_the_measure_has() -> None:
    with pytest.raises(MeasureError, match=r"unjudged must be one of nonrelevant, removed"):
        carob.evaluate(CONDENSED, BOTH, "RR(unjudged=no)")
    with pytest.raises(MeasureError, match="RR has no parameter 'ties'"):
        carob.evaluate(CONDENSED, BOTH, "RR(ties=trec)")
    with pytest.raises(MeasureError, match="ILD has no parameter 'unjudged'"):
        Measure.parse("ILD(unjudged=removed)")


def test_lists_are_cut_before_unjudged_documents_are_removed(capsys: pytest.CaptureFixture[str]) -> None:
    # As by trec_eval -M 2 -J, and as both texts say.
    policy = Policy(depth=2, unjudged="removed")
    assert carob.evaluate(CONDENSED, BOTH, "RR", policy=policy)["RR"] == 0
    name = "RR(unjudged=removed)"
    assert carob.evaluate(CONDENSED, BOTH, name, policy=Policy(depth=3))[name] == 0.5
    texts = re.findall(r"(?ms)^    (\w+): (.*?)(?=^    \w)", inspect.getdoc(Policy) or "")
    assert "cut before unjudged documents" in " ".join(dict(texts)["depth"].split())
    assert "after the lists are cut at ``depth``" in " ".join(dict(texts)["unjudged"].split())
    main(["eval", "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    assert "lists are cut before '--unjudged removed' is applied" in shown
    assert "'removed' removes them and renumbers the ranks, after the lists are cut at --depth" in shown


# ---------------------------------------------------------------- pooled judgments, and means of nothing


def test_pyserini_counts_judged_documents_over_all_queries() -> None:
    # pyserini 1.6.0: the pairs of the first k lines that are judged, by the pairs of the first k lines of all queries
    qrels = {"1": {"a": 1, "b": -1}, "2": {"a": 1}, "3": {"a": 1}}
    run = {"1": {"a": 4.0, "b": 3.0, "x": 2.0, "y": 1.0}, "2": {"x": 1.0}}
    scores = carob.evaluate(qrels, run, ["Judged@3", "Judged@1", "RR"], profile="pyserini")
    assert scores.means() == pytest.approx({"Judged@3": 2 / 4, "Judged@1": 1 / 2, "RR": 1 / 2})
    assert carob.evaluate(qrels, run, "Judged@3")["Judged@3"] == pytest.approx((1 / 3 + 0 + 0) / 3)
    same = carob.evaluate(qrels, run, "Judged(mean=documents)@3", policy=Policy(negative="nonrelevant"))
    assert same["Judged(mean=documents)@3"] == pytest.approx(2 / 4)
    tied = {"1": {"x": 1.0, "a": 1.0}}
    assert carob.evaluate(qrels, tied, "Judged@1", profile="pyserini")["Judged@1"] == 0
    assert carob.evaluate(qrels, {"1": {"a": 1.0, "x": 1.0}}, "Judged@1", profile="pyserini")["Judged@1"] == 1


def test_sentence_transformers_orders_ties_by_ascending_id() -> None:
    qrels = {"1": {"b": 1}}
    for order in ("abc", "cba"):
        found = carob.evaluate(
            qrels, {"1": dict.fromkeys(order, 1.0)}, "mrr@10", profile="sentence-transformers"
        )
        assert found["mrr@10"] == 1 / 2


@pytest.mark.parametrize(
    ("profile", "names", "says"),
    [
        ("torchmetrics", "RetrievalMAP", "If each query is skipped, the mean is 0 there"),
        ("recommenders", "r_precision", "If no user has a hit, it is 0; in carob, it is NaN."),
        ("ir_measures", "RBP", "its unstable sort decides ties"),
        ("ir_measures", "ERR_IA@1", "At depth 1, ERR_IA and alpha_DCG are not divided."),
    ],
)
def test_what_a_profile_cannot_do_is_in_its_text(profile: str, names: str, says: str) -> None:
    assert says in " ".join(PROFILES[profile].differs)
    qrels = {"1": {"1": {"z": 1}}} if "IA" in names else {"1": {"z": 1}}
    policy = Policy(empty="skip") if profile == "torchmetrics" else None
    if profile == "torchmetrics":
        with pytest.raises(DataError, match="no query is left"):
            carob.evaluate({"1": {"z": 0}}, {"1": {"a": 1.0}}, names, profile=profile, policy=policy)
        return
    value = carob.evaluate(qrels, {"1": {"a": 1.0}}, names, profile=profile, policy=policy)
    assert math.isnan(value[names]) == (profile == "recommenders")


@pytest.mark.parametrize(
    ("profile", "own", "library"), [("mteb", "mrr@3", "map@3"), ("beir", "MRR@3", "MAP@3")]
)
def test_the_own_code_of_a_library_compares_scores_in_double(profile: str, own: str, library: str) -> None:
    # mteb 2.26.24 and beir 2.2.0, their functions alone: pytrec_eval takes these scores for equal, Python does not.
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0000000001, "z": 1.0}}
    found = carob.evaluate(qrels, run, [own, library], profile=profile)
    assert found.means() == {own: 1.0, library: 0.5}
    tied = carob.evaluate(qrels, {"q": {"a": 1.0, "z": 1.0}}, own, profile=profile)
    assert tied[own] == {"mteb": 0.5, "beir": 1.0}[profile]


def test_the_capped_recall_of_mteb_leaves_out_queries_without_relevant_documents() -> None:
    qrels, run = {"q": {"a": 1}, "r": {"b": 0}}, {"q": {"a": 2.0}, "r": {"b": 1.0}}
    assert carob.evaluate(qrels, run, "r_cap@3", profile="mteb")["r_cap@3"] == 1


def test_values_of_a_measure_that_only_ir_measures_has_can_be_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(MeasureError, match="a table with the columns query, measure and value, and pass"):
        carob.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "Compat(p=0.8)", profile="ir_measures")
    for name, values in (("a", (1.0, 0.5)), ("b", (0.25, 0.0))):
        rows = [f"q{number}\tCompat(p=0.8)\t{value}\n" for number, value in enumerate(values)]
        (tmp_path / f"{name}.tsv").write_text("query\tmeasure\tvalue\n" + "".join(rows), encoding="utf-8")
    main(["compare", str(tmp_path / "a.tsv"), str(tmp_path / "b.tsv")])
    shown = capsys.readouterr().out
    assert "Compat(p=0.8)" in shown
    assert "0.750" in shown
    assert "0.125" in shown
