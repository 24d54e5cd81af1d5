"""The result of ``carob.agreement``: its data, and the sections with tables and sentences."""

from __future__ import annotations

import math
from dataclasses import field
from typing import TYPE_CHECKING, Any

from carob._dataclasses import dataclass
from carob._numpy import np
from carob._version import __version__
from carob.comparison.findings import TESTS
from carob.comparison.tables import top_said
from carob.comparison.verdict import family_words
from carob.output.document import Document, Documented, Items, Line, Section, Table
from carob.output.errors import DataError, did_you_mean
from carob.output.language import filled
from carob.output.layout import decimals, listed
from carob.output.pictures.figures import panels, whiskers
from carob.output.results import Records
from carob.statistics.correlation_intervals import FEWEST
from carob.statistics.estimates import Estimate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from carob.comparison.findings import Settings
    from carob.evaluation.scores import Scores
    from carob.lists.rows import Floats, Integers
    from carob.output.pictures.figures import Drawing

SENTENCES = {
    "grades": "same grade: {same:.0%} of {documents:document} · weighted kappa {kappa} {interval}",
    "overlap": "overlap: {share:.0%}, {both} of {either:document} that A or B judged relevant",
    "one grade": (
        "Each judge used only one grade, so equal grades, kappa and B - A are not informative: the judges differ only "
        "in which documents they judged."
    ),
    "order unknown": "same order of systems: unknown (pass runs to compare their order)",
    "one run": "same order of systems: unknown for a single run (pass at least two)",
    "order": "same order: tau {tau} by {label} · {flips}/{pairs} pairs flip · {kept}/{significant} significant stay",
    "both": "Both judged {documents:document} of {queries} queries.",
    "bias": "{who}: {bias:+.2f} grades per document.",
    "generous": "B is more generous than A",
    "stricter": "B is stricter than A",
    "equal": "Neither judge is shown to be stricter",
    "kappas": "Quadratic kappa by query: {low} to {high}, median {median}{undefined}.",
    "undefined": "; undefined in {count}, where all grades are the same",
    "resamples": "Intervals: percentiles over whole queries, resampled {resamples} times, seed {seed}.",
    "tau": "Interval of tau: over other sets of as many queries, on Fisher's scale, as in carob correlate.",
    "tau flat": (
        "{labels}: tau has no interval, since both judges order the systems alike in every resample, which does not "
        "show how tau varies."
    ),
    "fates": (
        "kept, lost, gained, reversed: pairs that differ significantly under both judges, only under A, only under B, "
        "or under both in opposite directions."
    ),
    "test": "Significant, as in carob compare: {name}, alpha {alpha:g}; {family}.",
    "moved": "Largest move: {name}, rank {before} to {after}.",
    "unmoved": "No system changes its rank.",
    "left out": "{count:more run is/more runs are} not shown; {top} shows all.",
    "nothing flips": "No pair flips, and no pair loses or gains significance.",
    "flips": "{label}, flip (A's better run first): {pairs}.",
    "lost": "{label}, significant under A only: {pairs}.",
    "gained": "{label}, significant under B only: {pairs}.",
    "reversed": "{label}, significant, but reversed: {pairs}.",
    "only one judged": (
        "{a:document was/documents were} judged by A only and {b} by B only. No number above includes these "
        "documents."
    ),
    "only one listed": (
        "{a:document was/documents were} judged by A only and {b} by B only. Of the numbers above, only the overlap "
        "includes these documents."
    ),
    "own pool": (
        "{a:document was/documents were} judged by A only and {b} by B only. Under the other judge, these "
        "documents count as unjudged, and under most measures as not relevant. The pool 'both' scores "
        "systems only on documents that both judged."
    ),
    "shared pool": (
        "{a:document was/documents were} judged by A only and {b} by B only. These documents were left out "
        "for both judges, so values differ from those with all judgments."
    ),
    "queries": "Only {judge} judged {count:query, which was left out/queries, which were left out}: {first}.",
    "negative": "{count:negative grade/negative grades} counted as unjudged.",
    "few": "{count} systems make {pairs:pair}, so tau has few possible values.",
    "seen": (
        "Weighted kappa is {kappa:.2f}. Above {most:.2f}, B may have seen A's grades, for example in its training or "
        "prompt, and would agree less on other queries. A lower kappa does not rule this out."
    ),
    "right": "Agreement shows how similar two judges are, not which judge is correct.",
    "favour": (
        "A judge that is part of a system, such as the same language model, may favour that system. Counts "
        "of equal grades do not show this."
    ),
}
"""The sentences that describe an agreement."""


