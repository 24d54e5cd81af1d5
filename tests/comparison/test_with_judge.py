"""Comparisons of runs from people's judgments of some queries and a model's judgments of all queries."""

from __future__ import annotations

import json
import math
import random
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy import stats

import carob
from carob import DataError, PolicyError
from carob.cli.options import grouped
from carob.estimation.people_and_judge import JudgedSample, estimated

if TYPE_CHECKING:
    from pathlib import Path

QUERIES = [f"q{n:02}" for n in range(40)]


STEPS = {"a": 3, "b": 7}


def judgments(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, int]]]:
    """People's judgments of 16 of 40 queries, and a generous model's judgments of all."""
    draw = random.Random(seed)
    people, model = {}, {}
    for query in QUERIES:
        grades = {f"d{n}": draw.choice([0, 0, 0, 1, 2]) for n in range(12)}
        people[query] = grades
        model[query] = {d: min(2, g + (draw.random() < 0.3)) for d, g in grades.items()}
    return people, model


def runs(seed: int, names: str = "abc") -> dict[str, dict[str, dict[str, float]]]:
    draw = random.Random(seed)
    return {name: {query: {f"d{n}": draw.random() for n in range(12)} for query in QUERIES} for name in names}


PEOPLE, MODEL = judgments(1)
SOME = {query: PEOPLE[query] for query in random.Random(2).sample(QUERIES, 16)}
RUNS = runs(3)


def values(qrels: Any, measure: str) -> dict[str, dict[str, float]]:
    return {name: each.by_query(measure) for name, each in carob.evaluate(qrels, RUNS, measure).items()}


@pytest.mark.parametrize("measure", ["nDCG@5", "AP", "ERR@10", "DCG@5"])
def test_estimates_are_those_of_the_formula(measure: str) -> None:
    found = carob.compare(SOME, RUNS, measure, judge=MODEL, design=carob.Design(judge_weight=0.7))
    people, judge = values(SOME, measure), values(MODEL, measure)
    n, total = len(SOME), len(QUERIES)
    for run, mean in zip(found.names, found[measure].means, strict=True):
        every = np.array([judge[run][query] for query in QUERIES])
        residuals = np.array([people[run][query] - 0.7 * judge[run][query] for query in SOME])
        assert mean == pytest.approx(0.7 * every.mean() + residuals.mean(), abs=1e-12)
    for pair in found[measure].pairs:
        a, b = found.names[pair.a], found.names[pair.b]
        d = np.array([people[a][q] - people[b][q] - 0.7 * (judge[a][q] - judge[b][q]) for q in SOME])
        error = math.sqrt((1 - n / total) / n * d.var(ddof=1))
        half = stats.t.ppf(0.975, n - 1) * error
        assert (pair.low, pair.high) == pytest.approx(
            (pair.difference - half, pair.difference + half), abs=1e-12
        )
        assert pair.p_uncorrected == pytest.approx(
            2 * stats.t.sf(abs(pair.difference) / error, n - 1), abs=1e-9
        )
        assert pair.n == n


def test_corrections_baselines_and_letters_work_as_without_a_judge() -> None:
    found = carob.compare(
        SOME,
        RUNS,
        ["nDCG@5", "RR"],
        judge=MODEL,
        baseline="a",
        test=carob.Test(correction="bonferroni", family="all"),
    )
    assert found.settings.comparisons == 4
    for label in found.labels:
        for pair in found[label].pairs:
            assert pair.b == 0
            assert pair.p_corrected == pytest.approx(min(1.0, 4 * pair.p_uncorrected))
    holm = carob.compare(SOME, RUNS, "nDCG@5", judge=MODEL)
    assert (holm.settings.test, holm.settings.correction) == ("t", "holm")
    assert all(pair.p_corrected >= pair.p_uncorrected for pair in holm["nDCG@5"].pairs)


