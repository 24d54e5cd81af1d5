"""The answer in words: it says no more than the numbers do."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import carob
from carob.cli.options import grouped
from carob.comparison.verdict import alone, method, reference_of, verdict_of


def compared(columns: dict[str, list[float]], **options: Any) -> carob.Comparison:
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
    return carob.compare(qrels, runs, ["RR"], **grouped(options))


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


def test_two_runs_that_chance_could_have_made_are_not_shown_to_differ() -> None:
    verdict = verdict_of(compared({"old": GOOD, "new": NEARLY}))
    assert verdict.headline == "old and new are not shown to differ."
    assert "which includes 0" in verdict.sentences[0]
    assert "four times out of five" in verdict.sentences[1]


def test_identical_runs_are_the_same() -> None:
    verdict = verdict_of(compared({"old": GOOD, "new": GOOD}))
    assert verdict.headline == "old and new have the same RR on every query."
    assert "identical on all 24 queries" in verdict.sentences[0]


def test_one_query_gives_no_interval() -> None:
    verdict = verdict_of(compared({"old": [0.5], "new": [1.0]}))
    assert verdict.sentences[0].endswith("a difference of +0.500. No interval can be computed from 1 query.")
    assert verdict.small.startswith("RR over 1 query;")


def test_a_leader_among_three_names_those_that_may_be_as_good() -> None:
    verdict = verdict_of(compared({"old": BAD, "new": GOOD, "near": NEARLY}))
    assert verdict.headline == "new leads, but near may be as good."
    assert "It is significantly better than old." in verdict.sentences


@pytest.mark.parametrize(
    ("others", "headline", "sentence"),
    [
        ({"old": BAD}, "new and same have the best RR.", "new is significantly better than old."),
        ({"near": NEARLY}, "No run stands out: new and same have the best RR, but not significantly.", ""),
        ({"near": NEARLY, "old": BAD}, "new and same have the best RR, but near may be as good.", ""),
        ({"third": GOOD}, "No run stands out: new, same and third have the same RR.", ""),
    ],
)
def test_runs_with_the_same_mean_lead_together(
    others: dict[str, list[float]], headline: str, sentence: str
) -> None:
    # The same values in another order, so that the means agree except for rounding, and differences exist.
    verdict = verdict_of(compared({"new": GOOD, "same": GOOD[1:] + GOOD[:1], **others}))
    assert verdict.headline == headline
    assert sentence in (*verdict.sentences, "")


def test_a_leader_that_beats_all_others_is_said_to() -> None:
    verdict = verdict_of(compared({"old": BAD, "new": GOOD, "third": WAVERING}))
    assert verdict.headline == "new is better than third and old."


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
    said = any("Uncorrected" in each for each in verdict_of(found).sentences)
    assert said == (pair.p_uncorrected < 0.05 <= pair.p_corrected)


@pytest.mark.parametrize("baseline", [None, "old"])
def test_the_page_opens_with_the_pair_that_matters(baseline: str | None) -> None:
    found = compared({"old": BAD, "new": GOOD, "near": NEARLY}, baseline=baseline)
    names = [found.names[run] for run in reference_of(found)]
    assert names == (["new", "near"] if baseline is None else ["new", "old"])


def test_a_measure_of_what_is_wrong_is_led_by_the_smallest() -> None:
    """Unjudged counts what nobody judged: the run with less of it is ahead."""
    qrels = {f"q{number}": {"a": 1, "b": 1} for number in range(12)}
    clean = {query: {"a": 2.0, "b": 1.0} for query in qrels}
    dirty = {query: {"x": 3.0, "y": 2.0, "a": 1.0 + number % 3} for number, query in enumerate(qrels)}
    found = carob.compare(qrels, {"dirty": dirty, "clean": clean}, ["P@2", "Unjudged@2"])
    assert found["Unjudged@2"].smaller_is_better
    verdict = verdict_of(found, found["Unjudged@2"])
    assert verdict.headline == "clean is better than dirty."
    assert verdict.against == found.names.index("clean")


def test_each_measure_has_its_own_verdict() -> None:
    first, last = {"a": 9.0, "x": 8.0, "b": 1.0}, {"x": 9.0, "a": 8.0, "b": 7.0}
    qrels = {f"q{number:02}": {"a": 1, "b": 1} for number in range(12)}
    runs = {"early": dict.fromkeys(qrels, first), "both": dict.fromkeys(qrels, last)}
    found = carob.compare(qrels, runs, ["RR", "P@3"], test="t")
    assert verdict_of(found).headline == verdict_of(found, found["RR"]).headline
    assert verdict_of(found).sentences[0].startswith("early has RR")
    assert "P@3" in verdict_of(found, found["P@3"]).sentences[0]
    assert verdict_of(found, found["P@3"]).small.startswith("P@3 over 12 queries")


def test_names_stand_in_the_order_of_rank() -> None:
    """Given worst first: a reader takes the first rivals named for the nearest ones."""
    draw = np.random.default_rng(1)
    columns = {name: [float(draw.choice([0.2, 0.25, 0.5, 1.0])) for _ in range(24)] for name in "hgfedcba"}
    columns["worst"] = [0.02] * 24
    found = compared(columns)
    means = dict(zip(found.names, found.primary.means, strict=True))
    verdict = verdict_of(found)
    leaders, named = (re.findall(r"\b[a-h]\b|worst", each) for each in verdict.headline.split(" but "))
    assert len(named) > 2
    assert [means[name] for name in named] == sorted((means[name] for name in named), reverse=True)
    rivals = sorted(
        (name for name in means if name not in (*leaders, "worst")), key=lambda name: -means[name]
    )
    assert named == rivals[: len(named)]


def test_every_sentence_gives_the_same_detectable_differences() -> None:
    found = compared({"bad": BAD, "good": GOOD, "wavering": WAVERING})
    few = next(each.sentence for each in found.warnings if each.kind == "few")
    ends = [f"{each(pair.detectable for pair in found.primary.pairs):.3f}" for each in (min, max)]
    assert f"of {ends[0]} to {ends[1]} (depending on the pair) four times out of five" in few
    verdict = verdict_of(compared({"bad": BAD, "near": NEARLY, "good": GOOD}))
    assert re.search(
        r"four times out of five is 0\.\d+ to 0\.\d+ \(depending on the pair\)\.", " ".join(verdict.sentences)
    )
    line = next(each for each in method(found) if each.startswith("Smallest difference"))
    assert all(each in line for each in ends)


def test_chance_can_make_a_difference_and_need_not() -> None:
    draw = np.random.default_rng(5)
    columns = {
        f"run{number}": [float(draw.choice([0.2, 0.25, 0.5, 1.0])) for _ in range(24)] for number in range(16)
    }
    found = compared(columns)
    said = [
        alone(found, pair) for pair in found.primary.pairs if pair.p_uncorrected < 0.05 <= pair.p_corrected
    ]
    assert said
    assert all("such a difference can arise by chance." in each for each in said)
