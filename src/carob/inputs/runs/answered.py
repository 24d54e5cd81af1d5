"""Runs with empty lists. A query with an empty list has no row, but it is answered, not missing."""

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
    """The match of a run in which queries with an empty list count as answered, not as missing.

    Args:
        found: the match of the run's rows.
        judged: the ids of the judged queries.
        answered: the queries that the run answers, including queries with an empty list.
    """

    def __init__(self, found: Found, judged: Sequence[bytes], answered: frozenset[bytes]) -> None:
        self.found = found
        self.length = np.array(found.length)
        for place in np.flatnonzero(self.length < 0).tolist():
            if judged[place] in answered:
                self.length[place] = 0
        extra: Any = found.extra  # from an engine, it contains no ids
        more = answered.difference(judged, extra) if isinstance(extra, list) else ()
        self.extra = sorted({*extra, *more}) if more else extra

    def __getattr__(self, name: str) -> Any:
        """Returns any other attribute of the match of the rows."""
        return getattr(self.found, name)


@dataclass(frozen=True, eq=False, repr=False)
class RunWithEmptyLists(Wrapper):
    """A run that may contain empty lists.

    Args:
        answered: the queries that the run answers. It must contain at least the queries with an empty list.
    """

    answered: frozenset[bytes]

    def match(self, judgments: _native.Judgments, options: MatchOptions) -> Found:
        """Returns the rows of judged documents."""
        found = self.held.match(judgments, options)
        if not self.answered:
            return found
        return cast("Found", MatchWithEmptyLists(found, judgments.queries, self.answered))
