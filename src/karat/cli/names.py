"""``karat measures`` and ``karat profiles``: what the names mean."""

from __future__ import annotations

import sys

import click

from karat.cli.options import import_option
from karat.cli.terminal import WIDEST, coloured, say, terminal_width, text_columns
from karat.output.tables import folded

__all__ = ["measures_command", "profiles_command"]


@click.command("measures")
@import_option
@click.argument("names", nargs=-1, metavar="[NAME]...")
def measures_command(names: tuple[str, ...]) -> None:
    """List the measures, or say what some of them mean."""
    from karat.measures import list_measures, parse_measures

    columns = shown_columns()
    if not names:
        say(listed(list_measures(), columns))
        return
    from karat.conventions.reference import entry

    definitions = {each.name: each.definition for each in parse_measures(names)}
    say("\n".join(coloured("name", entry(each, columns)) for each in definitions.values()))


def shown_columns() -> int | None:
    """How wide lines may be on a terminal; None where there is none, and other programs read whole lines."""
    return min(terminal_width(), WIDEST) if sys.stdout.isatty() else None


def listed(entries: dict[str, str], columns: int | None) -> str:
    """A line each: the name and what it is; on a terminal in its width, without Markdown's marks."""
    space = max(map(len, entries))
    if columns is None:
        return "".join(f"{name:{space}}  {text}\n" for name, text in entries.items())
    lines = (
        folded(f"{name:{space}}  {text.replace('`', '').replace('**', '')}", columns, " " * (space + 2))
        for name, text in entries.items()
    )
    return coloured("names", "".join(lines))


@click.command("profiles")
@click.argument("names", nargs=-1, metavar="[NAME]...")
def profiles_command(names: tuple[str, ...]) -> None:
    """List the named conventions of other tools, or say what some of them change."""
    from karat.conventions.profiles import list_profiles, profile_named

    columns = shown_columns()
    if not names:
        say(listed(list_profiles(), columns))
        return
    say("\n".join(coloured("name", profile_named(name).describe(text_columns())) for name in names))
