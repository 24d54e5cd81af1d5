"""The answer in words: it says no more than the numbers do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat
from karat.comparison.verdict import reference_of, verdict_of


def compared(columns: dict[str, list[float]], **options: Any) -> karat.Comparison:
    """Runs whose RR on each query is the number given: the only relevant document at rank 1/number."""
    queries = [f"q{number:02}" for number in range(len(next(iter(columns.values()))))]
    qrels = {query: {"relevant": 1} for query in queries}
    runs = {
        name: {
            query: {**{f"d{place}": 9.0 - place for place in range(round(1 / value) - 1)}, "relevant": 0.0}
            for query, value in zip(queries, column, strict=True)
        }
        for name, column in columns.items()
    }
    return karat.compare(qrels, runs, ["RR"], **options)


BAD, GOOD = [0.25, 0.2, 0.5, 0.25] * 6, [1.0, 0.5, 1.0, 1.0] * 6
WAVERING = [1.0, 0.2, 0.2, 0.5] * 6
NEARLY = [0.5, *GOOD[1:]]


def test_a_sure_winner_of_two_is_called_better() -> None:
    verdict = verdict_of(compared({"old": BAD, "new": GOOD}))
    assert verdict.headline == "new is better than old."
    # Means .875 and .3; the differences .75 .3 .5 .75 have the mean .575.
    assert "new has RR 0.875, old 0.300: a difference of +0.575" in verdict.sentences[0]
    assert "p < 0.001" in verdict.sentences[0]
    assert "includes 0" not in verdict.sentences[0]


def test_two_runs_that_chance_could_have_made_cannot_be_told_apart() -> None:
    verdict = verdict_of(compared({"old": GOOD, "new": NEARLY}))
    assert verdict.headline == "old and new cannot be told apart."
    assert "which includes 0" in verdict.sentences[0]
    assert "four times out of five" in verdict.sentences[1]


def test_identical_runs_are_the_same() -> None:
    verdict = verdict_of(compared({"old": GOOD, "new": GOOD}))
    assert verdict.headline == "old and new are the same."
    assert "identical on all 24 queries" in verdict.sentences[0]


def test_one_query_gives_no_interval() -> None:
    verdict = verdict_of(compared({"old": [0.5], "new": [1.0]}))
    assert verdict.sentences[0].endswith(
        "a difference of +0.500, without an interval, since 1 query cannot give one."
    )
    assert verdict.small.startswith("RR over 1 query;")


def test_a_leader_among_three_names_those_that_may_be_as_good() -> None:
    verdict = verdict_of(compared({"old": BAD, "new": GOOD, "near": NEARLY}))
    assert verdict.headline == "new leads, but near may be as good."
    assert "It is significantly better than old." in verdict.sentences


def test_a_leader_that_beats_all_others_is_said_to() -> None:
    verdict = verdict_of(compared({"old": BAD, "new": GOOD, "third": WAVERING}))
    assert verdict.headline == "new is better than all 2 others."


def test_against_a_baseline_each_run_is_put_on_its_side() -> None:
    verdict = verdict_of(compared({"mid": WAVERING, "new": GOOD, "low": BAD}, baseline="mid"))
    assert verdict.headline == "new is better than mid."
    assert not any("low" in each and "better" in each for each in verdict.sentences)


def test_a_pair_that_only_the_correction_saves_is_explained() -> None:
    draw = np.random.default_rng(5)
    columns = {
        f"run{number}": [float(draw.choice([0.2, 0.25, 0.5, 1.0])) for _ in range(24)] for number in range(8)
    }
    columns["best"] = [
        min(1.0, 2 * value) if place % 3 else value for place, value in enumerate(columns["run1"])
    ]
    found = compared(columns)
    best, second = reference_of(found)
    pair = next(each for each in found.primary.pairs if {each.a, each.b} == {best, second})
    said = any("Looked at alone" in each for each in verdict_of(found).sentences)
    assert said == (pair.p < 0.05 <= pair.adjusted)


@pytest.mark.parametrize("baseline", [None, "old"])
def test_the_page_opens_with_the_pair_that_matters(baseline: str | None) -> None:
    found = compared({"old": BAD, "new": GOOD, "near": NEARLY}, baseline=baseline)
    names = [found.names[run] for run in reference_of(found)]
    assert names == (["new", "near"] if baseline is None else ["new", "old"])
