"""recommenders against its profile."""

from __future__ import annotations

import pytest

from peers.small_cases import Cases, check_means, small_cases

evaluation = pytest.importorskip(
    "recommenders.evaluation.python_evaluation", reason="needs recommenders: pip install recommenders"
)
pandas = pytest.importorskip("pandas", reason="needs pandas, of the extra 'peers'")

pytestmark = pytest.mark.filterwarnings("ignore")

NAMES = ("precision_at_k@3", "recall_at_k@3", "ndcg_at_k@3", "map_at_k@3", "map@3")


def frames_of(cases: Cases) -> dict[str, object]:
    columns = ["userID", "itemID", "rating"]
    truth = [(user, item, 1.0) for user, items in cases.relevant().items() for item in items]
    ranked = [(user, item, score) for user, items in cases.run.items() for item, score in items.items()]
    return {
        "rating_true": pandas.DataFrame(truth, columns=columns),
        "rating_pred": pandas.DataFrame(ranked, columns=["userID", "itemID", "prediction"]),
    }


def printed(cases: Cases) -> list[float]:
    frames = frames_of(cases)
    return [float(getattr(evaluation, name.partition("@")[0])(**frames, k=3)) for name in NAMES]


@pytest.mark.thorough
@pytest.mark.parametrize("ties", [True, False], ids=["ties", "no ties"])
def test_means(ties: bool) -> None:
    cases = small_cases(highest=1, ties=ties, empty=False, count=300)
    check_means(cases, "recommenders", NAMES, printed)


@pytest.mark.thorough
@pytest.mark.parametrize("ties", [True, False], ids=["ties", "no ties"])
def test_r_precision_of_those_who_found_something(ties: bool) -> None:
    cases = small_cases(highest=1, ties=ties, empty=False, count=300)

    def theirs(part: Cases) -> list[float]:
        return [float(evaluation.r_precision_at_k(**frames_of(part), k=20))]

    check_means(cases, "recommenders", ["r_precision"], theirs)
