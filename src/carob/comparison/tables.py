"""Builds the tables of a comparison: scores, differences, groups and rank correlations of the runs and pairs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypedDict

from carob._cached import cached_property
from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.comparison.findings import better_first, pair_names, ranked, turned
from carob.comparison.intervals import INTERVALS
from carob.comparison.verdict import (
    declared_negative,
    digits_of,
    joint_shown,
    lettered,
    p_texts,
    p_titles,
    smallest_p,
)
from carob.output.document import Items, Table
from carob.output.errors import Worded, command_of, worded
from carob.output.escaping import printable
from carob.output.language import filled
from carob.output.layout import (
    apart,
    column,
    column_widths,
    decimals,
    folded_each,
    interval,
    marked,
    signed,
    width,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from carob.comparison.findings import AnyPair, Contest, Findings, Pair, Settings
    from carob.output.formats import DocumentFormat

MOST_ORDERED = 12
MOST_PAIRS = 10
MOST_AGAINST_BASELINE = 40
LEAST_NAME, LEAST_PAIR = 10, 12


LONGEST = 40
"""The maximum length of a name; the middle of a longer name is cut out."""


EVERY = {"every": Worded("pairs='all'", "--pairs all"), "json": Worded("to_json()", "--format json")}
"""How to show every pair, in Python and on the command line."""


def top_said(top: int | None) -> Worded:
    """Returns the argument that limits the number of shown runs, as Python and command-line users write it."""
    return Worded(f"top={top}", f"--top {top}")


def hidden_said(count: int, tested: str, top: int | None) -> str:
    """Returns the sentence about runs that a table omits; empty if the table shows all runs.

    Args:
        count: the number of omitted runs.
        tested: words before "not shown" that state what was done with these runs, such as ``tested and ``.
        top: the maximum number of runs to show.
    """
    said = "{count:more run is/more runs are} {tested}not shown ({top})."
    return filled(said, count=count, tested=tested, top=top_said(top)) if count else ""


def spaced(sentences: Sequence[str]) -> Worded:
    """Joins the nonempty sentences with spaces, in both the Python and the command-line wording."""
    return worded(*[part for each in sentences if each for part in (" ", each)][1:])


@dataclass(frozen=True)
class FittedTable(Table):
    """A table that can be fitted into any width by cutting names, dropping columns and splitting into bands.

    Args:
        header: the titles of the columns.
        rows: the cells.
        names: the indices of the columns that contain names.
        keep: the number of leading columns that are repeated in every band.
        note: the sentence below the table.
        shortest: the minimum width to which the second column may be cut, if letters also identify the runs; otherwise
            0.
        least: the titles of columns that are dropped in a narrow terminal, in this order, before names are cut.
    """

    names: frozenset[int] = frozenset()
    keep: int = 2
    note: str = ""
    shortest: int = 0
    least: tuple[str, ...] = ()

    def text(self, columns: int, style: Callable[[str, str], str] | None = None) -> str:
        """Returns the table in at most this width, followed by its note and the titles of the dropped columns."""
        fitted, left = self.fitted(columns)
        notes = [self.note] if self.note else []
        notes += (
            [
                f"Columns left out because the table is too narrow: {', '.join(left)}. The CSV output contains them."
            ]
            if left
            else []
        )
        return Table.text(fitted, columns, style) + "".join(folded_each(notes, columns))

    def fitted(self, columns: int) -> tuple[FittedTable, list[str]]:
        """Returns the table as it is printed in this width, and the titles of the dropped columns."""
        rows = [
            apart(cells, LONGEST) if place in self.names else list(cells)
            for place, cells in enumerate(zip(*self.rows, strict=True))
        ]
        fitted = replace(self, rows=list(zip(*rows, strict=True)))
        if self.shortest and self.rows and not fitted.fits(columns):
            return fitted.narrow(columns)
        return fitted, []

    def written(self, form: DocumentFormat) -> str:
        """Returns the table in the given format, followed by its note."""
        return form.joined([super().written(form), form.note(self.note) if self.note else ""])

    def on_command_line(self) -> FittedTable:
        """Returns the table with its note in the wording for the command line."""
        return replace(self, note=command_of(self.note))

    @cached_property
    def widths(self) -> list[int]:
        """The width of each column in characters, including the gap before it."""
        return column_widths(self.header, self.rows)

    def fits(self, columns: int) -> bool:
        """Returns whether the table has at most this width in characters."""
        return sum(self.widths) <= columns

    def narrow(self, columns: int) -> tuple[FittedTable, list[str]]:
        """Returns a table for a narrow line, and the titles of the dropped columns.

        Names are shortened, or omitted if too little space remains, because letters also identify the runs.
        """
        # The title of the names may be wider than the names, so it is split into two lines.
        title = self.header[1].replace(", ", ",\n", 1)
        sheet, left = replace(self, header=[self.header[0], title, *self.header[2:]]), list[str]()
        if sheet.fits(columns):
            return sheet, left
        sheet, left = sheet.without_least(columns)
        if sheet.fits(columns):
            return sheet, left
        longest = max(width(row[1]) for row in self.rows)
        titles = title.split("\n")
        room = columns - sum(sheet.widths) + max(longest, *map(width, titles))
        if room < self.shortest:
            header, rows = self.header[1:], [[row[0], *row[2:]] for row in self.rows]
            return replace(self, header=header, rows=rows, keep=1, names=frozenset({0})).without_least(
                columns
            )
        names = apart([row[1] for row in sheet.rows], room)
        rows = [[row[0], name, *row[2:]] for row, name in zip(sheet.rows, names, strict=True)]
        return replace(
            sheet, header=[sheet.header[0], "\n".join(apart(titles, room)), *sheet.header[2:]], rows=rows
        ), left

    def without_least(self, columns: int) -> tuple[FittedTable, list[str]]:
        """Drops the least important columns until the table fits. Returns the table and the dropped titles."""
        titles, left = list(self.header), list[str]()
        kept = dict(enumerate(self.widths))
        for title in self.least:
            if title in titles and sum(kept.values()) > columns:
                del kept[titles.index(title)]
                left.append(title)
        header, *rows = ([row[place] for place in kept] for row in [self.header, *self.rows])
        return replace(self, header=header, rows=rows), left


def has_column(sheet: FittedTable, legend: str) -> bool:
    """Returns whether a table has the column that a legend describes; the legend begins with the column's title."""
    start = legend.partition(":")[0].casefold()
    return any(title.casefold() == start for title in sheet.header)


