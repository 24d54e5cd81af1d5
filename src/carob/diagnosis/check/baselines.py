"""Compares runs with rankings that ignore the query, and finds measures that can no longer distinguish runs."""

from __future__ import annotations

import math
from itertools import islice
from typing import TYPE_CHECKING, Any

from carob._cached import cached_property
from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.diagnosis.check.finding import KINDS, NOTE, SEEN, found
from carob.diagnosis.check.lenient import LENIENT, from_rows, score_together, with_same_judgments
from carob.evaluation.values import ROWS_TOGETHER, parts_of, values_of
from carob.inputs.names import Names
from carob.inputs.sources import called
from carob.lists.rows import JudgedRows, stacked
from carob.matching.axes import chosen
from carob.matching.match import finished
from carob.output.document import Items, Section, Table
from carob.output.errors import DataError, Worded
from carob.output.language import filled, plural
from carob.output.layout import apart, decimals
from carob.statistics.estimates import paired

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from carob.diagnosis.check.finding import Finding
    from carob.diagnosis.check.lenient import LenientQrels, RunAndQrels
    from carob.evaluation.scores import Scores
    from carob.lists.rows import Floats, Integers
    from carob.measures import Measure

MOST_QUERIES, MOST_JUDGMENTS = 2000, 50_000
"""The maximum size of a collection that is used in full. Larger collections are represented by a sample of queries."""

MOST_DOCUMENTS = 1_000_000
"""The total number of documents that are shuffled, over all orders and runs."""

MOST_ORDERS = 50
FEWEST_QUERIES = 5
"""With fewer queries, a score near a baseline may be due to chance."""

CLEAR = 2.0
"""A run clearly exceeds a baseline if the mean difference is more than this many standard errors."""

EQUAL = 1e-9
"""The largest difference due to rounding between a value and a mean over orders that are mathematically equal."""

LEAST_ROOM = 0.05
"""If a baseline is nearer to 1 than this, a run has to exceed it, but not clearly."""

SHOWN = 8
"""The maximum number of table rows in text."""

SEED = 2026
BASELINES = ("random order", "same documents", "another query")
SATURATED, FEWEST_MOVABLE = 0.8, 6
"""The minimum share of queries at 1 that is reported, and the number of other queries that a p below .05 requires."""

NEAR = {
    "random order": "{measure} is {value:.4f}, and a random order of the same documents has {level:.4f}",
    "same documents": "{measure} is {value:.4f}, and the same popular documents for every query have {level:.4f}",
    "another query": "{measure} is {value:.4f}, and with the lists of other queries it is {level:.4f}",
}
"""The sentences about a run that does not clearly exceed a ranking that ignores the query."""
FEW_QUERIES = (
    "A perfect run would gain {gain:.4f} over the best run. No gain can be significant at 0.05: with "
    "{measure} on these queries, the p-value of a sign-flip test is at least {p:.2f}."
)
MANY_QUERIES = (
    "A perfect run would gain {gain:.4f} over the best run. A t-test on these {queries} queries detects a difference "
    "of {detectable} or more with 80% power."
)


@dataclass(frozen=True)
class Baseline:
    """The mean of a run by a measure, and the means of rankings that ignore the query.

    Args:
        run: the name of the run.
        measure: the measure.
        value: the run's mean over the queries.
        at_one: the number of queries with the value 1, the largest possible value.
        queries: the number of queries.
        random: the mean over random orders of the documents that the run retrieves.
        popular: the mean if every query had the same list, of the documents that are relevant to the most other
            queries.
        other: the mean if each query had the list of another query.
        sampled: the number of queries for which these three baselines were computed.
        orders: the number of random orders.
        near: the baselines that the run does not clearly exceed.
    """

    run: str
    measure: str
    value: float
    at_one: int
    queries: int
    random: float
    popular: float
    other: float
    sampled: int
    orders: int
    near: tuple[str, ...] = ()

    @property
    def baselines(self) -> dict[str, float]:
        """The means of the baselines, by name."""
        return dict(zip(BASELINES, (self.random, self.popular, self.other), strict=True))


