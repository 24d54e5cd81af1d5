"""Laws that hold for every measure, on random judgments and runs."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings

import carob
from carob import DataError, Policy
from carob.inputs.qrels import Qrels
from carob.inputs.run import Run
from carob.lists.flat import Flat
from carob.matching.axes import to_depth
from carob.matching.match import match
from carob.measures import REGISTER, Measure
from strategies import examples, judgments, runs

MEASURES = [
    Measure(name, (), 3 if definition.whole else None)
    for name, definition in REGISTER.items()
    if definition.takes == "grades"
]
CUT = [Measure(each.name, (), 2) for each in MEASURES if each.definition.at == "depth"]
ALL = [*MEASURES, *[each for each in CUT if each not in MEASURES]]

# Not between 0 and 1: counts and sums, an undiscounted or negative worth, log odds, saved work, losses.
UNBOUNDED = {"CG", "DCG", "IDCG", "Utility", "YAAP", "G", "WSS", "LastRel", "LossER"} | {
    name for name, each in REGISTER.items() if each.aggregate == "sum"
}
# 1 for a perfect list: those that normalise by what is possible.
PERFECT = {
    "AP",
    "RR",
    "nDCG",
    "nDCGrel",
    "RnDCG",
    "Bpref",
    "Rprec",
    "R",
    "SetAP",
    "SetF",
    "SetP",
    "Success",
    "IPrecMean",
    "F",
    "nCG",
    "Q",
    "nERR",
    "MeanP",
    "RecallArea",
}


def evaluated(qrels: dict, run: dict, **axes: object) -> carob.Scores:
    try:
        return carob.evaluate(qrels, run, ALL, policy=Policy(**axes))
    except DataError:
        assume(False)
        raise


@settings(max_examples=examples(150), deadline=None)
@given(judgments(), runs())
def test_values_are_bounded_and_defined(qrels: dict, run: dict) -> None:
    scores = evaluated(qrels, run)
    for measure in ALL:
        for value in scores.by_query(measure).values():
            assert math.isfinite(value)
            if measure.name not in UNBOUNDED:
                assert -1e-12 <= value <= 1 + 1e-12, measure


@settings(max_examples=examples(100), deadline=None)
@given(judgments(), runs())
def test_a_query_scores_the_same_alone(qrels: dict, run: dict) -> None:
    together = evaluated(qrels, run)
    for query in qrels:
        mine = {query: run[query]} if query in run else {}
        alone = carob.evaluate({query: qrels[query]}, mine, ALL, policy=Policy(overlap="none"))
        assert alone.matrix[0].tolist() == together.matrix[together.queries.index(query)].tolist()


@settings(max_examples=examples(100), deadline=None)
@given(judgments(), runs())
def test_the_order_of_queries_and_documents_is_irrelevant(qrels: dict, run: dict) -> None:
    turned = [
        {q: dict(reversed(docs.items())) for q, docs in reversed(data.items())} for data in (qrels, run)
    ]
    assert evaluated(*turned).matrix.tolist() == evaluated(qrels, run).matrix.tolist()


@settings(max_examples=examples(100), deadline=None)
@given(judgments(), runs())
def test_scores_matter_only_by_their_order(qrels: dict, run: dict) -> None:
    moved = {q: {d: 7 * s - 100 for d, s in docs.items()} for q, docs in run.items()}
    assert evaluated(qrels, moved).matrix.tolist() == evaluated(qrels, run).matrix.tolist()


@settings(max_examples=examples(100), deadline=None)
@given(judgments(), runs())
def test_ties_stay_between_the_worst_and_the_best_order(qrels: dict, run: dict) -> None:
    names = ["AP", "RR", "nDCG", "P@3", "Success@2", "Bpref"]
    low, middle, high = (evaluated(qrels, run, ties=rule) for rule in ("pessimistic", "trec", "optimistic"))
    for name in names:
        place = middle.column(name)
        assert (low.matrix[:, place] <= middle.matrix[:, place] + 1e-12).all(), name
        assert (middle.matrix[:, place] <= high.matrix[:, place] + 1e-12).all(), name


@settings(max_examples=examples(100), deadline=None)
@given(judgments(), runs())
def test_a_row_for_every_rank_changes_nothing(qrels: dict, run: dict) -> None:
    rows = match(Qrels.of(qrels), Run.of(run), Policy()).rows
    with np.errstate(all="ignore"):
        # A measure that declares its need of every rank is given them, and says something else without.
        for measure in [each for each in ALL if not each.every_rank]:
            few, all_of_them = measure.values(Flat(rows)), measure.values(Flat(rows, every_rank=True))
            assert np.allclose(few, all_of_them, rtol=0, atol=1e-12), measure


@settings(max_examples=examples(100), deadline=None)
@given(judgments(), runs())
def test_a_cut_equals_a_shorter_run(qrels: dict, run: dict) -> None:
    rows = match(Qrels.of(qrels), Run.of(run), Policy()).rows
    short = replace(to_depth(rows, 2), depth=2)
    with np.errstate(all="ignore"):
        for measure in CUT:
            if measure.name != "R":
                assert (
                    measure.values(Flat(rows)).tolist()
                    == Measure(measure.name, (), 2).values(Flat(short)).tolist()
                ), measure


@settings(max_examples=examples(100), deadline=None)
@given(judgments(), runs())
def test_a_second_call_and_read_only_rows_give_the_same(qrels: dict, run: dict) -> None:
    rows = match(Qrels.of(qrels), Run.of(run), Policy()).rows
    for name in ("length", "rank", "grade", "offsets", "judged_grades", "judged_offsets"):
        getattr(rows, name).flags.writeable = False
    with np.errstate(all="ignore"):
        for measure in ALL:
            lists = Flat(rows)
            assert (
                measure.values(lists).tolist()
                == measure.values(lists).tolist()
                == measure.values(Flat(rows)).tolist()
            )


@settings(max_examples=examples(100), deadline=None)
@given(judgments())
def test_the_ideal_list_scores_1(qrels: dict) -> None:
    run = {q: {d: float(g) for d, g in docs.items() if g > 0} for q, docs in qrels.items()}
    run = {q: docs for q, docs in run.items() if docs}
    assume(run)
    scores = carob.evaluate({q: qrels[q] for q in run}, run, sorted(PERFECT))
    for name in PERFECT:
        assert scores[name] == pytest.approx(1, abs=1e-12), name
