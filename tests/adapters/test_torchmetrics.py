"""A metric of torchmetrics says what carob says, and under the profile of torchmetrics what its own metrics say."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from adapters.batch import GRADES, MEASURES, SCORES, check_same
from adapters.trainings import GRADES as TRAINING
from adapters.trainings import INPUTS, offline
from adapters.trainings import MEASURES as TRAINED
from arrays import library
from carob import DataError
from carob.tensors import evaluate


def test_a_torchmetrics_metric_keeps_two_numbers_a_measure() -> None:
    torch = library("torch")
    pytest.importorskip("torchmetrics", reason="needs torchmetrics")
    from carob.adapters.torchmetrics import retrieval_metric

    metric = retrieval_metric(MEASURES)
    for some in (slice(0, 2), slice(2, 6)):
        metric.update(torch.tensor(SCORES[some]), torch.tensor(GRADES[some]))
    check_same(metric.compute())
    assert metric.metric_state["sums"].shape == (3, 2)
    metric.reset()
    indexes = torch.arange(10, 16).repeat_interleave(7)
    metric.update(torch.tensor(SCORES).flatten(), torch.tensor(GRADES).flatten(), indexes=indexes)
    check_same(metric.compute())


def test_a_metric_under_their_profile_says_what_theirs_says() -> None:
    torch = library("torch")
    theirs = pytest.importorskip("torchmetrics.retrieval", reason="needs torchmetrics").RetrievalMAP()
    from carob.adapters.torchmetrics import retrieval_metric

    flat = (torch.tensor(SCORES).flatten(), torch.tensor(GRADES > 0).flatten())
    indexes = torch.arange(6).repeat_interleave(7)
    theirs.update(*flat, indexes=indexes)
    ours = retrieval_metric(["AP"], profile="torchmetrics")
    ours.update(*flat, indexes=indexes)
    assert float(ours.compute()["AP"]) == pytest.approx(float(theirs.compute()), abs=1e-6)


FLAT = [np.round(SCORES, 1).ravel(), GRADES.ravel(), np.repeat(np.arange(6), 7)]


def metrics_of_torchmetrics() -> dict[str, Any]:
    retrieval = pytest.importorskip("torchmetrics.retrieval", reason="needs torchmetrics")
    return {
        "RetrievalMAP": retrieval.RetrievalMAP(),
        "RetrievalMRR": retrieval.RetrievalMRR(),
        "RetrievalNormalizedDCG@10": retrieval.RetrievalNormalizedDCG(top_k=10),
        "RetrievalPrecision@10": retrieval.RetrievalPrecision(top_k=10),
        "RetrievalNormalizedDCG@3": retrieval.RetrievalNormalizedDCG(top_k=3),
    }


@pytest.mark.parametrize("cuts", [(), (3, 17, 30)], ids=["at once", "queries cut by batches"])
def test_their_default_measures_say_what_theirs_say(cuts: tuple[int, ...]) -> None:
    torch = library("torch")
    theirs = metrics_of_torchmetrics()
    from carob.adapters.torchmetrics import retrieval_metric

    random = np.random.default_rng(4)
    scores = torch.tensor(random.permutation(42) / 42 + 0.01)
    graded, binary = torch.tensor(FLAT[1]), torch.tensor(FLAT[1] > 1)
    indexes = torch.tensor(FLAT[2])[torch.tensor(random.permutation(42))]
    for target, names in ((binary, list(theirs)[:4]), (graded, list(theirs)[2:5:2])):
        ours = retrieval_metric(names, profile="torchmetrics")
        for first, last in zip((0, *cuts), (*cuts, 42)):
            ours.update(scores[first:last], target[first:last], indexes=indexes[first:last])
        for name in names:
            theirs[name].reset()
            theirs[name].update(scores, target, indexes=indexes)
            assert float(ours.compute()[name]) == pytest.approx(float(theirs[name].compute()), abs=1e-6), name
    assert set(retrieval_metric(profile="torchmetrics").meter.labels) == set(list(theirs)[:4])


def test_tied_documents_have_their_mean_as_in_torchmetrics() -> None:
    torch = library("torch")
    theirs = metrics_of_torchmetrics()["RetrievalNormalizedDCG@3"]
    from carob.adapters.torchmetrics import retrieval_metric

    ours = retrieval_metric("RetrievalNormalizedDCG@3", profile="torchmetrics")
    rows = [torch.tensor(each) for each in FLAT]
    theirs.update(*rows[:2], indexes=rows[2])
    ours.update(*rows[:2], indexes=rows[2])
    assert float(ours.compute()["RetrievalNormalizedDCG@3"]) == pytest.approx(
        float(theirs.compute()), abs=1e-6
    )


def test_a_query_cut_by_batches_counts_once() -> None:
    torch = library("torch")
    theirs = metrics_of_torchmetrics()["RetrievalMAP"]
    from carob.adapters.torchmetrics import retrieval_metric

    indexes = torch.tensor([0, 0, 0, 1, 1, 1, 1])
    preds = torch.tensor([0.2, 0.3, 0.5, 0.1, 0.3, 0.5, 0.2])
    target = torch.tensor([False, False, True, False, True, False, True])
    ours = retrieval_metric("RetrievalMAP", profile="torchmetrics")
    for part in (slice(0, 2), slice(2, 7)):
        ours.update(preds[part], target[part], indexes=indexes[part])
        theirs.update(preds[part], target[part], indexes=indexes[part])
    assert float(ours.compute()["RetrievalMAP"]) == pytest.approx(0.7917, abs=1e-4)
    assert float(theirs.compute()) == pytest.approx(0.7917, abs=1e-4)


def test_a_torchmetrics_metric_follows_masks_and_judgments_in_both_forms() -> None:
    torch = library("torch")
    pytest.importorskip("torchmetrics", reason="needs torchmetrics")
    from carob.adapters.torchmetrics import retrieval_metric

    mask, judged = SCORES > 0.3, np.concatenate([GRADES, np.ones((6, 2))], axis=1)
    wanted = evaluate(SCORES, GRADES, ["AP", "R@3"], mask=mask, judged=judged)
    padded = retrieval_metric(["AP", "R@3"])
    padded.update(*map(torch.tensor, (SCORES, GRADES)), mask=torch.tensor(mask), judged=torch.tensor(judged))
    flat, numbers = retrieval_metric(["AP", "R@3"]), np.arange(6)[:, None]
    flat.update(
        torch.tensor(SCORES),
        torch.tensor(GRADES),
        indexes=torch.tensor(np.broadcast_to(numbers, SCORES.shape).copy()),
        mask=torch.tensor(mask),
        judged=torch.tensor(judged),
        judged_indexes=torch.tensor(np.broadcast_to(numbers, judged.shape).copy()),
    )
    for metric in (padded, flat):
        for label, value in metric.compute().items():
            assert float(value) == pytest.approx(float(wanted[label]), abs=1e-6), label
    with pytest.raises(DataError, match="With indexes=, pass both"):
        flat.update(torch.ones(2), torch.ones(2), indexes=torch.zeros(2), judged=torch.ones(2))
    with pytest.raises(
        DataError, match=r"mask is \[1\] and indexes are \[2\]: pass arrays of the same shape"
    ):
        flat.update(torch.ones(2), torch.ones(2), indexes=torch.zeros(2), mask=torch.ones(1))


def test_a_metric_in_double_precision_says_what_evaluate_says_also_beside_others_and_pickled() -> None:
    torch = library("torch")
    theirs = pytest.importorskip("torchmetrics", reason="needs torchmetrics, of the extra 'peers'")
    from carob.adapters.torchmetrics import retrieval_metric

    scores, grades = torch.tensor(INPUTS[..., 0]), torch.tensor(TRAINING)
    wanted = offline(INPUTS[..., 0], TRAINING)
    metrics = theirs.MetricCollection(
        {"ours": retrieval_metric(iter(TRAINED), dtype="float64"), "mean": theirs.MeanMetric()}
    )
    ours = pickle.loads(pickle.dumps(metrics["ours"].clone()))
    assert type(ours) is type(metrics["ours"])
    own = set(vars(type(ours))) | {"meter", "queries", "sums", "preds", "target", "indexes", "judged"}
    meant = {"update", "compute", "is_differentiable", "higher_is_better", "full_state_update"}
    assert {name for name in own & set(dir(theirs.Metric)) if not name.startswith("_")} <= meant
    for some in (slice(0, 10), slice(10, 24)):
        ours(scores[some], grades[some])  # forward: the value of a batch, and the sums
        metrics["ours"].update(scores[some], grades[some])
    metrics["mean"].update(1.0)
    for found in (ours.compute(), metrics.compute()):
        for label, value in wanted.items():
            assert found[label].dtype == torch.float64
            assert float(found[label]) == pytest.approx(value, abs=1e-14), label


def test_a_metric_follows_the_rule_for_nan_in_both_forms() -> None:
    torch = library("torch")
    pytest.importorskip("torchmetrics", reason="needs torchmetrics, of the extra 'peers'")
    from carob.adapters.torchmetrics import retrieval_metric

    scores, grades = torch.tensor([[float("nan"), 2.0], [2.0, 1.0]]), torch.tensor([[1, 0], [1, 0]])
    for rule, wanted in (("worst", 0.75), ("skip", 1.0)):
        for form in ({}, {"indexes": torch.tensor([[4, 4], [9, 9]])}):
            metric = retrieval_metric("RR", nan_scores=rule)
            metric.update(scores, grades, **form)
            assert float(metric.compute()["RR"]) == wanted
    with pytest.raises(DataError, match="nan_scores='worst' or 'skip'"):
        retrieval_metric("RR").update(scores, grades)


def test_documents_end_to_end_are_gathered_from_two_processes() -> None:
    """Of the states that no process has, judgments here, torchmetrics gathers tensors without elements."""
    torch = library("torch")
    pytest.importorskip("torchmetrics", reason="needs torchmetrics, of the extra 'peers'")
    from carob.adapters.torchmetrics import retrieval_metric

    scores, grades = torch.tensor(INPUTS[..., 0]), torch.tensor(TRAINING)
    indexes = torch.arange(24)[:, None].expand(24, 8)
    metrics, sent = [], []
    for some in (slice(0, 11), slice(11, 24)):
        metric = retrieval_metric(TRAINED, dtype="float64")
        metric.update(scores[some, :5], grades[some, :5], indexes=indexes[some, :5])
        metric.update(scores[some, 5:], grades[some, 5:], indexes=indexes[some, 5:])
        metric.distributed_available_fn = lambda: True
        metrics.append(metric)

    def send(tensor: Any, group: Any = None) -> list[Any]:
        sent.append(tensor)
        return [tensor]

    metrics[1].dist_sync_fn = send
    metrics[1].compute()
    metrics[0].dist_sync_fn = lambda tensor, group=None: [tensor, sent.pop(0)]
    found = metrics[0].compute()
    for label, value in offline(INPUTS[..., 0], TRAINING).items():
        assert float(found[label]) == pytest.approx(value, abs=1e-14), label
    assert not sent