def test_facts_about_the_judge() -> None:
    found = carob.compare(SOME, RUNS, ["CG@5", "nDCG@5"], judge=MODEL, design=carob.Design(width=0.5))
    assert found.judge is not None
    facts = found.judge.measures["CG@5"]
    people, judge = values(SOME, "CG@5"), values(MODEL, "CG@5")
    by_run = [np.mean([judge[run][q] - people[run][q] for q in SOME]) for run in RUNS]
    assert facts.biases == pytest.approx(by_run, abs=1e-12)
    assert facts.bias == pytest.approx(np.mean(by_run), abs=1e-12)
    assert facts.low < facts.bias < facts.high
    assert facts.bias > 0.05
    assert 0 < facts.weight < 1.5
    assert all(each > len(SOME) for each in facts.worth_pairs)
    assert all(len(SOME) < each <= len(QUERIES) for each in facts.needed_pairs)
    text = str(found)
    assert "16 of 40 queries judged by people" in text
    assert "The judge's CG@5 is larger than people's by" in text
    words = " ".join(text.split())
    assert "drawn at random, and that the judge was fixed without people's judgments." in words
    assert "people need to judge about" in " ".join(text.split())


def test_queries_like_these_are_less_certain_than_these_queries() -> None:
    these = carob.compare(SOME, RUNS, "AP", judge=MODEL)["AP"]
    similar = carob.compare(SOME, RUNS, "AP", judge=MODEL, design=carob.Design(target="similar"))["AP"]
    assert these.means == similar.means
    assert all(a.high - a.low < b.high - b.low for a, b in zip(these.pairs, similar.pairs, strict=True))
    whole = carob.compare(PEOPLE, RUNS, "AP", judge=MODEL, design=carob.Design(target="similar"))["AP"]
    plain = carob.compare(PEOPLE, RUNS, "AP", test="t")["AP"]
    for one, other in zip(whole.pairs, plain.pairs, strict=True):
        assert (one.difference, one.low, one.p_uncorrected) == pytest.approx(
            (other.difference, other.low, other.p_uncorrected), abs=1e-12
        )


def test_if_people_judged_all_queries_there_is_nothing_to_estimate() -> None:
    found = carob.compare(PEOPLE, RUNS, "AP", judge=MODEL)
    pair = found["AP"].pairs[0]
    assert pair.low == pair.high == pair.difference
    assert math.isnan(pair.p_uncorrected)
    assert not any(found["AP"].beaten)
    assert [each.kind for each in found.warnings] == ["complete"]
    equal = carob.compare(PEOPLE, RUNS, "AP", judge=PEOPLE)
    assert "The judge's AP equals people's, on average over the runs." in str(equal)


@pytest.mark.parametrize("names", ["ab", "abc"])
@pytest.mark.parametrize("baseline", [None, "b"])
def test_a_difference_is_exact_where_people_judged_every_query(names: str, baseline: str | None) -> None:
    few = {name: RUNS[name] for name in names}
    found = carob.compare(PEOPLE, few, "P@3", judge=MODEL, baseline=baseline)
    means = {name: each["P@3"] for name, each in carob.evaluate(PEOPLE, few, "P@3").items()}
    order = sorted(names, key=means.__getitem__, reverse=True)
    others = [name for name in order if name != baseline]
    first, second = order[:2] if baseline is None else sorted([others[0], "b"], key=order.index)
    size = f"{means[first] - means[second]:.3f}"
    rival = f"the best of {len(names)} runs, better" if baseline is None and len(names) > 2 else "better"
    said = found.as_dict()["verdict"]
    assert said == (
        f"On these 40 queries, all of which people judged, {first} is {rival} than {second} by {size} in P@3."
    )
    text = " ".join(str(found).split())
    assert said in text
    assert "Nothing is estimated" in text
    assert "are not shown to differ" not in text
    assert "are not shown to differ" not in found.to_latex()
    assert "estimates for" not in found.to_latex()
    similar = carob.compare(
        PEOPLE, few, "P@3", judge=MODEL, baseline=baseline, design=carob.Design(target="similar")
    )
    assert "all of which people judged" not in str(similar)
    one = carob.estimate(PEOPLE, MODEL, few, "P@3")
    assert f"{order[0]} has P@3 {means[order[0]]:.3f}." in str(one)


def test_warnings() -> None:
    few = {query: SOME[query] for query in list(SOME)[:8]}
    kinds = [each.kind for each in carob.compare(few, RUNS, "AP", judge=MODEL).warnings]
    assert "few" in kinds
    scores = carob.evaluate(MODEL, RUNS, "AP")
    means = {q: np.mean([scores[run].by_query("AP")[q] for run in RUNS]) for q in QUERIES}
    easy = sorted(QUERIES, key=means.__getitem__)[-14:]
    found = carob.compare({q: PEOPLE[q] for q in easy}, RUNS, "AP", judge=MODEL)
    sample = next(each for each in found.warnings if each.kind == "sample")
    assert sample.numbers["z"] > 2
    assert "easier than the other queries" in sample.sentence
    more = {**SOME, "only-people": {"d1": 1}}
    found = carob.compare(more, RUNS, "AP", judge=MODEL)
    assert found.judge is not None
    assert found.judge.alone == ("only-people",)
    assert any(each.kind == "alone" for each in found.warnings)


