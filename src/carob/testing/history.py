"""``carob history``: the values of records over time, and the steps at which they fell."""

from __future__ import annotations

import math
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.comparison.significance import corrected
from carob.inputs.errors import refused
from carob.output.document import Document, Documented, Items, Line, Section, Table
from carob.output.errors import DataError, Worded
from carob.output.language import filled
from carob.output.layout import decimals
from carob.output.pictures.figures import curves
from carob.output.results import Records
from carob.testing.baseline import record_of
from carob.testing.gate import gate
from carob.testing.gate_result import shown_p

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from carob.evaluation.scores import Scores
    from carob.output.pictures.figures import Drawing
    from carob.testing.gate_result import GateCheck

FALL = "{measure} fell by {fall:.4f} at {record} ({before:.4f} to {after:.4f}), corrected p {p}."
"""The sentence about a significant fall."""
BY_CHANCE = (
    "{measure} did not fall significantly. The largest fall, {fall:.4f} at {record} (corrected p {p}), may be due to "
    "chance."
)
"""The sentence about the largest fall if no fall is significant."""
NEVER = "{measure} never fell."


@dataclass(frozen=True)
class RecordStep:
    """The change in a measure from one record to the next.

    Args:
        measure: the measure.
        earlier: the previous record.
        record: the current record.
        before: the mean in the previous record, over the queries that both records contain.
        after: the mean in the current record, over the same queries.
        difference: the change.
        low: the lower end of the interval of the difference; NaN if there is none.
        high: the upper end.
        p_uncorrected: the p of the paired t-test.
        p_corrected: p_uncorrected after Holm's correction for the number of steps.
        queries: the number of queries that both records contain.
        significant: whether p_corrected is below alpha.
    """

    measure: str
    earlier: str
    record: str
    before: float
    after: float
    difference: float
    low: float
    high: float
    p_uncorrected: float
    p_corrected: float
    queries: int
    significant: bool


@dataclass(frozen=True, eq=False, repr=False)
class History(Documented):
    """The values of records, in the order in which they were given.

    Args:
        names: the names of the records.
        means: the means of the records, by measure.
        steps: the change from each record to the next, for each measure.
        alpha: the level of the tests.
        warnings: the reasons why steps are doubtful, such as changed judgments.
    """

    names: tuple[str, ...]
    means: Mapping[str, Sequence[float]]
    steps: tuple[RecordStep, ...]
    alpha: float
    warnings: tuple[str, ...] = ()

    @property
    def said(self) -> list[str]:
        """Returns, for each measure, a sentence about the record at which it fell."""
        lines = []
        for measure in self.means:
            falls = [each for each in self.steps if each.measure == measure and each.difference < 0]
            sure = [each for each in falls if each.significant]
            shown = sure or sorted(falls, key=lambda each: each.difference)[:1]
            key = FALL if sure else BY_CHANCE
            lines += [
                filled(key, **vars(each), fall=-each.difference, p=shown_p(each.p_corrected))
                for each in shown
            ]
            lines += [] if falls else [filled(NEVER, measure=measure)]
        return lines

    def document(self, _layout: str = "text", /) -> Document:
        """Returns the history as a document: the answer, and a table of the records for each measure."""
        header = ["record", "mean", "change", f"{100 * (1 - self.alpha):g}% interval", "p corr.", "queries"]
        sections = [Section([*(Line(each, "answer") for each in self.said)])]
        for measure, means in self.means.items():
            steps = {each.record: each for each in self.steps if each.measure == measure}
            rows = [
                [name, decimals(mean, 4, undefined="–"), *cells_of(steps.get(name))]
                for name, mean in zip(self.names, means, strict=True)
            ]
            sections.append(Section([Table(header, rows, 1)], measure))
        method = (
            f"Paired t-test of each step, two-sided, alpha {self.alpha:g}, Holm over the steps of a measure."
        )
        return Document([*sections, Section([Line(method, "footer"), Items(self.warnings, "footer")])])

    def contents(self) -> dict[str, object]:
        """Returns the means and the steps, with the sentences about the falls."""
        return {
            "records": self.names,
            "means": dict(self.means),
            "steps": self.steps,
            "fell": [each.record for each in self.steps if each.significant and each.difference < 0],
            "said": self.said,
            "alpha": self.alpha,
            "warnings": self.warnings,
        }

    def records(self) -> dict[str, Callable[[], Records]]:
        """Returns the table ``steps``, and the table ``means`` with a row for each measure and record."""
        rows = [
            (measure, name, mean)
            for measure, means in self.means.items()
            for name, mean in zip(self.names, means, strict=True)
        ]
        return {
            "steps": lambda: Records.of(RecordStep, self.steps),
            "means": lambda: Records(["measure", "record", "mean"], rows),
        }

    def figures(self) -> dict[str, Drawing]:
        """Returns the function that draws the means."""
        series = {name: (range(1, len(means) + 1), means) for name, means in self.means.items()}
        return {"means": partial(curves, series=series, title="record")}


