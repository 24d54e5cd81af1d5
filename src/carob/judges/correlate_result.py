"""The result of ``carob.correlate``: its data, and the tables, data frames and figures."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from carob._dataclasses import dataclass
from carob._version import __version__
from carob.comparison.findings import TESTS
from carob.comparison.tables import top_said
from carob.judges.agreement_result import FATES, Coefficient, coefficient_named
from carob.output.document import Document, Documented, Items, Line, Section, Table
from carob.output.escaping import shortened
from carob.output.language import filled
from carob.output.layout import apart, decimals, listed
from carob.output.pictures.figures import figure_of, panels, whiskers
from carob.output.results import Records
from carob.statistics.correlation_intervals import FEWEST

if TYPE_CHECKING:
    from collections.abc import Callable

    from carob.comparison.findings import Settings
    from carob.output.pictures.figures import Drawing

SENTENCES = {
    "title": "Correlations with {truth}",
    "answer": "Of all {kind}, {which} orders runs most like {truth}: {name} {value}{interval}.",
    "answer:one": "{which} against {truth}: {name} {value}{interval}.",
    "answer:tied": "With the same {name}: {others}.",
    "answer:sizes": "{kind} have different queries or runs, so these correlations are not comparable.",
    "undefined:truth": "{name} is not defined: {truth} ties all runs.",
    "undefined:judges": "{name} is not defined: the judge ties all runs.",
    "undefined:judges several": "{name} is not defined: each judge ties all runs.",
    "undefined:one": "{name} is not defined: it compares only one run.",
    "undefined:other": "{name} is not defined: all runs that it compares are tied.",
    "order": "Order by {measure} in {truth}{size}",
    "size": ", {runs:run/runs}, {queries:query/queries}",
    "size:means": ", {runs:run/runs}",
    "pairs": "Pairs of runs, {measure}",
    "turned": "{judge}{measure} reverses pairs that differ significantly under the truth: {pairs}.",
    "grades": "Grades",
    "lacking:skip": "{judge} lacks {count:run, which was left out/runs, which were left out}: {names}.",
    "lacking:zero": "{judge} lacks {count:run, which has the value 0/runs, which have the value 0}: {names}.",
    "extra": "{judge} has {count:run/runs} that the truth lacks, left out.",
    "left out": "{judge}: {count:query/queries} that only one side has, left out.",
    "zeros": "{judge} lacks {count:query, which has the value 0/queries, which have the value 0}: {names}.",
    "stated": (
        "Means over queries as the files state them: without per-query scores, there is no interval over "
        "queries and no test."
    ),
    "over:queries": (
        "{level}% CI: over other sets of as many queries, for these runs ({resamples:,} resamples, seed "
        "{seed}). It covers the mean correlation of such sets. With more queries, correlations rise, since "
        "the means have less noise."
    ),
    "over:runs": (
        "{level}% CI: over other sets of as many runs and other queries ({resamples:,} resamples, seed "
        "{seed})."
    ),
    "flat": (
        "No interval where a correlation is perfect or the same in all resamples: they do not show how it varies. "
        "Each resample of the runs of a perfect order is perfect."
    ),
    "test": "Significant, as in carob compare: {name}, alpha {alpha:g}.",
    "fates": (
        "flip: the {other} has the other order. turned: flips that are significant under the truth. kept, "
        "lost, gained, reversed: significant under both, only the truth, only the {other}, or both in opposite "
        "directions."
    ),
    "few": "{count} runs make {pairs:pair}, so rank correlations have few possible values.",
}
"""The sentences that describe correlations."""

MOST_PAIRS = 10
"""The maximum number of pairs of runs that a sentence lists."""

LONGEST = 24
"""The maximum number of characters of a judge's name in tables."""

MOST_TIED = 3
"""The maximum number of judges that a sentence lists as tied with the first."""

FEW = 10
"""The number of runs below which a rank correlation has few possible values."""

SHOWN = ("same grade", "kappa, quadratic", "alpha, ordinal", "bias, B - A")
"""The statistics of grades in the printed table; the data frame contains all statistics."""

OUTCOMES = ("turned", *FATES)
"""The possible outcomes for pairs of runs that differ significantly."""

PAIR_TITLES = ("pairs", "tied", "flip", "signi-\nficant", "turned", "kept", "lost", "gained", "re-\nversed")
"""The headers of the columns with the numbers of pairs."""