def test_a_sample_without_a_spread_has_neither_interval_nor_p() -> None:
    """The judge gives people's values plus a constant, so no query of the sample differs from the others."""
    values = {
        name: {"AP": {f"q{n}": (n * step % 11) / 20 for n in range(20)}} for name, step in STEPS.items()
    }
    judge = {
        name: {"AP": {query: value + 0.125 for query, value in its["AP"].items()}}
        for name, its in values.items()
    }
    few = {
        name: {"AP": {query: value for query, value in its["AP"].items() if query < "q15"}}
        for name, its in values.items()
    }
    found = carob.compare(
        None, carob.read_scores(few), judge=carob.read_scores(judge), design=carob.Design(judge_weight=1.0)
    )
    pair = found["AP"].pairs[0]
    assert np.isnan([pair.low, pair.high, pair.p_uncorrected, *found["AP"].low]).all()
    assert "no error" in {each.kind for each in found.warnings}
    said = " ".join(str(found).split())
    assert "show no variation" in said
    assert "interval of width" not in said
    whole = carob.compare(None, carob.read_scores(values), judge=carob.read_scores(judge))
    assert whole["AP"].low == whole["AP"].means


def test_a_judge_who_orders_runs_differently_is_reported() -> None:
    good = {q: {d: 3.0 - g for d, g in PEOPLE[q].items()} for q in QUERIES}
    bad = {q: {d: float(g) for d, g in PEOPLE[q].items()} for q in QUERIES}
    reverse = {q: {d: 2 - g for d, g in PEOPLE[q].items()} for q in QUERIES}
    found = carob.compare(SOME, {"x": good, "y": bad}, "nDCG@5", judge=reverse)
    order = next(each for each in found.warnings if each.kind == "order")
    assert order.numbers == {"turned": 1, "pairs": 1}
    assert found["nDCG@5"].beaten == ((), (0,))


def test_a_judge_who_contradicts_people_is_reported() -> None:
    draw = random.Random(5)
    people = {name: {"AP": {query: draw.random() for query in SOME}} for name in "xy"}
    judge = {
        name: {"AP": {query: 1 - its["AP"].get(query, draw.random()) for query in QUERIES}}
        for name, its in people.items()
    }
    found = carob.compare(None, carob.read_scores(people), judge=carob.read_scores(judge))
    assert any(each.kind == "judge" for each in found.warnings)
    assert found["AP"].means == pytest.approx([np.mean(list(its["AP"].values())) for its in people.values()])


def test_strata_weigh_the_queries() -> None:
    strata = {query: "easy" if int(query[1:]) < 10 else "hard" for query in QUERIES}
    chosen = [*QUERIES[:8], *QUERIES[10:16]]
    found = carob.compare(
        {q: PEOPLE[q] for q in chosen},
        RUNS,
        "AP",
        judge=MODEL,
        design=carob.Design(strata=strata, judge_weight=1),
    )
    people, judge = values(PEOPLE, "AP"), values(MODEL, "AP")
    for run, mean in zip(found.names, found["AP"].means, strict=True):
        easy = np.mean([people[run][q] - judge[run][q] for q in QUERIES[:8]])
        hard = np.mean([people[run][q] - judge[run][q] for q in QUERIES[10:16]])
        expected = np.mean(list(judge[run].values())) + 0.25 * easy + 0.75 * hard
        assert mean == pytest.approx(expected, abs=1e-12)
    assert found.judge is not None
    assert found.judge.strata == 2
    assert "within each of 2 strata" in " ".join(str(found).split())