def with_legend(sheets: Sequence[FittedTable], sentences: Sequence[str], legend: str) -> list[str]:
    """Returns the sentences, without the legend of corrected intervals if no table has a column of them."""
    shown = any(has_column(each, legend) for each in sheets)
    return [each for each in sentences if shown or each != legend]


@dataclass(frozen=True, eq=False, repr=False)
class Footer(Items):
    """Sentences below tables, which omit the legend of a column if that column is dropped for lack of width.

    Args:
        sheets: the tables.
        legend: the sentence about the column of corrected intervals.
    """

    sheets: tuple[FittedTable, ...] = ()
    legend: str = ""

    def text(self, columns: int, style: Callable[[str, str], str] | None = None) -> str:
        """Returns the sentences as text. Each sentence starts on a new line."""
        sheets = [each.fitted(columns)[0] for each in self.sheets if has_column(each, self.legend)]
        shown = with_legend(sheets, self.sentences, self.legend)
        return Items(shown, self.role, self.indent, self.hang).text(columns, style)


class CommonOptions(TypedDict, total=False):
    """The arguments of ``CommonView``."""

    pairs: str
    top: int | None


class ViewOptions(CommonOptions, total=False):
    """The arguments of ``View``."""

    worst: int
    gains: int


@dataclass(frozen=True)
class CommonView:
    """What the tables of any comparison show. Each field is also an argument of the output methods and an option.

    Args:
        pairs: ``top`` to show only some pairs if there are many, or ``all``. In LaTeX output for one collection,
            ``none`` yields one compact table (runs by measures) with daggers and with notes below it.
        top: the number of best runs to show. None shows all runs, except that it shows 20 of more than 30 runs if there
            are several collections.
    """

    pairs: str = "top"
    top: int | None = None


