"""A run's per-query scores by measure, their means, and the tables, footers and JSON that present them."""

from __future__ import annotations

import math
import re
from dataclasses import field
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob._version import __version__
from carob.conventions.profiles import measure_of, profile_if_known
from carob.inputs.ids import bytes_of
from carob.measures import Measure, parse_measure, parse_measures
from carob.measures.define import as_typed
from carob.measures.names import MeasureObject
from carob.output.errors import DataError, MeasureError, NotEvaluatedError
from carob.output.escaping import defined
from carob.output.formats import lay_out
from carob.output.language import ENGLISH, Language
from carob.output.layout import (
    EVERY_QUERY,
    UNGROUPED,
    Listed,
    Marked,
    apart,
    bands_of,
    label_apart,
    table_width,
    width,
)
from carob.output.results import as_warning

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray
    from typing_extensions import Self

    from carob.conventions.policy import Policy
    from carob.conventions.request import Measured
    from carob.inputs.digests import Exclusion
    from carob.inputs.names import Names
    from carob.inputs.sources import Provenance
    from carob.lists.rows import Floats, JudgedRows
    from carob.matching.match import Counts
    from carob.measures.names import RequiredJudgments


GEOMETRIC_FLOOR = 1e-5
"""trec_eval's MIN_GEO_MEAN: in a geometric mean, values below this one count as this one."""

GIVEN = "given"
"""The profile of values that another tool computed under conventions that carob does not know."""


class Cap(NamedTuple):
    """The highest possible mean of a measure, if it is below 1 because of the measure's depth.

    Args:
        mean: the mean if every list contained as many relevant documents as possible.
        queries: the number of queries that have more relevant documents than the depth or, for P, fewer.
        depth: the depth.
    """

    mean: float
    queries: int
    depth: int


@dataclass(frozen=True, eq=False, repr=False)
class QueryValues(Listed[float]):
    """The per-query scores of one run, with the number of times each rule of the policy was applied."""

    name: str
    labels: tuple[str, ...]
    measures: tuple[Measure, ...]
    ids: Names
    matrix: Floats
    policy: Policy
    counts: Counts
    bounds: dict[str, tuple[float, float]]
    profile: str | None = None
    digits: int = 4
    counted: NDArray[np.bool_] | None = None
    weights: Floats | None = None
    errors: dict[str, float] = field(default_factory=dict)
    inputs: dict[str, Provenance] = field(default_factory=dict)
    pools: dict[str, JudgedRows] = field(default_factory=dict, repr=False)
    warnings: tuple[str, ...] = ()
    failed: dict[str, str] = field(default_factory=dict)
    judged: float = math.nan
    judgments: str = ""
    exclusion: Exclusion | None = None
    groups: Mapping[str, tuple[str, ...]] | None = None
    caps: dict[str, Cap] = field(default_factory=dict)

    @property
    def queries(self) -> tuple[str, ...]:
        """The evaluated queries, in byte order."""
        return self.ids.texts

    def column(self, measure: str | Measured) -> int:
        """Returns the column of a measure, given by carob's name or trec_eval's name.

        Raises:
            MeasureError: the measure was not evaluated.
        """
        if measure in self.labels:
            return self.labels.index(str(measure))
        try:
            wanted = self.meant(measure)
        except MeasureError as error:
            raise NotEvaluatedError(*error.args, remedy=error.remedy) from None
        if wanted not in self.measures:
            raise NotEvaluatedError(
                f"{wanted} was not evaluated. These measures were: {', '.join(self.labels)}."
            )
        return self.measures.index(wanted)

    def meant(self, measure: str | Measured) -> Measure:
        """Returns the measure that a name means under the profile of the scores.

        Raises:
            MeasureError: the name is unknown, or stands for several measures.
        """
        profile = profile_if_known(self.profile) if self.profile else None
        if profile is not None:
            return profile.read_one(measure)
        return measure_of(measure) if isinstance(measure, MeasureObject) else parse_measure(measure)

    def __getitem__(self, measure: str | Measured) -> float:
        """Returns the aggregate over all queries: a mean, a sum for counts, or a geometric mean for GMAP."""
        place = self.column(measure)
        its = self.arrays((slice(None) if self.counted is None else self.counted[:, place], place))
        return aggregate(its["matrix"], self.measures[place].definition.aggregate, its["weights"])

    def __contains__(self, measure: object) -> bool:
        """Returns whether the measure was evaluated."""
        try:
            return isinstance(measure, (str, Measure, MeasureObject)) and self.column(measure) >= 0
        except MeasureError:
            return False

    def __iter__(self) -> Iterator[str]:
        """Iterates over the labels of the measures."""
        return iter(self.labels)

    def __len__(self) -> int:
        """Returns the number of measures."""
        return len(self.labels)

    def complete(self) -> Self:
        """Returns the object itself, after checking that no measure failed.

        Raises:
            DataError: a measure has no values.
        """
        for sentence in self.failed.values():
            raise DataError(sentence)
        return self

    def means(self) -> dict[str, float]:
        """Returns the aggregate of every measure, by label."""
        return {label: self[label] for label in self.labels}

    def by_query(self, measure: str | Measured) -> dict[str, float]:
        """Returns each query's value, without the queries that the measure's mean leaves out."""
        place = self.column(measure)
        values = dict(zip(self.queries, self.matrix[:, place].tolist(), strict=True))
        if self.counted is None:
            return values
        kept = self.counted[:, place].tolist()
        return {query: value for (query, value), there in zip(values.items(), kept, strict=True) if there}

    def arrays(self, places: Any) -> dict[str, Any]:
        """Returns ``matrix``, ``counted`` and ``weights`` for some queries. A field that is None remains None."""
        own = {name: getattr(self, name) for name in ("matrix", "counted", "weights")}
        return {name: None if each is None else each[places] for name, each in own.items()}

    def of_queries(self, kept: NDArray[np.bool_]) -> Self:
        """Returns the scores of some of the queries, without the bounds and the caps of the means."""
        return replace(self, ids=self.ids.chosen(kept), **self.arrays(kept), bounds={}, caps={})

    def by_group(self) -> dict[str, Self]:
        """Returns the scores of each group of queries, sorted by the groups' names; empty without groups.

        Queries without a group come last, under the label ``ungrouped``.
        """
        places: dict[str, list[int]] = {}
        none = self.ungrouped
        for place, groups in enumerate(self.own_groups):
            for name in groups or (none,):
                places.setdefault(name, []).append(place)
        every, last = np.arange(len(self.ids)), {none} & {*places}
        names = [*sorted({*places} - last), *last]
        return {name: self.of_queries(np.isin(every, places[name])) for name in names}

    @property
    def group_names(self) -> set[str]:
        """The groups of all queries, including queries for which the run has no value."""
        return {name for its in (self.groups or {}).values() for name in its}

    @property
    def ungrouped(self) -> str:
        """The label of queries without a group: ``(none)``, with more parentheses if a group has that name."""
        return label_apart(UNGROUPED, self.group_names)

    def group_cells(self, queries: Sequence[str]) -> list[str]:
        """Returns a table cell with the groups of each query; empty for a query that is not evaluated."""
        groups, none = self.groups or {}, (self.ungrouped,)
        return [TOGETHER.join(groups[each] or none) if each in groups else "" for each in queries]

    @property
    def own_groups(self) -> list[tuple[str, ...]]:
        """The groups of each query, in the order of the queries; empty without groups."""
        return [] if self.groups is None else [self.groups[query] for query in self.queries]

    @property
    def in_several_groups(self) -> int:
        """The number of queries that are in several groups."""
        return sum(len(each) > 1 for each in self.own_groups)