def test_scores_replace_judgments() -> None:
    one = carob.compare(SOME, RUNS, ["AP", "RR"], judge=MODEL)
    people, judge = carob.evaluate(SOME, RUNS, ["AP", "RR"]), carob.evaluate(MODEL, RUNS, ["AP", "RR"])
    other = carob.compare(None, people, judge=judge)
    assert one["RR"].pairs == other["RR"].pairs
    with pytest.raises(DataError, match="people's scores of the same runs are needed"):
        carob.compare(None, {"a": people["a"], "b": people["b"]}, judge=judge)
    with pytest.raises(DataError, match="pass the judge's scores"):
        carob.compare(None, people, judge=MODEL)


def test_one_run_is_estimated() -> None:
    found = carob.estimate(SOME, MODEL, {"a": RUNS["a"]}, ["AP", "nDCG@5"], design=carob.Design(width=0.1))
    alone = carob.compare(SOME, {"a": RUNS["a"]}, ["AP", "nDCG@5"], judge=MODEL)
    assert found["AP"].means == alone["AP"].means
    assert found["AP"].pairs == ()
    assert str(found).count("a has AP 0.") == 1
    several = carob.estimate(SOME, MODEL, RUNS, "AP")
    assert several["AP"].means == carob.compare(SOME, RUNS, "AP", judge=MODEL)["AP"].means
    assert several["AP"].pairs == ()
    assert "For a value with an interval of width" in " ".join(str(several).split())
    with pytest.raises(DataError, match="There are no pairs of runs to show, only values"):
        several.to_frame("pairs")
    if find_spec("matplotlib"):
        with pytest.raises(DataError, match="There are no pairs of runs to show, only values"):
            several.to_figure("pairs")
    assert several.to_latex().count("$\\lambda$") == 1


def test_every_format_has_the_judge() -> None:
    found = carob.compare(SOME, RUNS, "AP", judge=MODEL)
    document = json.loads(found.to_json())
    assert document["judge"]["sample"] == 16
    assert set(document["judge"]["measures"]["AP"]) >= {
        "weight",
        "bias",
        "low",
        "high",
        "worth",
        "needed_pairs",
    }
    shown = found.to_text(top=2).split("judge, AP")[1]
    assert sum(f"\n{letter}  " in shown for letter in "123") == 2
    assert document["judge_said"][0].startswith("The judge's AP")
    for text in (found.to_markdown(), found.to_latex(), found.to_html()):
        assert "bias" in text
        assert "drawn at random" in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "tukey"}, "test has no meaning for estimates"),
        ({"interval": "bootstrap"}, "interval has no meaning"),
        ({"cluster": {}, "by": {"q": "x"}}, "by has no meaning"),
        ({"weights": {"q": 1.0}}, "weights has no meaning"),
        ({"target": "those"}, "There is no target='those'"),
        ({"judge_weight": -1}, "judge_weight=-1: use 0 or a positive, finite number"),
        ({"width": math.inf}, "width=inf: use 0 or a positive, finite number"),
    ],
)
def test_options_without_a_meaning_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        carob.compare(SOME, RUNS, "AP", judge=MODEL, **grouped(options))


def test_bad_input_is_refused() -> None:
    both = {name: {"other": {"d1": 1.0}, **its} for name, its in RUNS.items()}
    with pytest.raises(DataError, match="only 0 of these queries were judged by both"):
        carob.compare({"other": {"d1": 1}}, both, "AP", judge=MODEL)
    with pytest.raises(DataError, match="A record cannot store estimates"):
        carob.record(carob.compare(SOME, RUNS, "AP", judge=MODEL), "never-written.json")
    with pytest.raises(DataError, match="GMAP is a geometric mean"):
        carob.compare(SOME, RUNS, "GMAP", judge=MODEL)


def test_undefined_values_leave_both_sides() -> None:
    policy = carob.Policy(empty="nan")
    nothing = next(iter(SOME))
    some = {**SOME, nothing: dict.fromkeys(SOME[nothing], 0)}
    found = carob.compare(some, RUNS, "AP", judge=MODEL, policy=policy)
    assert found.judge is not None
    assert found.judge.undefined == {"AP": 1}
    assert (found.judge.sample, found.judge.queries) == (15, 39)
    assert found["AP"].pairs[0].n == 15


def test_a_sum_is_estimated_for_all_queries() -> None:
    people, model = values(SOME, "NumRelRet"), values(MODEL, "NumRelRet")
    found = carob.compare(SOME, RUNS, "NumRelRet", judge=MODEL, design=carob.Design(judge_weight=1))
    for run, total in zip(found.names, found["NumRelRet"].means, strict=True):
        residual = np.mean([people[run][q] - model[run][q] for q in SOME])
        assert total == pytest.approx(sum(model[run].values()) + 40 * residual, abs=1e-9)


