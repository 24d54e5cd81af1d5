"""``carob.estimate``: the values of runs, estimated from people's judgments of some queries and a judge's of all."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from carob.comparison.compare import compare
from carob.comparison.design import Design, Test
from carob.conventions import arguments
from carob.conventions.arguments import specified

if TYPE_CHECKING:
    from carob import _native
    from carob.comparison.compare import Comparison
    from carob.comparison.runs import RunsLike
    from carob.conventions.policy import Policy
    from carob.conventions.profiles import ProfileLike
    from carob.conventions.request import MeasuresLike
    from carob.inputs.qrels import QrelsLike


@specified
def estimate(
    people: QrelsLike | None,
    judge: QrelsLike | RunsLike,
    runs: RunsLike,
    measures: MeasuresLike = None,
    *,
    design: Design | None = None,
    confidence: float = arguments.CONFIDENCE,
    policy: Policy | None = None,
    profile: ProfileLike = None,
    progress: _native.Progress | None = None,
) -> Comparison:
    """Estimate the values of runs if people judged some queries and a model judged all of them.

    Args:
        people: people's judgments of a random sample of the queries; None if ``runs`` are scores.
        judge: the model's judgments of all queries, or its scores of the same runs if ``runs`` are scores.
        runs: ``{name: run}``, or a list of runs; one is enough.
        measures: as in ``carob.compare``.
        design: the target of the estimates, the weight of the judge, the strata of people's queries and the wanted
            width of intervals.
        confidence: the confidence level of the intervals.
        policy: as in ``carob.evaluate``.
        profile: as in ``carob.evaluate``.
        progress: counts the bytes read, for a progress bar in another thread.

    Returns:
        A comparison without pairs of runs. ``found["nDCG@10"].means``, ``.low`` and ``.high`` are the estimates and
        their intervals, and ``found.judge`` has facts about the judge.

    Raises:
        DataError: people and the judge share fewer than two queries; otherwise as ``carob.compare``.
        MeasureError: a measure that does not exist.
        PolicyError: a profile or policy that does not exist, or an argument outside its range.

    Example:
        >>> import carob
        >>> model = {f"q{n}": {"a": 1, "b": 1} for n in range(30)}
        >>> people = {f"q{n}": {"a": 1, "b": int(n % 4 == 0)} for n in range(0, 30, 2)}
        >>> run = {f"q{n}": {"b": 2.0, "a": 1.0} for n in range(30)}
        >>> found = carob.estimate(people, model, {"mine": run}, "RR")
        >>> round(found["RR"].means[0], 3), found.judge.sample, found.judge.queries
        (0.767, 15, 30)
    """
    found = compare(
        people,
        runs,
        measures,
        judge=judge,
        test=Test(confidence=confidence),
        design=design,
        policy=policy,
        profile=profile,
        progress=progress,
    )
    if found.judge is None:
        return found
    nothing = tuple(() for _ in found.names)
    contests = {label: replace(each, pairs=(), beaten=nothing) for label, each in found.contests.items()}
    facts = {
        label: replace(each, worth_pairs=(), needed_pairs=()) for label, each in found.judge.measures.items()
    }
    warnings = tuple(each for each in found.warnings if each.kind != "order")
    return replace(found, contests=contests, judge=replace(found.judge, measures=facts), warnings=warnings)
