"""The options that several commands share: one per axis of the policy."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import click

from karat.conventions.policy import CHOICES, Policy
from karat.inputs.files.paths import FOLDERS
from karat.inputs.files.sniff import is_number
from karat.output.errors import DataError

if TYPE_CHECKING:
    from karat.inputs.qrels import Qrels
    from karat.inputs.run import Run

__all__ = [
    "Inputs",
    "columns_in",
    "exclude_option",
    "import_option",
    "input_options",
    "language_in",
    "language_option",
    "paths_of",
    "policy_of",
    "policy_options",
    "refuse_two_readers",
    "request_options",
    "split",
]


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
        "overlap": "what a run must share with the judgments; none for parts of a run",
        "retrieved": "all listed documents, or those of a finite score",
        "ranks": "of a run of ranks without scores: counted in their order, or as given, gaps and all",
        "listing": "the order of the run's lines, which a few tools' values depend on",
    }
    for axis, text in reversed(helps.items()):
        command = click.option(f"--{axis}", type=click.Choice(CHOICES[axis]), help=text)(command)
    command = click.option("--depth", type=click.IntRange(0), help="look at the first DEPTH documents only")(
        command
    )
    return click.option(
        "--lenient",
        is_flag=True,
        help="skip lines of text that cannot be read, and count them",
    )(command)


def policy_of(axes: dict[str, Any], *, lenient: bool) -> Policy | None:
    """The axes that were given on the command line; None if none was."""
    given = {axis: value for axis, value in axes.items() if value is not None}
    if lenient:
        given["malformed"] = "skip"
    return Policy(**given) if given else None


def input_options(command: Any) -> Any:
    """Give a command the options that say how its files are read: what is in which column, and what folders are."""
    named = {"run": "query=session,rank=place", "qrels": "query=session,grade=clicks"}
    command = click.option(
        "--folders",
        type=click.Choice(FOLDERS),
        help="files in several folders are parts of one table, or data sets, which prefix their queries",
    )(command)
    for kind, example in named.items():
        text = f"columns of {kind} tables with unusual names: {example}"
        command = click.option(f"--{kind}-columns", metavar="WHAT=NAME,…", help=text)(command)
    return command


def request_options(command: Any) -> Any:
    """Give a command the options that say what its names mean: a profile, and files that define more of them."""
    text = "read names and decide as that tool does, such as trec_eval-9, or as a file says: mine.toml"
    return import_option(click.option("--profile", metavar="NAME|FILE.toml", help=text)(command))


def import_option(command: Any) -> Any:
    """Give a command the option that imports a user's own measures before names are read."""

    def enrol(_context: click.Context, _parameter: click.Parameter, names: tuple[str, ...]) -> None:
        from karat.measures.define import import_by_name

        for name in names:
            import_by_name(name)

    return click.option(
        "--import",
        multiple=True,
        metavar="FILE.py",
        is_eager=True,
        expose_value=False,
        callback=enrol,
        help="Python that defines measures, a file or a module; may be repeated",
    )(command)


def exclude_option(command: Any) -> Any:
    """Give a command the option that takes documents out of runs."""
    text = "pairs of query and document taken out of each run, such as what users had seen"
    return click.option("--exclude", metavar="FILE", help=text)(command)


@dataclass(frozen=True)
class Inputs:
    """How the files of a command are read.

    Args:
        columns: the columns that were named, for ``Qrels.of`` and ``Run.of``, by ``qrels`` and ``run``.
        folders: what files in several folders are.
        exclude: a file of pairs that are taken out of each run.
    """

    columns: dict[str, dict[str, Any]]
    folders: str | None = None
    exclude: str | None = None

    @classmethod
    def taken(cls, options: dict[str, Any]) -> Inputs:
        """What ``input_options`` gave, which leaves the options."""
        columns = {kind: columns_in(options.pop(f"{kind}_columns"), kind) for kind in ("qrels", "run")}
        return cls(columns, options.pop("folders"), options.pop("exclude", None))

    def qrels(
        self, path: str, policy: Policy | None, profile: str | None = None, measures: Any = None
    ) -> Any:
        """The judgments, by subtopic if a measure asks for it; the path itself if nothing is said of it."""
        columns = self.columns["qrels"]
        if not columns and self.folders is None:
            return path
        from karat.conventions.request import conventions, labelled, needs_groups
        from karat.inputs.qrels import Qrels

        convention, policy = conventions(profile, policy)
        groups = needs_groups(labelled(measures, convention))
        return Qrels.of(path, policy, subtopics=groups, folders=self.folders, **columns)

    def run(self, argument: str) -> Run:
        """The run of ``path`` or ``name=path``."""
        from karat.inputs.run import Run

        name, path = split(argument)
        return Run.of(path, name, folders=self.folders, exclude=self.seen, **self.columns["run"])

    @cached_property
    def seen(self) -> Qrels | None:
        """The pairs that are taken out of each run, read once."""
        from karat.inputs.qrels import Qrels
        from karat.inputs.run import pairs_of

        return None if self.exclude is None else pairs_of(Qrels.of, self.exclude)


def refuse_two_readers(*files: str | None) -> None:
    """Refuse standard input where it is asked for twice.

    Raises:
        DataError: it is.
    """
    if paths_of(*files).count("-") > 1:
        raise DataError("Standard input ('-') can be read once: give files for the others.")


def paths_of(*files: str | None) -> list[str]:
    """The paths of those that were given, without names."""
    return [split(each)[1] for each in files if each is not None]


def split(argument: str) -> tuple[str | None, str]:
    """The name and the path of ``name=path``; a file whose own name has an equals sign is a file."""
    name, equals, path = argument.partition("=")
    if not equals or not name or not path or os.sep in name or os.path.exists(argument):
        return None, argument
    from glob import glob

    if glob(argument):
        return None, argument
    return name, path


def columns_in(text: str | None, kind: str) -> dict[str, Any]:
    """The columns that ``what=name,what=name`` names, for ``Qrels.of`` or ``Run.of``; ``grade:=1`` is a number.

    Raises:
        DataError: it names something that a table has no column for, or the same twice.
    """
    from karat.inputs.columns import ROLES

    known = (*ROLES[kind], *(["subtopic"] if kind == "qrels" else []))
    found: dict[str, Any] = {}
    for part in text.split(",") if text else []:
        role, _, name = part.partition("=")
        role, constant = role.strip().removesuffix(":"), role.strip().endswith(":")
        if role not in known or not name or (constant and (role != "grade" or not is_number(name))):
            more = "; grade:=1 gives every row that grade" if kind == "qrels" else ""
            raise DataError(
                f"--{kind}-columns: '{part}' names no column: write WHAT=NAME, where WHAT is "
                f"{', '.join(known[:-1])} or {known[-1]}{more}."
            )
        if role in found:
            raise DataError(f"--{kind}-columns: the {role} is named twice, '{found[role]}' and '{name}'.")
        found[role] = float(name) if constant else name
    return found


def language_option(command: Any) -> Any:
    """Give a command the option that says in which language it explains; the locale's if it is not given."""
    from karat.output.language import LANGUAGES

    text = "the language of what explains the numbers; that of the locale if not given"
    return click.option("--lang", type=click.Choice(LANGUAGES), help=text)(command)


def language_in(lang: str | None) -> str:
    """The language that was asked for, or that of the locale."""
    from karat.output.language import language_of

    return lang or language_of(os.environ)
