"""scikit-learn against its profile."""

from __future__ import annotations

import pytest

import carob
from peers.small_cases import check_equal, small_cases

sklearn = pytest.importorskip("sklearn.metrics", reason="needs scikit-learn, of the extra 'peers'")

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("ties", [True, False], ids=["ties", "no ties"])
@pytest.mark.parametrize("depth", [1, 3, 10])
def test_ndcg_and_dcg(depth: int, ties: bool) -> None:
    cases = small_cases(ties=ties, shortest=2)
    for function, name in ((sklearn.ndcg_score, "ndcg_score"), (sklearn.dcg_score, "dcg_score")):
        theirs = {
            query: function([labels], [scores], k=depth) for query, (labels, scores) in cases.rows().items()
        }
        check_equal(cases, "sklearn", f"{name}@{depth}", theirs)


def test_weighted_means() -> None:
    labels, scores, weights = (
        [[2, 0, 1], [0, 0, 3], [1, 1, 0]],
        [[1, 2, 2], [1, 2, 3], [5, 4, 6]],
        [0.5, 2, 1],
    )
    names = "abc"
    scored = carob.evaluate(
        {f"q{number}": dict(zip(names, row)) for number, row in enumerate(labels)},
        {f"q{number}": dict(zip(names, row)) for number, row in enumerate(scores)},
        "ndcg_score@2",
        profile="sklearn",
        weights={f"q{number}": weight for number, weight in enumerate(weights)},
    )
    theirs = sklearn.ndcg_score(labels, scores, k=2, sample_weight=weights)
    assert scored["ndcg_score@2"] == pytest.approx(theirs, abs=1e-12)


def test_average_precision_of_labels() -> None:
    cases = small_cases(ties=False, highest=1)
    theirs = {
        query: sklearn.label_ranking_average_precision_score([labels], [scores])
        for query, (labels, scores) in cases.rows().items()
    }
    check_equal(cases, "sklearn", "LRAP", theirs)


def test_area_under_the_curve() -> None:
    cases = small_cases(highest=1)
    theirs = {query: sklearn.roc_auc_score(*rows) for query, rows in cases.rows().items()}
    check_equal(cases, "sklearn", "roc_auc_score", theirs)