@dataclass(frozen=True)
class View(CommonView):
    """What the tables of a comparison on one collection show, in addition to the fields of ``CommonView``.

    Args:
        worst: for each pair, the number of queries to show on which the first run is furthest behind the second.
        gains: for each pair, the number of queries to show on which the first run is furthest ahead of the second.
    """

    worst: int = 0
    gains: int = 0


EVERYTHING = View()


def sheets_of(comparison: Findings, view: View = EVERYTHING) -> list[FittedTable]:
    """Returns the tables of a view, in reading order."""
    found = [board(comparison, view)]
    if comparison.primary.pairs and not in_overview(comparison, view):
        shown, note = pairs_to_show(comparison, comparison.primary, view)
        columns = numbers_of(comparison, comparison.primary, shown)
        found.append(against(comparison.names, comparison.primary, comparison.settings, shown, columns, note))
    found += effects(comparison, view)
    found += judged(comparison, view)
    found += assessed(comparison, view)
    found += [furthest(comparison, view, view.worst, "behind")] if view.worst else []
    found += [furthest(comparison, view, view.gains, "ahead")] if view.gains else []
    found += by_group(comparison)
    found += orders(comparison)
    return found


def in_overview(comparison: Findings, view: View) -> bool:
    """Returns whether a single table of runs replaces the table of pairs because there are too many pairs to read."""
    every_pair = comparison.settings.baseline is None and bool(comparison.primary.pairs)
    return every_pair and not lettered(comparison) and not comparison.exact and view.pairs != "all"


def overview(contest: Contest) -> dict[str, list[str]]:
    """Returns two columns of the leaderboard: whether each run may be the best, and the interval of its rank."""
    best = ranked(contest)[0]
    doubts = [
        "best" if run == best else "" if run in contest.beaten[best] else "may be"
        for run in range(len(contest.means))
    ]
    ends = [f"{low}-{high}" if low < high else str(low) for low, high in contest.ranks]
    return {"best?": doubts, "rank": ends}


def board(comparison: Findings, view: View) -> FittedTable:
    """Returns the leaderboard: scores with letters, the interval of the primary score, and the share judged."""
    shorter = in_overview(comparison, view)
    counted = not lettered(comparison)
    header, columns, queries = ["#", "run"], [], len(comparison.ids)
    for label, contest in comparison.contests.items():
        header.append(label)
        digits = digits_of(queries, contest)
        columns.append(score_cells(contest, digits, lettered=not counted))
        if contest is comparison.primary:
            if not comparison.exact:
                header.append(interval_title(comparison.settings))
                columns.append(column(interval, contest.low, contest.high, digits=digits))
            more: dict[str, list[str]] = {}
            if shorter:
                more = overview(contest)
            elif counted:
                more = {"beats": [str(len(each)) for each in contest.beaten]}
            header += more
            columns += more.values()
    shares = column(decimals, comparison.judged, digits=3)
    if len(set(shares)) > 1 and not declared_negative(comparison):
        header.append(f"judged@{comparison.judged_depth}")
        columns.append(shares)
    shown = ranking(comparison, view)
    rows = of_runs(comparison, shown, columns)
    notes = []
    if shorter:
        notes.append(
            filled(
                "Best {label} first. may be: not shown to be worse than the best run. rank: the ranks "
                "that the significant differences allow. {every} and {json} show all {pairs:,} pairs.",
                label=comparison.labels[0],
                pairs=len(comparison.primary.pairs),
                **EVERY,
            )
        )
    elif counted:
        notes.append(
            f"Best {comparison.labels[0]} first. beats: the number of runs that the run is significantly better than. "
            "The JSON output contains all letters and pairs."
        )
    notes.append(hidden_said(len(comparison.names) - len(shown), "tested and ", view.top))
    left = (f"judged@{comparison.judged_depth}",) if shorter else ()
    return FittedTable(
        header, rows, frozenset({0, 1}), note=spaced(notes), shortest=LEAST_NAME if shorter else 0, least=left
    )


