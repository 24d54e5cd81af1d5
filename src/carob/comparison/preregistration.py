"""Preregistrations: files that state what a comparison will test, and on which queries, before anyone sees results."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from carob._dataclasses import dataclass, replace
from carob.comparison.design import Test
from carob.comparison.findings import Caution, Registered
from carob.inputs.digests import digest
from carob.inputs.errors import sentences
from carob.output.errors import DataError, MeasureError, PolicyError, Worded, worded
from carob.output.files import write_whole
from carob.output.language import filled
from carob.output.layout import listed
from carob.output.parsing import read_toml

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from carob.comparison.findings import Findings

DEVIATIONS = {
    "measure": "The primary measure is {is_now}, but {planned} was planned.",
    "test": "The test is {is_now}, but {planned} was planned.",
    "correction": "The correction is {is_now}, but {planned} was planned.",
    "alpha": "The level is {is_now}, but {planned} was planned.",
    "family": "The correction covers the comparisons of {is_now}, but was planned for those of {planned}.",
    "baseline": "The baseline is {is_now}, but {planned} was planned.",
    "runs": "The runs are {is_now}, but {planned} were planned.",
    "queries": "The comparison has {is_now} queries, but {planned} were planned.",
    "queries_sha256": "The queries differ from the planned queries.",
}
"""The sentences about deviations from the plan, by setting."""
STATED = {
    "measure": "measure",
    "test": "test",
    "correction": "correction",
    "alpha": "level",
    "family": "family of comparisons",
    "baseline": "baseline",
    "runs": "runs",
    "queries": "number of queries",
    "queries_sha256": "ids of the queries",
}
"""The settings that a plan can state, and their names in sentences."""
KINDS = {"alpha": float, "queries": int, "runs": list}
"""The types of the settings that are not strings."""


@dataclass(frozen=True)
class Preregistration:
    """The plan of a comparison, as stated in its file. A setting that is None is not part of the plan.

    Args:
        measure: the primary measure.
        test: the name of the test.
        correction: the name of the correction for multiple comparisons.
        alpha: the significance level.
        family: the comparisons that are corrected together.
        baseline: the name of the run with which the others are compared.
        runs: the names of the runs.
        queries: the number of queries.
        queries_sha256: the hash of the queries' ids, as returned by ``hash_of``.
    """

    measure: str
    test: str | None = None
    correction: str | None = None
    alpha: float | None = None
    family: str | None = None
    baseline: str | None = None
    runs: tuple[str, ...] | None = None
    queries: int | None = None
    queries_sha256: str | None = None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the plan to a file in TOML, with one line for each setting.

        Raises:
            DataError: the file cannot be written.
        """
        stated = {name: value for name, value in asdict(self).items() if value is not None}
        lines = [f"{name} = {toml_of(value)}\n" for name, value in stated.items()]
        write_whole(path, "# The plan that 'carob compare --preregistered' checks.\n" + "".join(lines))

    def settings(
        self, measures: Any, test: Test, baseline: str | int | None
    ) -> tuple[Any, Test, str | int | None]:
        """Returns the measures, the test and the baseline of a comparison; planned settings replace defaults."""
        usual, planned = Test(), {"name": self.test, "alpha": self.alpha, "family": self.family}
        if test.name in (None, self.test):  # another test may not need the correction
            planned["correction"] = self.correction
        changed: dict[str, Any] = {
            name: value
            for name, value in planned.items()
            if value is not None and getattr(test, name) == getattr(usual, name)
        }
        return (
            [self.measure] if measures is None else measures,
            replace(test, **changed),
            self.baseline if baseline is None else baseline,
        )

    def deviations(self, found: Findings) -> Iterator[tuple[str, str]]:
        """Yields each setting in which a comparison deviates from the plan, with a sentence about the deviation."""
        settings, ids = found.settings, sorted(found.queries)
        names = sorted(found.names)
        now: dict[str, Any] = {
            "measure": self.measure if is_primary(self.measure, found) else found.labels[0],
            "test": settings.test,
            "correction": settings.correction,
            "alpha": settings.alpha if settings.looks is None else self.alpha,  # a look has its own level
            "family": settings.family,
            "baseline": None if settings.baseline is None else found.names[settings.baseline],
            "runs": names,
            "queries": len(ids),
            "queries_sha256": hash_of(ids),
        }
        for name, is_now in now.items():
            planned = getattr(self, name)
            planned = sorted(planned) if name == "runs" and planned is not None else planned
            if planned is None or planned == is_now:
                continue
            said = [listed(each) if isinstance(each, list) else each for each in (is_now, planned)]
            yield name, filled(DEVIATIONS[name], is_now=str(said[0] or "none"), planned=str(said[1]))


