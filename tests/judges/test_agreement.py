"""Agreement of judges: hand-worked tables, published values, and what a judge does to the order of systems."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import carob
from carob import DataError, PolicyError
from carob.statistics.coefficients import quadratic_kappa, scale_of
from judges.judgments import HUMAN, LIKES_A, LIKES_C, MODEL, SYSTEMS, Qrels, judges, ranked
from strategies import first


def from_table(table: list[list[int]], queries: int = 1) -> tuple[Qrels, Qrels]:
    """Judgments of two judges that have this confusion table, the documents dealt out over the queries."""
    pairs = [(i, j) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)]
    one: Qrels = {f"q{each}": {} for each in range(queries)}
    other: Qrels = {f"q{each}": {} for each in range(queries)}
    for number, (i, j) in enumerate(pairs):
        one[f"q{number % queries}"][f"d{number}"] = i
        other[f"q{number % queries}"][f"d{number}"] = j
    return one, other


def test_hand_worked() -> None:
    """Five documents: (2,2) (0,1) (1,1) in q1, (1,1) (0,0) (0,2) in q2 makes six; four grades are the same."""
    found = carob.agreement(HUMAN, MODEL)
    assert found.shared == 6
    assert (found.pairing.only_a, found.pairing.only_b) == (1, 1)
    assert found.pairing.queries == ("q1", "q2")
    assert (found.pairing.queries_a, found.pairing.queries_b) == (("only a",), ("only b",))
    assert found.grades == (0, 1, 2)
    assert found.table.tolist() == [[1, 1, 1], [0, 2, 0], [0, 0, 1]]
    assert found["same grade"].value == 4 / 6
    assert found["within one grade"].value == 5 / 6
    assert found["bias, B - A"].value == (1 + 2) / 6
    # Shares of A: 3/6 2/6 1/6, of B: 1/6 3/6 2/6; by chance the same: (3*1 + 2*3 + 1*2)/36.
    chance = 11 / 36
    assert found["kappa"].value == pytest.approx((4 / 6 - chance) / (1 - chance))
    # Quadratic costs (i-j)^2: observed (1 + 4)/6, expected over both shares.
    costs = sum(a * b * (i - j) ** 2 for i, a in enumerate((3, 2, 1)) for j, b in enumerate((1, 3, 2))) / 36
    assert found["kappa, quadratic"].value == pytest.approx(1 - (5 / 6) / costs)
    share = [(3 + 1) / 12, (2 + 3) / 12, (1 + 2) / 12]
    chance = sum(each * (1 - each) for each in share) / 2
    assert found["AC1"].value == pytest.approx((4 / 6 - chance) / (1 - chance))


@pytest.mark.parametrize(
    ("table", "name", "value"),
    [
        # The worked example of Wikipedia's article on Cohen's kappa.
        ([[20, 5], [10, 15]], "kappa", 0.4),
        # Gwet (2008): where nearly all is one grade, kappa falls and AC1 does not.
        (
            [[118, 5], [2, 0]],
            "kappa",
            (118 / 125 - (123 * 120 + 2 * 5) / 125**2) / (1 - (123 * 120 + 2 * 5) / 125**2),
        ),
        (
            [[118, 5], [2, 0]],
            "AC1",
            (118 / 125 - 2 * (243 / 250) * (7 / 250)) / (1 - 2 * (243 / 250) * (7 / 250)),
        ),
        # Observed 12 / 42; expected (4 * 13 * 16 * 1 + 2 * 13 * 13 * 4) / 42**2.
        (
            [[10, 3, 0], [3, 10, 3], [0, 3, 10]],
            "kappa, quadratic",
            1 - 12 * 42 / (4 * 13 * 16 + 8 * 13 * 13),
        ),
    ],
)
def test_published_and_closed_values(table: list[list[int]], name: str, value: float) -> None:
    assert carob.agreement(*from_table(table))[name].value == pytest.approx(value, abs=1e-12)


def test_ordinal_alpha_is_one_less_observed_over_expected_disagreement() -> None:
    table = np.array([[6, 2, 0], [1, 5, 2], [0, 1, 8]])
    found = carob.agreement(*from_table(table.tolist()))["alpha, ordinal"].value
    total = table.sum(axis=0) + table.sum(axis=1)

    def distance(i: int, j: int) -> float:
        low, high = sorted((i, j))
        return float((total[low : high + 1].sum() - (total[low] + total[high]) / 2) ** 2)

    observed = sum(table[i, j] * distance(i, j) * 2 for i in range(3) for j in range(3))
    expected = sum(total[i] * total[j] * distance(i, j) for i in range(3) for j in range(3)) / (
        total.sum() - 1
    )
    assert found == pytest.approx(1 - observed / expected, abs=1e-12)


def test_a_grade_that_nobody_gave_still_counts_as_a_step() -> None:
    """0 against 3 is three steps, though neither 1 nor 2 was ever given; fractional grades are taken as they come."""
    assert scale_of(np.array([0.0, 3.0]), np.array([0.0, 1.0])).tolist() == [0, 1, 2, 3]
    assert scale_of(np.array([0.0, 0.5]), np.array([1.0, 0.0])).tolist() == [0, 0.5, 1]
    with pytest.raises(
        DataError, match=r"gave 30 different grades \(0 … 0\.966667\), which look like scores"
    ):
        carob.agreement(
            {"q": {f"d{each}": each / 30 for each in range(30)}}, {"q": {f"d{each}": 0 for each in range(30)}}
        )


def test_perfect_agreement_and_one_grade_only() -> None:
    same = carob.agreement(HUMAN, HUMAN)
    assert {each.name: each.value for each in same.statistics} == {
        "same grade": 1,
        "within one grade": 1,
        "kappa, quadratic": 1,
        "kappa, linear": 1,
        "kappa": 1,
        "alpha, ordinal": 1,
        "AC1": 1,
        "AC2, quadratic": 1,
        "bias, B - A": 0,
    }
    flat = carob.agreement({"q": {"a": 1, "b": 1}}, {"q": {"a": 1, "b": 1}})
    assert math.isnan(flat["kappa"].value)
    assert flat.to_text().startswith("overlap: 100%, 2 of 2 documents that A or B judged relevant\n")
    assert json.loads(flat.to_json())["statistics"]["kappa"]["value"] is None


def test_intervals_draw_whole_queries_and_are_the_same_again() -> None:
    one, other = judges(30)
    found = carob.agreement(one, other, seed=5)
    for each in found.statistics:
        assert each.low <= each.value <= each.high
    again = carob.agreement(dict(reversed(list(one.items()))), dict(reversed(list(other.items()))), seed=5)
    assert again.statistics == found.statistics
    assert carob.agreement(one, other, seed=6).statistics != found.statistics
    # The same documents in one query: nothing to draw, so no interval.
    single = [
        {"q": {f"{q} {d}": g for q, its in each.items() for d, g in its.items()}} for each in (one, other)
    ]
    whole = carob.agreement(*single)
    assert whole["kappa"].value == found["kappa"].value
    assert math.isnan(whole["kappa"].low)


def test_the_interval_of_a_share_is_that_of_its_cluster_bootstrap() -> None:
    one, other = judges(40)
    found = carob.agreement(one, other, resamples=4000)["same grade"]
    shares = [np.mean([one[q][d] == other[q][d] for d in one[q]]) for q in one]  # twelve documents each
    theirs = stats.bootstrap((shares,), np.mean, n_resamples=4000, method="percentile", random_state=1)
    assert found.low == pytest.approx(theirs.confidence_interval.low, abs=0.01)
    assert found.high == pytest.approx(theirs.confidence_interval.high, abs=0.01)


def test_kappa_by_query() -> None:
    one, other = judges(5)
    found = carob.agreement(one, other)
    alone = carob.agreement({"q03": one["q03"]}, {"q03": other["q03"]})
    scale = {grade for its in (one["q03"], other["q03"]) for grade in its.values()}
    assert scale == {0, 1, 2, 3}
    assert found.kappas[3] == pytest.approx(alone["kappa, quadratic"].value)


# ---------------------------------------------------------------- systems


def test_a_judge_who_likes_the_last_document_turns_the_order_round() -> None:
    (effect,) = carob.agreement(LIKES_A, LIKES_C, SYSTEMS, "RR").effects
    assert effect.a == (1, 1 / 2, 1 / 3)
    assert effect.b == (1 / 3, 1 / 3, 1)
    assert effect.ranks_a == (1, 2, 3)
    assert effect.ranks_b == (2, 2, 1)  # equal means share the better rank
    # Of three pairs one is tied under B and two are opposite: tau_b = -2 / sqrt(3 * 2).
    assert effect.tau == pytest.approx(-2 / math.sqrt(6))
    assert effect.tau == pytest.approx(stats.kendalltau(effect.a, effect.b).statistic)
    assert effect.flips == (("first", "third"), ("second", "third"))
    assert effect.moved == ("third", 3, 1)


def test_the_interval_of_tau_is_that_of_correlate() -> None:
    coffee = Path(__file__).parents[2] / "examples" / "coffee"
    people, model = str(coffee / "people.txt"), str(coffee / "model.txt")
    runs = sorted(map(str, (coffee / "runs").glob("*.run")))
    found = carob.agreement(people, model, runs, ["nDCG@10", "AP"])
    for each in found.effects:
        theirs = carob.correlate(people, model, runs, each.label).as_dict()
        tau = next(its for its in theirs["judges"][0]["coefficients"] if its["name"] == "kendall")
        assert [each.tau, each.tau_low, each.tau_high] == pytest.approx(
            [tau["value"], tau["low"], tau["high"]]
        )


def test_flips_and_significance_are_those_of_compare() -> None:
    one, other = judges(25, seed=8)
    random = np.random.default_rng(1)
    runs: dict[str, Any] = {}
    for number, noise in enumerate((0.3, 0.6, 1.0, 2.0, 2.2)):
        runs[f"s{number}"] = {
            q: {d: g + noise * random.normal() for d, g in its.items()} for q, its in one.items()
        }
    found = carob.agreement(one, other, runs, ["nDCG@10", "RR"])
    for effect in found.effects:
        under = [carob.compare(qrels, runs, [effect.label]).contests[effect.label] for qrels in (one, other)]
        assert (effect.a, effect.b) == tuple(each.means for each in under)
        signs = [
            {(p.a, p.b): np.sign(p.difference) * (p.p_corrected < 0.05) for p in each.pairs} for each in under
        ]
        both = [(signs[0][pair], signs[1][pair]) for pair in signs[0]]
        assert len(effect.kept) == sum(a == b != 0 for a, b in both)
        assert len(effect.lost) == sum(a != 0 == b for a, b in both)
        assert len(effect.gained) == sum(a == 0 != b for a, b in both)
        assert len(effect.reversed) == sum(a * b < 0 for a, b in both)
        assert effect.tau == pytest.approx(stats.kendalltau(effect.a, effect.b).statistic)
        assert effect.tau_low <= effect.tau <= effect.tau_high
    assert found.effects[0].kept  # else the counts above say nothing


def test_significance_that_a_judge_turns_round_is_called_reversed() -> None:
    queries = [f"q{each}" for each in range(20)]
    human = {q: {"a": 1, "b": 0, "c": each % 2} for each, q in enumerate(queries)}
    model = {q: {"a": 0, "b": 1, "c": each % 2} for each, q in enumerate(queries)}
    runs = {
        "x": dict.fromkeys(queries, ranked("a", "c", "b")),
        "y": dict.fromkeys(queries, ranked("b", "c", "a")),
    }
    (effect,) = carob.agreement(human, model, runs, "RR").effects
    assert effect.reversed == effect.flips == (("x", "y"),)
    assert (effect.kept, effect.lost, effect.gained) == ((), (), ())
    found = carob.agreement(human, model, runs, "RR").to_text()
    assert found.splitlines()[1] == "same order: tau -1.00 by RR · 1/1 pairs flip · 0/1 significant stay"
    assert "RR, significant, but reversed: x > y." in found


def test_only_grades_differ_where_the_pool_is_of_both() -> None:
    human = {"q": {"a": 1, "b": 0}, "r": {"a": 1}}
    model = {"q": {"a": 1, "c": 1}, "r": {"a": 1}}
    run = {"one": {"q": ranked("c", "a"), "r": ranked("a")}, "two": {"q": ranked("a", "c"), "r": ranked("a")}}
    (own,) = carob.agreement(human, model, run, "P@1").effects
    assert (own.a, own.b) == ((1 / 2, 1), (1, 1))
    (both,) = carob.agreement(human, model, run, "P@1", pool="both").effects
    assert both.a == both.b == (1 / 2, 1)
    assert "left out for both judges" in " ".join(
        carob.agreement(human, model, run, "P@1", pool="both").to_text().split()
    )
    with pytest.raises(PolicyError, match="There is no pool='mine'"):
        carob.agreement(human, model, run, pool="mine")


def test_more_than_ten_systems_show_what_happens_at_the_top() -> None:
    one, other = judges(6)
    random = np.random.default_rng(2)
    runs = {
        f"s{number:02}": {
            q: {d: g + number * 0.2 * random.normal() for d, g in its.items()} for q, its in one.items()
        }
        for number in range(12)
    }
    (effect,) = carob.agreement(one, other, runs, "nDCG@10", resamples=50).effects
    best = np.argsort(-np.array(effect.a))[:10]
    theirs = stats.kendalltau(np.array(effect.a)[best], np.array(effect.b)[best]).statistic
    assert effect.tau_top == pytest.approx(theirs)
    assert effect.top_kept == len(set(best) & set(np.argsort(-np.array(effect.b))[:10]))
    assert "tau top 10" in carob.agreement(one, other, runs, "nDCG@10", resamples=50).to_text()


def test_one_run_has_no_order() -> None:
    found = carob.agreement(LIKES_A, LIKES_C, {"first": SYSTEMS["first"]}, "RR")
    assert found.effects[0].a == (1,)
    assert found.effects[0].b == (1 / 3,)
    assert found.to_text().splitlines()[1].endswith("unknown for a single run (pass at least two)")
    assert "Order of systems" not in found.to_text()
    assert "first  1.0000     1  0.3333     1  -0.6667" in found.to_text()
    with pytest.raises(
        DataError, match="A result of type Scores contains neither judgments nor ranked lists"
    ):
        carob.agreement(LIKES_A, LIKES_C, [carob.evaluate(LIKES_A, SYSTEMS["first"], "RR")])


# ---------------------------------------------------------------- what is said


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_a_judge_that_agrees_too_well_may_have_seen_the_grades(share: float) -> None:
    draw = np.random.default_rng(4)
    grades = {"q": {f"d{n}": n % 4 for n in range(80)}}
    other = {"q": {d: int(draw.integers(4)) if draw.random() < share else g for d, g in grades["q"].items()}}
    found = carob.agreement(grades, other)
    kappa = found["kappa, quadratic"].value
    assert (kappa > 0.8) == (share == 0)
    assert [kappa for each in found.warnings if "B may have seen A's grades" in each] == [1.0][: share == 0]
    assert quadratic_kappa(found.pairing.a, found.pairing.b) == pytest.approx(kappa, abs=1e-12)


def test_judges_of_different_things_are_refused() -> None:
    with pytest.raises(DataError, match="have no query in common"):
        carob.agreement({"q1": {"a": 1}}, {"q2": {"a": 1}})
    with pytest.raises(DataError, match="have no document in common"):
        carob.agreement({"q1": {"a": 1}}, {"q1": {"b": 1}})


FAST = carob.Test(resamples=20)
SCALES = {
    "0 to 1": ({0: 0, 1: 1, 2: 1, 3: 1}, True),
    "0 to 1, in thirds": ({0: 0, 1: 1 / 3, 2: 2 / 3, 3: 1}, True),
    "1 to 4": ({0: 1, 1: 2, 2: 3, 3: 4}, True),
    "0 to 9": ({0: 0, 1: 3, 2: 6, 3: 9}, True),
    "no 3": ({0: 0, 1: 1, 2: 2, 3: 2}, False),
    "no 0": ({0: 1, 1: 1, 2: 2, 3: 3}, False),
    "the same": ({0: 0, 1: 1, 2: 2, 3: 3}, False),
}
SPELLED = {
    "documents": (
        "d1",
        "D1",
        "The document 'd1' of <mapping> may be the same as 'D1' of <mapping>: upper and lower case differ",
    ),
    "queries": ("q1", "Q1", "The query 'q1"),
    "zeros": ("7", "007", "The document '7' of <mapping> may be the same as '007' of"),
}


@pytest.mark.parametrize("case", first(SCALES, 2))
def test_two_scales_are_said(case: str) -> None:
    scale, told = SCALES[case]
    one: Any = {f"q{q}": {f"d{d}": d % 4 for d in range(12)} for q in range(4)}
    other: Any = {query: {d: scale[grade] for d, grade in its.items()} for query, its in one.items()}
    runs = {
        name: {q: {d: float(hash((name, d, q)) % 97) for d in its} for q, its in one.items()}
        for name in "abc"
    }
    for pair in ((one, other), (other, one)):
        for found in (
            carob.agreement(*pair, resamples=20),
            carob.agreement(*pair, runs, resamples=20),
            carob.correlate(pair[0], {"b": pair[1]}, runs, "AP", test=FAST),
        ):
            said = [each for each in found.warnings if "If these scales differ" in each]
            assert len(said) == told, said
            for text in (found.to_text(), found.to_html(), found.to_json()):
                assert ("If these scales differ" in " ".join(text.split())) == told
    few = {"q0": one["q0"]}, {"q0": other["q0"]}
    assert not carob.agreement(*few, resamples=20).warnings


@pytest.mark.parametrize("case", SPELLED)
@pytest.mark.parametrize("every", [True, False])
def test_ids_that_two_judges_spell_in_two_ways_are_said(case: str, every: bool) -> None:
    here, there, told = SPELLED[case]
    own = here if here != "q1" else "d1"
    one = {"q1": {own: 1}} if every else {"q0": {"a": 1, own: 1, "d10": 0}, "q1": {"a": 0, own: 1}}
    text = json.dumps(one)
    other = json.loads(text.replace(f'"{here}"', f'"{there}"'))
    runs = {name: {q: {"a": 1.0, own: 2.0} for q in ("q0", "q1", "Q1")} for name in "abc"}
    if every:
        for call in (
            lambda: carob.agreement(one, other),
            lambda: carob.correlate(one, {"b": other}, runs, "AP", test=FAST),
        ):
            with pytest.raises(DataError, match=told.partition(" of")[0]):
                call()
    else:
        assert carob.agreement(one, other).warnings[0].startswith(told)
    assert not carob.agreement(one, one).warnings
