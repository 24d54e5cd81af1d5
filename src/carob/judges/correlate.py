"""``carob.correlate``: correlates the orders of runs under many judges, or by many measures, with one truth."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import field
from itertools import combinations
from typing import TYPE_CHECKING, Any

from carob._dataclasses import dataclass
from carob._numpy import np
from carob.comparison.design import Test, refuse_others
from carob.comparison.significance import contests_of, settings_of
from carob.conventions import arguments
from carob.conventions.arguments import specified
from carob.conventions.request import conventions
from carob.evaluation.evidence import Evidence, named_together, said_if_scaled
from carob.evaluation.leaderboards import Leaderboard
from carob.evaluation.scores import Scores
from carob.evaluation.suspects import warned_of
from carob.inputs.errors import refused
from carob.inputs.qrels import Qrels
from carob.inputs.sources import called
from carob.judges.agreement import (
    DEFAULT_MEASURES,
    documents_of,
    fates_of,
    flips,
    known,
    pair,
    restricted,
    statistics,
    winner_and_loser,
)
from carob.judges.agreement import confusions as confusions_of
from carob.judges.agreement_result import Coefficient
from carob.judges.correlate_result import Correlated, Correlations, GradeAgreement, Turned
from carob.judges.sheets import aligned, in_scores, measures_to_pair, sheets_of
from carob.measures.names import names_in
from carob.output.errors import DataError, Worded
from carob.statistics import SEED
from carob.statistics.coefficients import scale_of
from carob.statistics.correlation_intervals import UNDEFINED, RunSamples, Samples
from carob.statistics.correlations import correlation_named
from carob.statistics.resampling import Draw

if TYPE_CHECKING:
    from collections.abc import Iterator

    from carob.comparison.findings import Contest
    from carob.conventions.arguments import Means, Missing, Over, Pool
    from carob.conventions.policy import Policy
    from carob.conventions.profiles import ProfileLike
    from carob.conventions.request import MeasuresLike
    from carob.evaluation.evidence import Read, RunsLike
    from carob.judges.sheets import Aligned, Sheet
    from carob.lists.rows import Floats
    from carob.statistics.correlations import Correlation

USUAL = ("kendall", "tau_ap", "spearman", "pearson", "tau_gap")
"""The correlations that are computed by default."""
TOP = 10
"""If there are more runs than this, Kendall's τ among this many top runs is added to the default correlations."""
RESAMPLES = 1000
FEWEST_RESAMPLES = 2


