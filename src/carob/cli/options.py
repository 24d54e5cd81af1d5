"""Adds options from ``options.json`` to commands, and applies them to the files and the policy.

The file lists the options of each command in the order of the command's help. The name of a group stands for all
options in the group. The entry of an option contains the arguments of ``click.option`` and the following fields:

- ``short``: the short form, and ``to``: the name of the Python argument;
- ``no``: whether there is a ``--no-`` form;
- ``choices``: the allowed words;
- ``argument``: the specification that defines the words or the range, which also applies in Python: its name in
  ``carob.conventions.arguments``, or the setting whose default it is, as in ``Test.rope``;
- ``collections``: false if the option does not apply to ``--collections``;
- ``reads`` or ``writes``: true if the option's value is a file to read or to write;
- ``integers`` or ``numbers``: the smallest and optionally the largest value, and ``open``: whether both are excluded.

A command may override some of these arguments.
"""

from __future__ import annotations

import json
import math
import os
import re
import stat
from contextlib import ExitStack
from dataclasses import field, fields
from functools import wraps
from operator import attrgetter
from typing import TYPE_CHECKING, Any, get_args

import click
from click.core import ParameterSource

from carob._cached import cached_property
from carob._dataclasses import dataclass
from carob.cli.terminal import answer
from carob.conventions import arguments
from carob.conventions.policy import CHOICES, Policy
from carob.inputs.errors import sentences
from carob.inputs.files.paths import FOLDERS
from carob.inputs.sources import HEAD, called, is_pattern, is_table, is_trec, several_runs
from carob.output.errors import DataError, command_of
from carob.output.escaping import shown
from carob.output.formats import format_names
from carob.output.language import LANGUAGES, language_of
from carob.output.parsing import is_number

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import date

    from carob.cli.figures import Picture
    from carob.inputs.qrels import Qrels
    from carob.inputs.run import Run
    from carob.output.document import Documented


STDIN = "/dev/stdin"
STDIN_ONCE = "Standard input ('-') can be read only once: pass files for the other inputs."
CONFIG = "carob.toml"
"""The name of the file with a project's defaults."""


def enrol(_context: click.Context, _parameter: click.Parameter, names: tuple[str, ...]) -> None:
    """Imports the user's own measures before measure names are parsed."""
    from carob.measures.define import import_by_name

    for name in names:
        import_by_name(name)


def nearest(folder: str) -> str | None:
    """Returns the path of ``carob.toml`` in a folder, or in the nearest folder above it in the same repository."""
    while True:
        path = os.path.join(folder, CONFIG)
        if os.path.isfile(path):
            return path
        above = os.path.dirname(folder)
        if above == folder or os.path.exists(os.path.join(folder, ".git")):
            return None
        folder = above


def configured(context: click.Context, _parameter: click.Parameter, ignored: bool) -> None:
    """Makes the settings of the project's ``carob.toml``, if there is one, the defaults of the options."""
    try:
        path = None if ignored else nearest(os.getcwd())
    except OSError:  # the working directory has been deleted
        path = None
    if path is not None:
        from carob.cli.config import configure

        configure(context, path)
        context.meta[CONFIG] = os.path.relpath(path)


def language_in(_context: click.Context, _parameter: click.Parameter, lang: str | None) -> str:
    """Returns the language given with the option, or otherwise the language of the locale."""
    return lang or language_of(os.environ)


def listed_numbers(
    context: click.Context, option: click.Parameter, given: str | None
) -> tuple[int, ...] | None:
    """Returns the whole numbers in a text, which are separated by commas.

    Raises:
        click.BadParameter: the text is not a list of whole numbers.
    """
    if given is None:
        return None
    parts = [each.strip() for each in given.split(",")]
    if not all(each.isascii() and each.isdigit() for each in parts):
        raise click.BadParameter(
            f"'{given}' is not a list of whole numbers: write it as in 20,40,60.", context, option
        )
    return tuple(map(int, parts))


def day_in(context: click.Context, option: click.Parameter, value: str | None) -> date | None:
    """Returns the date in a text such as ``2026-11-01``.

    Raises:
        click.BadParameter: the text is not a date.
    """
    if value is None:
        return None
    from datetime import date

    try:
        return date.fromisoformat(value)
    except ValueError:
        raise click.BadParameter(
            f"'{value}' is not a date: write it as in 2026-11-01.", context, option
        ) from None


