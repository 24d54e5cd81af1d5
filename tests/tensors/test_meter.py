"""A meter gives what one evaluation gives, however the queries come: in batches, merged, from two processes."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import carob
from arrays import array, library
from carob import DataError, Policy
from carob.tensors import evaluate
from carob.tensors.meter import Meter

if TYPE_CHECKING:
    from pathlib import Path

MEASURES = ["AP", "nDCG@5", "GMAP", "NumRelRet", "GAUC"]


def batch(seed: int = 4, queries: int = 9) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    return random.random((queries, 7)), random.integers(0, 3, (queries, 7))


def check_close(found: dict[str, float], wanted: dict[str, Any]) -> None:
    assert list(found) == list(wanted)
    for label, value in found.items():
        assert value == pytest.approx(float(wanted[label]), abs=1e-12), label


@pytest.mark.parametrize("name", ["numpy", "torch", "array_api_strict"])
@pytest.mark.parametrize("skip", [False, True])
def test_batches_come_to_what_they_are_together(name: str, skip: bool) -> None:
    scores, grades = batch()
    grades[2] = 0
    policy = Policy(ties="input", empty="skip" if skip else "zero")
    meter, weights = Meter(MEASURES, policy=policy), np.arange(9.0)
    for some in (slice(0, 2), slice(2, 7), slice(7, 9)):
        parts = (array(name, each[some]) for each in (scores, grades, weights))
        meter.update(next(parts), next(parts), weights=next(parts))
    check_close(meter.compute(), evaluate(scores, grades, MEASURES, weights=weights, policy=policy))
    assert len(meter) == 9


@pytest.mark.parametrize("per_query", [False, True])
def test_merging_is_the_same_in_any_order_and_leaves_the_others_alone(per_query: bool) -> None:
    scores, grades = batch()
    meters = []
    for number, some in enumerate((slice(0, 2), slice(2, 7), slice(7, 9))):
        meter = Meter(MEASURES, per_query=per_query)
        ids = [f"q{each}" for each in range(9)[some]]
        meter.update(scores[some], grades[some], ids=ids if per_query or number < 3 else None)
        meters.append(meter)
    before = meters[1].compute()
    for order in ((0, 1, 2), (2, 0, 1)):
        whole = Meter(MEASURES, per_query=per_query)
        for each in order:
            whole.merge(meters[each])
        check_close(whole.compute(), evaluate(scores, grades, MEASURES))
    assert meters[1].compute() == before


def test_the_state_does_not_grow_without_ids_and_goes_through_json() -> None:
    meter = Meter(["AP", "RR"])
    for seed in range(3):
        meter.update(*batch(seed))
        assert np.asarray(meter.state.sums).shape == (2, 2)
        assert not meter.state.seen
    other = Meter(["AP", "RR"])
    other.load_state_dict(json.loads(json.dumps(meter.state_dict())))
    assert other.compute() == meter.compute()
    meter.reset()
    assert len(meter) == 0


def test_a_query_that_comes_twice_is_refused_or_counts_once() -> None:
    scores, grades = batch(queries=3)
    meter = Meter(["RR"])
    meter.update(scores, grades, ids=["a", "b", "c"])
    for ids in (["d", "c", "e"], ["x", "y", "x"]):
        with pytest.raises(DataError, match="1 of the queries occur twice"):
            meter.update(scores, grades, ids=ids)
    once = Meter(["RR"], per_query=True)
    once.update(scores, grades, ids=np.array([1, 2, 3]))
    once.update(scores[:1], grades[:1], ids=[1])
    check_close(once.compute(), evaluate(scores, grades, ["RR"]))
    wanted = evaluate(scores, grades, ["RR"], per_query=True)["RR"].tolist()
    assert once.by_query("RR") == dict(zip(["1", "2", "3"], wanted, strict=True))


def test_scores_of_files_are_taken_in_too() -> None:
    qrels = {"a": {"x": 1, "y": 0}, "b": {"x": 1}, "c": {"y": 2}}
    run = {"a": {"y": 2.0, "x": 1.0}, "b": {"y": 1.0, "x": 0.5}, "c": {"y": 1.0}}
    meter = Meter(["RR", "GMAP"])
    for query in qrels:
        meter.add(carob.evaluate({query: qrels[query]}, {query: run[query]}, ["RR", "GMAP"]))
    check_close(meter.compute(), carob.evaluate(qrels, run, ["RR", "GMAP"]).means())
    with pytest.raises(DataError, match="have the policy 'trec', but this batch has 'ties input'"):
        meter.update(np.ones((1, 1)), np.ones((1, 1)), ids=["d"])
    with pytest.raises(DataError, match="scores contain the measures AP"):
        meter.add(carob.evaluate(qrels, run, ["AP"]))


def test_what_a_meter_lacks_is_said() -> None:
    with pytest.raises(DataError, match="needs the queries' ids"):
        Meter(["RR"], per_query=True).update(*batch())
    with pytest.raises(DataError, match="2 ids for 9 queries"):
        Meter(["RR"]).update(*batch(), ids=["a", "b"])
    with pytest.raises(DataError, match="does not store per-query scores"):
        Meter(["RR"]).by_query("RR")
    with pytest.raises(DataError, match="same measures"):
        Meter(["RR"]).merge(Meter(["AP"]))


PROCESS = """
import json, sys
import torch
from torch import distributed
from carob import DataError
from carob.tensors.meter import Meter

rank, rendezvous, data = int(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3])
distributed.init_process_group("gloo", init_method=rendezvous, rank=rank, world_size=2)
said = {}
for how, shards in data["shards"].items():
    meter = Meter(data["measures"], per_query=how.startswith("once"))
    for part in shards[rank]:
        scores, grades = (
            torch.tensor([data[name][each] for each in part], dtype=torch.float64) for name in ("scores", "grades")
        )
        meter.update(scores, grades, ids=part if how != "plain" else None)
    try:
        said[how] = meter.compute(distributed=True)
    except DataError as error:
        said[how] = str(error)
print(json.dumps(said))
distributed.destroy_process_group()
"""


def test_two_processes_come_to_what_one_does(tmp_path: Path) -> None:
    """Uneven shards, one of them empty; a query that both have counts once, or is refused."""
    torch = library("torch")
    if not torch.distributed.is_available():
        pytest.skip("this build of torch has no torch.distributed")
    scores, grades = batch()
    shards = {
        "plain": [[[0, 1, 2, 3, 4], [5, 6]], [[7, 8]]],
        "ids": [[], [[0, 1, 2, 3, 4, 5, 6, 7, 8]]],
        "twice": [[[0, 1, 2, 3, 4]], [[4, 5, 6, 7, 8]]],
        "once": [[[0, 1, 2, 3, 4]], [[4, 5, 6, 7, 8, 0]]],
    }
    data = {"measures": MEASURES, "scores": scores.tolist(), "grades": grades.tolist(), "shards": shards}
    command = [sys.executable, "-c", PROCESS]
    rest = [f"file://{tmp_path / 'meeting'}", json.dumps(data)]
    running = [
        subprocess.Popen(
            [*command, str(rank), *rest], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for rank in range(2)
    ]
    for process in running:
        out, complaint = process.communicate(timeout=300)
        assert process.returncode == 0, complaint
        said = json.loads(out.splitlines()[-1])
        for how in ("plain", "ids", "once"):
            check_close(said[how], evaluate(scores, grades, MEASURES))
        assert "1 of the queries came from more than one process" in said["twice"]