def aggregate(values: Floats, how: str, weights: Floats | None = None) -> float:
    """Returns the aggregate over queries, summed in byte order of their ids as in trec_eval.

    Weights apply to means but not to counts.
    """
    if how == "geometric":
        values = np.log(np.maximum(values, GEOMETRIC_FLOOR))
    if how == "sum":
        return added(values)
    whole = float(len(values)) if weights is None else added(weights)
    if whole == 0.0:
        return math.nan
    mean = added(values if weights is None else np.where(weights > 0, values * weights, 0.0)) / whole
    return math.exp(mean) if how == "geometric" else mean


def aggregates(
    several: Sequence[Floats], hows: Sequence[str], weights: Sequence[Floats | None]
) -> list[float]:
    """Returns the aggregate of each column of values, with the weights of its queries."""
    return [aggregate(*each) for each in zip(several, hows, weights, strict=True)]


def added(values: Floats) -> float:
    """Returns the sum of the values, added in their order."""
    return float(np.add.accumulate(values)[-1]) if len(values) else 0.0


LEAST_NAME, LONGEST_NAME = 12, 40
"""The minimum width of a shortened name in a table that must fit, and the maximum in a table that continues below."""
MOST_FOOTERS, MOST_OWN = 4, 6
"""The maximum number of footers shown in full, and the number of runs or groups shown if there are more footers."""
MOST_NAMES = 8
"""The maximum number of runs that a footer names. Further runs are only counted."""


TOGETHER = " + "
"""The separator between the groups of one query."""
NO_VALUE = "–"
"""The text of a table cell without a value."""


