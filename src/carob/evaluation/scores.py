"""The results of an evaluation: scores of one or several runs, and their output as tables, frames and JSON."""

from __future__ import annotations

import math
from abc import abstractmethod
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.evaluation.score_tables import (
    GIVEN,
    SAME,
    Cap,
    QueryValues,
    aggregate,
    board,
    document_to_keep,
    footers,
    shown,
)
from carob.inputs.ids import bytes_of, twice
from carob.inputs.names import Names
from carob.lists.rows import joined
from carob.output.errors import DataError, NoSuchRunError, warn
from carob.output.formats import format_named
from carob.output.language import language_named
from carob.output.layout import COLUMNS, Listed
from carob.output.results import Records, Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from carob.conventions.policy import Policy
    from carob.inputs.query_files import GroupsLike
    from carob.lists.rows import Floats
    from carob.measures import Measure
    from carob.output.frames import DataFrame
    from carob.output.pictures.figures import Drawing


class Tabled(Result):
    """The scores of one or more runs as a table."""

    KIND = "Scores"

    @property
    @abstractmethod
    def runs(self) -> list[Scores]:
        """The scores of each run."""

    def contents(self) -> dict[str, Any]:
        """Returns the scores, the policy and the counts, as ``carob eval -q --format json`` prints them."""
        return document_to_keep(self.runs, per_query=True)

    def records(self) -> dict[str, Callable[[], Records]]:
        """Returns the tables ``runs`` (means), ``queries`` (per-query scores) and, if there are groups, ``groups``."""
        tables = {"runs": self.run_records, "queries": self.query_records}
        return tables if self.runs[0].groups is None else {**tables, "groups": self.group_records}

    def recorded_as(self, names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> Records:
        """Returns a table of rows whose last columns are the measures. In CSV, counts are written as whole numbers."""
        kinds = zip(self.runs[0].labels, self.runs[0].measures, strict=True)
        written = {label: partial(shown, kind=each.definition.aggregate) for label, each in kinds}
        return Records([*names, *written], rows, written)

    def run_records(self) -> Records:
        """Returns a row for each run, with its means."""
        return self.recorded_as(["run"], [(each.name, *each.means().values()) for each in self.runs])

    def group_records(self) -> Records:
        """Returns a row for each run and group of queries, with the means."""
        rows = [
            (each.name, group, len(own.ids), *own.means().values())
            for each in self.runs
            for group, own in each.by_group().items()
        ]
        return self.recorded_as(["run", "group", "queries"], rows)

    def query_records(self) -> Records:
        """Returns a row for each run and query."""
        rows = [(each.name, *row) for each in self.runs for row in each.query_rows(each.queries)]
        return self.recorded_as(["run", "query", *self.runs[0].group_column], rows)

    def beside(self) -> list[str]:
        """Returns the facts about the data, which do not fit in CSV."""
        return footers(self.runs, language_named("en"), without=SAME)

    def figures(self) -> dict[str, Drawing]:
        """Returns the function that draws each run's sorted per-query scores by the first measure."""
        from carob.output.pictures.figures import curves

        label = self.runs[0].labels[0]
        columns = {each.name: sorted(each.by_query(label).values(), reverse=True) for each in self.runs}
        series = {name: (range(1, len(its) + 1), its) for name, its in columns.items()}
        return {"queries": lambda drawn: curves(drawn, series, f"queries by {label}")}

    def to_text(self, columns: int = COLUMNS) -> str:
        """Returns the means as a table, with the footer.

        Args:
            columns: the maximum width of the table, in characters.
        """
        return board(self.runs, "text", columns=columns) + self.footer()

    def to(self, layout: str) -> str:
        """Returns the means as a table in the named format; a complete page also includes the footer."""
        form = format_named(layout)
        below = form.lines(self.footer().split("\n")) if form.notes == "within" else ""
        return form.page(board(self.runs, layout) + below, ", ".join(each.name for each in self.runs), "en")

    def footer(self, lang: str = "en") -> str:
        """Returns the number of queries, the decisions and the policy, in one line for all runs that share them.

        Args:
            lang: ``en`` for English or ``zh`` for Chinese.

        Raises:
            PolicyError: carob does not support the language.
        """
        return "\n".join(footers(self.runs, language_named(lang)))

    def __str__(self) -> str:
        """Returns the means as a table, with the footer."""
        return board(self.runs, "text") + self.footer()

    def _repr_html_(self) -> str:
        """Returns HTML for a notebook."""
        return board(self.runs, "html") + format_named("html").lines(self.footer().split("\n"))


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Tabled, QueryValues):
    """The per-query scores of one run, and their means.

    Args:
        name: the run.
        labels: the name of each measure in tables.
        measures: the measures.
        ids: the evaluated queries, in byte order; ``queries`` returns them as text.
        matrix: one value per query and measure [queries, measures].
        policy: the policy under which the values were computed.
        counts: the numbers of queries, documents and lines to which each policy rule applied.
        bounds: the mean under the worst and the best order of tied documents, for each label that ties can change.
        profile: the requested profile, or None.
        digits: the number of decimals in tables.
        counted: a mask of the values that count in their mean; None if all values count [queries, measures].
        weights: the weight of each value in its mean; None for equal weights [queries, measures].
        errors: the standard error of each mean that is estimated from a sample of the orders of tied documents, by
            label.
        inputs: the sources of the ``qrels`` and the ``run``, which ``carob.record`` hashes; empty for merged scores.
        pools: the judged lists for each label whose measure compares documents of different queries.
        warnings: sentences that say why the values are doubtful.
        failed: the reason why a label has no values, as a sentence; the values are NaN.
        judged: the mean share of judged documents among the first ten, over the queries for which the run retrieves
            documents; NaN if it was not computed.
        judgments: the identity of the judgments, if the scores were read from a file that has their SHA-256.
        exclusion: the documents that were excluded from the run, if the scores were read from a file.
        groups: the groups of each query, if means are shown by group; an empty tuple for a query without a group.
        caps: the highest possible mean of each label that is well below 1 because queries have more relevant documents
            than the depth or, for P, fewer.

    Example:
        >>> import carob
        >>> scores = carob.evaluate({"q": {"a": 1, "b": 0}}, {"q": {"b": 2.0, "a": 1.0}}, ["RR"])
        >>> scores["RR"], scores.by_query("RR")
        (0.5, {'q': 0.5})
    """

    @property
    def runs(self) -> list[Scores]:
        """A mapping that contains only this run."""
        return [self]

    def merge(self, *others: Scores) -> Scores:
        """Merges the scores of a run that was evaluated in parts; see ``docs/shards.md``.

        Args:
            others: the other parts. Merging all parts in one call is faster than merging one after another.

        Raises:
            DataError: a query occurs in two parts, or the parts differ in measures or policy.

        Example:
            >>> import carob
            >>> parts = [carob.evaluate({q: {"a": 1}}, {q: {"a": 1.0}}, ["RR"]) for q in ("q1", "q2", "q3")]
            >>> parts[0].merge(*parts[1:]).queries
            ('q1', 'q2', 'q3')
        """
        parts = (self, *others)
        if any((each.measures, each.policy) != (self.measures, self.policy) for each in others):
            raise DataError(
                "The parts differ in measures or policy. Evaluate all parts with the same measures and the same policy."
            )
        if len({each.groups is None for each in parts}) > 1:
            raise DataError(
                "Only some parts have groups of queries: evaluate either all parts or none with by=…."
            )
        names = [query for each in parts for query in each.queries]
        again = twice(sorted(names))
        if again is not None:
            raise DataError(
                f"Query '{again}' was evaluated in two parts. Evaluate each query in only one part."
            )
        order = byte_order(names)
        merged = replace(
            self,
            ids=Names.of(names[each] for each in order),
            matrix=np.concatenate([each.matrix for each in parts])[order],
            counts=self.counts.merge(*(each.counts for each in others)),
            bounds=merged_bounds(parts),
            caps=merged_caps(parts),
            counted=stacked([(each.counted, each.matrix.shape) for each in parts], np.bool_, order),
            weights=stacked([(each.weights, each.matrix.shape) for each in parts], np.float64, order),
            errors=merged_errors(parts),
            failed={label: reason for each in parts for label, reason in each.failed.items()},
            inputs={},
            warnings=tuple(dict.fromkeys(each for part in parts for each in part.warnings)),
            judged=math.nan,
            groups=None
            if self.groups is None
            else {query: group for each in parts for query, group in (each.groups or {}).items()},
        )
        if len(merged.ids) and not merged.counts.found and merged.profile != GIVEN:
            doubt = f"{self.name}: no judged document is in any of the {len(parts)} parts that were merged."
            warn(doubt)
            merged = replace(merged, warnings=(*merged.warnings, doubt))
        return pooled_again(merged, parts) if self.pools else merged

    def records(self) -> dict[str, Callable[[], Records]]:
        """Returns the tables ``queries`` (per-query scores), ``runs`` (means) and, if there are groups, ``groups``."""
        tables = super().records()
        return {"queries": tables["queries"], **tables}

    def query_records(self) -> Records:
        """Returns a row for each query. Query ids are whole numbers if they were so in a frame of judgments."""
        whole = "qrels" in self.inputs and self.inputs["qrels"].whole
        rows = self.query_rows(map(int, self.queries) if whole else self.queries)
        return self.recorded_as(["query", *self.group_column], rows)

    @property
    def group_column(self) -> list[str]:
        """A list with the name of the column of groups; empty if there are no groups."""
        return [] if self.groups is None else ["group"]

    def query_rows(self, queries: Iterable[Any]) -> list[tuple[Any, ...]]:
        """Returns a row for each query: its id as given, its groups if there are any, and its values."""
        groups = [self.group_cells(self.queries) for _ in self.group_column]
        return [(*row, *values) for *row, values in zip(queries, *groups, self.matrix.tolist(), strict=True)]

    def to_frame(self, what: str | None = None, backend: str | None = None) -> DataFrame:
        """Returns a data frame with a row per query and a column per measure.

        Args:
            what: ``queries``, or ``runs`` for the means. If a library is passed instead, as in ``to_frame("polars")``,
                the frame contains the queries.
            backend: ``pandas``, ``polars``, ``pyarrow``, ``duckdb``, ``pyspark`` …; if None, the library of the frame
                from which the run or the judgments were read or, without such a frame, the first of these libraries
                that is installed.

        Returns:
            The frame. Its queries are whole numbers if they were whole numbers in a frame of judgments. An engine
            creates the frame where the run is stored; for example, Spark uses the run's session.

        Raises:
            DataError: no data frame library is installed, or an engine has no session.
        """
        from carob.inputs.runs.engine import ENGINES, TABLES  # imported here because most runs do not need it
        from carob.output.frames import FRAMES

        known = (*FRAMES, *TABLES)
        if what in known and backend is None:
            what, backend = None, what
        origins = [self.inputs[role] for role in ("run", "qrels") if role in self.inputs]
        library = backend or next((each.library for each in origins if each.library in known), None)
        if library in TABLES:
            home = next((each.home for each in origins if each.library == library), None)
            made: DataFrame = ENGINES[library](super().to_frame(what, "pyarrow"), home)
            return made
        return super().to_frame(what, library)