@dataclass(eq=False)
class Ignorant:
    """Rankings that ignore the query, made from the judgments.

    Args:
        judged: the judgments.
    """

    judged: LenientQrels

    @cached_property
    def sample(self) -> Integers:
        """The sampled queries, as indices into the judged queries in byte order."""
        sizes = np.diff(self.judged.judgments.offsets)
        count = len(sizes)
        most = min(MOST_QUERIES, int(MOST_JUDGMENTS / max(float(sizes.mean()), 1.0)), count)
        if most >= count:
            return np.arange(count)
        order = np.random.default_rng(SEED).permutation(count)
        return np.sort(order[: max(most, FEWEST_QUERIES)])

    @cached_property
    def names(self) -> Names:
        """The ids of the sampled queries."""
        queries = self.judged.judgments.queries
        return Names.of_bytes([queries[each] for each in self.sample.tolist()])

    @cached_property
    def documents(self) -> list[list[bytes]]:
        """The judged documents of each sampled query."""
        judgments = self.judged.judgments
        return [judgments.documents(each) for each in self.sample.tolist()]

    @cached_property
    def grades(self) -> list[Floats]:
        """The grades of the judged documents of each sampled query."""
        offsets, grades = self.judged.judgments.offsets, self.judged.judgments.grades
        return [grades[offsets[each] : offsets[each + 1]] for each in self.sample.tolist()]

    @cached_property
    def shifted(self) -> Any:
        """The judgments of each sampled query, under the name of the next sampled query."""
        names = list(self.names)
        rows = [
            (names[(place + 1) % len(names)], document)
            for place, its in enumerate(self.documents)
            for document in its
        ]
        return from_rows(rows, np.concatenate(self.grades))

    @cached_property
    def popular(self) -> JudgedRows:
        """One list for all queries: the judged documents, sorted by the number of other queries they are relevant to.

        Documents that are relevant to no other query are left out. If two numbers are equal, the document with the
        smaller id comes first.
        """
        counts: dict[bytes, int] = {}
        for its, own in zip(self.documents, self.grades, strict=True):
            for document in {each for each, grade in zip(its, own.tolist(), strict=True) if grade >= 1}:
                counts[document] = counts.get(document, 0) + 1
        codes = {document: code for code, document in enumerate(sorted(counts, reverse=True))}
        size = len(codes)
        keys = np.sort(np.array([count * size + codes[each] for each, count in counts.items()], np.int64))
        ranks: list[Floats] = []
        grades: list[Floats] = []
        for its, own in zip(self.documents, self.grades, strict=True):
            rows = [
                (counts[each] * size + codes[each], grade)
                for each, grade in zip(its, own.tolist(), strict=True)
                if each in codes
            ]
            rank, grade = popular_ranks(keys, rows, size)
            order = np.argsort(rank, kind="stable")
            ranks.append(rank[order])
            grades.append(grade[order])
        rank = np.concatenate(ranks) if ranks else np.zeros(0)
        judged = self.grades
        return JudgedRows(
            length=np.full(len(judged), float(size)),
            offsets=np.append(0, np.cumsum([len(each) for each in ranks])).astype(np.int64),
            rank=rank,
            grade=np.concatenate(grades) if grades else np.zeros(0),
            tie_first=rank,
            tie_last=rank,
            judged_offsets=np.append(0, np.cumsum([len(each) for each in judged])).astype(np.int64),
            judged_grades=np.concatenate(judged),
        )


def popular_ranks(keys: Integers, rows: list[tuple[int, float]], size: int) -> tuple[Floats, Floats]:
    """Returns the ranks and grades of one query's documents in the list of popular documents.

    Args:
        keys: the keys of all documents, ascending. A key is the number of queries to which the document is relevant
            times ``size``, plus a code for its id.
        rows: the key and the grade of each of the query's documents.
        size: the number of documents.
    """
    own = np.array([key for key, _ in rows], np.int64)
    grade = np.array([grade for _, grade in rows])
    # The query's own judgment does not count towards a document's popularity.
    without = own - size * (grade >= 1)
    present = without >= size
    above = len(keys) - np.searchsorted(keys, without, side="right")
    moved = (own[None, :] > without[:, None]).sum(1) - (without[None, :] > without[:, None]).sum(1)
    return (1.0 + above - moved)[present], grade[present]