def board(
    scores: Sequence[QueryValues],
    layout: str,
    *,
    per_query: bool = False,
    digits: int | None = None,
    columns: int | None = None,
    tie_bounds: bool = False,
) -> str:
    """Returns a table with a row for each run or, with ``per_query``, for each run and query, and a row ``all``.

    If the queries have groups, each run also has a row for each group or, with ``per_query``, a column with the group
    of each query. A table of runs that is wider than ``columns`` is transposed to have a row per measure. With
    ``tie_bounds``, each mean is followed by the means under the worst and the best order of tied documents, in separate
    columns in CSV and TSV.
    """
    exact = layout in ("csv", "tsv")
    labels, grouped = scores[0].labels, scores[0].groups is not None
    if tie_bounds and not per_query:
        more = ("", " worst", " best") if exact else ("",)
        header = [f"{label}{end}" for label in labels for end in more]
        rows = [[each.name, *bounded(each, exact, digits)] for each in scores]
        return turned_if_wide(layout, ["run", *header], rows, columns)

    def laid_out(header: list[str], rows: list[list[str]], names: int) -> str:
        lone = int(len(scores) == 1 and not exact)  # text for readers omits the name of a single run
        return lay_out(layout, header[lone:], [row[lone:] for row in rows], names - lone)

    def cells(values: Sequence[float], of: QueryValues) -> list[str]:
        places = of.digits if digits is None else digits
        kinds = [measure.definition.aggregate for measure in of.measures]
        return [
            shown(value, kind, None if exact else places) if exact or label not in of.failed else NO_VALUE
            for label, value, kind in zip(of.labels, values, kinds, strict=True)
        ]

    if not per_query and grouped:
        rows = [
            [each.name, group, str(len(own.ids)), *cells(list(own.means().values()), each)]
            for each in scores
            for group, own in [(label_apart(EVERY_QUERY, each.group_names), each), *each.by_group().items()]
        ]
        return laid_out(["run", "group", "queries", *labels], rows, 2)
    if not per_query:
        rows = [[each.name, *cells(list(each.means().values()), each)] for each in scores]
        if layout == "terminal" and len(scores) > 1:
            rows = with_best(scores, rows)
        return turned_if_wide(layout, ["run", *labels], rows, columns)
    rows = []
    for each in scores:
        per = [[query, *cells(each.matrix[place].tolist(), each)] for place, query in enumerate(each.queries)]
        if each.counted is not None:
            marks = each.counted.tolist()
            per = [
                [query, *(cell if there else "" for cell, there in zip(row, kept, strict=True))]
                for (query, *row), kept in zip(per, marks, strict=True)
            ]
        whole = ["all", *cells(list(each.means().values()), each)]
        per = with_missing(each, per, whole) if exact else [*per, whole]
        if each.groups is not None:
            cells_of_groups = [*each.group_cells([row[0] for row in per[:-1]]), ""]
            per = [[row[0], groups, *row[1:]] for row, groups in zip(per, cells_of_groups, strict=True)]
        rows += [[each.name, *row] for row in per]
    header = ["run", "query", *["group"] * grouped, *labels, *[MISSING] * exact]
    return laid_out(header, rows, 2 + grouped)


MISSING = "missing"
"""The column that says whether a query is missing (1 or 0) or, in the row ``all``, how many queries are missing."""


def with_missing(scores: QueryValues, rows: list[list[str]], whole: list[str]) -> list[list[str]]:
    """Returns the rows of queries and the row of all queries, with a last cell that says whether the query is missing.

    A missing query without a value, as under the policy ``skip``, gets a row with empty cells.

    Args:
        scores: the run's values.
        rows: a row for each of its queries, starting with the query.
        whole: the row of all queries.
    """
    missing = set(scores.counts.missing)
    there = {row[0]: row for row in rows}
    for query in sorted(missing - {*there}):
        rows = [*rows, [query, *[""] * (len(whole) - 1)]]
    if len(rows) > len(there):
        rows.sort(key=lambda row: bytes_of(row[0]))
    return [*([*row, str(int(row[0] in missing))] for row in rows), [*whole, str(len(missing))]]


def as_number(cell: str) -> float:
    """Returns a printed mean as a number, or NaN if the measure has no value."""
    try:
        return float(cell)
    except ValueError:
        return math.nan


def best_first(scores: Sequence[QueryValues]) -> list[QueryValues]:
    """Returns the runs sorted by their mean of the first measure; runs without a mean come last."""
    label, measure = scores[0].labels[0], scores[0].measures[0]
    sign = 1 if measure.definition.smaller_is_better else -1
    return sorted(scores, key=lambda each: (math.isnan(each[label]), sign * each[label]))


def with_best(scores: Sequence[QueryValues], rows: list[list[str]]) -> list[list[str]]:
    """Returns the rows with each measure's best printed value in bold, except for counts."""
    marked = [list(row) for row in rows]
    for place, measure in enumerate(scores[0].measures):
        if measure.definition.aggregate == "sum":
            continue
        printed = [as_number(row[place + 1]) for row in rows]
        known = [value for value in printed if not math.isnan(value)]
        best = (min if measure.definition.smaller_is_better else max)(known, default=math.nan)
        for row, value in zip(marked, printed):
            if value == best:
                row[place + 1] = Marked(row[place + 1], bold=True)
    return marked


