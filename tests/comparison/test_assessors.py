"""Comparisons with a second assessor of some of the documents."""

from __future__ import annotations

import json
import math
import random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy import stats

import carob
from carob import DataError, PolicyError
from carob.cli import main

if TYPE_CHECKING:
    from pathlib import Path

QUERIES, DOCUMENTS = [f"q{n:02}" for n in range(30)], [f"d{n}" for n in range(12)]
DRAW = random.Random(1)
FIRST = {query: {each: DRAW.choice([0, 0, 1, 2]) for each in DOCUMENTS} for query in QUERIES}
TWICE = QUERIES[:20]
SECOND = {
    query: {each: DRAW.choice([grade, grade, 0, 2]) for each, grade in FIRST[query].items()}
    for query in TWICE
}
MODEL = {
    query: {each: min(2, grade + DRAW.choice([0, 0, 1])) for each, grade in its.items()}
    for query, its in FIRST.items()
}
RUNS = {name: {query: {each: DRAW.random() for each in DOCUMENTS} for query in QUERIES} for name in "abc"}
MEASURE = "nDCG@5"


def compared(second: Any = SECOND, measures: Any = MEASURE, **options: Any) -> carob.Comparison:
    return carob.compare(FIRST, RUNS, measures, design=carob.Design(second_assessor=second), **options)


def differences(qrels: Any, queries: list[str], measure: str = MEASURE) -> Any:
    """The differences a - b, a - c, b - c of these queries [queries, pairs]."""
    a, b, c = (
        np.array([each.by_query(measure)[query] for query in queries])
        for each in carob.evaluate(qrels, RUNS, measure).runs
    )
    return np.stack([a - b, a - c, b - c], axis=1)


def test_noise_is_that_of_scores_by_both_assessors_grades() -> None:
    found = compared().assessors
    assert found is not None
    its = found.measures[MEASURE]
    own, other = differences(FIRST, TWICE), differences(SECOND, TWICE)
    assert its.queries == 20
    assert its.pairs.deviation == pytest.approx(np.sqrt(((own - other) ** 2).mean(axis=0) / 2))
    whole = differences(FIRST, QUERIES)
    assert its.pairs.share == pytest.approx(((own - other) ** 2).mean(axis=0) / 2 / whole.var(axis=0, ddof=1))
    ends = stats.ttest_1samp(other - own, 0).confidence_interval(0.95)
    assert its.pairs.shift_low == pytest.approx(ends.low)
    assert its.pairs.shift_high == pytest.approx(ends.high)
    assert its.pairs.half == pytest.approx(stats.t.ppf(0.975, 20) * its.pairs.deviation / math.sqrt(30))
    grades = [(FIRST[query][each], SECOND[query][each]) for query in TWICE for each in DOCUMENTS]
    assert (found.documents, found.shared, found.equal) == (240, 240, sum(one == two for one, two in grades))


def test_only_grades_differ_between_the_assessors() -> None:
    """A document that the second did not judge keeps its grade, and one that only the second judged is left out."""
    some = {query: {"new": 2, **dict(list(its.items())[::2])} for query, its in SECOND.items()}
    both = {query: FIRST[query] | dict(list(its.items())[::2]) for query, its in SECOND.items()}
    found, same = compared(some).assessors, compared(both).assessors
    assert found is not None
    assert same is not None
    assert found.measures[MEASURE].pairs.deviation == pytest.approx(same.measures[MEASURE].pairs.deviation)
    assert (found.documents, found.shared) == (240, 120)


def test_intervals_over_similar_queries_stay_as_they_are() -> None:
    """The variance between queries contains the noise of one assessor."""
    assert compared()[MEASURE].pairs == carob.compare(FIRST, RUNS, MEASURE)[MEASURE].pairs
    similar = carob.Design(target="similar")
    with_noise = carob.Design(target="similar", second_assessor=SECOND)
    plain, noisy = (
        carob.compare(FIRST, RUNS, MEASURE, judge=MODEL, design=each)[MEASURE]
        for each in (similar, with_noise)
    )
    assert plain.pairs == noisy.pairs


@pytest.mark.parametrize("judge", [None, MODEL])
def test_an_assessors_own_tendency_is_said_not_to_be_covered(judge: Any) -> None:
    found = compared() if judge is None else compared(judge=judge)
    assert "if assessors favour one run of a pair, which cannot be detected with two assessors" in " ".join(
        str(found).split()
    )


def test_noise_is_added_to_the_errors_of_estimates_for_these_queries() -> None:
    """If people judged all queries, nothing else is left of the error."""
    found = compared(judge=MODEL)
    own, other = differences(FIRST, TWICE), differences(SECOND, TWICE)
    error = np.sqrt(((own - other) ** 2).mean(axis=0) / 2 / 30)
    for pair, each in zip(found[MEASURE].pairs, error, strict=True):
        half = stats.t.ppf(0.975, 20) * each
        assert (pair.low, pair.high) == pytest.approx((pair.difference - half, pair.difference + half))
        assert pair.p_uncorrected == pytest.approx(2 * stats.t.sf(abs(pair.difference) / each, 20))
    assert not found.exact
    assert "and do not generalise to other queries" in " ".join(str(found).split())
    assert "λ" not in str(found)


