"""Adapters say what carob says. Each that has a library to itself, or trains, has a file of its own."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from adapters.batch import GRADES, MEASURES, SCORES, check_same
from carob import DataError
from carob.adapters.transformers import ranking_metrics


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
