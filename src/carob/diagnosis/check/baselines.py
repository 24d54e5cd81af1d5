"""The scores of rankings that ignore the query, and queries on which runs can no longer differ."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from carob._cached import cached_property
from carob._dataclasses import dataclass
from carob._numpy import np
from carob.diagnosis.check.finding import KINDS, NOTE, SEEN, found
from carob.diagnosis.check.lenient import LENIENT, from_rows
from carob.evaluation.values import values_of
from carob.inputs.run import short
from carob.lists.rows import JudgedRows
from carob.matching.axes import chosen
from carob.matching.match import finished
from carob.measures import parse_measure
from carob.output.document import Items, Section, Table
from carob.output.errors import DataError, Worded
from carob.output.language import Sentences
from carob.output.layout import apart, decimals
from carob.statistics.paired import paired

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from carob.diagnosis.check.finding import Finding
    from carob.diagnosis.check.lenient import LenientQrels, RunAndQrels
    from carob.evaluation.scores import Scores
    from carob.lists.rows import Floats, Integers
    from carob.measures import Measure

MOST_QUERIES, MOST_JUDGMENTS = 2000, 50_000
"""A larger collection is represented by a sample of its queries."""

MOST_DOCUMENTS = 1_000_000
"""Documents that are shuffled in all, over the orders and the runs."""

MOST_ORDERS = 50
FEWEST_QUERIES = 5
"""With fewer queries, a score near a baseline may be chance."""

CLEAR = 2.0
"""A run is above a baseline if the mean difference is at least this many standard errors."""

EQUAL = 1e-9
"""The largest difference of equal values, of which one is a mean over orders."""

LEAST_ROOM = 0.05
"""A run is not expected to clearly exceed a baseline that is nearer to 1 than this, but to exceed it."""

SHOWN = 8
"""Rows of the table in text."""

SEED = 2026
BASELINES = ("random order", "same documents", "another query")
SATURATED, FEWEST_MOVABLE = 0.8, 6
"""The share of queries at 1, and the number of other queries below which no sign-flip test reaches .05."""

sentence = Sentences(__file__)


@dataclass(frozen=True)
class Baseline:
    """The mean of a run by a measure, and the means of rankings that ignore the query.

    Args:
        run: the name of the run.
        measure: the measure.
        value: the run's mean over the queries.
        at_one: the number of queries whose value is 1, the largest.
        queries: the number of queries.
        random: the mean of random orders of the documents that the run retrieves.
        popular: the mean of one list for all queries: the documents that are relevant to most other queries.
        other: the mean if each query had the list of another query.
        sampled: the number of queries on which these three were computed.
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
        """The baselines by name."""
        return dict(zip(BASELINES, (self.random, self.popular, self.other), strict=True))


@dataclass(eq=False)
class Ignorant:
    """Rankings that ignore the query, for judgments.

    Args:
        judged: the judgments.
    """

    judged: LenientQrels

    @cached_property
    def sample(self) -> Integers:
        """The sampled queries, as numbers in byte order."""
        sizes = np.diff(self.judged.judgments.offsets)
        count = len(sizes)
        most = min(MOST_QUERIES, int(MOST_JUDGMENTS / max(float(sizes.mean()), 1.0)), count)
        if most >= count:
            return np.arange(count)
        order = np.random.default_rng(SEED).permutation(count)
        return np.sort(order[: max(most, FEWEST_QUERIES)])

    @cached_property
    def documents(self) -> list[list[bytes]]:
        """The judged documents of each sampled query."""
        return [self.judged.judgments.documents(each) for each in self.sample.tolist()]

    @cached_property
    def grades(self) -> list[Floats]:
        """The grades of these documents."""
        offsets, grades = self.judged.judgments.offsets, self.judged.judgments.grades
        return [grades[offsets[each] : offsets[each + 1]] for each in self.sample.tolist()]

    @cached_property
    def shifted(self) -> Any:
        """The judgments of each sampled query under the name of the next one."""
        names = [self.judged.judgments.queries[each] for each in self.sample.tolist()]
        rows = [
            (names[(place + 1) % len(names)], document)
            for place, its in enumerate(self.documents)
            for document in its
        ]
        return from_rows(rows, np.concatenate(self.grades))

    @cached_property
    def popular(self) -> JudgedRows:
        """The judged documents in one list for all queries: those that are relevant to most other queries.

        Documents that are relevant to no other query are left out. The smaller id decides between equal numbers.
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
        keys: the keys of all documents, ascending: the number of queries times the number of documents, and a code.
        rows: the key and the grade of each of the query's documents.
        size: the number of documents.
    """
    own = np.array([key for key, _ in rows], np.int64)
    grade = np.array([grade for _, grade in rows])
    # The query's own judgment does not make a document popular.
    without = own - size * (grade >= 1)
    present = without >= size
    above = len(keys) - np.searchsorted(keys, without, side="right")
    moved = (own[None, :] > without[:, None]).sum(1) - (without[None, :] > without[:, None]).sum(1)
    return (1.0 + above - moved)[present], grade[present]


