"""ranx against its profile."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from peers.small_cases import check_equal, small_cases

ranx = pytest.importorskip("ranx", reason="needs ranx, of the extra 'peers'")

pytestmark = pytest.mark.filterwarnings("ignore")

NAMES = [
    *("map", "map@3", "mrr", "mrr@3", "ndcg", "ndcg@3", "ndcg_burges@3", "dcg@3", "dcg_burges@3"),
    *("precision@3", "precision", "recall@3", "recall", "hit_rate@3", "f1@3", "r-precision"),
    *("rbp.50", "rbp.80", "rbp.95"),
]


COMPILED = """
import json, sys
import ranx
qrels, run, names = json.load(sys.stdin)
found = ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), names, return_mean=False)
print(json.dumps({name: found[name].tolist() for name in names}))
"""


def test_every_query() -> None:
    cases = small_cases(ties=False)
    theirs = ranx.evaluate(ranx.Qrels(cases.qrels), ranx.Run(cases.run), NAMES, return_mean=False)
    for name in NAMES:
        check_equal(cases, "ranx", name, dict(zip(sorted(cases.qrels), theirs[name], strict=True)))


@pytest.mark.long
def test_ties_in_short_lists() -> None:
    """Numba's sort orders them; NumPy's, which takes its place in these tests, would order them otherwise.

    Numba compiles for seconds for each name, and the order is the same for all: one of each family.
    """
    cases = small_cases(ties=True)
    names = ["map@3", "mrr", "ndcg@3", "precision@3", "rbp.80"]
    done = subprocess.run(
        [sys.executable, "-c", COMPILED],
        input=json.dumps([cases.qrels, cases.run, names]),
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "NUMBA_DISABLE_JIT": "0"},
    )
    for name, values in json.loads(done.stdout).items():
        check_equal(cases, "ranx", name, dict(zip(sorted(cases.qrels), values, strict=True)))


def test_its_objects_are_measured_by_the_adapter() -> None:
    from carob.adapters.objects import evaluate_ranx

    cases = small_cases()
    qrels, run = ranx.Qrels(cases.qrels), ranx.Run(cases.run, name="mine")
    scores = evaluate_ranx(qrels, run, NAMES[:5], profile="ranx")
    assert scores.name == "mine"
    assert scores.means() == pytest.approx(ranx.evaluate(qrels, run, NAMES[:5]), abs=1e-9)