class ScoresByRun(Tabled, Listed[Scores]):
    """The scores of several runs on the same judgments: a mapping from names to scores, printed as one table.

    Example:
        >>> import carob
        >>> qrels = {"q": {"a": 1, "b": 0}}
        >>> found = carob.evaluate(qrels, {"old": {"q": {"b": 2.0, "a": 1.0}}, "new": {"q": {"a": 1.0}}}, "RR")
        >>> found["new"]["RR"], found.means()
        (1.0, {'old': {'RR': 0.5}, 'new': {'RR': 1.0}})
    """

    def __init__(self, scores: Iterable[Scores]) -> None:
        """Creates the mapping from a sequence of scores."""
        self.scores = {each.name: each for each in scores}

    def __getitem__(self, name: str) -> Scores:
        """Returns the scores of a run.

        Raises:
            NoSuchRunError: there is no run of this name.
        """
        if name not in self.scores:
            first = next(iter(self.scores.values()), None)
            hint = (
                f" For {name} of a run, use [{first.name!r}][{name!r}]."
                if first is not None and name in first
                else ""
            )
            raise NoSuchRunError(f"No run is called {name!r}: the runs are {', '.join(self.scores)}.{hint}")
        return self.scores[name]

    def __iter__(self) -> Iterator[str]:
        """Iterates over the runs' names, in the order given."""
        return iter(self.scores)

    def __len__(self) -> int:
        """Returns the number of runs."""
        return len(self.scores)

    @property
    def runs(self) -> list[Scores]:
        """The scores of each run, in the order given."""
        return list(self.scores.values())

    def means(self) -> dict[str, dict[str, float]]:
        """Returns the aggregate of every measure, by run and label."""
        return {name: each.means() for name, each in self.items()}

    def to_frame(
        self, what: str | None = None, backend: str | None = None, *, per_query: bool = False
    ) -> DataFrame:
        """Returns a data frame with a row per run and a column per measure.

        Args:
            what: ``runs`` or ``queries``. If a library is passed instead, as in ``to_frame("polars")``, the frame
                contains the default table.
            backend: the library, as in ``Scores.to_frame``.
            per_query: whether to return a row for each run and query, as ``queries`` does.

        Raises:
            DataError: there is no such table, or no data frame library is installed.
        """
        if per_query and what not in self.records():
            return super().to_frame("queries", backend or what)
        return super().to_frame(what, backend)


