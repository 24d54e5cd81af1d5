"""The options that several commands share: one per axis of the policy."""

from __future__ import annotations

from typing import Any

import click

from karat.errors import DataError
from karat.policy import CHOICES, Policy

__all__ = ["column_options", "columns_in", "policy_of", "policy_options"]


def policy_options(command: Any) -> Any:
    """Give a command one option per axis of the policy."""
    helps = {
        "ties": "order of documents with equal scores",
        "scores": "width in which scores are compared",
        "duplicates": "a document twice in a list or in a query's judgments",
        "missing": "a judged query that the run lacks",
        "empty": "a query without relevant documents",
        "judgments": "which are known: all, or those of retrieved documents",
        "unjudged": "documents without a judgment",
        "negative": "negative grades",
        "overlap": "what a run must share with the judgments; none for parts of a run",
        "retrieved": "all listed documents, or those of a finite score",
        "ranks": "of a run of ranks without scores: counted in their order, or as given, gaps and all",
        "listing": "the order of the run's lines, which a few tools' values depend on",
    }
    for axis, text in reversed(helps.items()):
        command = click.option(f"--{axis}", type=click.Choice(CHOICES[axis]), help=text)(command)
    command = click.option("--depth", type=click.IntRange(0), help="look at the first DEPTH documents only")(
        command
    )
    return click.option("--lenient", is_flag=True, help="skip lines that cannot be read, and count them")(
        command
    )


def policy_of(axes: dict[str, Any], *, lenient: bool) -> Policy | None:
    """The axes that were given on the command line; None if none was."""
    given = {axis: value for axis, value in axes.items() if value is not None}
    if lenient:
        given["malformed"] = "skip"
    return Policy(**given) if given else None


def column_options(command: Any) -> Any:
    """Give a command the options that say which columns of tables are what."""
    named = {"run": "query=session,document=page,score=sim", "qrels": "query=session,grade=clicks"}
    for kind, example in named.items():
        text = f"columns of {kind} tables with unusual names: {example}"
        command = click.option(f"--{kind}-columns", metavar="WHAT=NAME,…", help=text)(command)
    return command


def columns_in(text: str | None, kind: str) -> dict[str, Any]:
    """The columns that ``what=name,what=name`` names, for ``Qrels.of`` or ``Run.of``.

    Raises:
        DataError: it names something that a table has no column for.
    """
    from karat.columns import ROLES

    known = (*ROLES[kind], *(["subtopic"] if kind == "qrels" else []))
    found = {}
    for part in text.split(",") if text else []:
        role, _, name = part.partition("=")
        if role.strip() not in known or not name:
            raise DataError(
                f"--{kind}-columns: '{part}' names no column: write WHAT=NAME, where WHAT is "
                f"{', '.join(known[:-1])} or {known[-1]}."
            )
        found[role.strip()] = name
    return found
