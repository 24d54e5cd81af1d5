"""mteb, beir and FlagEmbedding, unedited, with carob in the place of pytrec_eval."""

from __future__ import annotations

import importlib.util
import math
import random
import sys
from dataclasses import asdict, is_dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from carob.compat import install
from carob.compat.pytrec_eval import RelevanceEvaluator

pytestmark = [pytest.mark.thorough, pytest.mark.filterwarnings("ignore")]
pytest.importorskip("pytrec_eval", reason="the original, whose values are compared")

DEPTHS = [1, 3, 5, 10, 100]


def data(seed: int, highest: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Judgments with negative grades, and a run with equal scores and without two of the queries."""
    draw = random.Random(seed)
    qrels = {
        f"q{query}": {f"d{draw.randint(0, 60)}": draw.randint(-1, highest) for _ in range(15)} | {"d1": 1}
        for query in range(30)
    }
    run = {
        f"q{query}": {f"d{draw.randint(0, 60)}": draw.randint(0, 30) / 4 for _ in range(40)}
        for query in range(2, 30)
    }
    return qrels, run


def numbers(found: Any, path: str = "") -> dict[str, float]:
    """Every number of a nested result, by its path."""
    if is_dataclass(found) and not isinstance(found, type):
        found = asdict(found)
    elif hasattr(found, "_asdict"):
        found = found._asdict()
    if isinstance(found, dict):
        pairs = found.items()
    elif isinstance(found, (list, tuple, np.ndarray)):
        pairs = dict(enumerate(found)).items()
    else:
        return {path: float(found)} if isinstance(found, (int, float, np.number)) else {}
    return {key: value for name, its in pairs for key, value in numbers(its, f"{path}/{name}").items()}


def beir_scores(qrels: Any, run: Any) -> Any:
    from beir.retrieval.evaluation import EvaluateRetrieval

    several = EvaluateRetrieval.evaluate(qrels, run, DEPTHS, ignore_identical_ids=False)
    custom = [
        EvaluateRetrieval.evaluate_custom(qrels, run, DEPTHS, name)
        for name in ("mrr", "r_cap", "hole", "accuracy")
    ]
    return several, custom


def mteb_scores(qrels: Any, run: Any) -> Any:
    from mteb._evaluators.retrieval_metrics import calculate_retrieval_scores

    return [calculate_retrieval_scores(run, qrels, DEPTHS, skip_first_result=each) for each in (False, True)]


def flag_embedding_scores(qrels: Any, run: Any) -> Any:
    """Loads the file of the two functions alone: its package imports every model, and only the search needs FAISS."""
    found = importlib.util.find_spec("FlagEmbedding")
    assert found
    assert found.origin
    file = Path(found.origin).parent / "abc" / "evaluation" / "utils.py"
    spec = importlib.util.spec_from_file_location("utils_of_flag_embedding", file)
    assert spec
    assert spec.loader
    utils, faiss = importlib.util.module_from_spec(spec), ModuleType("faiss")
    vars(faiss)["Index"] = object
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "faiss", faiss)
        spec.loader.exec_module(utils)
    return utils.evaluate_metrics(qrels, run, DEPTHS), utils.evaluate_mrr(qrels, run, DEPTHS)


SCORED = {"beir": (beir_scores, 40), "mteb": (mteb_scores, 40), "FlagEmbedding": (flag_embedding_scores, 25)}
"""What a package computes, and the least number of its values."""


@pytest.mark.parametrize("name", SCORED)
@pytest.mark.parametrize("seed", range(5))
def test_its_numbers_are_the_same_with_carob(name: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if not importlib.util.find_spec(name):
        pytest.skip(f"needs {name}, of the extra 'peers'")
    scored, least = SCORED[name]
    qrels, run = data(seed, 1 + seed % 3)
    wanted = numbers(scored(qrels, run))
    calls = []
    evaluate = RelevanceEvaluator.evaluate
    monkeypatch.setattr(
        RelevanceEvaluator, "evaluate", lambda *given, **named: calls.append(1) or evaluate(*given, **named)
    )
    with install("pytrec_eval"):
        found = numbers(scored(qrels, run))
    assert calls, "carob was not called"
    assert found.keys() == wanted.keys()
    assert len(found) >= least
    for path, value in wanted.items():
        assert found[path] == pytest.approx(value, abs=1e-9, nan_ok=True), path
    assert not all(math.isnan(each) or each == 0 for each in wanted.values())
    assert sys.modules["pytrec_eval"].__name__ == "pytrec_eval"
