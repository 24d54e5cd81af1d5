"""``carob.curve``: computes a measure at every depth, or precision at every recall level."""

from __future__ import annotations

import math
from dataclasses import field
from typing import TYPE_CHECKING, Any, cast

from carob._dataclasses import dataclass, replace
from carob.conventions.profiles import measure_of
from carob.conventions.request import Request, conventions
from carob.evaluation.engine import Matches, judgments_for, warned
from carob.evaluation.score_tables import MISSING, SAME, document_of, footers
from carob.inputs.qrels import Qrels, QrelsLike
from carob.inputs.run import Run, RunLike
from carob.measures.define import as_typed
from carob.measures.grammar import is_number
from carob.measures.names import MeasureObject, in_percent, names_in, share_of
from carob.output.document import Document, Documented, Line, Section, Table
from carob.output.errors import DataError, MeasureError, NotEvaluatedError, Worded, worded
from carob.output.language import language_named
from carob.output.layout import Listed, decimals
from carob.output.pictures.figures import curves
from carob.output.results import Records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from carob.conventions.policy import Policy
    from carob.conventions.profiles import Profile, ProfileLike
    from carob.conventions.request import Measured
    from carob.evaluation.evaluate import GradesLike
    from carob.evaluation.scores import Scores
    from carob.measures import Measure
    from carob.output.pictures.figures import Drawing

TENTHS = tuple(number / 10 for number in range(11))
TWENTIETHS = tuple(number / 20 for number in range(1, 21))
AXES = {"share": "documents read (%)", "recall": "recall (%)"}
"""The axis labels of shares in figures, by the parameter after ``@``."""
PLACES = "depth or recall level"


