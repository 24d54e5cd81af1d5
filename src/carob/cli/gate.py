"""The commands ``carob gate`` and ``carob verify``."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from carob._dataclasses import replace
from carob.cli.options import Given, options, paths_of, split
from carob.cli.people_and_model import scores_in, values_in
from carob.measures.grammar import is_number
from carob.output.errors import DataError, command_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date

    from carob.testing.gate_result import Gate


@click.command("gate")
@click.argument("qrels", metavar="QRELS|SCORES")
@click.argument("run", required=False)
@options("gate")
def gate_command(
    qrels: str,
    run: str | None,
    baseline: str | None,
    junit: str | None,
    comment: str | None,
    made: date | None,
    github: bool | None,
    given: Given,
    **options: Any,
) -> None:
    """Fail if the mean of RUN is below a baseline by more than a tolerance, or is below a minimum.

    \b
        carob gate qrels.txt new.run --baseline old.run --max-drop nDCG@10=0.005
        carob gate golden.json new.json --baseline old.json

    With --max-drop, every drop larger than the tolerance fails, significant or not. Without --max-drop, only a
    significant drop fails: a drop in the measures of --min or, without --min, in nDCG@10. The first line of the result
    states the rule, which --decide-by sets.

    With --decide-by significance, a drop beyond --max-drop fails only if it is significant. With --decide-by
    non-inferiority, the gate fails unless the data show that the drop is within the tolerance. Queries that are missing
    from the baseline are left out and listed. Queries that are missing only from RUN count as 0 or make the gate
    undecided, depending on --missing.

    Instead of QRELS and RUN, you can pass SCORES, a file with one run's per-query scores, as for 'carob compare'. The
    baseline is then a file of the same kind.

    The exit code is 0 if the gate passed, 1 if it failed, and 2 if it is undecided, for example because a
    file cannot be read.
    """
    from carob.output.files import write_whole

    if given.measures:
        raise click.UsageError(
            "Pass a measure with its limit: --max-drop {0}=0.005, or --min {0}=0.6.".format(*given.measures)
        )
    if made is not None and comment is None:
        raise click.UsageError("--baseline-date needs --comment.")
    try:
        found = gated(qrels, run, baseline, given, **options)
    except DataError as error:
        if comment is not None:
            path = None if baseline is None else split(baseline)[1]
            gone = None if path is None or os.path.exists(path) else path
            write_whole(comment, undecided(error.as_dict(command=True)["message"], gone))
        raise
    if junit is not None:
        write_whole(junit, found.to_junit())
    if comment is not None:
        from carob.testing.comment import comment_of

        write_whole(comment, command_of(comment_of(found, made)))
    given.answer(found)
    if os.environ.get("GITHUB_ACTIONS") == "true" if github is None else github:
        # The runner reads commands from both streams; standard output must keep the requested format.
        sys.stderr.write(found.to_github().encode("utf-8", "backslashreplace").decode())
    if not found.passed:
        sys.exit(1)


def gated(
    qrels: str,
    run: str | None,
    baseline: str | None,
    given: Given,
    *,
    drops: tuple[str, ...],
    floors: tuple[str, ...],
    **options: Any,
) -> Gate:
    """Returns the gate for the files and limits given to a command."""
    from carob.testing.gate import gate

    asked = [each.rpartition("=")[0] for each in (*drops, *floors) if "=" in each]
    given = replace(given, measures=asked or None)
    beside = [] if baseline is None else [baseline]
    if run is None and given.is_log(qrels):
        # The log serves as both QRELS and RUN, and so does the baseline if it is a log.
        logs = given.with_judgments((qrels, *beside))
        judged, ranked = given.qrels(logs[0], given.measures), given.run(qrels, *beside)
    elif run is None:
        judged, ranked = None, only_run(qrels, given, scores_in)
    else:
        refuse_two_logs(qrels, run, given)
        judged, ranked = given.qrels(qrels, given.measures), given.run(run, *beside)
    found = gate(
        judged,
        ranked,
        None if baseline is None else baseline_in(baseline, qrels if run is None else run, given),
        limits(drops, "--max-drop"),
        limits(floors, "--min"),
        **given.conventions,
        **options,
    )
    return replace(found, warnings=tuple(map(command_of, found.warnings)))


def undecided(message: str, missing: str | None = None) -> str:
    """Returns the comment for a gate that has no verdict.

    Args:
        message: the error.
        missing: the path of the baseline, if there is no such file.
    """
    from carob.output.document import Document, Line, Section
    from carob.testing.comment import MARK

    said = f"{message} The gate reached no verdict, which does not mean that the run is as good as before."
    if missing is not None:
        said = (
            f"The baseline {missing} does not exist. To store the results of the current run as the baseline: carob "
            f"eval QRELS RUN -m MEASURE --record {missing}."
        )
    title = f"gate undecided: {'no verdict' if missing is None else 'no baseline'}"
    return MARK + Document([Section([Line(title, "answer"), Line(said)])]).to("markdown")


def refuse_two_logs(qrels: str, run: str, given: Given) -> None:
    """Rejects two logs. Each is a run with its judgments, and only the judgments of the first would be used.

    Raises:
        DataError: both files are logs.
    """
    first, second = paths_of(qrels, run)
    if first != second and given.is_log(first) and given.is_log(second):
        raise DataError(
            f"{first} and {second} are two runs with their judgments, but a gate checks only one run.",
            remedy=(
                f"To compare them: carob gate {second} --baseline {first}. To use only the judgments in {first}, pass "
                "them as a separate file of judgments."
            ),
        )


def baseline_in(argument: str, run: str, given: Given) -> Any:
    """Reads the baseline of a run, which is a record, a file with the per-query scores of a run, or a run."""
    from carob.testing.baseline import record_of

    name, path = split(argument)
    record = record_of(path)
    if record is not None:
        return record if name is None else record.named(name)
    if given.scores(argument):
        return only_run(argument, given, values_in)
    return given.run(argument, run)


def only_run(argument: str, given: Given, reader: Callable[..., Any]) -> Any:
    """Returns the scores of the only run in a file with per-query scores.

    Raises:
        click.UsageError: the file contains no per-query scores, so a RUN is missing.
        DataError: the file contains several runs.
    """
    if not given.scores(argument):
        raise click.UsageError("Missing argument 'RUN'.")
    scores = reader((argument,), given)
    if len(scores) > 1:
        raise DataError(
            f"{argument}: a gate checks only one run, but the file contains {len(scores)} ({', '.join(scores)}). Pass "
            "a file with one run."
        )
    return next(iter(scores.values()))


def limits(options: tuple[str, ...], option: str) -> Any:
    """Returns the limit of each measure. A number without a measure is the limit of the default measure.

    Raises:
        DataError: a limit is not a number, or a measure has two limits.
    """
    found: dict[str, float] = {}
    such_as = "nDCG@10=0.005" if option == "--max-drop" else "nDCG@10=0.6"
    for each in options:
        measure, equals, number = each.rpartition("=")
        if not is_number(number.strip()):
            raise DataError(f"{option} {each}: expected MEASURE=NUMBER, such as {such_as}.")
        value = float(number)
        if not equals and option == "--max-drop" and len(options) == 1:
            return value
        if not measure or measure in found:
            fault = "is given twice" if measure in found else f"needs a measure, such as {such_as}"
            raise DataError(f"{option} {each} {fault}.")
        found[measure] = value
    return found or None


@click.command("verify")
@click.argument("path", metavar="RECORD")
@options("verify")
def verify_command(
    path: str,
    qrels: str | None,
    runs: tuple[str, ...],
    tolerance: float,
    given: Given,
    *,
    anywhere: bool,
) -> None:
    """Recompute the scores of a record, and report differences.

    RECORD is a file written by 'carob eval --record' or 'carob compare --record'. The exit code is 0 if everything
    matches the record, 1 if an input, the policy or a value differs, and 2 if something cannot be read.
    """
    from carob.evaluation.read_record import read_record
    from carob.inputs.run import refuse_alike
    from carob.testing.verify import verify

    names = read_record(path).names if runs else []
    handed = [name_and_file(each, names) for each in runs]
    refuse_alike([name for name, _ in handed])
    found = verify(
        path,
        qrels,
        dict(handed),
        exclude=given.exclude,
        tolerance=tolerance,
        anywhere=anywhere,
        **given.checked,
    )
    given.answer(found)
    if not found.equal:
        sys.exit(1)


def name_and_file(option: str, names: list[str]) -> tuple[str, str]:
    """Splits NAME=FILE into the name and the file. The name may contain '='.

    Raises:
        DataError: there is no run with that name.
    """
    for name in sorted(names, key=len, reverse=True):
        if option.startswith(f"{name}="):
            return name, option[len(name) + 1 :]
    raise DataError(f"--run {option}: expected NAME=FILE, with NAME one of: {', '.join(names)}.")