@specified
def correlate(
    truth: Any,
    judges: Any = None,
    runs: RunsLike | None = None,
    measures: MeasuresLike = None,
    *,
    truth_measures: MeasuresLike = None,
    coefficients: str | Sequence[str] | None = None,
    missing_runs: Missing = arguments.MISSING,
    missing: Missing = arguments.MISSING,
    means: Means = arguments.MEANS,
    over: Over = arguments.OVER,
    pool: Pool = arguments.POOL,
    test: Test | None = None,
    policy: Policy | None = None,
    profile: ProfileLike = None,
) -> Correlations:
    """Correlate the orders of runs under many judges, or by many measures, with the order under the truth.

    With runs, the truth and the judges are judgments. Without runs, they are leaderboards, which contain the scores of
    runs. For each judge, the result contains τ, ρ and r, τ_AP, τ_GAP and other correlations with intervals, and the
    pairs of runs that the judge orders differently from the truth, with the significance test of ``carob.compare``. If
    the judges are judgments, it also contains κ and α.

    Args:
        truth: with runs, judgments in any form that ``carob.evaluate`` accepts. Without runs, a leaderboard: a path,
            the result of ``carob.read_leaderboard``, or scores by run.
        judges: a list of judges in the same form, or a mapping from names to judges. With None, measures are compared:
            the truth's order by one measure is correlated with its order by each other measure.
        runs: at least three runs, as in ``carob.compare``; None for leaderboards.
        measures: the measures of the judges; by default nDCG@10 and AP, or all measures of a leaderboard.
        truth_measures: the measures of the truth, each of which is correlated with each of ``measures``. By default,
            each measure is correlated with itself or, if truth and judge have no measure in common, with every measure.
        coefficients: names such as ``kendall`` (τ_b), ``kendall_a``, ``spearman``, ``pearson``, ``tau_ap`` (the mean
            over all orders of tied runs), ``tau_ap_b`` (tied runs are equal), ``tau_gap`` (each of two tied runs is
            above the other in half of the orders), ``tau_gap_by_name`` (tied runs are ordered by name), ``rbo``, or
            ``overlap@10``. With any other coefficient, ``@10`` restricts the correlation to the truth's ten best runs
            and all runs that are tied with the tenth. The default is ``kendall``, ``tau_ap``, ``spearman``, ``pearson``
            and ``tau_gap``, and ``kendall@10`` if there are more than ten runs.
        missing_runs: how to treat a run that is missing from a judge's leaderboard: ``error``, ``skip`` (leave the run
            out), or ``zero`` (use the value 0). Runs that only the judge has are always left out, and their number is
            reported.
        missing: how to treat a query for which a run of a leaderboard has no value: ``error``, ``zero`` or ``skip``. A
            query of the truth that is missing from all runs of a judge counts as 0 with ``zero``, and is left out
            otherwise.
        means: the means to use from leaderboards: the means over the ``queries`` that truth and judge share, or the
            means ``stated`` in the files.
        over: what the intervals generalise to: other ``queries`` with the same runs, or other ``runs``.
        pool: as in ``carob.agreement``.
        test: the level of the tests of pairs of runs, the confidence level of the intervals, the number of resamples
            (1,000 by default) and the seed.
        policy: as in ``carob.evaluate``.
        profile: as in ``carob.evaluate``.

    Raises:
        DataError: an input cannot be read, there are fewer than three runs or two resamples, two judges have the same
            name, or a run or query is missing and this was not allowed.
        MeasureError: a measure does not exist.
        PolicyError: a setting's value or a correlation does not exist.

    Source: Yilmaz, Aslam and Robertson, SIGIR 2008 (τ_AP); Urbano and Marrero, ICTIR 2017 (ties); Gao and Oard, SIGIR
        2015 (τ_GAP); Webber, Moffat and Zobel, TOIS 2010 (RBO).

    Example:
        >>> import carob
        >>> qrels = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 1, "b": 1, "c": 0}}
        >>> model = {"q1": {"a": 1, "b": 1, "c": 1}, "q2": {"a": 1, "b": 2, "c": 0}}
        >>> orders = {"x": "abc", "y": "bca", "z": "cab"}
        >>> runs = {
        ...     name: {q: {d: 3 - place for place, d in enumerate(order)} for q in qrels}
        ...     for name, order in orders.items()
        ... }
        >>> found = carob.correlate(qrels, {"model": model}, runs, "nDCG@2")
        >>> found.rows[0]["kendall"].value
        0.3333333333333333
    """
    test = arguments.of_class("test", test, Test, "carob.Test(…)")
    refuse_others(test, "alpha resamples seed confidence", "where runs are correlated")
    resamples = RESAMPLES if test.resamples is None else test.resamples
    seed = SEED if test.seed is None else test.seed
    if resamples < FEWEST_RESAMPLES:
        raise refused(
            "{resamples:resample gives/resamples give} no interval: use at least 2, such as {usual:,}.",
            resamples=resamples,
            usual=RESAMPLES,
        )
    names = [coefficients] if isinstance(coefficients, str) else coefficients
    wanted = None if names is None else [correlation_named(each) for each in names]
    method = CorrelationMethod(
        wanted,
        over,
        means == "stated",
        missing_runs,
        Draw(resamples, seed),
        Test(alpha=test.alpha, seed=seed, confidence=test.confidence),
        missing if runs is None else "skip",
    )
    asked = None if measures is None else [str(each) for each in names_in(measures)]
    true = None if truth_measures is None else [str(each) for each in names_in(truth_measures)]
    if runs is not None:
        sides = from_judgments(truth, judges, runs, (asked, true), pool, method, policy, profile)
    elif policy is None and profile is None and pool == "own":
        sides = from_boards(truth, judges, asked, missing)
    else:
        raise DataError(
            "Leaderboards contain values that are already computed, so policy, profile and pool have no effect: leave "
            "them out, or pass judgments and runs."
        )
    rows = tuple(
        method.correlated((sides.name, judge), sides.truth[one], sheets[other], sides.lone.get(judge, 0))
        for judge, sheets, one, other in sides.pairs(true)
    )
    return Correlations(
        truth=sides.name,
        rows=rows,
        grades=sides.grades,
        over=over,
        pool=pool if runs is not None else None,
        missing_runs=missing_runs,
        means=means,
        settings=settings_of(method.test, max((len(each.runs) for each in rows), default=3), 1),
        confidence=test.confidence,
        resamples=resamples,
        seed=seed,
        warnings=sides.warnings,
        footers=sides.footers,
        of_measures=not sides.judges,
    )