def test_an_estimate_without_a_judge_is_refused() -> None:
    people, run = {"q": {"a": 1}, "p": {"b": 1}}, {"q": {"a": 1.0}, "p": {"c": 1.0}}
    nobody: Any = None
    with pytest.raises(DataError, match=r"judge=None: an estimate needs .*carob\.compare\(people, runs\)"):
        carob.estimate(people, nobody, {"mine": run}, "RR")


def test_a_judge_that_repeats_people_is_named_as_the_reason_for_no_errors() -> None:
    judge = {name: {"AP": {f"q{n}": (n * step % 11) / 20 for n in range(20)}} for name, step in STEPS.items()}
    people = {name: {"AP": dict(list(its["AP"].items())[:15])} for name, its in judge.items()}
    found = carob.compare(None, carob.read_scores(people), judge=carob.read_scores(judge))
    said = " ".join(str(found).split())
    assert "people's and the judge's values do not differ on these queries" in said
    assert "show no variation" not in said


def test_a_judge_that_agrees_too_well_may_have_seen_the_grades() -> None:
    def kappa(**options: Any) -> list[float]:
        found = carob.compare(SOME, RUNS, "nDCG@5", **options)
        return [each.numbers["kappa"] for each in found.warnings if each.kind == "seen"]

    first, *others = SOME
    noisy = judgments(5)[1]
    copied = noisy | {query: PEOPLE[query] for query in others}
    assert kappa(judge=noisy) == []
    assert kappa(judge=copied)[0] > 0.9
    assert kappa(judge=copied, design=carob.Design(tuned_on=others)) == []
    assert kappa(judge=PEOPLE, design=carob.Design(target="similar", tuned_on=[first])) == [1.0]


def test_a_difference_is_that_of_the_means_whatever_the_interval() -> None:
    people, judge = ({query: {**its, "rel": 1} for query, its in each.items()} for each in (SOME, MODEL))
    runs = {
        name: {
            query: {"rel": 0.5 if n % each == 0 else 9.0, **RUNS["a"][query]}
            for n, query in enumerate(QUERIES)
        }
        for name, each in {"one": 9, "two": 11, "three": 2}.items()
    }
    contest = carob.compare(people, runs, "RR", judge=judge)["RR"]
    assert any(contest.worst_point) or any(pair.worst_point for pair in contest.pairs)
    for pair in contest.pairs:
        assert pair.difference == pytest.approx(contest.means[pair.a] - contest.means[pair.b])
        assert pair.low <= pair.difference <= pair.high
        assert (pair.p_uncorrected > 0.05) == (pair.low <= 0 <= pair.high)
    assert all(low <= mean <= high for low, mean, high in zip(contest.low, contest.means, contest.high))


def test_values_from_few_queries_stay_in_the_range_of_the_measure() -> None:
    draw = np.random.default_rng(5)
    for _ in range(60):
        judge = np.clip(draw.normal(0.8, 0.3, (30, 3)), 0, 1).round(1)
        people = np.clip(judge[:6] + draw.normal(0.1, 0.3, (6, 3)), 0, 1).round()
        found = estimated(JudgedSample(people, judge, np.arange(6)), np.eye(3), values=(0.0, 1.0))
        there = ~np.isnan(found.low)
        assert (found.low[there] >= 0).all()
        assert (found.high[there] <= 1).all()
        inside = (found.low <= found.value) & (found.value <= found.high)
        assert inside[there].all()


def tuned_study(tuned: int) -> tuple[Any, Any]:
    """Estimates of a run's mean, and people's values, where the judge repeats people on the first sampled queries."""
    draw = np.random.default_rng(8)
    truth = draw.random((60, 2))
    judge = np.clip(truth + 0.15 + draw.normal(0, 0.1, truth.shape), 0, 1)
    judge[:tuned] = truth[:tuned]
    mask = np.arange(20) < tuned
    sample = JudgedSample(truth[:20], judge, np.arange(20), tuned=mask if tuned else None)
    return estimated(sample, np.eye(2)), sample