JUDGED = "Judged@10"
"""The measure whose mean over answered queries is the share of a run's top documents that are judged."""


def share_judged(scores: Scores, depth: int = 10) -> float:
    """Returns the share that ``shares_judged`` computes, taken from scores that store or imply it, or NaN.

    Under a policy that removes unjudged documents, the share is always 1, so NaN is returned.

    Args:
        scores: the scores, which may contain the share of the top ten.
        depth: the number of top ranks.
    """
    if depth != 10 or JUDGED not in scores:
        return scores.judged if depth == 10 else math.nan
    if scores.policy.of_measure(scores.measures[scores.column(JUDGED)]).unjudged == "removed":
        return math.nan
    missing = set(scores.counts.missing)
    shares = [value for query, value in scores.by_query(JUDGED).items() if query not in missing]
    return sum(shares) / len(shares) if shares else math.nan


def lists_only_relevant(grades: Floats) -> bool:
    """Returns whether judgments contain only relevant documents, as a golden set does.

    If so, the judged share shows how many relevant documents a run retrieves, and nothing about missing judgments.

    Args:
        grades: the grades of all judgments, including negative grades.
    """
    return bool(len(grades)) and bool(grades.min() > 0)


def weights_given(scores: Scores) -> dict[str, float] | None:
    """Returns the caller's query weights, taken from a measure that defines no weights itself, or None."""
    if scores.weights is None:
        return None
    for place, measure in enumerate(scores.measures):
        if measure.definition.weighs is None and measure.definition.aggregate != "sum":
            return dict(zip(scores.queries, scores.weights[:, place].tolist(), strict=True))
    return None