def toml_of(value: object) -> str:
    """Returns a string, a number or a list of strings as TOML, which differs from JSON in escaping U+007F."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def is_primary(measure: str, found: Findings) -> bool:
    """Returns whether a measure, given by any of its names, is the primary measure of a comparison."""
    try:
        return found.scores[0].column(measure) == 0
    except MeasureError:
        return False


def hash_of(queries: Collection[str]) -> str:
    """Returns the SHA-256 of the sorted ids of the queries, each followed by a newline.

    Example:
        >>> from carob.comparison.preregistration import hash_of
        >>> hash_of(["q2", "q1"])[:12]
        '3abc7e0c0516'
    """
    lines = "".join(f"{query}\n" for query in sorted(queries))
    return hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()


def read_plan(path: str | os.PathLike[str]) -> Preregistration:
    """Reads a preregistration from a file.

    Raises:
        DataError: the file cannot be read, or it states an unknown setting or value.
    """
    place = os.fspath(path)
    if os.path.exists(place) and not os.path.isfile(place):  # read twice, which a device may not allow
        raise DataError(
            "this is a folder or a device, which cannot be a preregistration. Pass a file.", file=place
        )
    try:
        with sentences(place):
            stated = read_toml(place)
    except DataError:
        raise
    except ValueError as error:
        raise DataError(f"this is not a preregistration in TOML: {error}.", file=place) from None
    known = [each.name for each in fields(Preregistration)]
    for name, value in stated.items():
        if name not in known or type(value) is not KINDS.get(name, str):
            raise DataError(
                f"{name} = {json.dumps(value, default=str)} is not a valid field of a preregistration.",
                file=place,
                remedy=worded(
                    f"The fields are {', '.join(known)}; ",
                    Worded("carob.plan(…).preregister(path)", "'carob plan --preregister'"),
                    " writes such a file.",
                ),
            )
    if "measure" not in stated:
        raise DataError(
            "the preregistration does not specify the primary measure.",
            file=place,
            remedy='Add measure = "AP".',
        )
    if "runs" in stated:
        stated["runs"] = tuple(map(str, stated["runs"]))
    plan = Preregistration(**stated)
    try:
        plan.settings(None, Test(), None)
    except PolicyError as error:
        raise DataError(str(error), file=place) from None
    return plan


def held_to(
    plan: Preregistration, path: str | os.PathLike[str], found: Findings
) -> tuple[Registered, tuple[Caution, ...]]:
    """Returns the record of a comparison's preregistration, and a warning about each deviation.

    Args:
        plan: the preregistration.
        path: the path of its file.
        found: the comparison.
    """
    _, sha256 = digest(os.fspath(path))
    apart = dict(plan.deviations(found))
    warned = tuple(
        Caution("deviation", (), f"Not as preregistered: {each}", {"setting": name})
        for name, each in apart.items()
    )
    stated = tuple(STATED[name] for name in STATED if getattr(plan, name) is not None)
    unstated = tuple(STATED[name] for name in STATED if getattr(plan, name) is None)
    return Registered(os.fspath(path), sha256, tuple(apart.values()), stated, unstated), warned
