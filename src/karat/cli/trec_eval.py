"""``karat trec-eval`` among the other commands: another tool's face."""

from __future__ import annotations

import sys

import click

__all__ = ["trec_eval_command"]


@click.command(
    "trec-eval",
    add_help_option=False,
    short_help="Behave exactly as trec_eval.",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def trec_eval_command(arguments: tuple[str, ...]) -> None:
    """Behave exactly as trec_eval: its arguments, its output, its exit codes."""
    from karat.compat.trec_eval import main as trec_eval

    sys.exit(trec_eval(list(arguments)))
