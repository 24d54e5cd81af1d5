"""Formats a comparison on several collections as text, Markdown, LaTeX, HTML, JSON, CSV and data frames."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from carob._cached import cached_property
from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.comparison.cautions import MEANINGS, few_resamples_said, resamples_needed
from carob.comparison.findings import (
    SHORT_NAMES,
    Contest,
    Settings,
    best_named,
    better_first,
    pair_names,
    pairs_named,
    ranked,
    turned,
)
from carob.comparison.formats import floating, records_of_pairs
from carob.comparison.tables import (
    LEAST_NAME,
    CommonView,
    FittedTable,
    against,
    chances,
    first_runs,
    gaps,
    hidden_said,
    pairs_among,
    posterior,
    wins,
)
from carob.comparison.verdict import MOST_LETTERED, baseline_said, best_said, p_text, p_texts
from carob.conventions.arguments import specified
from carob.evaluation.collections import MACRO, OnCollections
from carob.evaluation.score_tables import signature
from carob.output.document import Document, Items, Line, Section, Table
from carob.output.errors import DataError
from carob.output.formats import lay_out
from carob.output.language import filled, plural
from carob.output.layout import (
    COLUMNS,
    Marked,
    apart,
    column,
    decimals,
    interval,
    listed,
    table_width,
)
from carob.output.pictures.critical_difference import RankPicture
from carob.output.pictures.difference_picture import DifferencePicture, Differences
from carob.output.pictures.figures import whiskers
from carob.output.results import Records
from carob.statistics.collections import expanded
from carob.statistics.mean_ranks import groups

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from typing_extensions import Unpack

    from carob.comparison.tables import CommonOptions
    from carob.output.document import Part
    from carob.output.pictures.figures import Drawing
    from carob.statistics.mean_ranks import Friedman

MICRO = "Micro: each query has the same weight, so large collections dominate."
INCOMPLETE = "{measure}: {complete:collection has/collections have} all runs, so runs are not ranked."
TITLES = {
    "runs": "Runs",
    "pairs": "Pairs of runs",
    "posterior": "Bayesian signed-rank test",
    "each": "Collections",
    "ranks": "Ranks",
}
"""The section titles."""

OF_SETTINGS = "target average absent correction alpha confidence interval rope friedman_ties borda_of seed"
"""The settings in JSON output, besides the baseline and the number of resamples."""

OF_MEASURE = (
    "label smaller_is_better means low high macro micro counts run_groups complete mean_ranks rank_low "
    "rank_high best borda critical_difference rank_groups resamples other_target"
)
"""The results of a measure in JSON output, besides Friedman's test, the collections and the pairs."""

DIGITS = 4
FEWEST_PLACED = 5
"""With fewer collections, percentile ranges of resampled places are far too narrow."""
FEW_COLLECTIONS = 6
"""With fewer collections, a test over collections has little power: Wilcoxon's p-value cannot be below 0.05."""
MOST_SHOWN = 30
"""Up to this number of runs, the tables show all runs by default. If there are more, they show only the best."""
SHOWN = 20
MOST_GROUPS = 8
MOST_IN_GROUP = 5
"""The maximum number of runs in a group whose members are all listed by name."""
LONGEST_COLLECTION = 24


@specified
@dataclass(frozen=True)
class AcrossSettings(Settings):
    """The settings of a comparison on several collections: those of the test, and those below.

    Args:
        target: whether p-values and intervals apply to collections ``similar`` to these or to ``these`` collections.
        average: ``macro`` or ``micro``.
        absent: how to treat runs that are missing from a collection, as in ``compare_collections``.
        friedman_ties: whether Friedman's χ² is ``uncorrected`` or ``corrected`` for ties.
        borda_of: whether Borda points count down from the number of ``all`` runs or of those ``present``.
    """

    target: str = "similar"
    average: str = "macro"
    absent: str = "refuse"
    friedman_ties: str = "uncorrected"
    borda_of: str = "all"

    def percentile_level(self, units: int) -> float:
        """Returns the significance level for percentiles over resamples of this many collections."""
        alpha = 1 - self.confidence
        return expanded(alpha, units) if self.target == "similar" else alpha