FATES = ("kept", "lost", "gained", "reversed")
"""The possible outcomes for a pair of systems that differs significantly under at least one judge."""

TOP = 10
"""The number of top systems that are compared separately, because judges disagree most about them."""


@dataclass(frozen=True)
class Judge:
    """A judge: one set of judgments.

    Args:
        name: the name of the qrels.
        judgments: the number of judgments.
        queries: the number of queries.
        mean: the mean grade.
    """

    name: str
    judgments: int
    queries: int
    mean: float


@dataclass(frozen=True, eq=False)
class Pairing:
    """The grades that two judges gave to the same documents.

    Args:
        queries: the queries that both judges judged, in byte order.
        a: the first judge's grades of the documents that both judged, query by query.
        b: the second judge's grades of the same documents.
        query: the index of the query of each document that both judged.
        documents: the ids of the documents that both judged.
        only_a: the number of documents that only the first judge judged, in queries that both judged.
        only_b: the number of documents that only the second judge judged, in queries that both judged.
        queries_a: queries that only the first judge judged.
        queries_b: queries that only the second judge judged.
        negative: the number of judgments with a negative grade, which count as unjudged.
        spelled: a sentence about an id that the judges seem to spell differently, or an empty string.
        one_grade: whether each judge used only one grade, above 0, in the queries that both judged, as in lists of
            relevant documents.
    """

    queries: tuple[str, ...]
    a: Floats
    b: Floats
    query: Integers
    documents: list[bytes] = field(repr=False)
    only_a: int
    only_b: int
    queries_a: tuple[str, ...]
    queries_b: tuple[str, ...]
    negative: int
    spelled: str = ""
    one_grade: bool = False

    @property
    def either(self) -> int:
        """The number of documents that at least one of the judges judged, in queries that both judged."""
        return len(self.documents) + self.only_a + self.only_b


@dataclass(frozen=True)
class Coefficient(Estimate):
    """A coefficient of agreement or correlation, with its interval.

    Args:
        name: the name of the coefficient.
    """

    name: str = field(kw_only=True)

    @property
    def row(self) -> tuple[str, float, float, float]:
        """The name, the value and the interval, as needed by tables of records and by figures."""
        return self.name, self.value, self.low, self.high

    @property
    def interval(self) -> str:
        """The interval as text, or an empty string if there is no interval."""
        return between(self.low, self.high)


def coefficient_named(name: str, known: Sequence[Coefficient], kind: str) -> Coefficient:
    """Returns the coefficient with this name.

    Raises:
        DataError: there is no coefficient with this name.
    """
    found = {each.name: each for each in known}
    if name not in found:
        raise DataError(f"There is no {kind} '{name}'. {did_you_mean(name, found, ', '.join(found))}")
    return found[name]


