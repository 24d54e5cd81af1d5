"""Adapters say what carob says, in the real library where it is installed, else in a stand-in of the same shape."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from arrays import library
from carob import DataError, MeasureError, Policy
from carob.adapters.boosting import lightgbm_feval, xgboost_metric
from carob.adapters.objects import calc_aggregate, evaluate_ranx, iter_calc
from carob.adapters.transformers import ranking_metrics
from carob.tensors import evaluate

MEASURES = ["AP", "nDCG@5", "RR"]
RANDOM = np.random.default_rng(8)
SCORES, GRADES = RANDOM.random((6, 7)), RANDOM.integers(0, 3, (6, 7))
WANTED = {label: float(value) for label, value in evaluate(SCORES, GRADES, MEASURES).items()}


def check_same(found: dict[str, Any], prefix: str = "") -> None:
    assert set(found) == {f"{prefix}{label}" for label in WANTED}
    for label, value in WANTED.items():
        assert float(found[f"{prefix}{label}"]) == pytest.approx(value, abs=1e-6), label


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
    with pytest.raises(DataError, match="With indexes=, give both"):
        flat.update(torch.ones(2), torch.ones(2), indexes=torch.zeros(2), judged=torch.ones(2))
    with pytest.raises(DataError, match=r"mask is \[1\] and indexes are \[2\]: give arrays of equal shapes"):
        flat.update(torch.ones(2), torch.ones(2), indexes=torch.zeros(2), mask=torch.ones(1))


def stand_in(monkeypatch: pytest.MonkeyPatch, name: str, parent: str) -> None:
    """A module with a class Callback, in the place of a library that need not be installed."""
    for each in (parent, name):
        monkeypatch.setitem(sys.modules, each, ModuleType(each))
    sys.modules[name].Callback = type("Callback", (), {"model": None})  # type: ignore[attr-defined]


def test_a_lightning_callback_logs_the_means_of_an_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, "lightning.pytorch", "lightning")
    from carob.adapters.lightning import ranking_callback

    callback, logged = ranking_callback(MEASURES), {}
    trainer, model = SimpleNamespace(world_size=1), SimpleNamespace(log_dict=logged.update)
    for stage in ("validation", "test"):
        for _ in range(2):
            getattr(callback, f"on_{stage}_epoch_start")(trainer, model)
            for some in (slice(0, 2), slice(2, 6)):
                outputs = {"loss": 0.1, "scores": SCORES[some], "relevance": GRADES[some]}
                getattr(callback, f"on_{stage}_batch_end")(trainer, model, outputs, None, 0)
            getattr(callback, f"on_{stage}_epoch_end")(trainer, model)
    check_same({name: value for name, value in logged.items() if name.startswith("val_")}, "val_")
    check_same({name: value for name, value in logged.items() if name.startswith("test_")}, "test_")
    with pytest.raises(DataError, match="must return a dict with 'scores'"):
        callback.on_validation_batch_end(trainer, model, None, None, 0)


def test_a_keras_callback_adds_to_the_logs(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, "keras.callbacks", "keras")
    from carob.adapters.keras import ranking_callback

    callback = ranking_callback("inputs", GRADES, MEASURES)
    callback.model = SimpleNamespace(predict=lambda inputs, **_: SCORES[..., None])
    logs = {"loss": 0.5}
    callback.on_epoch_end(0, logs)
    assert logs.pop("loss") == 0.5
    check_same(logs, "val_")


def test_what_is_not_installed_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    from carob.adapters import keras, lightning, torchmetrics

    for name in (
        "keras",
        "keras.callbacks",
        "lightning",
        "lightning.pytorch",
        "pytorch_lightning",
        "torchmetrics",
    ):
        monkeypatch.setitem(sys.modules, name, None)
    for call in (
        lambda: keras.ranking_callback(None, None),
        lightning.ranking_callback,
        torchmetrics.retrieval_metric,
    ):
        with pytest.raises(DataError, match="is not installed: pip install"):
            call()


def test_the_trainer_of_transformers_gets_a_dict_of_floats() -> None:
    labels = np.concatenate([GRADES, np.full((6, 1), -100)], axis=1)
    scores = np.concatenate([SCORES, np.full((6, 1), 9.0)], axis=1)
    check_same(ranking_metrics(MEASURES)((scores, labels)))
    check_same(ranking_metrics(MEASURES)(((scores, "hidden states"), labels)))


def test_lightgbm_calls_it_at_each_round() -> None:
    lightgbm = pytest.importorskip("lightgbm", reason="needs lightgbm, of the extra 'peers'")
    data = lightgbm.Dataset(SCORES.reshape(-1, 1), GRADES.ravel(), group=[7] * 6, init_score=SCORES.ravel())
    seen: dict[str, Any] = {}
    settings = {
        "objective": "lambdarank",
        "learning_rate": 1e-12,
        "metric": "none",
        "verbosity": -1,
        "num_threads": 1,
    }
    lightgbm.train(
        settings,
        data,
        num_boost_round=1,
        valid_sets=[data],
        feval=lightgbm_feval(MEASURES),
        callbacks=[lightgbm.record_evaluation(seen)],
    )
    check_same({name: values[0] for name, values in seen["training"].items()})
    better = lightgbm_feval(["P@3", "E@3", "NumNonRelRet"])(SCORES.ravel(), data)
    assert [each[2] for each in better] == [True, False, False]


def test_xgboost_calls_it_at_each_round() -> None:
    xgboost = pytest.importorskip("xgboost", reason="needs xgboost, of the extra 'peers'")
    data = xgboost.DMatrix(SCORES.reshape(-1, 1), GRADES.ravel(), qid=np.repeat(np.arange(6), 7))
    data.set_base_margin(SCORES.ravel())
    seen: dict[str, Any] = {}
    settings = {"objective": "rank:ndcg", "eta": 1e-12, "disable_default_eval_metric": True, "nthread": 1}
    xgboost.train(
        settings,
        data,
        num_boost_round=1,
        evals=[(data, "train")],
        custom_metric=xgboost_metric(MEASURES),
        evals_result=seen,
        verbose_eval=False,
    )
    check_same({name: values[0] for name, values in seen["train"].items()})


@pytest.mark.filterwarnings("ignore:The argument 'eval_set' is deprecated")
@pytest.mark.parametrize("weighed", [False, True])
def test_rankers_of_lightgbm_say_what_its_own_metric_says(weighed: bool) -> None:
    lightgbm = pytest.importorskip("lightgbm", reason="needs lightgbm, of the extra 'peers'")
    weight = np.repeat([1.0, 2.0, 3.0, 1.0, 0.5, 4.0], 7) if weighed else None
    ranker = lightgbm.LGBMRanker(n_estimators=2, verbosity=-1, min_child_samples=1, n_jobs=1)
    features = np.round(SCORES, 2).reshape(-1, 1)
    ranker.fit(
        features,
        GRADES.ravel(),
        group=[7] * 6,
        sample_weight=weight,
        eval_set=[(features, GRADES.ravel())],
        eval_group=[[7] * 6],
        eval_sample_weight=[weight],
        eval_at=[3],
        eval_metric=lightgbm_feval("nDCG(gain=exp2)@3"),
    )
    (of,) = ranker.evals_result_.values()
    assert of["nDCG(gain=exp2)@3"] == pytest.approx(of["ndcg@3"], abs=1e-6)


def test_weights_of_a_lightgbm_data_set_count_as_in_its_own_metric() -> None:
    lightgbm = pytest.importorskip("lightgbm", reason="needs lightgbm, of the extra 'peers'")
    weight = np.repeat([1.0, 2.0, 3.0, 1.0, 0.5, 4.0], 7) * np.tile([0.5, 1.5, 1, 1, 1, 1, 1], 6)
    data = lightgbm.Dataset(
        SCORES.reshape(-1, 1), GRADES.ravel(), group=[7] * 6, init_score=SCORES.ravel(), weight=weight
    )
    seen: dict[str, Any] = {}
    settings = {
        "objective": "lambdarank",
        "learning_rate": 1e-12,
        "metric": "ndcg",
        "eval_at": [3],
        "verbosity": -1,
        "num_threads": 1,
    }
    lightgbm.train(
        settings,
        data,
        num_boost_round=1,
        valid_sets=[data],
        feval=lightgbm_feval("nDCG(gain=exp2)@3"),
        callbacks=[lightgbm.record_evaluation(seen)],
    )
    own, ours = seen["training"]["ndcg@3"], seen["training"]["nDCG(gain=exp2)@3"]
    assert ours == pytest.approx(own, abs=1e-6)


def test_weights_of_a_dmatrix_count_as_in_xgboosts_own_metric() -> None:
    xgboost = pytest.importorskip("xgboost", reason="needs xgboost, of the extra 'peers'")
    weight = np.array([1.0, 2.0, 3.0, 1.0, 0.5, 4.0])
    data = xgboost.DMatrix(
        SCORES.reshape(-1, 1), GRADES.ravel(), qid=np.repeat(np.arange(6), 7), weight=weight
    )
    data.set_base_margin(SCORES.ravel())
    seen: dict[str, Any] = {}
    settings = {"objective": "rank:ndcg", "eta": 1e-12, "eval_metric": "ndcg@3", "nthread": 1}
    xgboost.train(
        settings,
        data,
        num_boost_round=1,
        evals=[(data, "train")],
        custom_metric=xgboost_metric("nDCG(gain=exp2)@3"),
        evals_result=seen,
        verbose_eval=False,
    )
    assert seen["train"]["nDCG(gain=exp2)@3"] == pytest.approx(seen["train"]["ndcg@3"], abs=1e-6)


def test_rankers_of_xgboost_take_one_measure() -> None:
    xgboost = pytest.importorskip("xgboost", reason="needs xgboost, of the extra 'peers'")
    ranker = xgboost.XGBRanker(n_estimators=2, n_jobs=1, eval_metric=xgboost_metric("nDCG(gain=exp2)@3"))
    features, qid = SCORES.reshape(-1, 1), np.repeat(np.arange(6), 7)
    ranker.fit(
        features,
        GRADES.ravel(),
        qid=qid,
        eval_set=[(features, GRADES.ravel())],
        eval_qid=[qid],
        verbose=False,
    )
    (of,) = ranker.evals_result_.values()
    predicted = ranker.predict(features).reshape(6, 7)
    wanted = evaluate(predicted, GRADES, "nDCG(gain=exp2)@3")["nDCG(gain=exp2)@3"]
    assert of["nDCG(gain=exp2)@3"][-1] == pytest.approx(float(wanted), abs=1e-6)
    with pytest.raises(MeasureError, match=r"takes the mean of one measure, not AP, RR: name one"):
        xgboost_metric(["AP", "RR"])(np.ones(2), np.ones(2))


def test_data_sets_without_groups_are_refused() -> None:
    with pytest.raises(DataError, match="no query groups"):
        lightgbm_feval(["RR"])(
            [1.0], SimpleNamespace(get_group=lambda: None, get_label=lambda: [1.0], get_weight=lambda: None)
        )
    with pytest.raises(DataError, match="no query groups"):
        lightgbm_feval(["RR"])(np.ones(1), np.ones(1))
    with pytest.raises(DataError, match="no query groups"):
        xgboost_metric(["RR"])([1.0], SimpleNamespace(get_uint_info=lambda name: np.array([], np.uint32)))


QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"c": 2}}
RUN = {"q1": {"b": 2.0, "a": 1.0}, "q2": {"c": 3.0}}


def test_objects_of_ranx() -> None:
    ranx = [SimpleNamespace(to_dict=lambda each=each: each, name="mine") for each in (QRELS, RUN)]
    scores = evaluate_ranx(*ranx, ["RR"])
    assert (scores.name, scores["RR"]) == ("mine", 3 / 4)


def test_objects_of_ir_measures() -> None:
    ir_measures = pytest.importorskip("ir_measures", reason="needs ir_measures, of the extra 'bench'")
    qrels = [
        ir_measures.Qrel(query, each, grade) for query, its in QRELS.items() for each, grade in its.items()
    ]
    run = [
        ir_measures.ScoredDoc(query, each, score) for query, its in RUN.items() for each, score in its.items()
    ]
    measures = [ir_measures.RR, ir_measures.nDCG @ 10, ir_measures.AP(rel=2)]
    assert calc_aggregate(measures, qrels, run) == pytest.approx(
        ir_measures.calc_aggregate(measures, qrels, run)
    )
    theirs = {
        (each.query_id, each.measure): each.value for each in ir_measures.iter_calc(measures, qrels, run)
    }
    assert {(query, each): value for query, each, value in iter_calc(measures, qrels, run)} == pytest.approx(
        theirs
    )


def test_objects_of_ir_measures_mean_what_they_mean_there() -> None:
    ir_measures = pytest.importorskip("ir_measures", reason="needs ir_measures, of the extra 'bench'")
    random = np.random.default_rng(2)
    qrels = [
        ir_measures.Qrel(f"q{query}", f"d{each}", int(random.integers(0, 4)))
        for query in range(5)
        for each in range(0, 12, 2)
    ]
    run = [
        ir_measures.ScoredDoc(f"q{query}", f"d{each}", float(random.integers(0, 6)))
        for query in range(5)
        for each in range(12)
    ]
    measures = [ir_measures.RR @ 3, ir_measures.Judged @ 3, ir_measures.nDCG @ 3, ir_measures.RBP(rel=1)]
    assert calc_aggregate(measures, qrels, run) == pytest.approx(
        ir_measures.calc_aggregate(measures, qrels, run), abs=1e-6
    )
    carobs = calc_aggregate(["RR@3"], qrels, run, profile="carob", policy=Policy(ties="pessimistic"))
    best = calc_aggregate(["RR@3"], qrels, run, profile="carob", policy=Policy(ties="optimistic"))
    assert carobs["RR@3"] < best["RR@3"]


@pytest.mark.parametrize("frames", [False, True])
def test_iterations_of_ir_measures_are_subtopics(frames: bool) -> None:
    ir_measures = pytest.importorskip("ir_measures", reason="needs ir_measures, of the extra 'bench'")
    pandas = pytest.importorskip("pandas", reason="needs pandas")
    pytest.importorskip("pyndeval", reason="needs pyndeval")
    rows = [
        ("q1", "a", 1, "1"),
        ("q1", "b", 1, "2"),
        ("q1", "a", 1, "2"),
        ("q2", "c", 1, "1"),
        ("q2", "d", 1, "2"),
    ]
    qrels = [ir_measures.Qrel(*row) for row in rows]
    run = [ir_measures.ScoredDoc("q1", each, score) for each, score in (("x", 3.0), ("a", 2.0), ("b", 1.0))]
    run += [ir_measures.ScoredDoc("q2", each, score) for each, score in (("d", 3.0), ("y", 2.0))]
    measures = [ir_measures.alpha_nDCG @ 5, ir_measures.ERR_IA @ 5, ir_measures.StRecall @ 2]
    theirs = ir_measures.calc_aggregate(measures, qrels, run)
    given = [pandas.DataFrame(qrels), pandas.DataFrame(run)] if frames else [qrels, run]
    assert calc_aggregate(measures, *given) == pytest.approx(theirs, abs=1e-5)


def test_frames_of_ir_measures_are_read() -> None:
    pandas = pytest.importorskip("pandas", reason="needs pandas")
    qrels = pandas.DataFrame(
        {"query_id": ["q", "q"], "doc_id": ["a", "b"], "relevance": [1, 0], "iteration": ["0", "0"]}
    )
    run = pandas.DataFrame({"query_id": ["q", "q"], "doc_id": ["b", "a"], "score": [2.0, 1.0]})
    assert calc_aggregate(["RR", "P@1"], qrels, run) == {"RR": 0.5, "P@1": 0.0}
    assert list(iter_calc(["RR"], qrels, run)) == [("q", "RR", 0.5)]


def test_rows_that_are_none_and_documents_listed_twice_are_said() -> None:
    rows = [SimpleNamespace(query_id="q", doc_id="a", relevance=1, score=each) for each in (1.0, 2.0)]
    with pytest.raises(
        DataError, match=r"Document 'a' is listed twice for query 'q'\. Remove one, or choose"
    ):
        calc_aggregate(["RR"], rows, rows, profile="carob")
    assert calc_aggregate(["RR"], rows, rows) == {"RR": 1.0}
    with pytest.raises(DataError, match=r"Row 1 is 3, and .* Give objects with query_id, doc_id, relevance"):
        calc_aggregate(["RR"], [3], rows)
    with pytest.raises(MeasureError, match="'P' means several measures"):
        calc_aggregate(["P"], {"q": {"a": 1}}, {"q": {"a": 1.0}}, profile="carob")