def test_queries_that_the_judge_was_tuned_on_count_by_people_alone() -> None:
    found, sample = tuned_study(10)
    people, judge = sample.people[:, 0], sample.judge[:, 0]
    clean, unseen = judge[10:20], judge[20:]
    share = (1 / 20) / (1 / 40 + 1 / 10)
    assert found.value[0] == pytest.approx(
        people.mean() + found.weight * share * (unseen.mean() - clean.mean())
    )
    residual = people[10:] - people[10:].mean() - found.weight * (clean - clean.mean())
    left = 1 / 20 - 1 / 60
    least = (residual**2).sum() / 9 * left + found.weight**2 * np.append(clean, unseen).var(ddof=1) * (
        left - share / 20
    )
    assert found.error[0] ** 2 > least
    none = estimated(replace(sample, tuned=np.zeros(20, bool)), np.eye(2))
    plain = estimated(replace(sample, tuned=None), np.eye(2))
    for name in ("value", "low", "high", "error", "freedom", "apart"):
        assert getattr(none, name) == pytest.approx(getattr(plain, name), rel=1e-9)
    few, sample = tuned_study(15)
    assert few.weight == 0.0
    assert few.value == pytest.approx(sample.people.mean(axis=0))


def favouring(favourite: str | None) -> tuple[Any, Any, Any]:
    """People's judgments of 20 of 40 queries, a judge that may take a run's ranks for grades, and three runs."""
    draw = np.random.default_rng(3)
    queries = [f"q{number:02d}" for number in range(40)]
    people = {query: {f"d{each}": int(draw.integers(0, 4)) for each in range(12)} for query in queries}
    runs = {
        name: {query: {f"d{each}": float(draw.random()) for each in range(12)} for query in queries}
        for name in ("one", "two", "three")
    }
    judge = people
    if favourite is not None:
        judge = {
            query: {
                document: 3 if rank < 3 else 1 if rank < 6 else 0
                for rank, document in enumerate(sorted(its, key=its.get, reverse=True))
            }
            for query, its in runs[favourite].items()
        }
    return {query: people[query] for query in queries[::2]}, judge, runs


def test_a_run_that_the_judge_favours_is_named() -> None:
    people, judge, runs = favouring("two")
    found = carob.compare(people, runs, "nDCG@5", judge=judge)
    assert found.judge is not None
    facts = found.judge.measures["nDCG@5"]
    assert facts.unequal
    assert facts.favoured == (1,)
    words = " ".join(str(found).split())
    assert "The judge favours two in nDCG@5: the judge's scores exceed people's scores by +" in words
    assert "may be chance" not in words
    people, judge, runs = favouring(None)
    found = carob.compare(people, runs, "nDCG@5", judge=judge)
    assert found.judge is not None
    assert not found.judge.measures["nDCG@5"].unequal


def test_tuned_queries_are_declared_by_ids_or_a_file(tmp_path: Path) -> None:
    people, judge, runs = favouring("two")
    path = tmp_path / "tuned.txt"
    path.write_text("q00\nq02\nq04\n")
    one, other = (
        carob.compare(people, runs, "nDCG@5", judge=judge, design=carob.Design(tuned_on=given))
        for given in (str(path), ["q00", "q02", "q04"])
    )
    assert one["nDCG@5"].means == other["nDCG@5"].means
    assert one.judge is not None
    assert one.judge.tuned == 3
    assert "of the 17 queries on which it was not tuned" in " ".join(str(one).split())
    with pytest.raises(
        carob.DataError, match="query 'q01' is listed as a query on which the judge was tuned, but"
    ):
        carob.compare(people, runs, "nDCG@5", judge=judge, design=carob.Design(tuned_on=["q01"]))
    few = carob.Design(tuned_on=sorted(people)[:15])
    found = carob.compare(people, runs, "nDCG@5", judge=judge, design=few)
    assert "only people's judgments count" in " ".join(str(found).split())


def kinds_of(found: carob.Comparison) -> list[str]:
    return [each.kind for each in found.warnings]