def turned_if_wide(layout: str, header: list[str], rows: list[list[str]], columns: int | None) -> str:
    """Fits a table into ``columns`` by transposing it, shortening names or splitting it into bands."""
    if columns is None or table_width(header, rows, 1) <= columns:
        return lay_out(layout, header, rows, 1)
    turned = list(zip(header, *rows, strict=True))
    if table_width(turned[0], turned[1:], 1) <= columns:
        return lay_out(layout, turned[0], turned[1:], 1)
    longest = max(width(row[0]) for row in rows)
    room = max(columns - table_width(header, rows, 1) + longest, min(LEAST_NAME, longest))
    if columns - table_width(header, rows, 1) + longest < LEAST_NAME:
        room = LONGEST_NAME  # the table will be split into bands anyway
    names = apart([row[0] for row in rows], room)
    rows = [[name, *row[1:]] for name, row in zip(names, rows, strict=True)]
    bands = bands_of(header, rows, range(1), 1, columns)
    return "\n".join(lay_out(layout, *band) for band in bands)


def bounded(scores: QueryValues, exact: bool, digits: int | None) -> list[str]:
    """Returns each mean with its bounds. For counts, and if ties change nothing, both bounds equal the mean."""
    cells = []
    places = None if exact else scores.digits if digits is None else digits
    for label, measure in zip(scores.labels, scores.measures, strict=True):
        mean = scores[label]
        three = (mean, *scores.bounds.get(label, (mean, mean)))
        value, worst, best = (shown(each, measure.definition.aggregate, places) for each in three)
        cells += [value, worst, best] if exact else [f"{value} [{worst}, {best}]"]
    return cells


def shown(value: float, kind: str, digits: int | None = None) -> str:
    """Formats a number for a table: counts as whole numbers, others with ``digits`` decimals or in full precision.

    In full precision, an undefined value is an empty text.
    """
    if math.isnan(value):
        return "" if digits is None else NO_VALUE
    if kind == "sum" and value == int(value):
        return str(int(value))
    return repr(value) if digits is None else f"{value:.{digits}f}"


def footers(
    scores: Sequence[QueryValues],
    say: Language = ENGLISH,
    *,
    without: tuple[str, ...] = (),
    equal: bool = True,
) -> list[str]:
    """Returns the footers of a table of several runs, each with the names of its runs, or one footer if all are equal.

    The meanings of the labels come first, and are stated once. If many footers differ, the parts that all footers share
    also come first, followed by the differences of a few runs.

    Args:
        scores: the values of each run.
        say: the language.
        without: the prefixes of the kinds of facts to leave out, such as ``SAME``.
        equal: whether to add a last line that names runs with equal values.
    """
    return [*own_footers(scores, say, without), *(equal_values(scores, say) if equal else ())]


def equal_values(scores: Sequence[QueryValues], say: Language = ENGLISH) -> list[str]:
    """Returns a sentence about runs that have the same value as another run for every query, or an empty list."""
    alike: dict[tuple[object, ...], list[str]] = {}
    for each in scores if len(scores) > 1 else ():
        if len(each.ids) >= SEVERAL:
            values = (each.labels, each.matrix.tobytes(), each.ids.joined, each.ids.offsets.tobytes())
            alike.setdefault(values, []).append(each.name)
    equal = [" = ".join(names) for names in alike.values() if len(names) > 1]
    return [say("the same value for every query: {runs}", runs=some_of(equal, say))] if equal else []


def own_footers(scores: Sequence[QueryValues], say: Language, without: tuple[str, ...]) -> list[str]:
    """Returns the footers of a table of runs, as ``footers`` does."""
    parts = {each.name: decided(each, say, without) for each in scores}
    different = len(set(map(tuple, parts.values())))
    if different == 1:
        return [*filter(None, [" · ".join(parts[scores[0].name])])]
    meanings = [
        each.told(say)
        for each in (*overlapping(scores[0]), *capped(scores[0], say), *readings(scores[0], say))
    ]
    shared = [
        part
        for part in parts[scores[0].name]
        if (different > MOST_FOOTERS or part in meanings) and all(part in its for its in parts.values())
    ]
    owners: dict[str, list[str]] = {}
    for name, its in parts.items():
        owners.setdefault(" · ".join(part for part in its if part not in shared), []).append(name)
    if not shared:
        owners.pop("", None)
    lines = [f"{some_of(names, say)}: {own or say('nothing else')}" for own, names in owners.items()]
    if not shared:
        return lines
    rest = sum(map(len, list(owners.values())[MOST_OWN:]))
    more = (
        [say("and {count} more runs, whose counts differ: see the JSON output", count=rest)] if rest else []
    )
    every = say("all {count} runs: {parts}", count=len(parts), parts=" · ".join(shared))
    return [every, *lines[:MOST_OWN], *more]


def some_of(names: list[str], say: Language = ENGLISH) -> str:
    """Lists the names of runs with the same footer. If there are many, the first are named and the others counted."""
    if len(names) <= MOST_NAMES:
        return ", ".join(names)
    first = names[: MOST_NAMES - 1]
    return say("{names} and {count} more", names=", ".join(first), count=len(names) - len(first))


