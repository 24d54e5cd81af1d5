"""``--collections`` of ``carob compare``, ``report``, ``eval`` and ``best``: options, conflicts and output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from carob.cli.options import Given, entries, fields_taken, grouped, present, split
from carob.cli.terminal import (
    NARROWEST_TABLES,
    SEPARATED,
    answer,
    say,
    say_data,
    size_said,
    text_columns,
)

if TYPE_CHECKING:
    from carob.evaluation.collections import CollectionsScores, Scored
    from carob.several_collections.tables import CollectionsComparison

SEVERAL = ("collections", "average", "absent", "friedman_ties", "borda_of")
"""The options for several collections."""

SETTINGS = ("baseline", "target", "average", "absent", "friedman_ties", "borda_of")
"""The names of the settings that options set, except those of the test."""


def several_in(options: dict[str, Any]) -> dict[str, Any]:
    """Removes the options for several collections from a command's options, and returns them.

    Raises:
        click.UsageError: one of these options was given without ``--collections``.
    """
    several = {name: options.pop(name) for name in SEVERAL}
    lone = next((name for name in SEVERAL[1:] if several[name] is not None), None)
    if several["collections"] is None and lone is not None:
        raise click.UsageError(f"--{lone.removesuffix('_of').replace('_', '-')} needs --collections.")
    return several


def refuse_meaningless(collections: str) -> None:
    """Rejects standard input instead of a folder or table, and options that do not apply to several collections.

    Raises:
        click.UsageError: the path is ``-``, or an option was given that does not apply.
    """
    if collections == "-":
        raise click.UsageError("--collections does not read standard input: pass a folder or a table.")
    context = click.get_current_context()
    known = entries(str(context.command.name))
    for each in context.command.params:
        name = each.opts[-1]
        stated = context.get_parameter_source(str(each.name)) == click.core.ParameterSource.COMMANDLINE
        if stated and not known.get(name.removeprefix("--"), {}).get("collections", True):
            raise click.UsageError(f"{name} cannot be used with --collections: leave it out.")


def report_several(
    files: tuple[str, ...], output: str, several: dict[str, Any], given: Given, options: dict[str, Any]
) -> None:
    """Compares runs on several collections, and writes an HTML page.

    Args:
        files: the paths of runs, with ``{collection}`` in them; empty if the runs are stored with the qrels.
        output: the file of the page; ``-`` is standard output.
        several: the options for several collections.
        given: the options for reading files, and the measures.
        options: all other options.
    """
    from carob.comparison.tables import CommonView
    from carob.output.files import write_whole

    found = compared_several(files, several, given, options)
    view = fields_taken(options, CommonView)
    page = found.document("html", title=options["title"] or "", **view).on_command_line().to("html")
    if output == "-":
        say(page)
    else:
        write_whole(output, page)
        click.echo(f"{output}: {found.heading().replace(' |', ',')}, {size_said(page)}.", err=True)


def compared_several(
    files: tuple[str, ...], several: dict[str, Any], given: Given, options: dict[str, Any]
) -> CollectionsComparison:
    """Returns the comparison of runs on several collections. The arguments are the same as for ``report_several``.

    Raises:
        click.UsageError: the collections are to come from standard input, or an option does not apply to them.
    """
    from carob.comparison.design import Test
    from carob.several_collections.collections import compared

    refuse_meaningless(several["collections"])
    chosen = present({name: each for name, each in {**options, **several}.items() if name in SETTINGS})
    found = scored_in(several["collections"], files, chosen.get("absent", "refuse"), given, least=2)
    return compared(found, grouped(options).get("test", Test()), **chosen)


def scored_in(collections: str, files: tuple[str, ...], absent: str, given: Given, *, least: int) -> Scored:
    """Returns the scores of runs on several collections.

    Args:
        collections: the folder or table of the collections.
        files: the paths of runs, with ``{collection}`` in them; empty if the runs are stored with the qrels.
        absent: how to treat runs that are missing from a collection.
        given: the options for reading files, and the measures.
        least: the smallest number of runs and of collections.

    Raises:
        DataError: columns were named for a run that no collection has, or as ``scored``.
    """
    from carob.evaluation.collections import scored
    from carob.inputs.columns import refuse_no_run

    opened: dict[str, str] = {}

    def run_of(name: str, path: str) -> Any:
        opened[name] = path
        return given.named_run(name, path)

    found = scored(
        collections,
        runs=[split(each) for each in files],
        measures=given.measures,
        absent=absent,
        opened=run_of,
        judged=lambda qrels: given.qrels(qrels, given.measures),
        least=least,
        **given.conventions,
    )
    refuse_no_run(given.columns.get("run", {}), list(opened.items()))
    return found


def evaluated_several(
    files: tuple[str, ...], collections: str, absent: str, given: Given
) -> CollectionsScores:
    """Returns the scores of runs on several collections.

    Args:
        files: the paths of runs, with ``{collection}`` in them; empty if the runs are stored with the qrels.
        collections: the folder or table of the collections.
        absent: how to treat runs that are missing from a collection.
        given: the options for reading files, and the measures.

    Raises:
        click.UsageError: the collections are to come from standard input, or an option does not apply to them.
    """
    from carob.evaluation.collections import evaluated_collections

    refuse_meaningless(collections)
    return evaluated_collections(scored_in(collections, files, absent, given, least=1), absent)


def show_scores(found: CollectionsScores, given: Given, *, per_query: bool, digits: int | None) -> None:
    """Writes the scores of runs on several collections to standard output in the requested format."""
    from carob.output.escaping import json_text

    layout = given.layout
    if layout == "json":
        say(json_text(found.versioned(found.contents(per_query=per_query))) + "\n")
    elif layout in SEPARATED and per_query:
        say_data(found.separated(layout), found.beside())
    else:
        answer(found, layout, text_columns(NARROWEST_TABLES), per_query=per_query, digits=digits)