def baselines_of(pairs: Sequence[RunAndQrels]) -> list[tuple[RunAndQrels, list[Baseline]]]:
    """Returns the means of each run, and the means of rankings that ignore the query."""
    known = [pair for pair in pairs if pair.matched is not None and len(pair.found.rank) and pair.scores()]
    found: dict[int, list[Baseline]] = {}
    for together in with_same_judgments(known):
        found |= of_runs(together, Ignorant(together[0].judged), len(known))
    return [(pair, found[id(pair)]) for pair in known if id(pair) in found]


def of_runs(pairs: Sequence[RunAndQrels], ignorant: Ignorant, runs: int) -> dict[int, list[Baseline]]:
    """Returns the baselines of each run that has values for the measures; ``runs`` is the total number of runs."""
    measures = pairs[0].measures
    score_together(pairs, ignorant.shifted)
    try:
        values = values_by_chance(
            [part_of(pair, ignorant.sample) for pair in pairs], ignorant, measures, runs
        )
        return {id(pair): of_run(pair, ignorant, *its) for pair, its in zip(pairs, values, strict=True)}
    except DataError:  # a formula cannot handle the grades of a run, which other findings report
        found: dict[int, list[Baseline]] = {}
        for pair in pairs if len(pairs) > 1 else []:
            found |= of_runs([pair], ignorant, runs)
        return found


def of_run(
    pair: RunAndQrels, ignorant: Ignorant, shuffles: Floats, popular: Floats, orders: int
) -> list[Baseline]:
    """Returns the baselines of one run for each measure, except for counts, which are summed over queries.

    Args:
        pair: the run.
        ignorant: the rankings that ignore the query.
        shuffles: the mean values of random orders [queries, measures].
        popular: the values of the popular documents [queries, measures].
        orders: the number of random orders.
    """
    scores = pair.scores()
    assert scores is not None
    names, sample = ignorant.names, ignorant.sample
    places = rows_at(scores, names, sample, pair.judgments.query_count)
    there = places >= 0
    own = scores.matrix[places[there]]
    shifted = pair.scores(qrels=ignorant.shifted)
    other = np.full(own.shape, np.nan)
    if shifted is not None and len(sample) > 1:
        at = rows_at(shifted, names, sample, -1)
        other[(at >= 0)[there]] = shifted.matrix[at[there & (at >= 0)]]
    found_in = (shuffles[there], popular[there], other)
    result = []
    for place, measure in enumerate(pair.measures):
        definition = measure.definition
        if definition.aggregate == "sum":
            continue
        columns = [each[:, place] for each in found_in]
        bounded = definition.values == (0.0, 1.0)
        random_mean, popular_mean, other_mean = (float(each.mean()) for each in columns)
        result.append(
            Baseline(
                run=called(pair.name),
                measure=scores.labels[place],
                value=float(scores.matrix[:, place].mean()),
                at_one=int((scores.matrix[:, place] == 1).sum()) if bounded else 0,
                queries=len(scores.matrix),
                random=random_mean,
                popular=popular_mean,
                other=other_mean,
                sampled=len(own),
                orders=orders,
                near=near(own[:, place], columns) if bounded and not definition.smaller_is_better else (),
            )
        )
    return result


def rows_at(scores: Scores, names: Names, sample: Integers, judged: int) -> Integers:
    """Returns the row of each sampled query in the scores, or -1 for a query without scores.

    Args:
        scores: the scores.
        names: the sampled queries.
        sample: the indices of the sampled queries among all judged queries.
        judged: the number of judged queries. If all judged queries have scores, the indices are the rows.
    """
    return sample if len(scores.matrix) == judged else names.places_in(scores.ids)


