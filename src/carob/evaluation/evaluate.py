"""``carob.evaluate``: computes scores of runs, judged rankings and lists of grades."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict, cast, overload

from carob.conventions.request import MeasuresLike, request_of
from carob.evaluation.engine import Matches, evaluate_together, judgments_for, warned
from carob.evaluation.scores import ScoresByRun, with_groups
from carob.inputs.qrels import Qrels, QrelsLike
from carob.inputs.run import Run, RunLike, RunsLike, are_several, runs_in
from carob.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from typing_extensions import Unpack

    from carob import _native
    from carob.conventions.policy import Policy
    from carob.conventions.profiles import ProfileLike
    from carob.evaluation.scores import Scores
    from carob.inputs.frames import Frame
    from carob.inputs.query_files import GroupsLike
    from carob.inputs.sources import Readable


GradesLike: TypeAlias = "Sequence[Sequence[float | None]] | Sequence[float | None]"
"""The grades of each query's documents, or a flat list of the grades of a single query's documents."""


class Options(TypedDict, total=False):
    """The optional arguments of ``evaluate``."""

    policy: Policy | None
    profile: ProfileLike
    weights: Mapping[str, float] | None
    name: str | None
    exclude: Any
    by: GroupsLike | None
    progress: _native.Progress | None


# The overload for several runs comes first because the type of a single run is any mapping, including a mapping of
# runs.
@overload
def evaluate(
    qrels: QrelsLike, run: RunsLike, measures: MeasuresLike = ..., **options: Unpack[Options]
) -> ScoresByRun: ...


@overload
def evaluate(
    qrels: QrelsLike, run: RunLike, measures: MeasuresLike = ..., **options: Unpack[Options]
) -> Scores: ...


@overload
def evaluate(
    qrels: Readable | Frame, run: None = ..., measures: MeasuresLike = ..., **options: Unpack[Options]
) -> Scores: ...


@overload
def evaluate(
    qrels: QrelsLike | RunsLike, run: None = ..., measures: MeasuresLike = ..., **options: Unpack[Options]
) -> Any: ...


def evaluate(
    qrels: QrelsLike | RunsLike,
    run: RunLike | RunsLike | None = None,
    measures: MeasuresLike = None,
    *,
    policy: Policy | None = None,
    profile: ProfileLike = None,
    weights: Mapping[str, float] | None = None,
    name: str | None = None,
    exclude: Any = None,
    by: GroupsLike | None = None,
    progress: _native.Progress | None = None,
) -> Scores | ScoresByRun:
    """Measures one or more runs against relevance judgments.

    Args:
        qrels: a path (TREC text, plain or compressed; Parquet, CSV, JSON lines, a folder or a pattern of them; ``-`` is
            standard input), bytes, an open binary file, a ``Qrels``, ``{query: {document: grade}}``, or a data frame
            (pandas, Polars, PyArrow, DuckDB …) with columns of usual names; for other column names, pass
            ``Qrels.of(frame, query=…, document=…, grade=…)``. Measures by subtopic read
            ``query subtopic document grade``, or ``{query: {subtopic: {document: grade}}}``.
        run: a run in any of these forms, with scores: ``{query: {document: score}}``; see ``Run.of``. Pass several runs
            as ``{name: run}`` or as a list. Without ``run``, ``qrels`` is one or more logs with both the retrieved and
            the relevant ids of each query, such as the columns ``retrieved_ids`` and ``reference_ids``.
        measures: names or ``Measure`` objects, by default the measures of the profile or of carob.
        policy: the treatment of ties, duplicates, missing queries and so on; by default, the profile's.
        profile: the name of another tool's conventions, see ``carob.list_profiles()``; or a ``Profile``.
        weights: the weight of each query in the means, ``{query: weight}``; equal weights if None.
        name: the name of the run in tables; several runs are named by ``{name: run}``.
        exclude: query-document pairs to remove from the run before ranking, such as the pairs of a training set; see
            ``Run.of``.
        by: the group of each query, as a mapping, rows or a data frame, as a file with lines ``query group``, or as the
            name of a field in the file of judgments, such as ``tags``. A query with several groups, in a list or in
            several rows, counts in each group. The tables then also show the means of each group; ``scores.by_group()``
            returns the scores of each.
        progress: a counter of the bytes read, for a progress bar in another thread.

    Returns:
        The scores, per query and on average; for several runs, a mapping from each run's name to its scores. A measure
        without a value for some grades, such as ERR for a grade above its ``max``, is NaN for all queries:
        ``scores.failed`` and a ``DataWarning`` say why.

    Raises:
        DataError: text or values cannot be used, no measure has a value for the grades, logs have different relevant
            ids for a query, or a query has no group.
        MeasureError: a measure does not exist.
        PolicyError: a profile or policy does not exist.

    Example:
        >>> import carob
        >>> qrels = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
        >>> run = {"q1": {"d2": 3.0, "d1": 2.0}, "q2": {"d3": 1.0}}
        >>> carob.evaluate(qrels, run, ["RR", "nDCG@10"])["RR"]
        0.75
        >>> carob.evaluate(qrels, {"first": run, "second": {"q1": {"d1": 1.0}}}, "RR")
        run         RR
        first   0.7500
        second  0.5000
        first: 2 queries · policy trec
        second: 2 queries · 1 missing query counted as 0 · policy trec
    """
    request = request_of(measures, profile, policy, weights)
    if run is None:
        from carob.inputs.logs import apart

        qrels, run = apart(qrels, request.policy, subtopics=request.groups)
    several = are_several(run)
    if several and name is not None:
        raise DataError(
            f"name={name!r} is a name for a single run: to name several runs, pass a dict {{name: run, …}}."
        )
    judged = judgments_for(
        run if several else [run], qrels, request.policy, subtopics=request.groups
    ).complete
    if several:
        runs = runs_in(cast("RunsLike", run), exclude)
        evaluated = (
            scores for scores, _ in evaluate_together(judged, runs, request, progress, scores_only=True)
        )
        return ScoresByRun(evaluated if by is None else with_groups(list(evaluated), by))
    one = Run.of(cast("RunLike", run), name, exclude=exclude)
    scores = warned(Matches.of_run(judged, one, request, progress, scores_only=True).scores(request))
    return scores if by is None else with_groups([scores], by)[0]


def evaluate_run(
    qrels: QrelsLike,
    run: RunLike,
    measures: MeasuresLike = None,
    *,
    bounds: bool = True,
    quiet: bool = False,
    **given: Unpack[Options],
) -> Scores:
    """Evaluates one run as ``evaluate`` does, but refuses several runs.

    Args:
        qrels: the judgments.
        run: the run.
        measures: the measures.
        bounds: whether to compute the bounds of ties.
        quiet: whether the caller issues the warnings.
        given: as for ``evaluate``.
    """
    request = request_of(measures, given.get("profile"), given.get("policy"), given.get("weights"))
    judged = Qrels.of(qrels, request.policy, subtopics=request.groups).complete
    one = Run.of(run, given.get("name"), exclude=given.get("exclude"))
    matched = Matches.of_run(judged, one, request, given.get("progress"), scores_only=True)
    scores = matched.scores(request, bounds=bounds)
    return scores if quiet else warned(scores)


def evaluate_judged_ranking(
    ranking: QrelsLike,
    measures: MeasuresLike = None,
    *,
    policy: Policy | None = None,
    profile: ProfileLike = None,
    weights: Mapping[str, float] | None = None,
    name: str | None = None,
    by: GroupsLike | None = None,
) -> Scores:
    """Evaluates a judged ranking: one file of ``query Q0 document grade`` in rank order.

    The file is both the run and the judgments, so the grades of documents that it does not list are unknown.

    Args:
        ranking: a file or value in any form that ``evaluate`` accepts for ``qrels``.
        measures: as in ``evaluate``.
        policy: as in ``evaluate``.
        profile: as in ``evaluate``.
        weights: as in ``evaluate``.
        name: the name of the ranking in tables.
        by: as in ``evaluate``.

    Raises:
        DataError: text cannot be read, or a document is listed twice.
        MeasureError: a measure does not exist.

    Example:
        >>> import carob
        >>> carob.evaluate_judged_ranking(b"q Q0 a 0\\nq Q0 b 1\\n", ["RR"])["RR"]
        0.5
    """
    request = request_of(measures, profile, policy, weights)
    scores = warned(Matches.of_judged_ranking(ranking, request.policy, name).scores(request))
    return scores if by is None else with_groups([scores], by)[0]


def evaluate_grades(
    grades: GradesLike,
    measures: MeasuresLike = None,
    judged: GradesLike | None = None,
    *,
    policy: Policy | None = None,
    profile: ProfileLike = None,
    weights: Sequence[float] | None = None,
    name: str = "grades",
) -> Scores:
    """Evaluates lists of grades in rank order.

    Args:
        grades: for each query, the grades of its ranked documents, best rank first, with None for an unjudged document.
            A flat list is a single query.
        measures: as in ``evaluate``.
        judged: for each query, the grades of all judged documents, retrieved or not, in any order; by default, the
            ranked grades. Every positive grade of a ranked document must be among these grades, but grades of 0 need
            not be.
        policy: as in ``evaluate``.
        profile: as in ``evaluate``.
        weights: the weight of each query in the means; equal weights if None.
        name: the name of the lists in tables.

    Raises:
        DataError: a grade is not a number, ``grades`` and ``judged`` differ in length, or a positive grade occurs more
            often in the ranking than among the judged grades.
        MeasureError: a measure does not exist.

    Example:
        >>> import carob
        >>> carob.evaluate_grades([[2, 1, 0, 3, 0, 1], [3, 0, 1, 2]], ["DCG@6"]).by_query("DCG@6")
        {'1': 4.279166614899659, '2': 4.361353116146786}
    """
    its = None if weights is None else {str(number): each for number, each in enumerate(weights, 1)}
    request = request_of(measures, profile, policy, its)
    return warned(Matches.of_grades(grades, judged, name).scores(request))
