"""The commands that show how an explanation computes a number."""

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
    """The words of a command that name the data.

    Args:
        files: the judgments and the run; none for lists of grades.
        queries: the queries.
        lists: the options with the grades of each list.
    """

    files: tuple[str, ...]
    queries: tuple[str, ...]
    lists: tuple[tuple[str, ...], ...]

    def of(self, computed: Sequence[tuple[Possibility, Policy | None, int]]) -> str:
        """Returns the commands, joined by ``&&``: derivations of single lists, or the means over several.

        Args:
            computed: for each number, what computes it, the settings that matter for the data (None for a mistake),
                and the place of the number's list.
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
    """Returns the name of the measure, and the profile that it needs.

    A convention without separate settings has carob's name, and any other the name of the most common profile, if
    possible of one that the numbers share.

    A mistake has no separate name: its command derives the same formula, or the one that it replaces.
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
    """Returns the words of the commands for the data of a call. Data in memory have placeholders."""
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
    """Returns grades as a user types them."""
    return ",".join("?" if each is None else as_typed(each) for each in grades)