@dataclass(frozen=True, eq=False)
class Effect:
    """The effect of the choice of judge on one measure.

    Args:
        label: the measure.
        names: the systems.
        a: the mean of each system under the first judge.
        b: the mean of each system under the second judge.
        ranks_a: the rank of each system under the first judge; systems with equal means share a rank.
        ranks_b: the rank of each system under the second judge.
        tau: Kendall's τ_b between the two orders; NaN for a single system.
        tau_low: the lower end of the 95% interval of τ_b over other query sets of the same size, as in
            ``carob.correlate``; NaN if there is none.
        tau_high: the upper end of this interval.
        tau_ap: τ_AP, which penalises swaps near the top more, with the first judge's order as the true order.
        tau_top: τ_b among the first judge's ten best systems; NaN if there are at most ten systems.
        top_kept: the number of the first judge's ten best systems that are among the second judge's ten best.
        flips: pairs of systems that the judges put in opposite orders.
        kept: pairs that differ significantly in the same direction under both judges, with the better system first.
        lost: pairs that differ significantly only under the first judge.
        gained: pairs that differ significantly only under the second judge.
        reversed: pairs that differ significantly in opposite directions under the two judges. The better system by the
            first judge comes first.
    """

    label: str
    names: tuple[str, ...]
    a: tuple[float, ...]
    b: tuple[float, ...]
    ranks_a: tuple[int, ...]
    ranks_b: tuple[int, ...]
    tau: float
    tau_low: float
    tau_high: float
    tau_ap: float
    tau_top: float
    top_kept: int
    flips: tuple[tuple[str, str], ...]
    kept: tuple[tuple[str, str], ...] = ()
    lost: tuple[tuple[str, str], ...] = ()
    gained: tuple[tuple[str, str], ...] = ()
    reversed: tuple[tuple[str, str], ...] = ()

    @property
    def pairs(self) -> int:
        """The number of pairs of systems."""
        return len(self.names) * (len(self.names) - 1) // 2

    @property
    def significant(self) -> int:
        """The number of pairs that differ significantly under the first judge."""
        return len(self.kept) + len(self.lost) + len(self.reversed)

    @property
    def moved(self) -> tuple[str, int, int]:
        """The system whose rank differs most between the judges, with its rank under each judge."""
        place = max(range(len(self.names)), key=lambda each: abs(self.ranks_a[each] - self.ranks_b[each]))
        return self.names[place], self.ranks_a[place], self.ranks_b[place]


FEW_SYSTEMS = 10
MOST_PAIRS = 10
LONGEST_NAME = 36


def said(key: str, **values: Any) -> str:
    """Fills in a sentence about an agreement with the given values."""
    return filled(SENTENCES[key], **values)


def answer(found: Agreement) -> Section:
    """Returns the lines that summarise how well the judges agree on grades and on the order of systems."""
    same, kappa = found["same grade"].value, found["kappa, quadratic"]
    value, interval = decimals(kappa.value, 2), kappa.interval
    grades = said("grades", same=same, documents=found.shared, kappa=value, interval=interval)
    if found.pairing.one_grade:
        grades = said("overlap", share=found.overlap, both=found.shared, either=found.pairing.either)
    order = said("one run" if found.effects else "order unknown")
    if found.effects and found.effects[0].pairs:
        first = found.effects[0]
        flips, kept = len(first.flips), len(first.kept)
        tau, significant = decimals(first.tau, 2), first.significant
        numbers = {"flips": flips, "pairs": first.pairs, "kept": kept, "significant": significant}
        order = said("order", tau=tau, label=first.label, **numbers)
    doubts = Section.warned(found.warnings).parts
    return Section([Line(grades, "answer"), Line(order, "answer"), *doubts])


def judges(found: Agreement) -> Section:
    """Returns the section with the number of judgments of each judge."""
    pairing, rows = found.pairing, []
    for letter, each, alone in (("A", found.a, pairing.only_a), ("B", found.b, pairing.only_b)):
        counts = [str(each.judgments), str(each.queries), decimals(each.mean, 2), str(alone)]
        rows.append([f"{letter} {tail(each.name)}", *counts])
    both = said("both", documents=found.shared, queries=len(pairing.queries))
    header = ["judge", "judgments", "queries", "mean grade", "alone"]
    return Section([Table(header, rows), Items([both])], "Judges")


