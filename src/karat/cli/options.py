"""Defines the options that several commands share, and applies them to the files and the policy."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any

import click

from karat.conventions.policy import CHOICES, Policy
from karat.inputs.files.paths import FOLDERS
from karat.inputs.files.sniff import is_number
from karat.output.errors import DataError
from karat.output.language import LANGUAGES, language_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from karat.inputs.qrels import Qrels
    from karat.inputs.run import Run


def enrol(_context: click.Context, _parameter: click.Parameter, names: tuple[str, ...]) -> None:
    """Imports a user's own measures, before names of measures are read."""
    from karat.measures.define import import_by_name

    for name in names:
        import_by_name(name)


def language_in(_context: click.Context, _parameter: click.Parameter, lang: str | None) -> str:
    """Returns the language that the option names, or else the language of the locale."""
    return lang or language_of(os.environ)


AXES = {
    "ties": f"order of documents with equal scores: {', '.join(CHOICES['ties'])}",
    "scores": "precision in which to compare scores",
    "duplicates": "which entry to use if a document occurs twice for a query",
    "missing": "how to count judged queries that are missing from the run",
    "empty": "how to count queries without relevant documents",
    "judgments": "judgments to use: all, or only those of retrieved documents",
    "unjudged": "how to count documents without a judgment",
    "negative": "how to count documents with a negative grade",
    "overlap": "what a run and the judgments must have in common; none for a part of a run",
    "retrieved": "which documents count as retrieved: all that are listed, or those with a finite score",
    "ranks": "how to use the ranks of a run without scores: only their order, or as given, with gaps",
    "listing": "whether to use the order of the lines in the run, which affects a few measures",
}
import_option = click.option(
    "--import",
    multiple=True,
    metavar="FILE.py",
    is_eager=True,
    expose_value=False,
    callback=enrol,
    help="Python file or module that defines measures; may be repeated",
)
language_option = click.option(
    "--lang",
    type=click.Choice(LANGUAGES),
    callback=language_in,
    help="language of explanations  [default: the language of the locale]",
)
alpha_option = click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="significance level",
)
seed_option = click.option("--seed", type=click.IntRange(0), help="seed of the random resamples")


def format_option(*layouts: str) -> Callable[..., Any]:
    """Returns the option for the format of the result, which is text or one of ``choices``."""
    choice = click.Choice(("text", *layouts))
    return click.option(
        "--format", "layout", type=choice, default="text", show_default=True, help="format of the result"
    )


def columns_option(kind: str, example: str) -> Callable[..., Any]:
    """Returns the option that names the columns of qrels or runs in tables."""
    text = f"names of nonstandard columns in {kind} tables, e.g. {example}"
    return click.option(f"--{kind}-columns", metavar="WHAT=NAME,…", help=text)


SHARED = {
    "profile": [
        click.option(
            "--profile",
            metavar="NAME|FILE.toml",
            help="conventions to follow: the name of a profile (such as trec_eval-9) or a TOML file",
        )
    ],
    "import": [import_option],
    "columns": [
        columns_option("qrels", "query=session,grade=clicks"),
        columns_option("run", "query=session,rank=place"),
        click.option(
            "--folders",
            type=click.Choice(FOLDERS),
            help="treat files in several folders as parts of one table, or put the folder before each query id",
        ),
    ],
    "exclude": [
        click.option(
            "--exclude",
            metavar="FILE",
            help="file of query-document pairs to remove from each run, such as documents seen before",
        )
    ],
    "policy": [
        click.option("--lenient", is_flag=True, help="skip and count lines of text that cannot be read"),
        click.option(
            "--depth", type=click.IntRange(0), help="evaluate only the first DEPTH documents of each query"
        ),
        *(
            click.option(
                f"--{axis}",
                type=click.Choice(CHOICES[axis]),
                metavar="ORDER" if axis == "ties" else None,  # its choices take more than a line
                help=text,
            )
            for axis, text in AXES.items()
        ),
    ],
}
"""The options of every command that reads qrels or runs, in groups."""


