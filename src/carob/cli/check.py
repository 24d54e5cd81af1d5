"""The command ``carob check``, which finds mistakes in judgments and runs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from carob.cli.options import Given, Logs, options, present, split

if TYPE_CHECKING:
    from carob.diagnosis.check import Check
    from carob.diagnosis.check.pool import PoolCheck


@click.command("check")
@click.argument("files", nargs=-1, metavar="QRELS [[NAME=]RUN]...")
@options("check")
def check_command(
    files: tuple[str, ...],
    strict: bool,
    collections: str | None,
    pool: bool,
    pool_depth: int | None,
    teams: str | None,
    given: Given,
) -> None:
    """Find mistakes in judgments and runs, show their effect on the scores, and suggest remedies.

    QRELS and RUN are files in TREC format, plain or compressed, tables (Parquet, CSV, JSON lines …), or a golden set
    and its results in JSON. Folders and quoted patterns also work, and '-' stands for standard input. The exit code is
    0 without warnings or errors, 1 with warnings, and 2 with errors.

    With --collections instead of QRELS, all runs on several collections are checked together. A run has the same file
    name in each collection, or a path in which {collection} stands for the collection's name:

    \b
        carob check --collections beir

    With --pool, the judgments are checked instead: each run is scored without the judgments of documents that only it
    contributed to the pool, as a new run would be.
    """
    if pool:
        if collections is not None or strict:
            raise click.UsageError(
                f"--{'strict' if strict else 'collections'} cannot be used with --pool: leave it out."
            )
        given.answer(pool_checked(files, given, pool_depth=pool_depth, teams=teams))
        return
    if pool_depth is not None or teams is not None:
        raise click.UsageError(f"--{'teams' if pool_depth is None else 'pool-depth'} needs --pool.")
    columns = {"columns": given.policy.columns} if given.policy else {}
    options = {**present({"measures": given.measures}), **given.checked, **columns}
    found = (
        checked(files, given, options)
        if collections is None
        else several_checked(collections, files, options)
    )
    given.answer(found.on_command_line())
    sys.exit(2 if strict and found.exit_code else found.exit_code)


def checked(files: tuple[str, ...], given: Given, options: dict[str, Any]) -> Check:
    """Returns the check of judgments and runs.

    Raises:
        click.UsageError: no file was given.
    """
    from carob.diagnosis.check import check
    from carob.inputs.run import refuse_alike

    if not files:
        raise click.UsageError("Pass a QRELS file and any number of RUNs, or use --collections.")
    files = given.with_judgments(files)
    # A single log is checked unchanged, so anything unreadable in it is reported as a finding.
    several = isinstance(files[0], Logs) and len(files[0].logs) > 1
    pairs = [split(each) for each in files[1:]]
    names = [name for name, _ in pairs if name is not None]
    refuse_alike(names)
    # A repeated file without a name is a finding, which a dict would hide.
    runs = [{name or path: path for name, path in pairs}] if names else files[1:]
    return check(given.qrels(files[0]) if several else str(files[0]), *runs, **options)


def pool_checked(files: tuple[str, ...], given: Given, **options: Any) -> PoolCheck:
    """Returns the check of each run with and without the judgments that only it contributed.

    Raises:
        click.UsageError: fewer than two runs were given.
    """
    from carob.diagnosis.check.pool import check_pool

    files = given.with_judgments(files)
    if len(files) < 3:
        raise click.UsageError("--pool needs a QRELS file and at least two RUNs.")
    options |= present({"measures": given.measures})
    runs = given.runs(files[1:])
    return check_pool(given.qrels(files[0]), runs, **given.conventions, **options)


def several_checked(collections: str, files: tuple[str, ...], options: dict[str, Any]) -> Check:
    """Returns the check of the runs on several collections.

    Raises:
        click.UsageError: the collections are to come from standard input.
    """
    from carob.cli.collections import refuse_meaningless
    from carob.diagnosis.check.collections import check_collections

    refuse_meaningless(collections)
    return check_collections(collections, runs=[split(each) for each in files], **options)
