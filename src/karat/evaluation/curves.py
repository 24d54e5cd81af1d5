"""``karat.curve``: computes a measure at every depth, or precision at every recall level."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from karat._dataclasses import dataclass
from karat.conventions.request import Request, conventions, names_in
from karat.evaluation.engine import Matches, warned
from karat.evaluation.scores import Scores, frame_of
from karat.inputs.qrels import Qrels, QrelsLike
from karat.inputs.run import Run, RunLike
from karat.measures.define import show
from karat.output.document import Document, Line, Section, Table
from karat.output.errors import DataError, MeasureError, NotEvaluatedError
from karat.output.layout import MOST_LINES, Display, Listed, lay_out

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from karat.conventions.policy import Policy
    from karat.conventions.profiles import Profile, ProfileLike
    from karat.measures import Measure

TENTHS = tuple(number / 10 for number in range(11))


@dataclass(frozen=True, eq=False, repr=False)
class Curve(Display, Listed[list[float]]):
    """The values of measures at increasing depths or recall levels.

    Args:
        scores: every value, as the scores of ``nDCG@1``, ``nDCG@2`` and so on.
        at: the depths or recall levels of each measure.

    Example:
        >>> import karat
        >>> curve = karat.curve(["P", "R"], grades=[[1, 0, 1]], judged=[[1, 1, 1, 0]])
        >>> list(zip(curve["R"], curve["P"]))
        [(0.3333333333333333, 1.0), (0.3333333333333333, 0.5), (0.6666666666666666, 0.6666666666666666)]
    """

    scores: Scores
    at: dict[str, tuple[float, ...]]

    def labels_of(self, measure: str) -> list[str]:
        """Returns the labels of a measure's values.

        Raises:
            MeasureError: the measure was not requested.
        """
        if measure not in self.at:
            raise NotEvaluatedError(f"No curve for '{measure}'. Available: {', '.join(self.at)}.")
        return [placed(measure, each) for each in self.at[measure]]

    def __iter__(self) -> Iterator[str]:
        """Returns the measures, without their depths or levels."""
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

    def to_frame(self, backend: str | None = None) -> Any:
        """Returns a data frame with the columns measure, at, mean.

        Args:
            backend: ``pandas``, ``polars``, ``pyarrow`` …; the first of these that is installed, if None.

        Raises:
            DataError: no data frame library is installed.
        """
        rows = [
            (measure, each, value)
            for measure, at in self.at.items()
            for each, value in zip(at, self[measure], strict=True)
        ]
        columns = dict(zip(("measure", "at", "mean"), map(list, zip(*rows, strict=True)), strict=True))
        return frame_of(columns, backend)

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Returns the header and a row for each depth or level, with the means."""
        places = sorted({each for at in self.at.values() for each in at})
        means = {measure: dict(zip(at, self[measure], strict=True)) for measure, at in self.at.items()}
        digits = self.scores.digits
        rows = [
            [show(each), *(f"{its[each]:.{digits}f}" if each in its else "" for its in means.values())]
            for each in places
        ]
        return ["@", *means], rows

    def __str__(self) -> str:
        """Returns a table of the means, with a row for each depth or level."""
        return lay_out("text", *self.table(), 1) + self.scores.footer()

    def _repr_html_(self) -> str:
        """Returns the means as HTML for a notebook."""
        parts = Table(*self.table()), Line(self.scores.footer())
        return Document([Section(parts)]).html(rows=MOST_LINES)


def curve(
    measures: str | Iterable[str],
    qrels: QrelsLike | None = None,
    run: RunLike | None = None,
    *,
    grades: Sequence[Sequence[float | None]] | None = None,
    judged: Sequence[Sequence[float | None]] | None = None,
    at: Iterable[float] | None = None,
    policy: Policy | None = None,
    profile: ProfileLike = None,
    weights: Mapping[str, float] | None = None,
    name: str | None = None,
) -> Curve:
    """Compute measures at every depth, or at every recall level.

    Args:
        measures: names without ``@``: ``"nDCG"``, ``["P", "R"]``, ``"IPrec"`` for the 11-point curve.
        qrels: as in ``evaluate``; or give ``grades``.
        run: as in ``evaluate``.
        grades: as in ``evaluate_grades``, instead of ``qrels`` and ``run``.
        judged: as in ``evaluate_grades``.
        at: the depths or levels; if None, every depth down to the longest list, and eleven recall levels.
        policy: as in ``evaluate``.
        profile: as in ``evaluate``.
        weights: as in ``evaluate``.
        name: the name of the run in tables.

    Raises:
        DataError: as in ``evaluate``; or neither a run nor grades, or both.
        MeasureError: a measure that does not exist, or that takes nothing after ``@``.

    Example:
        >>> import karat
        >>> karat.curve("CG", grades=[[3, 2, 3, 0, 0, 1, 2, 2, 3, 0]])["CG"]
        [3.0, 5.0, 8.0, 8.0, 8.0, 9.0, 11.0, 13.0, 16.0, 16.0]
    """
    convention, policy = conventions(profile, policy)
    wanted = {str(each): at_one(str(each), convention) for each in names_in(measures)}
    if not wanted:
        raise DataError("No measure was requested: name at least one, such as nDCG.")
    request = Request(wanted, convention, policy, weights)
    if grades is not None and qrels is None and run is None:
        matched = Matches.of_grades(grades, judged, name or "grades")
    elif grades is None and judged is None and qrels is not None and run is not None:
        known = Qrels.of(qrels, policy, subtopics=request.groups)
        matched = Matches.of_run(known, Run.of(run, name), request)
    else:
        raise DataError("A curve needs either 'qrels' and 'run', or 'grades' (optionally with 'judged').")
    longest = int(matched.under(policy).rows.length.max(initial=0))
    given = tuple(int(each) if each == int(each) else float(each) for each in (() if at is None else at))
    places = {each: given or usual(measure, longest) for each, measure in wanted.items()}
    asked = {
        placed(each, place): measure @ place for each, measure in wanted.items() for place in places[each]
    }
    return Curve(warned(matched.scores(replace(request, asked=asked)).complete()), places)


def at_one(name: str, convention: Profile) -> Measure:
    """Returns the measure that a name means, at the first depth or recall level.

    Raises:
        MeasureError: there is no such measure, or it does not accept ``@``.
    """
    if "@" in name:
        raise MeasureError(f"'{name}': leave out '@' and the depth, and pass the depths or levels as at=[…].")
    ((_, measure),) = convention.read(f"{name}@1")
    return measure


def usual(measure: Measure, longest: int) -> tuple[float, ...]:
    """Returns the default places of a curve: every depth, or eleven recall levels."""
    return TENTHS if measure.definition.at == "recall" else tuple(range(1, longest + 1))


def placed(measure: str, place: float) -> str:
    """Returns the label of a measure at one depth or level, such as ``nDCG@5``."""
    return f"{measure}@{show(place)}"
