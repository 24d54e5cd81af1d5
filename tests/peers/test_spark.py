"""Apache Spark's RankingMetrics, from Python, against its profile: few jobs of many users, since each costs a job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import carob
from peers.small_cases import DOUBLE, small_cases

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Lists = Sequence[tuple[list[str], list[str]]]
    """For each user what was recommended, and what is relevant."""

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")  # PySpark's, of how it makes tables of RDDs

NAMES = (
    "precisionAt@3",
    "precisionAt@20",
    "recallAt@3",
    "ndcgAt@3",
    "ndcgAt@20",
    "meanAveragePrecision",
    "meanAveragePrecisionAt@3",
)


@pytest.fixture(scope="module")
def means(spark: Any) -> Callable[..., list[float]]:
    """What RankingMetrics says of the lists: one job for each of the names."""
    evaluation = pytest.importorskip("pyspark.mllib.evaluation", reason="needs PySpark, of the extra 'spark'")

    def found(lists: Lists, names: Sequence[str] = NAMES) -> list[float]:
        metrics = evaluation.RankingMetrics(spark.sparkContext.parallelize(lists, 1))
        calls = [name.partition("@") for name in names]
        return [
            getattr(metrics, word)(int(depth)) if depth else getattr(metrics, word)
            for word, _, depth in calls
        ]

    return found


@pytest.mark.parametrize("missing", [False, True], ids=["every user has recommendations", "some have none"])
def test_means_of_many_users(means: Callable[..., list[float]], missing: bool) -> None:
    cases = small_cases(missing=missing)
    orders, relevant = cases.orders(), cases.relevant()
    assert missing == (len(orders) < len(relevant))
    assert not all(relevant.values())  # some users have nothing relevant
    theirs = means([(orders.get(user, []), relevant[user]) for user in cases.qrels])
    ours = carob.evaluate(cases.qrels, cases.run, list(NAMES), profile="spark").means()
    assert list(ours.values()) == pytest.approx(theirs, abs=DOUBLE)


def test_an_item_twice_counts_twice_there(means: Callable[..., list[float]]) -> None:
    # Named in the profile and in docs/spark.md: carob refuses the second one instead.
    assert means([(["a", "a", "a"], ["a"])], ["recallAt@3"]) == [3.0]
    with pytest.raises(carob.DataError, match="is listed twice"):
        carob.evaluate(b"q 0 a 1\n", b"q Q0 a 1 3 t\nq Q0 a 2 2 t\n", "recallAt@3", profile="spark")