@dataclass(frozen=True, eq=False, repr=False)
class Curve(Documented, Listed[list[float]]):
    """The values of measures at increasing depths or recall levels, or after increasing shares of the documents.

    Args:
        scores: all values, stored as the scores of ``nDCG@1``, ``nDCG@2`` and so on.
        at: the depths, recall levels or shares of each measure.
        per_query: whether tables and JSON also show the values for each query.
        digits: the number of decimals in tables; None for the profile's number.
        lang: the language of the footer.
        axes: for measures at shares, the axis label that says what the shares are of; tables show shares in per cent.

    Example:
        >>> import carob
        >>> curve = carob.curve(["P", "R"], grades=[[1, 0, 1]], judged=[[1, 1, 1, 0]])
        >>> list(zip(curve["R"], curve["P"]))
        [(0.3333333333333333, 1.0), (0.3333333333333333, 0.5), (0.6666666666666666, 0.6666666666666666)]
    """

    scores: Scores
    at: dict[str, tuple[float, ...]]
    per_query: bool = False
    digits: int | None = None
    lang: str = "en"
    axes: Mapping[str, str] = field(default_factory=dict)

    def labels_of(self, measure: str) -> list[str]:
        """Returns the labels of a measure's values.

        Raises:
            MeasureError: the measure was not requested.
        """
        if measure not in self.at:
            raise NotEvaluatedError(
                f"There is no curve of '{measure}'. The curves are: {', '.join(self.at)}."
            )
        return [f"{measure}@{self.written(measure, each)}" for each in self.at[measure]]

    def written(self, measure: str, place: float) -> str:
        """Formats a measure's depth, recall level or share for tables."""
        return in_percent(place) if measure in self.axes else as_typed(place)

    def __iter__(self) -> Iterator[str]:
        """Iterates over the names of the measures, without depths or levels."""
        return iter(self.at)

    def __len__(self) -> int:
        """Returns the number of measures."""
        return len(self.at)

    def __getitem__(self, measure: str) -> list[float]:
        """Returns the mean over the queries, from the first depth to the last."""
        return [self.scores[label] for label in self.labels_of(measure)]

    def by_query(self, measure: str) -> dict[str, list[float]]:
        """Returns each query's values, from the first depth to the last."""
        columns = [self.scores.by_query(label) for label in self.labels_of(measure)]
        return {query: [column[query] for column in columns] for query in columns[0]}

    def records(self) -> dict[str, Callable[[], Records]]:
        """Returns the tables ``means`` and ``values``. The command line prints ``values``, which can list queries."""
        return {"means": self.mean_records, "values": self.value_records}

    @property
    def places(self) -> dict[str, tuple[float, ...]]:
        """The depths or levels of each measure as numbers of one type, because the column of a frame requires it."""
        whole = all(isinstance(each, int) for at in self.at.values() for each in at)
        return self.at if whole else {each: tuple(map(float, at)) for each, at in self.at.items()}

    def mean_records(self) -> Records:
        """Returns a row for each measure and each of its depths, levels or shares."""
        rows = [
            (measure, each, value)
            for measure, at in self.places.items()
            for each, value in zip(at, self[measure], strict=True)
        ]
        return Records(["measure", "at", "mean"], rows, {"at": as_typed})

    def table(self, means: Mapping[str, Sequence[float]] | None = None) -> Table:
        """Returns a row for each depth or level, with each measure's value: by default, the mean over the queries."""
        values = {each: (self if means is None else means)[each] for each in self}
        columns = {
            each: dict(zip(((place, self.written(each, place)) for place in at), values[each], strict=True))
            for each, at in self.at.items()
        }
        digits = self.scores.digits if self.digits is None else self.digits
        rows = [
            [
                place[1],
                *(decimals(its[place], digits) if place in its else "" for its in columns.values()),
            ]
            for place in sorted({each for its in columns.values() for each in its})
        ]
        return Table(["@", *self], rows)

    def document(self, _layout: str = "text", /) -> Document:
        """Returns the table of the means with the footer, after the tables of the queries if they are requested."""
        means = [self.table(), *(Line(each, "footer") for each in self.scores.footer(self.lang).splitlines())]
        if not self.per_query:
            return Document([Section(means)])
        of_query = {each: self.by_query(each) for each in self}
        queries = [
            Section([self.table({each: its[query] for each, its in of_query.items()})], query)
            for query in self.scores.queries
        ]
        return Document([*queries, Section(means, "all")])

    def figures(self) -> dict[str, Drawing]:
        """Returns the function that draws the means of each measure."""
        series = {
            each: ([place * 100 for place in at] if each in self.axes else at, self[each])
            for each, at in self.at.items()
        }
        axes = {self.axes.get(each, PLACES) for each in self.at}
        axis = axes.pop() if len(axes) == 1 else PLACES
        return {"means": lambda drawn: curves(drawn, series, axis)}

    def beside(self) -> list[str]:
        """Returns the facts about the data, which do not fit in CSV and TSV."""
        return footers([self.scores], language_named(self.lang), without=SAME)

    def value_records(self) -> Records:
        """Returns a row for each measure and depth, level or share, and each query if requested; ``all`` is the mean.

        With queries, the last column states whether the query is missing from the run.
        """
        flag = [MISSING] * self.per_query
        missing, nothing = set(self.scores.counts.missing), list[float]()
        rows: list[list[Any]] = []
        for measure, at in self.places.items():
            found = self.by_query(measure) if self.per_query else {}
            empty: list[str] = sorted(missing - {*found}) if self.per_query else []
            for query, values in {**found, **dict.fromkeys(empty, nothing), "all": self[measure]}.items():
                lacks = len(missing) if query == "all" else int(query in missing)
                rows += [
                    [*[query] * self.per_query, measure, place, value, *[lacks] * self.per_query]
                    for place, value in zip(at, values or [math.nan] * len(at), strict=True)
                ]
        return Records([*["query"] * self.per_query, "measure", "at", "value", *flag], rows, {"at": as_typed})

    def contents(self) -> dict[str, Any]:
        """Returns each measure's depths, levels or shares, its means, any per-query values, and the conventions."""
        found = document_of([self.scores], per_query=False)
        (run,) = found.pop("runs")
        kept = {name: run[name] for name in ("name", "counts", "failed", "warnings") if name in run}
        curves = {
            each: {
                "measure": found["measures"][self.labels_of(each)[0]].partition("@")[0],
                "at": at,
                "mean": self[each],
                **({"queries": self.by_query(each)} if self.per_query else {}),
            }
            for each, at in self.at.items()
        }
        return {**kept, "curves": curves, **{name: found[name] for name in ("policy", "profile", "carob")}}


