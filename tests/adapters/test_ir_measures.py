"""carob as a provider of ir_measures: the same numbers, and what is missing falls through."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from carob import DataError
from carob.adapters import ir_measures as adapter
from carob.adapters.ir_measures import register, registered

if TYPE_CHECKING:
    from collections.abc import Iterator

ir_measures: Any = pytest.importorskip("ir_measures", reason="carob is its provider")
pytest.importorskip("pytrec_eval", reason="ir_measures computes with it")

MEASURES = [
    *(
        "AP",
        "AP@5",
        "AP(rel=2)",
        "AP(rel=2)@10",
        "AP(judged_only=True)",
        "infAP",
        "infAP(rel=2)",
        "SetAP",
        "Rprec",
    ),
    *("RR", "RR(rel=2)", "RR@10", "RR(rel=2)@5", "IPrec@0.1", "IPrec@0.5", "Bpref", "Judged@10"),
    *("nDCG", "nDCG@10", "nDCG(judged_only=True)@5", "nDCG(gains={1:3,2:7,3:15})@10"),
    *("P@5", "P(rel=2)@10", "P(judged_only=True)@3", "R@10", "R(rel=2)@5", "Success@1", "Success(rel=2)@5"),
    *("NumRet", "NumRet(rel=1)", "NumRet(rel=2)", "NumQ", "NumRel", "SetF", "SetF(beta=2.0)"),
    *("SetP", "SetP(relative=True)", "SetP(rel=2)", "SetR", "SetR(rel=2)"),
]


@pytest.fixture(autouse=True)
def pipeline_as_before() -> Iterator[None]:
    before = [*ir_measures.DefaultPipeline.providers]
    yield
    assert ir_measures.DefaultPipeline.providers == before


def data(ties: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    draw = random.Random(5)
    qrels = {
        f"q{query}": {f"d{draw.randint(0, 40)}": draw.choice([0, 0, 1, 2, 3]) for _ in range(12)}
        for query in range(12)
    }
    run = {
        f"q{query}": {
            f"d{draw.randint(0, 40)}": float(draw.randint(0, 9)) if ties else draw.random() for _ in range(25)
        }
        for query in range(2, 14)
    }
    return qrels, run


def as_tuples(qrels: Any, run: Any) -> tuple[Any, Any]:
    return (
        [
            ir_measures.Qrel(query, document, grade)
            for query, its in qrels.items()
            for document, grade in its.items()
        ],
        [
            ir_measures.ScoredDoc(query, document, score)
            for query, its in run.items()
            for document, score in its.items()
        ],
    )


def as_frames(qrels: Any, run: Any) -> tuple[Any, Any]:
    pandas = pytest.importorskip("pandas", reason="the frames")
    judged, ranked = as_tuples(qrels, run)
    return pandas.DataFrame(judged), pandas.DataFrame(ranked)


FORMS = {"dicts": lambda qrels, run: (qrels, run), "tuples": as_tuples, "frames": as_frames}


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_every_measure_has_the_number_that_it_has_without_carob(
    form: str, ties: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    qrels, run = FORMS[form](*data(ties))
    asked = [ir_measures.parse_measure(each) for each in MEASURES]
    wanted, wanted_means = one_by_one(asked, qrels, run)
    calls: list[int] = []
    values = adapter.ScoredByCarob.values

    def counted(self: Any, ranked: Any) -> Any:
        calls.append(1)
        return values(self, ranked)

    monkeypatch.setattr(adapter.ScoredByCarob, "values", counted)
    with registered():
        found = {(each, query): value for query, each, value in ir_measures.iter_calc(asked, qrels, run)}
        means = ir_measures.calc_aggregate(asked, qrels, run)
    assert len(calls) == 2
    assert found.keys() == wanted.keys()
    assert found == pytest.approx(wanted, abs=1e-9)
    assert means == pytest.approx(wanted_means, abs=1e-9)


def one_by_one(measures: list[Any], qrels: Any, run: Any) -> tuple[dict[Any, float], dict[Any, float]]:
    """Return the values and means that ir_measures has for each measure in a call of its own.

    In one call, its provider with pytrec_eval computes NumRet and nDCG with whichever measure comes first in a set. So
    the process's hashes decide whether NumRet counts judged documents only, and whether nDCG takes another's gains.
    """
    values: dict[Any, float] = {}
    means: dict[Any, float] = {}
    for measure in measures:
        values |= {
            (measure, each.query_id): each.value for each in ir_measures.iter_calc([measure], qrels, run)
        }
        means |= ir_measures.calc_aggregate([measure], qrels, run)
    return values, means


@pytest.mark.parametrize(
    ("name", "beside"),
    [
        ("NumRet", "AP(judged_only=True)"),
        ("NumRet", "P(judged_only=True)@3"),
        ("nDCG", "nDCG(gains={1:3,2:7,3:15})@10"),
    ],
)
def test_what_stands_beside_a_measure_does_not_change_its_number(name: str, beside: str) -> None:
    qrels, run = data(ties=False)
    both = [ir_measures.parse_measure(each) for each in (name, beside)]
    wanted, wanted_means = one_by_one(both, qrels, run)
    with registered():
        found = {(each, query): value for query, each, value in ir_measures.iter_calc(both, qrels, run)}
        means = ir_measures.calc_aggregate(both, qrels, run)
    assert found == pytest.approx(wanted, abs=1e-9)
    assert means == pytest.approx(wanted_means, abs=1e-9)


def test_measures_that_carob_does_not_take_fall_through() -> None:
    qrels, run = data(ties=False)
    own = ir_measures.define_byquery(lambda qrels, run: len(run) / 100, name="ShareOfRun")
    asked = [own, ir_measures.parse_measure("Accuracy"), ir_measures.AP]
    wanted = ir_measures.calc_aggregate(asked, qrels, run)
    with registered():
        assert ir_measures.calc_aggregate(asked, qrels, run) == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("bad", [{"q2": {"d1": float("nan"), "d2": 1.0}}, {}, {"other": {"d": 1.0}}])
def test_data_that_carob_refuses_are_left_to_the_others(bad: dict[str, Any]) -> None:
    qrels, _ = data(ties=False)
    asked = [ir_measures.AP, ir_measures.Judged @ 5]
    wanted = ir_measures.calc_aggregate(asked, qrels, bad)
    with registered():
        assert ir_measures.calc_aggregate(asked, qrels, bad) == pytest.approx(wanted, abs=1e-9)


def test_a_sample_is_not_taken_for_complete_judgments() -> None:
    pandas = pytest.importorskip("pandas", reason="the frames")
    qrels = pandas.DataFrame({"query_id": ["q"], "doc_id": ["a"], "relevance": [1], "probability": [0.5]})
    run = pandas.DataFrame({"query_id": ["q"], "doc_id": ["a"], "score": [1.0]})
    with registered(), pytest.raises(DataError, match="judgments are a sample of 1 document"):
        ir_measures.calc_aggregate([ir_measures.RR], qrels, run)


def test_numbers_as_ids_are_no_frame_of_carobs() -> None:
    pandas = pytest.importorskip("pandas", reason="the frames")
    qrels = pandas.DataFrame({"query_id": ["1", "1"], "doc_id": ["7", "8"], "relevance": [1, 0]})
    run = pandas.DataFrame({"query_id": ["1", "1"], "doc_id": ["8", "7"], "score": [2.0, 1.0]})
    with registered():
        assert ir_measures.calc_aggregate([ir_measures.RR], qrels, run) == {ir_measures.RR: 0.5}


def test_registering_twice_is_registering_once_after_the_users_own_measures() -> None:
    with registered():
        register()
        names = [each.NAME for each in ir_measures.DefaultPipeline.providers]
    assert names.count("carob") == 1
    assert names.index("carob") == names.index("runtime") + 1