@dataclass(frozen=True)
class AcrossPair:
    """The comparison of two runs on several collections. The difference is the first run minus the second.

    Args:
        a: the index of the first run.
        b: the index of the second run.
        collections: the number of collections that have both runs.
        difference: the difference between the runs' means over these collections.
        low: the lower end of the interval of the difference.
        high: the upper end of the interval of the difference.
        p_uncorrected: the uncorrected p-value of the difference, from Student's t-test.
        p_corrected: the p-value of the t-test, corrected for the number of pairs.
        wins: the number of collections on which the first run is better.
        ties: the number of collections on which both runs have the same mean.
        losses: the number of collections on which the second run is better.
        wilcoxon: the uncorrected, exact p-value of Wilcoxon's signed-rank test over collections.
        wilcoxon_corrected: the p-value of Wilcoxon's test, corrected for the number of pairs.
        nemenyi: the p-value of Nemenyi's test; NaN with fewer than two complete collections.
        p_worse: the probability that the first run is worse by more than the rope, by the Bayesian signed-rank test;
            None if not requested, and NaN if there are too many pairs.
        p_same: the probability that the difference lies within the rope.
        p_better: the probability that the first run is better by more than the rope.
        joint_low: the lower end of the joint interval, which is corrected for all pairs, as in ``carob.compare``.
        joint_high: the upper end of the joint interval.
        identical: whether the runs are equal on every collection and the standard error is 0.
    """

    a: int
    b: int
    collections: int
    difference: float
    low: float
    high: float
    p_uncorrected: float
    p_corrected: float
    wins: int
    ties: int
    losses: int
    wilcoxon: float
    wilcoxon_corrected: float
    nemenyi: float = math.nan
    p_worse: float | None = None
    p_same: float | None = None
    p_better: float | None = None
    joint_low: float = math.nan
    joint_high: float = math.nan
    identical: bool = False


@dataclass(frozen=True)
class OneCollection:
    """The results of one measure on one collection. Each sequence contains one entry per run.

    Args:
        name: the collection.
        queries: the number of queries; None if only means are known.
        left_out: the number of queries that were left out because they have no value in some run.
        means: the mean of each run; NaN for a missing run.
        ranks: the mid-rank of each run, where 1 is the best; NaN for a missing run.
        beaten: the indices of the runs that each run significantly outperforms on this collection; None if only means
            are known or there are more than 100 runs.
    """

    name: str
    queries: int | None
    left_out: int
    means: tuple[float, ...]
    ranks: tuple[float, ...]
    beaten: tuple[tuple[int, ...], ...] | None


@dataclass(frozen=True, eq=False, repr=False)
class Across(Contest):
    """The comparison of runs on several collections by one measure. Per-run sequences are in the order of the runs.

    Args:
        collections: the results of each collection.
        macro: the mean of the collection means.
        micro: the mean over all queries; None if only means are known.
        complete: the number of collections that contain all runs. Runs are ranked on these collections only.
        mean_ranks: the mean rank of each run on the complete collections.
        rank_low: the lower end of the range of the run's place by its mean over resamples; None without resamples, and
            if the target is ``similar`` with fewer than ``FEWEST_PLACED`` collections.
        rank_high: the upper end of the range of the run's place.
        best: the proportion of resamples in which the run has the best mean.
        borda: the run's Borda points.
        friedman: Friedman's test; None with fewer than two complete collections.
        critical_difference: Nemenyi's critical difference between mean ranks.
        rank_groups: the largest groups of runs whose mean ranks all differ by less than the critical difference.
        resamples: the number of resamples.
        other_target: the number of pairs that differ significantly for the other target; None if it is unknown.
    """

    pairs: tuple[AcrossPair, ...]  # type: ignore[assignment]
    collections: tuple[OneCollection, ...]
    macro: tuple[float, ...]
    micro: tuple[float, ...] | None
    complete: int
    mean_ranks: tuple[float, ...] | None
    rank_low: tuple[int, ...] | None
    rank_high: tuple[int, ...] | None
    best: tuple[float, ...] | None
    borda: tuple[float, ...]
    friedman: Friedman | None
    critical_difference: float | None
    rank_groups: tuple[tuple[int, ...], ...]
    resamples: int
    other_target: int | None

    @cached_property
    def order(self) -> list[int]:
        """The runs on the most collections, from the best to the worst mean, then the other runs in the same way."""
        return ranked(self)

    @cached_property
    def run_groups(self) -> tuple[tuple[int, ...], ...]:
        """The largest groups of runs, adjacent in the order of the means, in which no two runs differ significantly."""
        apart = np.zeros((len(self.means), len(self.means)), bool)
        for run, its in enumerate(self.beaten):
            apart[run, list(its)] = apart[list(its), run] = True
        return tuple(groups(self.order, apart))

    @cached_property
    def filled(self) -> int:
        """The number of collections that contain at least one run."""
        return sum(any(not math.isnan(mean) for mean in each.means) for each in self.collections)

    @cached_property
    def whole(self) -> list[int]:
        """The runs that are on all non-empty collections, best first. Only the means of these runs are comparable."""
        return [run for run in self.order if self.counts[run] == self.filled]

    @property
    def queries(self) -> int | None:
        """The total number of queries in all collections; None if only means are known."""
        known = [each.queries for each in self.collections]
        return None if None in known else sum(each or 0 for each in known)


