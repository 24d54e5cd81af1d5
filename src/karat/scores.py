"""Scores: what each measure says of each query, the means, and the story of how they came about."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from karat import _native
from karat._version import __version__
from karat.errors import DataError, MeasureError
from karat.layout import lay_out
from karat.measures import Measure, parse_measure
from karat.rows import joined

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from karat.match import Counts
    from karat.policy import Policy
    from karat.read import Origin
    from karat.rows import Floats, JudgedRows

__all__ = ["Scores", "board", "document_of", "footer", "side_by_side", "to_json"]

GEOMETRIC_FLOOR = 1e-5
"""trec_eval's MIN_GEO_MEAN: what a smaller value counts in a geometric mean."""


FRAMES = ("pandas", "polars", "pyarrow", "modin", "cudf", "duckdb")
"""The libraries that ``to_frame`` can make a frame of."""


@dataclass(frozen=True, eq=False)
class Scores:
    """Per-query values and means of one run.

    Args:
        name: the run.
        labels: what each measure is called in tables.
        measures: the measures.
        queries: the queries evaluated, in byte order.
        values: one value per query and measure [queries, measures].
        policy: under which policy.
        counts: what was found and decided.
        bounds: for each label that ties can move, its mean under the worst and the best order of tied documents.
        profile: the profile asked for, or None.
        digits: decimals in tables.
        counted: which values enter their mean, where measures differ in it; None for all [queries, measures].
        weights: what each value weighs in its mean, None if all weigh the same [queries, measures].
        errors: for each label whose mean comes from a sample of the orders of tied documents, its standard error.
        inputs: where the ``qrels`` and the ``run`` came from; ``karat.record`` hashes them. Empty for merged scores.
        pools: for each label whose values compare documents of different queries, the lists that they come from.

    Example:
        >>> import karat
        >>> scores = karat.evaluate({"q": {"a": 1, "b": 0}}, {"q": {"b": 2.0, "a": 1.0}}, ["RR"])
        >>> scores["RR"], scores.by_query("RR")
        (0.5, {'q': 0.5})
    """

    name: str
    labels: tuple[str, ...]
    measures: tuple[Measure, ...]
    queries: tuple[str, ...]
    values: Floats
    policy: Policy
    counts: Counts
    bounds: dict[str, tuple[float, float]]
    profile: str | None = None
    digits: int = 4
    counted: NDArray[np.bool_] | None = None
    weights: Floats | None = None
    errors: dict[str, float] = field(default_factory=dict)
    inputs: dict[str, Origin] = field(default_factory=dict)
    pools: dict[str, JudgedRows] = field(default_factory=dict, repr=False)

    def column(self, measure: str | Measure) -> int:
        """Where a measure stands; trec_eval's names find it too.

        Raises:
            MeasureError: it was not evaluated.
        """
        if measure in self.labels:
            return self.labels.index(str(measure))
        wanted = parse_measure(measure)
        if str(wanted) in self.labels:  # under a profile the measure itself may have parameters of its own
            return self.labels.index(str(wanted))
        if wanted not in self.measures:
            raise MeasureError(f"{wanted} was not evaluated; there are: {', '.join(self.labels)}.")
        return self.measures.index(wanted)

    def __getitem__(self, measure: str | Measure) -> float:
        """The aggregate over all queries: a mean, for counts a sum, for GMAP a geometric mean."""
        place = self.column(measure)
        values = self.values[:, place]
        weights = None if self.weights is None else self.weights[:, place]
        if self.counted is not None:
            kept = self.counted[:, place]
            values, weights = values[kept], None if weights is None else weights[kept]
        return aggregate(values, self.measures[place].definition.aggregate, weights)

    def __contains__(self, measure: object) -> bool:
        """Whether the measure was evaluated."""
        try:
            return isinstance(measure, (str, Measure)) and self.column(measure) >= 0
        except MeasureError:
            return False

    def __iter__(self) -> Iterator[str]:
        """The labels."""
        return iter(self.labels)

    def __len__(self) -> int:
        """How many measures there are."""
        return len(self.labels)

    def means(self) -> dict[str, float]:
        """Every aggregate by label."""
        return {label: self[label] for label in self.labels}

    def by_query(self, measure: str | Measure) -> dict[str, float]:
        """Each query's value; a query that the measure leaves out is not there."""
        place = self.column(measure)
        values = dict(zip(self.queries, self.values[:, place].tolist(), strict=True))
        if self.counted is None:
            return values
        kept = self.counted[:, place].tolist()
        return {query: value for (query, value), there in zip(values.items(), kept, strict=True) if there}

    def merge(self, other: Scores) -> Scores:
        """The scores of both together, for runs that were evaluated in parts.

        Raises:
            DataError: a query stands in both, or the parts differ in measures or policy.
        """
        if (self.measures, self.policy) != (other.measures, other.policy):
            raise DataError("Only scores with the same measures and the same policy can be merged.")
        twice = set(self.queries) & set(other.queries)
        if twice:
            raise DataError(f"Query '{min(twice)}' was evaluated in both parts: a query belongs to one.")
        names = [*self.queries, *other.queries]
        order = sorted(range(len(names)), key=lambda each: names[each].encode("utf-8", "surrogateescape"))
        values = np.concatenate([self.values, other.values])[order]
        counts = self.counts.merge(other.counts)
        masks = [
            np.ones(each.values.shape, bool) if each.counted is None else each.counted
            for each in (self, other)
        ]
        counted = None if self.counted is other.counted is None else np.concatenate(masks)[order]
        weighed = [
            np.ones(each.values.shape) if each.weights is None else each.weights for each in (self, other)
        ]
        weights = None if self.weights is other.weights is None else np.concatenate(weighed)[order]
        merged = replace(
            self,
            queries=tuple(names[each] for each in order),
            values=values,
            counts=counts,
            bounds={},
            counted=counted,
            weights=weights,
            errors=merged_errors(self, other),
            inputs={},
        )
        return pooled_again(merged, self, other) if self.pools else merged

    def footer(self) -> str:
        """One line: queries, decisions and the policy."""
        return footer(self)

    def to_frame(self, backend: str | None = None) -> Any:
        """A data frame with a row per query and a column per measure.

        Args:
            backend: ``pandas``, ``polars``, ``pyarrow``, ``duckdb`` …; if None that of the frame that the run, or
                else the judgments, came in, or the first of these that is installed.

        Returns:
            The frame; its queries are whole numbers if those of a frame of judgments were.

        Raises:
            DataError: no data frame library is installed.
        """
        import narwhals as nw

        origins = [self.inputs[role] for role in ("run", "qrels") if role in self.inputs]
        whole = "qrels" in self.inputs and self.inputs["qrels"].whole
        columns: dict[str, Any] = {"query": list(map(int, self.queries)) if whole else list(self.queries)}
        columns |= {label: self.values[:, place].tolist() for place, label in enumerate(self.labels)}
        found = next((each.library for each in origins if each.library in FRAMES), None)
        library: Any = backend or found or first_installed()
        if library == "duckdb":
            return nw.from_dict(columns, backend="pyarrow").lazy("duckdb").to_native()
        return nw.from_dict(columns, backend=library).to_native()

    def to_json(self) -> str:
        """The scores with policy and counts, as ``karat eval -q --format json`` prints them."""
        return to_json([self], per_query=True)

    def to_markdown(self) -> str:
        """The means as a Markdown table."""
        return board([self], "markdown")

    def to_latex(self) -> str:
        """The means as a LaTeX table (booktabs)."""
        return board([self], "latex")

    def __str__(self) -> str:
        """The means as a table, with the footer."""
        return board([self], "text") + self.footer()


