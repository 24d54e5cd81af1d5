"""``carob.toml``: a project's columns, policy, measures and limits, which become the defaults of options.

The file can set only what options can set. The only file that it can specify is the baseline, which is only read and
must be a regular file in the folder of ``carob.toml``. Therefore, no file of a repository can make a command write a
file or wait for a pipe.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from carob.conventions.arguments import DECIDE_BY
from carob.conventions.policy import CHOICES
from carob.output.errors import DataError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import click

SCORING = {
    "eval",
    "compare",
    "report",
    "explain",
    "curve",
    "plan",
    "best",
    "agreement",
    "correlate",
    "gate",
    "next",
}
"""The commands to which the policy and the profile apply."""
MEASURED = {"check", "eval", "compare", "report", "plan", "best", "agreement", "correlate", "cite"}
"""The commands to which the measures apply: those that accept any measure, and more than one."""
COLUMNS = ("qrels-columns", "run-columns")
GATE = ("baseline", "max-drop", "min", "decide-by", "alpha")
SECTIONS = {
    "policy": (
        *(axis for axis in CHOICES if axis != "malformed"),
        "depth",
    ),  # the option for malformed lines would hide faults
    "columns": tuple(each.removesuffix("-columns") for each in COLUMNS),
    "gate": GATE,
}
"""The tables of the file and their settings."""
KEYS = ("measures", "profile", *SECTIONS)


def configure(context: click.Context, path: str) -> None:
    """Makes the settings of a ``carob.toml`` the defaults of a command's options.

    Raises:
        DataError: the file cannot be read, or has an unknown setting.
    """
    command = context.info_name or ""
    names = {option: each.name for each in context.command.params for option in each.opts}
    found = {name: value for name, value in defaults_in(path).items() if applies(name, command)}
    context.default_map = {
        parameter: value for name, value in found.items() if (parameter := names.get(f"--{name}")) is not None
    }


def applies(option: str, command: str) -> bool:
    """Returns whether the file's value for an option applies to a command that has this option."""
    if option == "measure":
        return command in MEASURED
    if option in GATE:
        return command == "gate"
    return option in COLUMNS or command in SCORING


def defaults_in(path: str) -> dict[str, Any]:
    """Returns the option values that a file sets, by option name.

    Raises:
        DataError: the file cannot be read, or has an unknown setting.
    """
    from carob.conventions.profiles import list_profiles
    from carob.inputs.errors import sentences
    from carob.output.parsing import read_toml

    try:
        with sentences(path):
            given = read_toml(path)
    except ValueError as error:
        raise DataError(
            f"this is not a TOML file: {error}.", file=path, remedy="Correct it, or pass --no-config."
        ) from None
    refuse_unknown(given, KEYS, "", path)
    for section, known in SECTIONS.items():
        expect(isinstance(given.get(section, {}), dict), path, section, "a table, such as [policy]")
        refuse_unknown(given.get(section, {}), known, f"[{section}] ", path)
    found: dict[str, Any] = {}
    if "measures" in given and (measures := listed_texts(path, "measures", given["measures"])):
        found["measure"] = measures
    if "profile" in given:
        # A profile other than carob's own is a file, which ``carob.toml`` must not specify.
        found["profile"] = word_of(path, "profile", given["profile"], list_profiles())
    for axis, value in given.get("policy", {}).items():
        found[axis] = (
            whole_number(path, axis, value) if axis == "depth" else word_of(path, axis, value, CHOICES[axis])
        )
    for kind, columns in given.get("columns", {}).items():
        if kind == "run":
            found["run-columns"] = columns_of_runs_said(path, columns)
        else:
            found["qrels-columns"] = [columns_said(path, kind, columns)]
    return found | limits_of_gate(path, given.get("gate", {}))


def refuse_unknown(given: Mapping[str, Any], known: tuple[str, ...], where: str, path: str) -> None:
    """Rejects an unknown setting.

    Raises:
        DataError: the setting does not exist.
    """
    for name in given:
        if name not in known:
            hint = did_you_mean(name, known, f"The settings are: {', '.join(known)}.")
            raise DataError(f"{where}unknown setting '{name}'. {hint}", file=path)


def expect(is_right: bool, path: str, setting: str, expected: str) -> None:
    """Rejects a setting of ``carob.toml`` whose value does not have the expected type.

    Raises:
        DataError: the value has another type.
    """
    if not is_right:
        raise DataError(f"'{setting}' must be {expected}.", file=path)


def listed_texts(path: str, setting: str, value: Any) -> list[str]:
    """Returns a list of strings in the order of the file."""
    is_right = isinstance(value, list) and all(isinstance(each, str) for each in value)
    expect(is_right, path, setting, 'a list of names, such as ["nDCG@10", "RR"]')
    return value  # type: ignore[no-any-return]


def whole_number(path: str, setting: str, value: Any) -> int:
    """Returns a non-negative whole number."""
    expect(type(value) is int and value >= 0, path, setting, "a whole number, such as 100")
    return int(value)


