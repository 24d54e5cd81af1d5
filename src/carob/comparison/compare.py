"""``carob.compare``, which compares runs on the same judgments, and ``carob.estimate``."""

from __future__ import annotations

import math
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.comparison.cautions import cautions_of
from carob.comparison.design import (
    OF_COMPARE,
    WITHOUT_JUDGE,
    Design,
    Test,
    UnjudgedLimits,
    refuse_others,
    refuse_outside_compare,
    refuse_with_judge,
)
from carob.comparison.findings import Findings
from carob.comparison.significance import (
    Asked,
    decided,
    draws,
    others_decide,
    pairs_of,
    plain,
    settings_of,
)
from carob.comparison.verdict import reference_of
from carob.comparison.with_judge import people_and_judge, sampled_documents
from carob.conventions import arguments
from carob.conventions.arguments import specified
from carob.estimation.bounds import bounds_of
from carob.estimation.unjudged_bounds import UnjudgedBounds
from carob.evaluation.evidence import Evidence
from carob.inputs.runs import MatchOptions
from carob.output import escaping
from carob.output.document import Document, Documented
from carob.output.errors import DataError, PolicyError
from carob.output.pictures.figures import figure_of
from carob.statistics.rank_correlation import kendall, rbo, tau_ap_b

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from typing_extensions import Unpack

    from carob import _native
    from carob.comparison.assessors import JudgedTwice
    from carob.comparison.findings import Contest
    from carob.comparison.tables import ViewOptions
    from carob.conventions.arguments import TestName
    from carob.conventions.policy import Policy
    from carob.conventions.profiles import ProfileLike
    from carob.conventions.request import MeasuresLike
    from carob.evaluation.evidence import Read, RunsLike, System
    from carob.inputs.qrels import QrelsLike
    from carob.inputs.query_files import GroupsLike
    from carob.lists.rows import Floats
    from carob.output.pictures.figures import Drawing
    from carob.output.results import Records


MOST_INDENTED = 5000
"""The maximum number of pairs for which JSON is indented. Indenting more pairs takes seconds."""

PERSISTENCE = 0.9
"""The p of rank-biased overlap that Webber et al. usually use: a reader sees ten documents on average."""
DEEPEST = 100
"""The depth to which lists are compared. All deeper documents together weigh 0.9 ** 100, about 1 / 40,000."""
MOST_QUERIES = 50
"""The maximum number of queries whose lists are compared. The queries are evenly spread over all queries."""