def shared(*, without: Collection[str] = ()) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Returns a decorator that gives a command the shared options, and passes their values as ``given``."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def called(**options: Any) -> None:
            command(given=Given.taken(options), **options)

        kept = [option for group, its in SHARED.items() if group not in without for option in its]
        for option in reversed(kept):
            called = option(called)
        return called

    return decorate


@dataclass(frozen=True)
class Given:
    """The options of a command for reading its files, and the options of its policy.

    Args:
        columns: the columns that were named, for ``Qrels.of`` and ``Run.of``, by ``qrels`` and ``run``.
        folders: what files in several folders are.
        exclude: a file of pairs that are taken out of each run.
        policy: the axes that were given; None if none was.
        profile: the profile.
    """

    columns: dict[str, dict[str, Any]] = field(default_factory=dict)
    folders: str | None = None
    exclude: str | None = None
    policy: Policy | None = None
    profile: str | None = None

    @classmethod
    def taken(cls, options: dict[str, Any]) -> Given:
        """Separates the values of the shared options from the other options."""
        columns = {kind: columns_in(options.pop(f"{kind}_columns"), kind) for kind in ("qrels", "run")}
        axes = present({axis: options.pop(axis, None) for axis in ("depth", *AXES)})
        if options.pop("lenient", False):
            axes["malformed"] = "skip"
        rest = {name: options.pop(name, None) for name in ("folders", "exclude", "profile")}
        return cls(columns, policy=Policy(**axes) if axes else None, **rest)

    @property
    def conventions(self) -> dict[str, Any]:
        """Returns the policy and the profile as keyword arguments of karat's functions."""
        return {"policy": self.policy, "profile": self.profile}

    def qrels(self, path: str, measures: Any = None, profile: str | None = None) -> Any:
        """Reads the judgments, by subtopic if a measure needs it. Returns the path if no option concerns qrels."""
        if not self.columns["qrels"] and self.folders is None:
            return path
        from karat.conventions.request import conventions, labelled, needs_groups
        from karat.inputs.qrels import Qrels

        convention, policy = conventions(profile or self.profile, self.policy)
        groups = needs_groups(labelled(measures, convention))
        return Qrels.of(path, policy, subtopics=groups, folders=self.folders, **self.columns["qrels"])

    def run(self, argument: str) -> Run:
        """Opens the run of ``path`` or ``name=path``."""
        from karat.inputs.run import Run

        name, path = split(argument)
        return Run.of(path, name, folders=self.folders, exclude=self.seen, **self.columns["run"])

    @cached_property
    def seen(self) -> Qrels | None:
        """Returns the pairs to exclude from each run. The file is read once."""
        from karat.inputs.qrels import Qrels
        from karat.inputs.run import pairs_of

        return None if self.exclude is None else pairs_of(Qrels.of, self.exclude)


def present(options: dict[str, Any]) -> dict[str, Any]:
    """Returns the options that were given."""
    return {name: value for name, value in options.items() if value is not None}


def refuse_two_readers(*files: str | None) -> None:
    """Refuses standard input for more than one file.

    Raises:
        DataError: standard input is given twice.
    """
    if paths_of(*files).count("-") > 1:
        raise DataError("Standard input ('-') can be read once: give files for the others.")


def paths_of(*files: str | None) -> list[str]:
    """Returns the paths of the files that were given, without names."""
    return [split(each)[1] for each in files if each is not None]


def split(argument: str) -> tuple[str | None, str]:
    """Splits ``name=path``. An existing file with an equals sign in its name counts as a path."""
    name, equals, path = argument.partition("=")
    if not equals or not name or not path or os.sep in name or os.path.exists(argument):
        return None, argument
    from glob import glob

    return (None, argument) if glob(argument) else (name, path)


def columns_known(kind: str) -> tuple[str, ...]:
    """Returns the columns that an option can name."""
    from karat.inputs.columns import ROLES

    return (*ROLES[kind], *(["subtopic"] if kind == "qrels" else []))


def columns_in(text: str | None, kind: str) -> dict[str, Any]:
    """Parses ``what=name,what=name`` for ``Qrels.of`` or ``Run.of``, where ``grade:=1`` is a number.

    Raises:
        DataError: a column that tables do not have, or that is named twice.
    """
    known = columns_known(kind)
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
