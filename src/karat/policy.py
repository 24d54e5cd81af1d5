"""The decisions that hold for a whole evaluation: ties, duplicates, missing queries and the like, each by name."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from karat.errors import PolicyError, did_you_mean

__all__ = ["Policy"]

CHOICES: dict[str, tuple[str, ...]] = {
    "ties": ("trec", "ascending", "input", "rank-column", "optimistic", "pessimistic", "error"),
    "scores": ("double", "float32"),
    "duplicates": ("error", "first", "last", "max"),
    "missing": ("zero", "skip", "error"),
    "empty": ("zero", "one", "skip", "nan", "error"),
    "unjudged": ("nonrelevant", "removed"),
    "negative": ("unjudged", "nonrelevant", "error"),
    "malformed": ("error", "skip"),
}


@dataclass(frozen=True)
class Policy:
    """What is decided once for all measures of a call. The defaults are trec_eval's, and errors instead of silence.

    Args:
        ties: the order of documents with equal scores. ``trec``: document id descending by bytes;
            ``ascending``: ascending; ``input``: as the run lists them; ``rank-column``: the run's rank column;
            ``optimistic``, ``pessimistic``: the best and the worst order there is; ``error``: refuse ties that
            touch a judged document.
        scores: ``double``, or ``float32`` (trec_eval up to 9.0.8, pytrec_eval): scores are rounded first.
        duplicates: a document twice in one list, or twice in a query's judgments: ``error``, or keep the
            ``first``, the ``last``, or the one with the highest score (grade): ``max``.
        missing: a query with judgments that the run does not mention: ``zero`` (an empty list), ``skip``, ``error``.
        empty: a query without a relevant document (grade 1 or more): ``zero`` (what the formula gives), ``one``,
            ``skip``, ``nan``, ``error``.
        unjudged: ``nonrelevant``, or ``removed`` from the list before ranks are counted (condensed lists).
        negative: a negative grade: ``unjudged`` (pooled, but not judged), ``nonrelevant`` (grade 0), ``error``.
        depth: how many documents of each list are looked at; None for all.
        malformed: a line that cannot be read: ``error``, or ``skip`` it and count it.

    Raises:
        PolicyError: a value that an axis does not have.

    Example:
        >>> from karat import Policy
        >>> Policy(ties="ascending").describe()
        'ties ascending'
    """

    ties: str = "trec"
    scores: str = "double"
    duplicates: str = "error"
    missing: str = "zero"
    empty: str = "zero"
    unjudged: str = "nonrelevant"
    negative: str = "unjudged"
    depth: int | None = None
    malformed: str = "error"

    def __post_init__(self) -> None:
        """Refuse a value that an axis does not have."""
        for axis, choices in CHOICES.items():
            value = getattr(self, axis)
            if value not in choices:
                hint = did_you_mean(str(value), choices, f"It is one of {', '.join(choices)}.")
                raise PolicyError(f"There is no {axis}={value!r}. {hint}")
        depth: object = self.depth
        if depth is not None and (not isinstance(depth, int) or depth < 0):
            raise PolicyError(
                f"depth={self.depth!r}: a depth is a whole number of documents, or None for all."
            )

    def changed(self, **axes: Any) -> Policy:
        """The same policy with some axes changed."""
        known = [each.name for each in fields(self)]
        for axis in axes:
            if axis not in known:
                raise PolicyError(f"A policy has no axis '{axis}'; it has: {', '.join(known)}.")
        return replace(self, **axes)

    def as_dict(self) -> dict[str, Any]:
        """Every axis with its value."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def describe(self) -> str:
        """``trec`` for the default, else the axes that differ from it."""
        plain = Policy().as_dict()
        differing = [f"{axis} {value}" for axis, value in self.as_dict().items() if value != plain[axis]]
        return ", ".join(differing) or "trec"