def tail(path: str) -> str:
    """Shortens a long path to its end, which is the part that distinguishes files."""
    return path if len(path) <= LONGEST_NAME else f"…{path[1 - LONGEST_NAME :]}"


def confusion(found: Agreement) -> Section:
    """Returns the section with the confusion matrix of the grades."""
    names = [f"{grade:g}" for grade in found.grades]
    counts = np.vstack([found.table, found.table.sum(axis=0)]).astype(int)
    rows = [
        [name, *map(str, [*row.tolist(), row.sum()])]
        for name, row in zip([*(f"A {name}" for name in names), "sum"], counts, strict=True)
    ]
    table = Table(["", *(f"B {name}" for name in names), "sum"], rows)
    return Section([table], "Grades, A's down and B's across")


def statistics(found: Agreement) -> Section:
    """Returns the section with the coefficients of agreement."""
    rows = [[each.name, decimals(each.value, 2), each.interval or "-"] for each in found.statistics]
    bias = found["bias, B - A"]
    who = "generous" if bias.low > 0 else "stricter" if bias.high < 0 else "equal"
    one_grade = found.pairing.one_grade
    sentences = [said("one grade") if one_grade else said("bias", who=said(who), bias=bias.value)]
    known = found.kappas[~np.isnan(found.kappas)]
    if len(known):
        low, median, high = (decimals(each, 2) for each in np.quantile(known, [0, 0.5, 1]).tolist())
        left = len(found.kappas) - len(known)
        undefined = said("undefined", count=left) if left else ""
        sentences.append(said("kappas", low=low, high=high, median=median, undefined=undefined))
    sentences.append(said("resamples", resamples=found.resamples, seed=found.seed))
    return Section([Table(["statistic", "value", "95% interval"], rows), Items(sentences)], "Agreement")


def orders(found: Agreement) -> Section:
    """Returns the section with the rank correlation between the two orders of systems for every measure."""
    many = not math.isnan(found.effects[0].tau_top)
    header = ["measure", "tau", "95% interval", "tau_AP", "pairs", "flip", *FATES]
    rows = [
        [
            each.label,
            decimals(each.tau, 2),
            between(each.tau_low, each.tau_high) or "-",
            decimals(each.tau_ap, 2),
            *map(str, [each.pairs, len(each.flips), *(len(getattr(each, fate)) for fate in FATES)]),
            *([decimals(each.tau_top, 2), f"{each.top_kept}/10"] if many else []),
        ]
        for each in found.effects
    ]
    flat = [each.label for each in found.effects if abs(each.tau) == 1 and math.isnan(each.tau_low)]
    enough = found.pairing.queries and len(found.pairing.queries) >= FEWEST
    about = [said("tau flat", labels=listed(flat))] if flat and enough else []
    sentences = [said("tau"), *about, said("fates")]
    if found.settings is not None:
        settings, family = found.settings, family_words(found.settings, len(found.effects))
        sentences.append(said("test", name=TESTS[settings.test], alpha=settings.alpha, family=family))
    table = Table([*header, *(["tau top 10", "stay in it"] if many else [])], rows)
    return Section([table, Items(sentences)], "Order of systems")


def systems(effect: Effect, top: int | None = None) -> Section:
    """Returns the section with each system's mean under both judges, in the first judge's order.

    Args:
        effect: the means and ranks for one measure.
        top: the largest number of systems to show; None for all.
    """
    columns = zip(effect.names, effect.a, effect.ranks_a, effect.b, effect.ranks_b, strict=True)
    rows = [
        [name, f"{a:.4f}", str(rank_a), f"{b:.4f}", str(rank_b), f"{b - a:+.4f}"]
        for name, a, rank_a, b, rank_b in sorted(columns, key=lambda each: each[2])
    ]
    name, before, after = effect.moved
    moved = said("unmoved" if before == after else "moved", name=name, before=before, after=after)
    shown = rows[:top]
    sentences = [moved] if len(rows) > 1 else []
    if len(shown) < len(rows):
        sentences.append(said("left out", count=len(rows) - len(shown), top=top_said(len(rows))))
    table = Table(["run", "A", "rank", "B", "rank", "B - A"], shown)
    return Section([table, Items(sentences)], f"{effect.label} under each judge")