def score_cells(contest: Contest, digits: int, *, lettered: bool) -> list[str]:
    """Returns each run's mean with the letters of the runs that it significantly outperforms. The best are bold."""
    raised = contest.letters if lettered else [""] * len(contest.means)
    texts = column(decimals, contest.means, digits=digits)
    return marked(texts, raised, tied_best(contest, texts))


def tied_best(contest: Contest, texts: Sequence[str]) -> list[bool]:
    """Returns, for each run, whether its mean equals the best mean, as both are printed in the given texts."""
    written = [-math.inf if math.isnan(each) else float(text) for each, text in zip(contest.means, texts)]
    return [each == max(written) > -math.inf for each in written]


def against(
    names: Sequence[str],
    contest: Contest,
    settings: Settings,
    shown: Sequence[AnyPair],
    columns: dict[str, list[str]],
    note: str = "",
) -> FittedTable:
    """Returns the table of pairs: the letters and names of the runs, without the baseline, and the given columns.

    Args:
        names: the runs.
        contest: the comparison under one measure.
        settings: the settings of the comparison.
        shown: the pairs to show.
        columns: the cells of each column, by its title.
        note: the sentence below the table.
    """
    baseline = settings.baseline
    if baseline is not None:
        title = f"vs {names[baseline]}, {contest.label}"
        first = [[contest.marks[pair.a], names[pair.a]] for pair in shown]
    else:
        title = contest.label
        marks = [f"{contest.marks[pair.a]}-{contest.marks[pair.b]}" for pair in shown]
        first = [list(each) for each in zip(marks, pair_names(names, shown), strict=True)]
    return FittedTable(
        ["", title, *columns],
        [[*own, *row] for own, row in zip(first, zip(*columns.values(), strict=True), strict=True)],
        frozenset({0, 1}),
        note=note,
        shortest=LEAST_PAIR if baseline is None else LEAST_NAME,
        # If there is a corrected p, the uncorrected p is dropped first.
        least=(
            "d_z",
            *(raw for raw, corrected in [p_titles(settings)] if corrected),
            "Wilc.",
            "W/T/L",
            joint_title(settings),
        ),
    )


def judged(comparison: Findings, view: View) -> list[FittedTable]:
    """Returns the table that compares the judge's values of the primary measure with people's, or an empty list."""
    known = comparison.judge
    if known is None:
        return []
    contest, ends = comparison.primary, interval_title(comparison.settings)
    its, digits = known.measures[contest.label], digits_of(len(comparison.ids), contest)
    columns: dict[str, list[str]] = {
        "people": column(decimals, its.people, digits=digits),
        "judge": column(decimals, its.judge, digits=digits),
        "bias": column(signed, its.biases, digits=digits),
        ends: column(interval, its.lows, its.highs, digits=digits, sign=True),
        "worth": column(decimals, its.worth, digits=0),
    }
    if known.documents is not None:
        del columns["people"], columns["worth"]
        note = f"judge: the judge's mean over all {known.queries} queries. bias: judge minus the estimate."
    elif known.complete:
        del columns[ends], columns["worth"]
        note = f"people, judge: means over all {known.queries} queries. bias: judge minus people."
    else:
        same = "the same queries"
        if known.tuned:
            same = f"the {known.sample - known.tuned} of them that the judge was not tuned on"
        note = (
            f"people: mean over the {known.sample} queries that people judged. judge: the judge's mean over all "
            f"{known.queries}. bias: judge minus people on {same}. worth: the number of queries that people alone "
            "would have to judge for the same interval."
        )
    rows = of_runs(comparison, ranking(comparison, view), columns.values())
    return [FittedTable(["#", f"judge, {contest.label}", *columns], rows, frozenset({0, 1}), note=note)]


