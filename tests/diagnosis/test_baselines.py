"""The scores of rankings that ignore the query: closed forms, arithmetic, every order; and saturated measures."""

from __future__ import annotations

import json
import math
from itertools import permutations
from typing import Any

import pytest

import carob
from diagnosis import broken


def near(found: carob.Check) -> list[str]:
    return [each.what for each in found.of("near-baseline")]


def ranked(documents: list[str]) -> dict[str, float]:
    """A list in this order."""
    return {document: float(len(documents) - place) for place, document in enumerate(documents)}


def test_a_random_order_has_the_mean_over_all_orders() -> None:
    qrels = {f"q{n}": {"a": 1, "b": 0, "c": 2, "d": 0, "e": 1} for n in range(400)}
    documents = ["a", "x", "b", "c"]
    run = {query: ranked(documents) for query in qrels}
    every = {f"q{n}": ranked(list(order)) for n, order in enumerate(permutations(documents))}
    measures = ["AP", "nDCG@10", "RR"]
    mean = carob.evaluate({query: qrels[query] for query in every}, every, measures)
    for each in carob.check(qrels, run, measures=measures).baselines:
        assert each.random == pytest.approx(mean[each.measure], abs=0.005)


def test_random_ap_has_its_closed_form() -> None:
    # E[AP] of r relevant among L in a random order, all retrieved: Σ_k (r/L)/r · (1/k)(1 + (k-1)(r-1)/(L-1)).
    length, relevant = 20, 5
    closed = sum((1 + (k - 1) * (relevant - 1) / (length - 1)) / k for k in range(1, length + 1)) / length
    qrels = {f"q{n}": {f"d{n}-{m}": int(m < relevant) for m in range(length)} for n in range(300)}
    run = {query: ranked(list(its)) for query, its in qrels.items()}
    (found,) = carob.check(qrels, run, measures="AP").baselines
    assert (found.value, found.at_one, found.queries) == (1.0, 300, 300)
    assert found.random == pytest.approx(closed, abs=0.005)


def test_popular_documents_are_those_that_are_relevant_to_other_queries() -> None:
    # Without q0's judgments, 'hit' is relevant to two queries, and 'own', 'two' and 'x' to one each, in this order by
    # id: q0 has relevant documents at ranks 1 and 3, and so has q1. Without q2's, the list is hit, two, x: rank 1 of 2
    # relevant ones. Without q3's, 'x' is relevant to none.
    qrels = {
        "q0": {"hit": 1, "two": 1},
        "q1": {"hit": 1, "two": 1},
        "q2": {"hit": 1, "own": 1},
        "q3": {"bad": 0, "x": 1},
    }
    for depth, expected in ((3, (5 / 6 + 5 / 6 + 1 / 2) / 4), (2, (1 / 2 + 1 / 2 + 1 / 2) / 4)):
        run = {query: ranked(["bad", "x", "y"][:depth]) for query in qrels}
        (found,) = carob.check(qrels, run, measures="AP").baselines
        assert found.popular == pytest.approx(expected)


def test_another_querys_list_is_that_of_the_next() -> None:
    qrels = {f"q{n}": {f"d{n}": 1, "all": 0} for n in range(10)}
    run = {f"q{n}": ranked([f"d{(n - 1) % 10}", "all", f"d{n}"]) for n in range(10)}
    (found,) = carob.check(qrels, run, measures="RR").baselines
    assert (found.value, found.other) == pytest.approx((1 / 3, 1.0))
    half = {**run, "q0": ranked(["x", "y"]), "q1": ranked(["x", "y"])}
    assert "RR is 0.2667, and with the lists of other queries it is 0.8000" in near(
        carob.check(qrels, half, measures="RR")
    )


def test_a_run_in_random_order_is_near_and_a_good_one_is_not() -> None:
    case = broken.CASES["near-baseline"]
    found = carob.check(case.qrels.encode(), case.runs[0].encode())  # type: ignore[union-attr]
    (finding,) = found.of("near-baseline")
    assert "a random order of the same documents has" in finding.what
    assert set(finding.values) == {
        "of the run",
        *(f"of {each}" for each in ("random order", "same documents", "another query")),
    }
    assert not near(carob.check(broken.qrels().encode(), broken.run().encode()))


def test_baselines_are_in_every_format() -> None:
    found = carob.check(
        broken.qrels().encode(), {f"run{n}": broken.run(depth=12 - n).encode() for n in range(5)}
    )
    assert len(found.baselines) == 10
    assert "2 more rows: to_json() contains all rows." in " ".join(found.to_text().split())
    command = found.document().on_command_line().text()
    assert "2 more rows: --format json contains all rows." in " ".join(command.split())
    assert len(json.loads(found.to_json())["baselines"]) == 10
    assert "same<br>documents" in found.to_markdown()
    assert all(len(line) <= 80 for line in found.to_text().splitlines())


def test_a_large_collection_is_sampled_and_says_so() -> None:
    qrels = {f"q{n}": {f"d{n}": 1, f"e{n}": 0} for n in range(3000)}
    run = {f"q{n}": ranked([f"d{n}", f"e{n}"] if n % 3 else [f"e{n}", f"d{n}"]) for n in range(3000)}
    found = carob.check(qrels, run, measures="AP")
    (baseline,) = found.baselines
    assert (baseline.sampled, baseline.queries) == (2000, 3000)
    assert baseline.random == pytest.approx(0.75, abs=0.02)
    assert "random sample of 2,000 of 3,000 queries" in " ".join(found.to_text().split())
    assert carob.check(qrels, run, measures="AP").baselines == found.baselines