def with_groups(scores: Sequence[Scores], by: GroupsLike) -> list[Scores]:
    """Returns the scores of runs with the groups of each query added.

    Raises:
        DataError: a query has no group, a file is unreadable, or a measure has no mean by group.
    """
    # Imported here because the table readers are slow to import and most evaluations use no groups.
    from carob.inputs.query_files import groups_of

    queries = sorted({query for each in scores for query in each.queries})
    others, origin = uncounted(scores, len(queries)), scores[0].inputs.get("qrels")
    groups = groups_of(by, queries, others=others, overlap=True, judgments=origin)
    pooled = next((label for each in scores for label in each.pools), None)
    if pooled is not None:
        raise DataError(
            f"{pooled} compares documents of different queries, so it has no mean for a group of queries: leave it "
            "out, or evaluate each group separately."
        )
    names = groups.names[: len(groups.names) - groups.ungrouped]
    named = (tuple(names[code] for code in codes if code < len(names)) for codes in groups.of_each())
    own = dict(zip(queries, named, strict=True))
    return [replace(each, groups=own) for each in scores]


def uncounted(scores: Sequence[Scores], queries: int) -> int:
    """Returns how many queries are judged or retrieved but have no value, in addition to the compared queries."""
    return max(each.counts.extra + max(0, each.counts.judged - queries) for each in scores)