def said(key: str, **values: Any) -> str:
    """Fills in a sentence about correlations with the given values."""
    return filled(SENTENCES[key], **values)


@dataclass(frozen=True)
class Turned:
    """The pairs of runs that differ significantly, grouped by outcome. The truth's better run comes first.

    Args:
        significant: the number of pairs that differ significantly under the truth.
        turned: pairs that differ significantly under the truth and are in the opposite order under the judge,
            significantly or not.
        kept: pairs that differ significantly in the same direction under both.
        lost: pairs that differ significantly only under the truth.
        gained: pairs that differ significantly only under the judge, with the judge's better run first.
        reversed: pairs that differ significantly in opposite directions.
    """

    significant: int
    turned: tuple[tuple[str, str], ...]
    kept: tuple[tuple[str, str], ...]
    lost: tuple[tuple[str, str], ...]
    gained: tuple[tuple[str, str], ...]
    reversed: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Correlated:
    """A judge's order of runs by one measure, compared with the truth's order.

    Args:
        judge: the judge.
        truth_measure: the truth's measure.
        measure: the judge's measure.
        runs: the runs that were compared, sorted by name.
        queries: the number of queries that truth and judge share; None if the means are stated in the files.
        truth: the mean of each run under the truth.
        values: the mean of each run under the judge.
        coefficients: the correlations.
        flips: the pairs of runs that are in opposite orders, with the truth's better run first.
        ties: the number of pairs that are tied under the truth or under the judge.
        lacking: the truth's runs that are missing from the judge, which were skipped or counted as zero.
        extra: the number of the judge's runs that are missing from the truth, which were left out.
        left_out: the number of queries that only the truth or only the judge has, which were left out.
        turned: the pairs that differ significantly, by outcome; None if only means are known.
        zeros: the truth's queries that are missing from the judge, which were counted as zero.
        shared: the queries that were compared; empty if the means are stated in the files.
    """

    judge: str
    truth_measure: str
    measure: str
    runs: tuple[str, ...]
    queries: int | None
    truth: tuple[float, ...]
    values: tuple[float, ...]
    coefficients: tuple[Coefficient, ...]
    flips: tuple[tuple[str, str], ...]
    ties: int
    lacking: tuple[str, ...]
    extra: int
    left_out: int
    turned: Turned | None
    zeros: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Coefficient:
        """Returns the correlation with this name.

        Raises:
            DataError: the correlation was not computed.
        """
        return coefficient_named(name, self.coefficients, "correlation")

    def flat(self, over: str) -> bool:
        """Returns whether a correlation has no interval even though there are enough queries or runs to compute one."""
        units = len(self.runs) if over == "runs" else self.queries or 0
        without = (each for each in self.coefficients if not each.bounded and not math.isnan(each.value))
        return units >= FEWEST and any(without)

    @property
    def pairs(self) -> int:
        """The number of pairs of runs."""
        return len(self.runs) * (len(self.runs) - 1) // 2


