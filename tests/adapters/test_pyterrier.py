"""PyTerrier's Experiment, unedited, with carob as a provider of ir_measures and with carob's tests."""

from __future__ import annotations

import random
from typing import Any

import pytest

import carob
from carob.adapters.ir_measures import registered
from carob.adapters.pyterrier import paired_test

pytestmark = [pytest.mark.thorough, pytest.mark.filterwarnings("ignore")]
reason = "needs PyTerrier, of the extra 'peers'"
pytest.importorskip("pyterrier", reason=reason)
pandas: Any = pytest.importorskip("pandas", reason="PyTerrier's tables are pandas'")
NAMES = ["map", "ndcg_cut_10", "recip_rank", "P_5"]


def tables() -> tuple[Any, Any, dict[str, Any]]:
    """Topics, judgments and the results of three systems, some of whose scores are equal."""
    draw = random.Random(4)
    queries = [str(number) for number in range(30)]
    judged = [(query, f"d{each}", draw.choice([0, 0, 1, 2])) for query in queries for each in range(0, 60, 2)]
    results = {
        name: pandas.DataFrame(
            [
                (query, f"d{each}", rank, round(quality * ((each * 7) % 5) + draw.random(), 1))
                for query in queries
                for rank, each in enumerate(draw.sample(range(60), 30))
            ],
            columns=["qid", "docno", "rank", "score"],
        )
        for name, quality in {"a": 0.1, "b": 0.3, "c": 0.0}.items()
    }
    topics = pandas.DataFrame([(query, f"text {query}") for query in queries], columns=["qid", "query"])
    return topics, pandas.DataFrame(judged, columns=["qid", "docno", "label"]), results


def experiment(**options: Any) -> Any:
    import pyterrier as pt
    from ir_measures import AP, RR, nDCG

    topics, qrels, results = tables()
    measures = [*NAMES, RR(rel=2) @ 10, nDCG @ 20, AP(rel=2)]
    systems = [pt.Transformer.from_df(each) for each in results.values()]
    return pt.Experiment(systems, topics, qrels, eval_metrics=measures, names=[*results], **options)


@pytest.mark.parametrize(
    "options",
    [{}, {"perquery": True}, {"baseline": 0}, {"baseline": 0, "correction": "holm"}],
    ids=["plain", "perquery", "baseline", "holm"],
)
def test_its_tables_are_the_same_with_carob(options: dict[str, Any]) -> None:
    wanted = experiment(**options)
    with registered():
        found = experiment(**options)
    if "perquery" in options:
        order = ["name", "qid", "measure"]
        found, wanted = (each.sort_values(order, ignore_index=True) for each in (found, wanted))
    pandas.testing.assert_frame_equal(found, wanted, check_like=True, rtol=0, atol=1e-9)
    assert len(found.columns) >= 4


def test_its_columns_are_in_the_same_order_in_every_process() -> None:
    """ir_measures hands over a set of measures, whose order depends on the process."""
    with registered():
        columns = [*experiment().columns]
    assert columns == [
        "name",
        "map",
        "AP(rel=2)",
        "P_5",
        "recip_rank",
        "RR(rel=2)@10",
        "ndcg_cut_10",
        "nDCG@20",
    ]


@pytest.mark.parametrize("name", ["randomisation", "t", "wilcoxon", "sign"])
def test_its_p_are_those_of_compare(name: Any) -> None:
    found = experiment(baseline=0, test=paired_test(name))
    _, qrels, results = tables()
    judged: dict[str, dict[str, int]] = {}
    for query, document, grade in qrels.itertuples(index=False):
        judged.setdefault(query, {})[document] = grade
    runs = {
        key: {query: dict(zip(its.docno, its.score)) for query, its in each.groupby("qid")}
        for key, each in results.items()
    }
    compared = carob.compare(judged, runs, "nDCG@10", baseline="a", test=carob.Test(name, "none"))
    p = found.set_index("name")["ndcg_cut_10 p-value"]
    for pair in compared["nDCG@10"].pairs:
        run = compared.names[pair.a]
        assert p[run] == pytest.approx(pair.p_uncorrected, abs=1e-9)
        assert 0 < p[run] <= 1


def test_t_is_scipys_and_a_wrong_name_is_refused() -> None:
    stats = pytest.importorskip("scipy.stats")
    draw = random.Random(2)
    one, other = ([draw.random() for _ in range(25)] for _ in range(2))
    difference, p = paired_test("t")(one, other)
    assert difference == pytest.approx((sum(one) - sum(other)) / 25)
    assert p == pytest.approx(stats.ttest_rel(one, other)[1])
    with pytest.raises(carob.ArgumentError, match="There is no test='ttest'"):
        paired_test("ttest")  # type: ignore[arg-type]
