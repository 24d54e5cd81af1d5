"""Metrics of carob in LightGBM and XGBoost: values, weights, best rounds, and names that mean something else."""

from __future__ import annotations

import pickle
import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from adapters.batch import GRADES, MEASURES, SCORES, check_same
from adapters.trainings import GRADES as TRAINING
from adapters.trainings import INPUTS, TRAIN, VALIDATE, offline
from adapters.trainings import MEASURES as TRAINED
from carob import DataError, DataWarning, MeasureError
from carob.adapters.boosting import lightgbm_feval, xgboost_metric
from carob.adapters.transformers import ranking_metrics
from carob.tensors import evaluate


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
    with pytest.raises(MeasureError, match=r"accepts the mean of only one measure, not AP, RR: name one"):
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


# ---------------------------------------------------------------- fits that stop early


def boosted() -> tuple[Any, Any, Any]:
    """Features, grades and sizes of groups of the data to learn from and of those to validate with."""
    features = [INPUTS[part].reshape(-1, INPUTS.shape[2]) for part in (TRAIN, VALIDATE)]
    grades = [TRAINING[part].ravel() for part in (TRAIN, VALIDATE)]
    return features, grades, [INPUTS.shape[1]] * (len(INPUTS) // 2)


def of_scores(scores: Any) -> dict[str, float]:
    return offline(np.reshape(scores, (-1, INPUTS.shape[1])), TRAINING[VALIDATE])


def test_lightgbm_stops_by_what_carob_says_and_the_best_round_has_its_value() -> None:
    lightgbm = pytest.importorskip("lightgbm", reason="needs lightgbm, of the extra 'peers'")
    features, grades, sizes = boosted()
    train, valid = (lightgbm.Dataset(*each, group=sizes) for each in zip(features, grades))
    settings = {"objective": "lambdarank", "metric": "none", "verbosity": -1, "num_threads": 1}
    seen: dict[str, Any] = {}
    stop = lightgbm.early_stopping(2, first_metric_only=True, verbose=False)
    model = lightgbm.train(
        settings | {"min_data_in_leaf": 5},
        train,
        num_boost_round=9,
        valid_sets=[valid],
        feval=lightgbm_feval(TRAINED),
        callbacks=[stop, lightgbm.record_evaluation(seen)],
    )
    assert model.best_iteration == 1 + int(np.argmax(seen["valid_0"]["nDCG@5"]))
    for label, value in of_scores(model.predict(features[1])).items():
        assert seen["valid_0"][label][model.best_iteration - 1] == pytest.approx(value, abs=1e-12), label


def test_xgboost_stops_by_what_carob_says_and_the_best_round_has_its_value() -> None:
    xgboost = pytest.importorskip("xgboost", reason="needs xgboost, of the extra 'peers'")
    features, grades, sizes = boosted()
    queries = np.repeat(np.arange(len(sizes)), sizes)
    train, valid = (xgboost.DMatrix(*each, qid=queries) for each in zip(features, grades))
    seen: dict[str, Any] = {}
    stop = xgboost.callback.EarlyStopping(rounds=2, metric_name="nDCG@5", data_name="valid", maximize=True)
    model = xgboost.train(
        {"objective": "rank:ndcg", "disable_default_eval_metric": True, "nthread": 1},
        train,
        num_boost_round=9,
        evals=[(valid, "valid")],
        custom_metric=xgboost_metric(TRAINED),
        callbacks=[stop],
        evals_result=seen,
        verbose_eval=False,
    )
    assert model.best_iteration == int(np.argmax(seen["valid"]["nDCG@5"]))
    best = model.predict(valid, iteration_range=(0, model.best_iteration + 1))
    for label, value in of_scores(best).items():
        # XGBoost prints each value to a text with five digits after the point or so, and reads it again.
        assert seen["valid"][label][model.best_iteration] == pytest.approx(value, abs=1e-5), label


def test_xgboost_takes_the_smallest_value_for_the_best_unless_told_which_is_warned_of() -> None:
    """Its early stopping knows the direction of its own names alone, and kept the worst round in silence."""
    xgboost = pytest.importorskip("xgboost", reason="needs xgboost, of the extra 'peers'")
    data = xgboost.DMatrix(SCORES.reshape(-1, 1), GRADES.ravel(), qid=np.repeat(np.arange(6), 7))
    for name, best in (("nDCG@5", 1), ("ndcg@5", 2)):
        values = iter([0.5, 0.1, 0.9, 0.2])
        model = xgboost.train(
            {"disable_default_eval_metric": True, "nthread": 1},
            data,
            num_boost_round=4,
            evals=[(data, "valid")],
            custom_metric=lambda *_, name=name, values=values: [(name, next(values))],
            early_stopping_rounds=9,
            verbose_eval=False,
        )
        assert model.best_iteration == best, name
    with pytest.warns(
        DataWarning, match=r"treats the smallest value of nDCG@5, RR as the best, .*maximize=True"
    ):
        xgboost_metric(["nDCG@5", "E@5", "RR"])


def test_rankers_with_carobs_metrics_are_pickled_and_cloned() -> None:
    """A function within a function cannot be pickled, and no ranker that held one could be saved."""
    xgboost = pytest.importorskip("xgboost", reason="needs xgboost, of the extra 'peers'")
    base = pytest.importorskip("sklearn.base", reason="needs scikit-learn, of the extra 'peers'")
    features, grades, sizes = boosted()
    queries = np.repeat(np.arange(len(sizes)), sizes)
    metric = xgboost_metric("nDCG(gain=exp2)@5")
    ranker = base.clone(xgboost.XGBRanker(n_estimators=2, n_jobs=1, eval_metric=metric))
    ranker.fit(
        features[0],
        grades[0],
        qid=queries,
        eval_set=[(features[1], grades[1])],
        eval_qid=[queries],
        verbose=False,
    )
    again = pickle.loads(pickle.dumps(ranker))
    assert again.predict(features[1]).tolist() == ranker.predict(features[1]).tolist()
    assert ranker.evals_result()["validation_0"]["nDCG(gain=exp2)@5"][-1] == pytest.approx(
        offline(ranker.predict(features[1]).reshape(-1, 8), TRAINING[VALIDATE], "nDCG(gain=exp2)@5")[
            "nDCG(gain=exp2)@5"
        ],
        abs=1e-5,
    )
    for each in (lightgbm_feval(TRAINED), ranking_metrics(TRAINED)):
        assert pickle.loads(pickle.dumps(each)).func is each.func  # type: ignore[attr-defined]


NOTED = {
    (lightgbm_feval, "nDCG@10"): "nDCG@10 is not LightGBM's own ndcg@10, which is nDCG(gain=exp2)@10 with",
    (lightgbm_feval, "MAP@5"): "AP@5 is not LightGBM's own map@5, which is AP(over=capped)@5 with",
    (xgboost_metric, "nDCG"): "nDCG is not XGBoost's own ndcg, which is nDCG(gain=exp2) with the policy",
    (xgboost_metric, "P@10"): "P@10 is not XGBoost's own pre@10, which is P(over=retrieved)@10 with",
}


@pytest.mark.parametrize(("make", "name"), list(NOTED))
def test_a_name_that_means_something_else_in_the_library_is_noted_once(make: Any, name: str) -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("default")
        for _ in range(3):
            make(name)
    said = [each for each in said if not str(each.message).startswith("XGBoost's early")]
    assert len(said) == 1
    assert said[0].category is DataWarning
    assert str(said[0].message).startswith(NOTED[make, name])
    assert str(said[0].message).endswith(
        f"choose profile='{'lightgbm' if make is lightgbm_feval else 'xgboost'}'."
    )


@pytest.mark.parametrize(
    ("make", "name", "profile"),
    [
        (lightgbm_feval, "ndcg@10", "lightgbm"),
        (lightgbm_feval, "nDCG(gain=exp2)@10", None),
        (lightgbm_feval, "RR", None),
        (lightgbm_feval, "P@10", None),
        (xgboost_metric, "pre@10", "xgboost"),
        (xgboost_metric, "E@10", None),
    ],
)
def test_what_the_library_does_not_call_by_that_name_is_not_noted(
    make: Any, name: str, profile: str | None
) -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        make(name, profile=profile)
    assert not said


def test_a_boosted_model_without_a_number_follows_the_rule_for_nan() -> None:
    lightgbm = pytest.importorskip("lightgbm", reason="needs lightgbm, of the extra 'peers'")
    data = lightgbm.Dataset(SCORES.reshape(-1, 1), GRADES.ravel(), group=[7] * 6).construct()
    broken = np.where(np.arange(42) < 7, np.nan, SCORES.ravel())
    with pytest.raises(DataError, match=r"Query number 1 .* choose nan_scores='worst' or 'skip'"):
        lightgbm_feval("RR")(broken, data)
    values = evaluate(SCORES, GRADES, "RR", per_query=True)["RR"]
    ((_, skipped, _),) = lightgbm_feval("RR", nan_scores="skip")(broken, data)
    assert skipped == pytest.approx(values[1:].mean())
    ((_, worst, _),) = lightgbm_feval("RR", nan_scores="worst")(broken, data)
    last = 1 / (1 + np.sum(GRADES[0] == 0))
    assert worst == pytest.approx((values[1:].sum() + last) / 6)
