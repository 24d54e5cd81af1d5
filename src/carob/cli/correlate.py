"""The command ``carob correlate``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from carob._dataclasses import replace
from carob.cli.options import Given, grouped, options, refuse_few, split
from carob.cli.people_and_model import missing_in, refuse_unusable, unusable

if TYPE_CHECKING:
    from collections.abc import Sequence

OF_BOARDS = ("leaderboards", "missing_runs", "means")
"""The options that only leaderboards need."""


@click.command("correlate")
@click.argument("files", nargs=-1, metavar="TRUTH [NAME=]JUDGE... [[NAME=]RUN]...")
@options("correlate")
def correlate_command(
    files: tuple[str, ...],
    truth_measures: tuple[str, ...],
    coefficients: tuple[str, ...],
    top: int | None,
    given: Given,
    **choices: Any,
) -> None:
    """Correlate the rankings of runs under many judges, or by many measures, with the ranking under the truth.

    TRUTH and each JUDGE are either judgments, followed by at least three RUNs, or leaderboards, which contain the
    scores of runs. A leaderboard is a file, or a folder with one file for each run. Without a JUDGE, the first measure
    is the truth, and the other measures are correlated with it.

    \b
        carob correlate people.qrels gpt.qrels llama.qrels runs/*.run
        carob correlate qrels.txt runs/*.run -m nDCG@10 -m AP -m P@5
        carob correlate truth.jsonl judges/*.txt --coefficient kendall@10
    """
    from carob.evaluation.leaderboards import is_leaderboard, read_leaderboard
    from carob.judges.correlate import correlate

    refuse_few(
        files, 1, "Pass a TRUTH, then any JUDGEs, and then RUNs if the TRUTH and JUDGEs are judgments."
    )
    truth, *others = files
    settings: dict[str, Any] = {
        "measures": given.measures,
        "truth_measures": list(truth_measures) or None,
        "coefficients": list(coefficients) or None,
    }
    is_board = choices["leaderboards"] is not None or given.scores(truth)
    if is_board or (not any(given.columns.values()) and is_leaderboard(split(truth)[1])):
        refuse_unusable({**unusable(given), "pool": choices["pool"] != "own"})
        settings["missing"] = missing_in(given)
        boards = choices.pop("leaderboards") or "auto"
        read = [read_leaderboard(path, boards, name) for name, path in map(split, files)]
        found = correlate(read[0], judged(others, read[1:], truth), **settings, **grouped(choices))
    else:
        refuse_board_options(choices)
        truth, *others = given.with_judgments(files)
        judges = [each for each in others if is_judged(split(each)[1], given)]
        rest = [each for each in others if each not in judges]
        if len(rest) < 3:
            refuse_too_few(files)
        runs = given.runs(rest)
        asked_all = [*(given.measures or ()), *truth_measures] or None
        read = [given.qrels(split(each)[1], asked_all) for each in judges]
        true = given.qrels(truth, asked_all)
        found = correlate(
            true, judged(judges, read, truth), runs, **settings, **given.conventions, **grouped(choices)
        )
    given.answer(replace(found, top=top))


def judged(arguments: Sequence[str], read: Sequence[Any], truth: str) -> dict[str, Any]:
    """Returns judges by name, after checking that their names differ.

    Args:
        arguments: ``path`` or ``name=path`` of each judge.
        read: what was read from each of them.
        truth: the argument of the truth.

    Raises:
        DataError: two judges have the same name.
    """
    from carob.inputs.sources import called
    from carob.judges.correlate import judges_apart

    found = [(name, called(path), path) for name, path in map(split, arguments)]
    name, path = split(truth)
    return dict(zip(judges_apart(found, None if name else path), read, strict=True))


def refuse_too_few(files: Sequence[str]) -> None:
    """Rejects too few runs, and states the likely reason.

    Raises:
        DataError: a file is empty.
        click.UsageError: there are fewer than three runs.
    """
    from carob.evaluation.leaderboards import refuse_empty

    paths = [path for _, path in map(split, files)]
    for path in paths:
        if os.path.exists(path):
            refuse_empty(path)
    more = " Leaderboards cannot be read from standard input ('-'): pass files." if "-" in paths else ""
    raise click.UsageError(f"Pass at least three RUNs after the judgments.{more}")


def is_judged(path: str, given: Given) -> bool:
    """Returns whether a file, or the first file of a folder or pattern, contains judgments and no ranked list."""
    from glob import glob

    from carob.evaluation.leaderboards import files_in
    from carob.inputs.columns import usual
    from carob.inputs.files.small_tables import SmallTable
    from carob.inputs.sources import is_pattern, is_trec

    if path == "-" or given.is_log(path):
        return False
    found = sorted(glob(path)) if is_pattern(path) else [path]
    first = files_in(found[0])[0] if found else path
    table = SmallTable.begun(first)
    line = table.first.encode("utf-8", "surrogateescape")
    if table.columns is None and (is_trec(line, "qrels") or is_trec(line, "run")):
        return is_trec(line, "qrels")
    names = table.names
    if given.columns.get("qrels", {}).get("grade") in names:
        return True
    return bool(usual(names, "grade")) and not (usual(names, "score") or usual(names, "rank"))


def refuse_board_options(choices: dict[str, Any]) -> None:
    """Removes the options that only leaderboards need, or rejects them.

    Raises:
        click.UsageError: one of these options was given.
    """
    for name in OF_BOARDS:
        if choices.pop(name) is not None:
            raise click.UsageError(
                f"--{name.replace('_', '-')} applies only to leaderboards, but judgments were passed: leave it out."
            )
