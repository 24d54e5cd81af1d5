"""Adapters say what karat says, in the real library where it is installed, else in a stand-in of the same shape."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from arrays import library
from karat import DataError
from karat.adapters.boosting import lightgbm_feval, xgboost_metric
from karat.adapters.objects import calc_aggregate, evaluate_ranx, iter_calc
from karat.adapters.transformers import ranking_metrics
from karat.tensors import evaluate

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
    from karat.adapters.torchmetrics import retrieval_metric

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
    from karat.adapters.torchmetrics import retrieval_metric

    flat = (torch.tensor(SCORES).flatten(), torch.tensor(GRADES > 0).flatten())
    indexes = torch.arange(6).repeat_interleave(7)
    theirs.update(*flat, indexes=indexes)
    ours = retrieval_metric(["AP"], profile="torchmetrics")
    ours.update(*flat, indexes=indexes)
    assert float(ours.compute()["AP"]) == pytest.approx(float(theirs.compute()), abs=1e-6)


def stand_in(monkeypatch: pytest.MonkeyPatch, name: str, parent: str) -> None:
    """A module with a class Callback, in the place of a library that need not be installed."""
    for each in (parent, name):
        monkeypatch.setitem(sys.modules, each, ModuleType(each))
    sys.modules[name].Callback = type("Callback", (), {"model": None})  # type: ignore[attr-defined]


def test_a_lightning_callback_logs_the_means_of_an_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, "lightning.pytorch", "lightning")
    from karat.adapters.lightning import ranking_callback

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
    with pytest.raises(DataError, match="no dict with 'scores'"):
        callback.on_validation_batch_end(trainer, model, None, None, 0)


def test_a_keras_callback_adds_to_the_logs(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, "keras.callbacks", "keras")
    from karat.adapters.keras import ranking_callback

    callback = ranking_callback("inputs", GRADES, MEASURES)
    callback.model = SimpleNamespace(predict=lambda inputs, **_: SCORES[..., None])
    logs = {"loss": 0.5}
    callback.on_epoch_end(0, logs)
    assert logs.pop("loss") == 0.5
    check_same(logs, "val_")


def test_what_is_not_installed_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    from karat.adapters import keras, lightning, torchmetrics

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


def test_data_sets_without_groups_are_refused() -> None:
    with pytest.raises(DataError, match="no groups, so no queries"):
        lightgbm_feval(["RR"])([1.0], SimpleNamespace(get_group=lambda: None))
    with pytest.raises(DataError, match="no groups, so no queries"):
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