def pooled_again(merged: Scores, one: Scores, other: Scores) -> Scores:
    """The merged scores with the values of measures that compare documents of both parts."""
    from karat.lists.flat import Flat

    values, pools = merged.values.copy(), {}
    weights = np.ones(values.shape) if merged.weights is None else merged.weights.copy()
    place_of = {query: place for place, query in enumerate(merged.queries)}
    for label in one.pools:
        column, parts = merged.column(label), (one, other)
        places = np.array([place_of[query] for part in parts for query in part.by_query(label)], np.int64)
        rows = joined([part.pools[label] for part in parts], np.argsort(places))
        places.sort()
        lists, measure = Flat(rows), merged.measures[column]
        own = cast("Floats", measure.weigh(lists))
        with np.errstate(divide="ignore", invalid="ignore"):
            found = cast("Floats", measure(Flat(rows, every_rank=measure.every_rank)))
        # What weighs nothing is no value of the measure, but what the policy made of it.
        values[places, column] = np.where(own > 0, found, values[places, column])
        weights[places, column] = own if rows.weight is None else own * rows.weight
        pools[label] = rows
    return replace(merged, values=values, weights=weights, pools=pools)


def merged_errors(one: Scores, other: Scores) -> dict[str, float]:
    """The standard errors of the means of two parts together: each part is a share of the whole."""
    parts = [(each, len(each.queries) / (len(one.queries) + len(other.queries))) for each in (one, other)]
    labels = [label for label in one.labels if label in one.errors or label in other.errors]
    return {
        label: math.hypot(*(share * each.errors.get(label, 0.0) for each, share in parts)) for label in labels
    }


