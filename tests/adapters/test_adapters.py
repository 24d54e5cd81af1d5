"""Adapters say what carob says, called by the real library. Those that train have files of their own."""

from __future__ import annotations

import pickle
import sys
import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from adapters.trainings import GRADES as TRAINING
from adapters.trainings import INPUTS, TRAIN, VALIDATE, offline
from adapters.trainings import MEASURES as TRAINED
from arrays import library
from carob import DataError, DataWarning, MeasureError, Policy
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
    with pytest.raises(DataError, match="With indexes=, pass both"):
        flat.update(torch.ones(2), torch.ones(2), indexes=torch.zeros(2), judged=torch.ones(2))
    with pytest.raises(DataError, match=r"mask is \[1\] and indexes are \[2\]: pass arrays of equal shapes"):
        flat.update(torch.ones(2), torch.ones(2), indexes=torch.zeros(2), mask=torch.ones(1))


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
    """Objects of the same shape; tests/peers/test_ranx.py has ranx's own, which take seconds to compile."""
    ranx = [SimpleNamespace(to_dict=lambda each=each: each, name="mine") for each in (QRELS, RUN)]
    scores = evaluate_ranx(*ranx, ["RR"])
    assert (scores.name, scores["RR"]) == ("mine", 3 / 4)


def test_a_library_that_imports_pytrec_eval_gets_the_same_from_carob() -> None:
    """ir_measures and ranx call pytrec_eval: its place in ``sys.modules`` is all that changes."""
    provider = pytest.importorskip(
        "ir_measures.providers.pytrec_eval_provider", reason="needs ir_measures, of the extra 'bench'"
    )
    import ir_measures
    import pytrec_eval

    from carob.compat import pytrec_eval as ours

    random = np.random.default_rng(6)
    qrels = {
        f"q{query}": {f"d{each}": int(random.integers(0, 3)) for each in range(0, 20, 2)}
        for query in range(6)
    }
    run = {f"q{query}": {f"d{each}": float(random.random()) for each in range(20)} for query in range(6)}
    names = ["AP", "AP@5", "nDCG@5", "P@3", "R@7", "RR", "Rprec", "Bpref", "Success@1", "SetF", "infAP"]
    names += ["IPrec@0.1", "NumRet", "P(rel=2)@5", "nDCG(judged_only=True)@5", "RR(rel=2)"]
    measures = [ir_measures.parse_measure(name) for name in names]
    found = []
    for module in (pytrec_eval, ours):
        its = provider.PytrecEvalProvider()
        its.pytrec_eval, its._is_available = module, True
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(sys.modules, "pytrec_eval", module)
            evaluator = its.evaluator(measures, qrels)
            used = {type(each.evaluator).__module__ for each in evaluator.invokers}
            assert used == {module.RelevanceEvaluator.__module__}
            found.append({(each.query_id, each.measure): each.value for each in evaluator.iter_calc(run)})
    assert len(found[0]) == 6 * len(names)
    assert found[1] == pytest.approx(found[0], abs=1e-12)


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
    with pytest.raises(DataError, match=r"Row 1 is 3, and .* Pass objects with query_id, doc_id, relevance"):
        calc_aggregate(["RR"], [3], rows)
    with pytest.raises(MeasureError, match="'P' means several measures"):
        calc_aggregate(["P"], {"q": {"a": 1}}, {"q": {"a": 1.0}}, profile="carob")


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
        DataWarning, match=r"treats the smallest value of nDCG@5, RR as the best one, .*maximize=True"
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


# ---------------------------------------------------------------- torchmetrics


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