@pytest.mark.parametrize("documents", [False, True], ids=["queries", "documents"])
def test_people_and_judge_that_were_exchanged_are_said(documents: bool) -> None:
    few = {query: dict(list(its.items())[::6]) for query, its in PEOPLE.items()}
    people = few if documents else SOME
    found = carob.compare(MODEL, RUNS, "nDCG@10", judge=people)
    assert "swapped" in kinds_of(found)
    for text in (found.to_json(), found.to_text(), found.to_html()):
        assert "the judge's judgments swapped?" in " ".join(text.split()).replace("&#x27;", "'")
    assert "swapped" in kinds_of(carob.estimate(MODEL, people, RUNS, "nDCG@10"))
    assert "swapped" not in kinds_of(carob.compare(people, RUNS, "nDCG@10", judge=MODEL))
    # A model that failed to answer for a query, where people judged all of them.
    some = dict(list(MODEL.items())[1:])
    assert "swapped" not in kinds_of(carob.compare(PEOPLE, RUNS, "nDCG@10", judge=some))


def test_two_scales_of_people_and_judge_are_said() -> None:
    tenfold = {query: {d: 10 * grade for d, grade in its.items()} for query, its in MODEL.items()}
    (said,) = (
        each.sentence
        for each in carob.compare(SOME, RUNS, "nDCG@10", judge=tenfold).warnings
        if each.kind == "scales"
    )
    assert said.startswith("People's grades are 0 to 2, and the judge's are 0 to 20.")
    assert "scales" not in kinds_of(carob.compare(SOME, RUNS, "nDCG@10", judge=MODEL))


def test_a_copy_of_the_judges_judgments_is_not_peoples(tmp_path: Path) -> None:
    lines = [f"q{n:02} 0 d{each} {(n + each) % 2}\n" for n in range(30) for each in range(5)]
    run = {f"q{n:02}": {f"d{each}": 9.0 - each for each in range(5)} for n in range(30)}
    people, judge, half = (tmp_path / name for name in ("people", "judge", "half"))
    people.write_text("".join(lines))
    judge.write_text("".join(lines))
    half.write_text("".join(lines[:75]))
    said = "same"
    for path, wanted in ((people, True), (half, False)):
        found = carob.estimate(path, judge, {"run": run}, "nDCG@10")
        assert any(said in each.sentence for each in found.warnings) == wanted


def test_a_judge_that_people_leave_nothing_to_is_not_called_uncorrelated() -> None:
    """λ is 0 for other reasons than its correlation where people judged all queries, or only two."""
    whole = carob.compare(PEOPLE, RUNS, "P@3", judge=MODEL, design=carob.Design(target="similar"))
    few = carob.compare({query: PEOPLE[query] for query in QUERIES[:2]}, RUNS, "P@3", judge=MODEL)
    unlike = {query: {d: 2 - g for d, g in grades.items()} for query, grades in PEOPLE.items()}
    against = carob.compare(SOME, RUNS, "P@3", judge=unlike)
    for found, words in (
        (whole, "people judged all 40 queries, so the judge adds nothing"),
        (few, "people judged too few queries to fit λ"),
        (against, "do not correlate positively with people's"),
    ):
        assert found.judge is not None
        assert found.judge.measures["P@3"].weight == 0
        (said,) = [each.sentence for each in found.warnings if each.kind == "judge"]
        assert words in said
    tuned = carob.compare(SOME, RUNS, "P@3", judge=MODEL, design=carob.Design(tuned_on=list(SOME)[:10]))
    assert {"clean", "judge"} & {each.kind for each in tuned.warnings} == {"clean"}


@pytest.mark.parametrize("count", [16, 40])
def test_the_bias_on_similar_queries_is_uncertain_whatever_people_judged(count: int) -> None:
    """Its interval is Student's, wider for skewness, without the correction for a finite number of queries."""
    judged = {query: PEOPLE[query] for query in (list(SOME) if count == 16 else QUERIES)}
    found = carob.compare(judged, RUNS, "DCG@3", judge=MODEL, design=carob.Design(target="similar"))
    assert found.judge is not None
    its = found.judge.measures["DCG@3"]
    people, judge = values(judged, "DCG@3"), values(MODEL, "DCG@3")
    above = [judge["a"][query] - people["a"][query] for query in judged]
    assert its.biases[0] == pytest.approx(np.mean(above))
    error = (its.highs[0] - its.lows[0]) / 2 / stats.sem(above)
    # The degrees of freedom lie between those of the sample and of all queries.
    assert stats.t.ppf(0.975, 39) - 1e-9 <= error <= 1.05 * stats.t.ppf(0.975, count - 1)
    assert "which are treated as a random sample of such queries" in " ".join(str(found).split())


