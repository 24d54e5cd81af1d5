"""Builds the commands that show how an explanation computes a number."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, Any

from carob._dataclasses import dataclass
from carob.conventions.policy import Policy
from carob.diagnosis.whence.candidates import at_depth
from carob.evaluation.engine import nested
from carob.measures.define import as_typed

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from carob.diagnosis.whence.candidates import Possibility


@dataclass(frozen=True)
class ShownCommands:
    """The command-line words that specify the data.

    Args:
        files: the judgments and the run; empty for lists of grades.
        queries: the queries.
        lists: the options with the grades of each list.
    """

    files: tuple[str, ...]
    queries: tuple[str, ...]
    lists: tuple[tuple[str, ...], ...]

    def of(self, computed: Sequence[tuple[Possibility, Policy | None, int]]) -> str:
        """Returns the commands, joined by ``&&``, that derive values of single lists or compute means over several.

        Args:
            computed: for each number, the candidate that computes it, the settings that matter for the data (None for a
                mistake), and the index of the number's list.
        """
        shared = set.intersection(*({name for name, _ in each.variant.sources} for each, _, _ in computed))
        means: dict[str, list[str]] = {}
        found: dict[str, None] = {}
        for candidate, policy, place in computed:
            name, profile = label_of(candidate, policy, shared)
            options = [] if profile in ("", "carob") else ["--profile", profile]
            if self.files and not self.queries:
                means.setdefault(profile, []).append(name)
            elif self.files:
                words = [name, *self.files, "--query", self.queries[place], *options]
                found[shlex.join(["carob", "explain", *words])] = None
            else:
                found[shlex.join(["carob", "explain", name, *self.lists[place], *options])] = None
        for profile, names in means.items():
            asked = [word for name in dict.fromkeys(names) for word in ("-m", name)]
            options = [] if profile in ("", "carob") else ["--profile", profile]
            found[shlex.join(["carob", "eval", *self.files, *asked, *options])] = None
        return " && ".join(found)


def label_of(candidate: Possibility, policy: Policy | None, shared: Container[str]) -> tuple[str, str]:
    """Returns the name of the measure, and the profile under which it has this meaning.

    A convention under carob's default policy gets carob's name. Any other convention gets the name in the most common
    profile, if possible a profile that all numbers share.

    A mistake has no name of its own, so its command derives a measure with the same formula or, without one, the
        measure that the program claims to compute.
    """
    variant = candidate.variant
    if variant.mistake is not None:
        return at_depth(variant.mistake.same or variant.mistake.of, candidate.depth), ""
    if policy == Policy():
        return str(variant.at(candidate.depth)), ""
    profile, label = next((each for each in variant.sources if each[0] in shared), variant.sources[0])
    return (at_depth(label, candidate.depth) if variant.deep else label), profile


def command_for(
    qrels: Any, run: Any, query: str | Sequence[str] | None, grades: Any, judged: Any
) -> ShownCommands:
    """Returns the command-line words for the data of a call. Data in memory are shown as placeholders."""
    queries = () if query is None else (query,) if isinstance(query, str) else tuple(query)
    if grades is None:
        files = tuple(
            name_of(each, other) for each, other in ((qrels, "QRELS"), (run, "RUN")) if each is not None
        )
        return ShownCommands(files, queries, ())
    lists, pools = nested(grades), [None] if judged is None else nested(judged)
    options = [
        ("--grades", grades_as_typed(its)) + (() if pool is None else ("--judged", grades_as_typed(pool)))
        for its, pool in zip(lists, pools * len(lists) if judged is None else pools, strict=False)
    ]
    return ShownCommands((), (), tuple(options))


def name_of(given: Any, placeholder: str) -> str:
    """Returns the path of a file, or a placeholder for other data."""
    name = getattr(getattr(given, "origin", None), "path", given)
    return (
        os.fspath(name)
        if isinstance(name, (str, os.PathLike)) and not str(name).startswith("<")
        else placeholder
    )


def grades_as_typed(grades: Sequence[float | None]) -> str:
    """Formats grades as a user would type them."""
    return ",".join("?" if each is None else as_typed(each) for each in grades)