def assessed(comparison: Findings, view: View) -> list[FittedTable]:
    """Returns the table of the assessors' noise in differences of the primary measure, or an empty list."""
    contest, found = comparison.primary, comparison.assessors
    if found is None or not contest.pairs:
        return []
    its, digits = found.measures[contest.label], digits_of(len(comparison.ids), contest)
    shown, note = pairs_to_show(comparison, contest, view)
    place = {frozenset((pair.a, pair.b)): number for number, pair in enumerate(contest.pairs)}
    rows = [place[frozenset((pair.a, pair.b))] for pair in shown]
    sign = np.array(
        [1 if contest.pairs[row].a == pair.a else -1 for row, pair in zip(rows, shown, strict=True)]
    )
    shift, around = sign * its.pairs.shift[rows], (its.pairs.shift_high - its.pairs.shift)[rows]
    title = interval_title(comparison.settings)
    columns = {
        "noise sd": column(decimals, its.pairs.deviation[rows], digits=digits),
        "share": list(map(percent, its.pairs.share[rows])),
        f"second - first, {title}": with_ends(signed, shift, shift - around, shift + around, digits),
    }
    said = (
        "noise sd: the standard deviation of a query's difference between assessors, estimated from "
        f"{its.queries} queries that two assessors judged. share: the square of noise sd as a share of the variance "
        "between queries. second - first: how much the second assessor's grades change the mean difference."
    )
    if comparison.judge is None:
        difference, half = np.array([pair.difference for pair in shown]), its.pairs.half[rows]
        ends = column(interval, difference - half, difference + half, digits=digits, sign=True)
        columns[f"other assessors, {title}"] = ends
        said += (
            " other assessors: the interval of the mean difference over all assessors like these two, on the same "
            "queries, if no assessor favours one run of the pair."
        )
    note = spaced([note, said])
    return [against(comparison.names, contest, comparison.settings, shown, columns, note)]


def with_ends(
    write: Callable[..., str],
    values: Iterable[float],
    low: Iterable[float],
    high: Iterable[float],
    digits: int,
) -> list[str]:
    """Returns cells that contain values, each followed by its interval if it has one.

    Args:
        write: the function that formats the values, ``decimals`` or ``signed``.
        values: the values.
        low: the lower ends of their intervals.
        high: the upper ends of their intervals.
        digits: the number of decimals.
    """
    ends = column(interval, low, high, digits=digits, sign=write is signed)
    cells = zip(column(write, values, digits=digits), ends, strict=True)
    return [" ".join(each).removesuffix(" -") for each in cells]


def of_runs(comparison: Findings, runs: Sequence[int], columns: Iterable[Sequence[str]]) -> list[list[str]]:
    """Returns a row for each of the given runs: its letter, its name and its cell in each column."""
    marks, names, columns = comparison.primary.marks, comparison.names, list(columns)
    return [[marks[run], names[run], *(cells[run] for cells in columns)] for run in runs]


def percent(share: float) -> str:
    """Returns a share as a percentage, or "-" if it is NaN."""
    return "-" if math.isnan(share) else f"{share:.0%}"


def furthest(comparison: Findings, view: View, most: int, where: str) -> FittedTable:
    """Returns the table of queries on which each pair's first run is furthest ``behind`` or ``ahead`` of the second."""
    contest = comparison.primary
    sign = -1 if contest.smaller_is_better == (where == "behind") else 1
    rows = []
    for pair in pairs_to_show(comparison, contest, view)[0]:
        values = contest.values[:, [pair.a, pair.b]]
        change = sign * (values[:, 0] - values[:, 1])
        found = [place for place in np.argsort(change, kind="stable").tolist() if change[place] < 0]
        rows += [
            [
                "" if number else pair_names(comparison.names, [pair])[0],
                comparison.queries[place],
                *column(decimals, values[place].tolist(), digits=4),
                signed(float(values[place, 0] - values[place, 1]), 4),
            ]
            for number, place in enumerate(found[:most])
        ]
    title, than = ("worst queries", "lower") if where == "behind" else ("largest gains", "higher")
    header = [f"{contest.label}, {title}", "query", "first", "second", "first minus second"]
    note = "" if rows else f"The first run does not score {than} on any query in any pair."
    if comparison.judge is not None and comparison.judge.documents is not None:
        note = f"{note} These values are computed from the judge's grades alone.".strip()
    return FittedTable(header, rows, frozenset({0, 1}), note=note)


