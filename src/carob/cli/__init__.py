"""The command line, which converts arguments to function calls and writes results to standard output."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING

import click

from carob._version import __version__
from carob.cli.terminal import fail, warnings_said
from carob.output.errors import CarobError, asks_for_json
from carob.output.escaping import sentence
from carob.output.taken import remembered

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


# A command's module is imported only when the command is used, so that carob starts quickly.
COMMANDS = {
    "check": ("check", "Find mistakes in judgments and runs, and show their effect."),
    "eval": ("eval", "Score runs against relevance judgments."),
    "compare": ("compare", "Compare runs: which is better, and whether the difference may be due to chance."),
    "report": ("compare", "Write a report on one run or several runs, as one HTML page."),
    "explain": ("explain", "Show how the value of a measure is computed, rank by rank."),
    "curve": ("curve", "Compute measures at every depth, as vectors."),
    "difference": ("explain", "Explain why two profiles give different scores."),
    "whence": ("whence", "Find which conventions or mistakes produce a number."),
    "agreement": ("compare", "Measure how well two judges agree."),
    "plan": ("plan", "Compute how many queries a comparison needs."),
    "next": ("next_judgments", "Choose the documents that people should judge next."),
    "judge": ("judge", "Judge documents on a web page, or collect judgments."),
    "best": ("best", "Select the best of many runs, and estimate its score on other queries."),
    "beyond": ("beyond", "Measure recommendations: coverage, novelty, diversity, and accuracy."),
    "fuse": ("fuse", "Fuse runs into one, as search engines do for hybrid search."),
    "run": ("run", "Convert, cut, merge, split or filter a run."),
    "correlate": ("correlate", "Correlate the rankings of runs by judges or measures."),
    "gate": ("gate", "Fail in CI if a run is worse than its baseline."),
    "verify": ("gate", "Recompute the scores of a record, and report the differences."),
    "history": ("history", "Show how recorded values changed, and where they fell."),
    "measures": ("help", "List the measures, or print their definitions."),
    "profiles": ("help", "List the profiles: the conventions of other tools."),
    "cite": ("cite", "Print a sentence about scores for a paper, and BibTeX."),
    "trec-eval": ("help", "Behave exactly like trec_eval."),
    "schema": ("schema", "Print the arguments, exit status and JSON output of commands as JSON Schema."),
    "help": ("help", "Show the help for a command."),
}
"""The module of each command, and its description. ``next`` is the function ``next_command`` of its module."""

COMPLETION = "_CAROB_COMPLETE"
"""The environment variable through which a shell requests completions."""


class Commands(click.Group):
    """The group of the commands in ``COMMANDS``, each of which is imported when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Returns the names of the commands."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Returns the command with this name."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"carob.cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, f"{cmd_name.replace('-', '_')}_command")
        if command.help is None:  # Python was started with -OO, which removes docstrings
            from inspect import cleandoc

            from carob.output.docstrings import docstring_of

            command.help = cleandoc(docstring_of(command.callback))
        if COMPLETION not in os.environ:
            return command
        from carob.cli.help import completing

        return completing(command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Returns the command named by the first argument.

        Raises:
            click.UsageError: no command has that name.
        """
        if args and args[0] not in COMMANDS and not args[0].startswith("-") and not ctx.resilient_parsing:
            from carob.cli.help import unknown_command

            ctx.fail(unknown_command(args[0], list(COMMANDS)))
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Completes command names, without importing them."""
        from carob.cli.help import completions

        options = click.Command.shell_complete(self, ctx, incomplete)
        return completions({name: sentence for name, (_, sentence) in COMMANDS.items()}, incomplete) + options

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the list of commands for ``carob --help``, without importing them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, sentence) for name, (_, sentence) in COMMANDS.items()])


def main(arguments: list[str] | None = None) -> None:
    """Runs ``carob`` and exits with its exit code, which is 2 after an error.

    With ``--format json``, the error is one JSON object.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    as_json = asks_for_json(arguments)
    try:
        with warnings_said(as_json=as_json), remembered():
            commands.main(arguments, prog_name="carob", standalone_mode=False)
    except CarobError as error:
        fail(error.as_dict(command=True), as_json=as_json)
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        if (
            not arguments and context is not None
        ):  # click 8.2 and later raise an error whose message is the help
            sys.stderr.write(f"{context.get_help()}\n")
            sys.exit(2)
        fields = {"kind": "UsageError", "message": sentence(error.format_message())}
        fail(fields, usage_of(context), as_json=as_json)
    except click.Abort:
        raise KeyboardInterrupt from None


def usage_of(context: click.Context | None) -> str:
    """Returns the usage of the command and its help option, or nothing for an error outside a command."""
    if context is None:
        return ""
    option = next(iter(context.help_option_names), "")
    return f"{context.get_usage()}\nTry '{context.command_path} {option}' for help."


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(version)s")
def commands() -> None:
    """Measure rankings: compute scores from relevance judgments and ranked lists."""