def picture_in(_context: click.Context, _option: click.Parameter, value: tuple[str, ...]) -> Picture | None:
    """Returns the figures of each ``--figure FILE`` or ``--figure KIND=FILE``."""
    if not value:
        return None
    from carob.cli.figures import picture

    return picture(list(map(split, value)))


HOOKS: dict[str, dict[str, Any]] = {
    "import": {"is_eager": True, "expose_value": False, "callback": enrol},
    "no-config": {"is_eager": True, "expose_value": False, "callback": configured},
    "lang": {"type": click.Choice(LANGUAGES), "callback": language_in},
    "folders": {"type": click.Choice(FOLDERS)},
    "format": {"type": click.Choice(["text", "json", "csv", "tsv", *format_names()])},
    "looks": {"callback": listed_numbers},
    "figure": {"callback": picture_in},
    "baseline-date": {"callback": day_in},
    **{axis: {"type": click.Choice(choices)} for axis, choices in CHOICES.items()},
}
"""The arguments of ``click.option`` that are functions."""


class PlainNumbers:
    """Rejects text that only Python reads as a number: ``1_0`` and the digits of other scripts."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Returns the number.

        Raises:
            click.BadParameter: the value is not a number or is outside the range.
        """
        its: Any = super()
        if isinstance(value, str) and not is_number(value):
            raise click.BadParameter(f"'{value}' is not a number.", ctx, param)
        return its.convert(value, param, ctx)


class WholeNumberType(PlainNumbers, click.IntRange):
    """The type of options that accept a whole number."""


class NumberType(PlainNumbers, click.FloatRange):
    """The type of options that accept a number within a range."""


class AnyNumberType(PlainNumbers, click.types.FloatParamType):
    """The type of options that accept any number."""


