"""The inputs of a report, and its measures along the ranks: precision by recall, values by depth."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from karat.comparison.runs import named
from karat.conventions.request import conventions, labelled, needs_groups
from karat.evaluation.curves import TENTHS, moved
from karat.evaluation.evaluate import evaluate_run
from karat.evaluation.scores import Scores, whole
from karat.inputs.parallel import available_cores, side_by_side
from karat.inputs.qrels import Qrels
from karat.inputs.run import Run
from karat.measures import Measure, parse_measure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karat.comparison import Comparison
    from karat.comparison.runs import RunsLike
    from karat.conventions.policy import Policy
    from karat.conventions.profiles import ProfileLike
    from karat.conventions.request import MeasuresLike
    from karat.inputs.qrels import QrelsLike
    from karat.measures.define import Definition

__all__ = ["Alongside", "Inputs", "alongside", "opened"]

DEPTHS = (1, 2, 3, 5, 10, 20, 30, 50, 100)


@dataclass(frozen=True, eq=False)
class Inputs:
    """The inputs, ready to be read.

    Args:
        qrels: the judgments; None where only scores were given.
        runs: each run or scores by name; scores have no lists to show.
    """

    qrels: Qrels | None
    runs: dict[str, Run | Scores]

    @property
    def ranked(self) -> dict[str, Run]:
        """The runs that can be read again."""
        return {name: run for name, run in self.runs.items() if isinstance(run, Run)}


@dataclass(frozen=True, eq=False)
class Alongside:
    """A curve: a measure at several depths or recall levels, for every run.

    Args:
        name: of the chart.
        says: what it shows, in a sentence.
        along: the title of the x axis.
        up: the title of the y axis.
        at: the depths or recall levels.
        runs: for each run, its means at these.
    """

    name: str
    says: str
    along: str
    up: str
    at: tuple[float, ...]
    runs: tuple[tuple[float, ...], ...]


def opened(
    qrels: QrelsLike | None,
    runs: RunsLike,
    measures: MeasuresLike,
    policy: Policy | None,
    profile: ProfileLike,
) -> Inputs:
    """The judgments, read once, by subtopic if a measure needs that, and the runs by name.

    Raises:
        DataError: judgments that cannot be read; fewer than two runs, or two of one name.
    """
    found = named(runs)
    if qrels is None:
        return Inputs(None, found)
    convention, policy = conventions(profile, policy)
    groups = needs_groups(labelled(measures, convention))
    return Inputs(Qrels.of(qrels, policy, subtopics=groups), found)


def alongside(inputs: Inputs, comparison: Comparison) -> list[Alongside]:
    """Precision by recall, the primary measure and the share judged by depth; none where lists are missing."""
    ranked = inputs.ranked
    if inputs.qrels is None or len(ranked) < len(inputs.runs):
        return []
    primary = comparison.primary.measure
    deep = primary if takes_depth(primary) else parse_measure("nDCG@10")
    bare = replace(deep, depth=None)
    wanted: dict[str, list[Measure]] = {
        "recall": [parse_measure(f"IPrec@{level}") for level in TENTHS],
        "depth": [moved(deep, depth) for depth in DEPTHS],
        "judged": [parse_measure(f"Judged@{depth}") for depth in DEPTHS],
    }
    means = means_of(inputs.qrels, list(ranked.values()), comparison, wanted)
    return [
        Alongside(
            "recall",
            "Interpolated precision at eleven recall levels.",
            "recall",
            "precision",
            TENTHS,
            means["recall"],
        ),
        Alongside("depth", f"{bare} down to each depth k.", "depth k", f"{bare}@k", DEPTHS, means["depth"]),
        Alongside(
            "judged",
            "The share of the first k documents that is judged.",
            "depth k",
            "judged@k",
            DEPTHS,
            means["judged"],
        ),
    ]


def takes_depth(measure: Measure) -> bool:
    """Whether the measure has a depth that can be changed."""
    definition: Definition = measure.definition
    return measure.depth is not None and definition.at == "depth" and definition.aggregate == "mean"


def means_of(
    qrels: Qrels, runs: Sequence[Run], comparison: Comparison, wanted: dict[str, list[Measure]]
) -> dict[str, tuple[tuple[float, ...], ...]]:
    """For each name and run, the means of its measures; every run is read once."""
    policy = comparison.scores[0].policy.changed(overlap="none")  # the comparison has already warned
    every = [measure for measures in wanted.values() for measure in measures]

    def means(run: Run) -> dict[str, tuple[float, ...]]:
        scores = whole(evaluate_run(qrels, run, every, policy=policy))
        return {
            name: tuple(finite(scores[str(measure)]) for measure in measures)
            for name, measures in wanted.items()
        }

    beside = 1 if any(run.alone for run in runs) else min(available_cores(), len(runs))
    found = list(side_by_side(means, runs, beside))
    return {name: tuple(each[name] for each in found) for name in wanted}


def finite(value: float) -> float:
    """The value; 0 where there is nothing to average."""
    return float(value) if np.isfinite(value) else 0.0
