"""The result of ``karat.agreement``: its data, and their output as text, Markdown, JSON and data frames."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from karat._version import __version__
from karat.comparison.verdict import TEST_NAMES, family_words, listed, score
from karat.evaluation.scores import first_installed
from karat.output import escaping
from karat.output.errors import DataError, did_you_mean
from karat.output.language import plural
from karat.output.tables import Display, folded, in_bands, lay_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karat.comparison import Settings
    from karat.evaluation.scores import Scores
    from karat.lists.rows import Floats, Integers

__all__ = ["TOP", "Agreement", "Effect", "Judge", "Pairing", "Statistic"]


TOP = 10
"""The number of best systems that are compared separately, since judges differ most there."""


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
    """The grades of two judges, side by side.

    Args:
        queries: those that both judged, in byte order.
        a: the first judge's grades of the documents that both judged, query by query.
        b: the second judge's.
        query: the index of each such document's query.
        documents: their ids.
        only_a: documents that only the first judged, in queries that both did.
        only_b: documents that only the second judged there.
        queries_a: queries that only the first judged.
        queries_b: queries that only the second judged.
        negative: judgments with a negative grade, which means unjudged.
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


@dataclass(frozen=True)
class Statistic:
    """A coefficient of agreement with its 95 % interval over queries.

    Args:
        name: of the coefficient.
        value: over all documents that both judged.
        low: the lower end; NaN where there is none.
        high: the upper end.
    """

    name: str
    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Effect:
    """One measure under both judges.

    Args:
        label: the measure.
        names: the systems.
        a: their means under the first judge.
        b: their means under the second.
        ranks_a: their ranks under the first, equal means the same.
        ranks_b: their ranks under the second.
        tau: Kendall's τ_b between both orders; NaN for one system.
        tau_low: the lower end of its 95 % bootstrap interval over queries; NaN where there is none.
        tau_high: the upper end.
        tau_ap: τ_AP with the first judge's order as the true one: a swap near the top costs more.
        tau_top: τ_b among the first judge's ten best; NaN where there are at most ten.
        top_kept: the number of those among the second judge's ten best.
        flips: pairs of systems that the judges put in opposite orders.
        kept: pairs that differ significantly, the same way, under both; the better system first.
        lost: pairs that differ significantly under the first judge only.
        gained: pairs that differ significantly under the second judge only.
        reversed: pairs that differ significantly under both, in opposite directions; the first judge's better one
        first.
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
        """The system whose rank changes most, with its ranks under both judges."""
        place = max(range(len(self.names)), key=lambda each: abs(self.ranks_a[each] - self.ranks_b[each]))
        return self.names[place], self.ranks_a[place], self.ranks_b[place]


COLUMNS = 80
FEW_SYSTEMS = 10
MOST_PAIRS = 10
LONGEST_NAME = 36
FRAMES = ("queries", "statistics", "systems")


@dataclass(frozen=True)
class Section:
    """A section: a title, with an optional table and optional sentences."""

    title: str
    header: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    sentences: Sequence[str] = ()


def text(found: Agreement, columns: int = COLUMNS) -> str:
    """Returns the whole result as text of a given width."""
    parts = ["".join(f"{escaping.sentence(line)}\n" for line in answer(found))]
    for each in sections(found):
        table = ""
        if each.header:
            bands = in_bands(each.header, each.rows, 1, columns)
            table = "\n".join(
                lay_out(
                    "text", [each.header[i] for i in band], [[row[i] for i in band] for row in each.rows], 1
                )
                for band in bands
            )
        parts.append(f"{each.title}\n{table}" + "".join(folded(one, columns, "  ") for one in each.sentences))
    return "\n".join(parts)


def markdown(found: Agreement) -> str:
    """Returns the whole result as Markdown."""
    parts = ["".join(f"**{escaping.markdown(line)}**\n\n" for line in answer(found)).rstrip("\n") + "\n"]
    for each in sections(found):
        table = f"{lay_out('markdown', each.header, each.rows, 1)}\n" if each.header else ""
        lines = "".join(f"- {escaping.markdown(sentence)}\n" for sentence in each.sentences)
        parts.append(f"### {escaping.markdown(each.title)}\n\n{table}{lines}".rstrip("\n") + "\n")
    return "\n".join(parts)


def answer(found: Agreement) -> tuple[str, str]:
    """Returns two lines: whether the grades agree, and whether the order of systems does."""
    same, kappa = found["same grade"], found["kappa, quadratic"]
    grades = (
        f"same grade: {same.value:.0%} of {plural(found.shared, 'document', 'documents')} · weighted kappa "
        f"{score(kappa.value, 2)}{between(kappa.low, kappa.high)}"
    )
    if not found.effects:
        return grades, "same order of systems: unknown; give runs to compare their order"
    first = found.effects[0]
    if len(first.names) == 1:
        return grades, "same order of systems: one run has no order; give two or more"
    return grades, (
        f"same order: tau {score(first.tau, 2)} by {first.label} · {len(first.flips)}/{first.pairs} pairs flip · "
        f"{len(first.kept)}/{first.significant} significant stay"
    )


def sections(found: Agreement) -> list[Section]:
    """Returns the sections in order."""
    parts = [judges(found), confusion(found), statistics(found)]
    if found.effects and found.effects[0].pairs:
        parts += [orders(found), systems(found.effects[0]), fates(found)]
    elif found.effects:
        parts.append(systems(found.effects[0]))
    return [*parts, Section("Limits of these numbers", sentences=unknown(found))]


def judges(found: Agreement) -> Section:
    """Returns the number of judgments of each judge."""
    rows = [
        [
            f"{letter} {tail(each.name)}",
            str(each.judgments),
            str(each.queries),
            score(each.mean, 2),
            str(alone),
        ]
        for letter, each, alone in (
            ("A", found.a, found.pairing.only_a),
            ("B", found.b, found.pairing.only_b),
        )
    ]
    both = f"Both judged {plural(found.shared, 'document', 'documents')} of {len(found.pairing.queries)} queries."
    return Section("Judges", ["judge", "judgments", "queries", "mean grade", "alone"], rows, [both])


def tail(path: str) -> str:
    """Returns the end of a long path, which distinguishes files."""
    return path if len(path) <= LONGEST_NAME else f"…{path[1 - LONGEST_NAME :]}"


def confusion(found: Agreement) -> Section:
    """Returns the confusion matrix of grades."""
    names = [f"{grade:g}" for grade in found.grades]
    counts = found.table.astype(int)
    rows = [
        [f"A {name}", *map(str, row.tolist()), str(int(row.sum()))]
        for name, row in zip(names, counts, strict=True)
    ]
    rows.append(["sum", *map(str, counts.sum(axis=0).tolist()), str(int(counts.sum()))])
    return Section("Grades, A's down and B's across", ["", *(f"B {name}" for name in names), "sum"], rows)


def statistics(found: Agreement) -> Section:
    """Returns the agreement coefficients."""
    rows = [
        [each.name, score(each.value, 2), between(each.low, each.high).strip() or "-"]
        for each in found.statistics
    ]
    bias = found["bias, B - A"]
    if bias.low > 0:
        who = "B is more generous than A"
    elif bias.high < 0:
        who = "B is stricter than A"
    else:
        who = "Neither judge is shown to be stricter"
    sentences = [f"{who}: {bias.value:+.2f} grades per document."]
    known = found.kappas[~np.isnan(found.kappas)]
    if len(known):
        low, middle, high = np.quantile(known, [0, 0.5, 1])
        left = len(found.kappas) - len(known)
        undefined = f"; undefined in {left}, where all grades are the same" if left else ""
        sentences.append(
            f"Quadratic kappa by query: {score(low, 2)} to {score(high, 2)}, median {score(middle, 2)}{undefined}."
        )
    how = f"Intervals: whole queries drawn {found.resamples} times, seed {found.seed}."
    return Section("Agreement", ["statistic", "value", "95 % interval"], rows, [*sentences, how])


def orders(found: Agreement) -> Section:
    """Returns the rank correlation of systems under every measure."""
    many = not math.isnan(found.effects[0].tau_top)
    header = [
        "measure",
        "tau",
        "95 % interval",
        "tau_AP",
        "pairs",
        "flip",
        "kept",
        "lost",
        "gained",
        "reversed",
    ]
    rows = [
        [
            each.label,
            score(each.tau, 2),
            between(each.tau_low, each.tau_high).strip() or "-",
            score(each.tau_ap, 2),
            str(each.pairs),
            *(str(len(part)) for part in (each.flips, each.kept, each.lost, each.gained, each.reversed)),
            *([score(each.tau_top, 2), f"{each.top_kept}/10"] if many else []),
        ]
        for each in found.effects
    ]
    sentences = [
        "kept, lost, gained, reversed: pairs that differ significantly under A, under B or under both."
    ]
    if found.settings is not None:
        settings = found.settings
        sentences.append(
            f"Significant, as in karat compare: {TEST_NAMES[settings.test]}, alpha {settings.alpha:g}; "
            f"{family_words(settings, len(found.effects))}."
        )
    return Section(
        "Order of systems", [*header, *(["tau top 10", "stay in it"] if many else [])], rows, sentences
    )


def systems(effect: Effect) -> Section:
    """Returns each system's mean under both judges, in the first judge's order."""
    order = sorted(range(len(effect.names)), key=lambda place: (effect.ranks_a[place], place))
    rows = [
        [
            effect.names[i],
            f"{effect.a[i]:.4f}",
            str(effect.ranks_a[i]),
            f"{effect.b[i]:.4f}",
            str(effect.ranks_b[i]),
            f"{effect.b[i] - effect.a[i]:+.4f}",
        ]
        for i in order
    ]
    sentences = []
    if len(rows) > 1:
        name, before, after = effect.moved
        sentences = [
            "No system changes its rank."
            if before == after
            else f"Largest move: {name}, rank {before} to {after}."
        ]
    return Section(
        f"{effect.label} under each judge", ["run", "A", "rank", "B", "rank", "B - A"], rows, sentences
    )


def fates(found: Agreement) -> Section:
    """Returns the pairs of systems that flip, or whose significance is lost, gained or reversed."""
    words = {
        "flips": "flip (A's better one first)",
        "lost": "significant under A only",
        "gained": "significant under B only",
        "reversed": "significant, but reversed",
    }
    sentences = [
        f"{each.label}, {said}: {listed([' > '.join(pair) for pair in getattr(each, kind)], MOST_PAIRS)}."
        for each in found.effects
        for kind, said in words.items()
        if getattr(each, kind)
    ]
    return Section(
        "Pairs of systems", sentences=sentences or ["No pair flips; none loses or gains significance."]
    )


def unknown(found: Agreement) -> list[str]:
    """Returns the assumptions, and the limits of these numbers."""
    pairing = found.pairing
    lines = []
    alone = pairing.only_a + pairing.only_b
    if alone:
        by_a = plural(pairing.only_a, "document was", "documents were")
        whose = f"{by_a} judged by A only and {pairing.only_b} by B only"
        if not found.effects:
            lines.append(f"{whose}: no number above includes them.")
        elif found.pool == "own":
            lines.append(
                f"{whose}: under the other judge they count as unjudged, as not relevant where the measure does not "
                "say otherwise. The pool 'both' scores systems on the documents that both judged."
            )
        else:
            lines.append(
                f"{whose}: they were left out for both judges, so values differ from those with all judgments."
            )
    for queries, letter in ((pairing.queries_a, "A"), (pairing.queries_b, "B")):
        if queries:
            lines.append(
                f"Only {letter} judged {plural(len(queries), 'query', 'queries')}, left out: {listed(queries)}."
            )
    if pairing.negative:
        lines.append(f"{plural(pairing.negative, 'negative grade', 'negative grades')} counted as unjudged.")
    if found.effects and 1 < len(found.effects[0].names) < FEW_SYSTEMS:
        count = len(found.effects[0].names)
        pairs = plural(found.effects[0].pairs, "pair")
        lines.append(f"{count} systems make {pairs}: tau has few possible values.")
    lines.append("Agreement says how alike two judges are, not which of them is right.")
    lines.append(
        "A judge that is itself part of a system, such as the same language model, may favour that system; no count of "
        "equal grades shows it."
    )
    return lines


def between(low: float, high: float) -> str:
    """Returns an interval with a blank before it; empty where there is none."""
    return "" if math.isnan(low) else f" [{low:.2f}, {high:.2f}]"


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Display):
    """The agreement of two judges, and its effect on systems. ``str()`` returns the whole text.

    Args:
        a: the first judge, the reference.
        b: the second.
        pairing: the documents that both judged, with their grades.
        grades: the scale.
        table: the number of documents by the first judge's grade (rows) and the second's (columns).
        tables: the same by query [queries, grades, grades].
        statistics: κ and other coefficients, with intervals.
        kappas: the quadratic κ of each query, NaN where undefined.
        effects: the effect on systems, by measure; empty without runs.
        settings: of the tests of pairs of systems; None without runs.
        scores: of each system under the first judge, then under the second.
        pool: whose documents count as judged when systems are scored: each judge's ``own``, or those of ``both``.
        resamples: the number of bootstrap samples of queries.
        seed: of the bootstrap.
    """

    a: Judge
    b: Judge
    pairing: Pairing
    grades: tuple[float, ...]
    table: Floats
    tables: Floats = field(repr=False)
    statistics: tuple[Statistic, ...]
    kappas: Floats
    effects: tuple[Effect, ...]
    settings: Settings | None
    scores: tuple[Scores, ...] = field(repr=False)
    pool: str
    resamples: int
    seed: int

    def __getitem__(self, name: str) -> Statistic:
        """Returns a statistic by its name.

        Raises:
            DataError: there is no statistic of that name.
        """
        for each in self.statistics:
            if each.name == name:
                return each
        names = [each.name for each in self.statistics]
        raise DataError(f"There is no statistic '{name}'. {did_you_mean(name, names, ', '.join(names))}")

    @property
    def shared(self) -> int:
        """The number of documents that both judged."""
        return len(self.pairing.a)

    def to_text(self, columns: int = COLUMNS) -> str:
        """Returns the whole result as text. Its first two lines say whether grades and orders agree.

        Args:
            columns: the width of a line.
        """
        return text(self, columns)

    def to_markdown(self) -> str:
        """Returns the whole result as Markdown."""
        return markdown(self)

    def to_json(self) -> str:
        """Returns everything as JSON, with numbers in full precision and undefined ones as null."""
        return escaping.json_text(self.as_dict()) + "\n"

    def as_dict(self) -> dict[str, Any]:
        """Everything by name."""
        pairing = self.pairing
        return {
            "a": asdict(self.a),
            "b": asdict(self.b),
            "documents": {"both": self.shared, "only_a": pairing.only_a, "only_b": pairing.only_b},
            "queries": {
                "both": list(pairing.queries),
                "only_a": list(pairing.queries_a),
                "only_b": list(pairing.queries_b),
            },
            "grades": list(self.grades),
            "confusion": self.table.astype(int).tolist(),
            "statistics": {
                each.name: {"value": each.value, "low": each.low, "high": each.high}
                for each in self.statistics
            },
            "kappa_by_query": dict(zip(pairing.queries, self.kappas.tolist(), strict=True)),
            "systems": {each.label: asdict(each) for each in self.effects},
            "test": None if self.settings is None else asdict(self.settings),
            "pool": self.pool,
            "resamples": self.resamples,
            "seed": self.seed,
            "karat": __version__,
        }

    def to_frame(self, what: str = "queries", backend: str | None = None) -> Any:
        """Returns a data frame.

        Args:
            what: ``queries``, a row each with the number of documents that both judged, the share of equal grades, the
                mean of B - A, and the quadratic κ; ``statistics``, a row each with its interval; ``systems``, a row for
                each measure and system with its mean and rank under both.
            backend: ``pandas``, ``polars``, ``pyarrow`` …; the first of these that is installed, if None.

        Raises:
            DataError: no such frame, or no data frame library.
        """
        import narwhals as nw

        makers = {
            "queries": self.query_columns,
            "statistics": self.statistic_columns,
            "systems": self.system_columns,
        }
        if what not in makers:
            raise DataError(f"There is no frame '{what}': choose one of {', '.join(FRAMES)}.")
        library: Any = backend or first_installed()
        return nw.from_dict(makers[what](), backend=library).to_native()

    def query_columns(self) -> dict[str, list[Any]]:
        """Returns the columns of a frame of queries."""
        count = len(self.pairing.queries)
        documents = np.bincount(self.pairing.query, minlength=count)
        same = np.bincount(self.pairing.query, self.pairing.a == self.pairing.b, count)
        bias = np.bincount(self.pairing.query, self.pairing.b - self.pairing.a, count)
        with np.errstate(invalid="ignore"):
            return {
                "query": list(self.pairing.queries),
                "documents": documents.tolist(),
                "same grade": (same / documents).tolist(),
                "bias": (bias / documents).tolist(),
                "kappa": self.kappas.tolist(),
            }

    def statistic_columns(self) -> dict[str, list[Any]]:
        """Returns the columns of a frame of statistics."""
        keys = ("name", "value", "low", "high")
        return {key: [getattr(each, key) for each in self.statistics] for key in keys}

    def system_columns(self) -> dict[str, list[Any]]:
        """Returns the columns of a frame of systems."""
        rows = [
            (each.label, *row)
            for each in self.effects
            for row in zip(each.names, each.a, each.ranks_a, each.b, each.ranks_b, strict=True)
        ]
        keys = ("measure", "run", "a", "rank a", "b", "rank b")
        return {key: [row[place] for row in rows] for place, key in enumerate(keys)}

    def __str__(self) -> str:
        """Returns the text."""
        return self.to_text()
