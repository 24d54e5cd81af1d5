"""What several runs are called: each has a name of its own, in every command and function that takes several."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from karat.inputs.files import called
from karat.output.errors import DataError, Worded, worded

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["names_apart", "refuse_alike", "short", "text_name"]

SUFFIXES = (".gz", ".zst", ".bz2", ".xz", ".run", ".txt", ".trec", ".res", ".tsv")


def names_apart(runs: Sequence[Any]) -> list[str]:
    """The names of runs: files of one name in several folders go by their paths, what has none by its number.

    Args:
        runs: each with a name and, where it is a run and not scores, its origin.

    Raises:
        DataError: two runs under one name, which somebody gave them, or one file twice.
    """
    names = [each.name for each in runs]
    found = []
    for number, each in enumerate(runs, 1):
        name = each.name
        if hasattr(each, "origin"):
            path = each.origin.path
            if path is None:
                name = f"run {number}" if name in ("run", "<bytes>") else name
            elif names.count(name) > 1 and name in (short(path), called(path)):
                name = os.path.normpath(path)
        found.append(name)
    refuse_alike(found)
    return found


def refuse_alike(names: Sequence[str]) -> None:
    """Refuse two runs under one name.

    Raises:
        DataError: there are such.
    """
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise DataError(
            worded(
                f"{names.count(twice)} runs are called '{twice}': give each a name of its own, as in ",
                Worded("{'old': run, 'new': run}", "old=a/x.run new=b/x.run"),
                ".",
            )
        )


def text_name(name: object) -> str:
    """What a run is called.

    Raises:
        DataError: it is no text.
    """
    if not isinstance(name, str):
        raise DataError(f"name={name!r}: what tables call a run is text.")
    return name


def short(path: str) -> str:
    """A file's name without the endings that every run has."""
    name = os.path.basename(path)
    while True:
        stem, suffix = os.path.splitext(name)
        if suffix not in SUFFIXES:
            return name
        name = stem