def word_of(path: str, setting: str, value: Any, words: Any) -> str:
    """Returns one of several words."""
    expect(value in words, path, setting, f"one of {', '.join(words)}")
    return str(value)


def columns_said(path: str, kind: str, columns: Any) -> str:
    """Returns columns in the form that the options for columns expect."""
    is_right = isinstance(columns, dict) and all(
        isinstance(each, str) and "," not in each for each in columns.values()
    )
    expected = 'a table of column names without commas, such as {query = "qid"}'
    expect(is_right, path, f"columns.{kind}", expected)
    return ",".join(f"{role}={name}" for role, name in columns.items())


def columns_of_runs_said(path: str, columns: Any) -> list[str]:
    """Returns the columns of all runs and of single runs in the form of the options, such as ``b:query=question``."""
    if not isinstance(columns, dict):
        return [columns_said(path, "run", columns)]
    own = {name: its for name, its in columns.items() if isinstance(its, dict)}
    every = {role: name for role, name in columns.items() if role not in own}
    texts = [columns_said(path, "run", every)] if every else []
    return texts + [f"{name}:{columns_said(path, f'run.{name}', its)}" for name, its in own.items()]


def limits_of_gate(path: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the values of the options of ``carob gate``."""
    found = dict(given)
    for option in ("max-drop", "min"):
        if option in given:
            found[option] = limits_said(path, option, given[option])
    if "baseline" in given:
        found["baseline"] = file_inside(path, given["baseline"])
    if "decide-by" in given:
        found["decide-by"] = word_of(path, "decide-by", given["decide-by"], DECIDE_BY.words)
    alpha = given.get("alpha", 0.05)
    is_right = isinstance(alpha, float) and 0 < alpha < 1
    expect(is_right, path, "alpha", "a number between 0 and 1, such as 0.05")
    return found


def limits_said(path: str, option: str, value: Any) -> list[str]:
    """Returns limits in the form that the options expect."""
    is_right = isinstance(value, dict) and all(type(each) in (int, float) for each in value.values())
    expect(is_right, path, option, 'a table of measures and numbers, such as {"nDCG@10" = 0.01}')
    return [f"{measure}={number}" for measure, number in value.items()]


def file_inside(path: str, baseline: Any) -> str:
    """Returns the path of the baseline, which must be a regular file in the folder of ``carob.toml`` or below it.

    Raises:
        DataError: there is no such file at the path.
    """
    folder = os.path.realpath(os.path.dirname(path))
    found = os.path.realpath(os.path.join(folder, baseline)) if isinstance(baseline, str) else ""
    is_inside = not os.path.isabs(str(baseline)) and found.startswith(folder + os.sep)
    expected = "the path of a file in the folder that contains carob.toml, or in one of its subfolders"
    expect(is_inside, path, "baseline", expected)
    is_file = os.path.isfile(found) or not os.path.exists(found)
    expect(is_file, path, "baseline", "a file, not a folder or pipe")
    return os.path.relpath(os.path.join(os.path.dirname(path), baseline))


@contextmanager
def settings_told(context: click.Context, layout: str, path: str) -> Iterator[None]:
    """Reports after a command's result, or before its error, which of its options are from ``carob.toml``.

    Text and Markdown show the line below the result; with other formats, it goes to standard error.
    """
    line = settings_said(context, path)
    try:
        yield
    except (SystemExit, Exception) as end:
        is_answer = isinstance(end, SystemExit) and (end.code != 2 or context.info_name == "check")
        show_below(line, layout if is_answer else "json" if layout == "json" else "")
        raise
    show_below(line, layout)


def long_name(each: click.Parameter) -> str:
    """Returns the long name of an option without its dashes, or the name of an operand."""
    return max(each.opts, key=len).removeprefix("--") if each.param_type_name == "option" else str(each.name)


def settings_said(context: click.Context, path: str) -> str:
    """Returns the line about the options whose values are from ``carob.toml``, or an empty text if there are none."""
    from click.core import ParameterSource

    values = context.default_map or {}
    own = [
        f"{long_name(each)} {value_said(values[each.name])}"
        for each in context.command.params
        if context.get_parameter_source(str(each.name)) == ParameterSource.DEFAULT_MAP
    ]
    return f"from {path}: {' · '.join(own)}" if own else ""


def value_said(value: Any) -> str:
    """Returns the value of an option as text."""
    return " ".join(value) if isinstance(value, list) else str(value)


def show_below(line: str, layout: str) -> None:
    """Writes the line, if any, below a result; below data or for an error, writes it to standard error.

    Args:
        line: the line.
        layout: the format of the result; empty for an error message in plain text.
    """
    from carob.cli.terminal import complain, painted, say, text_columns
    from carob.output.escaping import sentence
    from carob.output.formats import format_named, format_names
    from carob.output.layout import folded

    if not line:
        return
    if layout == "text":
        say(painted(folded(sentence(line), text_columns(), "  "), "footer"))
    elif layout in format_names() and (form := format_named(layout)).notes == "below":
        say(form.lines([sentence(line)]))
    else:
        complain("note", {"kind": "Note", "message": line}, as_json=layout == "json")