@dataclass(frozen=True)
class Fact:
    """A part of a footer: a fact about a run's data, or the way they were treated.

    Args:
        kind: a word for the kind of fact, such as ``missing``.
        count: the number of queries, documents or lines; 1 for a part that counts nothing.
        sentence: the sentence, with placeholders in braces for the count and other words.
        words: the values of the placeholders.
        own: the names of the values that concern only this run and are left out of a sum over runs.
        reach: how far the fact can move a mean.
    """

    kind: str
    count: int
    sentence: str
    words: dict[str, object] = field(default_factory=dict)
    own: tuple[str, ...] = ()
    reach: float = 0.0

    def told(self, say: Language = ENGLISH, total: int | None = None) -> str:
        """Returns the sentence with its count, or with ``total`` as the count for several runs."""
        if total is None:
            return say(self.sentence, count=self.count, **self.words)
        return say(self.sentence, count=total, **(self.words | dict.fromkeys(self.own, "")))


def whole(kind: str, said: str) -> Fact:
    """Returns a fact whose text is already a complete sentence."""
    return Fact(kind, 1, "{said}", {"said": said})


COUNTED = {
    "groups": "{count:query counts/queries count} in several groups",
    "missing": "{count:missing query/missing queries} {rule}",
    "extra": "{count:unjudged query/unjudged queries} ignored",
    "empty": "{count:query/queries} without relevant documents {rule}",
    "unanswered": "{count:query/queries} without retrieved documents",
    "constant": "{count:list} with all scores equal, {order}",
    "rising": "{count:list} in ascending order of score",
    "misranked": "{count:compared pair} of documents in another order in the rank column",
    "infinite": "{count:infinite score}",
    "covered": "{count:,} documents retrieved, all of them judged",
    "nearly covered": "{count:,} documents retrieved, nearly all of them judged",
    "lowest ratings": "{count:grade} of 1, the lowest, counted as relevant ({labels})",
    "codes": "{count:grade} far from all other grades, such as a code (9, -9) for documents without a grade",
    "fractions": "{count:grade} between 0 and 1 counted as not relevant ({labels})",
    "duplicates": "{count:duplicate} dropped",
    "excluded": "{count:document} excluded",
    "malformed": "{count:malformed line} skipped",
    "commented": "{count:line that begins with '#' left out as a comment"
    "/lines that begin with '#' left out as comments}",
    "negative": "{count:negative grade} {rule}",
}
"""The sentences about counted queries, lists, documents or lines, by kind."""


def counting(kind: str, count: int, **words: object) -> list[Fact]:
    """Returns a list with the fact about a count, empty if the count is 0.

    Args:
        kind: a kind of ``COUNTED``.
        count: the number of queries, lists, documents or lines.
        words: the values of the other placeholders in the sentence.
    """
    return [Fact(kind, count, COUNTED[kind], words)] if count else []


SAME = ("queries", "policy", "reading")
"""The prefixes of the kinds of facts that say nothing about the data of a run."""


def decided(scores: QueryValues, say: Language = ENGLISH, without: tuple[str, ...] = ()) -> list[str]:
    """Returns the parts of a footer (counts of decisions, policy, …), without the kinds of facts in ``without``."""
    facts = [each for each in facts_of(scores, say) if not each.kind.startswith(without)]
    parts = groupby(facts, lambda fact: fact.kind)
    return [", ".join(fact.told(say) for fact in its) for _, its in parts]


def facts_of(scores: QueryValues, say: Language = ENGLISH) -> list[Fact]:
    """Returns the facts of a footer. Adjacent facts of the same kind form one part."""
    return [
        Fact("queries", scores.counts.queries, "{count:query/queries}"),
        *data_facts(scores, say),
        whole("policy", conventions_of(scores, say)),
        *readings(scores, say),
    ]


def data_facts(scores: QueryValues, say: Language = ENGLISH) -> list[Fact]:
    """Returns the facts of a footer about the data of the run, without the kinds in ``SAME``."""
    counts = scores.counts
    facts = [
        *overlapping(scores),
        *missing_facts(scores, say),
        *counting("extra", counts.extra),
        *empty_facts(scores, say),
    ]
    if scores.profile == GIVEN:
        pass  # the documents are unknown
    elif counts.queries and not counts.found:
        facts.append(whole("nothing", say("no judged document retrieved")))
    elif counts.queries > counts.empty and not counts.relevant_retrieved:
        facts.append(whole("nothing", say("no relevant document retrieved")))
    if scores.failed:
        facts.append(whole("failed", say("no value of {labels}", labels=", ".join(scores.failed))))
    if counts.tied:
        label, (low, high) = next(iter(scores.bounds.items()), ("", (0.0, 0.0)))
        moved = label and reach_said(label, (low, high), scores.digits, say)
        said = "ties touch {count:query/queries}{moved}"
        facts.append(Fact("tied", counts.tied, said, {"moved": moved}, ("moved",), high - low))
    facts += [*read_to_the_end(scores), *capped(scores, say), *doubtful(scores, say)]
    if scores.errors:
        label, error = next(iter(scores.errors.items()))
        sampled = "mean over a sample of their orders ({label} ± {error})"
        facts.append(whole("sampled", say(sampled, label=label, error=f"{error:.2g}")))
    if weighted(scores):
        labels = ", ".join(weighted(scores))
        facts.append(whole("weighted", say("weighted mean ({labels})", labels=labels)))
    return [*facts, *reading_of_run(scores, say), *left_out(counts, scores.policy, say)]