def side_by_side(parts: Sequence[Scores], labels: Iterable[str], policy: Policy) -> Scores:
    """Scores of the same run under several policies as one: each measure with the queries that its own one keeps.

    Args:
        parts: the scores, with different labels.
        labels: all labels, in the order wanted.
        policy: the policy whose exceptions made the parts.
    """
    queries = sorted(
        {query for part in parts for query in part.queries},
        key=lambda each: each.encode("utf-8", "surrogateescape"),
    )
    row = {query: place for place, query in enumerate(queries)}
    owner = {label: part for part in parts for label in part.labels}
    order = list(labels)
    values = np.full((len(queries), len(order)), np.nan)
    counted = np.zeros(values.shape, bool)
    weights = np.ones(values.shape)
    for place, label in enumerate(order):
        part = owner[label]
        rows = [row[query] for query in part.queries]
        values[rows, place] = part.values[:, part.column(label)]
        counted[rows, place] = True
        if part.weights is not None:
            weights[rows, place] = part.weights[:, part.column(label)]
    bounds = {label: owner[label].bounds[label] for label in order if label in owner[label].bounds}
    return replace(
        parts[0],
        labels=tuple(order),
        measures=tuple(owner[label].measures[owner[label].column(label)] for label in order),
        queries=tuple(queries),
        values=values,
        policy=policy,
        counts=replace(parts[0].counts, queries=len(queries)),
        bounds=bounds,
        counted=None if counted.all() else counted,
        weights=None if all(part.weights is None for part in parts) else weights,
        errors={label: error for part in parts for label, error in part.errors.items()},
        pools={label: rows for part in parts for label, rows in part.pools.items()},
    )