def numbers_of(comparison: Findings, contest: Contest, pairs: Sequence[Pair]) -> dict[str, list[str]]:
    """Returns the columns of the table of pairs by title: differences, effect sizes and then p."""
    settings, digits = comparison.settings, digits_of(len(comparison.ids), contest)
    columns = gaps(settings, pairs, digits)
    if comparison.judge is None or comparison.judge.documents is None:
        columns |= {"d_z": column(signed, [pair.d_z for pair in pairs], digits=2), **wins(pairs)}
    if comparison.exact:
        del columns[interval_title(settings)]
        return columns
    if joint_shown(comparison, contest):
        columns[joint_title(settings)] = intervals_of(pairs, digits, "joint_")
    if len({pair.n for pair in contest.pairs}) > 1:
        columns["n"] = [str(pair.n) for pair in pairs]
    columns |= chances(settings, pairs)
    if settings.margin is not None:
        columns["p(equiv.)"] = p_texts([pair.p_equivalent for pair in pairs], settings.alpha)
    return columns | (posterior(pairs) if settings.rope is not None else {})


def effects(comparison: Findings, view: View) -> list[FittedTable]:
    """Returns the table of effect sizes under the primary measure, if effect sizes were requested."""
    contest, settings = comparison.primary, comparison.settings
    if not settings.effects or not contest.pairs:
        return []
    shown, note = pairs_to_show(comparison, contest, view)
    columns = {}
    for name, write in (("d_z", signed), ("superiority", decimals)):
        values, low, high = ([getattr(pair, name + end) for pair in shown] for end in ("", "_low", "_high"))
        columns[f"{name}, {interval_title(settings)}"] = with_ends(write, values, low, high, 2)
    return [against(comparison.names, contest, settings, shown, columns, note)]


def interval_title(settings: Settings) -> str:
    """Returns the title of the column of intervals."""
    return f"{settings.confidence * 100:g}% CI"


def joint_title(settings: Settings) -> str:
    """Returns the title of the column of corrected intervals."""
    return f"corr. {100 * (1 - settings.alpha):g}% CI"


def gaps(settings: Settings, pairs: Sequence[AnyPair], digits: int) -> dict[str, list[str]]:
    """Returns the columns of the pairs' differences or, for geometric means, ratios, with their intervals."""
    columns = {"diff": column(signed, [pair.difference for pair in pairs], digits=digits)}
    ratios = [getattr(pair, "ratio", None) for pair in pairs]
    if not INTERVALS[settings.interval].of_ratio or not ratios or None in ratios:
        return columns | {interval_title(settings): intervals_of(pairs, digits)}
    ends = ([getattr(pair, f"ratio_{end}") for pair in pairs] for end in ("low", "high"))
    columns["ratio"] = column(decimals, ratios, digits=2)
    return columns | {interval_title(settings): column(interval, *ends, digits=2)}


def intervals_of(pairs: Sequence[AnyPair], digits: int, kind: str = "") -> list[str]:
    """Returns the intervals of the pairs' differences, or the corrected intervals if ``kind`` is ``joint_``."""
    low, high = ([getattr(pair, kind + end) for pair in pairs] for end in ("low", "high"))
    return column(interval, low, high, digits=digits, sign=True)


def wins(pairs: Sequence[AnyPair]) -> dict[str, list[str]]:
    """Returns the column of how many queries the first run of each pair wins, ties and loses."""
    return {"W/T/L": [f"{pair.wins}/{pair.ties}/{pair.losses}" for pair in pairs]}


def chances(settings: Settings, pairs: Sequence[AnyPair]) -> dict[str, list[str]]:
    """Returns the columns of p and corrected p of the pairs."""
    columns = {}
    for title, name in zip(p_titles(settings), ("p_uncorrected", "p_corrected"), strict=True):
        least = smallest_p(settings, adjusted=name == "p_corrected")
        if title is not None:
            columns[title] = p_texts(
                [getattr(pair, name) for pair in pairs],
                settings.alpha,
                [0.0 if least and pair.exact else least for pair in pairs],
            )
    return columns


