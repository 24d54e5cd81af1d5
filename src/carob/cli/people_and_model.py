"""The options ``--people`` and ``--judge`` of ``carob compare`` and ``carob eval``, for judgments or scores."""

from __future__ import annotations

import os
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from carob._dataclasses import replace
from carob.cli.options import Given, entries, grouped, present, refuse_few, split
from carob.cli.terminal import show_tables
from carob.inputs.columns import DRAW, insists
from carob.output.errors import DataError, NoSuchColumnsError

if TYPE_CHECKING:
    from collections.abc import Callable

JUDGING = ("people", "judge", "target", "judge_weight", "strata", "tuned_on", "width")
"""The options for people's and a judge's judgments."""
SCORES_ALONE = (
    "needs judgments and ranked lists, not only per-query scores: leave it out, or pass QRELS and RUNs."
)
ESTIMATES = "needs complete judgments: leave it out, or pass QRELS instead of --people and --judge."


def judging_in(options: dict[str, Any]) -> dict[str, Any]:
    """Removes the options for people's and a judge's judgments from a command's options, and returns them.

    Raises:
        click.UsageError: only one of ``--people`` and ``--judge`` was given, or an option was given that needs both.
    """
    judging = {name: options.pop(name) for name in JUDGING}
    people, judge = judging["people"], judging["judge"]
    if (people is None) != (judge is None):
        one, other = ("people", "judge") if judge is None else ("judge", "people")
        raise click.UsageError(
            f"--{one} needs --{other}: pass both people's and the judge's judgments, or pass only QRELS."
        )
    lone = next((name for name in JUDGING[2:] if judging[name] is not None and people is None), None)
    if lone is not None:
        name = lone.replace("_", "-")
        known = entries(str(click.get_current_context().command.name))
        several = "collections" in known and known[name].get("collections", True)
        raise click.UsageError(
            f"--{name} needs --people and --judge{', or --collections' if several else ''}."
        )
    return judging


def inputs_of(
    files: tuple[str, ...], people: str | None, given: Given, least: int, remedy: str
) -> tuple[tuple[str, ...], bool]:
    """Returns the judgments and the RUNs, or the SCORES that replace them, and whether they are scores.

    Args:
        files: the operands of a command.
        people: the file of people's judgments or scores; None if the operands contain the judgments.
        given: the options for reading files.
        least: the minimum number of files, judgments and RUNs together.
        remedy: the advice if there are fewer.

    Raises:
        click.UsageError: there are too few files, or there are RUNs even though the scores already contain their runs.
    """
    if people is None:
        existing = bool(files) and given.scores(files[0])
        if not existing:
            files = given.with_judgments(files)
            refuse_few(files, least, remedy)
        return files, existing
    existing = given.scores(people)
    if existing and files:
        raise click.UsageError(
            "--people contains scores, which already include their runs: leave out the RUNs."
        )
    if not existing and not files:
        raise click.UsageError("Pass at least one RUN after --people and --judge.")
    return (people, *files), existing


def without_qrels(command: Callable[..., None]) -> Callable[..., None]:
    """Makes a failing command explain that ``--people`` replaces QRELS, if its first RUN is in fact qrels."""

    @wraps(command)
    def called(files: tuple[str, ...], **options: Any) -> None:
        try:
            command(files=files, **options)
        except DataError:
            if options["people"] is None or not files or not begins_as_qrels(split(files[0])[1]):
                raise
            raise click.UsageError(f"--people replaces QRELS: leave out {files[0]}.") from None

    return called


def begins_as_qrels(path: str) -> bool:
    """Returns whether a file is text whose first line has the four columns of qrels."""
    from carob.inputs.files.small_tables import SmallTable

    if not os.path.isfile(path):
        return False
    try:
        table = SmallTable.begun(path)
    except DataError:
        return False
    return table.columns is None and not table.has_objects and len(table.first.split()) == 4


def judging_given(judging: dict[str, Any], given: Given, *, existing: bool) -> dict[str, Any]:
    """Returns the arguments of ``carob.compare`` for a judge, including the judge's judgments or scores.

    Args:
        judging: the options.
        given: the options for reading files.
        existing: whether people's scores are given, in which case the judge's scores are expected as well.

    Raises:
        click.UsageError: only one of the two files contains scores.
    """
    if judging["judge"] is None:
        return {}
    if given.scores(judging["judge"]) != existing:
        raise click.UsageError("--people and --judge must both be judgments or both be scores.")
    rest = present({name: value for name, value in judging.items() if name not in ("people", "judge")})
    if existing:
        return {"judge": scores_in((judging["judge"],), given), **rest}
    # Only people's documents are drawn at random, so the judge's file has no columns about the draw.
    own = {role: name for role, name in given.columns.get("qrels", {}).items() if role not in DRAW}
    of_judge = replace(given, columns={**given.columns, "qrels": own})
    try:
        judge = of_judge.qrels(judging["judge"], given.measures)
    except NoSuchColumnsError:  # then the names are those of people's table
        of_judge = replace(given, columns={**given.columns, "qrels": {}})
        judge = of_judge.qrels(judging["judge"], given.measures)
    return {"judge": judge, **rest}


def scores_in(files: tuple[str, ...], given: Given) -> Any:
    """Reads per-query scores from files, which replace judgments and runs.

    Raises:
        click.UsageError: an option was given that needs judgments or runs.
    """
    refuse_unusable(unusable(given))
    return values_in(files, given)


def unusable(given: Given) -> dict[str, Any]:
    """Returns, by name, the options for reading and evaluating runs that do not apply to per-query scores."""
    policy = (
        {} if given.policy is None else {axis: getattr(given.policy, axis) for axis in given.policy.given}
    )
    missing = policy.pop("missing", None)
    return {
        **{f"{kind}-columns": insists(columns) for kind, columns in given.columns.items()},
        **{name: getattr(given, name) for name in ("folders", "exclude", "profile")},
        **{axis if axis != "malformed" else "lenient": True for axis in policy},
        "missing nan": missing == "nan",
    }


def refuse_unusable(options: dict[str, Any], why: str = SCORES_ALONE) -> None:
    """Rejects options that need judgments or ranked lists if only per-query scores or estimates are known.

    Raises:
        click.UsageError: one of these options was given.
    """
    for name, value in options.items():
        if value:
            raise click.UsageError(f"--{name.replace('_', '-')} {why}")


def values_in(files: tuple[str, ...], given: Given) -> Any:
    """Reads per-query scores from files."""
    from carob.evaluation.score_files import read_scores

    parts = [path if name is None else {name: path} for name, path in map(split, files)]
    return read_scores(parts, given.measures, missing=missing_in(given))


def missing_in(given: Given) -> str:
    """Returns how to treat a query that has no value in one of the runs."""
    return "error" if given.policy is None or "missing" not in given.policy.given else given.policy.missing


def show_estimates(judging: dict[str, Any], files: tuple[str, ...], given: Given) -> None:
    """Estimates the scores of runs from people's and a judge's judgments, and writes them to standard output."""
    from carob.comparison.compare import estimate

    files, existing = inputs_of(files, judging["people"], given, 2, "")
    settings = judging_given(judging, given, existing=existing)
    judge = settings.pop("judge")
    judged = None if existing else given.qrels(files[0], given.measures)
    runs = scores_in(files, given) if existing else given.runs(files[1:])
    conventions = {} if existing else given.conventions
    found = estimate(judged, judge, runs, given.measures, **grouped(settings), **conventions)
    show_tables(found, given.layout)