def by_name(judges: Any) -> list[tuple[str | None, Any]]:
    """Returns the judges, each with the name that the caller gave or None."""
    if judges is None:
        return []
    is_mapping = isinstance(judges, Mapping)
    if is_mapping and not (judges and all(isinstance(each, Scores) for each in judges.values())):
        return [(str(name), each) for name, each in judges.items()]
    alone = isinstance(judges, (str, bytes, os.PathLike)) or not isinstance(judges, Sequence)
    return [(None, each) for each in ([judges] if alone else judges)]


def judges_apart(given: Sequence[tuple[str | None, str, str | None]], truth: str | None = None) -> list[str]:
    """Returns distinct names for judges: paths replace equal file names, and equal names without a file are numbered.

    Args:
        given: for each judge, the name that the caller gave or None, the default name, and the path or None.
        truth: the path of the truth; the names of other files must differ from the truth's name.

    Raises:
        DataError: two judges have the same name, or a file was passed twice.
    """
    names = [own or usual for own, usual, _ in given]
    found = []
    for number, (own, name, path) in enumerate(given, 1):
        alone = names.count(name) == 1 and not (truth and path and called(truth) == name and truth != path)
        found.append(own or (name if alone else os.path.normpath(path) if path else f"judge {number}"))
    twice = next((name for name in found if found.count(name) > 1), None)
    if twice is not None:
        raise refused(
            "{count} judges are called '{name}': give each judge a different name, as in {example}.",
            count=found.count(twice),
            name=twice,
            example=Worded("{'old': judge, 'new': judge}", "old=a/x.qrels new=b/x.qrels"),
        )
    return found


def path_of(given: Any) -> str | None:
    """Returns the path of a judge that was read from a file, or None for other judges."""
    if isinstance(given, (str, os.PathLike)):
        return str(os.fspath(given))
    if isinstance(given, Qrels):
        return given.origin.path
    return given.path if isinstance(given, Leaderboard) else None


def measures_against(
    sheets: Mapping[str, Sheet], asked: Sequence[str] | None, true: Sequence[str] | None, name: str
) -> list[tuple[str, str]]:
    """Returns the pairs of measures to compare if there are no judges: the first measure with each other measure.

    Raises:
        DataError: there is only one measure.
    """
    truths = list(true) if true is not None else [next(iter(asked or sheets))]
    pairs = measures_to_pair(sheets, sheets, asked, truths, (name, name))
    found = [(one, other) for one, other in pairs if one != other]
    if not found:
        raise DataError(
            "There is no judge and only one measure, so there is nothing to correlate: pass judges, or more "
            "measures to correlate with the first measure."
        )
    return found


@dataclass(frozen=True, eq=False)
class TruthAndJudges:
    """The values of runs under the truth and under each judge.

    Args:
        name: the name of the truth.
        truth: the values under the truth, by measure.
        judges: the values under each judge, by measure.
        measures: the requested measures of the judges; None for all.
        grades: the agreement of each judge's grades with the truth's grades.
        warnings: the reasons why the orders of runs are doubtful.
        footers: notes on the data that were left out, and further notes.
        lone: for each judge, the number of queries that only the truth or only the judge judged, and that were not
            evaluated.
    """

    name: str
    truth: dict[str, Sheet]
    judges: dict[str, dict[str, Sheet]]
    measures: list[str] | None
    grades: tuple[GradeAgreement, ...] = ()
    warnings: tuple[str, ...] = ()
    footers: tuple[str, ...] = ()
    lone: Mapping[str, int] = field(default_factory=dict)

    def pairs(self, true: Sequence[str] | None) -> Iterator[tuple[str, dict[str, Sheet], str, str]]:
        """Yields each judge, its values, and the measures of truth and judge. Without judges, the truth is the judge.

        Args:
            true: the requested measures of the truth; None for the judges' measures.
        """
        for judge, sheets in self.judges.items():
            for one, other in measures_to_pair(self.truth, sheets, self.measures, true, (self.name, judge)):
                yield judge, sheets, one, other
        if not self.judges:
            for one, other in measures_against(self.truth, self.measures, true, self.name):
                yield self.name, self.truth, one, other