@dataclass(frozen=True, eq=False, repr=False)
class CollectionsComparison(OnCollections):
    """The comparison of runs on several collections. ``str(comparison)`` returns the whole text.

    Args:
        collections: the collections.
        names: the runs.
        scores: the scores of each collection by run; empty if only means are known.
        lacking: each missing run, paired with the collection that it is missing from.
        notes: notes on the data of each run in each collection, as in an evaluation's footer.
        measures: the result of each measure, by label.
        settings: the settings.

    Example:
        >>> import carob
        >>> values = {"web": {"a": 0.3, "b": 0.4}, "news": {"a": 0.2, "b": 0.5}, "law": {"a": 0.6, "b": 0.5}}
        >>> found = carob.compare_collections(values)
        >>> [round(each, 2) for each in found["value"].mean_ranks]
        [1.67, 1.33]
    """

    measures: dict[str, Across]
    settings: AcrossSettings

    def __getitem__(self, measure: str) -> Across:
        """Returns the result of a measure.

        Raises:
            KeyError: the measure was not compared.
        """
        return self.measures[measure]

    @property
    def baseline(self) -> str | None:
        """The run with which all other runs are compared; None if all pairs are compared."""
        return None if self.settings.baseline is None else self.names[self.settings.baseline]

    def document(
        self, layout: str = "text", /, *, title: str = "", **view: Unpack[CommonOptions]
    ) -> Document:
        """Returns the heading, the answer, tables and rank diagram for each measure, and the description of the method.

        Args:
            layout: ``text`` or the name of a format.
            title: the title of a page.
            view: the part to show, as in ``CommonView``.
        """
        if layout == "html" and not title:
            title = self.title
        sections = [Section([Line(self.heading())])]
        for each in self.measures.values():
            sections += ShownResults(self, each, CommonView(**view), layout).sections(titled=layout != "text")
        footers = [Items(each, "footer", hang=0) for each in (self.footers(), self.method()) if each]
        sections += [*(Section([each]) for each in footers), Section.warned(self.warnings())]
        return Document(sections, title)

    def footers(self) -> list[str]:
        """Returns notes on the data that are not warnings, for example on duplicates and ties."""
        return self.remarks

    @property
    def primary(self) -> Across:
        """The result of the first measure."""
        return next(iter(self.measures.values()))

    @property
    def queries(self) -> int | None:
        """The number of queries with a value in all runs of their collection; None if only means are known."""
        return self.primary.queries

    def method(self) -> list[str]:
        """Returns the sentences that describe the method."""
        settings, first, count = self.settings, self.primary, len(self.collections)
        similar, micro = settings.target == "similar", settings.average == "micro"
        target = f"p and intervals concern collections like these {count}: they assume that these are a random sample."
        error = (
            "Standard error: cluster-robust (CR2), with each collection as a cluster and the degrees of freedom of "
            "Bell and McCaffrey."
        )
        if not similar:
            target = (
                f"p, corrected p and intervals concern these {count} collections and do not generalise to other "
                "collections. They assume that the queries are a random sample from each collection. Wilcoxon's and "
                "Friedman's tests take the collections as the sample."
            )
            error = (
                "Standard error: the errors of the collections, each weighted by its share of the queries."
            )
        said = [target, MICRO if micro else MACRO, *[error] * micro, self.interval_said()]
        if settings.correction != "none":
            short = SHORT_NAMES[settings.correction]
            said.append(f"p({short}) and Wilc. are corrected for the number of pairs.")
        said += [self.places_said()] if first.resamples else []
        if first.queries is not None and len(self.names) <= MOST_LETTERED:
            mark = "number" if first.numbered else "letter"
            said.append(
                f"A {mark} after a score: on this collection, significantly better than the run with this {mark} "
                "(paired t-test over the queries of the collection, corrected in the same way)."
            )
        said.append(
            "W/T/L: collections on which the first run is better, equal, worse. Wilc.: exact Wilcoxon signed-rank test "
            "over collections."
        )
        if settings.rope is not None:
            said.append(
                "P(worse), P(same), P(better): Bayesian signed-rank test over collections; differences within "
                f"{settings.rope:g} count as the same."
            )
        runs = "runs" if settings.borda_of == "all" else "runs of the collection"
        said.append(
            f"Borda: number of {runs} minus rank, summed over collections; a missing run gets no points."
        )
        return said if self.first is None else [*said, signature(self.first)]

    def interval_said(self) -> str:
        """Returns a sentence on how p-values and intervals are computed."""
        settings, similar = self.settings, self.settings.target == "similar"
        interval = f"{100 * settings.confidence:g}% CI"
        if settings.interval == "t":
            student = "Student's t over collections."
            if not similar:
                student = "Student's t over the queries of each collection, with Satterthwaite's degrees of freedom."
            return f"{interval} and p: {student}"
        drawn = f"({self.primary.resamples:,} resamples, seed {settings.seed})"
        if similar:
            how = f"expanded percentiles over resampled collections {drawn}"
            return f"{interval}: {how}; p: Student's t over collections."
        how = f"percentiles over resampled queries of each collection {drawn}"
        return f"{interval}: {how}; p: Student's t, with Satterthwaite's degrees of freedom."

    def places_said(self) -> str:
        """Returns a sentence that explains the range of places, or why there is none."""
        settings, first, similar = self.settings, self.primary, self.settings.target == "similar"
        if first.rank_low is None:
            return f"No range of places: fewer than {FEWEST_PLACED} collections show too little of how places vary."
        share = 100 * (1 - settings.percentile_level(first.complete))
        drawn = "collections" if similar else "queries of each collection"
        few = " With few collections, it contains the true place less often."
        return (
            f"place: range of the place by the mean in {share:.3g}% of the resamples of {drawn} "
            f"({first.resamples:,} resamples, seed {settings.seed}).{few * similar}"
        )

    def warnings(self) -> list[str]:
        """Returns warnings about the data and about the limits of the conclusions."""
        found = [*self.doubts, *self.lacks(f"absent:{self.settings.absent}")]
        if self.settings.target == "similar" and len(self.collections) < FEW_COLLECTIONS:
            found.append(
                f"{len(self.collections)} collections are too few for a reliable test over collections: Wilcoxon's p "
                "cannot be below 0.05, and Student's t requires normally distributed differences. The target 'these' "
                "concerns only these collections, and gives more certain answers."
            )
        drawn, confidence = self.primary.resamples, self.settings.confidence
        needed = resamples_needed(drawn, confidence)
        if drawn and needed:
            found.append(few_resamples_said(drawn, confidence, needed))
        return found + [said for each in self.measures.values() for said in self.warnings_of(each)]

    def warnings_of(self, found: Across) -> Iterator[str]:
        """Yields warnings about the limits of the conclusions for one measure."""
        left = [f"{one.left_out} in {one.name}" for one in found.collections if one.left_out]
        if left:
            where = listed(left)
            lacking = "queries that lack a value in at least one run of the collection are left out"
            yield f"{found.label}: {lacking}: {where}."
        if found.smaller_is_better:
            yield f"{found.label}: {MEANINGS['smaller']}"
        these = self.settings.target == "these"
        flat = [pair for pair in found.pairs if math.isnan(pair.low) and not math.isnan(pair.p_uncorrected)]
        if flat:
            shown = listed(pair_names(self.names, self.facing(found, flat)))
            units = "queries" if these else "collections"
            yield (
                f"{found.label}: {plural(len(flat), 'pair differs', 'pairs differ')} by the same amount on every "
                f"{'query of a ' * these}collection ({shown}): without variation there is no t and no interval; p is "
                f"that of the sign-flip test over {units}."
            )
        single = [one.name for one in found.collections if one.queries == 1]
        if single and these:
            yield (
                f"{found.label}: collections with a single query have no standard error, so there is neither a p nor "
                f"an interval: {listed(single)}. Leave these collections out, or choose the target 'similar'."
            )
        if found.complete < 2:
            yield filled(INCOMPLETE, measure=found.label, complete=found.complete)

    def to_text(self, columns: int = COLUMNS, **view: Unpack[CommonOptions]) -> str:
        """Returns the comparison as text for a terminal or a log.

        Args:
            columns: the maximum width of a line.
            view: the part to show, as in ``CommonView``.
        """
        return self.document(**view).text(columns)

    def to_markdown(self, **view: Unpack[CommonOptions]) -> str:
        """Returns the comparison as Markdown for a page or a comment.

        Args:
            view: the part to show, as in ``CommonView``.
        """
        return self.to("markdown", **view)

    def to(self, layout: str, **view: Unpack[CommonOptions]) -> str:
        """Returns the comparison in the named format. ``CommonView`` lists the other arguments."""
        return self.to_latex(**view) if layout == "latex" else self.document(layout, **view).to(layout)

    def to_latex(
        self, label: str | None = None, caption: str | None = None, **view: Unpack[CommonOptions]
    ) -> str:
        """Returns floating booktabs tables: one of all collections' values and their means, and one of run pairs.

        Args:
            label: for ``\\\\ref``.
            caption: the caption; None for a description of the method.
            view: the part to show, as in ``CommonView``.
        """
        tables: list[str] = []
        for each in self.measures.values():
            its = ShownResults(self, each, CommonView(**view), "latex")
            drawn = [its.matrix(), its.board(), *([its.against()] if each.pairs else []), *its.posterior()]
            tables += [lay_out("latex", part.header, part.rows, part.names) for part in drawn]
            tables += [part.latex() for part in its.pictures()]
        said = " ".join([f"{self.heading()}.", *self.method()])
        remarks = [*self.warnings(), *self.footers()]
        return floating(tables, said if caption is None else caption, label, remarks)

    def to_svg(self, measure: str | None = None) -> str:
        """Returns the diagram of mean ranks with the critical difference, as SVG.

        Args:
            measure: the measure; the primary one if None.

        Raises:
            DataError: fewer than two collections contain all runs.
        """
        its = self.primary if measure is None else self.measures[measure]
        pictures = ShownResults(self, its).pictures()
        if not pictures:
            raise DataError(filled(INCOMPLETE, measure=its.label, complete=its.complete))
        return pictures[0].svg()

    def facing(self, found: Across, pairs: Sequence[AcrossPair]) -> list[AcrossPair]:
        """Returns pairs in the order and direction that the tables use."""
        return better_first(found, pairs, self.settings.baseline)

    def figures(self) -> dict[str, Drawing]:
        """Returns the functions that draw the runs' means and the pairs' differences by the first measure."""
        found, names = self.primary, self.names
        means = [(names[run], found.means[run], found.low[run], found.high[run]) for run in found.order]
        facing = self.facing(found, found.pairs)
        pairs = [
            (name, each.difference, each.low, each.high)
            for name, each in zip(pair_names(names, facing), facing, strict=True)
        ]
        label = f"difference in {found.label}"
        return {
            "pairs": lambda drawn: whiskers(drawn, pairs, label, zero=True),
            "runs": lambda drawn: whiskers(drawn, means, found.label),
        }

    def contents(self) -> dict[str, Any]:
        """Returns all results by name: values by collection, p-values, ranks, settings and warnings."""
        letters = zip(self.names, self.primary.marks, strict=True)
        return {
            **best_named(self.names, self.primary),
            "collections": self.collections,
            "runs": [{"name": name, "letter": letter} for name, letter in letters],
            "settings": {name: getattr(self.settings, name) for name in OF_SETTINGS.split()}
            | {"resamples": self.settings.bootstrap_resamples, "baseline": self.baseline},
            "lacking": [{"run": run, "collection": name} for run, name in self.lacking],
            "measures": {label: self.contents_of(each) for label, each in self.measures.items()},
            "method": self.method(),
            **self.known(),
        }

    def contents_of(self, found: Across) -> dict[str, Any]:
        """Returns the results of one measure by name."""
        whole = {name: getattr(found, name) for name in OF_MEASURE.split()}
        ranks = None if found.friedman is None else found.friedman._asdict()
        last = {"friedman": ranks, "collections": found.collections, "pairs": pairs_named(self.names, found)}
        return {**whole, **last, "verdict": ShownResults(self, found).answer()}

    def records(self) -> dict[str, Callable[[], Records]]:
        """Returns the tables ``pairs``, ``runs``, ``collections`` (each measure, collection and run) and ``notes``."""
        return {
            "pairs": self.pair_records,
            "runs": self.run_records,
            "collections": self.cell_records,
            "notes": self.note_records,
        }

    def pair_records(self) -> Records:
        """Returns a row for each measure and pair."""
        found = {label: each.pairs for label, each in self.measures.items()}
        return records_of_pairs(AcrossPair, self.names, found)

    def run_records(self) -> Records:
        """Returns a row for each measure and run."""
        of_run = "counts means low high macro micro mean_ranks rank_low rank_high best borda"
        rows = [
            (label, name, each.marks[run], *(None if column is None else column[run] for column in columns))
            for label, each in self.measures.items()
            for columns in [[getattr(each, key) for key in of_run.split()]]
            for run, name in enumerate(self.names)
        ]
        titles = "collections mean low high macro micro mean_rank place_low place_high best borda"
        return Records(["measure", "run", "letter", *titles.split()], rows)

    def cell_records(self) -> Records:
        """Returns a row for each measure, collection and run."""
        rows = [
            (
                label,
                one.name,
                name,
                one.queries,
                one.means[run],
                one.ranks[run],
                None if one.beaten is None else each.letters_of(one.beaten[run]),
            )
            for label, each in self.measures.items()
            for one in each.collections
            for run, name in enumerate(self.names)
        ]
        return Records(["measure", "collection", "run", "queries", "mean", "rank", "better_than"], rows)