def test_variances_add_up_with_welchs_degrees_of_freedom() -> None:
    people = {query: FIRST[query] for query in QUERIES[:15]}
    designs = carob.Design(judge_weight=0.5), carob.Design(judge_weight=0.5, second_assessor=SECOND)
    plain, noisy = (
        carob.compare(people, RUNS, MEASURE, judge=MODEL, design=each)[MEASURE].pairs for each in designs
    )
    own, other = differences(FIRST, QUERIES[:15]), differences(SECOND, QUERIES[:15])
    added = ((own - other) ** 2).mean(axis=0) / 2 / 30
    for before, after, its in zip(plain, noisy, added, strict=True):
        squared = ((before.high - before.low) / 2 / stats.t.ppf(0.975, 14)) ** 2
        freedom = (squared + its) ** 2 / (squared**2 / 14 + its**2 / 15)
        half = stats.t.ppf(0.975, freedom) * math.sqrt(squared + its)
        assert (after.low, after.high) == pytest.approx((after.difference - half, after.difference + half))


@pytest.mark.parametrize(
    ("second", "measures", "said"),
    [
        ({query: SECOND[query] for query in TWICE[:5]}, MEASURE, "judged 5 queries: with fewer than 12"),
        ({query: {"d1": 1} for query in TWICE}, MEASURE, "judged 8% of the documents of these queries"),
        (
            {query: FIRST[query] for query in TWICE},
            MEASURE,
            "grades of all 240 documents are the same as the first assessor's: are they a copy",
        ),
        (
            {query: {d: 4 * g for d, g in its.items()} for query, its in SECOND.items()},
            "P@5",
            "scales differ",
        ),
        (
            SECOND,
            ["AP", "GMAP"],
            "GMAP: not a plain mean over queries, so the noise of assessors is not estimated",
        ),
    ],
)
def test_doubts_about_the_noise_are_told(second: Any, measures: Any, said: str) -> None:
    found = compared(second, measures)
    assert any(said in each.sentence for each in found.warnings), found.warnings


def test_a_shift_that_all_queries_share_is_told() -> None:
    """The second assessor finds what the first run has at its top not relevant, whatever the query."""
    lower = {
        query: {each: 0 if RUNS["a"][query][each] > 0.6 else grade for each, grade in FIRST[query].items()}
        for query in TWICE
    }
    found = compared(lower)
    shifted = [each for each in found.warnings if each.kind == "assessors"]
    assert (
        "differences in nDCG@5 would be shifted by more than chance explains: a - b -" in shifted[0].sentence
    )
    assert shifted[0].numbers["shifted"] == [0, 1]


@pytest.mark.parametrize(
    ("called", "error", "said"),
    [
        (lambda: compared({"other": {"d": 1}}), DataError, "no document in common"),
        (lambda: compared(measures="GMAP"), DataError, "GMAP is not a plain mean over queries"),
        (
            lambda: carob.compare(
                None,
                carob.evaluate(FIRST, RUNS, MEASURE),
                design=carob.Design(second_assessor=SECOND),
            ),
            DataError,
            "can only be compared with judgments and runs, but scores were passed",
        ),
        (
            lambda: carob.compare(
                FIRST,
                RUNS,
                MEASURE,
                design=carob.Design(second_assessor=SECOND, weights=dict.fromkeys(QUERIES, 2.0)),
            ),
            PolicyError,
            "fully judged queries of equal weight",
        ),
        (
            lambda: carob.estimate(FIRST, MODEL, RUNS, MEASURE, design=carob.Design(second_assessor=SECOND)),
            PolicyError,
            "second_assessor has no meaning outside carob.compare",
        ),
    ],
)
def test_what_has_no_noise_is_refused(called: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        called()


def test_the_command_takes_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def written(name: str, qrels: Any) -> str:
        path = tmp_path / name
        lines = [f"{q} 0 {d} {g}\n" for q, its in qrels.items() for d, g in its.items()]
        path.write_text("".join(lines))
        return str(path)

    runs = []
    for name in "ab":
        path = tmp_path / f"{name}.run"
        ranked = {q: sorted(its, key=its.__getitem__, reverse=True) for q, its in RUNS[name].items()}
        path.write_text(
            "".join(f"{q} Q0 {d} {n} {-n} x\n" for q, its in ranked.items() for n, d in enumerate(its, 1))
        )
        runs.append(str(path))
    command = ["compare", written("first", FIRST), *runs, "-m", MEASURE]
    main([*command, "--second-assessor", written("second", SECOND)])
    out = capsys.readouterr().out
    assert "other assessors, 95% CI" in out
    assert "They already include the assessors' noise" in " ".join(out.split())
    main([*command, "--second-assessor", written("second", SECOND), "--format", "json"])
    found = json.loads(capsys.readouterr().out)["assessors"]["measures"][MEASURE]
    of_python = compared().assessors
    assert of_python is not None
    assert found["pairs"]["deviation"] == pytest.approx([of_python.measures[MEASURE].pairs.deviation[0]])


def test_one_measure_with_two_labels_has_the_same_noise_under_each() -> None:
    design = carob.Design(second_assessor=SECOND)
    found = carob.compare(FIRST, RUNS, ["AP", "map"], design=design).assessors
    assert found is not None
    assert found.measures["AP"].queries == found.measures["map"].queries
    assert found.measures["AP"].pairs.deviation == pytest.approx(found.measures["map"].pairs.deviation)
