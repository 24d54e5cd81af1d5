"""What other libraries get wrong, one test each, in the order of the field's list (D1 to D11)."""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy import stats

import carob
from carob.comparison.findings import ranked
from comparison.matrices import scores, standardised, systems

DRAW = np.random.default_rng(4)
MATRIX = np.clip(DRAW.normal(0.4, 0.25, (50, 1)) + DRAW.normal(0, 0.06, (50, 30)), 0, 1)


@pytest.mark.parametrize("test", ["randomisation", "romano-wolf", "tukey", "max-t"])
def test_the_seed_decides_p_to_the_last_digit(test: str) -> None:
    def p(seed: int) -> list[tuple[float, float]]:
        found = carob.compare(None, systems(MATRIX[:, :4]), test=carob.Test(test, seed=seed, resamples=500))
        return [(each.p_uncorrected, each.p_corrected) for each in found.primary.pairs]

    with ThreadPoolExecutor(2) as pool:
        again = list(pool.map(p, [7, 7, 7]))
    assert again[0] == again[1] == again[2]
    assert p(8) != again[0]


def test_ties_among_resamples_count() -> None:
    """Four differences that are not 0, .2 .2 .2 .1: exactly 2 of 16 sign patterns reach them, whatever the threads."""
    a = scores("run95", [0.3, 0.5, 0.7, 0.2] + [0.4] * 46, "P@10")
    b = scores("run94", [0.1, 0.3, 0.5, 0.1] + [0.4] * 46, "P@10")
    found = carob.compare(None, [a, b], test="randomisation").primary.pairs[0]
    assert found.p_uncorrected == 0.125


def test_p_is_never_zero() -> None:
    a = scores("a", 0.9 + 0.01 * standardised(100))
    b = scores("b", 0.1 + 0.01 * standardised(100, seed=6))
    for test in ("randomisation", "romano-wolf", "tukey", "max-t"):
        found = carob.compare(None, [a, b], test=carob.Test(test, resamples=99))
        assert found.primary.pairs[0].p_corrected > 0
        assert " 0.000" not in str(found)


def test_each_pair_is_tested_once() -> None:
    pairs = carob.compare(None, systems(MATRIX), test="t").primary.pairs
    assert len(pairs) == 435
    assert len({frozenset((each.a, each.b)) for each in pairs}) == 435


@pytest.mark.parametrize("runs", [27, 60])
def test_more_than_26_systems_can_be_printed(runs: int) -> None:
    matrix = np.random.default_rng(1).random((20, runs))
    found = carob.compare(None, systems(matrix), test="t")
    assert json.loads(found.to_json())["runs"][ranked(found.primary)[26]]["letter"] == "aa"
    for written in (found.to_text(), found.to_latex(), found.to_markdown()):
        assert f"s{runs - 1}" in written
        assert re.search(r"\baa\b", written)
        assert not re.search("[\u0600-\u06ff]", written)


def test_tukeys_test_takes_queries_out() -> None:
    """Queries differ far more than systems: a test of independent samples sees nothing, a paired one does."""
    matrix = DRAW.random((50, 1)) * 0.8 + 0.01 * DRAW.normal(size=(50, 3)) + np.array([0, 0.05, 0.1])
    found = carob.compare(None, systems(matrix), test=carob.Test(resamples=2000)).primary.pairs
    assert all(each.p_corrected < 0.01 for each in found)
    assert stats.tukey_hsd(*matrix.T).pvalue[0, 2] > 0.05


def test_identical_runs_are_no_nan() -> None:
    found = carob.compare(None, [scores("a", MATRIX[:, 0]), scores("b", MATRIX[:, 0])])
    assert found.primary.pairs[0].p_uncorrected == 1.0
    assert "nan" not in str(found).lower()


def test_two_runs_of_one_name_are_refused() -> None:
    with pytest.raises(carob.DataError, match="2 runs are called 'same'"):
        carob.compare(None, [scores("same", MATRIX[:, 0]), scores("same", MATRIX[:, 1])])


def test_latex_escapes_every_special_character_and_marks_all_tied_best() -> None:
    base = MATRIX[:, 0]
    found = carob.compare(None, [scores(r"a&b_50%#$^~\{}", base), scores("second", base)])
    written = found.to_latex(label="tab:x")
    assert r"a\&b\_50\%\#\$\textasciicircum{}\textasciitilde{}\textbackslash{}\{\}" in written
    assert written.count(r"\textbf{") == 2
    assert r"\label{tab:x}" in written
    assert "\\usepackage{booktabs}" in written.splitlines()[0]


def test_any_run_may_be_the_baseline_and_decisions_are_made_before_rounding() -> None:
    near = 0.2 * standardised(60)
    base = np.full(60, 0.5)
    low, high = 0.0, 0.2
    for _ in range(60):  # the difference at which p is just below .05
        middle = (low + high) / 2
        low, high = (middle, high) if stats.ttest_1samp(near + middle, 0).pvalue > 0.0499 else (low, middle)
    found = carob.compare(None, [scores("new", base + near + high), scores("old", base)], baseline="old")
    assert 0.0495 < found.primary.pairs[0].p_uncorrected < 0.05
    assert found.primary.letters == ("b", "")
    assert "0.050" not in str(found)
    others = [carob.compare(None, systems(MATRIX[:, :3]), baseline=run).primary.pairs for run in range(3)]
    assert [[each.b for each in pairs] for pairs in others] == [[0, 0], [1, 1], [2, 2]]


def test_topics_that_one_run_lacks_are_not_dropped() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}}
    full = {query: {"a": 1.0} for query in qrels}
    part = {"q1": {"a": 1.0}}
    found = carob.compare(qrels, {"full": full, "part": part}, "RR").primary
    assert found.means == pytest.approx((1, 1 / 3))
    assert found.pairs[0].n == 3