def posterior(pairs: Sequence[AnyPair]) -> dict[str, list[str]]:
    """Returns the columns of the probabilities that the first run of each pair is worse, the same, or better."""
    return {
        f"P({name})": column(decimals, [getattr(pair, f"p_{name}") for pair in pairs], digits=3)
        for name in ("worse", "same", "better")
    }


WORST_POINT = "w"
MARKED = (
    f" {WORST_POINT}: many values are equal, so interval and p are from the worst-point interval, which counts one "
    "more query, with the worst possible value, as two fifths of a query."
)
"""The mark of a worst-point interval, and the sentence that explains the mark."""


def of_groups(several: int, *, marked: bool) -> str:
    """Returns the note about the p-values of groups.

    Args:
        several: the number of queries that belong to several groups.
        marked: whether any group has the mark of a worst-point interval.
    """
    note = "Groups are descriptive: their p is from the t-test, uncorrected."
    if several:
        overlap = (
            " {count:query counts/queries count} in several groups, so these groups are not independent."
        )
        note += filled(overlap, count=several)
    return note + MARKED * marked


def by_group(comparison: Findings) -> list[FittedTable]:
    """Returns a table of each run's mean per group and, if there are few pairs, a table of differences per group."""
    contest = comparison.primary
    if not contest.groups:
        return []
    digits = digits_of(min(each.queries for each in contest.groups), contest)
    sign = -1 if contest.smaller_is_better else 1
    header = [
        "#",
        f"{contest.label} by group",
        *(f"{printable(each.name)}\nn={each.queries}" for each in contest.groups),
        "worst",
    ]
    rows = []
    for run in ranking(comparison):
        means = [each.means[run] for each in contest.groups]
        known = [place for place, mean in enumerate(means) if not math.isnan(mean)]
        worst = min(known, key=lambda place: sign * means[place]) if known else None
        name = "-" if worst is None else contest.groups[worst].name
        rows.append(
            [contest.marks[run], comparison.names[run], *column(decimals, means, digits=digits), name]
        )
    found = [FittedTable(header, rows, frozenset({0, 1, len(header) - 1}))]
    pairs, _ = pairs_to_show(comparison, contest)
    if 0 < len(pairs) <= MOST_PAIRS:
        found.append(differences_by_group(comparison, pairs))
    return found


def differences_by_group(comparison: Findings, pairs: Sequence[Pair]) -> FittedTable:
    """Returns the table of pairs' differences, intervals and wins per group; the first run's worst group is marked."""
    contest = comparison.primary
    sign = -1 if contest.smaller_is_better else 1
    names, found = [], []
    for pair in pairs:
        its = [
            (each.name, turned(own, pair.a))
            for each in contest.groups
            for own in each.pairs
            if {own.a, own.b} == {pair.a, pair.b}
        ]
        worst = min(its, key=lambda each: sign * each[1].difference)[1]
        for group, own in its:
            titled = f"{group} (worst)" if own is worst and len(its) > 1 else group
            names.append([*pair_names(comparison.names, [pair]), titled, str(own.n)])
            found.append(own)
    digits = digits_of(min(each.queries for each in contest.groups), contest)
    columns = gaps(comparison.settings, found, digits) | wins(found)
    shown = p_texts([own.p_uncorrected for own in found], comparison.settings.alpha)
    marks = [WORST_POINT * own.worst_point for own in found]
    columns["p" if any(marks) else "p(t)"] = marked(shown, marks, [False] * len(found))
    rows = [[*name, *row] for name, row in zip(names, zip(*columns.values(), strict=True), strict=True)]
    note = of_groups(comparison.settings.in_several_groups, marked=any(marks))
    return FittedTable([contest.label, "group", "n", *columns], rows, frozenset({0, 1}), note=note)