def near(own: Floats, columns: Sequence[Floats]) -> tuple[str, ...]:
    """Returns the names of the baselines that the values of a run do not clearly exceed."""
    if len(own) < FEWEST_QUERIES or own.mean() <= SEEN:
        return ()
    names = []
    for name, column in zip(BASELINES, columns, strict=True):
        level = float(column.mean())
        if not level > SEEN:  # also true for NaN
            continue
        if np.count_nonzero(own + column) < FEWEST_QUERIES:
            continue
        difference = own - column
        # If the values are equal for every order, the order does not matter, as for set measures.
        if name == "random order" and np.abs(difference).max() < EQUAL:
            continue
        error = float(difference.std(ddof=1)) / math.sqrt(len(own))
        least = CLEAR * error if level < 1 - LEAST_ROOM else EQUAL
        if difference.mean() <= max(least, EQUAL):
            names.append(name)
    return tuple(names)


def part_of(pair: RunAndQrels, sample: Integers) -> JudgedRows:
    """Returns the rows of the sampled queries."""
    if len(sample) == len(pair.found.length):
        return pair.rows
    marks = np.zeros(len(pair.found.length), bool)
    marks[sample] = True
    return chosen(pair.rows, marks)


def cut(rows: JudgedRows, depth: float) -> JudgedRows:
    """Returns the lists, cut at a depth."""
    return replace(rows.kept(rows.rank <= depth), length=np.minimum(rows.length, depth))