def reading_of_run(scores: QueryValues, say: Language = ENGLISH) -> list[Fact]:
    """Returns facts about the way a run was read: that no document was excluded, or that scores come from distances."""
    run = scores.inputs.get("run")
    named = {} if run is None else dict(run.columns)
    facts = []
    if "exclude" in named and not scores.counts.excluded:
        facts.append(whole("excluded", say(COUNTED["excluded"], count=0)))
    if "distance" in named:
        facts.append(whole("distance", say("scores are negated distances")))
    return facts


def read_to_the_end(scores: QueryValues) -> Iterator[Fact]:
    """Yields, for each WSS measure, the number of queries whose documents must all be read to reach its recall."""
    said = "{count:query requires/queries require} reading all documents for {label}"
    for place, (label, measure) in enumerate(zip(scores.labels, scores.measures, strict=True)):
        given = measure.arguments
        if measure.name != "WSS" or (given["unreached"], given["sampling"]) != ("all", "expected"):
            continue
        count = int((scores.matrix[:, place] <= given["recall"] - 1.0).sum())
        if count:
            yield Fact(f"screened for {label}", count, said, {"label": label})


def overlapping(scores: QueryValues) -> list[Fact]:
    """Returns a fact with the number of queries in several groups, if there are any."""
    return counting("groups", scores.in_several_groups)


def capped(scores: QueryValues, say: Language = ENGLISH) -> list[Fact]:
    """Returns the highest possible means of measures whose depth many queries exceed or, for P, do not fill.

    For a measure at several depths, only the smallest depth is named, because R@k has its lowest possible mean there,
    and P@1000 needs no note.
    """
    least: dict[str, tuple[Cap, str]] = {}
    for label, cap in scores.caps.items():
        name = scores.measures[scores.labels.index(label)].name
        least[name] = (max if name == "P" else min)((cap, label), least.get(name, (cap, label)))
    labels: dict[tuple[Cap, str], list[str]] = {}
    for name, (cap, label) in least.items():
        labels.setdefault((cap, "fewer" if name == "P" else "more"), []).append(label)
    reached = "{mean}" if scores.groups is None else say("{mean} over all queries")
    said = "{labels} cannot exceed {mean}: {count:of {total} queries has/of {total} queries have} "
    return [
        Fact(
            f"cap of {own[0]}",
            cap.queries,
            f"{said}{than} than {{depth}}",
            {
                "labels": ", ".join(own),
                "mean": reached.format(mean=f"{cap.mean:.{scores.digits}f}"),
                "total": scores.counts.queries,
                "depth": say("{count:relevant document}", count=cap.depth),
            },
        )
        for (cap, than), own in labels.items()
    ]


NOT_FEW = 0.2
"""A run is suspicious if all scores are equal in at least this share of its lists. Otherwise, they are just ties."""
SEVERAL = 5
"""With at least this many queries, the best possible value for every query is not due to chance."""
LISTS, DOCUMENTS = 2, 20
"""The minimum numbers of lists and of documents in these lists that are unlikely to be all judged by chance."""
NEARLY = 0.99
"""If at least this proportion of documents is judged, the run may have been joined with its judgments."""

ORDERS = {
    "trec": "ordered by document id, descending",
    "ascending": "ordered by document id, ascending",
    "input": "in the run's own order",
    "rank-column": "ordered by the rank column",
    "optimistic": "in their best order",
    "pessimistic": "in their worst order",
    "expected": "as the mean over their orders",
}
"""Descriptions of the order of a list whose scores are all equal, by the rule for ties."""


def equal_throughout(constant: int, lists: int, policy: Policy, say: Language = ENGLISH) -> list[Fact]:
    """Returns the fact that many lists contain only equal scores, so another rule determines their order."""
    if constant < NOT_FEW * lists or policy.ties not in ORDERS:
        return []
    return counting("constant", constant, order=say(ORDERS[policy.ties]))


def without_end(infinite: int, policy: Policy) -> list[Fact]:
    """Returns the fact that scores are infinite, unless only documents with finite scores count as retrieved."""
    return counting("infinite", infinite) if policy.retrieved == "all" else []