def baselines_of(pairs: Sequence[RunAndQrels]) -> list[tuple[RunAndQrels, list[Baseline]]]:
    """Returns the means of each run, and those of rankings that ignore the query."""
    known = [pair for pair in pairs if pair.matched is not None and len(pair.found.rank) and pair.scores()]
    ignorant: dict[int, Ignorant] = {}
    result = []
    for pair in known:
        its = ignorant.setdefault(id(pair.judged), Ignorant(pair.judged))
        try:
            result.append((pair, of_run(pair, its, len(known))))
        except DataError:  # a formula that these grades do not fit; the values have findings of their own
            continue
    return result


def of_run(pair: RunAndQrels, ignorant: Ignorant, runs: int) -> list[Baseline]:
    """Returns the baselines of one run, by each measure; none for counts, which are summed over queries."""
    scores = pair.scores()
    assert scores is not None
    measures = [parse_measure(each) for each in pair.measures]
    shown = [each for each, measure in enumerate(measures) if measure.definition.aggregate != "sum"]
    if not shown:
        return []
    sample = ignorant.sample
    names = [pair.judgments.queries[each] for each in sample.tolist()]
    places, there = rows_at(scores, names, sample, len(pair.judgments.queries))
    own = scores.matrix[places]
    rows = part_of(pair, sample)
    shuffles, orders = shuffled(rows, measures, runs)
    depth = float(rows.length.max(initial=0))
    popular = by_measure(cut(ignorant.popular, depth), measures)
    shifted = pair.scores(qrels=ignorant.shifted)
    other = np.full(own.shape, np.nan)
    if shifted is not None and len(sample) > 1:
        at, known = rows_at(shifted, names, sample, -1)
        other[known[there]] = shifted.matrix[at[there[known]]]
    found_in = (shuffles[there], popular[there], other)
    result = []
    for place in shown:
        label = scores.labels[place]
        columns = [each[:, place] for each in found_in]
        bounded = measures[place].definition.values == (0.0, 1.0)
        random_mean, popular_mean, other_mean = (float(each.mean()) for each in columns)
        upward = bounded and not measures[place].definition.smaller_is_better
        result.append(
            Baseline(
                run=short(pair.name),
                measure=label,
                value=float(scores.matrix[:, place].mean()),
                at_one=int((scores.matrix[:, place] == 1).sum()) if bounded else 0,
                queries=len(scores.matrix),
                random=random_mean,
                popular=popular_mean,
                other=other_mean,
                sampled=len(own),
                orders=orders,
                near=near(own[:, place], columns) if upward else (),
            )
        )
    return result


def rows_at(
    scores: Scores, names: Sequence[bytes], sample: Integers, judged: int
) -> tuple[Integers, NDArray[np.bool_]]:
    """Returns the rows of sampled queries in the scores, and which of these queries have scores.

    Args:
        scores: the scores.
        names: the sampled queries.
        sample: their numbers among all judged queries.
        judged: the number of judged queries: if all have scores, their numbers are the rows.
    """
    if len(scores.matrix) == judged:
        return sample, np.ones(len(sample), bool)
    places = {query: place for place, query in enumerate(scores.ids)}
    there = np.array([name in places for name in names], bool)
    return np.array([places[name] for name in names if name in places], np.int64), there