def options(command: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Returns a decorator that adds options to a command and passes the options that commands share as ``given``.

    The command does not begin if a pipe would be read twice or an output is also an input.

    Args:
        command: the command's entry in ``options.json``.
    """
    found = entries(command)

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        @wraps(function)
        def called(**values: Any) -> None:
            context = click.get_current_context()
            with ExitStack() as around:
                if CONFIG in context.meta:
                    from carob.cli.config import settings_told

                    layout, path = values.get("layout", ""), context.meta[CONFIG]
                    around.enter_context(settings_told(context, layout, path))
                read, written = file_parameters(context, found)
                values = reread(values, read, always=command in RECORDS)
                refuse_misuse(files_in(values, read), files_in(values, written))
                given = {"given": Given.taken(values)} if found.keys() & SHARED else {}
                function(**given, **values)

        for name, entry in reversed(found.items()):
            called = option(name, entry)(called)
        return called

    return decorate


SHARED = {"folders", "profile", "format"}
"""The options in ``Given`` that show whether a command accepts any of the options in ``Given``."""
RECORDS = ("verify", "history")
"""The commands that read only JSON files."""


def reread(values: dict[str, Any], read: list[str], *, always: bool) -> dict[str, Any]:
    """Returns a command's parameters with ``/dev/stdin`` instead of ``-`` where a table is read, which needs a path.

    TREC text is read from ``-`` itself, even if it arrives through a pipe. An input that is recorded needs a path.

    Args:
        values: the parameters.
        read: the names of the parameters that are files to read.
        always: whether the command reads no TREC text.

    Raises:
        DataError: standard input was given twice.
    """
    uses = [each for each in files_in(values, read) if split(each)[1] == "-"]
    if len(uses) > 1:
        raise DataError(STDIN_ONCE)
    if not uses or values.get("record_path") or not os.path.exists(STDIN) or not (always or table_on_input()):
        return values
    path = uses[0][:-1] + STDIN
    files: dict[str, Any] = {}
    for name in read:
        if isinstance(values[name], tuple):
            files[name] = tuple(path if each == uses[0] else each for each in values[name])
        elif values[name] == uses[0]:
            files[name] = path
    return values | files


def table_on_input() -> bool:
    """Returns whether standard input is a file that is not TREC text, positioned at its start."""
    try:
        if not stat.S_ISREG(os.fstat(0).st_mode) or os.lseek(0, 0, os.SEEK_CUR):
            return False
        head = os.pread(0, HEAD, 0)
    except OSError:
        return False
    return not (is_trec(head, "qrels") or is_trec(head, "run"))


def entries(command: str) -> dict[str, dict[str, Any]]:
    """Returns the options of a command by name, with their entries in ``options.json``."""
    with open(os.path.join(os.path.dirname(__file__), "options.json"), encoding="utf-8") as file:
        table = json.load(file)
    own = table["commands"][command]
    return {
        name: table["options"][name] | own.get(name, {}) for name in expanded(own["options"], table["groups"])
    }


def expanded(names: list[str], groups: dict[str, list[str]]) -> list[str]:
    """Returns the names of options, after replacing each group by the options in it."""
    parts = [expanded(groups[name], groups) if name in groups else [name] for name in names]
    return [name for part in parts for name in part]


def file_parameters(context: click.Context, found: dict[str, dict[str, Any]]) -> tuple[list[str], list[str]]:
    """Returns the names of a command's input file parameters, including operands, and of its output file parameters."""
    operands = [str(each.name) for each in context.command.params if isinstance(each, click.Argument)]
    reads, writes = (
        [each.get("to") or name.replace("-", "_") for name, each in found.items() if each.get(kind)]
        for kind in ("reads", "writes")
    )
    return operands + reads, writes


def files_in(values: dict[str, Any], names: list[str]) -> list[str]:
    """Returns the files given as the values of some parameters."""
    given = [values[name] for name in names if values[name] is not None]
    return [each for value in given for each in (value if isinstance(value, tuple) else [value])]


OF_CAROB = ("collections", "reads", "writes")
"""The keys of an option's entry that click does not know."""


def option(name: str, entry: dict[str, Any]) -> Callable[..., Any]:
    """Returns the option described by an entry of ``options.json``."""
    made = {key: value for key, value in entry.items() if key not in OF_CAROB and value != ""}
    made |= HOOKS.get(name, {})
    if "argument" in made:
        made = ranged(specification(made.pop("argument"))) | made
    long = f"--{name}"
    if made.pop("no", False):
        long, made["default"] = f"--{name}/--no-{name}", None
    names = [made.pop("short", None), long, made.pop("to", None)]
    if "choices" in made:
        made["type"] = click.Choice(made.pop("choices"))
    if "integers" in made:
        made["type"] = WholeNumberType(*made.pop("integers"))
    ends = made.pop("numbers", None)
    if ends:
        is_open = made.pop("open", False)
        made["type"] = NumberType(ends[0], ends[-1] if ends[1:] else None, min_open=is_open, max_open=is_open)
    elif ends is not None:
        made["type"] = AnyNumberType()
    made["help"] = made["help"].replace("{choices}", ", ".join(CHOICES.get(name, ())))
    return click.option(*filter(None, names), **made)


def grouped(options: dict[str, Any]) -> dict[str, Any]:
    """Returns options as arguments of ``carob.compare``, with the options of a test and of a design in one object each.

    Raises:
        click.UsageError: limits for unjudged documents were given without requesting bounds.
        PolicyError: a number is outside its range.
    """
    from carob.comparison.design import Design, Test, UnjudgedLimits

    rest = dict(options)
    rest["name"] = rest.pop("test", None)
    rest |= [("interval", word) for word in get_args(arguments.Interval) if rest.pop(word, False)]
    bounds = rest.pop("unjudged_bounds", False)
    kinds: dict[str, Any] = {"test": Test, "design": Design, "unjudged_bounds": UnjudgedLimits}
    for argument, kind in kinds.items():
        given = present(fields_taken(rest, kind))
        if given or (bounds and kind is UnjudgedLimits):
            rest[argument] = kind(**given)
        if given and kind is UnjudgedLimits and not bounds:
            option = next(iter(given)).replace("_", "-")
            raise click.UsageError(
                f"--{option} only affects bounds over unjudged documents. Add --unjudged-bounds."
            )
    return present(rest)


def fields_taken(options: dict[str, Any], kind: type) -> dict[str, Any]:
    """Removes from a command's options those that are fields of a data class, and returns them."""
    return {each.name: options.pop(each.name, None) for each in fields(kind)}


def specification(name: str) -> Any:
    """Returns the specification called, for example, ``ALPHA``, or that of a setting such as ``Test.rope``."""
    if "." not in name:
        return getattr(arguments, name)
    from carob.comparison import design

    return attrgetter(name)(design)


def ranged(specification: Any) -> dict[str, Any]:
    """Returns the part of an option's entry that an argument's specification defines: its words or its range."""
    if isinstance(specification, arguments.Choice):
        return {"choices": list(specification.words)}
    ends = [end for end in (specification.least, specification.most) if math.isfinite(end)]
    if specification.whole:
        return {"integers": ends}
    return {"numbers": ends, "open": specification.exclusive}


@dataclass(frozen=True, eq=False, repr=False)
class Given:
    """The options that commands share, for reading files, policy, measures, and the format of the result.

    Args:
        columns: the given columns for ``Qrels.of`` and ``Run.of``, under the keys ``qrels`` and ``run``; columns for a
            single run are in a dict under its name.
        folders: how to treat files in several folders: ``parts`` or ``prefix``.
        exclude: a file of the query-document pairs to remove from each run.
        policy: the given policy settings; None if there are none.
        profile: the profile.
        measures: the given measures; None if there are none.
        layout: the format of the result.
        figure: the figure of the result to draw, if any.
    """

    columns: dict[str, dict[str, Any]] = field(default_factory=dict)
    folders: str | None = None
    exclude: str | None = None
    policy: Policy | None = None
    profile: str | None = None
    measures: list[str] | None = None
    layout: str = "text"
    figure: Picture | None = None

    @classmethod
    def taken(cls, options: dict[str, Any]) -> Given:
        """Separates the values of the shared options from the other options."""
        columns = {
            "qrels": columns_in(",".join(options.pop("qrels_columns", None) or ()), "qrels"),
            "run": columns_of_runs(options.pop("run_columns", None) or ()),
        }
        context = click.get_current_context(silent=True)
        for kind, named in columns.items():
            if context and context.get_parameter_source(f"{kind}_columns") is ParameterSource.DEFAULT_MAP:
                from carob.inputs.columns import of_project

                columns[kind] = of_project(named)
        words = options.pop("grade_words", None)
        if words:
            from carob.inputs.grade_words import words_in

            columns["qrels"]["words"] = words_in(",".join(words))
        axes = present({axis: options.pop(axis, None) for axis in ("depth", *CHOICES)})
        if options.pop("lenient", False):
            axes["malformed"] = "skip"
        policy, measures = Policy(**axes) if axes else None, list(options.pop("measures", ())) or None
        rest = {name: options.pop(name, None) for name in ("folders", "exclude", "profile", "figure")}
        return cls(columns, policy=policy, measures=measures, layout=options.pop("layout", "text"), **rest)

    @property
    def words(self) -> dict[str, float]:
        """Parses the numbers for grades that are given as words."""
        found: dict[str, float] = self.columns["qrels"].get("words", {})
        return found

    @property
    def checked(self) -> dict[str, Any]:
        """Returns the columns and folders as keyword arguments of ``carob.check`` and ``carob.verify``."""
        columns = {f"{kind}_columns": self.columns[kind] for kind in ("qrels", "run")}
        return {**columns, "folders": self.folders}

    @property
    def conventions(self) -> dict[str, Any]:
        """Returns the policy and the profile as keyword arguments of carob's functions."""
        return {"policy": self.policy, "profile": self.profile}

    def answer(self, found: Documented, columns: int | None = None, what: str | None = None) -> None:
        """Writes a result to standard output and draws its figure; see ``carob.cli.terminal.answer``."""
        answer(found, self.layout, columns, what, self.figure)

    def qrels(self, path: str, measures: Any = None, profile: str | None = None) -> Any:
        """Reads the judgments, by subtopic if a measure needs that. Returns the path if no option concerns qrels."""
        if not self.columns["qrels"] and self.folders is None and not isinstance(path, Logs):
            return path
        from carob.conventions.request import conventions, labelled, needs_groups
        from carob.inputs.qrels import Qrels

        convention, policy = conventions(profile or self.profile, self.policy)
        how: dict[str, Any] = {
            "subtopics": needs_groups(labelled(measures, convention)),
            "folders": self.folders,
        }
        if isinstance(path, Logs):
            from carob.inputs.logs import judged_by

            logs = {log: log for log in path.logs}
            return judged_by(logs, policy, columns=self.columns["qrels"], remedy=path.remedy, **how)
        return Qrels.of(path, policy, **how, **self.columns["qrels"])

    def is_log(self, argument: str) -> bool:
        """Returns whether a file contains the documents of a run and, in other columns, judged documents."""
        name, path = split(argument)
        is_pipe = os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path))
        if path == "-" or is_pipe or not (is_table(path) or begins_as_table(path)):
            return False
        from carob.inputs.logs import is_log

        return is_log(path, {**self.columns, "run": self.columns_of(name, path)}, self.folders)

    def with_judgments(self, files: tuple[str, ...]) -> tuple[str, ...]:
        """Returns QRELS and RUNs if the first file is a log, which is a run with its judgments.

        The judgments of all logs are used. A log that occurs again later serves as QRELS.
        """
        if not files:
            return files
        paths = paths_of(*files)
        if paths[0] in paths[1:] or not self.is_log(files[0]):
            return files
        logs = Logs(paths[0])
        more = zip(files[1:], paths[1:], strict=True)
        logs.logs = (paths[0], *(path for each, path in more if self.is_log(each)))
        return (logs, *files)

    def run(self, argument: str, *others: str) -> Run:
        """Opens the run of ``path`` or ``name=path``.

        Args:
            argument: the run.
            others: all other runs of the command.

        Raises:
            DataError: columns were given for a run that is not among these runs.
        """
        if named := self.columns.get("run"):
            from carob.inputs.columns import refuse_no_run

            pairs = map(split, (argument, *others))
            refuse_no_run(named, [(name or called(path), path) for name, path in pairs])
        return self.named_run(*split(argument))

    def runs(self, arguments: Sequence[str]) -> list[Run]:
        """Opens the runs of a command."""
        return [self.run(each, *arguments) for each in arguments]

    def columns_of(self, name: str | None, path: str) -> dict[str, Any]:
        """Returns the columns that were given for a run."""
        if not (named := self.columns.get("run")):
            return {}
        from carob.inputs.columns import columns_of_run

        return columns_of_run(named, name or called(path), path)

    def named_run(self, name: str | None, path: str) -> Run:
        """Opens the run of a path, under another name if one is given."""
        from carob.inputs.run import Run

        return Run.of(path, name, folders=self.folders, exclude=self.seen, **self.columns_of(name, path))

    def scores(self, argument: str) -> bool:
        """Returns whether a file contains per-query scores. Files with given columns are judgments or runs."""
        from carob.evaluation.score_files import holds_scores
        from carob.inputs.columns import insists

        return not any(map(insists, self.columns.values())) and holds_scores(split(argument)[1])

    @cached_property
    def seen(self) -> Qrels | None:
        """Returns the query-document pairs to exclude from each run. The file is read once."""
        from carob.inputs.runs.excluded import pairs_of

        return None if self.exclude is None else pairs_of(self.exclude)


