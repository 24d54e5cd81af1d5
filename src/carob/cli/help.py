"""The commands ``help``, ``measures``, ``profiles`` and ``trec-eval``, the unknown command, and Tab completion."""

from __future__ import annotations

import os
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from carob.cli.options import columns_known, options
from carob.cli.terminal import WIDEST, say, terminal_width, text_columns, with_strong
from carob.output.errors import did_you_mean
from carob.output.layout import folded

if TYPE_CHECKING:
    from collections.abc import Callable


MEANT = {
    "eval": ("evaluate", "evaluation", "score", "scores", "measure", "metric", "metrics", "run"),
    "compare": ("comparison", "test", "significance", "ttest", "vs"),
    "report": ("html", "page", "plot"),
    "difference": ("diff", "differ"),
    "agreement": ("agree", "kappa"),
    "check": ("validate", "lint", "doctor", "inspect"),
    "verify": ("reproduce", "replay"),
    "trec-eval": ("trec_eval", "treceval", "trec"),
}
"""Other names that people try for the commands."""


@click.command("help")
@click.argument("name", required=False, metavar="[COMMAND]")
@click.pass_context
def help_command(context: click.Context, name: str | None) -> None:
    """Show the help for a command."""
    group = context.parent
    if group is None or not isinstance(group.command, click.Group):
        raise click.UsageError("Write 'carob help COMMAND'.")
    if name is None:
        say(group.get_help() + "\n")
        return
    command = group.command.get_command(group, name)
    if command is None:
        raise click.UsageError(unknown_command(name, group.command.list_commands(group)), group)
    say(command.get_help(click.Context(command, info_name=name, parent=group)) + "\n")


def unknown_command(name: str, known: list[str]) -> str:
    """Returns the message for an unknown command, which suggests the most similar command."""
    if os.path.exists(name):
        return f"'{name}' is a file, not a command. To score a run, use 'carob eval QRELS RUN'."
    every = "'carob help' lists all commands."
    meant = next((command for command, words in MEANT.items() if name.lower() in words), None)
    hint = did_you_mean(name, known, "") if meant is None else f"Did you mean {meant}?"
    return (
        f"There is no command '{name}'. {hint} {every}" if hint else f"There is no command '{name}'. {every}"
    )


@click.command("measures")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@options("measures")
def measures_command(names: tuple[str, ...]) -> None:
    """List all measures, or print the definitions of the named measures."""
    from carob.measures import list_measures, parse_measures

    columns = shown_columns()
    if not names:
        say(listed(list_measures(), columns))
        return
    from carob.conventions.reference import entry

    definitions = {each.name: each.definition for each in parse_measures(names)}
    say("\n".join(with_strong(r"\A.*", entry(each, columns)) for each in definitions.values()))


def shown_columns() -> int | None:
    """Returns the line width of the terminal, or None without a terminal, because other programs read whole lines."""
    return min(terminal_width(), WIDEST) if sys.stdout.isatty() else None


def listed(entries: dict[str, str], columns: int | None) -> str:
    """Returns a line for each name and its text. On a terminal, lines are wrapped and Markdown is removed."""
    space = max(map(len, entries))
    if columns is None:
        return "".join(f"{name:{space}}  {text}\n" for name, text in entries.items())
    lines = (
        folded(f"{name:{space}}  {text.replace('`', '').replace('**', '')}", columns, " " * (space + 2))
        for name, text in entries.items()
    )
    return with_strong(r"^\S+", "".join(lines))


@click.command("profiles")
@click.argument("names", nargs=-1, metavar="[NAME]...")
def profiles_command(names: tuple[str, ...]) -> None:
    """List all profiles (the conventions of other tools), or print the settings of the named profiles."""
    from carob.conventions.profiles import list_profiles, profile_named

    columns = shown_columns()
    if not names:
        say(listed(list_profiles(), columns))
        return
    say("\n".join(with_strong(r"\A.*", profile_named(name).describe(text_columns())) for name in names))