def cells_of(step: RecordStep | None) -> list[str]:
    """Returns the cells of a step, which are empty for the first record."""
    if step is None:
        return ["", "", "", ""]
    interval = f"{step.low:+.4f} to {step.high:+.4f}" if math.isfinite(step.low) else "–"
    change = decimals(step.difference, 4, sign=True, undefined="–")
    return [change, interval, shown_p(step.p_corrected), str(step.queries)]


def history(
    records: Mapping[str, str], measures: Sequence[str] = (), run: str | None = None, alpha: float = 0.05
) -> History:
    """Returns the values of records over time, and the steps where they fell.

    Args:
        records: the paths of two or more records by name, oldest first: files written by ``--record`` or by
            ``carob eval -q --format json``.
        measures: the measures; all measures of the first record if empty.
        run: the run to follow, if records contain several runs.
        alpha: the level of the tests.

    Raises:
        DataError: a file is not a record, there is only one record, or records have no queries in common.
        MeasureError: a record does not contain a measure.

    Example:
        >>> import carob, os, tempfile
        >>> from carob.testing.history import history
        >>> qrels, folder = {f"q{n}": {"a": 1} for n in range(9)}, tempfile.mkdtemp()
        >>> for name, last in (("old", 2.0), ("new", 0.5)):
        ...     run = {f"q{n}": {"a": 2.0 if n < 2 else last, "b": 1.0} for n in range(9)}
        ...     carob.record(carob.evaluate(qrels, run, "RR", name="run"), os.path.join(folder, name))
        >>> found = history({name: os.path.join(folder, name) for name in ("old", "new")})
        >>> print(found.said[0])
        RR fell by 0.3889 at new (1.0000 to 0.6111), corrected p 0.030.
    """
    if len(records) < 2:
        raise DataError("A history needs at least two records, oldest first.")
    followed = {name: followed_run(path, run) for name, path in records.items()}
    first = next(iter(followed.values()))
    labels = list(measures) or [
        label
        for label, its in zip(first.labels, first.measures, strict=True)
        if its.definition.aggregate == "mean"
    ]
    checks: dict[str, list[tuple[str, str, GateCheck]]] = {}
    notes: list[str] = []
    for earlier, name in pairwise(followed):
        old, new = replace(followed[earlier], name=earlier), replace(followed[name], name=name)
        found = gate(None, new, old, dict.fromkeys(labels, 0.0), alpha=alpha, worst=0)
        notes += [f"{earlier} to {name}: {each}" for each in (*found.unpaired, *found.warnings)]
        for each in found.checks:
            checks.setdefault(each.label, []).append((earlier, name, each))
    means = {
        label: tuple(float(each.means()[each.labels[each.column(label)]]) for each in followed.values())
        for label in checks
    }
    steps = [step for label, its in checks.items() for step in steps_of(label, its, alpha)]
    return History(tuple(followed), means, tuple(steps), alpha, tuple(dict.fromkeys(notes)))


def steps_of(
    measure: str, checks: Sequence[tuple[str, str, GateCheck]], alpha: float
) -> Iterator[RecordStep]:
    """Yields the steps of a measure, with p corrected for the number of steps.

    Args:
        measure: the measure.
        checks: the previous record, the current record, and the check that compares them, for each step.
        alpha: the level of the tests.
    """
    p = corrected(np.array([each.p_uncorrected for *_, each in checks]), "holm").tolist()
    alike = ("before", "after", "difference", "low", "high", "p_uncorrected", "queries")
    for (earlier, name, each), level in zip(checks, p, strict=True):
        own = {key: getattr(each, key) for key in alike}
        yield RecordStep(measure, earlier, name, p_corrected=level, significant=level < alpha, **own)


def followed_run(path: str, run: str | None) -> Scores:
    """Returns a record's scores of the run that is followed.

    Raises:
        DataError: the file is not a record, or it contains several runs and none of them was chosen.
    """
    found = record_of(path)
    if found is None:
        raise DataError(
            "the file does not contain a record of per-query scores.", file=path, remedy="Pass a record."
        )
    chosen = [each for each in found.scores if run in (None, each.name)]
    if len(chosen) == 1:
        return chosen[0]
    raise refused(
        "{path} has {count:run} ({names}): choose one of them with {option}.",
        path=path,
        count=len(found.names),
        names=", ".join(found.names),
        option=Worded("run=", "--run"),
    )