def near(own: Floats, columns: Sequence[Floats]) -> tuple[str, ...]:
    """Returns the baselines that the values of a run do not clearly exceed."""
    if len(own) < FEWEST_QUERIES or own.mean() <= SEEN:
        return ()
    names = []
    for name, column in zip(BASELINES, columns, strict=True):
        level = float(column.mean())
        if not level > SEEN:  # also if it is not defined
            continue
        if np.count_nonzero(own + column) < FEWEST_QUERIES:
            continue
        difference = own - column
        # With equal values for every order, the order does not matter, as with measures of sets.
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
    """Returns the lists down to a depth."""
    return replace(rows.kept(rows.rank <= depth), length=np.minimum(rows.length, depth))


def shuffled(rows: JudgedRows, measures: Sequence[Measure], runs: int) -> tuple[Floats, int]:
    """Returns the mean value of random orders of each list, and the number of orders.

    Args:
        rows: the lists.
        measures: the measures.
        runs: the number of runs that are checked, which share the work.
    """
    length = rows.length.astype(np.int64)
    whole = int(length.sum())
    orders = int(np.clip(MOST_DOCUMENTS // max(whole * runs, 1), 1, MOST_ORDERS))
    draw = np.random.default_rng(SEED)
    starts = np.append(0, np.cumsum(length))[:-1]
    counts = np.diff(rows.offsets)
    of_list = np.repeat(np.arange(len(length)), length)
    place = np.repeat(starts, counts) + np.arange(rows.offsets[-1]) - np.repeat(rows.offsets[:-1], counts)
    its_list = np.repeat(np.arange(len(length)), counts)
    total = np.zeros((len(length), len(measures)))
    for _ in range(orders):
        # The documents of each list in a random order: the sort keeps the lists apart.
        order = np.argsort(of_list + draw.random(whole), kind="stable")
        rank = np.empty(whole)
        rank[order] = np.arange(whole) - np.repeat(starts, length) + 1
        own = rank[place]
        sort = np.lexsort((own, its_list))
        changed = replace(
            rows,
            rank=own[sort],
            grade=rows.grade[sort],
            tie_first=own[sort],
            tie_last=own[sort],
            listed=None,
            scores=None,
        )
        total += by_measure(changed, measures)
    return total / orders, orders


def by_measure(rows: JudgedRows, measures: Sequence[Measure]) -> Floats:
    """Returns the values of measures, NaN for those that need every document of a list."""
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
            words = {
                "measure": first.measure,
                "value": f"{first.value:.4f}",
                "level": f"{first.baselines[name]:.4f}",
            }
            yield found(
                "near-baseline",
                pair.name,
                sentence("near", name, **words),
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
    """Finds measures by which every run has the value 1 on most queries."""
    scores = [each for pair in pairs if pair.matched is not None and (each := pair.scores()) is not None]
    if not scores or any(each.ids != scores[0].ids for each in scores):
        return
    for place, measure in enumerate(map(parse_measure, pairs[0].measures)):
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
            "gain": float(test.mean[0]),
            "detectable": decimals(float(test.detectable[0]), 4),
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
            effect=sentence("saturated", "few" if few else "many", **words),
        )


def section(baselines: Sequence[Baseline]) -> Section:
    """Returns the table of baselines, with a sentence about them."""
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
    lines = [sentence("baselines", "what", orders=first.orders)]
    if first.sampled < first.queries:
        lines.append(sentence("baselines", "sample", sampled=first.sampled, queries=first.queries))
    if len(baselines) > len(shown):
        json = Worded("to_json()", "--format json")
        lines.append(sentence("baselines", "more", count=len(baselines) - len(shown), json=json))
    return Section([Table(header, rows, 2), Items(lines)], sentence("baselines", "title"))