class Logs(str):
    """The QRELS from one or more logs: the path of the first log, with the paths of all logs as an attribute."""

    __slots__ = ("logs",)
    logs: tuple[str, ...]

    @property
    def remedy(self) -> str:
        """The advice for logs that differ."""
        return (
            "Make the judgments agree, or pass the judgments to use as the first file (QRELS). To use the judgments "
            f"of {shown(self)}, pass that file twice: {shown(self)} {' '.join(map(shown, self.logs))}."
        )


def begins_as_table(path: str) -> bool:
    """Returns whether a file whose name does not show its format begins as JSON, Parquet, Arrow or a table with tabs
    does.
    """
    if not os.path.isfile(path):
        return False
    with sentences(path), open(path, "rb") as file:
        head = file.read(HEAD)
    tabs = b"\t" in head.partition(b"\n")[0] and not is_trec(head, "qrels")
    return tabs or head.startswith((b"{", b"[", b"PAR1", b"ARRO"))


def present(options: dict[str, Any]) -> dict[str, Any]:
    """Returns the options that were given."""
    return {name: value for name, value in options.items() if value is not None}


def refuse_misuse(files: Sequence[str], outputs: Sequence[str]) -> None:
    """Rejects standard input or a pipe for more than one file, and an output that is one of the files.

    Raises:
        DataError: standard input or a pipe was given twice, or an output would overwrite a file that is read.
    """
    paths = paths_of(*files)
    if paths.count("-") > 1:
        raise DataError(STDIN_ONCE)
    pipes = [pipe_of(path) for path in paths]
    for path, pipe in zip(paths, pipes, strict=True):
        if path != "-" and pipe is not None and pipes.count(pipe) > 1:
            raise DataError(
                "this pipe can be read only once.", file=path, remedy="Pass files for the other inputs."
            )
    for output in outputs:
        if output != "-":
            from carob.output.files import refuse_overwriting

            refuse_overwriting(output, paths)


