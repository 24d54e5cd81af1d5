"""The command ``carob schema``, which prints arguments, exit status, JSON and file formats as JSON Schema."""

from __future__ import annotations

import json
import os
from inspect import cleandoc
from typing import TYPE_CHECKING, Any

import click

from carob.cli.config import long_name
from carob.cli.help import unknown_command
from carob.cli.terminal import say
from carob.output.escaping import json_text

if TYPE_CHECKING:
    from collections.abc import Callable

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
    "beyond": ("Beyond", "BeyondByRun"),
    "fuse": ("FusedDocument", "TunedFusion"),
    "correlate": ("Correlations",),
    "gate": ("Gate",),
    "verify": ("Verification",),
    "history": ("History",),
}
"""The results that each command prints with ``--format json``; each is identified by its field ``schema``."""
EXIT_STATUS = {
    0: "The command succeeded, and found no problem with the data or the run.",
    1: "The command succeeded, and the answer is no.",
    2: (
        "There is no reliable answer, because of wrong arguments, unreadable or wrong data, an undecided gate, or a "
        "failure."
    ),
}
"""The meaning of each exit status in every command except ``carob trec-eval``, which uses trec_eval's own."""
ANSWER_NO = {
    "check": "The command found warnings. If it found errors, or warnings with --strict, the status is 2.",
    "gate": "The run failed one of the gate's checks.",
    "verify": "An input, the policy or a value differs from the record.",
}
"""The meaning of status 1 in each command that uses it."""


@click.command("schema")
@click.argument("names", nargs=-1, metavar="[COMMAND|FORMAT]...")
@click.pass_context
def schema_command(context: click.Context, names: tuple[str, ...]) -> None:
    """Print the arguments, exit status and JSON output of commands, and the formats of files, as JSON Schema.

    The formats are golden-set, results, carob.toml and errors.

    The JSON output of a command follows the schema that its field 'schema' names, such as Comparison/1. The number
    increases when a field is removed or changes its type or meaning. New fields can be added at any time.
    """
    group = context.parent
    if group is None or not isinstance(group.command, click.Group):
        raise click.UsageError("Write 'carob schema COMMAND'.")
    known = group.command.list_commands(group)
    for name in names:
        if name not in known and name not in FORMATS:
            raise click.UsageError(unknown_command(name, known), group)
    results = result_schemas()
    asked = [name for name in names or known if name not in FORMATS]
    commands = {name: described(name, group.command.get_command(group, name)) for name in asked}
    formats = {name: FORMATS[name](group) for name in (names or FORMATS) if name in FORMATS}
    kinds = {kind for name in asked for kind in RESULTS.get(name, ())}
    said = {
        "$schema": DIALECT,
        "commands": commands,
        "formats": formats,
        "results": {name: each for name, each in results.items() if name.partition("/")[0] in kinds},
    }
    say(json_text(said) + "\n")


def format_of_rows(kind: str, records: str, number: str, title: str) -> dict[str, Any]:
    """Returns the schema of rows that contain a question and a list of documents, built from the usual column names.

    A service's golden set contains the ids of the documents that answer a question; its results contain the retrieved
    ids.
    """
    from carob.inputs.columns import known_names

    usual, lists = known_names()["usual"], known_names()["lists"]
    names = {role: [name for its in usual[role] for name in its] for role in ("query", "document", number)}
    own_id = {"type": ["string", "integer"]}
    ids = {"type": "array", "items": own_id}
    numbers = {name: {"type": "number"} for name in usual[number][0]}
    objects = {"type": "object", "properties": dict.fromkeys(names["document"], own_id) | numbers}
    plain = [*lists[kind], *(lists["ranked"] if kind == "run" else ())]
    both = [*lists[records], *(lists["ranked"] if kind == "run" else ())]
    listed = dict.fromkeys(plain, ids) | {
        name: {"type": "array", "items": {"anyOf": [own_id, objects]} if name in plain else objects}
        for name in both
    }
    beside = {f"{name}s": {"type": "array", "items": {"type": "number"}} for name in usual[number][0][:1]}
    row = {
        "type": "object",
        "properties": dict.fromkeys(("id", *names["query"]), own_id) | listed | beside,
        "anyOf": [{"required": [name]} for name in listed],
    }
    said = (
        "Upper and lower case, '_' and '-' are not distinguished in the names of fields: expectedids also stands for "
        "expectedIds and expected_ids."
    )
    return {"title": title, "$comment": said, "type": "array", "items": row}


def project_file(group: click.Context) -> dict[str, Any]:
    """Returns the schema of ``carob.toml``, whose settings are options of commands."""
    from carob.cli.config import COLUMNS, GATE, SECTIONS
    from carob.conventions.profiles import list_profiles

    assert isinstance(group.command, click.Group)
    gate = group.command.get_command(group, "gate")
    assert gate is not None
    options = arguments_of(gate)["properties"]
    limits = {"type": "object", "additionalProperties": {"type": "number"}}
    tables = {
        "policy": {axis: options[axis] for axis in SECTIONS["policy"]},
        "columns": {
            each.removesuffix("-columns"): {"type": "object", "additionalProperties": {"type": "string"}}
            for each in COLUMNS
        },
        "gate": {name: limits if name in ("max-drop", "min") else options[name] for name in GATE},
    }
    settings: dict[str, Any] = {
        "measures": {"type": "array", "items": {"type": "string"}},
        "profile": {"type": "string", "enum": list(list_profiles())},
    }
    for name, own in tables.items():
        settings[name] = {"type": "object", "properties": own, "additionalProperties": False}
    return {"title": "carob.toml", "type": "object", "properties": settings, "additionalProperties": False}


def error_lines() -> dict[str, Any]:
    """Returns the schema of a line on standard error with ``--format json``: an error, a warning or a note."""
    from carob.output.errors import BaselineError

    numbers = {"line", "row"}
    places = {name: {"type": "integer" if name in numbers else "string"} for name in BaselineError.FIELDS}
    said = {"kind": {"type": "string"}, "message": {"type": "string"}}
    return {
        "title": "A line on standard error",
        "type": "object",
        "properties": said | places,
        "required": [*said],
    }


RETRIEVED = "The retrieved documents for a golden set, listed best first or with scores."
FORMATS: dict[str, Callable[[click.Context], dict[str, Any]]] = {
    "golden-set": lambda _: format_of_rows("qrels", "qrels_records", "grade", "A golden set."),
    "results": lambda _: format_of_rows("run", "run_records", "score", RETRIEVED),
    "carob.toml": project_file,
    "errors": lambda _: error_lines(),
}
"""The schemas of files that people write (other than TREC's text formats) and of lines on standard error."""


def result_schemas() -> dict[str, Any]:
    """Returns the schema of each result by name and version; ``docs/write_schemas.py`` writes the file."""
    with open(os.path.join(os.path.dirname(__file__), "schemas.json"), encoding="utf-8") as file:
        found: dict[str, Any] = json.load(file)
    return found


def described(name: str, command: click.Command | None) -> dict[str, Any]:
    """Returns the schema of a command's arguments and results."""
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
    properties = {long_name(each): parameter(each) for each in command.params}
    required = [long_name(each) for each in command.params if each.required]
    return {"type": "object", "properties": properties, "additionalProperties": False, "required": required}


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
    """Returns the schema of the values of a parameter type."""
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
