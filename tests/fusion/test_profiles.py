"""Each profile fuses as its engine does: values of engines' documentation and of ranx."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys

import numpy as np
import pytest

import carob
from carob.fusion.methods import METHODS
from carob.fusion.profiles import known_profiles
from fusion.runs import ONE, OTHER, of_q1, scores

ENGINES: dict[str, tuple[str, dict[str, float]]] = {
    # Documentation of Elasticsearch, OpenSearch, Milvus, Azure and Vespa: 1 / (60 + rank), ranks from 1.
    "elasticsearch": ("rrf", {"b": 1 / 62 + 1 / 61, "a": 1 / 61}),
    "opensearch": ("rrf", {"b": 1 / 62 + 1 / 61, "a": 1 / 61}),
    "milvus": ("rrf", {"b": 1 / 62 + 1 / 61, "a": 1 / 61}),
    "azure": ("rrf", {"b": 1 / 62 + 1 / 61, "a": 1 / 61}),
    "vespa": ("rrf", {"b": 1 / 62 + 1 / 61, "a": 1 / 61}),
    "pyserini": ("rrf", {"b": 1 / 62 + 1 / 61, "a": 1 / 61}),
    "anserini": ("rrf", {"b": 1 / 62 + 1 / 61, "a": 1 / 61}),
    "ranx": ("rrf", {"b": 1 / 62 + 1 / 61, "a": 1 / 61}),
    # Documentation of Chroma: A has 1 / (60 + 0), ranks from 0. Weaviate and LlamaIndex likewise.
    "chroma": ("rrf", {"b": 1 / 61 + 1 / 60, "a": 1 / 60}),
    "weaviate": ("rrf", {"b": 1 / 61 + 1 / 60, "a": 1 / 60}),
    "llamaindex": ("rrf", {"b": 1 / 61 + 1 / 60, "a": 1 / 60}),
    # Qdrant: 1 / (position / weight + k - 1), positions from 1, k = 2.
    "qdrant": ("rrf", {"b": 1 / 3 + 1 / 2, "a": 1 / 2}),
    # Haystack: the first document of both lists would have 1. LangChain: weights 1 / 2.
    "haystack": ("rrf", {"b": (61 / 62 + 1) / 2, "a": 1 / 2}),
    "langchain": ("rrf", {"b": (1 / 62 + 1 / 61) / 2, "a": 1 / 61 / 2}),
}


@pytest.mark.parametrize("engine", ENGINES)
def test_rrf_of_each_engine(engine: str) -> None:
    method, wanted = ENGINES[engine]
    assert of_q1([ONE, OTHER], method, profile=engine) == pytest.approx(wanted, rel=1e-7)


def test_every_profile_has_a_case_and_its_settings_are_known() -> None:
    assert ENGINES.keys() == known_profiles().keys()
    for name, profile in known_profiles().items():
        for method in profile.methods:
            carob.fuse([ONE, OTHER], method, profile=name)


SCORED: dict[tuple[str, str], dict[str, float]] = {
    # A list with one document: 0 (ranx), 1 (Weaviate, OpenSearch), a half (Qdrant, Vespa).
    ("ranx", "sum"): {"a": 1.0, "b": 0.0},
    ("weaviate", "sum"): {"b": 1.0, "a": 1.0},
    ("vespa", "sum"): {"a": 1.0, "b": 0.5},
    ("llamaindex", "sum"): {"b": 0.5, "a": 0.5},
    # OpenSearch: 0 becomes 0.001, and the mean is over both lists.
    ("opensearch", "mean"): {"b": (0.001 + 1) / 2, "a": 0.5},
    # Qdrant: mean 2.5, deviation sqrt(0.5) over n - 1, so 0.5 / (6 * 0.7071) from the middle.
    ("qdrant", "sum"): {"b": 0.5 - 0.5 / (6 * math.sqrt(0.5)) + 0.5, "a": 0.5 + 0.5 / (6 * math.sqrt(0.5))},
    # Haystack: the higher of both, deviation 0.5 over n.
    ("haystack", "max"): {"a": 0.5 + 0.5 / 3, "b": 0.5 - 0.5 / 3},
    ("milvus", "sum"): {"b": 7.0, "a": 3.0},
}


@pytest.mark.parametrize(("engine", "method"), SCORED)
def test_fusion_by_score_of_each_engine(engine: str, method: str) -> None:
    assert of_q1([ONE, OTHER], method, profile=engine) == pytest.approx(SCORED[engine, method], rel=1e-6)


def test_a_weight_divides_the_position_in_qdrant() -> None:
    found = of_q1([ONE, OTHER], profile="qdrant", weights=[3, 1])
    assert found == pytest.approx({"b": 1 / (2 / 3 + 1) + 1 / 2, "a": 1 / (1 / 3 + 1)}, rel=1e-7)


def test_pyserini_reads_the_rank_column() -> None:
    odd = b"q1 Q0 a 2 3 t\nq1 Q0 b 1 2 t\n"
    assert of_q1({"one": odd, "two": OTHER}, profile="pyserini") == {"b": 2 / 61, "a": 1 / 62}
    assert of_q1({"one": odd, "two": OTHER}) == {"b": 1 / 62 + 1 / 61, "a": 1 / 61}


RANX = {
    "rrf": ("rrf", {"k": 60}, {}),
    "isr": ("isr", {}, {}),
    "log_isr": ("log_isr", {}, {}),
    "logn_isr(sigma=0.01)": ("logn_isr", {"sigma": 0.01}, {}),
    "rbc(phi=0.8)": ("rbc", {"phi": 0.8}, {}),
    "borda": ("bordafuse", {}, {}),
    "borda, weights": ("w_bordafuse", {"weights": [0.3, 0.5, 0.2]}, {"weights": [0.3, 0.5, 0.2]}),
    "sum": ("sum", {}, {}),
    "sum, weights": ("wsum", {"weights": [0.3, 0.5, 0.2]}, {"weights": [0.3, 0.5, 0.2]}),
    "mnz": ("mnz", {}, {}),
    "mnz, weights": ("wmnz", {"weights": [0.3, 0.5, 0.2]}, {"weights": [0.3, 0.5, 0.2]}),
    "anz": ("anz", {}, {}),
    "gmnz(gamma=0.5)": ("gmnz", {"gamma": 0.5}, {}),
    "max": ("max", {}, {}),
    "min": ("min", {}, {}),
    "med": ("med", {}, {}),
    "mixed": ("mixed", {"weights": [0.3, 0.5, 0.2]}, {"weights": [0.3, 0.5, 0.2]}),
}
RANX_NORMS = {
    "min-max": "min-max",
    "max": "max",
    "sum": "sum",
    "z-score": "zmuv",
    "rank": "rank",
    "borda": "borda",
    "none": None,
}


def drawn(seed: int) -> list[dict[str, dict[str, float]]]:
    """Runs without equal scores in a list, which ranx orders as its sort leaves them."""
    random = np.random.default_rng(seed)
    return [
        {
            f"q{query}": {
                f"d{each:02d}": float(score)
                for each, score in zip(
                    random.choice(30, int(random.integers(5, 20)), replace=False),
                    np.sort(random.gamma(2.0, 3.0, 20))[::-1],
                    strict=False,
                )
            }
            for query in range(4)
        }
        for _ in range(3)
    ]


IN_RANX = """
import json, sys
import ranx
runs, cases = json.load(sys.stdin)
for norm, method, parameters in cases:
    fused = ranx.fuse([ranx.Run(each) for each in runs], norm=norm, method=method, params=parameters)
    print(json.dumps(fused.to_dict()), flush=True)
"""
"""ranx runs in a process of its own, on one thread, where its compiled code cannot harm the tests."""


@pytest.mark.long
def test_values_by_the_profile_ranx_are_those_of_ranx() -> None:
    pytest.importorskip("ranx", reason="needs ranx, which is not installed")
    runs = drawn(5)
    cases = [
        (case, norm)
        for case in RANX
        for norm in RANX_NORMS
        if norm == "none" or not METHODS[re.split(r"[,(]", case)[0]].by_rank
    ]
    asked = json.dumps([runs, [[RANX_NORMS[norm], *RANX[case][:2]] for case, norm in cases]])
    done = subprocess.run(
        [sys.executable, "-c", IN_RANX],
        input=asked,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "NUMBA_NUM_THREADS": "1"},
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    for (case, norm), wanted in zip(cases, lines, strict=True):
        method = case.partition(",")[0]
        norms = None if METHODS[method.partition("(")[0]].by_rank else norm
        found = scores(carob.fuse(runs, method, norms, profile="ranx", **RANX[case][2]))
        assert found.keys() == wanted.keys(), case
        for query, its in wanted.items():
            assert found[query] == pytest.approx(its, rel=1e-12, abs=1e-13), (case, norm)
            if method == "rrf":
                assert found[query] == its