def values_by_chance(
    lists: Sequence[JudgedRows], ignorant: Ignorant, measures: Sequence[Measure], runs: int
) -> Iterator[tuple[Floats, Floats, int]]:
    """Yields, for each run, the mean value over random orders of each list, the value of the popular documents, and the
    number of orders.

    Args:
        lists: the lists of each run, with the same judgments.
        ignorant: the rankings that ignore the query.
        measures: the measures.
        runs: the number of checked runs, over which the total number of shuffled documents is divided.
    """
    popular, queries = ignorant.popular, len(ignorant.sample)
    whole = [max(int(rows.length.sum()) * runs, 1) for rows in lists]
    orders = [int(np.clip(MOST_DOCUMENTS // each, 1, MOST_ORDERS)) for each in whole]
    tables = (
        each
        for rows, count in zip(lists, orders, strict=True)
        for each in (cut(popular, float(rows.length.max(initial=0))), *shuffled(rows, count))
    )
    sizes = [
        len(ranks) + queries
        for rows, count in zip(lists, orders, strict=True)
        for ranks in (popular.rank, *[rows.rank] * count)
    ]
    values = (
        each
        for first, last in parts_of(np.array(sizes), ROWS_TOGETHER)
        for each in np.split(by_measure(stacked(list(islice(tables, last - first))), measures), last - first)
    )
    for count in orders:
        of_popular = next(values)
        yield sum(islice(values, count), np.zeros(of_popular.shape)) / count, of_popular, count


def shuffled(rows: JudgedRows, orders: int) -> Iterator[JudgedRows]:
    """Yields the rows in random orders of the documents of each list."""
    length = rows.length.astype(np.int64)
    whole = int(length.sum())
    draw = np.random.default_rng(SEED)
    starts = np.append(0, np.cumsum(length))[:-1]
    counts = np.diff(rows.offsets)
    of_list = np.repeat(np.arange(len(length)), length)
    place = np.repeat(starts, counts) + np.arange(rows.offsets[-1]) - np.repeat(rows.offsets[:-1], counts)
    its_list = np.repeat(np.arange(len(length)), counts)
    for _ in range(orders):
        # The integer part is the list, so sorting shuffles only within lists.
        order = np.argsort(of_list + draw.random(whole), kind="stable")
        rank = np.empty(whole)
        rank[order] = np.arange(whole) - np.repeat(starts, length) + 1
        own = rank[place]
        sort = np.lexsort((own, its_list))
        ranks, grades = own[sort], rows.grade[sort]
        yield replace(
            rows, rank=ranks, grade=grades, tie_first=ranks, tie_last=ranks, listed=None, scores=None
        )


def by_measure(rows: JudgedRows, measures: Sequence[Measure]) -> Floats:
    """Returns the values of measures, with NaN for measures that need every document of a list or subtopics."""
    table = np.full((len(rows.length), len(measures)), np.nan)
    plain = [
        place for place, each in enumerate(measures) if not each.every_rank and not each.definition.groups
    ]
    if plain:
        table[:, plain] = values_of(finished(rows, LENIENT), [measures[place] for place in plain])
    return table


def no_better(baselines: Sequence[tuple[RunAndQrels, list[Baseline]]]) -> Iterator[Finding]:
    """Finds runs that do not clearly exceed a ranking that ignores the query."""
    for pair, rows in baselines:
        for name in BASELINES:
            first = next((each for each in rows if name in each.near), None)
            if first is None:
                continue
            level = first.baselines[name]
            yield found(
                "near-baseline",
                pair.name,
                filled(NEAR[name], measure=first.measure, value=first.value, level=level),
                severity=NOTE if name == "same documents" else None,
                effect=KINDS["near-baseline"].effect,
                values={
                    "of the run": {each.measure: each.value for each in rows},
                    **{
                        f"of {its}": {each.measure: each.baselines[its] for each in rows} for its in BASELINES
                    },
                },
            )


def saturated(pairs: Sequence[RunAndQrels]) -> Iterator[Finding]:
    """Finds measures for which every run has the value 1 on most queries."""
    scores = [each for pair in pairs if pair.matched is not None and (each := pair.scores()) is not None]
    if not scores or any(each.ids != scores[0].ids for each in scores):
        return
    for place, measure in enumerate(pairs[0].measures):
        values = np.stack([each.matrix[:, place] for each in scores], axis=1)
        if measure.definition.values != (0.0, 1.0) or len(values) < FEWEST_QUERIES:
            continue
        movable: NDArray[np.bool_] = ~(values == 1).all(axis=1)
        left, queries = int(movable.sum()), len(values)
        share = 1 - left / queries
        if left == 0 or share < 0.5 or (share < SATURATED and left >= FEWEST_MOVABLE):
            continue
        best = int(values.mean(axis=0).argmax())
        test = paired(1 - values[:, best])
        few = left < FEWEST_MOVABLE
        words = {
            "gain": test[0].value,
            "detectable": decimals(float(test.detectable(0.95)[0]), 4),
            "queries": queries,
            "measure": scores[0].labels[place],
            "p": 2.0 ** (1 - left),
        }
        yield found(
            "saturated",
            "all runs" if len(scores) > 1 else pairs[0].name,
            count=queries - left,
            total=queries,
            left=left,
            measure=scores[0].labels[place],
            scope="every run" if len(scores) > 1 else "the run",
            effect=filled(FEW_QUERIES if few else MANY_QUERIES, **words),
        )


def section(baselines: Sequence[Baseline]) -> Section:
    """Returns the table of baselines with an explanatory sentence."""
    first = baselines[0]
    shown = baselines[:SHOWN]
    names = apart([each.run for each in shown], 24)
    rows = [
        [
            name,
            each.measure,
            decimals(each.value, 4),
            f"{each.at_one}/{each.queries}",
            *(decimals(level, 4) for level in each.baselines.values()),
        ]
        for name, each in zip(names, shown, strict=True)
    ]
    header = ["run", "measure", "value", "at 1", "random\norder", "same\ndocuments", "another\nquery"]
    meaning = (
        f"random order: the mean of {plural(first.orders, 'random order')} of each list. same documents: one list for "
        "every query, of the documents that are relevant to most other queries. another query: the list of another "
        "query. at 1: queries with the value 1."
    )
    lines = [meaning]
    if first.sampled < first.queries:
        lines.append(
            f"These three scores are computed on a random sample of {first.sampled:,} of {first.queries:,} queries."
        )
    if len(baselines) > len(shown):
        more, json = len(baselines) - len(shown), Worded("to_json()", "--format json")
        lines.append(filled("{count:more row/more rows}: {json} contains all rows.", count=more, json=json))
    return Section([Table(header, rows, 2), Items(lines)], "Scores of rankings that ignore the query")
