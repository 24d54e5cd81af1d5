"""The options that several commands share: one per axis of the policy."""

from __future__ import annotations

from typing import Any

import click

from karat.policy import CHOICES

__all__ = ["policy_of", "policy_options"]


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


def policy_of(profile: str | None, axes: dict[str, Any], *, lenient: bool) -> Any:
    """The profile's policy with the axes that were given on the command line."""
    from karat.profiles import profile_named

    changed = {axis: value for axis, value in axes.items() if value is not None}
    if lenient:
        changed["malformed"] = "skip"
    return profile_named(profile).policy.changed(**changed)
