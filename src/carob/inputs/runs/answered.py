"""Runs with empty lists, for which their form has no row: a query with one is answered, not missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from carob._dataclasses import dataclass
from carob._numpy import np
from carob.inputs.runs import Wrapper

if TYPE_CHECKING:
    from collections.abc import Sequence

    from carob import _native
    from carob.inputs.runs import Found, MatchOptions


class MatchWithEmptyLists:
    """A match of a run's rows, in which no query is missing that the run answers.

    Args:
        found: the match of the rows.
        judged: the ids of the judged queries.
        answered: the queries that the run answers.
    """

    def __init__(self, found: Found, judged: Sequence[bytes], answered: frozenset[bytes]) -> None:
        self.found = found
        self.length = np.array(found.length)
        for place in np.flatnonzero(self.length < 0).tolist():
            if judged[place] in answered:
                self.length[place] = 0
        extra: Any = found.extra  # of an engine, without names
        more = answered.difference(judged, extra) if isinstance(extra, list) else ()
        self.extra = sorted({*extra, *more}) if more else extra

    def __getattr__(self, name: str) -> Any:
        """Returns everything else as the match of the rows has it."""
        return getattr(self.found, name)


@dataclass(frozen=True, eq=False, repr=False)
class RunWithEmptyLists(Wrapper):
    """The rows of a run that may have empty lists.

    Args:
        answered: the queries that the run answers, at least those with an empty list.
    """

    answered: frozenset[bytes]

    def match(self, judgments: _native.Judgments, options: MatchOptions) -> Found:
        """Returns the rows of judged documents."""
        found = self.held.match(judgments, options)
        if not self.answered:
            return found
        return cast("Found", MatchWithEmptyLists(found, judgments.queries, self.answered))
