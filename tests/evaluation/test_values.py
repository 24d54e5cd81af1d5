"""Runs that are scored together have the values and bounds that each has alone, to the last bit."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import numpy as np
import pytest

import carob
from carob.evaluation import engine, values
from carob.measures import REGISTER
from strategies import first

POLICIES: list[dict[str, Any]] = [
    {},
    {"ties": "optimistic"},
    {"depth": 4},
    {"unjudged": "removed"},
    {"judgments": "retrieved"},
    {"missing": "skip"},
    {"empty": "skip"},
    {"empty": "one"},
]
OPTIONS = (
    "nDCG(ideal=length)",
    "nDCG(ideal=uncut)@3",
    "nDCG(ideal=retrieved)",
    "AP(over=capped)@3",
    "P(rel=0)@2",
)


def judgments(draw: random.Random) -> dict[str, dict[str, int]]:
    documents = [f"d{number}" for number in range(12)]
    return {
        f"q{query}": {each: draw.choice((0, 0, 1, 2)) for each in draw.sample(documents, 8)}
        for query in range(5)
    }


def runs(draw: random.Random, count: int) -> dict[str, dict[str, dict[str, float]]]:
    """Runs with ties, of which some lack queries."""
    documents = [f"d{number}" for number in range(16)]
    return {
        f"r{number}": {
            f"q{query}": {
                each: float(draw.randint(1, 5)) for each in draw.sample(documents, draw.randint(1, 10))
            }
            for query in range(5)
            if query == 0 or draw.random() < 0.8
        }
        for number in range(count)
    }


@pytest.mark.parametrize(("seed", "given"), first(product(range(3), POLICIES), len(POLICIES) // 2))
def test_runs_together_equal_each_run_alone(
    seed: int, given: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = random.Random(seed)
    monkeypatch.setattr(engine, "available_cores", lambda: 1)
    stacks: list[int] = []
    one_stack = values.stack_of

    def counted(founds: Any, *others: Any, **named: Any) -> values.ValuesUnderTies:
        stacks.append(len(founds))
        return one_stack(founds, *others, **named)

    monkeypatch.setattr(values, "stack_of", counted)
    qrels, several, policy = judgments(draw), runs(draw, 6), carob.Policy(**given)
    for asked in ([*OPTIONS, "RR"], stackable()):
        together = carob.evaluate(qrels, several, asked, policy=policy)
        if "judgments" not in given and given.get("missing") != "skip":
            assert max(stacks) > 1
        for name, run in several.items():
            alone = carob.evaluate(qrels, run, asked, policy=policy)
            assert together[name].matrix.tobytes() == alone.matrix.tobytes()
            assert together[name].bounds == alone.bounds
            assert together[name].counts.as_dict() == alone.counts.as_dict()
            assert extremes(qrels, run, asked, given, alone) == alone.bounds


@pytest.mark.parametrize(("seed", "given"), first(product(range(3), POLICIES), len(POLICIES)))
def test_lists_part_by_part_equal_all_lists(
    seed: int, given: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = random.Random(seed)
    qrels, several, policy = judgments(draw), runs(draw, 2), carob.Policy(**given)
    for asked in ([*OPTIONS, "RR"], stackable()):
        whole = carob.evaluate(qrels, several, asked, policy=policy)
        with monkeypatch.context() as small:
            small.setattr(values, "AT_A_TIME", 20)
            small.setattr(values, "ROWS_TOGETHER", 20)
            parts = carob.evaluate(qrels, several, asked, policy=policy)
        for name in several:
            assert parts[name].matrix.tobytes() == whole[name].matrix.tobytes()
            assert parts[name].bounds == whole[name].bounds


@pytest.mark.parametrize("ties", ["trec", "expected"])
@pytest.mark.parametrize("most", [20, values.AT_A_TIME])
def test_a_value_that_there_is_not_is_told_with_its_query(
    ties: Any, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(values, "AT_A_TIME", most)
    qrels = {f"q{query}": {f"d{each}": each % 2 for each in range(10)} for query in range(8)}
    run = {query: {each: 1.0 + (each < "d5") for each in its} for query, its in qrels.items()}
    qrels["q6"]["d1"] = 2000
    with pytest.raises(carob.DataError, match="query 'q6': the gain of grade 2000 is too large"):
        carob.evaluate(qrels, run, "DCG(gain=exp2)", policy=carob.Policy(ties=ties))


@pytest.mark.parametrize("most", [20, values.AT_A_TIME])
def test_a_formula_without_a_finite_value_is_told_with_its_query(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = carob.Measure.values

    def broken(measure: Any, lists: Any) -> Any:
        found = own(measure, lists)
        return np.where(found == 1, np.nan, found)

    monkeypatch.setattr(values, "AT_A_TIME", most)
    monkeypatch.setattr(carob.Measure, "values", broken)
    documents = [f"d{each}" for each in range(10)]
    qrels = {f"q{query}": {each: int(query == 6 or each != "d0") for each in documents} for query in range(8)}
    with pytest.raises(carob.DataError, match=r"P@1 has no value: query 'q6'"):
        carob.evaluate(qrels, dict.fromkeys(qrels, documents), "P@1")


def stackable() -> list[carob.Measure]:
    """The measures of grades that compare no documents of different lists."""
    parsed = [
        carob.Measure(name, (), 3 if each.at == "depth" else None)
        for name, each in REGISTER.items()
        if each.takes == "grades" and not each.needs and name != "ListedAP"
    ]
    return [each for each in parsed if not each.micro and not each.definition.groups]


def extremes(qrels: Any, run: Any, asked: list[str], given: dict[str, Any], alone: Any) -> dict[str, Any]:
    """The bounds of ties, from an evaluation under each of the two orders."""
    ends = [
        carob.evaluate(qrels, run, asked, policy=carob.Policy(**{**given, "ties": ties})).means()
        for ties in ("pessimistic", "optimistic")
    ]
    return {
        label: (min(low, high), max(low, high))
        for label in alone.bounds
        for low, high in [[e[label] for e in ends]]
    }


def test_the_error_of_a_mean_over_sampled_orders_is_that_of_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Any] = []
    orders = values.all_orders
    monkeypatch.setattr(
        values, "all_orders", lambda rows: (drawn.append(each) or each for each in orders(rows))
    )
    documents = [f"d{number}" for number in range(14)]
    qrels = {"q": {each: int(each in documents[:5]) for each in documents}}
    scores = carob.evaluate(
        qrels, {"q": dict.fromkeys(documents, 1.0)}, "RR@3", policy=carob.Policy(ties="expected")
    )
    (batch,) = drawn
    assert batch.drawn.all()
    found = values.values_of(values.finished(batch.rows, scores.policy), scores.measures)[:, 0]
    assert len(found) > 100
    assert scores["RR@3"] == pytest.approx(found.mean())
    assert scores.errors["RR@3"] == pytest.approx(found.std(ddof=1) / np.sqrt(len(found)))
