"""The decisions that hold for a whole evaluation: ties, duplicates, missing queries and the like, each by name."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Literal, TypeAlias, get_args

from karat.errors import PolicyError, did_you_mean

__all__ = ["Policy"]

Ties: TypeAlias = Literal[
    "trec", "ascending", "input", "rank-column", "rank", "optimistic", "pessimistic", "expected", "error"
]
Widths: TypeAlias = Literal["double", "float32"]
Duplicates: TypeAlias = Literal["error", "first", "last", "max"]
Missing: TypeAlias = Literal["zero", "skip", "nan", "error"]
Empty: TypeAlias = Literal["zero", "one", "skip", "nan", "error"]
Judgments: TypeAlias = Literal["all", "retrieved"]
Unjudged: TypeAlias = Literal["nonrelevant", "removed"]
Negative: TypeAlias = Literal["unjudged", "nonrelevant", "error"]
Overlap: TypeAlias = Literal["query", "document", "none"]
Listing: TypeAlias = Literal["ignored", "known"]
Malformed: TypeAlias = Literal["error", "skip"]

CHOICES: dict[str, tuple[str, ...]] = {
    "ties": get_args(Ties),
    "scores": get_args(Widths),
    "duplicates": get_args(Duplicates),
    "missing": get_args(Missing),
    "empty": get_args(Empty),
    "judgments": get_args(Judgments),
    "unjudged": get_args(Unjudged),
    "negative": get_args(Negative),
    "overlap": get_args(Overlap),
    "listing": get_args(Listing),
    "malformed": get_args(Malformed),
}


@dataclass(frozen=True)
class Policy:
    """What is decided once for all measures of a call. The defaults are trec_eval's, and errors instead of silence.

    Args:
        ties: the order of documents with equal scores. ``trec``: document id descending by bytes;
            ``ascending``: ascending; ``input``: as the run lists them; ``rank-column`` or ``rank``: the run's rank
            column; ``optimistic``, ``pessimistic``: the best and the worst order there is; ``expected``: the mean
            over all orders, exactly or from a sample of them; ``error``: refuse ties that touch a judged document.
        scores: ``double``, or ``float32`` (trec_eval up to 9.0.8, pytrec_eval): scores are rounded first.
        duplicates: a document twice in one list, or twice in a query's judgments: ``error``, or keep the
            ``first``, the ``last``, or the one with the highest score (grade): ``max``.
        missing: a query with judgments that the run does not mention: ``zero`` (an empty list), ``skip``, ``nan``,
            ``error``.
        empty: a query without a relevant document (grade 1 or more): ``zero`` (what the formula gives), ``one``,
            ``skip``, ``nan``, ``error``.
        judgments: which of them are known: ``all``, or those of ``retrieved`` documents only, as for tools that are
            handed labels and scores row by row.
        unjudged: ``nonrelevant``, or ``removed`` from the list before ranks are counted (condensed lists).
        negative: a negative grade: ``unjudged`` (pooled, but not judged), ``nonrelevant`` (grade 0), ``error``.
        overlap: what a run has to share with the judgments. ``query``: a query; an empty run is refused, too, and one
            without any judged document is warned of (``karat.DataWarning``). ``document``: a judged document, else it
            is refused. ``none``: nothing, as for parts of a run, which merge.
        listing: where the run lists a document, whatever its rank: ``ignored``, or ``known`` to the measures that ask
            for it, since some tools' values depend on the order of the rows (``ListedAUC``,
            ``ListedAP``).
        depth: how many documents of each list are looked at; None for all.
        malformed: a line that cannot be read: ``error``, or ``skip`` it and count it.
        by_measure: axes that some measures decide otherwise, ``{"nDCG": {"empty": "one"}}``; ``"RR@"`` is RR with
            a depth, ``"R(over=capped)"`` is R with that parameter. Tools that follow one rule throughout need none.

    Raises:
        PolicyError: an axis that there is not, or a value that an axis does not have.

    Example:
        >>> from karat import Policy
        >>> Policy(ties="ascending").describe()
        'ties ascending'
    """

    ties: Ties = "trec"
    scores: Widths = "double"
    duplicates: Duplicates = "error"
    missing: Missing = "zero"
    empty: Empty = "zero"
    judgments: Judgments = "all"
    unjudged: Unjudged = "nonrelevant"
    negative: Negative = "unjudged"
    overlap: Overlap = "query"
    listing: Listing = "ignored"
    depth: int | None = None
    malformed: Malformed = "error"
    by_measure: Any = ()

    def __post_init__(self) -> None:
        """Refuse a value that an axis does not have."""
        if self.ties == "rank":
            object.__setattr__(self, "ties", "rank-column")
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
        exceptions = self.exceptions
        object.__setattr__(self, "by_measure", ())
        for axes in exceptions.values():
            self.changed(**axes)
        # Pairs instead of the dicts that are given, so that a policy can be hashed.
        kept = tuple((name, tuple(axes.items())) for name, axes in exceptions.items() if axes)
        object.__setattr__(self, "by_measure", kept)

    @property
    def exceptions(self) -> dict[str, dict[str, Any]]:
        """``by_measure`` as it is written."""
        return {name: dict(axes) for name, axes in dict(self.by_measure).items()}

    def changed(self, **axes: Any) -> Policy:
        """The same policy with some axes changed, for every measure."""
        known = [each.name for each in fields(self)]
        for axis in axes:
            if axis not in known:
                raise PolicyError(f"A policy has no axis '{axis}'; it has: {', '.join(known)}.")
        if "by_measure" not in axes:
            axes["by_measure"] = {
                name: {axis: value for axis, value in its.items() if axis not in axes}
                for name, its in self.exceptions.items()
            }
        return replace(self, **axes)

    def of_measure(self, measure: str) -> Policy:
        """The policy under which one measure stands; the most special exception rules.

        Args:
            measure: its full name, such as ``R(over=capped)@10``.
        """
        exceptions = self.exceptions
        if not exceptions:
            return self
        whole, at, _ = measure.partition("@")
        name = whole.partition("(")[0]
        keys = [name, f"{name}@"[: len(name) + len(at)], whole, f"{whole}@"[: len(whole) + len(at)]]
        mine = {axis: value for key in keys for axis, value in exceptions.get(key, {}).items()}
        return replace(self, **mine, by_measure=())

    def as_dict(self) -> dict[str, Any]:
        """Every axis with its value."""
        axes = {each.name: getattr(self, each.name) for each in fields(self)}
        return {**axes, "by_measure": self.exceptions}

    def describe(self) -> str:
        """``trec`` for the default, else the axes that differ from it."""
        plain, mine = Policy().as_dict(), self.as_dict()
        exceptions = mine.pop("by_measure")
        differing = [f"{axis} {value}" for axis, value in mine.items() if value != plain[axis]]
        differing += [
            f"{name}: {axis} {value}" for name, its in exceptions.items() for axis, value in its.items()
        ]
        return ", ".join(differing) or "trec"