def pipe_of(path: str) -> tuple[int, int] | None:
    """Returns the identity of the pipe that a path or ``-`` refers to, or None for other inputs."""
    try:
        found = os.fstat(0) if path == "-" else os.stat(path)
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISFIFO(found.st_mode) else None


def refuse_few(files: tuple[str, ...], least: int, remedy: str) -> None:
    """Rejects fewer files than a command needs. If a given file does not exist, the error states its name.

    Raises:
        DataError: a file does not exist.
        click.UsageError: there are too few files.
    """
    if len(files) < least:
        for path in paths_of(*files):
            if path != "-" and not is_pattern(path):
                with sentences(path):
                    os.stat(path)
        if "-" in files:
            remedy += (
                " A log would have to be read twice, which is impossible from standard input: save it to a file, and "
                "pass the file."
            )
        pattern = next(filter(is_pattern, paths_of(*files)), None)
        raise click.UsageError(f"{remedy} {command_of(several_runs(pattern))}" if pattern else remedy)


def paths_of(*files: str | None) -> list[str]:
    """Returns the paths of the given files, without names."""
    return [split(each)[1] for each in files if each is not None]


def split(argument: str) -> tuple[str | None, str]:
    """Splits ``name=path``. An existing file whose name contains an equals sign counts as a path."""
    name, equals, path = argument.partition("=")
    if not equals or not name or not path or os.sep in name or os.path.exists(argument):
        return None, argument
    from glob import glob

    return (None, argument) if glob(argument) else (name, path)


