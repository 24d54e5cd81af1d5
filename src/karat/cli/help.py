"""``karat help``, and what is said of a command that there is not."""

from __future__ import annotations

import os

import click

from karat.cli.terminal import say
from karat.output.errors import did_you_mean

__all__ = ["help_command", "unknown_command"]

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
"""What else people call the commands."""


@click.command("help")
@click.argument("name", required=False, metavar="[COMMAND]")
@click.pass_context
def help_command(context: click.Context, name: str | None) -> None:
    """Say how a command is called."""
    group = context.parent
    if group is None or not isinstance(group.command, click.Group):
        raise click.UsageError("Write 'karat help COMMAND'.")
    if name is None:
        say(group.get_help() + "\n")
        return
    command = group.command.get_command(group, name)
    if command is None:
        raise click.UsageError(unknown_command(name, group.command.list_commands(group)), group)
    say(command.get_help(click.Context(command, info_name=name, parent=group)) + "\n")


def unknown_command(name: str, known: list[str]) -> str:
    """The sentence about a command that there is not, with the one that was probably meant."""
    if os.path.exists(name):
        return f"There is no command '{name}', which is a file: 'karat eval QRELS RUN' scores runs."
    every = "'karat help' lists them all."
    meant = next((command for command, words in MEANT.items() if name.lower() in words), None)
    hint = did_you_mean(name, known, "") if meant is None else f"Did you mean {meant}?"
    return (
        f"There is no command '{name}'. {hint} {every}" if hint else f"There is no command '{name}'. {every}"
    )
