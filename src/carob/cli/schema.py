"""The command ``carob schema``: arguments, exit status and JSON of every command, as JSON Schema."""

from __future__ import annotations

import json
import os
from inspect import cleandoc
from typing import Any

import click

from carob.cli.help import unknown_command
from carob.cli.terminal import say
from carob.output.escaping import json_text

DIALECT = "https://json-schema.org/draft/2020-12/schema"
RESULTS = {
    "check": ("Check", "PoolCheck"),
    "eval": ("Scores", "CollectionsScores", "Comparison"),
    "compare": ("Comparison", "CollectionsComparison"),
    "explain": ("Explanation",),
    "curve": ("Curve",),
    "difference": ("Difference",),
    "whence": ("Whence",),
    "agreement": ("Agreement",),
    "plan": ("Plan",),
    "next": ("Next",),
    "best": ("Best",),
    "fuse": ("FusedDocument", "TunedFusion"),
    "correlate": ("Correlations",),
    "gate": ("Gate",),
    "verify": ("Verification",),
}
"""The results that each command prints with ``--format json``; their field ``schema`` says which one it is."""
EXIT_STATUS = {
    0: "The command did what it was asked, and nothing speaks against the data or the run.",
    1: "The command did what it was asked, and the answer is no.",
    2: "There is no answer to rely on: wrong arguments, unreadable or wrong data, an undecided gate, a failure.",
}
"""The meaning of each exit status, in every command. ``carob trec-eval`` has trec_eval's own."""
ANSWER_NO = {
    "check": "The data have warnings. Errors in the data, or warnings with --strict, have the status 2.",
    "gate": "The run failed a check.",
    "verify": "An input, the policy or a value differs from the record.",
}
"""What the status 1 says in the commands that have it."""


@click.command("schema")
@click.argument("names", nargs=-1, metavar="[COMMAND]...")
@click.pass_context
def schema_command(context: click.Context, names: tuple[str, ...]) -> None:
    """Print arguments, exit status and JSON of commands as JSON Schema.

    The schema of a command's JSON is that of the result which its field 'schema' names, such as Comparison/1. The
    number becomes larger when a field is removed or changes its type or meaning. New fields may appear at any time.
    """
    group = context.parent
    if group is None or not isinstance(group.command, click.Group):
        raise click.UsageError("Write 'carob schema COMMAND'.")
    known = group.command.list_commands(group)
    for name in names:
        if name not in known:
            raise click.UsageError(unknown_command(name, known), group)
    results = result_schemas()
    asked = names or tuple(known)
    commands = {name: described(name, group.command.get_command(group, name)) for name in asked}
    kinds = {kind for name in asked for kind in RESULTS.get(name, ())}
    said = {
        "$schema": DIALECT,
        "commands": commands,
        "results": {name: each for name, each in results.items() if name.partition("/")[0] in kinds},
    }
    say(json_text(said) + "\n")


def result_schemas() -> dict[str, Any]:
    """Returns the schema of each result by name and version; ``docs/write_schemas.py`` writes the file."""
    with open(os.path.join(os.path.dirname(__file__), "schemas.json"), encoding="utf-8") as file:
        found: dict[str, Any] = json.load(file)
    return found


def described(name: str, command: click.Command | None) -> dict[str, Any]:
    """Returns what a command takes and gives."""
    assert command is not None
    said = {"description": cleandoc((command.help or "").replace("\b\n", ""))}
    if name == "trec-eval":
        return {**said, "exit_status": "that of trec_eval"}
    statuses = {str(code): text for code, text in EXIT_STATUS.items() if code != 1}
    if name in ANSWER_NO:
        statuses["1"] = f"{EXIT_STATUS[1]} {ANSWER_NO[name]}"
    return {
        **said,
        "arguments": arguments_of(command),
        "exit_status": dict(sorted(statuses.items())),
        "prints": [each for each in result_schemas() if each.partition("/")[0] in RESULTS.get(name, ())],
    }


def arguments_of(command: click.Command) -> dict[str, Any]:
    """Returns the schema of an object with the operands and the options of a command, as the command defines them."""
    properties = {key_of(each): parameter(each) for each in command.params}
    required = [key_of(each) for each in command.params if each.required]
    return {"type": "object", "properties": properties, "additionalProperties": False, "required": required}


def key_of(each: click.Parameter) -> str:
    """Returns the long name of an option without its dashes, or the name of an operand."""
    return max(each.opts, key=len).removeprefix("--") if isinstance(each, click.Option) else str(each.name)


def parameter(each: click.Parameter) -> dict[str, Any]:
    """Returns the schema of one operand or option."""
    own = type_of(each.type)
    if each.nargs > 1:
        own = {"type": "array", "items": own, "minItems": each.nargs, "maxItems": each.nargs}
    if each.multiple or each.nargs == -1:
        own = {"type": "array", "items": own}
    if not isinstance(each, click.Option):
        return {**own, "description": each.make_metavar(click.Context(click.Command("")))}
    flags = {"flags": [*each.opts, *each.secondary_opts]}
    shown = {"default": each.default} if isinstance(each.default, (str, int, float)) else {}
    return {**own, **flags, **shown, "description": each.help}


def type_of(kind: click.ParamType[Any]) -> dict[str, Any]:
    """Returns the schema of the values of a type of parameters."""
    if isinstance(kind, click.Choice):
        return {"type": "string", "enum": [*kind.choices]}
    if isinstance(kind, (click.IntRange, click.FloatRange)):
        ends = (("minimum", kind.min, kind.min_open), ("maximum", kind.max, kind.max_open))
        limits = {
            f"exclusive{end.capitalize()}" if is_open else end: value
            for end, value, is_open in ends
            if value is not None
        }
        return {"type": "integer" if isinstance(kind, click.IntRange) else "number", **limits}
    names = {"integer": "integer", "float": "number", "boolean": "boolean"}
    return {"type": names.get(kind.name, "string")}