def from_boards(truth: Any, judges: Any, measures: list[str] | None, missing: str) -> TruthAndJudges:
    """Reads leaderboards."""
    name, sheets, note = sheets_of(truth, None, missing)
    found: dict[str, dict[str, Sheet]] = {}
    notes = [note]
    read = [(own, each, *sheets_of(each, own, missing)) for own, each in by_name(judges)]
    names = judges_apart([(own, usual, path_of(each)) for own, each, usual, *_ in read], path_of(truth))
    for its, (*_, values, note) in zip(names, read, strict=True):
        found[its] = values
        notes.append(note)
    boards = ((name, sheets), *found.items())
    doubts = [
        f"{board}: {each}" for board, its in boards for sheet in its.values() for each in sheet.beyond_range()
    ]
    warned = warned_of(doubts)
    return TruthAndJudges(name, sheets, found, measures, warnings=warned, footers=tuple(filter(None, notes)))


def from_judgments(
    truth: Any,
    judges: Any,
    runs: RunsLike,
    measures: tuple[list[str] | None, list[str] | None],
    pool: str,
    method: CorrelationMethod,
    policy: Policy | None,
    profile: ProfileLike,
) -> TruthAndJudges:
    """Evaluates runs under the truth and under each judge.

    With ``pool="both"``, the truth's values differ from judge to judge, so only one judge is accepted.

    Raises:
        DataError: a judge and the truth have no document in common, or there are several judges with ``pool="both"``.
    """
    convention, decided = conventions(profile, policy)
    own = measures[0] if measures[0] is not None else list(convention.measures or DEFAULT_MEASURES)
    asked = list(dict.fromkeys([*(measures[1] or []), *own]))
    true = Qrels.of(truth, decided).complete
    systems = named_together(runs, least=3)
    rest: dict[str, Any] = {"policy": policy, "profile": profile}
    given = [(name, Qrels.of(each, decided).complete) for name, each in by_name(judges)]
    if pool == "both" and len(given) > 1:
        raise DataError(
            "pool='both' scores runs on the documents that the truth and one judge graded, which differ "
            "from judge to judge: pass one judge."
        )
    reads: dict[str, Read] = {}
    grades, lone, documents, doubts = [], {}, None, list[str]()
    origin = "the truth" if true.name.startswith("<") else called(true.name)
    names = judges_apart([(name, called(each.name), path_of(each)) for name, each in given], path_of(true))
    for its, (_, qrels) in zip(names, given, strict=True):
        pairing = pair(true, qrels)
        if not pairing.queries or not len(pairing.a):
            raise DataError(
                f"{true.name} and {its} have no judged document in common: check that both use the same ids.",
                remedy=pairing.spelled or None,
            )
        doubts += [*filter(None, [pairing.spelled]), *said_if_scaled((origin, its), true, qrels)]
        # All queries of the truth are evaluated unless the pool is restricted to documents that both judged.
        lone[its] = len(pairing.queries_b) + (len(pairing.queries_a) if pool == "both" else 0)
        documents = documents_of(pairing) if pool == "both" else None
        scale = scale_of(pairing.a, pairing.b)
        values = statistics(confusions_of(pairing, scale), scale, method.draw.resamples, method.draw.seed)
        grades.append(GradeAgreement(its, len(pairing.a), pairing.only_a, pairing.only_b, values))
        kept = restricted(qrels, set(pairing.queries), documents)
        reads[its] = Evidence(kept, systems, **rest).read(asked, least=1)
    base = true if documents is None else restricted(true, {query for query, _ in documents}, documents)
    read = Evidence(base, systems, **rest).read(asked, least=1)
    found = {its: in_scores(scores_in(each)) for its, each in reads.items()}
    told = known(origin, read, reads)
    told["warnings"] = (*doubts, *told["warnings"])
    return TruthAndJudges(
        origin,
        in_scores(scores_in(read)),
        found,
        own,
        tuple(grades),
        lone=lone,
        **told,
    )


