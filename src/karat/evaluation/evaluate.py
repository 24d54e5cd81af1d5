"""``karat.evaluate``: scores of runs, judged rankings and lists of grades."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias, cast, overload

import numpy as np

from karat.conventions.request import MeasuresLike, conventions, labelled, needs_groups, needs_scores
from karat.evaluation.engine import scored
from karat.evaluation.scores import ScoresByRun
from karat.inputs.qrels import Qrels, QrelsLike
from karat.inputs.run import Run, RunLike, RunsLike, are_several, runs_in, short
from karat.inputs.runs import available_cores, side_by_side
from karat.inputs.sources import Provenance
from karat.matching.match import Match, match, match_grades, match_judged_ranking
from karat.matching.mismatch import doubts
from karat.output.errors import DataError, warn

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from karat import _native
    from karat.conventions.policy import Policy
    from karat.conventions.profiles import Profile, ProfileLike
    from karat.evaluation.engine import Ideals
    from karat.evaluation.scores import Scores
    from karat.measures import Measure

__all__ = [
    "evaluate",
    "evaluate_grades",
    "evaluate_judged_ranking",
    "evaluate_run",
    "evaluate_together",
    "nested",
]


@overload
def evaluate(
    qrels: QrelsLike,
    run: RunsLike,
    measures: MeasuresLike = ...,
    *,
    policy: Policy | None = ...,
    profile: ProfileLike = ...,
    weights: Mapping[str, float] | None = ...,
    name: str | None = ...,
    exclude: Any = ...,
    progress: _native.Progress | None = ...,
) -> ScoresByRun: ...


@overload
def evaluate(
    qrels: QrelsLike,
    run: RunLike,
    measures: MeasuresLike = ...,
    *,
    policy: Policy | None = ...,
    profile: ProfileLike = ...,
    weights: Mapping[str, float] | None = ...,
    name: str | None = ...,
    exclude: Any = ...,
    progress: _native.Progress | None = ...,
) -> Scores: ...


def evaluate(
    qrels: QrelsLike,
    run: RunLike | RunsLike,
    measures: MeasuresLike = None,
    *,
    policy: Policy | None = None,
    profile: ProfileLike = None,
    weights: Mapping[str, float] | None = None,
    name: str | None = None,
    exclude: Any = None,
    progress: _native.Progress | None = None,
) -> Scores | ScoresByRun:
    """Measure a run, or several, against relevance judgments.

    Args:
        qrels: a path (TREC text, plain or compressed; Parquet, CSV, JSON lines, a folder or a pattern of them; ``-``
            is standard input), bytes, an open binary file, a ``Qrels``, ``{query: {document: grade}}``, or a data
            frame (pandas, Polars, PyArrow, DuckDB …) with columns of usual names; of others
            ``Qrels.of(frame, query=…, document=…, grade=…)``. Measures by subtopic read
            ``query subtopic document grade``, or ``{query: {subtopic: {document: grade}}}``.
        run: the same for a run, ``{query: {document: score}}``, or a data frame, see ``Run.of``. Several
            runs are ``{name: run}`` or a list of them.
        measures: names or ``Measure``s; the profile's or karat's default ones if None.
        policy: what is decided about ties, duplicates, missing queries …; the profile's if None.
        profile: a named convention, see ``karat.list_profiles()``.
        weights: what each query weighs in the means, ``{query: weight}``; all the same if None.
        name: what tables call the run; of several each has its own.
        exclude: pairs taken out of the run before it is ranked, such as a training set's: see ``Run.of``.
        progress: counts the bytes read, for a progress bar in another thread.

    Returns:
        The scores, per query and on average; of several runs those of each by its name, as one table. A measure that
        has no value for some grades, as ERR for a grade above its ``max``, is NaN for all queries: ``scores.failed``
        says why, and a ``DataWarning`` too.

    Raises:
        DataError: text or values that cannot be used as they are; grades of which no measure has a value.
        MeasureError: a measure that does not exist.
        PolicyError: a profile or policy that does not exist.

    Example:
        >>> import karat
        >>> qrels = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
        >>> run = {"q1": {"d2": 3.0, "d1": 2.0}, "q2": {"d3": 1.0}}
        >>> karat.evaluate(qrels, run, ["RR", "nDCG@10"])["RR"]
        0.75
        >>> karat.evaluate(qrels, {"first": run, "second": {"q1": {"d1": 1.0}}}, "RR")
        run         RR
        first   0.7500
        second  0.5000
        first: 2 queries · policy trec
        second: 2 queries · 1 missing query counted as 0 · policy trec
    """
    if not are_several(run):
        return evaluate_run(
            qrels,
            cast("RunLike", run),
            measures,
            policy=policy,
            profile=profile,
            weights=weights,
            name=name,
            exclude=exclude,
            progress=progress,
        )
    if name is not None:
        raise DataError(f"name={name!r} names one run: name several as in {{name: run, …}}.")
    convention, policy = conventions(profile, policy)
    asked = labelled(measures, convention)
    judged = Qrels.of(qrels, policy, subtopics=needs_groups(asked))
    several = runs_in(cast("RunsLike", run), exclude)
    found = evaluate_together(judged, several, asked, convention, policy, weights=weights, progress=progress)
    return ScoresByRun(scores for scores, _ in found)


def evaluate_run(
    qrels: QrelsLike,
    run: RunLike,
    measures: MeasuresLike = None,
    *,
    policy: Policy | None = None,
    profile: ProfileLike = None,
    weights: Mapping[str, float] | None = None,
    name: str | None = None,
    exclude: Any = None,
    progress: _native.Progress | None = None,
    bounds: bool = True,
) -> Scores:
    """Measure one run like ``evaluate``, but refuse several runs. ``bounds`` of ties may be omitted."""
    convention, policy = conventions(profile, policy)
    asked = labelled(measures, convention)
    judged = Qrels.of(qrels, policy, subtopics=needs_groups(asked))
    ranked = Run.of(run, name, exclude=exclude)
    scores, _ = evaluate_one(
        judged, ranked, asked, convention, policy, weights=weights, progress=progress, bounds=bounds
    )
    return warned(scores)


def evaluate_judged_ranking(
    ranking: QrelsLike,
    measures: MeasuresLike = None,
    *,
    policy: Policy | None = None,
    profile: ProfileLike = None,
    weights: Mapping[str, float] | None = None,
    name: str | None = None,
) -> Scores:
    """Measure a judged ranking: one file of ``query Q0 document grade`` in rank order.

    The file is both run and judgments: nothing is known about documents that it does not list.

    Args:
        ranking: as ``qrels`` of ``evaluate``.
        measures: as there.
        policy: as there.
        profile: as there.
        weights: as there.
        name: what tables call it.

    Raises:
        DataError: text that cannot be read, or a document listed twice.
        MeasureError: a measure that does not exist.

    Example:
        >>> import karat
        >>> karat.evaluate_judged_ranking(b"q Q0 a 0\\nq Q0 b 1\\n", ["RR"])["RR"]
        0.5
    """
    convention, policy = conventions(profile, policy)
    asked = labelled(measures, convention)
    judged = Qrels.of(ranking, policy)
    scores = scored(
        lambda policy: match_judged_ranking(judged, policy),
        asked,
        policy,
        convention,
        name or short(judged.name),
        weights,
        judgments=judged.name,
    )
    return warned(replace(scores, inputs={"judged ranking": judged.origin}))


def evaluate_grades(
    grades: Sequence[Sequence[float | None]],
    measures: MeasuresLike = None,
    judged: Sequence[Sequence[float | None]] | None = None,
    *,
    policy: Policy | None = None,
    profile: ProfileLike = None,
    weights: Sequence[float] | None = None,
    name: str = "grades",
) -> Scores:
    """Measure lists of grades in rank order.

    Args:
        grades: for each query the grades of its ranked documents, best rank first; None for an unjudged
            document; one flat list is one query.
        measures: as in ``evaluate``.
        judged: for each query all grades of its judgments, retrieved or not, in any order; the ranked grades
            themselves if None. Each ranked document of a positive grade is among them; those of grade 0 need not be.
        policy: as in ``evaluate``.
        profile: as in ``evaluate``.
        weights: what each query weighs in the means; all the same if None.
        name: what tables call the lists.

    Raises:
        DataError: a grade that is no number, lists that do not pair, or more ranked documents of a positive grade
            than judged ones.
        MeasureError: a measure that does not exist.

    Example:
        >>> import karat
        >>> karat.evaluate_grades([[2, 1, 0, 3, 0, 1], [3, 0, 1, 2]], ["DCG@6"]).by_query("DCG@6")
        {'1': 4.279166614899659, '2': 4.361353116146786}
    """
    convention, policy = conventions(profile, policy)
    asked = labelled(measures, convention)
    lists, pools = nested(grades), None if judged is None else nested(judged)
    its = None if weights is None else {str(number): each for number, each in enumerate(weights, 1)}
    scores = scored(lambda policy: match_grades(lists, pools, policy), asked, policy, convention, name, its)
    return warned(replace(scores, inputs={"grades": Provenance("grades")}))


# ---------------------------------------------------------------- runs

Evaluated: TypeAlias = "tuple[Scores, dict[Policy, Match]]"
"""A run's scores, and the matches that they come from, by the policies of its measures."""