def doubtful(scores: QueryValues, say: Language = ENGLISH) -> Iterator[Fact]:
    """Yields facts that make values doubtful: best possible values, equal or infinite scores, no unjudged document."""
    counts, policy = scores.counts, scores.policy
    lists = counts.judged - len(counts.missing)
    if SEVERAL <= counts.queries == counts.perfect:
        best = (
            "every query has the highest possible value (check that the run was not made from the judgments)"
        )
        yield whole("perfect", say(best))
    yield from counting("unanswered", counts.unanswered)
    yield from equal_throughout(counts.constant, lists, policy, say)
    yield from counting("rising", counts.rising)
    if (policy.ranks, policy.ties) == ("counted", "trec"):
        yield from counting("misranked", counts.misranked)
    yield from without_end(counts.infinite, policy)
    shown = (policy.judgments, policy.unjudged) == ("all", "nonrelevant")
    every = (
        NEARLY * counts.retrieved <= counts.found and counts.retrieved >= DOCUMENTS and not counts.negative
    )
    if shown and every and lists >= LISTS:
        covered = "covered" if counts.found == counts.retrieved else "nearly covered"
        yield from counting(covered, counts.retrieved)
    labels = [
        label
        for label, measure in zip(scores.labels, scores.measures)
        if (counts.lowest_ratings or counts.fractions) and measure.by_role("relevance") == 1
    ]
    shown_labels = ", ".join(labels)
    yield from counting("lowest ratings", counts.lowest_ratings if labels else 0, labels=shown_labels)
    yield from counting("codes", counts.codes)
    yield from counting("fractions", counts.fractions if labels else 0, labels=shown_labels)


def reach_said(label: str, bounds: tuple[float, float], digits: int, say: Language) -> str:
    """Returns the bounds of a mean over the orders of tied documents, or one number if both are printed alike."""
    worst, best = (f"{each:.{digits}f}" for each in bounds)
    if worst == best:
        return say(" ({label} {value} either way)", label=label, value=worst)
    return f" ({label} {worst}–{best})"


def left_out(counts: Counts, policy: Policy, say: Language = ENGLISH) -> list[Fact]:
    """Returns the counts of rows dropped, excluded, skipped or changed."""
    rows = ("duplicates", "excluded", "malformed", "commented")
    dropped = [fact for kind in rows for fact in counting(kind, getattr(counts, kind))]
    return [*dropped, *counting("negative", counts.negative, rule=say(policy.negative))]


def conventions_of(scores: QueryValues, say: Language = ENGLISH) -> str:
    """Returns the profile and the caller's changes to its policy, or the policy if there is no profile."""
    if scores.profile == GIVEN:
        return say("values as given, policy unknown")
    profile = profile_if_known(scores.profile) if scores.profile else None
    if profile is None:
        policy = scores.policy.describe()
        if scores.profile:
            return say("profile {name}, policy {policy}", name=scores.profile, policy=policy)
        return say("policy {policy}", policy=policy)
    changed = scores.policy.changes(profile.policy)
    if changed:
        return say("profile {name}, changed: {changes}", name=profile.name, changes=", ".join(changed))
    return say("profile {name}", name=profile.name)


def readings(scores: QueryValues, say: Language = ENGLISH) -> list[Fact]:
    """Returns the meanings of labels that are not measures' own names. A measure at many depths is listed once."""
    found: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for label, measure in zip(scores.labels, scores.measures, strict=True):
        its_name = measure.text
        if label != its_name and not says(label, measure):
            name, _, place = label.rpartition("@")
            own, _, depth = its_name.rpartition("@")
            key = (f"{name}@k", f"{own}@k") if name and place == depth else (label, its_name)
            found.setdefault(key, []).append((label, its_name))
    alone = [each[0] if len(each) == 1 else key for key, each in found.items()]
    return [
        whole(f"reading of {label}", say("{label} is {measure}", label=label, measure=measure))
        for label, measure in alone
    ]


def signature(scores: QueryValues, conventions: str | None = None) -> str:
    """Returns the sentence with carob's version, the conventions and the meanings of the labels.

    Args:
        scores: the scores of one of the runs.
        conventions: a description of the conventions of all runs, if they differ between runs.
    """
    parts = [conventions or conventions_of(scores), *(each.told() for each in readings(scores))]
    return f"carob {__version__}, {' · '.join(parts)}."


def says(label: str, measure: Measure) -> bool:
    """Returns whether a label is carob's own name for its measure, such as ``ndcg@10`` or ``P_10``, but not ``map``."""
    word = re.sub(r"_[0-9]+$", "", re.split(r"[(@]", label, maxsplit=1)[0].strip())
    if word.casefold() != measure.name.casefold():
        return False
    try:
        return parse_measures(label) == [measure]
    except MeasureError:  # the label's parameters have names that only the profile knows
        return False


def weighted(scores: QueryValues) -> list[str]:
    """Returns the labels of the measures whose means weight queries unequally."""
    if scores.weights is None:
        return []
    weights = scores.weights
    means = [each.definition.aggregate != "sum" for each in scores.measures]
    return [
        label
        for place, label in enumerate(scores.labels)
        if means[place] and len(set(weights[:, place].tolist())) > 1
    ]


RULES = {
    "zero": "counted as 0",
    "one": "counted as 1",
    "nan": "undefined",
    "skip": "skipped",
    "error": "refused",
}
"""Descriptions of the policy's treatment of missing and empty queries."""