def shortened(names: Sequence[str]) -> str:
    """Returns the names as text. If there are too many, the text ends with the number of omitted names."""
    return ", ".join(names) if len(names) <= MOST_IN_GROUP + 1 else listed(names, MOST_IN_GROUP)


@dataclass(frozen=True, eq=False)
class ShownResults:
    """The part of one measure's results that is shown.

    Args:
        whole: the comparison.
        found: the results of the measure.
        view: which part of the comparison to show.
        layout: the format. Names are shortened only in text.
    """

    whole: CollectionsComparison
    found: Across
    view: CommonView = CommonView()
    layout: str = "text"

    @property
    def runs(self) -> list[int]:
        """The shown runs, from the best to the worst mean."""
        order = self.found.order
        if self.view.top is not None:
            return order[: self.view.top]
        return order if len(order) <= MOST_SHOWN else order[:SHOWN]

    def sections(self, *, titled: bool = False) -> list[Section]:
        """Returns the sections with the answer, the tables and the pictures.

        Args:
            titled: whether sections have titles, as in all formats except plain text.
        """
        pictures: list[Part] = [*self.pictures()]
        said = self.ranks_said()
        parts: list[tuple[str, list[Part]]] = [
            (self.found.label, [Line(self.answer(), "answer" if titled else "verdict"), *self.more()]),
            ("runs", [self.board(), self.differences()]),
            ("pairs", [self.against()] if self.found.pairs else []),
            ("posterior", [*self.posterior()]),
            ("each", [self.matrix()]),
            ("ranks", [*pictures, *([Items(said, hang=0)] if said else [])]),
        ]
        made = []
        for key, its in parts:
            title = key if key == self.found.label else TITLES[key]
            made += [Section(its, title if titled else "")] if its else []
        return made

    # ------------------------------------------------------------ sentences

    def answer(self) -> str:
        """Returns the sentence about the best run, or about the runs that are better than the baseline."""
        found, names, settings = self.found, self.whole.names, self.whole.settings
        headline, sides = (
            best_said(names, found)
            if settings.baseline is None
            else baseline_said(names, found, settings.baseline)
        )
        said, collections = " ".join([headline, *sides]), plural(found.filled, "collection")
        average = f"{found.label}, {settings.average} mean over {collections}"
        if settings.baseline is not None or len(found.whole) == len(names):
            return f"{average}. {said}"
        if len(found.whole) > 1:
            return f"{average}, of {len(found.whole)} runs that all these collections have. {said}"
        return (
            f"By {found.label}, fewer than two runs cover all {collections}: means over different collections are not "
            "comparable, so no run is named as the best. Each pair of runs is compared on the collections that have "
            "both runs."
        )

    def more(self) -> list[Part]:
        """Returns the groups of runs that are not separated, and the number of significant pairs under each target."""
        found, names = self.found, self.whole.names
        said = []
        if self.whole.settings.baseline is None and len(names) > 2:
            said += self.groups_said(found.run_groups)
        if found.other_target is not None:
            sure = sum(pair.p_corrected < self.whole.settings.alpha for pair in found.pairs)
            targets = ["collections like these", "these collections alone"]
            one, other = targets if self.whole.settings.target == "similar" else targets[::-1]
            said.append(
                f"Significant pairs: {sure} of {len(found.pairs)} for {one}, {found.other_target} for {other}."
            )
        return [Items(said, hang=0)] if said else []

    def groups_said(self, groups: Sequence[tuple[int, ...]]) -> list[str]:
        """Returns a sentence about groups of runs that are not separated."""
        names = self.whole.names
        if not groups:
            return ["All neighbours in the order of the means are separated."]
        if len(groups) > MOST_GROUPS or len(names) > MOST_SHOWN:
            neighbours = [*pairwise(self.found.order)]
            alone = len({*neighbours} - {pair for each in groups for pair in pairwise(each)})
            pairs = plural(len(neighbours), "pair")
            return [f"Of {pairs} of neighbours in the order of the means, {alone} are separated."]
        shown = "; ".join(shortened([names[run] for run in each]) for each in groups)
        return [f"Not separated: {shown}."]

    def ranks_said(self) -> list[str]:
        """Returns the sentences about Friedman's and Nemenyi's tests."""
        found, alpha = self.found, self.whole.settings.alpha
        test = found.friedman
        if test is None or found.critical_difference is None:
            return []
        ties = ", corrected for ties" if test.ties == "corrected" else ""
        df, rest = test.runs - 1, (test.runs - 1) * (test.collections - 1)
        chi2 = f"chi-squared {decimals(test.chi2, 2)} (df {df}, p {p_text(test.p, alpha)})"
        f = f"F {decimals(test.f, 2)} (df {df} and {rest}, p {p_text(test.f_p, alpha)})"
        said = [f"Friedman's test on {plural(test.collections, 'collection')}{ties}: {chi2}, {f}."]
        if math.isinf(test.f):
            said.append("All collections rank the runs in the same order, so F and its p are not defined.")
        few = len(self.spans()) <= MOST_GROUPS
        bars = " A bar on the right joins runs that differ by less." if few else ""
        cut = f"CD {decimals(found.critical_difference, 3)}:"
        if (test.p if math.isnan(test.f_p) else test.f_p) < alpha:
            cut += f" mean ranks that differ by at least this differ significantly (Nemenyi, alpha {alpha:g}).{bars}"
        else:
            cut += (
                f" Nemenyi's critical difference of mean ranks, alpha {alpha:g}.{bars} It only describes the ranks "
                "here, since Friedman's test (by F) does not reject equal mean ranks."
            )
        if len(self.whole.names) > 2:
            cut += (
                " These tests compare ranks. The p-values of the pairs, which compare means, determine which runs are "
                "separated and which pairs are significant."
            )
        return [*said, cut]

    # ------------------------------------------------------------ tables

    def board(self) -> FittedTable:
        """Returns the table of runs: both means, the interval, the mean rank, the place and Borda points."""
        found, settings = self.found, self.whole.settings
        runs, shown = self.runs, column(decimals, found.means, digits=DIGITS)
        most = max((shown[run] for run in found.order[:1]), default="")
        columns: dict[str, list[str]] = {
            f"{found.label}\n{settings.average}": [Marked(each, bold=each == most) for each in shown],
            f"{100 * settings.confidence:g}% CI": column(interval, found.low, found.high, digits=DIGITS),
        }
        other = "micro" if settings.average == "macro" else "macro"
        means = getattr(found, other)
        if means is not None:
            columns[other] = column(decimals, means, digits=DIGITS)
        if self.whole.lacking and settings.absent == "skip":
            columns["of"] = [str(each) for each in found.counts]
        if found.mean_ranks is not None:
            columns["mean\nrank"] = column(decimals, found.mean_ranks, digits=2)
        if found.rank_low is not None and found.rank_high is not None:
            places = zip(found.rank_low, found.rank_high, strict=True)
            columns["place"] = [f"{low}-{high}" for low, high in places]
        columns["Borda"] = [f"{each:g}" for each in found.borda]
        rows = [
            [found.marks[run], self.whole.names[run], *(each[run] for each in columns.values())]
            for run in runs
        ]
        note = hidden_said(len(found.means) - len(runs), "compared and ", len(runs))
        least = ("Borda", "micro", "macro", "place")
        header = ["", "run", *columns]
        return FittedTable(header, rows, frozenset({0, 1}), note=note, shortest=LEAST_NAME, least=least)

    @cached_property
    def chosen(self) -> tuple[list[AcrossPair], str]:
        """The shown pairs with the better run first, and a sentence about the pairs that are not shown."""
        baseline = self.whole.settings.baseline
        runs = first_runs(self.found.order, self.view.top, baseline)
        return pairs_among(runs, self.found, self.view, with_baseline=baseline is not None)

    def posterior(self) -> list[FittedTable]:
        """Returns the table of the Bayesian signed-rank test, if a rope was specified."""
        settings, (shown, _) = self.whole.settings, self.chosen
        columns = posterior(shown)
        return [against(self.whole.names, self.found, settings, shown, columns)] * (settings.rope is not None)

    def against(self) -> FittedTable:
        """Returns the table of pairs: difference, interval, wins, p-value and Wilcoxon's p-value."""
        settings, (shown, note) = self.whole.settings, self.chosen
        columns = gaps(settings, shown, DIGITS) | wins(shown)
        if settings.absent == "skip" and self.whole.lacking:
            columns["of"] = [str(pair.collections) for pair in shown]
        columns |= chances(settings, shown)
        columns["Wilc."] = p_texts([pair.wilcoxon_corrected for pair in shown], settings.alpha)
        return against(self.whole.names, self.found, settings, shown, columns, note)

    def matrix(self) -> Table:
        """Returns the table of each run's means on each collection, with a row per collection if it fits."""
        text = replace(self, layout="text")
        letters_alone = [self.found.marks[run] for run in self.runs]
        for titles in (text.titles(), letters_alone):
            by_collection = text.by_collection(titles)
            if table_width(by_collection.header, by_collection.rows, 1) <= COLUMNS:
                return by_collection if self.layout == "text" else self.by_collection(self.titles())
        return self.by_run()

    def titles(self) -> list[str]:
        """Returns the letter and the name of each shown run, for use as column headers."""
        return self.cut(self.marked(self.runs), LEAST_NAME + 2)

    def marked(self, runs: Sequence[int]) -> list[str]:
        """Returns the letter and the name of each run."""
        return [f"{self.found.marks[run]} {self.whole.names[run]}" for run in runs]

    def cut(self, names: Sequence[str], room: int) -> list[str]:
        """Shortens names to at most ``room`` characters in text, and less in other formats."""
        return apart(names, room) if self.layout == "text" else apart(names)

    def cells(self, one: OneCollection) -> list[Marked]:
        """Returns the means of the shown runs on a collection, with letters, and with the best mean in bold."""
        raised = self.raised(one)
        written = [decimals(each, DIGITS) for each in one.means]
        known = [each for each, mean in zip(written, one.means, strict=True) if not math.isnan(mean)]
        most = (min if self.found.smaller_is_better else max)(known, key=float, default="")
        room = self.room
        return [Marked(written[run], raised[run], bold=written[run] == most, room=room) for run in self.runs]

    def raised(self, one: OneCollection) -> list[str]:
        """Returns the letters of the runs that each run significantly outperforms; empty if there are many runs."""
        among = len(self.whole.names)
        if one.beaten is None or among > MOST_LETTERED:
            return [""] * among
        return list(map(self.found.letters_of, one.beaten))

    def by_collection(self, titles: Sequence[str]) -> Table:
        """Returns the matrix with a row for each collection, followed by rows for the means.

        Args:
            titles: the column title of each shown run.
        """
        found = self.found
        names = self.cut([each.name for each in found.collections], LONGEST_COLLECTION)
        rows: list[list[str]] = [
            [name, str(one.queries), *self.cells(one)]
            for name, one in zip(names, found.collections, strict=True)
        ]
        for title, means in (("macro mean", found.macro), ("micro mean", found.micro)):
            if means is not None:
                cells = (Marked(decimals(means[run], DIGITS), room=self.room) for run in self.runs)
                rows.append([title, str(found.queries), *cells])
        header = ["collection", "queries", *titles]
        if found.queries is None:
            header, *rows = ([first, *others] for first, _, *others in (header, *rows))
        return Table(header, rows, 1)

    @cached_property
    def room(self) -> int:
        """The maximum number of letters in a cell of the matrix."""
        return max(len(each) for one in self.found.collections for each in self.raised(one))

    def by_run(self) -> Table:
        """Returns the matrix with a row for each run and a column for each collection."""
        names = self.cut([self.whole.names[run] for run in self.runs], LONGEST_COLLECTION)
        columns = [self.cells(one) for one in self.found.collections]
        titles = self.cut([one.name for one in self.found.collections], LEAST_NAME + 2)
        macro = [decimals(self.found.macro[run], DIGITS) for run in self.runs]
        rows = [
            [f"{self.found.marks[run]} {name}", *(each[place] for each in columns), macro[place]]
            for place, (run, name) in enumerate(zip(self.runs, names, strict=True))
        ]
        return Table(["run", *titles, "macro\nmean"], rows, 1)

    # ------------------------------------------------------------ the picture

    def differences(self) -> DifferencePicture:
        """Returns the picture of the differences between the shown runs and the baseline, or else the best run."""
        found, names, baseline = self.found, self.whole.names, self.whole.settings.baseline
        one = found.order[0] if baseline is None else baseline
        its = [turned(pair, pair.a + pair.b - one) for pair in found.pairs if one in (pair.a, pair.b)]
        by_run = {pair.a: pair for pair in its}
        rows = []
        for run in self.runs:
            if run == one:
                continue
            pair, by_collection = (
                by_run[run],
                [(each.name, each.means[run] - each.means[one]) for each in found.collections],
            )
            known = tuple(each for each in by_collection if not math.isnan(each[1]))
            rows.append(Differences(names[run], pair.difference, pair.low, pair.high, known))
        confidence = 100 * self.whole.settings.confidence
        return DifferencePicture(
            f"Difference of each run from {names[one]}, {found.label}: a circle for each collection, a "
            f"square for the mean, and its {confidence:g}% CI.",
            rows,
        )

    def spans(self) -> list[tuple[int, int]]:
        """Returns the first and the last row of each rank group, counted among the shown runs."""
        rows = {run: row for row, run in enumerate(self.by_rank())}
        found = []
        for each in self.found.rank_groups:
            there = [rows[run] for run in each if run in rows]
            if len(there) > 1:
                found.append((min(there), max(there)))
        return list(dict.fromkeys(found))

    def by_rank(self) -> list[int]:
        """Returns the shown runs, from the best to the worst mean rank."""
        ranks = self.found.mean_ranks or ()
        chosen = set(self.runs)
        return sorted(chosen, key=lambda run: (ranks[run], run)) if ranks else []

    def pictures(self) -> list[RankPicture]:
        """Returns the diagram of mean ranks as a list, which is empty if there are no mean ranks."""
        ranks, cut = self.found.mean_ranks, self.found.critical_difference
        if ranks is None or cut is None:
            return []
        order = self.by_rank()
        names = self.marked(order)
        shown = [ranks[run] for run in order]
        most = len(ranks) if len(shown) == len(ranks) else math.ceil(max(shown))
        return [RankPicture(names, shown, most, cut, self.spans())]