def aggregate(values: Floats, how: str, weights: Floats | None = None) -> float:
    """One number of all queries', added in byte order of the queries as trec_eval adds them.

    Weights hold for means; a count stays a count.
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


def added(values: Floats) -> float:
    """The sum, from the first value to the last."""
    return float(_native.total(np.ascontiguousarray(values), np.array([0, len(values)]))[0])


def first_installed() -> str:
    """The first data frame library that can be imported."""
    from importlib.util import find_spec

    for library in ("pandas", "polars", "pyarrow"):
        if find_spec(library):
            return library
    raise DataError("No data frame library is installed: install pandas, polars or pyarrow.")


# ---------------------------------------------------------------- tables of many runs


def board(
    scores: Sequence[Scores],
    layout: str,
    *,
    per_query: bool = False,
    digits: int | None = None,
    columns: int | None = None,
    tie_bounds: bool = False,
) -> str:
    """A table with a row per run, or with ``per_query`` a row per run and query and the row ``all``.

    A table of runs that is wider than ``columns`` is turned: a row per measure. With ``tie_bounds`` each mean is
    followed by those under the worst and the best order of tied documents, in csv and tsv as columns of their own.
    """
    exact = layout in ("csv", "tsv")
    labels = scores[0].labels
    if tie_bounds and not per_query:
        header = [word for label in labels for word in (bound_columns(label) if exact else [label])]
        rows = [[each.name, *bounded(each, exact, digits)] for each in scores]
        return turned_if_wide(layout, ["run", *header], rows, columns)

    def cells(values: Sequence[float], of: Scores) -> list[str]:
        places = of.digits if digits is None else digits
        kinds = [measure.definition.aggregate for measure in of.measures]
        return [
            shown(value, kind, None if exact else places) for value, kind in zip(values, kinds, strict=True)
        ]

    if not per_query:
        rows = [[each.name, *cells(list(each.means().values()), each)] for each in scores]
        return turned_if_wide(layout, ["run", *labels], rows, columns)
    rows = []
    for each in scores:
        per = [[query, *cells(each.values[place].tolist(), each)] for place, query in enumerate(each.queries)]
        if each.counted is not None:
            marks = each.counted.tolist()
            per = [
                [query, *(cell if there else "" for cell, there in zip(row, kept, strict=True))]
                for (query, *row), kept in zip(per, marks, strict=True)
            ]
        rows += [[each.name, *row] for row in [*per, ["all", *cells(list(each.means().values()), each)]]]
    header = ["run", "query", *labels]
    if len(scores) == 1 and not exact:
        return lay_out(layout, header[1:], [row[1:] for row in rows], 1)
    return lay_out(layout, header, rows, 2)


def turned_if_wide(layout: str, header: list[str], rows: list[list[str]], columns: int | None) -> str:
    """The table, or where it is wider than ``columns`` one with a row per measure."""
    table = lay_out(layout, header, rows, 1)
    if columns is None or max(map(len, table.splitlines())) <= columns:
        return table
    turned = list(zip(header, *rows, strict=True))
    return lay_out(layout, turned[0], turned[1:], 1)


def bound_columns(label: str) -> list[str]:
    """The columns of a mean and its bounds."""
    return [label, f"{label} worst", f"{label} best"]


def bounded(scores: Scores, exact: bool, digits: int | None) -> list[str]:
    """Each mean with its bounds; where ties move nothing, or for a count, the value itself is both."""
    cells = []
    places = None if exact else scores.digits if digits is None else digits
    for label, measure in zip(scores.labels, scores.measures, strict=True):
        mean = scores[label]
        three = (mean, *scores.bounds.get(label, (mean, mean)))
        value, worst, best = (shown(each, measure.definition.aggregate, places) for each in three)
        cells += [value, worst, best] if exact else [f"{value} [{worst}, {best}]"]
    return cells


def shown(value: float, kind: str, digits: int | None) -> str:
    """A number as a table shows it: counts whole, the rest with ``digits`` decimals, or exactly."""
    if kind == "sum" and value == int(value):
        return str(int(value))
    return repr(value) if digits is None else f"{value:.{digits}f}"


def footer(scores: Scores) -> str:
    """What stands under a table: how many queries, what was decided for how many, the policy."""
    counts, policy = scores.counts, scores.policy
    parts = [plural(counts.queries, "query", "queries")]
    if counts.missing:
        parts.append(f"{len(counts.missing)} missing {told(scores, 'missing')}")
    if counts.extra:
        parts.append(f"{counts.extra} without judgments left out")
    if counts.empty:
        parts.append(f"{counts.empty} without relevant documents {told(scores, 'empty')}")
    if counts.tied:
        bounds = next(iter(scores.bounds.items()), None)
        d = scores.digits
        moved = f" ({bounds[0]} {bounds[1][0]:.{d}f}–{bounds[1][1]:.{d}f})" if bounds else ""
        parts.append(f"ties touch {plural(counts.tied, 'query', 'queries')}{moved}")
    if scores.errors:
        label, error = next(iter(scores.errors.items()))
        parts.append(f"mean over a sample of their orders ({label} ± {error:.2g})")
    if weighted(scores):
        parts.append(f"weighted mean ({', '.join(weighted(scores))})")
    if counts.duplicates:
        parts.append(f"{plural(counts.duplicates, 'duplicate', 'duplicates')} dropped")
    if counts.malformed:
        parts.append(f"{plural(counts.malformed, 'malformed line', 'malformed lines')} skipped")
    if counts.negative:
        parts.append(f"{plural(counts.negative, 'negative grade', 'negative grades')} {policy.negative}")
    parts.append(f"profile {scores.profile}" if scores.profile else f"policy {policy.describe()}")
    return " · ".join([*parts, *readings(scores)])


def readings(scores: Scores) -> list[str]:
    """What each label stands for that is no full name; of one at many depths it is said once."""
    found: dict[tuple[str, str], list[str]] = {}
    for label, measure in zip(scores.labels, map(str, scores.measures), strict=True):
        if label != measure:
            name, _, place = label.rpartition("@")
            alike = name and measure.endswith(f"@{place}")
            key = (f"{name}@k", f"{measure.rpartition('@')[0]}@k") if alike else (label, measure)
            found.setdefault(key, []).append(f"{label} is {measure}")
    return [each[0] if len(each) == 1 else " is ".join(key) for key, each in found.items()]


def weighted(scores: Scores) -> list[str]:
    """The measures in whose mean queries weigh differently."""
    if scores.weights is None:
        return []
    weights = scores.weights
    means = [each.definition.aggregate != "sum" for each in scores.measures]
    return [
        label
        for place, label in enumerate(scores.labels)
        if means[place] and len(set(weights[:, place].tolist())) > 1
    ]


def told(scores: Scores, axis: str) -> str:
    """What was decided for such queries; where measures differ in it, which ones decide so."""
    words = {
        "zero": "counted 0",
        "one": "counted 1",
        "nan": "undefined",
        "skip": "skipped",
        "error": "refused",
    }
    rules: dict[str, list[str]] = {}
    for label, measure in zip(scores.labels, scores.measures, strict=True):
        own = scores.policy.of_measure(str(measure))
        rules.setdefault(words[getattr(own, axis)], []).append(label)
    if len(rules) == 1:
        return next(iter(rules))
    return ", ".join(f"{rule} ({', '.join(labels)})" for rule, labels in rules.items())


def plural(count: int, one: str, many: str) -> str:
    """A count with its noun."""
    return f"{count} {one if count == 1 else many}"


def to_json(scores: Sequence[Scores], *, per_query: bool) -> str:
    """Runs, means, counts and policy as JSON; numbers in full precision, undefined ones as null."""
    import json

    return json.dumps(document_of(scores, per_query=per_query), indent=2, ensure_ascii=False) + "\n"


def document_of(scores: Sequence[Scores], *, per_query: bool) -> dict[str, Any]:
    """What ``to_json`` writes, as plain dicts and lists."""

    def number(value: float) -> float | None:
        return value if math.isfinite(value) else None

    runs = []
    for each in scores:
        run: dict[str, Any] = {"name": each.name, "means": {k: number(v) for k, v in each.means().items()}}
        if per_query:
            run["queries"] = {
                query: dict(zip(each.labels, map(number, each.values[place].tolist()), strict=True))
                for place, query in enumerate(each.queries)
            }
        run["counts"] = each.counts.as_dict()
        if per_query and each.weights is not None:
            run["weights"] = {
                query: dict(zip(each.labels, each.weights[place].tolist(), strict=True))
                for place, query in enumerate(each.queries)
            }
        if each.errors:
            run["errors"] = each.errors
        if each.bounds:
            run["ties"] = {label: list(bounds) for label, bounds in each.bounds.items()}
        runs.append(run)
    return {
        "runs": runs,
        "measures": dict(zip(scores[0].labels, map(str, scores[0].measures), strict=True)),
        "policy": scores[0].policy.as_dict(),
        "profile": scores[0].profile,
        "karat": __version__,
    }