def test_few_judged_queries_allow_no_projection() -> None:
    """With fewer than 12 queries, the spread is not known: no number of queries is projected from it."""
    for count, projected in ((11, False), (12, True)):
        some = {query: SOME[query] for query in list(SOME)[:count]}
        found = carob.compare(some, RUNS, "CG@5", judge=MODEL, design=carob.Design(width=1.5))
        assert found.judge is not None
        facts = found.judge.measures["CG@5"]
        assert [math.isfinite(each) for each in (*facts.worth_pairs, *facts.worth)] == [projected] * 6
        assert all(each >= 12 for each in facts.needed_pairs) is projected
        text = " ".join(str(found).split())
        assert ("queries judged by people alone" in text) is projected
        assert ("an interval of width" in text) is projected
        assert (
            "People judged 11 queries. Fewer than 12 queries give a poor estimate" in text
        ) is not projected


def test_the_interval_of_a_bias_does_not_leave_the_range_of_the_bias() -> None:
    """P@3 lies in [0, 1], so the judge's bias lies in [-1, 1]."""
    for count in (3, 4, 6):
        some = {query: SOME[query] for query in list(SOME)[:count]}
        found = carob.compare(some, RUNS, "P@3", judge=MODEL)
        assert found.judge is not None
        facts = found.judge.measures["P@3"]
        for low, bias, high in zip(
            (*facts.lows, facts.low), (*facts.biases, facts.bias), (*facts.highs, facts.high)
        ):
            assert -1 <= low <= bias <= high <= 1


def test_the_bias_of_all_runs_is_not_known_better_than_that_of_each_run() -> None:
    """Three runs of one ranking have one bias, whose interval is also that of their mean."""
    people = {f"q{n}": {"d": int(n != 0), "e": 0} for n in range(6)}
    model = {f"q{n}": {"d": 1, "e": 1} for n in range(9)}
    run = {query: {"d": 2.0, "e": 1.0} for query in model}
    other = {query: {"d": 1.0, "e": 2.0} for query in model}
    found = carob.compare(people, {"one": run, "two": other}, "P@1", judge=model)
    assert found.judge is not None
    facts = found.judge.measures["P@1"]
    own = [high - low for low, high in zip(facts.lows, facts.highs)]
    assert facts.high - facts.low >= min(own)


def test_identical_runs_have_neither_a_posterior_nor_a_p_of_equivalence() -> None:
    same = {"a": RUNS["a"], "b": RUNS["a"], "c": RUNS["c"]}
    found = carob.compare(SOME, same, "P@3", judge=MODEL, test=carob.Test(margin=0.05, rope=0.02))
    one, other = found.primary.between(0, 1), found.primary.between(0, 2)
    assert np.isnan([one.p_equivalent, one.p_worse, one.p_same, one.p_better]).all()
    assert np.isfinite([other.p_equivalent, other.p_worse, other.p_same, other.p_better]).all()


def test_two_queries_give_the_bias_no_interval() -> None:
    some = {query: SOME[query] for query in list(SOME)[:2]}
    found = carob.compare(some, RUNS, "P@3", judge=MODEL)
    assert found.judge is not None
    facts = found.judge.measures["P@3"]
    assert all(math.isnan(each) for each in (facts.low, facts.high, *facts.lows, *facts.highs))
    assert "without an interval, because fewer than 3 queries may be similar by chance" in " ".join(
        str(found).split()
    )


def test_exact_estimates_say_which_documents_people_did_not_judge() -> None:
    some = {
        query: {d: g for d, g in grades.items() if d not in ("d0", "d1")} for query, grades in PEOPLE.items()
    }
    found = carob.compare(some, {name: RUNS[name] for name in "ab"}, "P@3", judge=MODEL)
    text = " ".join(str(found).split())
    assert "Given these judgments, they are exact." in text
    (said,) = [each for each in found.warnings if each.kind == "unjudged"]
    assert "unjudged documents count as not relevant" in said.sentence
    assert math.isnan(said.numbers["low_removed"])


@pytest.mark.parametrize("weight", [None, 0.0, 0.7])
def test_unlike_queries_are_named_only_where_they_widen_intervals(weight: float | None) -> None:
    found = carob.compare(SOME, RUNS, "nDCG@10", judge=MODEL, design=carob.Design(judge_weight=weight))
    assert ("the judge may err more there" in " ".join(str(found).split())) == (weight is None)