def told(scores: QueryValues, axis: str, say: Language = ENGLISH) -> str:
    """Describes the treatment of missing or empty queries, by measure if the treatments differ."""
    rules: dict[str, list[str]] = {}
    for label, rule in rules_of(scores, axis).items():
        rules.setdefault(rule, []).append(label)
    if len(rules) == 1:
        return say(next(iter(rules)))
    return ", ".join(f"{say(rule)} ({', '.join(labels)})" for rule, labels in rules.items())


def rules_of(scores: QueryValues, axis: str) -> dict[str, str]:
    """Returns the treatment of missing or empty queries for each measure, by label."""
    policies = scores.policy.of_each(scores.measures)
    return {label: RULES[getattr(own, axis)] for label, own in zip(scores.labels, policies, strict=True)}


def missing_facts(scores: QueryValues, say: Language = ENGLISH) -> list[Fact]:
    """Returns a fact with the number of missing queries and their treatment."""
    missing = scores.counts.missing
    return counting("missing", len(missing), rule=told(scores, "missing", say)) if missing else []


def empty_facts(scores: QueryValues, say: Language = ENGLISH) -> list[Fact]:
    """Returns the number of queries without relevant documents and their treatment, by measure if measures differ."""
    if not scores.counts.empty:
        return []
    counts, rules = scores.counts.empty_for, rules_of(scores, "empty")
    alike: dict[tuple[int, RequiredJudgments, str], list[str]] = {}
    for label, measure in zip(scores.labels, scores.measures, strict=True):
        if counts.get(label):
            alike.setdefault((counts[label], measure.wanted, rules[label]), []).append(label)
    if len(set(counts.values())) < 2 and all(wanted.rel in (None, 1) for _, wanted, _ in alike):
        return counting("empty", scores.counts.empty, rule=told(scores, "empty", say))
    return [
        Fact(
            "empty",
            count,
            "{count:query/queries} without {wanted} {rule} ({labels})",
            {"wanted": wanted_words(wanted, say), "rule": say(rule), "labels": ", ".join(labels)},
        )
        for (count, wanted, rule), labels in alike.items()
    ]


def wanted_words(wanted: RequiredJudgments, say: Language) -> str:
    """Describes the relevance that a measure requires."""
    return (
        say("a positive gain")
        if wanted.rel is None
        else say("grade {grade} or more", grade=as_typed(wanted.rel))
    )


def document_of(scores: Sequence[QueryValues], *, per_query: bool) -> dict[str, Any]:
    """Returns the JSON document of scores as plain dicts and lists."""

    def by_query(of: QueryValues, matrix: Any) -> dict[str, dict[str, float]] | None:
        if matrix is None or not per_query:
            return None
        rows = matrix.tolist() if np.isfinite(matrix).all() else defined(matrix)
        tables = (dict(zip(of.labels, row, strict=True)) for row in rows)
        return dict(zip(of.queries, tables, strict=True))

    runs = []
    for each in scores:
        run = {
            "name": each.name,
            "means": defined(each.means()),
            "queries": by_query(each, each.matrix),
            "counts": each.counts.as_dict(),
            "failed": each.failed,
            "warnings": [*map(as_warning, each.warnings)],
            "weights": by_query(each, each.weights),
            "groups": {
                name: {
                    "queries": len(own.ids),
                    "means": defined(own.means()),
                    "ungrouped": name == each.ungrouped,
                }
                for name, own in each.by_group().items()
            },
            "in_several_groups": each.in_several_groups,
            "errors": each.errors,
            "ties": {label: list(bounds) for label, bounds in each.bounds.items()},
            "caps": {label: cap._asdict() for label, cap in each.caps.items()},
            "judged": None if math.isnan(each.judged) else each.judged,
        }
        kept = ("name", "means", *(["judged"] if run["judged"] is not None else []))
        runs.append({name: value for name, value in run.items() if value or name in kept})
    return {
        "runs": runs,
        "measures": dict(zip(scores[0].labels, map(str, scores[0].measures), strict=True)),
        "policy": scores[0].policy.as_dict(),
        "profile": scores[0].profile,
        "carob": __version__,
    }


def document_to_keep(scores: Sequence[QueryValues], *, per_query: bool) -> dict[str, Any]:
    """Returns the JSON document, which records its inputs (with hashes, except for runs) if it has per-query scores."""
    document = document_of(scores, per_query=per_query)
    if not per_query:
        return document
    from carob.inputs.digests import entry_of_exclusion, entry_of_judgments, entry_of_run

    origins = [each.inputs.get("qrels") for each in scores]
    entries = [entry_of_judgments(origins[0]) if all(each == origins[0] for each in origins) else None]
    entries += [entry_of_run(each.name, each.inputs.get("run")) for each in scores]
    entries += [entry_of_exclusion(each.name, each.inputs.get("run")) for each in scores]
    found = [each for each in entries if each is not None]
    return {**document, "inputs": found} if found else document