def orders(comparison: Findings) -> list[FittedTable]:
    """Returns the tables of how similarly the measures order the runs, and how similarly the runs order documents."""
    found: list[FittedTable] = []
    orders = comparison.orders
    if orders is None:
        return found
    if len(orders.labels) > 1:
        for title, values in (("Kendall τ_b", orders.tau), ("τ_AP,b", orders.tau_ap)):
            rows = [
                [label, *column(decimals, row, digits=3)]
                for label, row in zip(orders.labels, values.tolist(), strict=True)
            ]
            found.append(FittedTable([title, *orders.labels], rows, frozenset({0}), keep=1))
    if orders.queries and len(comparison.names) > 1:
        runs = ranking(comparison)[:MOST_ORDERED]
        baseline, marks = comparison.settings.baseline, comparison.primary.marks
        against = runs if baseline is None else [baseline]
        rows = [
            [marks[run], comparison.names[run], *column(decimals, orders.rbo[run, against], digits=3)]
            for run in runs
        ]
        whole = len(comparison.ids)
        some = f" (evenly spaced among the {whole})" if orders.queries < whole else ""
        note = (
            f"RBO: mean overlap of the ranked documents over {orders.queries} queries{some}, "
            f"p = {orders.persistence:g}, "
            f"first {orders.depth} documents, extrapolated."
        )
        header = ["#", f"RBO (p={orders.persistence:g})", *(marks[run] for run in against)]
        found.append(FittedTable(header, rows, frozenset({0, 1}), note=note))
    return found


def ranking(comparison: Findings, view: View = EVERYTHING) -> list[int]:
    """Returns the runs to show in tables, the best first. The baseline is never omitted."""
    return first_runs(ranked(comparison.primary), view.top, comparison.settings.baseline)


def first_runs(order: Sequence[int], top: int | None, baseline: int | None) -> list[int]:
    """Returns the first ``top`` runs of an order, and the baseline; all runs if ``top`` is None."""
    return [run for place, run in enumerate(order) if top is None or place < top or run == baseline]


def pairs_to_show(comparison: Findings, contest: Contest, view: View = EVERYTHING) -> tuple[list[Pair], str]:
    """Returns the pairs that a table shows, sorted by rank, and the note about the omitted pairs."""
    with_baseline = comparison.settings.baseline is not None
    return pairs_among(ranking(comparison, view), contest, view, with_baseline=with_baseline)


def pairs_among(
    runs: Sequence[int], contest: Contest, view: CommonView, *, with_baseline: bool
) -> tuple[list[Any], str]:
    """Returns those pairs of the given runs that a table shows, sorted by rank, and the note about the omitted pairs.

    With a baseline, the baseline is the second run of each pair. Otherwise the better run is the first.

    Args:
        runs: the runs that are shown, in the order of the table.
        contest: the comparison under one measure.
        view: the part of the comparison to show.
        with_baseline: whether all runs are compared with a baseline only.
    """
    its = {run: number for number, run in enumerate(runs)}
    pairs = [pair for pair in contest.pairs if {pair.a, pair.b} <= its.keys()]
    if with_baseline:
        pairs.sort(key=lambda pair: its[pair.a])
        if view.pairs == "all" or len(pairs) <= MOST_AGAINST_BASELINE:
            return pairs, ""
        note = filled(
            "{count:more run/more runs} below: {every} and {json} show all.",
            count=len(pairs) - MOST_AGAINST_BASELINE,
            **EVERY,
        )
        return pairs[:MOST_AGAINST_BASELINE], note
    pairs = better_first(contest, pairs)
    if view.pairs == "all" or len(pairs) <= MOST_PAIRS:
        return pairs, ""
    top = [pair for pair in pairs if pair.a == pairs[0].a][:MOST_PAIRS]
    return top, filled(
        "The best run against the next {shown}; {every} and {json} show all {pairs:,} pairs."
        if len(pairs) == len(contest.pairs)
        else "The best run against the next {shown}; {every} shows all {pairs:,} pairs of these runs, and {json} all "
        "{total:,}.",
        shown=len(top),
        pairs=len(pairs),
        total=len(contest.pairs),
        **EVERY,
    )
