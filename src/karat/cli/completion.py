"""Completion on the Tab key: measures, profiles, files and columns where a command takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["completing", "named"]

FILES = {"files", "runs", "run", "qrels", "a", "b", "path", "arguments", "baseline"}
MEASURES = {"measures", "measure", "drops", "floors"}
PROFILES = {"profile", "profile_a", "profile_b"}


class Completed(click.types.StringParamType):
    """Text whose completion a function knows.

    Args:
        found: gives the items for what was typed so far.
    """

    def __init__(self, found: Callable[[click.Context, str], list[CompletionItem]]) -> None:
        """Take it."""
        self.found = found

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The items for what was typed so far."""
        del param
        return self.found(ctx, incomplete)


def completing(command: click.Command) -> click.Command:
    """The command, whose parameters know their completion."""
    for parameter in command.params:
        found = kind_of(command, parameter)
        if found is not None and not isinstance(parameter.type, click.Choice):
            parameter.type = Completed(found)
    return command


def kind_of(command: click.Command, parameter: click.Parameter) -> Any:
    """What gives the items of a parameter; None where nothing is known."""
    if command.name == "help":
        return commands
    name = {"measures": "measures", "profiles": "profile"}.get(command.name or "", "") or parameter.name
    if isinstance(parameter, click.Option):
        name = parameter.name
    metavar = parameter.metavar or ""
    if name in MEASURES:
        return measures
    if name in PROFILES:
        return profiles
    if name in ("run_columns", "qrels_columns"):
        return run_columns if name == "run_columns" else qrels_columns
    return files if name in FILES or "FILE" in metavar or "OUT." in metavar else None


def named(entries: dict[str, str], incomplete: str) -> list[CompletionItem]:
    """Names that begin with what was typed, in any case, each with what it is."""
    typed = incomplete.lower()
    return [
        CompletionItem(name, help=text) for name, text in entries.items() if name.lower().startswith(typed)
    ]


def commands(ctx: click.Context, incomplete: str) -> list[CompletionItem]:
    """karat's commands."""
    group = ctx.find_root()
    names = group.command.list_commands(group) if isinstance(group.command, click.Group) else []
    return named(dict.fromkeys(names, ""), incomplete)


def measures(ctx: click.Context, incomplete: str) -> list[CompletionItem]:
    """karat's measures, and before them those of the profile that was given."""
    from karat.conventions.profiles import list_profiles, profile_named
    from karat.measures import REGISTER

    own: dict[str, str] = {}
    given = ctx.params.get("profile")
    if given in list_profiles():
        own = {name.rstrip("@"): f"{given}: {meant}" for name, meant in profile_named(given).names.items()}
    every = {**own, **{name: each.sentence for name, each in REGISTER.items() if name not in own}}
    name, at, depth = incomplete.partition("@")
    if at:  # depths that people take
        known = [each for each in every if each.lower() == name.lower()]
        return [
            CompletionItem(f"{each}@{k}")
            for each in known
            for k in (1, 3, 5, 10, 20, 100, 1000)
            if str(k).startswith(depth)
        ]
    return named(every, incomplete)


def profiles(ctx: click.Context, incomplete: str) -> list[CompletionItem]:
    """The profiles."""
    from karat.conventions.profiles import list_profiles

    del ctx
    return named(list_profiles(), incomplete)


def files(ctx: click.Context, incomplete: str) -> list[CompletionItem]:
    """Whatever files there are: the shell knows; what a run is called (NAME=) stays."""
    del ctx
    return [CompletionItem(incomplete, type="file")]


def run_columns(ctx: click.Context, incomplete: str) -> list[CompletionItem]:
    """The columns of a run."""
    del ctx
    return columns(incomplete, "run")


def qrels_columns(ctx: click.Context, incomplete: str) -> list[CompletionItem]:
    """The columns of qrels."""
    del ctx
    return columns(incomplete, "qrels")


def columns(incomplete: str, kind: str) -> list[CompletionItem]:
    """WHAT= of a column, behind those that were given."""
    from karat.inputs.columns import ROLES

    before, comma, last = incomplete.rpartition(",")
    if "=" in last:
        return []
    known = (*ROLES[kind], *(["subtopic"] if kind == "qrels" else []))
    return [CompletionItem(f"{before}{comma}{role}=") for role in known if role.startswith(last)]