SMALL = 64 * 2**20
"""Files up to this size are read side by side, one core each; larger ones one by one, by all cores."""


def evaluate_together(
    judged: Qrels,
    runs: Sequence[Run],
    asked: dict[str, Measure],
    convention: Profile,
    policy: Policy,
    *,
    weights: Mapping[str, float] | None = None,
    progress: _native.Progress | None = None,
) -> Iterator[Evaluated]:
    """Returns each run's scores in order. Runs are read in parallel, and the qrels are processed only once.

    Args:
        judged: the judgments.
        runs: the runs.
        asked: the measures by label, as ``labelled`` gives them.
        convention: the profile.
        policy: the policy.
        weights: as in ``evaluate``.
        progress: as there.

    Raises:
        DataError: as there.
    """
    best: Ideals = {}

    def one(run: Run, threads: int | None = None) -> Evaluated:
        return evaluate_one(
            judged,
            run,
            asked,
            convention,
            policy,
            weights=weights,
            progress=progress,
            best=best,
            threads=threads,
        )

    cores = available_cores()
    if len(runs) < 2 or cores < 2 or not all(map(beside_others, runs)):
        yield from ((warned(scores), found) for scores, found in map(one, runs))
        return
    every = side_by_side(lambda run: one(run, max(1, cores // len(runs))), runs, min(cores, len(runs)))
    # The warnings are issued here, where the caller's line is known.
    yield from ((warned(scores), found) for scores, found in every)


def beside_others(run: Run) -> bool:
    """Returns whether a run should be read on one core while other cores read other runs."""
    return not run.alone and run.origin.size <= SMALL


def evaluate_one(
    judged: Qrels,
    run: Run,
    asked: dict[str, Measure],
    convention: Profile,
    policy: Policy,
    *,
    weights: Mapping[str, float] | None = None,
    progress: _native.Progress | None = None,
    best: Ideals | None = None,
    threads: int | None = None,
    bounds: bool = True,
) -> Evaluated:
    """Returns one run's scores and matches. ``best`` caches ideal rankings for other runs with the same qrels."""
    matches: dict[Policy, Match] = {}
    said: list[str] = []

    def matched(own: Policy) -> Match:
        found = match(judged, run, own, progress, scores=needs_scores(asked), threads=threads)
        said.extend([] if matches else doubts(judged, run, found, own))
        matches[own] = found
        return found

    scores = scored(matched, asked, policy, convention, run.name, weights, best, judged.name, bounds=bounds)
    inputs = {"qrels": judged.origin, "run": run.origin}
    return replace(scores, inputs=inputs, warnings=(*said, *scores.warnings)), matches


def warned(scores: Scores) -> Scores:
    """Issues the warnings of the scores and returns the scores."""
    for sentence in (*scores.warnings, *scores.failed.values()):
        warn(sentence)
    return scores


def nested(lists: Any) -> list[list[float | None]]:
    """Returns a list of lists of numbers. One flat list becomes a list that contains it.

    Raises:
        DataError: the value is not a list.
    """
    if not isinstance(lists, Iterable) or isinstance(lists, (str, bytes, Mapping)):
        raise DataError(
            f"Lists of grades are wanted, such as [[2, 0, 1], [0, 1]], and this is {lists!r:.80}."
        )
    outer: list[Any] = [each.tolist() if isinstance(each, np.ndarray) else each for each in lists]
    if outer and not any(isinstance(each, (list, tuple)) for each in outer):
        return [outer]
    return [list(each) for each in outer]