def with_judged(scores: Scores) -> Scores:
    """Moves the mean of the measure ``JUDGED``, which must not be the only measure, to the field ``judged``."""
    labels = [label for place, label in enumerate(scores.labels) if place != scores.column(JUDGED)]
    return replace(with_measures(scores, labels), judged=share_judged(scores))


def with_measures(scores: Scores, labels: Sequence[str]) -> Scores:
    """Returns the scores of the given measures, in this order and with these labels.

    Raises:
        MeasureError: a measure was not evaluated.
    """
    if tuple(labels) == scores.labels:
        return scores
    places = [scores.column(label) for label in labels]
    renamed = [(new, scores.labels[place]) for new, place in zip(labels, places, strict=True)]
    known = {name: getattr(scores, name) for name in ("bounds", "caps", "errors", "failed")}
    by_label: dict[str, Any] = {
        name: {new: its[old] for new, old in renamed if old in its} for name, its in known.items()
    }
    return replace(
        scores,
        labels=tuple(labels),
        measures=tuple(scores.measures[place] for place in places),
        **scores.arrays((slice(None), places)),
        **by_label,
    )


def with_zeros(scores: Scores, queries: Sequence[str]) -> Scores:
    """Adds queries with the value 0 to the scores, and counts them as missing.

    The weight of each added query is the mean weight of the other queries.

    Args:
        scores: the scores.
        queries: the queries to add, for which the scores have no value.
    """
    if not queries:
        return scores
    names = [*scores.queries, *queries]
    order = byte_order(names)
    added = np.zeros((len(queries), len(scores.labels)))

    def longer(array: Any, filled: Any) -> Any:
        return None if array is None else np.concatenate([array, filled])[order]

    weights = None if scores.weights is None else added + scores.weights.mean(axis=0)
    missing = {*scores.counts.missing, *queries}
    return replace(
        scores,
        ids=Names.of(names[each] for each in order),
        matrix=longer(scores.matrix, added),
        counts=replace(
            scores.counts,
            queries=len(names),
            missing=tuple(names[each] for each in order if names[each] in missing),
        ),
        bounds={},
        caps={},
        counted=longer(scores.counted, added == 0),
        weights=longer(scores.weights, weights),
        groups=None,
    )


def byte_order(queries: Sequence[str]) -> list[int]:
    """Returns the indices that sort queries by the bytes of their ids."""
    return sorted(range(len(queries)), key=lambda each: bytes_of(queries[each]))


def stacked(parts: Sequence[tuple[Any, tuple[int, ...]]], kind: Any, order: list[int]) -> Any:
    """Concatenates arrays, with ones for missing arrays, and reorders the rows. Returns None if all are missing."""
    if all(array is None for array, _ in parts):
        return None
    return np.concatenate([np.ones(shape, kind) if array is None else array for array, shape in parts])[order]


def pooled_again(merged: Scores, parts: Sequence[Scores]) -> Scores:
    """Recomputes merged measures that compare documents of different queries from all parts together."""
    from carob.lists.flat import Flat

    values, pools = merged.matrix.copy(), {}
    weights = np.ones(values.shape) if merged.weights is None else merged.weights.copy()
    place_of = {query: place for place, query in enumerate(merged.queries)}
    for label in merged.pools:
        column = merged.column(label)
        places = np.array([place_of[query] for part in parts for query in part.by_query(label)], np.int64)
        rows = joined([part.pools[label] for part in parts], np.argsort(places))
        places.sort()
        lists, measure = Flat(rows), merged.measures[column]
        own = cast("Floats", measure.weigh(lists))
        with np.errstate(divide="ignore", invalid="ignore"):
            found = cast("Floats", measure.values(Flat(rows, every_rank=measure.every_rank)))
        # A value with weight 0 was set by the policy, so the measure's value does not replace it.
        values[places, column] = np.where(own > 0, found, values[places, column])
        weights[places, column] = own if rows.weight is None else own * rows.weight
        pools[label] = rows
    return replace(merged, matrix=values, weights=weights, pools=pools)