def scores_in(read: Read) -> dict[str, Any]:
    """Returns the scores of runs under one judge, by run."""
    return {name: each.scores for name, each in read.systems.items()}


@dataclass(frozen=True, eq=False)
class CorrelationMethod:
    """The settings for the correlation of judges with the truth.

    Args:
        correlations: the correlations; None for the default ones.
        over: what the intervals generalise to: other ``queries`` or other ``runs``.
        stated: whether to use the means stated in the files.
        missing_runs: how to treat runs that are missing from a judge.
        draw: the number of resamples and the seed.
        test: the test of pairs of runs, and the level of intervals.
        missing: how to treat queries that are missing from a judge's leaderboard.
    """

    correlations: list[Correlation] | None
    over: str
    stated: bool
    missing_runs: str
    draw: Draw
    test: Test
    missing: str = "skip"

    def usual(self, runs: int) -> list[Correlation]:
        """Returns the requested correlations, or the default ones for this number of runs."""
        if self.correlations is not None:
            return self.correlations
        top = [f"kendall@{TOP}"] if runs > TOP else []
        return [correlation_named(each) for each in (*USUAL, *top)]

    def correlated(self, names: tuple[str, str], truth: Sheet, judge: Sheet, lone: int) -> Correlated:
        """Returns the correlations of a judge with the truth, and the pairs of runs that it reverses.

        Args:
            names: the names of the truth and of the judge.
            truth: the truth's values.
            judge: the judge's values.
            lone: the number of queries that only the truth or only the judge judged, and that were not evaluated.
        """
        found = aligned(truth, judge, names, self.missing_runs, self.missing, stated=self.stated)
        x, y = found.truth.means(), found.judge.means()
        runs = found.truth.runs
        coefficients = []
        samples = self.samples(found)
        for each in self.usual(len(truth.runs)):
            low, high = UNDEFINED if samples is None else samples.interval(each, self.test.confidence)
            coefficients.append(Coefficient(each.of(x, y), low, high, name=each.name))
        return Correlated(
            judge=names[1],
            truth_measure=truth.label,
            measure=judge.label,
            runs=runs,
            queries=None if found.stated else len(found.truth.queries),
            truth=tuple((found.truth.sign * x).tolist()),
            values=tuple((found.judge.sign * y).tolist()),
            coefficients=tuple(coefficients),
            flips=flips(runs, x.tolist(), y.tolist()),
            ties=sum(
                x[one] == x[other] or y[one] == y[other] for one, other in combinations(range(len(runs)), 2)
            ),
            lacking=found.lacking,
            extra=found.extra,
            left_out=found.left_out + lone,
            zeros=found.zeros,
            shared=found.truth.queries,
            turned=self.turned(found, y),
        )

    def samples(self, found: Aligned) -> Samples | RunSamples | None:
        """Returns the samples for intervals, or None if only means are known."""
        if self.over == "runs":
            return RunSamples(found.truth.means(), found.judge.means(), self.draw)
        one, other = found.truth.table, found.judge.table
        if one is None or other is None:
            return None
        links = tuple(np.exp if each.geometric else np.asarray for each in (one, other))
        return Samples(one.sign * one.observed, other.sign * other.observed, self.draw, links)  # type: ignore[arg-type]

    def turned(self, found: Aligned, judge: Floats) -> Turned | None:
        """Returns the pairs that differ significantly under the truth, grouped by their outcome under the judge.

        The result is None if only means are known or there is only one query.

        Args:
            found: the values under the truth and under the judge.
            judge: the mean of each run under the judge, with a sign that makes larger values better.
        """
        one, other = (contest_of(each, self.test) for each in (found.truth, found.judge))
        if one is None or other is None:
            return None
        names = found.truth.runs
        sure = [both for each in one.pairs if (both := winner_and_loser(one, each))]
        turned = [(names[better], names[worse]) for better, worse in sure if judge[better] < judge[worse]]
        return Turned(significant=len(sure), turned=tuple(turned), **fates_of(one, other, names))


def contest_of(sheet: Sheet, test: Test) -> Contest | None:
    """Returns the tests of all pairs of runs, or None if only means are known or there is only one query."""
    if sheet.table is None or len(sheet.queries) < 2:
        return None
    found, _ = contests_of([sheet.table], settings_of(test, len(sheet.runs), 1))
    return found[sheet.label]