def curve(
    measures: str | Iterable[str],
    qrels: QrelsLike | None = None,
    run: RunLike | None = None,
    *,
    grades: GradesLike | None = None,
    judged: GradesLike | None = None,
    judged_ranking: QrelsLike | None = None,
    at: Iterable[float | str] | None = None,
    policy: Policy | None = None,
    profile: ProfileLike = None,
    weights: Mapping[str, float] | None = None,
    name: str | None = None,
) -> Curve:
    """Compute measures at every depth, at every recall level, or after every share of the documents.

    Args:
        measures: names without ``@``: ``"nDCG"``, ``["P", "R"]``, ``"IPrec"`` for the 11-point curve,
            ``"ScreeningRecall"`` for recall after each share of a review's documents, down to its last document.
        qrels: as in ``evaluate``; or pass ``grades``.
        run: as in ``evaluate``.
        grades: as in ``evaluate_grades``, instead of ``qrels`` and ``run``.
        judged: as in ``evaluate_grades``.
        judged_ranking: as in ``evaluate_judged_ranking``, instead of ``qrels`` and ``run``.
        at: the depths, the recall levels, or the shares in per cent, such as ``["5%", "100%"]`` for ``R``; if None,
            every depth down to the end of the longest list, eleven recall levels, or shares in steps of 5%.
        policy: as in ``evaluate``.
        profile: as in ``evaluate``.
        weights: as in ``evaluate``.
        name: the name of the run in tables.

    Raises:
        DataError: as in ``evaluate``; or the caller did not pass exactly one of a run, grades and a judged ranking.
        MeasureError: a measure does not exist, or accepts nothing after ``@``.

    Example:
        >>> import carob
        >>> carob.curve("CG", grades=[[3, 2, 3, 0, 0, 1, 2, 2, 3, 0]])["CG"]
        [3.0, 5.0, 8.0, 8.0, 8.0, 9.0, 11.0, 13.0, 16.0, 16.0]
    """
    convention, policy = conventions(profile, policy)
    given, percent = places_of(at)
    wanted = {str(each): at_one(each, convention, "100%" if percent else "1") for each in names_in(measures)}
    if not wanted:
        raise DataError("The list of measures is empty: pass at least one, such as nDCG.")
    request = Request(wanted, convention, policy, weights)
    if qrels is None and run is not None and grades is None and judged_ranking is None:
        qrels = judgments_for([run], None, policy, subtopics=request.groups)
    sources = [qrels is not None and run is not None, grades is not None, judged_ranking is not None]
    if sum(sources) != 1 or (qrels is None) != (run is None) or (judged is not None and grades is None):
        raise DataError(
            "A curve needs 'qrels' and 'run', or 'grades' (optionally with 'judged'), or 'judged_ranking'."
        )
    if grades is not None:
        matched = Matches.of_grades(grades, judged, name or "grades")
    elif judged_ranking is not None:
        matched = Matches.of_judged_ranking(judged_ranking, policy, name)
    else:
        known = Qrels.of(cast("Any", qrels), policy, subtopics=request.groups).complete
        matched = Matches.of_run(known, Run.of(cast("Any", run), name), request)
    longest = int(matched.under(policy).rows.length.max(initial=0))
    places = {each: given or usual(measure, longest) for each, measure in wanted.items()}
    kinds = {each: measure.definition for each, measure in wanted.items()}
    axes = {each: AXES.get(kind.at, PLACES) for each, kind in kinds.items() if kind.percent}
    made = Curve(cast("Any", None), places, axes=axes)
    asked = {
        label: measure @ place
        for each, measure in wanted.items()
        for label, place in zip(made.labels_of(each), places[each], strict=True)
    }
    return replace(made, scores=warned(matched.scores(replace(request, asked=asked)).complete()))


def places_of(at: Iterable[float | str] | None) -> tuple[tuple[float, ...], bool]:
    """Returns the depths, levels or shares of a curve as numbers, and whether they are shares in per cent.

    Raises:
        DataError: a text is not a percentage, a number is infinite, or shares are mixed with depths or levels.
    """
    places = [] if at is None else list(at)
    shares = [each for each in places if isinstance(each, str)]
    odd = next((each for each in shares if not each.endswith("%") or not is_number(each[:-1])), None)
    if odd is not None or len(shares) not in (0, len(places)):
        raise DataError(
            f"{odd or ', '.join(map(str, places))!r}: the places of a curve must be numbers, or all of them "
            "percentages, as in 5%, 50%, 100%."
        )
    if shares:
        return tuple(share_of(each[:-1]) for each in shares), True
    endless = next((each for each in cast("list[float]", places) if not math.isfinite(each)), None)
    if endless is not None:
        raise DataError(f"{endless}: the places of a curve must be finite numbers, as in 1, 5, 10.")
    return tuple(
        int(each) if each == int(each) else float(each) for each in cast("list[float]", places)
    ), False


def at_one(name: str | Measured, convention: Profile, place: str) -> Measure:
    """Returns the measure with this name at a given depth, level or share.

    Raises:
        MeasureError: there is no such measure, or it does not accept ``@``.
    """
    if "@" in str(name):
        at = Worded("at=[…]", "--at 1,5,10")
        raise MeasureError(
            worded(f"'{name}': leave out '@' and the depth, and pass the depths or levels as ", at, ".")
        )
    if isinstance(name, MeasureObject):
        return measure_of(name @ 1)
    ((_, measure),) = convention.read(f"{name}@{place}")
    return measure


def usual(measure: Measure, longest: int) -> tuple[float, ...]:
    """Returns the default x values of a curve: every depth, eleven recall levels, or shares in steps of 5%."""
    if measure.definition.percent:
        return TWENTIETHS
    return TENTHS if measure.definition.at == "recall" else tuple(range(1, longest + 1))