@specified
def compare(
    qrels: QrelsLike | None,
    runs: RunsLike,
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
        qrels: judgments, as in ``carob.evaluate``; None if every run is given as scores.
        runs: ``{name: run}``, or a list of runs, each of which is a path, a dict, a ``Run`` or ``Scores``.
        measures: names or ``Measure`` objects; the first is the primary measure. None selects carob's defaults.
        baseline: the name, path or index of the run with which all other runs are compared. If None, all pairs are
            compared.
        test: the name of the test, such as ``randomisation``, or a ``Test``, which also sets the correction for
            multiple comparisons, the level, the intervals, the seed, and regions of equivalence.
        design: how queries were drawn (clusters, strata and weights), and for which queries values are estimated.
        by: the group or groups of each query, as in ``carob.evaluate``. The result then shows each group and the worst
            group. Groups that share queries are not independent of each other.
        judge: a model's judgments of all queries, or its scores of the same runs, if ``qrels`` contains people's
            judgments of some of the queries. The means are then estimated from people's and the model's judgments, and
            a single run is enough. People's queries must be a random sample, and the test is ``t``. If people judged
            single documents that were drawn with known probabilities instead, ``qrels`` is a table with a column
            ``probability``, or ``{query: {document: (grade, probability)}}``.
        unjudged_bounds: also report the smallest and the largest mean and difference that are possible once the
            unjudged documents are judged, and which differences can be reversed; ``UnjudgedLimits`` limits the grades
            and the number of relevant documents that may be found.
        orders: also report how similarly the measures order the runs (τ, τ_AP), and how similarly the runs order the
            documents (RBO).
        judged_at: the depth to which unjudged documents are counted; by default, the depth of the primary measure, or
            10 if it has none.
        policy: as in ``carob.evaluate``.
        profile: as in ``carob.evaluate``.
        progress: counts the bytes read, for a progress bar in another thread.

    Raises:
        DataError: text or values are invalid, two runs have the same name, or a query has no group.
        MeasureError: a measure does not exist.
        PolicyError: a profile, policy or test does not exist, or an argument is outside its range.

    Example:
        >>> import carob
        >>> qrels = {f"q{n}": {"a": 1} for n in range(5)}
        >>> old = {f"q{n}": {"x": 2.0, "a": 1.0 + n} for n in range(5)}
        >>> new = {f"q{n}": {"a": 2.0, "x": 1.0 + n / 4} for n in range(5)}
        >>> found = carob.compare(qrels, {"old": old, "new": new}, "RR", baseline="old", test="randomisation")
        >>> pair = found["RR"].pairs[0]
        >>> pair.difference, pair.p_uncorrected, pair.exact
        (0.1, 1.0, True)
    """
    test, design = Test.of(test), Design.of(design)
    plan = None
    if design.preregistered is not None:
        from carob.comparison.preregistration import read_plan

        plan = read_plan(design.preregistered)
        measures, test, baseline = plan.settings(measures, test, baseline)
    if judge is not None:
        refuse_with_judge(test, design, by)
    evidence = Evidence(qrels, runs, judge, policy, profile, design.weights)
    if not isinstance(unjudged_bounds, (bool, type(None))):
        unjudged_bounds = arguments.of_class(
            "unjudged_bounds", unjudged_bounds, UnjudgedLimits, "True or carob.UnjudgedLimits(…)"
        )
    again = orders or bool(unjudged_bounds) or design.second_assessor is not None
    least = 2 if judge is None else 1
    read = evidence.read(measures, least=least, judged_at=judged_at, progress=progress, again=again)
    twice = None
    if design.second_assessor is not None:
        from carob.comparison.assessors import judged_twice

        twice = judged_twice(design.second_assessor, evidence, read)
    found = compared(
        read,
        test,
        design,
        baseline=baseline,
        by=by,
        unjudged_bounds=unjudged_bounds,
        orders=orders,
        twice=twice,
    )
    if plan is None or design.preregistered is None:
        return found
    from carob.comparison.preregistration import held_to

    registered, warned = held_to(plan, design.preregistered, found)
    return replace(found, preregistration=registered, warnings=(*warned, *found.warnings))


@specified
def estimate(
    people: QrelsLike | None,
    judge: QrelsLike | RunsLike | None,
    runs: RunsLike,
    measures: MeasuresLike = None,
    *,
    design: Design | None = None,
    confidence: float = arguments.CONFIDENCE,
    policy: Policy | None = None,
    profile: ProfileLike = None,
    progress: _native.Progress | None = None,
) -> Comparison:
    """Estimate the scores of runs if people judged some queries and a model judged all of them.

    Args:
        people: people's judgments of a random sample of the queries; None if ``runs`` contains scores.
        judge: the model's judgments of all queries, or its scores of the same runs if ``runs`` contains scores.
        runs: ``{name: run}``, or a list of runs; a single run is enough.
        measures: as in ``carob.compare``.
        design: the target of the estimates, the weight of the judge, the strata of people's queries and the target
            width of intervals.
        confidence: the confidence level of the intervals.
        policy: as in ``carob.evaluate``.
        profile: as in ``carob.evaluate``.
        progress: counts the bytes read, for a progress bar in another thread.

    Returns:
        A comparison without pairs of runs. If it is called ``found``, ``found["nDCG@10"].means``, ``.low`` and
        ``.high`` are the estimates and the ends of their intervals, and ``found.judge`` describes the judge.

    Raises:
        DataError: there is no judge, people and the judge share fewer than two queries, or ``carob.compare`` would
            raise it.
        MeasureError: a measure does not exist.
        PolicyError: a profile or policy does not exist, or an argument is outside its range.

    Example:
        >>> import carob
        >>> model = {f"q{n}": {"a": 1, "b": 1} for n in range(30)}
        >>> people = {f"q{n}": {"a": 1, "b": int(n % 4 == 0)} for n in range(0, 30, 2)}
        >>> run = {f"q{n}": {"b": 2.0, "a": 1.0} for n in range(30)}
        >>> found = carob.estimate(people, model, {"mine": run}, "RR")
        >>> round(found["RR"].means[0], 3), found.judge.sample, found.judge.queries
        (0.767, 15, 30)
    """
    design = Design.of(design)
    refuse_with_judge(Test(), design, None)
    refuse_outside_compare(design)
    if judge is None:
        alone = "Compare the runs by people's judgments alone: carob.compare(people, runs)."
        raise DataError(
            "judge=None: an estimate needs a judge's judgments of all queries. Pass them as judge=.",
            remedy=alone,
        )
    evidence = Evidence(people, runs, judge, policy, profile, design.weights)
    read = evidence.read(measures, least=1, progress=progress)
    return compared(read, Test(confidence=confidence), design, pairs=False)


def compared(
    read: Read,
    test: Test,
    design: Design | None = None,
    *,
    baseline: str | int | None = None,
    by: GroupsLike | None = None,
    unjudged_bounds: bool | UnjudgedLimits = False,
    orders: bool = False,
    pairs: bool = True,
    twice: JudgedTwice | None = None,
) -> Comparison:
    """Compares the runs that were read: estimates each run and each pair of runs, and then decides which runs differ.

    Args:
        read: the judgments and runs that were read.
        test: as in ``compare``.
        design: as in ``compare``.
        baseline: as in ``compare``.
        by: as in ``compare``.
        unjudged_bounds: as in ``compare``.
        orders: as in ``compare``.
        pairs: whether to compare pairs of runs, or only to estimate each run.
        twice: the runs' values for the queries that two assessors judged; None without a second assessor.

    Raises:
        DataError: as in ``compare``.
        PolicyError: an option does not apply to these judgments.
    """
    design = design or Design()
    if read.judge is None:
        refuse_others(design, f"{WITHOUT_JUDGE} {OF_COMPARE}", "without a judge's judgments")
    else:
        test = replace(test, name="t")
        if unjudged_bounds:
            raise PolicyError(
                "Bounds over unjudged documents cannot be combined with a judge: leave out either the bounds or "
                "the judge."
            )
    if read.sample is not None:
        applying = "name correction alpha family resamples seed confidence rope margin"
        refuse_others(test, applying, "for sampled documents")
        refuse_others(design, "judge_weight width preregistered", "for sampled documents")
    runs, base = len(read.systems), read.place_of(baseline)
    test, look = test.at(max(len(each.ids) for each in read.scores))
    settings = settings_of(test, runs, len(read.scores[0].labels), base)
    if look:
        settings = replace(settings, departures=(look,))
    first, second = pairs_of(runs, base) if pairs else pairs_of(1, None)
    asked = Asked(settings, design, by, runs, first, second, twice)
    method = plain if read.judge is None else people_and_judge if read.sample is None else sampled_documents
    estimates = method(read, asked)
    settings = estimates.settings
    contests = decided(estimates.measures, settings, read.shown.systems)
    unused = [name for name in ("resamples", "seed") if getattr(test, name) is not None]
    if unused and not draws(settings):
        note = f"{' and '.join(unused)} had no effect, because neither the test nor the intervals are random."
        settings = replace(settings, departures=(*settings.departures, note))
    shown = read.shown
    systems = list(shown.systems.values())
    if read.sample is not None:  # the judged documents are a sample, so the share judged is meaningless
        systems = [replace(each, judged=math.nan) for each in systems]
    found = Comparison(
        names=tuple(shown.systems),
        scores=shown.scores,
        labels=shown.scores[0].labels,
        ids=estimates.ids,
        contests=contests,
        settings=settings,
        judged=tuple(each.judged for each in systems),
        judged_depth=read.depth,
        qrels_name="" if read.qrels is None else read.qrels.name,
        orders=orders_of(list(contests.values()), systems, settings.baseline) if orders else None,
        judge=estimates.judge,
        groups=estimates.groups,
        unjudged=bounds_over(read, contests, unjudged_bounds) if unjudged_bounds else None,
    )
    if twice is not None:
        from carob.comparison.assessors import assessors_of

        noise = assessors_of(twice, contests, asked.contrasts, settings, judge=read.judge is not None)
        found = replace(found, assessors=noise)
    if settings.other_tests and pairs:
        tables = [each.table for each in estimates.measures]
        others = others_decide(tables, found.primary, test, settings, reference_of(found))
        found = replace(found, other_tests=others)
    return replace(found, warnings=cautions_of(found, systems, read))


def bounds_over(read: Read, contests: Mapping[str, Contest], limits: bool | UnjudgedLimits) -> UnjudgedBounds:
    """Returns bounds on all means and differences of a comparison, over all possible grades of unjudged documents.

    Raises:
        DataError: a run is given as scores, or a measure is not a mean over queries.
        PolicyError: the policy leaves the order of documents undetermined.
    """
    limits = limits if isinstance(limits, UnjudgedLimits) else UnjudgedLimits()
    unseen = limits.unseen or 0
    runs = [each.run for each in read.systems.values()]
    if read.qrels is None or None in runs:
        raise DataError("Bounds over unjudged documents need qrels and runs, not scores.")
    found = bounds_of(
        read.qrels,
        [run for run in runs if run is not None],
        {label: each.measure for label, each in contests.items()},
        read.scores[0].policy,
        pairs=[(pair.a, pair.b) for pair in next(iter(contests.values())).pairs],
        max_grade=limits.max_grade,
        unseen=unseen,
    )
    return UnjudgedBounds(tuple(read.systems), found, unseen=unseen)


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Documented, Findings):
    """The comparison of runs: scores, intervals, tests and warnings. ``str(comparison)`` returns the whole text.

    Args:
        names: the runs.
        scores: each run's scores, in the order in which the runs were passed.
        labels: the requested measures; the first is the primary measure.
        ids: the queries that occur in at least one run, in byte order; ``queries`` returns them as text.
        contests: the results of each measure, by label.
        settings: the settings of the test.
        judged: for each run, the proportion of its first ``judged_depth`` documents that are judged, averaged over the
            queries that the run answers; NaN if only scores were given.
        judged_depth: the depth to which ``judged`` counts documents.
        warnings: the limits of the conclusions.
        qrels_name: the name of the judgments.
        orders: the rank correlations of measures, and RBO between runs, if requested.
        judge: facts about the judge, if the means were estimated from judgments by people and by a judge.
        other_tests: the decisions of the other tests for the primary measure, if requested.
        preregistration: the preregistered plan, if there is one, and the comparison's deviations from it.
        assessors: how much of the variance is due to assessors, if there is a second assessor.
        groups: the group of each query, if requested.

    Example:
        >>> import carob
        >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}}
        >>> old = {"q1": {"x": 2.0, "a": 1.0}, "q2": {"b": 1.0}, "q3": {"y": 2.0, "c": 1.0}}
        >>> new = {"q1": {"a": 1.0}, "q2": {"b": 1.0}, "q3": {"c": 1.0}}
        >>> found = carob.compare(qrels, {"old": old, "new": new}, "RR", baseline="old")
        >>> round(found["RR"].pairs[0].difference, 4)
        0.3333
    """

    def to_text(self, columns: int = 100, **view: Unpack[ViewOptions]) -> str:
        """Returns the verdict, the tables and the method, followed by the warnings.

        Args:
            columns: the maximum width of a line; wider tables drop their least important columns or are split into
                bands.
            view: the part to show, as in ``View``.
        """
        return self.document(**view).text(columns)

    def to_markdown(self, **view: Unpack[ViewOptions]) -> str:
        """Returns the comparison as Markdown tables, with the verdict above and the method below. Best values are bold.

        Args:
            view: the part to show, as in ``View``.
        """
        return self.to("markdown", **view)

    def to(self, layout: str, **view: Unpack[ViewOptions]) -> str:
        """Returns the comparison in the format with the given name. The other arguments are those of ``View``."""
        return self.to_latex(**view) if layout == "latex" else self.document(layout, **view).to(layout)

    def to_latex(
        self, label: str | None = None, caption: str | None = None, **view: Unpack[ViewOptions]
    ) -> str:
        """Returns a LaTeX table (booktabs) with superscript letters and the best values in bold.

        Args:
            label: the label for ``\\ref``.
            caption: the caption; by default, it describes the method.
            view: the part to show, as in ``View``.
        """
        from carob.comparison import formats
        from carob.comparison.tables import View

        return formats.latex(self, View(**view), label=label, caption=caption)

    def document(self, layout: str = "text", /, **view: Unpack[ViewOptions]) -> Document:
        """Returns the verdict, the tables and the method, followed by the warnings; ``View`` has the arguments."""
        from carob.comparison import formats
        from carob.comparison.tables import View

        return formats.document_of(self, View(**view), layout)

    def contents(self) -> dict[str, Any]:
        """Returns everything as a dict: per-query scores, raw and corrected p, settings, counts and warnings."""
        from carob.comparison import formats

        return formats.contents(self)

    def to_json(self) -> str:
        """Returns the content of ``to_dict`` as JSON in full precision, on one line if there are very many pairs."""
        pairs = sum(len(contest.pairs) for contest in self.contests.values())
        return escaping.json_text(self.as_dict(), 2 if pairs <= MOST_INDENTED else None) + "\n"

    def records(self) -> dict[str, Callable[[], Records]]:
        """Returns the tables ``pairs``, ``runs`` and ``queries``. If there are no pairs, ``runs`` is first."""
        from carob.comparison import formats

        tables = {
            "pairs": formats.pair_records,
            "runs": formats.run_records,
            "queries": formats.query_records,
        }
        order = tables if self.primary.pairs else ("runs", "queries", "pairs")
        return {name: partial(tables[name], self) for name in order}

    def beside(self) -> list[str]:
        """Returns the facts about the data that a CSV table cannot show, except those in earlier warnings."""
        from carob.comparison.cautions import sentences_of

        doubts = {doubt for each in self.scores for doubt in each.warnings}
        return [each for each in sentences_of(self) if each not in doubts]

    def figures(self, measure: str | None = None, pair: tuple[str, str] | None = None) -> dict[str, Drawing]:
        """Returns the functions that draw the figures of a measure, keyed by the name of the figure."""
        from carob.comparison import formats

        return formats.figures_of(self, measure, pair)

    def to_figure(
        self, kind: str | None = None, measure: str | None = None, pair: tuple[str, str] | None = None
    ) -> Any:
        """Returns a matplotlib figure, which ``to_figure().savefig("pairs.pdf")`` writes to a file.

        Args:
            kind: ``pairs`` (differences with intervals), ``intervals`` (means with intervals), ``differences`` (the
                sorted per-query differences of one pair) or ``orders`` (the rank of each run under each measure). None
                draws ``differences`` if ``pair`` is given, otherwise ``pairs``, or ``intervals`` if there are no pairs.
            measure: the measure to draw, by default the primary measure.
            pair: the names of the runs whose ``differences`` are drawn, first minus second; by default the first pair
                of the table.

        Raises:
            DataError: matplotlib is not installed, or there is no such figure, run or pair.
        """
        kind = "differences" if kind is None and pair is not None else kind
        return figure_of(self.figures(measure, pair), kind)


@dataclass(frozen=True, eq=False)
class Orders:
    """How similarly the measures order the runs, and how similarly the runs order the documents.

    Args:
        labels: the measures.
        tau: Kendall's τ_b between the orders of the runs under two measures [measures, measures].
        tau_ap: τ_AP, which penalises swaps near the top more; the row's measure defines the true order [measures,
            measures].
        rbo: the mean extrapolated rank-biased overlap of two runs' lists; NaN if only scores are known [runs, runs].
        queries: the number of queries over which ``rbo`` is averaged.
        depth: the depth of the compared lists.
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
    """Returns how similar each pair of measures and each pair of runs is."""
    means = [contest.means for contest in contests]
    tau, ap = (
        np.array([[each(one, other) for other in means] for one in means]) for each in (kendall, tau_ap_b)
    )
    np.fill_diagonal(tau, 1.0)
    np.fill_diagonal(ap, 1.0)
    return Orders(tuple(contest.label for contest in contests), tau, ap, *overlaps_of(systems, baseline))


def overlaps_of(systems: Sequence[System], baseline: int | None) -> tuple[Floats, int]:
    """Returns the mean rank-biased overlap of each pair of runs, and the number of queries that were compared."""
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
    """Returns the top documents of each query, or an empty list if only scores were given."""
    if system.run is None:
        return []
    run, options = system.run, MatchOptions(system.scores.policy)
    found = run.held.rankings(list(queries), options)
    return [list(dict.fromkeys(documents))[:DEEPEST] for documents, _ in found]
