"""``carob.compare``, which compares runs on the same judgments, and the defaults of its settings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

from carob._dataclasses import dataclass
from carob._numpy import np
from carob.comparison.cautions import cautions_of
from carob.comparison.design import Design, Test, UnjudgedLimits, refuse_with_judge
from carob.comparison.findings import FAMILY_WISE, Findings, Settings, say
from carob.comparison.runs import Evaluation, RunsLike, evaluated, named_together, place_of, tables_of
from carob.comparison.significance import contests_of, draws
from carob.comparison.with_documents import documents_contests, people_of
from carob.comparison.with_judge import judged_contests
from carob.conventions import arguments
from carob.conventions.arguments import specified
from carob.conventions.request import request_of
from carob.estimation.bounds import bounds_of
from carob.estimation.unjudged_bounds import UnjudgedBounds
from carob.evaluation.scores import Scores
from carob.inputs.query_files import GroupsLike, groups_of
from carob.inputs.run import several_of
from carob.inputs.runs import MatchOptions
from carob.output import escaping
from carob.output.document import Document, Documented
from carob.output.errors import DataError, PolicyError
from carob.output.pictures.figures import figure_of
from carob.statistics import SEED
from carob.statistics.paired import RESAMPLES
from carob.statistics.rank_correlation import kendall, rbo, tau_ap_b

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from carob import _native
    from carob.comparison.findings import Contest
    from carob.comparison.runs import System
    from carob.conventions.arguments import TestName
    from carob.conventions.policy import Policy
    from carob.conventions.profiles import ProfileLike
    from carob.conventions.request import MeasuresLike
    from carob.inputs.qrels import QrelsLike
    from carob.inputs.run import Run
    from carob.inputs.samples import SampledJudgment
    from carob.lists.rows import Floats
    from carob.output.pictures.figures import Drawing
    from carob.output.results import Records


MOST_RESAMPLES = 1_000_000

MOST_INDENTED = 5000
"""The most pairs for which JSON is indented. Indenting more pairs takes seconds."""

PERSISTENCE = 0.9
"""The usual p of Webber et al.: a reader who sees ten documents on average."""
DEEPEST = 100
"""The depth of the compared lists. All documents below it together weigh 0.9 ** 100, about 1 / 40,000."""
MOST_QUERIES = 50
"""The most queries whose lists are compared. These queries are evenly spread over all queries."""


@specified
def compare(
    qrels: QrelsLike | None,
    runs: RunsLike | Read,
    measures: MeasuresLike = None,
    *,
    baseline: str | int | None = None,
    test: Test | TestName | None = None,
    design: Design | None = None,
    by: GroupsLike | None = None,
    judge: QrelsLike | RunsLike | None = None,
    unjudged_bounds: bool | UnjudgedLimits = False,
    orders: bool = False,
    judged_at: int | None = arguments.JUDGED_AT,
    policy: Policy | None = None,
    profile: ProfileLike = None,
    progress: _native.Progress | None = None,
) -> Comparison:
    """Compare runs: which is better, by how much, and whether the difference may be due to chance.

    Args:
        qrels: judgments, as for ``carob.evaluate``; None if every run is given as scores.
        runs: ``{name: run}``, or a list of runs: paths, dicts, ``Run`` or ``Scores``.
        measures: names or ``Measure``s; the first is the primary measure. None stands for carob's default measures.
        baseline: the name, path or index of the run with which all other runs are compared. If None, all pairs are
            compared.
        test: the test by name, such as ``randomisation``, or a ``Test``, which also sets the correction for many
            comparisons, the level, the intervals, the seed, and regions of equivalence.
        design: how queries were drawn: clusters, strata, weights, and the queries that estimates concern.
        by: the group of each query, as a mapping or as a file with lines ``query group``. The result then shows each
            group, and the worst group.
        judge: a model's judgments of all queries, or its scores of the same runs, if ``qrels`` are people's judgments
            of some of the queries. The means are then estimated from both, and a single run is enough. People's queries
            must be a random sample, and the test is ``t``. People may also have judged single documents, drawn with
            known probabilities: then ``qrels`` is a table with a column ``probability``, or ``{query: {document:
            (grade, probability)}}``.
        unjudged_bounds: also report the least and the greatest mean and difference that judging the unjudged documents
            can still give, and which differences it can reverse; ``UnjudgedLimits`` state what it can find.
        orders: also report how similarly the measures order the runs (τ, τ_AP), and how similarly the runs order the
            documents (RBO).
        judged_at: the depth to which unjudged documents are counted, by default the primary measure's depth or 10.
        policy: as in ``carob.evaluate``.
        profile: as in ``carob.evaluate``.
        progress: counts the bytes read, for a progress bar in another thread.

    Raises:
        DataError: invalid text or values; two runs of the same name; a query without a group.
        MeasureError: a measure that does not exist.
        PolicyError: a profile, policy or test that does not exist, or an argument outside its range.

    Example:
        >>> import carob
        >>> qrels = {f"q{n}": {"a": 1} for n in range(5)}
        >>> old = {f"q{n}": {"x": 2.0, "a": 1.0 + n} for n in range(5)}
        >>> new = {f"q{n}": {"a": 2.0, "x": 1.0 + n / 4} for n in range(5)}
        >>> found = carob.compare(qrels, {"old": old, "new": new}, "RR", baseline="old", test="randomisation")
        >>> pair = found["RR"].pairs[0]
        >>> pair.difference, pair.p, pair.exact
        (0.1, 1.0, True)
    """
    test, design = Test.of(test), design or Design()
    if judge is not None:
        refuse_with_judge(test, design, by)
        test = replace(test, name="t")
    if isinstance(runs, Read):
        read = runs
    else:
        conventions: dict[str, Any] = {"policy": policy, "profile": profile, "weights": design.weights}
        read = Read.of(
            qrels,
            runs,
            measures,
            conventions,
            judge,
            judged_at=judged_at,
            progress=progress,
            again=orders or bool(unjudged_bounds),
        )
    people, judging, sample = read.people, read.judge, read.sample
    systems = list(people.systems.values())
    names, scores = tuple(people.systems), tuple(each.scores for each in systems)
    ids, tables = tables_of(scores)
    clusters, groups = (None if each is None else groups_of(each, ids.texts) for each in (design.cluster, by))
    if clusters is not None:
        tables = [replace(table, clusters=clusters.codes) for table in tables]
    requested = replace(
        requested_by(test),
        baseline=place_of(baseline, people.systems),
        clusters=None if clusters is None else len(clusters.names),
        by=None if groups is None else groups.name or "group",
    )
    settings = settled(requested, len(names), len(tables))
    facts = None
    if unjudged_bounds and judge is not None:
        raise PolicyError(
            "Bounds over unjudged documents need judgments without a judge: leave out one of the two."
        )
    if judging is None:
        contests, settings = contests_of(tables, settings, groups)
    elif sample is not None:
        ids, contests, facts = documents_contests(sample, judging, settings, design)
        systems = [replace(each, judged=math.nan) for each in judging.systems.values()]
        scores = tuple(each.scores for each in systems)
    else:
        ids, contests, facts = judged_contests(people, judging, settings, design)
    unused = [name for name in ("resamples", "seed") if getattr(test, name) is not None]
    if unused and not any(draws(settings, table) for table in tables):
        note = say("method", "nothing random", names=" and ".join(unused))
        settings = replace(settings, departures=(*settings.departures, note))
    found = Comparison(
        names=names,
        scores=scores,
        labels=scores[0].labels,
        ids=ids,
        contests=contests,
        settings=settings,
        judged=tuple(each.judged for each in systems),
        judged_depth=people.depth,
        qrels_name="" if people.qrels is None else people.qrels.name,
        orders=orders_of(list(contests.values()), systems, settings.baseline) if orders else None,
        judge=facts,
        unjudged=bounds_over(people, contests, unjudged_bounds) if unjudged_bounds else None,
    )
    return replace(found, warnings=cautions_of(found, systems))


def requested_by(test: Test) -> Settings:
    """Returns the settings that a test requests; an empty word and 0 resamples stand for defaults."""
    return Settings(
        test=test.name or "",
        correction=test.correction or "",
        alpha=test.alpha,
        family=test.family,
        resamples=test.resamples or 0,
        seed=SEED if test.seed is None else test.seed,
        confidence=test.confidence,
        interval=test.interval,
        rope=test.rope,
        margin=test.margin,
    )


@dataclass(frozen=True, eq=False)
class Read:
    """What a comparison has read: each file once.

    Args:
        people: the runs under the judgments, which are people's if there is a judge.
        judge: the runs under the judge's judgments; None without a judge.
        sample: people's judgments of sampled documents; None if they judged whole queries.
    """

    people: Evaluation
    judge: Evaluation | None = None
    sample: dict[str, dict[str, SampledJudgment]] | None = None

    @property
    def shown(self) -> Evaluation:
        """The evaluation that has a value for every query of the comparison."""
        return self.people if self.sample is None or self.judge is None else self.judge

    @classmethod
    def of(
        cls,
        qrels: QrelsLike | None,
        runs: RunsLike,
        measures: MeasuresLike,
        conventions: dict[str, Any],
        judge: QrelsLike | RunsLike | None,
        *,
        least: int | None = None,
        judged_at: int | None = None,
        progress: _native.Progress | None = None,
        again: bool = False,
    ) -> Read:
        """Reads the judgments and the runs of a comparison, or takes their scores.

        Args:
            qrels: see ``compare``, which has the other arguments, too.
            runs: the runs or their scores.
            measures: the measures.
            conventions: ``policy``, ``profile`` and ``weights``.
            judge: a judge's judgments or scores.
            least: the smallest number of runs that is accepted: by default two, or one with a judge.
            judged_at: the depth to which judged documents are counted.
            progress: counts the bytes read.
            again: whether documents of the runs are needed later.
        """
        options: dict[str, Any] = {**conventions, "judged_at": judged_at, "again": again}
        if judge is None:
            return cls(evaluated(qrels, runs, measures, **options, progress=progress, least=least or 2))
        least, sample, request = least or 1, None, request_of(measures, **conventions)
        if qrels is None:
            from carob.inputs.logs import judgments_in

            qrels = judgments_in(several_of(runs), request.policy, subtopics=request.groups)
        if qrels is not None:
            sample, qrels = people_of(qrels, request)
        its = named_together(runs, least)  # they are read under both judges
        other = evaluated_by(judge, its, measures, options)
        return cls(evaluated(qrels, its, measures, **options, progress=progress, least=least), other, sample)


def bounds_over(
    evaluation: Evaluation, contests: Mapping[str, Contest], limits: bool | UnjudgedLimits
) -> UnjudgedBounds:
    """Returns the bounds of all means and differences of a comparison over the grades of unjudged documents.

    Raises:
        DataError: a run is given as scores, or a measure is not a mean over queries.
        PolicyError: a policy without a fixed order of documents.
    """
    limits = limits if isinstance(limits, UnjudgedLimits) else UnjudgedLimits()
    unseen = limits.unseen or 0
    runs = [each.run for each in evaluation.systems.values()]
    if evaluation.qrels is None or None in runs:
        raise DataError("Bounds over unjudged documents need qrels and runs, not scores.")
    first = next(iter(evaluation.systems.values())).scores
    found = bounds_of(
        evaluation.qrels,
        [run for run in runs if run is not None],
        {label: each.measure for label, each in contests.items()},
        first.policy,
        pairs=[(pair.a, pair.b) for pair in next(iter(contests.values())).pairs],
        max_grade=limits.max_grade,
        unseen=unseen,
    )
    return UnjudgedBounds(tuple(evaluation.systems), found, unseen=unseen)


def evaluated_by(
    judge: Any, people: dict[str, Run | Scores], measures: MeasuresLike, options: dict[str, Any]
) -> Evaluation:
    """Returns the evaluation of the compared runs under a judge's judgments.

    Raises:
        DataError: the judge's scores are those of other runs, or only one of the two has scores in place of judgments.
    """
    if isinstance(judge, Mapping) and all(isinstance(each, Scores) for each in judge.values()):
        if set(judge) != set(people) or not all(isinstance(each, Scores) for each in people.values()):
            raise DataError(
                "The judge is given as scores, so people's scores of the same runs are needed: "
                f"the judge has {', '.join(map(str, judge))}, and people have {', '.join(people)}."
            )
        its = {name: judge[name] for name in people}
        return evaluated(None, its, measures, **options, least=1)
    if any(isinstance(each, Scores) for each in people.values()):
        raise DataError(
            "The runs are given as people's scores: pass the judge's scores of the same runs as judge=."
        )
    return evaluated(judge, people, measures, **options, least=1)


def settled(requested: Settings, runs: int, measures: int) -> Settings:
    """Returns complete settings: an empty ``test`` or ``correction`` and 0 resamples are replaced by defaults.

    Raises:
        PolicyError: the test and the correction do not go together.
    """
    one_against_all = requested.baseline is not None or runs == 2
    test = requested.test or ("t" if one_against_all else "romano-wolf")
    pairs = runs - 1 if requested.baseline is not None else runs * (runs - 1) // 2
    comparisons = pairs * (measures if requested.family == "all" else 1)
    if test in FAMILY_WISE and requested.correction not in ("", "none"):
        raise PolicyError(
            f"The test '{test}' already corrects for all pairs at once: leave out "
            f"correction='{requested.correction}', or choose test='t' or test='randomisation'."
        )
    correction = requested.correction or ("none" if test in FAMILY_WISE or comparisons == 1 else "holm")
    resamples = resamples_for(test, correction, comparisons, requested)
    return replace(
        requested,
        test=test,
        correction=correction,
        comparisons=comparisons,
        resamples=resamples,
        bootstrap_resamples=resamples or requested.resamples or RESAMPLES,
    )


def resamples_for(test: str, correction: str, comparisons: int, requested: Settings) -> int:
    """Returns a number of resamples that is large enough for a corrected p to fall well below alpha."""
    if test not in ("randomisation", *FAMILY_WISE):
        return 0
    if requested.resamples:
        return requested.resamples
    if test != "randomisation" or correction in ("none", "bh"):
        return RESAMPLES
    return min(MOST_RESAMPLES, max(RESAMPLES, math.ceil(20 * comparisons / requested.alpha)))


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Documented, Findings):
    """The comparison of runs: scores, intervals, tests and warnings. ``str(comparison)`` returns the whole text.

    Args:
        names: the runs.
        scores: each run's scores, in the order given.
        labels: the requested measures; the first is the primary one.
        ids: the queries that any run has, in byte order, which ``queries`` returns as text.
        contests: the results of each measure, by label.
        settings: the settings of the test.
        judged: the proportion of judged documents among each run's first ``judged_depth``, averaged over the queries
            that the run answers; NaN if only scores were given.
        judged_depth: the depth to which ``judged`` counts documents.
        warnings: the limits of the conclusions.
        qrels_name: the name of the judgments.
        orders: the rank correlations of measures, and RBO between runs, if requested.
        judge: facts about the judge, if the means were estimated from people's and a judge's judgments.

    Example:
        >>> import carob
        >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}}
        >>> old = {"q1": {"x": 2.0, "a": 1.0}, "q2": {"b": 1.0}, "q3": {"y": 2.0, "c": 1.0}}
        >>> new = {"q1": {"a": 1.0}, "q2": {"b": 1.0}, "q3": {"c": 1.0}}
        >>> found = carob.compare(qrels, {"old": old, "new": new}, "RR", baseline="old")
        >>> round(found["RR"].pairs[0].difference, 4)
        0.3333
    """

    def to_text(
        self, columns: int = 100, *, pairs: str = "top", top: int | None = None, worst: int = 0
    ) -> str:
        """Returns the verdict, the tables and the method, followed by the warnings.

        Args:
            columns: the width of a line; wider tables drop their least important columns, or are split into bands.
            pairs: ``top`` for some of many pairs, or ``all``.
            top: the number of best runs to show; None for all runs.
            worst: the number of queries to show for each pair, on which its first run falls furthest behind.
        """
        from carob.comparison import formats
        from carob.comparison.tables import View

        return formats.document_of(self, View(pairs, top, worst)).text(columns)

    def to_markdown(self, *, pairs: str = "top", top: int | None = None, worst: int = 0) -> str:
        """Returns Markdown tables, with the verdict above and the method below. The best values are bold.

        Args:
            pairs: see ``to_text``, which also has the other arguments.
            top: the number of runs.
            worst: the number of queries for each pair.
        """
        from carob.comparison import formats
        from carob.comparison.tables import View

        return formats.document_of(self, View(pairs, top, worst), "markdown").markdown()

    def to_latex(
        self,
        label: str | None = None,
        caption: str | None = None,
        *,
        pairs: str = "top",
        top: int | None = None,
        worst: int = 0,
    ) -> str:
        """Returns a LaTeX table (booktabs) with superscript letters and the best values in bold.

        Args:
            label: for ``\\ref``.
            caption: replaces the default, which describes the method.
            pairs: see ``to_text``, which also has the other arguments.
            top: the number of runs.
            worst: the number of queries for each pair.
        """
        from carob.comparison import formats
        from carob.comparison.tables import View

        return formats.latex(self, View(pairs, top, worst), label=label, caption=caption)

    def document(self, layout: str = "text") -> Document:
        """Returns the verdict, the tables and the method, followed by the warnings."""
        from carob.comparison import formats

        return formats.document_of(self, layout=layout)

    def contents(self) -> dict[str, Any]:
        """Returns everything by name: per-query scores, raw and corrected p, settings, counts, warnings."""
        from carob.comparison import formats

        return formats.contents(self)

    def to_json(self) -> str:
        """Returns everything as JSON in full precision, on one line if there are very many pairs."""
        pairs = sum(len(contest.pairs) for contest in self.contests.values())
        return escaping.json_text(self.as_dict(), 2 if pairs <= MOST_INDENTED else None) + "\n"

    def records(self) -> dict[str, Callable[[], Records]]:
        """Returns the tables ``pairs``, ``runs`` and ``queries``. Without pairs, runs are first."""
        from carob.comparison import formats

        tables = {
            "pairs": formats.pair_records,
            "runs": formats.run_records,
            "queries": formats.query_records,
        }
        order = tables if self.primary.pairs else ("runs", "queries", "pairs")
        return {name: partial(tables[name], self) for name in order}

    def beside(self) -> list[str]:
        """Returns what is known about the data, which CSV has no place for, but for what was warned of before."""
        from carob.comparison.cautions import sentences_of

        doubts = {doubt for each in self.scores for doubt in each.warnings}
        return [each for each in sentences_of(self) if each not in doubts]

    def figures(self, measure: str | None = None) -> dict[str, Drawing]:
        """Returns the functions that draw the figures of a measure, by the name of the figure."""
        from carob.comparison import formats

        return formats.figures_of(self, measure)

    def to_figure(self, kind: str | None = None, measure: str | None = None) -> Any:
        """Returns a matplotlib figure, which ``to_figure().savefig("pairs.pdf")`` writes to a file.

        Args:
            kind: ``pairs`` (differences with intervals), ``intervals`` (means with intervals), ``differences`` (those
                of the queries for the first pair, sorted), ``orders`` (the rank of each run under each measure); None
                for pairs, or for intervals where there are none.
            measure: the measure to draw, by default the primary measure.

        Raises:
            DataError: matplotlib is not installed, or there is no such figure.
        """
        return figure_of(self.figures(measure), kind)


@dataclass(frozen=True, eq=False)
class Orders:
    """The similarity of the orders of runs by different measures, and of the ranked lists of different runs.

    Args:
        labels: the measures.
        tau: Kendall's τ_b between the orders of the runs that two measures give [measures, measures].
        tau_ap: τ_AP with the row's measure as the true order, in which swaps near the top cost more [measures,
            measures].
        rbo: mean rank-biased overlap of two runs' lists, extrapolated; NaN where only scores are known [runs, runs].
        queries: the number of queries over which ``rbo`` is averaged.
        depth: the depth of the lists compared.
        persistence: the p of rank-biased overlap.
    """

    labels: tuple[str, ...]
    tau: Floats
    tau_ap: Floats
    rbo: Floats
    queries: int
    depth: int = DEEPEST
    persistence: float = PERSISTENCE


def orders_of(contests: Sequence[Contest], systems: Sequence[System], baseline: int | None) -> Orders:
    """Returns the similarity of each pair of measures and of each pair of runs."""
    means = [contest.means for contest in contests]
    tau, ap = (
        np.array([[each(one, other) for other in means] for one in means]) for each in (kendall, tau_ap_b)
    )
    np.fill_diagonal(tau, 1.0)
    np.fill_diagonal(ap, 1.0)
    return Orders(tuple(contest.label for contest in contests), tau, ap, *overlaps_of(systems, baseline))


def overlaps_of(systems: Sequence[System], baseline: int | None) -> tuple[Floats, int]:
    """Returns each pair of runs' mean rank-biased overlap over their common queries, and the number of queries."""
    names: Sequence[bytes] = next((each.found.queries for each in systems if each.found is not None), [])
    names = names[:: -(-len(names) // MOST_QUERIES) or 1]
    lists = [lists_of(system, names) or [[]] * len(names) for system in systems]
    tables = np.array([rbo(each, PERSISTENCE) for each in zip(*lists, strict=True)])
    found = np.full((len(lists), len(lists)), np.nan)
    for one, other in product(range(len(lists)), repeat=2):
        values = tables[:, one, other] if len(tables) else tables
        known = values[~np.isnan(values)]
        found[one, other] = known.mean() if len(known) else np.nan
    if baseline is not None:
        others = np.arange(len(lists)) != baseline
        found[np.ix_(others, others)] = np.nan
    np.fill_diagonal(found, 1.0)
    return found, len(names)


def lists_of(system: System, queries: Sequence[bytes]) -> list[list[bytes]]:
    """Returns the top documents of each query, or no documents if only scores were given."""
    if system.run is None:
        return []
    run, options = system.run, MatchOptions(system.scores.policy)
    found = run.held.rankings(list(queries), options)
    return [list(dict.fromkeys(documents))[:DEEPEST] for documents, _ in found]
