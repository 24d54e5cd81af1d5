"""Time to compute AP, RR and nDCG of tensors: carob, torchmetrics, a hand-written sort-and-sum, and only the sort.

It runs only by name, ``python -m bench tensors``, because it needs PyTorch. It also runs on a GPU if there is one.
"""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

from bench.answer import Answer, Bar, Setting, ratio
from bench.side_by_side import DisagreementError, Timing

if TYPE_CHECKING:
    from collections.abc import Callable

MEASURES = ("AP", "RR", "nDCG")
NEAR = 2e-6
"""The largest accepted difference between means in single precision."""
SHAPES = {"cpu": ((2000, 1000), (20_000, 50)), "cuda": ((8192, 1000),)}
SLOW = {"cpu": 1, "cuda": 1}
"""The number of rounds for torchmetrics, which is much slower than the other programs."""


@dataclass(frozen=True)
class Rival:
    """A library or program that computes the same means.

    Args:
        name: the name of the library or program in the table.
        run: the function to time, which takes scores and grades.
        rounds: the maximum number of times to run it.
        compared: whether it computes the means.
    """

    name: str
    run: Callable[[Any, Any], Any]
    rounds: int = 1000
    compared: bool = True


def ask(setting: Setting) -> list[Answer]:
    """Times the libraries on each available device."""
    if importlib.util.find_spec("torch") is None:
        print("PyTorch is not installed, so nothing is asked of tensors: pip install torch", file=sys.stderr)
        return []
    import torch

    devices = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
    return [answer(setting, device, shape) for device in devices for shape in SHAPES[device]]


def answer(setting: Setting, device: str, shape: tuple[int, int]) -> Answer:
    """Compares the means of all libraries, and returns their timings, measured in turn on the same tensors."""
    import torch

    queries, documents = (20, 30) if setting.quick else shape
    random = torch.Generator().manual_seed(7)
    scores = torch.rand(queries, documents, generator=random).to(device)
    grades = torch.randint(1, 4, (queries, documents), generator=random)
    grades = torch.where(torch.rand(queries, documents, generator=random) < 0.9, 0, grades).to(device)
    ways = rivals(device)
    timings = [Timing(each.name) for each in ways]
    for way, timing in zip(ways, timings):
        found = way.run(scores, grades)  # this call also warms up the library
        if way.compared:
            timing.values = [float(each) for each in found]
            agree(timings[0], timing)
    for number in range(setting.times(9)):
        for way, timing in zip(ways, timings):
            if number < way.rounds:
                timing.seconds.append(seconds(way, scores, grades, device))
    return Answer(
        f"{', '.join(MEASURES)} of tensors on {device}",
        f"{queries:,} × {documents:,}",
        timings,
        bars(device, timings),
    )


def bars(device: str, timings: list[Timing]) -> list[Bar]:
    """Returns the limits of this benchmark."""
    named = {each.name: each for each in timings}
    ours, found = timings[0], []
    if "torchmetrics" in named:
        found.append(
            Bar(
                f"tensors on {device}, against torchmetrics",
                "at least",
                5,
                ratio(ours, named["torchmetrics"]),
                "times as fast",
            )
        )
    if device == "cpu":
        found.append(
            Bar(
                "tensors on cpu, against sort-and-sum by hand",
                "at least",
                1,
                ratio(ours, named["by hand"]),
                "times as fast",
            )
        )
    else:
        alone = ratio(named["the sort alone"], named["carob nDCG alone"])
        found.append(Bar(f"nDCG on {device}, against the sort alone", "at most", 1.5, alone, "times as long"))
    return found


def seconds(way: Rival, scores: Any, grades: Any, device: str) -> float:
    """Returns the seconds from a call until the device has finished."""
    import torch

    start = perf_counter()
    way.run(scores, grades)
    if device == "cuda":
        torch.cuda.synchronize()
    return perf_counter() - start


def agree(first: Timing, other: Timing) -> None:
    """Raises an error for means that differ.

    Raises:
        DisagreementError: the means differ; the error states them.
    """
    for name, ours, theirs in zip(MEASURES, first.values, other.values, strict=True):
        if not abs(ours - theirs) <= NEAR:
            raise DisagreementError(f"{other.name} says {name} {theirs!r} where {first.name} says {ours!r}.")


def rivals(device: str) -> list[Rival]:
    """Returns the compared libraries, carob first."""
    from carob.tensors import Evaluator

    # On a GPU, carob does not search for the highest grade, so the caller passes it.
    highest = None if device == "cpu" else 3
    three, one = (Evaluator(names, max_grade=highest) for names in (MEASURES, ("nDCG",)))
    found = [
        Rival("carob", lambda scores, grades: three(scores, grades).values()),
        Rival("by hand", by_hand),
        Rival("carob nDCG alone", one, compared=False),
        Rival(
            "the sort alone",
            lambda scores, _: scores.sort(dim=1, descending=True, stable=True),
            compared=False,
        ),
    ]
    if importlib.util.find_spec("torchmetrics"):
        found.append(Rival("torchmetrics", by_torchmetrics, SLOW[device]))
    return found


def by_hand(scores: Any, grades: Any) -> list[Any]:
    """Returns the means of hand-written measures, which use one sort, gathered grades, running sums and sums."""
    import torch

    ordered = grades.gather(1, scores.argsort(dim=1, descending=True)).to(scores.dtype)
    rank = torch.arange(1, scores.shape[1] + 1, device=scores.device, dtype=scores.dtype)
    hits = (ordered >= 1).to(scores.dtype)
    relevant = hits.sum(1)
    precision = torch.where(relevant > 0, (hits * hits.cumsum(1) / rank).sum(1) / relevant, 0.0)
    discount = torch.log2(rank + 1)
    best = (grades.sort(dim=1, descending=True).values / discount).sum(1)
    gain = torch.where(best > 0, (ordered / discount).sum(1) / best, 0.0)
    return [precision.mean(), (hits / rank).amax(1).mean(), gain.mean()]


def by_torchmetrics(scores: Any, grades: Any) -> list[Any]:
    """Returns the means of torchmetrics' three metrics, computed with update and compute."""
    import torch
    from torchmetrics.retrieval import RetrievalMAP, RetrievalMRR, RetrievalNormalizedDCG

    queries, documents = scores.shape
    indexes = torch.arange(queries, device=scores.device).repeat_interleave(documents)
    found = []
    for metric in (RetrievalMAP(), RetrievalMRR(), RetrievalNormalizedDCG()):
        graded = isinstance(metric, RetrievalNormalizedDCG)
        metric.update(
            scores.flatten(), grades.flatten() if graded else grades.flatten() >= 1, indexes=indexes
        )
        found.append(metric.compute())
    return found