def merged_bounds(parts: Sequence[Scores]) -> dict[str, tuple[float, float]]:
    """Returns the merged means under the worst and the best order of tied documents, by label."""
    found = {}
    for label in parts[0].labels:
        if label not in parts[0].pools and any(label in each.bounds for each in parts):
            ends = (each.bounds.get(label, (each[label],) * 2) for each in parts)
            low, high = (merged_mean(parts, label, its) for its in zip(*ends, strict=True))
            found[label] = low, high
    return found


def merged_caps(parts: Sequence[Scores]) -> dict[str, Cap]:
    """Returns the highest possible merged mean of each label for which it is known in every part."""
    known = {label: [each.caps[label] for each in parts if label in each.caps] for label in parts[0].caps}
    return {
        label: Cap(
            merged_mean(parts, label, [each.mean for each in its]),
            sum(each.queries for each in its),
            its[0].depth,
        )
        for label, its in known.items()
        if len(its) == len(parts)
    }


def merged_mean(parts: Sequence[Scores], label: str, means: Sequence[float]) -> float:
    """Returns the aggregate over all parts, given each part's mean, weighted by the weights of its queries."""
    place = parts[0].column(label)
    sizes = []
    for each in parts:
        weights = np.ones(len(each.ids)) if each.weights is None else each.weights[:, place]
        sizes.append(weights.sum() if each.counted is None else weights[each.counted[:, place]].sum())
    return aggregate(np.array(means), parts[0].measures[place].definition.aggregate, np.array(sizes))


def merged_errors(parts: Sequence[Scores]) -> dict[str, float]:
    """Returns the standard errors of the merged means, with each part weighted by its share of the queries."""
    queries = sum(len(each.ids) for each in parts)
    shares = [(each, len(each.ids) / queries) for each in parts]
    labels = [label for label in parts[0].labels if any(label in each.errors for each in parts)]
    return {
        label: math.hypot(*(share * each.errors.get(label, 0.0) for each, share in shares))
        for label in labels
    }


def side_by_side(parts: Sequence[Scores], measures: Mapping[str, Measure], policy: Policy) -> Scores:
    """Merges scores of a run under several policies. Each measure counts only the queries that its policy keeps.

    A measure that failed gets a column of NaN.

    Args:
        parts: the scores, with different labels.
        measures: all measures, by label and in the order of the result.
        policy: the policy, whose exceptions for some measures are the reason for several parts.
    """
    queries = sorted({query for part in parts for query in part.queries}, key=bytes_of)
    row = {query: place for place, query in enumerate(queries)}
    owner = {label: part for part in parts for label in (*part.labels, *part.failed)}
    values = np.full((len(queries), len(measures)), np.nan)
    counted = np.zeros(values.shape, bool)
    weights = np.ones(values.shape)
    for place, label in enumerate(measures):
        part = owner[label]
        rows = [row[query] for query in part.queries]
        counted[rows, place] = True
        if label not in part.failed:
            values[rows, place] = part.matrix[:, part.column(label)]
            if part.weights is not None:
                weights[rows, place] = part.weights[:, part.column(label)]
    return replace(
        parts[0],
        labels=tuple(measures),
        measures=tuple(measures.values()),
        ids=Names.of(queries),
        matrix=values,
        policy=policy,
        counts=replace(
            parts[0].counts,
            queries=len(queries),
            perfect=len(queries) if all(each.counts.perfect == each.counts.queries for each in parts) else 0,
            missing=max((part.counts.missing for part in parts), key=len),
        ),
        bounds={label: owner[label].bounds[label] for label in measures if label in owner[label].bounds},
        caps={label: owner[label].caps[label] for label in measures if label in owner[label].caps},
        counted=None if counted.all() else counted,
        weights=None if all(part.weights is None for part in parts) else weights,
        errors={label: error for part in parts for label, error in part.errors.items()},
        failed={label: reason for part in parts for label, reason in part.failed.items()},
        pools={label: rows for part in parts for label, rows in part.pools.items()},
    )
