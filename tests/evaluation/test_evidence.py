"""What callers pass, what is read of it, and the table of the runs' scores, whose weighted means are ratios."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import carob
from carob import DataError, _native
from carob.evaluation.evidence import (
    Evidence,
    RunTable,
    lists_held,
    named,
    named_together,
    ranges_apart,
    said_if_scaled,
    said_if_sparse,
    sparse,
    tables_of,
    tag_of,
    under_name,
)
from carob.inputs.run import Run
from carob.measures import Measure
from carob.statistics.estimates import paired

if TYPE_CHECKING:
    from pathlib import Path

AP = Measure("AP", (), None)


def table(seed: int, queries: int = 30, heavy: float = 1.0) -> RunTable:
    draw = np.random.default_rng(seed)
    values = draw.beta(2, 3, (queries, 2))
    weights = np.repeat(np.exp(heavy * draw.normal(size=(queries, 1))), 2, axis=1)
    return RunTable("AP", AP, values, weights)


def test_means_are_weighted_and_errors_are_those_of_a_ratio() -> None:
    its = table(1)
    assert its.weights is not None
    weight, means = its.weights[:, 0], np.array(its.means)
    assert its.observed.mean(axis=0) == pytest.approx(means)
    assert its.exchangeable.mean(axis=0) == pytest.approx(means)
    found = paired(its.observed, shares=its.leverage)
    share = weight / weight.sum()
    # A jackknife: each query is left out of the ratio, but for half of its leverage, as in CR2.
    residual = share[:, None] * (its.values - means)
    assert found.error == pytest.approx(np.sqrt((residual**2 / (1 - share[:, None])).sum(axis=0)))
    assert 1 < found.freedom[0] < 29


def test_one_weight_for_all_changes_nothing() -> None:
    its = table(2, heavy=0.0)
    plain = RunTable("AP", AP, its.values)
    for ours, theirs in ((its.observed, plain.observed), (its.exchangeable, plain.exchangeable)):
        assert ours == pytest.approx(theirs)
    ours, theirs = paired(its.observed, shares=its.leverage), paired(plain.observed)
    for name in ("value", "low", "high", "p", "freedom", "d_z"):
        assert getattr(ours, name) == pytest.approx(getattr(theirs, name)), name


def test_a_query_with_twice_the_weight_is_as_a_cluster_of_two() -> None:
    draw = np.random.default_rng(4)
    size, values = np.array([2.0, 1, 1, 3, 1, 2, 1, 1]), draw.uniform(size=8)
    its = RunTable("AP", AP, values[:, None], size[:, None])
    by_weight = paired(its.observed, shares=its.leverage)
    repeated = np.repeat(np.arange(8), size.astype(int))
    by_cluster = paired(values[repeated], clusters=repeated)
    for name in ("value", "low", "high", "freedom"):
        assert getattr(by_weight, name) == pytest.approx(getattr(by_cluster, name)), name


def test_a_query_without_weight_counts_nowhere() -> None:
    its = table(5)
    assert its.weights is not None
    more = RunTable(
        "AP", AP, np.vstack([its.values, [[0.9, np.nan]]]), np.vstack([its.weights, [[0.0, 0.0]]])
    )
    ours, theirs = paired(more.observed, shares=more.leverage), paired(its.observed, shares=its.leverage)
    for name in ("value", "low", "high", "freedom"):
        assert getattr(ours, name) == pytest.approx(getattr(theirs, name)), name


def test_intervals_of_weighted_means_cover_and_do_not_count_the_weights_as_error() -> None:
    draw = np.random.default_rng(7)
    size, queries, draws = 4000, 30, 400
    weights = np.exp(draw.normal(size=size))
    values = draw.beta(2, 3, size)
    both = np.column_stack([values, np.clip(values + draw.normal(0.02, 0.1, size), 0, 1)])
    truth = (weights[:, None] * both).sum(axis=0) / weights.sum()
    truth = np.append(truth, truth[0] - truth[1])
    covered, widths = np.zeros(3), []
    for _ in range(draws):
        rows = draw.integers(0, size, queries)
        its = RunTable("AP", AP, both[rows], np.repeat(weights[rows, None], 2, axis=1))
        seen = [np.column_stack([each, each[:, 0] - each[:, 1]]) for each in (its.observed, its.exchangeable)]
        ours, theirs = paired(seen[0], shares=its.leverage), paired(seen[1])
        covered += (ours.low <= truth) & (truth <= ours.high)
        widths.append(((ours.high - ours.low) / (theirs.high - theirs.low))[0])
    assert (covered / draws > 0.9).all(), covered / draws
    assert np.mean(widths) < 0.75


QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 1}}
RUNS = {
    "good": {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d1": 2.0, "d9": 1.0}},
    "bad": {"q1": {"d2": 2.0, "d1": 1.0}, "q2": {"d9": 2.0, "d1": 1.0}},
}
JUDGE = {"q1": {"d1": 0, "d2": 1}, "q2": {"d9": 1}}


def scored(qrels: Any = QRELS, measures: Any = ("RR", "P@1"), **how: Any) -> dict[str, Any]:
    return dict(carob.evaluate(qrels, RUNS, list(measures), **how))


def test_runs_are_scored_and_keep_what_can_be_read_again() -> None:
    read = Evidence(QRELS, RUNS).read(["RR", "P@2"])
    assert list(read.systems) == ["good", "bad"]
    assert [each.means() for each in read.scores] == [{"RR": 1.0, "P@2": 0.5}, {"RR": 0.5, "P@2": 0.5}]
    assert read.depth == 10  # the first measure has no depth
    assert read.judged == (0.75, 0.75)
    assert read.judge is None
    assert read.shown is read
    assert read.qrels is not None
    good = read.systems["good"]
    assert good.found is not None
    assert good.run is not None
    assert good.run.name == "good"
    assert good.matched is not None
    assert list(good.matched.found.values()) == [good.found]


@pytest.mark.parametrize(
    ("measure", "given", "depth"), [("P@1", None, 1), ("P@1", 2, 2), ("RR", None, 10), ("P@1000", None, 10)]
)
def test_documents_are_counted_as_judged_to_the_depth_of_the_first_measure(
    measure: str, given: int | None, depth: int
) -> None:
    read = Evidence(QRELS, RUNS).read([measure, "AP"], judged_at=given)
    assert read.depth == depth
    assert read.judged == ((1.0, 0.5) if depth == 1 else (0.75, 0.75))


def test_scores_are_taken_as_they_are() -> None:
    given = scored()
    read = Evidence(None, given).read()
    assert [each.labels for each in read.scores] == [("RR", "P@1")] * 2
    assert read.qrels is None
    assert read.depth == 10
    assert [each.means() for each in Evidence(None, given).read("P@1").scores] == [{"P@1": 1.0}, {"P@1": 0.0}]
    assert Evidence(None, given).read(judged_at=1).depth == 1
    assert read.systems["good"].run is None


def test_scores_beside_a_run_lend_it_their_measures() -> None:
    mixed = {"good": scored()["good"], "bad": RUNS["bad"]}
    read = Evidence(QRELS, mixed).read()
    assert [each.means() for each in read.scores] == [{"RR": 1.0, "P@1": 1.0}, {"RR": 0.5, "P@1": 0.0}]
    assert [each.run is None for each in read.systems.values()] == [True, False]
    chosen = Evidence(QRELS, mixed).read("RR")
    assert [each.means() for each in chosen.scores] == [{"RR": 1.0}, {"RR": 0.5}]


def test_judgments_are_read_under_the_policy() -> None:
    twice = b"q1 0 d1 0\nq1 0 d1 1\nq2 0 d1 1\n"
    read = Evidence(twice, RUNS, policy=carob.Policy(duplicates="max")).read("RR")
    assert [each.means() for each in read.scores] == [{"RR": 1.0}, {"RR": 0.5}]


def test_a_judge_scores_the_same_runs() -> None:
    read = Evidence(QRELS, RUNS, judge=JUDGE).read("P@1")
    assert read.judge is not None
    assert [each.means()["P@1"] for each in read.scores] == [1.0, 0.0]
    assert [each.means()["P@1"] for each in read.judge.scores] == [0.0, 1.0]
    assert list(read.judge.systems) == ["good", "bad"]
    assert read.sample is None
    assert read.shown is read
    sampled = replace(read, sample={})
    assert sampled.shown is read.judge


def test_a_judge_given_as_scores_needs_peoples_scores() -> None:
    read = Evidence(None, scored(), judge=scored(JUDGE)).read()
    assert read.judge is not None
    assert [each.means()["P@1"] for each in read.judge.scores] == [0.0, 1.0]
    with pytest.raises(DataError, match="people's scores of the same runs are needed"):
        Evidence(QRELS, RUNS, judge=scored(JUDGE)).read()
    with pytest.raises(DataError, match="the judge has good, and people have good, bad"):
        Evidence(None, scored(), judge={"good": scored(JUDGE)["good"]}).read()
    with pytest.raises(DataError, match="pass the judge's scores of the same runs as judge="):
        Evidence(QRELS, scored(), judge=JUDGE).read()


def test_a_function_that_takes_either_takes_scores_first() -> None:
    assert (Evidence.of(QRELS, RUNS).qrels, Evidence.of(QRELS, RUNS).runs) == (QRELS, RUNS)
    assert Evidence.of(QRELS, RUNS, profile="ir_measures").profile == "ir_measures"
    for given in (scored(), list(scored().values()), tuple(scored().values())):
        found = Evidence.of(given, None)
        assert (found.qrels, found.runs) == (None, given)
    for other in (QRELS, "qrels.txt", [QRELS]):
        with pytest.raises(DataError, match="Pass scores of several runs"):
            Evidence.of(other, None)


@pytest.mark.parametrize(
    ("how", "word"),
    [
        ({"policy": carob.Policy(unjudged="removed")}, "policy"),
        ({"profile": "ir_measures"}, "profile"),
        ({"weights": {"q1": 2.0, "q2": 1.0}}, "weights"),
    ],
)
def test_scores_have_the_conventions_under_which_they_were_computed(how: dict[str, Any], word: str) -> None:
    with pytest.raises(
        DataError, match=f"consists of scores that are already computed, which {word}= cannot change"
    ):
        Evidence(None, scored(), **how).read()


def test_the_conventions_of_the_scores_may_be_repeated() -> None:
    policy = carob.Policy(unjudged="removed")
    for how in ({"policy": policy}, {"profile": "ir_measures"}):
        assert Evidence(None, scored(**how), **how).read().scores[0].means()
    assert Evidence(None, scored(), profile="carob").read().scores


def test_scores_that_were_computed_differently_are_not_compared() -> None:
    one, other = scored()["good"], scored()["bad"]
    removed = scored(policy=carob.Policy(unjudged="removed"))["bad"]
    with pytest.raises(DataError, match="bad was evaluated under a different policy"):
        Evidence(None, {"good": one, "bad": removed}).read()
    weighted = scored(weights={"q1": 3.0, "q2": 1.0})["bad"]
    for pair in ((one, weighted), (weighted, one)):
        with pytest.raises(DataError, match="have different weights"):
            Evidence(None, pair).read()
    heavy = scored(weights={"q1": 3.0, "q2": 1.0})
    assert Evidence(None, heavy).read().scores[0].means()["RR"] == 1
    with pytest.raises(DataError, match="different measures"):
        Evidence(
            QRELS, {"a": one, "b": replace(other, measures=scored(measures=("RR", "P@2"))["bad"].measures)}
        ).read()


def test_runs_that_lost_different_documents_are_not_compared(tmp_path: Path) -> None:
    (tmp_path / "seen").write_text("q1 0 d1 1\n")
    (tmp_path / "other").write_text("q1 0 d2 1\n")
    lost: dict[str, Any] = {
        "": None,
        "some": {"q1": ["d1"]},
        "seen": str(tmp_path / "seen"),
        "other": str(tmp_path / "other"),
    }
    runs = {
        name: carob.evaluate(QRELS, RUNS["good"], "RR", exclude=exclude, name=name or "whole")
        for name, exclude in lost.items()
    }
    for one, other, said in (
        ("", "some", r"from whole \(none\) and some \(some\): exclude the same"),
        ("some", "", r"from some \(some\) and whole \(none\)"),
        ("seen", "other", r"from seen \(those of .*seen\) and other \(those of .*other\)"),
    ):
        with pytest.raises(DataError, match=f"Different documents were excluded {said}"):
            Evidence(None, [runs[one], runs[other]]).read()
    unknown = replace(runs["some"], inputs={})
    with pytest.raises(DataError, match=r"from some \(some\) and whole \(none\)"):
        Evidence(None, [unknown, runs[""]]).read()
    # What a dictionary held is not known later.
    assert Evidence(None, [runs["some"], runs["seen"]]).read().systems


def test_bytes_are_counted_once_whoever_judges(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.run").write_text("q1 Q0 d1 1 2.0 t\n")
    for judge in (None, JUDGE):
        progress = _native.Progress()
        Evidence(QRELS, [str(tmp_path / f"{name}.run") for name in "ab"], judge=judge).read(
            "RR", progress=progress
        )
        assert progress.bytes == 2 * len("q1 Q0 d1 1 2.0 t\n")


def test_a_run_is_found_by_its_name_path_or_index(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.run").write_text("q1 Q0 d1 1 2.0 t\n")
    paths = [str(tmp_path / f"{name}.run") for name in ("a", "b")]
    read = Evidence(QRELS, paths).read("RR")
    one, other = read.systems
    assert [read.place_of(each) for each in (None, one, other, 0, 1, paths[1])] == [None, 0, 1, 0, 1, 1]
    assert read.place_of(str(tmp_path / "x" / ".." / "b.run")) == 1
    for wrong in (-1, 2):
        with pytest.raises(DataError, match=f"baseline={wrong}: pass the index of one of the 2 runs"):
            read.place_of(wrong)
    with pytest.raises(DataError, match=r"No run is called 'c'\. The runs are .*a.*, .*b.*\."):
        read.place_of("c")
    with pytest.raises(DataError, match="No run is called ''"):
        Evidence(QRELS, RUNS).read("RR").place_of("")


@pytest.mark.parametrize(("least", "word"), [(1, "one run"), (2, "two runs"), (3, "three runs")])
def test_too_few_runs_are_refused(least: int, word: str) -> None:
    few = dict(list(RUNS.items())[: least - 1])
    with pytest.raises(DataError, match=f"at least {word}, not {least - 1}" if few else "run"):
        named(few, least)
    if least < 3:
        assert list(named(dict(list(RUNS.items())[:least]), least)) == list(RUNS)[:least]
    assert list(Evidence(QRELS, {"good": RUNS["good"]}).read("RR", least=1).systems) == ["good"]
    with pytest.raises(DataError, match="at least two runs"):
        Evidence(QRELS, {"good": RUNS["good"]}).read("RR")
    with pytest.raises(DataError, match="at least two runs"):
        named({"good": RUNS["good"]})
    with pytest.raises(DataError, match="at least two runs"):
        named_together({"good": RUNS["good"]})


def test_runs_and_scores_are_renamed_unread() -> None:
    score, run = scored()["good"], Run.of(RUNS["good"], "good")
    assert under_name(score) is score
    assert under_name(score, "good") is score
    assert under_name(run) is run
    assert [under_name(each, "x").name for each in (score, run, RUNS["good"])] == ["x"] * 3
    assert list(named_together({"a": run, "b": score})) == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("q1 Q0 d1 1 2.0 bm25\n", "bm25"),
        ("\n# note\nq1 Q0 d1 1 2.0 x\n", "x"),
        ("q1 d1 2.0\n", "name"),
        ("", "name"),
    ],
)
def test_a_tag_is_the_sixth_field_of_the_first_line(text: str, tag: str) -> None:
    assert tag_of(Run.of(text.encode(), "name")) == tag
    assert tag_of(Run.of(RUNS["good"], "name")) == "name"


def test_lists_of_a_dict_are_held_for_the_queries_that_are_needed() -> None:
    text = Run.of(b"q1 Q0 d1 1 2.0 t\n", "text")
    assert lists_held(text, [b"q1"]) is text
    held = lists_held(Run.of(RUNS["good"], "good"), [b"q1"])
    assert held.name == "good"
    assert carob.evaluate(QRELS, held, "RR").by_query("RR") == {"q1": 1.0, "q2": 0.0}


def test_a_judge_of_less_than_half_of_the_others_documents_is_named() -> None:
    assert sparse([0.1, 0.2, 0.19], [0.4, 0.4, 0.4]) == [0, 2]
    assert said_if_sparse(("A", "B"), (0.5,), (0.6,), 10) == []
    (one,) = said_if_sparse(("A", "B"), (0.1, 0.9), (0.5, 0.9), 10)
    assert one.startswith("A judged 10% of the runs' top 10 documents, but B judged 50%.")
    (other,) = said_if_sparse(("A", "B"), (0.5,), (0.1,), 5)
    assert other.startswith("B judged 10% of the runs' top 5 documents, but A judged 50%.")


def graded(*grades: int) -> Any:
    return carob.Qrels.of({"q": {f"d{place}": grade for place, grade in enumerate(grades)}})


BINARY, GRADED = [0, 1] * 10, [0, 1, 2, 3, 3] * 5


@pytest.mark.parametrize(
    ("one", "other", "ranges"),
    [
        (BINARY, GRADED, ("0 to 1", "0 to 3")),
        (GRADED, BINARY, ("0 to 3", "0 to 1")),
        (BINARY, BINARY, None),
        (GRADED, [0, 1, 2, 2] * 5, None),  # 3 and 2: a grade may be unused
        (BINARY[:19], GRADED, None),
        (BINARY, [0] * 20 + [3] * 4, None),
        (BINARY, [0] * 20 + [3] * 5, ("0 to 1", "0 to 3")),
        (BINARY, [0] * 296 + [3] * 5, None),  # 1.7% of the wider scale
        ([1, 2] * 10, [0, 1, 1, 1, 1] * 5, ("1 to 2", "0 to 1")),
        ([0, 2] * 10, [0, 1] * 10, ("0 to 2", "0 to 1")),
        ([0, 5] * 10, [0, 8] * 10, ("0 to 5", "0 to 8")),
        ([0, 5] * 10, [0, 7] * 10, None),
        ([1] * 20, [0, 2] * 10, ("all 1", "0 to 2")),
        ([-1] * 20 + BINARY, GRADED, ("0 to 1", "0 to 3")),
    ],
)
def test_two_scales_are_recognised(one: list[int], other: list[int], ranges: tuple[str, str] | None) -> None:
    assert ranges_apart(graded(*one), graded(*other)) == ranges
    said = said_if_scaled(("A", "B"), graded(*one), graded(*other))
    assert (
        said == []
        if ranges is None
        else said[0].startswith(f"A's grades are {ranges[0]}, and B's are {ranges[1]}.")
    )
    assert ranges_apart(None, graded(*other)) is None
    assert ranges_apart(graded(*one), None) is None


def of(name: str, values: Any, weights: Any = None) -> RunTable:
    measure = carob.measures.parse_measure(name)
    return RunTable(
        name, measure, np.array(values, float), None if weights is None else np.array(weights, float)
    )


def test_the_direction_and_the_mean_are_those_of_the_measure() -> None:
    assert (of("AP", [[0.1]]).sign, of("WSS", [[0.1]]).sign) == (1, 1)
    assert of("LastRelevant", [[3]]).sign == -1
    assert of("GMAP", [[0.1]]).geometric
    assert not of("AP", [[0.1]]).geometric
    values = [[0.1, 0.4], [0.9, np.nan]]
    assert of("AP", values).means == pytest.approx((0.5, 0.4))
    assert of("AP", values, [[3, 3], [1, 1]]).means == pytest.approx((0.3, 0.4))
    assert of("GMAP", values).observed[:, 0] == pytest.approx(np.log([0.1, 0.9]))


def test_limits_are_those_of_a_mean_with_one_weight_a_query() -> None:
    assert of("AP", [[0.1, 1.0]]).limits == (0, 1)
    assert of("AP", [[0.0, 1 + 1e-10]]).limits == (0, 1)
    assert of("AP", [[0.1, 0.2]], [[2, 2]]).limits == (0, 1)
    infinite = (-np.inf, np.inf)
    assert of("AP", [[0.1, 0.2]], [[2, 1]]).limits == infinite
    assert of("AP", [[0.1, 1.5]]).limits == infinite
    assert of("AP", [[0.1, -0.5]]).limits == infinite
    assert of("GMAP", [[0.1, 0.2]]).limits == infinite


def test_a_part_has_the_weights_and_clusters_of_its_queries() -> None:
    whole = replace(of("AP", [[0.1], [0.2], [0.3]], [[1], [2], [3]]), clusters=np.array([4, 5, 6]))
    part = whole.part(np.array([True, False, True]))
    assert part.weights is not None
    assert part.clusters is not None
    assert (part.values.ravel().tolist(), part.weights.ravel().tolist(), part.clusters.tolist()) == (
        [0.1, 0.3],
        [1, 3],
        [4, 6],
    )
    plain = of("AP", [[0.1]]).part([0])
    assert (plain.weights, plain.clusters, plain.leverage) == (None, None, None)


def test_pairs_are_compared_on_the_queries_that_they_share() -> None:
    nan = np.nan
    first, second = np.array([0, 0, 1]), np.array([1, 2, 2])
    full = of("AP", [[0.1, 0.2, 0.3]])
    ((its, places),) = full.shared(first, second)
    assert its is full
    assert places.tolist() == [0, 1, 2]
    holed = of("AP", [[0.1, 0.2, 0.3], [0.4, 0.5, nan], [nan, 0.6, 0.7]])
    found = {
        tuple(places.tolist()): part.values[:, 1].tolist() for part, places in holed.shared(first, second)
    }
    assert found == {(0,): [0.2, 0.5], (1,): [0.2], (2,): [0.2, 0.6]}
    assert holed.complete().values.tolist() == [[0.1, 0.2, 0.3]]


def test_a_query_that_a_run_lacks_has_no_value_in_the_table() -> None:
    some = {"q1": {"d1": 1.0}}
    scores = list(
        carob.evaluate(
            QRELS, {"good": RUNS["good"], "some": some}, "RR", policy=carob.Policy(missing="skip")
        ).values()
    )
    ids, (its,) = tables_of(scores)
    assert list(ids) == [b"q1", b"q2"]
    assert its.values[:, 0].tolist() == [1, 1]
    assert its.values[0, 1] == 1
    assert np.isnan(its.values[1, 1])
    assert (its.label, its.weights) == ("RR", None)


def test_weights_stand_in_the_table_unless_they_are_all_equal() -> None:
    _, (uneven,) = tables_of(list(scored(measures=("RR",), weights={"q1": 3.0, "q2": 1.0}).values()))
    assert uneven.weights is not None
    assert uneven.weights.tolist() == [[3, 3], [1, 1]]
    _, (even,) = tables_of(list(scored(measures=("RR",), weights={"q1": 3.0, "q2": 3.0}).values()))
    assert even.weights is None
    _, (counted,) = tables_of(list(scored(measures=("NumRet",), weights={"q1": 3.0, "q2": 1.0}).values()))
    assert counted.weights is None  # sums are never weighted


def test_a_query_that_a_measure_leaves_out_has_no_value_in_its_table_alone() -> None:
    qrels = {"q1": {"d1": 2}, "q2": {"d1": 1}}
    scores = carob.evaluate(qrels, RUNS, ["AP(rel=2)", "RR"], policy=carob.Policy(empty="skip"))
    one, other = tables_of([*scores.values()])[1]
    assert np.array_equal(one.values, [[1, 0.5], [np.nan, np.nan]], equal_nan=True)
    assert np.array_equal(other.values, [[1, 0.5], [1, 0.5]])
    marked = replace(scores["good"], counted=np.array([[True, True], [True, False]]))
    last = tables_of([marked, scores["bad"]])[1][-1]
    assert np.array_equal(last.values, [[1, 0.5], [np.nan, 0.5]], equal_nan=True)


def test_a_run_without_weights_beside_a_weighted_one_has_equal_weights() -> None:
    qrels, run = {"q": {"a": 1}, "p": {"b": 1}}, {"q": {"a": 1.0}, "p": {"a": 2.0, "b": 1.0}}
    weighted = carob.evaluate(qrels, run, "AP", weights={"q": 3.0, "p": 1.0})
    for scores in (
        [carob.evaluate(qrels, run, "AP"), weighted],
        [weighted, carob.evaluate(qrels, run, "AP")],
    ):
        (its,) = tables_of(scores)[1]
        assert its.weights is not None
        assert sorted(np.unique(column / column.sum()).tolist() for column in its.weights.T) == [
            [0.25, 0.75],
            [0.5],
        ]