@pytest.mark.parametrize("measures", [["Judged@5"], ["AP", "infAP"], ["Unjudged@5", "E@5"]])
def test_measures_of_every_kind_have_baselines(measures: list[str]) -> None:
    found = carob.check(broken.qrels().encode(), broken.run().encode(), measures=measures)
    assert [each.measure for each in found.baselines] == measures
    assert str(found)


def alike(count: int, documents: list[str], queries: int = 30) -> tuple[dict[str, Any], dict[str, Any]]:
    """Judgments of ``count`` relevant among ten documents, the same for every query, and one list for all queries."""
    qrels = {f"q{n}": {f"d{m}": int(m < count) for m in range(10)} for n in range(queries)}
    return qrels, {query: ranked(documents) for query in qrels}


def test_one_list_for_every_query_is_near_the_list_of_another_query() -> None:
    found = carob.check(*alike(5, [f"d{(m + 3) % 10}" for m in range(10)]), measures="AP")
    (baseline,) = found.baselines
    # Relevant at ranks 1, 2, 8, 9 and 10; the list exceeds a random order.
    value = (1 + 1 + 3 / 8 + 4 / 9 + 5 / 10) / 5
    assert (baseline.value, baseline.other, baseline.popular) == pytest.approx((value, value, 1.0))
    assert baseline.near == ("same documents", "another query")
    assert [each.severity for each in found.of("near-baseline")] == ["warning", "note"]


def test_a_baseline_near_one_must_be_exceeded_but_not_clearly() -> None:
    (same,) = carob.check(*alike(9, [f"d{m}" for m in (*range(8), 9, 8)]), measures="AP").baselines
    assert same.other == same.value == pytest.approx((8 + 9 / 10) / 9)
    assert "another query" in same.near
    # Another document is irrelevant to each query: it is last in its list, and before in those of its neighbours.
    qrels = {f"q{n}": {f"d{m}": int(m != n) for m in range(10)} for n in range(10)}
    run = {
        f"q{n}": ranked([f"d{(n + step) % 10}" for step in (2, 3, 4, 5, 6, 7, 8, 1, 9, 0)]) for n in range(10)
    }
    (apart,) = carob.check(qrels, run, measures="AP").baselines
    assert apart.value == 1.0
    assert 0.95 < apart.other < 1
    assert "another query" not in apart.near


def test_the_order_of_a_set_is_no_finding_but_the_set_of_another_query_is() -> None:
    (found,) = carob.check(*alike(5, [f"d{m}" for m in range(10)]), measures="SetP").baselines
    assert found.value == found.random == found.other == 0.5
    assert found.near == ("same documents", "another query")


@pytest.mark.parametrize("measure", ["NumQ", "NumRet", "NumRelRet"])
def test_counts_over_queries_have_no_baseline(measure: str) -> None:
    given = alike(5, [f"d{m}" for m in range(10)])
    found = carob.check(*given, measures=[measure, "AP"])
    assert [each.measure for each in found.baselines] == ["AP"]
    alone = carob.check(*given, measures=measure)
    assert not alone.baselines
    assert not alone.of("near-baseline")
    assert not alone.of("perfect")


def saturated(wrong: int, queries: int = 25) -> Any:
    """The check of runs of which all but a few queries have the value 1."""
    qrels = {f"q{n:02}": {f"d{n}": 1, f"e{n}": 0} for n in range(queries)}

    def run(count: int) -> dict[str, dict[str, float]]:
        return {
            q: ranked([f"e{n}", f"d{n}"] if n < count else [f"d{n}", f"e{n}"]) for n, q in enumerate(qrels)
        }

    return carob.check(qrels, {"a": run(wrong), "b": run(max(wrong - 1, 0))}, measures="RR")


def test_saturation_names_how_many_queries_can_still_move() -> None:
    (found,) = saturated(4, 51).of("saturated")
    assert found.what == "RR is 1 for 47 of 51 queries in every run: 4 can still change"
    assert found.count == 47
    # The best run has 1/2 on three queries. 2 · (1/2)^4 = 1/8.
    assert f"would gain {1.5 / 51:.4f} over the best run" in found.effect
    assert "at least 0.12" in found.effect


def test_saturation_with_enough_queries_says_what_they_detect() -> None:
    (found,) = saturated(8, 60).of("saturated")
    gains = [0.5] * 7 + [0.0] * 53
    mean = sum(gains) / 60
    sd = math.sqrt(sum((each - mean) ** 2 for each in gains) / 59)
    assert "or more with 80% power" in found.effect
    detected = float(found.effect.rpartition("a difference of ")[2].split()[0])
    assert detected == pytest.approx(2.85 * sd / math.sqrt(60), rel=0.02)


def test_half_of_the_queries_are_not_yet_saturated_if_many_others_move() -> None:
    assert not saturated(12, 25).of("saturated")
    assert saturated(4, 10).of("saturated")
    assert not saturated(0).of("saturated")  # perfect runs have a finding of their own