def fates(found: Agreement) -> Section:
    """Returns the section with the pairs of systems that flip, or whose significance is lost, gained or reversed."""
    sentences = [
        said(kind, label=each.label, pairs=listed(list(map(" > ".join, pairs)), MOST_PAIRS))
        for each in found.effects
        for kind in ("flips", "lost", "gained", "reversed")
        if (pairs := getattr(each, kind))
    ]
    return Section([Items(sentences or [said("nothing flips")])], "Pairs of systems")


def limits(found: Agreement) -> Section:
    """Returns the section on the assumptions behind the numbers and on their limitations."""
    pairing, lines = found.pairing, []
    if pairing.only_a + pairing.only_b:
        pool = "own pool" if found.pool == "own" else "shared pool"
        alone = "only one listed" if pairing.one_grade else "only one judged"
        lines.append(said(pool if found.effects else alone, a=pairing.only_a, b=pairing.only_b))
    for queries, judge in ((pairing.queries_a, "A"), (pairing.queries_b, "B")):
        if queries:
            lines.append(said("queries", judge=judge, count=len(queries), first=listed(queries)))
    if pairing.negative:
        lines.append(said("negative", count=pairing.negative))
    if found.effects and 1 < len(found.effects[0].names) < FEW_SYSTEMS:
        first = found.effects[0]
        lines.append(said("few", count=len(first.names), pairs=first.pairs))
    lines += [said("right"), said("favour")]
    return Section([Items(lines), Items(found.footers, "footer")], "Limits of these numbers")