def columns_known(kind: str) -> tuple[str, ...]:
    """Returns the columns that an option can set."""
    from carob.inputs.columns import ASKED

    return (*ASKED[kind], "subtopic" if kind == "qrels" else "distance")


def weights_in(path: str | None) -> dict[str, float] | None:
    """Returns the query weights in the file given with ``--weights``, or None if there is no file.

    Raises:
        DataError: the file cannot be read.
    """
    if path is None:
        return None
    from carob.inputs.query_files import read_weights

    return read_weights(path)


def may_be_constant(role: str, value: str) -> bool:
    """Returns whether a value may replace a column: any query or grade may, but of the probabilities only 1."""
    if role == "query":
        return True
    return is_number(value) and (role == "grade" or (role == "probability" and float(value) == 1))


def columns_of_runs(texts: Sequence[str]) -> dict[str, Any]:
    """Parses the columns of runs: ``what=name`` for every run, and ``run:what=name`` for a single run.

    Raises:
        DataError: as for ``columns_in``, or columns were given for a single run whose name equals that of a column.
    """
    found: dict[str, Any] = {}
    roles = columns_known("run")
    own = re.compile(r"(?!{0})(.+?):(?={0})".format(rf"\s*(?:{'|'.join(roles)})\s*:?\s*="))
    for text in texts:
        named = own.match(text)
        if named is None:
            columns_in(text, "run", found)
        elif (run := named[1].strip()) in roles:
            raise DataError(
                f"--run-columns: '{run}' is both the name of a run and the name of a column. Rename the run by "
                "passing it as NAME=FILE."
            )
        else:
            columns_in(text[named.end() :], "run", found.setdefault(run, {}))
    return found


def columns_in(text: str, kind: str, found: dict[str, Any] | None = None) -> dict[str, Any]:
    """Parses ``what=name,what=name`` for ``Qrels.of`` or ``Run.of``, and adds the columns to those ``found`` before.

    ``grade:=1`` is the grade of every row, and ``query:=review1`` the query of every row.

    Raises:
        DataError: tables have no such column, or a column was given twice.
    """
    known = columns_known(kind)
    found = {} if found is None else found
    for part in text.split(",") if text else []:
        role, _, name = part.partition("=")
        role, constant = role.strip().removesuffix(":"), role.strip().endswith(":")
        if role not in known or not name or (constant and not may_be_constant(role, name)):
            more = ", and grade:=1 gives every row the grade 1" if kind == "qrels" else ""
            raise DataError(
                f"--{kind}-columns: '{part}' does not specify a column: write WHAT=NAME, where WHAT is "
                f"{', '.join(known[:-1])} or {known[-1]}. query:=review1 gives every row the query review1{more}."
            )
        if role in found:
            raise DataError(
                f"--{kind}-columns: two columns are specified for the {role}, '{found[role]}' and '{name}'. Pass one."
            )
        text = f":={name}" if constant and role == "query" else name
        found[role] = float(name) if constant and role != "query" else text
    return found
