"""The decisions that hold for a whole evaluation: ties, duplicates, missing queries and the like, each by name."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, TypeAlias, get_args

from karat.output.errors import PolicyError, did_you_mean

__all__ = ["Policy"]

Ties: TypeAlias = Literal[
    "trec", "ascending", "input", "rank-column", "rank", "optimistic", "pessimistic", "expected", "error"
]
Widths: TypeAlias = Literal["double", "float32"]
Duplicates: TypeAlias = Literal["error", "first", "last", "max"]
Missing: TypeAlias = Literal["zero", "skip", "nan", "error"]
Empty: TypeAlias = Literal["zero", "one", "skip", "nan", "error"]
Judgments: TypeAlias = Literal["all", "retrieved"]
Unjudged: TypeAlias = Literal["nonrelevant", "negative", "removed"]
Negative: TypeAlias = Literal["unjudged", "nonrelevant", "error"]
Overlap: TypeAlias = Literal["query", "document", "none"]
Retrieved: TypeAlias = Literal["all", "finite"]
Ranks: TypeAlias = Literal["counted", "given"]
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
    "retrieved": get_args(Retrieved),
    "ranks": get_args(Ranks),
    "listing": get_args(Listing),
    "malformed": get_args(Malformed),
}


DEEPEST = 2**53
"""The deepest depth: ranks are doubles, which count up to here."""


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
        missing: a query with judgments that the run does not mention: ``zero`` (an empty list), ``skip``, ``nan``
            (an empty list is undefined then, too), ``error``.
        empty: a query that holds nothing of what a measure looks for, which is a matter of the measure: no grade of
            its ``rel`` or more, no positive gain, or for one that has neither parameter no grade of 1 or more.
            ``zero`` (what the formula gives), ``one``, ``skip``, ``nan``, ``error``.
        judgments: which of them are known: ``all``, or those of ``retrieved`` documents only, as for tools that are
            handed labels and scores row by row.
        unjudged: ``nonrelevant``; ``negative``, which counts the same and says that it is no gap in the judgments, as
            in recommendation; or ``removed`` from the list before ranks are counted (condensed lists).
        negative: a negative grade: ``unjudged`` (pooled, but not judged), ``nonrelevant`` (grade 0), ``error``.
        overlap: what a run has to share with the judgments. ``query``: a query; an empty run is refused, too, and one
            without any judged document is warned of (``karat.DataWarning``). ``document``: a judged document, else it
            is refused. ``none``: nothing, as for parts of a run, which merge.
        retrieved: which documents of a list are: ``all``, or those of a ``finite`` score, where minus infinity says
            "not retrieved" (rax).
        ranks: of a run that has ranks and no scores: ``counted`` from 1 in their order, or as ``given``, gaps and all
            (RecTools): a lone document of rank 9 has ranks 1 to 8 unjudged above it.
        listing: where the run lists a document, whatever its rank: ``ignored``, or ``known`` to the measures that ask
            for it, since some tools' values depend on the order of the rows (``ListedAUC``,
            ``ListedAP``).
        depth: how many documents of each list are looked at; None for all.
        malformed: a line that cannot be read: ``error``, or ``skip`` it and count it.
        by_measure: axes that some measures decide otherwise, ``{"nDCG": {"empty": "one"}}``; ``"RR@"`` is RR with
            a depth, ``"R(over=capped)"`` is R with that parameter. Tools that follow one rule throughout need none.

    Beside a profile the axes that are given here go on top of the profile's policy; the others stay the profile's. A
    policy that gives every axis, such as that of ``Scores``, stands as it is.

    Raises:
        PolicyError: an axis that there is not, or a value that an axis does not have.

    Example:
        >>> from karat import Policy
        >>> Policy(ties="ascending").describe()
        'ties ascending'
        >>> Policy(duplicates="first").over(Policy(missing="skip")).describe()
        'duplicates first, missing skip'
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
    retrieved: Retrieved = "all"
    ranks: Ranks = "counted"
    listing: Listing = "ignored"
    depth: int | None = None
    malformed: Malformed = "error"
    by_measure: Any = ()
    given: frozenset[str] = field(init=False, repr=False, compare=False)

    def __new__(cls, *values: Any, **axes: Any) -> Policy:  # noqa: PYI034 - typing.Self came with Python 3.11
        """Remember which axes were given, also those that were given their default."""
        made = super().__new__(cls)
        object.__setattr__(made, "given", frozenset((*AXES[: len(values)], *axes)))
        return made

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
        if depth is not None and (not isinstance(depth, int) or isinstance(depth, bool) or depth < 1):
            raise PolicyError(
                f"depth={self.depth!r}: a depth is a whole number of documents, from 1 on, or None for all."
            )
        if isinstance(depth, int) and depth > DEEPEST:
            raise PolicyError(f"A depth is at most {DEEPEST} documents, or None for all.")
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
        for axis in axes:
            if axis not in AXES:
                raise PolicyError(f"A policy has no axis '{axis}'; it has: {', '.join(AXES)}.")
        given = self.given | set(axes)
        if "by_measure" not in axes:
            axes["by_measure"] = {
                name: {axis: value for axis, value in its.items() if axis not in axes}
                for name, its in self.exceptions.items()
            }
        made = replace(self, **axes)
        object.__setattr__(made, "given", given)
        return made

    def over(self, base: Policy) -> Policy:
        """The whole policy: the axes that were given here, and those of ``base`` for the rest.

        An axis that was given holds for every measure; ``by_measure`` is added to the exceptions of ``base``.

        Args:
            base: the policy underneath, such as a profile's.
        """
        if self.given.issuperset(AXES):
            return self
        axes = {axis: getattr(self, axis) for axis in AXES if axis in self.given and axis != "by_measure"}
        exceptions = base.changed(**axes).exceptions
        for name, its in self.exceptions.items():
            exceptions[name] = {**exceptions.get(name, {}), **its}
        return replace(base, **axes, by_measure=exceptions)

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
        return {**{axis: getattr(self, axis) for axis in AXES}, "by_measure": self.exceptions}

    def describe(self) -> str:
        """``trec`` for the default, else the axes that differ from it."""
        return ", ".join(self.changes(Policy())) or "trec"

    def changes(self, base: Policy) -> list[str]:
        """The axes that differ from those of another policy, in words."""
        mine, its = self.as_dict(), base.as_dict()
        own, other = mine.pop("by_measure"), its.pop("by_measure")
        found = [f"{axis} {value}" for axis, value in mine.items() if value != its[axis]]
        for name in {**own, **other}:
            here, there = own.get(name, {}), other.get(name, {})
            # An exception that this policy lacks is told only where the axis itself tells nothing of it.
            axes = [axis for axis in {**here, **there} if axis in here or mine[axis] == its[axis]]
            found += [
                f"{name}: {axis} {here.get(axis, mine[axis])}"
                for axis in axes
                if here.get(axis, mine[axis]) != there.get(axis, its[axis])
            ]
        return found


AXES = tuple(each.name for each in fields(Policy) if each.init)
"""The axes by name, in the order of ``Policy``."""