def between(low: float, high: float) -> str:
    """Returns an interval as text, or an empty string if there is none."""
    return "" if math.isnan(low) else f"[{low:.2f}, {high:.2f}]"


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Documented):
    """The agreement of two judges, and the effect on systems. ``str(agreement)`` returns the whole text.

    Args:
        a: the first judge, who is the reference.
        b: the second judge.
        pairing: the documents that both judged, with their grades.
        grades: all grades, in ascending order.
        table: the number of documents by the first judge's grade (rows) and the second judge's grade (columns).
        tables: the same table for each query [queries, grades, grades].
        statistics: κ and the other coefficients, with intervals.
        kappas: the quadratic κ of each query; NaN if undefined.
        effects: the effect on systems, by measure; empty without runs.
        settings: the settings of the tests of pairs of systems; None without runs.
        scores: the scores of each system under the first judge, then under the second.
        pool: the documents that count as judged when systems are scored: each judge's ``own`` documents, or only those
            that ``both`` judged.
        warnings: the reasons why the agreement or the orders of systems are doubtful.
        footers: further notes on the systems' data.
        resamples: the number of bootstrap samples of queries.
        seed: the seed of the bootstrap.
        top: the largest number of systems in a table; None for all.
    """

    a: Judge
    b: Judge
    pairing: Pairing
    grades: tuple[float, ...]
    table: Floats
    tables: Floats = field(repr=False)
    statistics: tuple[Coefficient, ...]
    kappas: Floats
    effects: tuple[Effect, ...]
    settings: Settings | None
    scores: tuple[Scores, ...] = field(repr=False)
    pool: str
    warnings: tuple[str, ...]
    footers: tuple[str, ...]
    resamples: int
    seed: int
    top: int | None = None

    def __getitem__(self, name: str) -> Coefficient:
        """Returns the statistic with this name.

        Raises:
            DataError: there is no statistic with this name.
        """
        return coefficient_named(name, self.statistics, "statistic")

    @property
    def shared(self) -> int:
        """The number of documents that both judged."""
        return len(self.pairing.a)

    @property
    def overlap(self) -> float:
        """The share of the documents judged relevant by A or B that both did; NaN unless each used only one grade."""
        return self.shared / self.pairing.either if self.pairing.one_grade else math.nan

    def document(self, _layout: str = "text", /) -> Document:
        """Returns the document: a two-line answer, the grades, the orders of systems, and the limitations."""
        parts = [answer(self), judges(self), confusion(self), statistics(self)]
        if self.effects and self.effects[0].pairs:
            parts += [orders(self), systems(self.effects[0], self.top), fates(self)]
        elif self.effects:
            parts.append(systems(self.effects[0], self.top))
        return Document([*parts, limits(self)])

    def contents(self) -> dict[str, Any]:
        """Returns all results by name."""
        pairing = self.pairing
        return {
            "a": self.a,
            "b": self.b,
            "documents": {"both": self.shared, "only_a": pairing.only_a, "only_b": pairing.only_b},
            "queries": {"both": pairing.queries, "only_a": pairing.queries_a, "only_b": pairing.queries_b},
            "overlap": None if math.isnan(self.overlap) else self.overlap,
            "grades": self.grades,
            "confusion": self.table.astype(int).tolist(),
            "statistics": {
                each.name: {"value": each.value, "low": each.low, "high": each.high}
                for each in self.statistics
            },
            "kappa_by_query": dict(zip(pairing.queries, self.kappas.tolist(), strict=True)),
            "systems": {each.label: each for each in self.effects},
            "test": self.settings,
            "pool": self.pool,
            "warnings": self.warnings,
            "footers": self.footers,
            "resamples": self.resamples,
            "seed": self.seed,
            "carob": __version__,
        }

    def records(self) -> dict[str, Callable[[], Records]]:
        """Returns the tables ``queries``, ``statistics`` and ``systems``.

        ``queries`` contains the number of documents that both judged, the share of equal grades, the mean of B - A, and
        the quadratic κ of each query. ``statistics`` contains each value with its interval. ``systems`` contains the
        mean and the rank of each system under both judges for each measure.
        """
        rows = [each.row for each in self.statistics]
        return {
            "queries": self.query_records,
            "statistics": lambda: Records(["name", "value", "low", "high"], rows),
            "systems": self.system_records,
        }

    def figures(self) -> dict[str, Drawing]:
        """Returns the functions that draw the statistics and their intervals, and the systems' means by judge."""
        rows = [each.row for each in self.statistics]
        points = [
            (f"A: {each.label}", each.a, f"B: {each.label}", each.b, each.names) for each in self.effects
        ]
        drawn = {"statistics": lambda drawn: whiskers(drawn, rows, "agreement")}
        return {**drawn, **({"systems": lambda drawn: panels(drawn, points)} if points else {})}

    def system_records(self) -> Records:
        """Returns a row for each measure and system."""
        rows = [
            (each.label, *row)
            for each in self.effects
            for row in zip(each.names, each.a, each.ranks_a, each.b, each.ranks_b, strict=True)
        ]
        return Records(["measure", "run", "a", "rank a", "b", "rank b"], rows)

    def query_records(self) -> Records:
        """Returns a row for each query."""
        pairing, count = self.pairing, len(self.pairing.queries)
        documents = np.bincount(pairing.query, minlength=count)
        same = np.bincount(pairing.query, pairing.a == pairing.b, count)
        bias = np.bincount(pairing.query, pairing.b - pairing.a, count)
        with np.errstate(invalid="ignore"):
            columns = (documents, same / documents, bias / documents, self.kappas)
        rows = list(zip(pairing.queries, *(each.tolist() for each in columns), strict=True))
        return Records(["query", "documents", "same grade", "bias", "kappa"], rows)