@click.command(
    "trec-eval",
    add_help_option=False,
    short_help="Behave exactly like trec_eval.",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def trec_eval_command(arguments: tuple[str, ...]) -> None:
    """Behave exactly like trec_eval, with the same arguments, output and exit codes."""
    from carob.compat.trec_eval import main as trec_eval

    sys.exit(trec_eval(list(arguments)))


FILES = {"files", "runs", "run", "qrels", "a", "b", "path", "arguments", "baseline", "words"}
MEASURES = {"measures", "measure", "drops", "floors"}
PROFILES = {"profile", "profile_a", "profile_b"}


class Completed(click.types.StringParamType):
    """A parameter whose completions are computed by a function.

    Args:
        found: returns the completions for the text typed so far.
    """

    def __init__(self, found: Callable[[click.Context, str], list[CompletionItem]]) -> None:
        """Stores the function."""
        self.found = found

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Returns the completions for the text typed so far."""
        del param
        return self.found(ctx, incomplete)


def completing(command: click.Command) -> click.Command:
    """Returns the command with completions for its parameters."""
    for parameter in command.params:
        found = kind_of(command, parameter)
        if found is not None and not isinstance(parameter.type, click.Choice):
            parameter.type = Completed(found)
    return command


def kind_of(command: click.Command, parameter: click.Parameter) -> Any:
    """Returns the function that completes a parameter, or None if there is none."""
    if command.name in ("help", "schema"):
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
        return partial(columns, kind=name.removesuffix("_columns"))
    return files if name in FILES or "FILE" in metavar or "OUT." in metavar else None


def completions(entries: dict[str, str], incomplete: str) -> list[CompletionItem]:
    """Returns the names that begin with the typed text, ignoring case, with their descriptions."""
    typed = incomplete.lower()
    return [
        CompletionItem(name, help=text) for name, text in entries.items() if name.lower().startswith(typed)
    ]


def commands(ctx: click.Context, incomplete: str) -> list[CompletionItem]:
    """Completes carob's commands."""
    group = ctx.find_root()
    names = group.command.list_commands(group) if isinstance(group.command, click.Group) else []
    return completions(dict.fromkeys(names, ""), incomplete)


def measures(ctx: click.Context, incomplete: str) -> list[CompletionItem]:
    """Completes measure names; the names of the given profile come before carob's names."""
    from carob.conventions.profiles import list_profiles, profile_named
    from carob.measures import REGISTER

    own: dict[str, str] = {}
    given = ctx.params.get("profile")
    if given in list_profiles():
        own = {name.rstrip("@"): f"{given}: {meant}" for name, meant in profile_named(given).names.items()}
    every = {
        name: each.sentence for name, each in sorted(REGISTER.items()) if each.takes != "recommendations"
    } | own
    name, at, depth = incomplete.partition("@")
    if at:  # usual depths
        known = [each for each in every if each.lower() == name.lower()]
        return [
            CompletionItem(f"{each}@{k}")
            for each in known
            for k in (1, 3, 5, 10, 20, 100, 1000)
            if str(k).startswith(depth)
        ]
    return completions(every, incomplete)


def profiles(ctx: click.Context, incomplete: str) -> list[CompletionItem]:
    """Completes profile names."""
    from carob.conventions.profiles import list_profiles

    del ctx
    return completions(list_profiles(), incomplete)


def files(ctx: click.Context, incomplete: str) -> list[CompletionItem]:
    """Lets the shell complete file names."""
    del ctx
    return [CompletionItem(incomplete, type="file")]


def columns(ctx: click.Context, incomplete: str, kind: str) -> list[CompletionItem]:
    """Completes ``WHAT=`` for the next column of qrels or a run, after the columns that have already been typed."""
    del ctx
    before, comma, last = incomplete.rpartition(",")
    own, colon, role = last.partition(":")
    if kind == "run" and colon and not comma and own not in columns_known(kind):  # the columns of one run
        before, comma, last = own, colon, role
    if "=" in last:
        return []
    return [
        CompletionItem(f"{before}{comma}{role}=") for role in columns_known(kind) if role.startswith(last)
    ]
