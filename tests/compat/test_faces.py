"""``carob.compat.install``: carob in the place of another module."""

from __future__ import annotations

import contextlib
import importlib
import math
import random
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob.compat import install

if TYPE_CHECKING:
    from collections.abc import Iterator

QRELS = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"d": 1}}
RUN = {"q1": {"a": 0.5, "b": 1.5, "x": 1.0}, "q2": {"x": 1.0, "d": 0.5}}


@pytest.fixture(autouse=True)
def modules_as_before() -> Iterator[None]:
    with contextlib.suppress(ImportError):  # as a test may import it, which is no change by the face
        importlib.import_module("pytrec_eval")
    before = sys.modules.get("pytrec_eval")
    yield
    assert sys.modules.get("pytrec_eval") is before


def program(text: str) -> ModuleType:
    """A module whose source nobody can edit, imported now."""
    made = ModuleType("a_program")
    sys.modules["a_program"] = made
    exec(text, made.__dict__)
    return made


def test_a_program_that_imports_the_module_gets_carobs(capsys: pytest.CaptureFixture[str]) -> None:
    with install("pytrec_eval"):
        made = program("import pytrec_eval\nversion = pytrec_eval.__version__")
        values = made.pytrec_eval.RelevanceEvaluator(QRELS, {"recip_rank", "ndcg_cut.2"}).evaluate(RUN)
    assert made.version == "0.5.11"
    assert values["q1"] == {"recip_rank": 1 / 3, "ndcg_cut_2": 0.0}
    said = capsys.readouterr().err  # followed by the modules of other tests that hold the original
    assert said.startswith("carob: the module pytrec_eval is now carob's replacement")
    assert said.count("\n") == 1


def test_the_original_is_back_after_the_block_and_after_undo() -> None:
    before = sys.modules.get("pytrec_eval")
    with install("pytrec_eval"):
        assert sys.modules["pytrec_eval"] is not before
    assert sys.modules.get("pytrec_eval") is before
    face = install("pytrec_eval")
    face.undo()
    face.undo()
    assert sys.modules.get("pytrec_eval") is before


def test_modules_that_imported_the_original_earlier_get_carobs_until_the_end() -> None:
    original = pytest.importorskip("pytrec_eval", reason="the original, which is replaced")
    made = program(
        "import pytrec_eval as p\nfrom pytrec_eval import RelevanceEvaluator as R, parse_run\nother = 1"
    )
    with install("pytrec_eval"):
        assert issubclass(made.R, carob.compat.pytrec_eval.RelevanceEvaluator)
        assert made.p is sys.modules["pytrec_eval"]
        assert made.parse_run is carob.compat.pytrec_eval.parse_run
    assert made.p is original
    assert made.R is original.RelevanceEvaluator
    assert made.parse_run is original.parse_run


def test_the_inner_of_two_leaves_the_outer() -> None:
    with install("pytrec_eval"):
        outer = sys.modules["pytrec_eval"]
        with install("pytrec_eval"):
            assert sys.modules["pytrec_eval"] is outer
        assert sys.modules["pytrec_eval"] is outer


def test_carobs_own_module_stays_as_it_is() -> None:
    own = carob.compat.pytrec_eval
    before = dict(vars(own))
    with install("pytrec_eval"):
        pass
    assert dict(vars(own)) == before


def test_documents_with_nan_scores_come_last_with_a_warning() -> None:
    run = {"q1": {"a": math.nan, "b": 1.0, "c": -5.0}, "q2": {"d": 1.0}}
    with install("pytrec_eval"):
        face: Any = importlib.import_module("pytrec_eval")
        with pytest.warns(carob.DataWarning, match="1 NaN score, first in query 'q1'"):
            found = face.RelevanceEvaluator(QRELS, {"recip_rank", "map"}).evaluate(run)
    assert found["q1"] == {"recip_rank": 1 / 2, "map": pytest.approx((1 / 2 + 2 / 3) / 2)}
    assert run["q1"]["a"] != run["q1"]["a"]
    with pytest.raises(TypeError, match="NaN"):
        carob.compat.pytrec_eval.RelevanceEvaluator(QRELS, {"map"}).evaluate(run)


def test_what_is_no_score_is_still_refused() -> None:
    with install("pytrec_eval"):
        face: Any = importlib.import_module("pytrec_eval")
        with pytest.raises(TypeError, match="'a'"):
            face.RelevanceEvaluator(QRELS, {"map"}).evaluate({"q1": {"a": "high"}})


@pytest.mark.parametrize("name", ["pytrec", "numpy", ""])
def test_another_module_has_no_face(name: str) -> None:
    with pytest.raises(carob.DataError, match="carob cannot replace the module"):
        install(name)


CALLS = {
    "beir": ["map_cut.1,3,10", "ndcg_cut.1,3,10", "recall.1,3,10", "P.1,3,10"],
    "mteb": ["map_cut.1,5", "ndcg_cut.1,5", "recall.1,5", "P.1,5", "success.1,5"],
    "FlagEmbedding": ["ndcg_cut.10", "recall.100"],
}
"""The measures as dependents request them."""


@pytest.mark.parametrize("caller", CALLS)
def test_values_are_those_of_the_original(caller: str) -> None:
    original = pytest.importorskip("pytrec_eval", reason="the original, whose values are compared")
    draw = random.Random(3)
    qrels = {
        f"q{query}": {f"d{draw.randint(0, 40)}": draw.choice([-1, 0, 1, 2]) for _ in range(15)}
        for query in range(20)
    }
    run = {
        f"q{query}": {f"d{draw.randint(0, 40)}": float(draw.randint(0, 9)) for _ in range(30)}
        for query in range(2, 22)
    }
    wanted = original.RelevanceEvaluator(qrels, set(CALLS[caller])).evaluate(run)
    with install("pytrec_eval"):
        face: Any = importlib.import_module("pytrec_eval")
        found = face.RelevanceEvaluator(qrels, set(CALLS[caller])).evaluate(run)
    assert found.keys() == wanted.keys()
    for query, values in wanted.items():
        assert found[query] == pytest.approx(values, abs=1e-9)


def test_ir_measures_gets_the_same_numbers_through_it() -> None:
    pytest.importorskip("pytrec_eval", reason="the original, which is replaced")
    ir_measures = pytest.importorskip("ir_measures", reason="which calls pytrec_eval")
    measures = [ir_measures.AP, ir_measures.nDCG @ 10, ir_measures.P @ 5, ir_measures.RR]
    wanted = ir_measures.pytrec_eval.calc_aggregate(measures, QRELS, RUN)
    with install("pytrec_eval"):
        found = ir_measures.pytrec_eval.calc_aggregate(measures, QRELS, RUN)
    assert found == pytest.approx(wanted, abs=1e-9)