@dataclass(frozen=True)
class GradeAgreement:
    """The agreement of a judge's grades with the truth's grades.

    Args:
        judge: the judge.
        documents: the number of documents that both graded.
        only_truth: the number of documents that only the truth graded, in queries that both judged.
        only_judge: the number of documents that only the judge graded, in queries that both judged.
        statistics: κ, α and other statistics with 95% intervals, as in ``carob.agreement``.
    """

    judge: str
    documents: int
    only_truth: int
    only_judge: int
    statistics: tuple[Coefficient, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Correlations(Documented):
    """The correlations of judges with a truth. ``str(correlations)`` returns tables with notes.

    Args:
        truth: the name of the truth.
        rows: the correlations of each judge for each measure.
        grades: the agreement of grades; empty for leaderboards.
        over: what the intervals generalise to: other ``queries`` or other ``runs``.
        pool: the documents that counted as judged; None for leaderboards.
        missing_runs: how runs that are missing from a judge were treated.
        means: the means of leaderboards that were used.
        settings: the settings of the tests of pairs of runs.
        confidence: the confidence level of the intervals.
        resamples: the number of resamples.
        seed: the seed of the resamples.
        warnings: the reasons why the orders of runs are doubtful.
        footers: notes on the data that were left out, and further notes.
        of_measures: whether measures of the truth are compared, without any judge.
        top: the largest number of judges or measures in a table; None for all.
    """

    truth: str
    rows: tuple[Correlated, ...]
    grades: tuple[GradeAgreement, ...]
    over: str
    pool: str | None
    missing_runs: str
    means: str
    settings: Settings
    confidence: float
    resamples: int
    seed: int
    warnings: tuple[str, ...] = ()
    footers: tuple[str, ...] = ()
    of_measures: bool = False
    top: int | None = None

    def document(self, layout: str = "text", /) -> Document:
        """Returns the document: answer, correlations and pairs for each measure, grades, and notes."""
        sections = [self.answer()]
        for measure in dict.fromkeys(each.truth_measure for each in self.rows):
            rows = [each for each in self.rows if each.truth_measure == measure]
            kept = self.highest(rows)
            sections += [self.correlations(measure, kept), self.pairs(measure, kept)]
            if len(kept) < len(rows):
                counted = "{count:more row is/more rows are} not shown; {top} shows all."
                told = filled(counted, count=len(rows) - len(kept), top=top_said(len(rows)))
                sections.append(Section([Line(told)]))
        if self.grades:
            sections.append(self.agreement())
        title = said("title", truth=shortened(self.truth, LONGEST)) if layout == "html" else ""
        return Document([*sections, Section([Items(self.remarks())]), Section.warned(self.warnings)], title)

    def highest(self, rows: list[Correlated]) -> list[Correlated]:
        """Returns the rows to show: all rows in their order, or the ``top`` rows with the highest first coefficient."""
        if self.top is None or self.top >= len(rows):
            return rows

        def place(row: Correlated) -> tuple[bool, float]:
            value = row.coefficients[0].value
            return (math.isnan(value), -value)

        return sorted(rows, key=place)[: self.top]

    def answer(self) -> Section:
        """Returns the section with a sentence about the judge whose first correlation is the highest."""
        known = [each for each in self.rows if not math.isnan(each.coefficients[0].value)]
        if not known:
            return Section([Line(self.undefined(), "verdict")])
        best = max(known, key=lambda each: each.coefficients[0].value)
        first = best.coefficients[0]
        differ = len({(each.runs, each.queries, each.shared) for each in self.rows}) > 1
        which = best.measure + (self.size({(len(best.runs), best.queries)}) if differ else "")
        answer = said(
            "answer" if len(self.rows) > 1 else "answer:one",
            kind="measures" if self.of_measures else "judges",
            which=which if self.of_measures else f"{shortened(best.judge, LONGEST)} (by {which})",
            truth=best.truth_measure if self.of_measures else shortened(self.truth, LONGEST),
            name=first.name,
            value=decimals(first.value, 3),
            interval=f" {first.interval}" if first.bounded else "",
        )
        sentences = [answer]
        same = [each for each in known if each is not best and each.coefficients[0].value == first.value]
        if same:
            others = dict.fromkeys(
                each.measure if self.of_measures else shortened(each.judge, LONGEST) for each in same
            )
            sentences.append(said("answer:tied", name=first.name, others=listed(list(others), MOST_TIED)))
        if differ:
            alone = self.of_measures or len({each.judge for each in self.rows}) == 1
            sentences.append(said("answer:sizes", kind="Measures" if alone else "Judges"))
        return Section([Line(" ".join(sentences), "verdict")])

    def undefined(self) -> str:
        """Returns the reason why the first correlation is undefined for every judge."""
        name = self.rows[0].coefficients[0].name
        words = {"name": name, "truth": shortened(self.truth, LONGEST)}
        if all(len(set(each.truth)) == 1 for each in self.rows):
            return said("undefined:truth", **words)
        if name.endswith("@1"):
            return said("undefined:one", **words)
        if all(len(set(each.values)) == 1 for each in self.rows):
            several = " several" if len({each.judge for each in self.rows}) > 1 else ""
            return said(f"undefined:judges{several}", **words)
        return said("undefined:other", **words)

    def titles(self, rows: list[Correlated]) -> tuple[list[str], list[list[str]]]:
        """Returns the headers and the cells of the columns that identify the judge and its measure."""
        names = apart([each.judge for each in rows], LONGEST)
        if all(each.measure == each.truth_measure for each in rows):
            return ["judge"], [[name] for name in names]
        if self.of_measures:
            return ["measure"], [[each.measure] for each in rows]
        return ["judge", "measure"], [[name, each.measure] for name, each in zip(names, rows, strict=True)]

    def correlations(self, measure: str, rows: list[Correlated]) -> Section:
        """Returns the table of correlations with one measure of the truth."""
        header, cells = self.titles(rows)
        sampled = self.sampled
        level = f"\n{100 * self.confidence:g}% CI" if sampled else ""
        sizes = {(len(each.runs), each.queries) for each in rows}
        for own, each in zip(cells, rows, strict=True):
            if len(sizes) > 1:
                own += [str(len(each.runs)), "-" if each.queries is None else str(each.queries)]
            values = ((decimals(its.value, 3), its.interval or "-") for its in each.coefficients)
            own += [f"{value} {interval}" if sampled else value for value, interval in values]
        keep = len(header)
        if len(sizes) > 1:
            header += ["runs", "queries"]
        names = dict.fromkeys(its.name for each in rows for its in each.coefficients)
        header += [name + level for name in names]
        title = said("order", measure=measure, truth=shortened(self.truth, LONGEST), size=self.size(sizes))
        return Section([Table(header, cells, names=keep, keep=keep)], title)

    def size(self, sizes: set[tuple[int, int | None]]) -> str:
        """Returns the number of runs and queries in words, or an empty string if they differ from judge to judge."""
        if len(sizes) > 1:
            return ""
        ((runs, queries),) = sizes
        return said("size" if queries is not None else "size:means", runs=runs, queries=queries or 0)

    @property
    def sampled(self) -> bool:
        """Whether there are intervals."""
        return any(own.bounded for each in self.rows for own in each.coefficients)

    def pairs(self, measure: str, rows: list[Correlated]) -> Section:
        """Returns the table of the pairs of runs, and the significant pairs that each judge reverses."""
        header, cells = self.titles(rows)
        keep = len(header)
        for own, each in zip(cells, rows, strict=True):
            fates: list[object] = ["-"] * (1 + len(OUTCOMES))
            if each.turned is not None:
                fates = [each.turned.significant, *(len(getattr(each.turned, fate)) for fate in OUTCOMES)]
            own += map(str, (each.pairs, each.ties, len(each.flips), *fates))
        header += PAIR_TITLES
        sentences = [
            said(
                "turned",
                judge=own[0],
                measure="" if keep == 1 else f" ({each.measure})",
                pairs=pairs_in_words(each.turned.turned),
            )
            for own, each in zip(cells, rows, strict=True)
            if each.turned is not None and each.turned.turned
        ]
        table = Table(header, cells, names=keep, keep=keep)
        return Section([table, Items(sentences)], said("pairs", measure=measure))

    def agreement(self) -> Section:
        """Returns the table of the agreement on grades."""
        names = apart([each.judge for each in self.grades], LONGEST)
        rows = []
        for name, each in zip(names, self.grades, strict=True):
            found = {its.name: its for its in each.statistics}
            row = [name, str(each.documents)]
            row += [f"{decimals(found[key].value, 2)} {found[key].interval}".rstrip() for key in SHOWN]
            rows.append(row)
        header = ["judge", "both\njudged"]
        header += [f"{key}\n95% CI" for key in ("same grade", "weighted kappa", "ordinal alpha", "bias")]
        return Section([Table(header, rows)], said("grades"))

    def remarks(self) -> list[str]:
        """Returns the sentences about omitted data, the method and its limitations."""
        found = self.left_out()
        if any(each.queries is None for each in self.rows):
            found.append(said("stated"))
        if self.sampled:
            level = f"{100 * self.confidence:g}"
            found.append(said(f"over:{self.over}", level=level, resamples=self.resamples, seed=self.seed))
        if any(each.flat(self.over) for each in self.rows):
            found.append(said("flat"))
        if any(each.turned is not None for each in self.rows):
            found.append(said("test", name=TESTS[self.settings.test], alpha=self.settings.alpha))
            found.append(said("fates", other="measure" if self.of_measures else "judge"))
        few = min((len(each.runs) for each in self.rows), default=FEW)
        if few < FEW:
            found.append(said("few", count=few, pairs=few * (few - 1) // 2))
        return found

    def left_out(self) -> list[str]:
        """Returns the sentences about omitted data, and further notes on the data."""
        found = [*self.footers]
        for judge, lacking, extra, left_out, zeros in dict.fromkeys(
            (each.judge, each.lacking, each.extra, each.left_out, each.zeros) for each in self.rows
        ):
            short = shortened(judge, LONGEST)
            sentences = (
                (f"lacking:{self.missing_runs}", judge, len(lacking), lacking),
                ("extra", short, extra, ()),
                ("zeros", judge, len(zeros), zeros),
                ("left out", short, left_out, ()),
            )
            found += [
                said(key, judge=own, count=count, names=listed(names))
                for key, own, count, names in sentences
                if count
            ]
        return found

    def contents(self) -> dict[str, Any]:
        """Returns all results by name."""
        own = super().contents()
        del own["of_measures"], own["top"]
        called = {"rows": "judges", "settings": "test"}
        return {called.get(name, name): each for name, each in own.items()} | {"carob": __version__}

    def records(self) -> dict[str, Callable[[], Records]]:
        """Returns the tables ``correlations``, ``pairs``, ``runs`` and ``grades``.

        ``pairs`` contains the pairs of runs that flip or that differ significantly, ``runs`` contains the means of each
        run, and ``grades`` contains the statistics of the grades.
        """
        start = ["judge", "truth_measure", "measure"]
        own = [((each.judge, each.truth_measure, each.measure), each) for each in self.rows]
        return {
            "correlations": lambda: Records(
                [*start, "runs", "queries", "correlation", "value", "low", "high"],
                [
                    (*names, len(each.runs), each.queries, *its.row)
                    for names, each in own
                    for its in each.coefficients
                ],
            ),
            "pairs": lambda: Records(
                [*start, "fate", "better", "worse"],
                [
                    *((*names, "flip", *both) for names, each in own for both in each.flips),
                    *(
                        (*names, fate, *both)
                        for names, each in own
                        for fate in OUTCOMES
                        for both in getattr(each.turned, fate, ())
                    ),
                ],
            ),
            "runs": lambda: Records(
                [*start, "run", "truth", "value"],
                [
                    (*names, *row)
                    for names, each in own
                    for row in zip(each.runs, each.truth, each.values, strict=True)
                ],
            ),
            "grades": lambda: Records(
                ["judge", "documents", "statistic", "value", "low", "high"],
                [(each.judge, each.documents, *its.row) for each in self.grades for its in each.statistics],
            ),
        }

    def beside(self) -> list[str]:
        """Returns the notes on omitted data and the warnings, which do not fit in CSV."""
        return [*self.warnings, *self.left_out()]

    def figures(self, correlation: str | None = None) -> dict[str, Drawing]:
        """Returns the functions that draw the figures, by the name of the figure."""
        name = correlation or self.rows[0].coefficients[0].name
        points = [
            (f"{self.truth}: {each.truth_measure}", each.truth, self.label(each), each.values, each.runs)
            for each in self.rows
        ]
        return {
            "correlations": lambda drawn: whiskers(
                drawn, [(self.label(each), each[name].value, *ends(each[name])) for each in self.rows], name
            ),
            "runs": lambda drawn: panels(drawn, points),
        }

    def to_figure(self, kind: str | None = None, correlation: str | None = None) -> Any:
        """Draws the correlations with the truth, or the runs' means, and returns the matplotlib figure.

        Args:
            kind: ``correlations`` (the default if None) draws one correlation of each judge with its interval; ``runs``
                draws each run's mean under the truth and under the judge, with one panel per judge.
            correlation: the correlation; the first one if None.

        Raises:
            DataError: matplotlib is not installed, or the figure or the correlation does not exist.
        """
        return figure_of(self.figures(correlation), kind)

    def label(self, row: Correlated) -> str:
        """Returns the label of a row: the judge and its measure."""
        return row.measure if self.of_measures else f"{row.judge}: {row.measure}"


def ends(found: Coefficient) -> tuple[float, float]:
    """Returns the ends of the interval, or the value twice if there is no interval."""
    return (found.value, found.value) if math.isnan(found.low) else (found.low, found.high)


def pairs_in_words(pairs: tuple[tuple[str, str], ...]) -> str:
    """Returns pairs of runs as text, such as ``x > y``."""
    return listed([f"{better} > {worse}" for better, worse in pairs], MOST_PAIRS)
