"""The policy of an evaluation: how to treat ties, duplicates, missing queries and similar cases."""

from __future__ import annotations

from dataclasses import field, fields
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args, get_origin, get_type_hints

from carob._dataclasses import dataclass, replace
from carob.output.errors import PolicyError, did_you_mean, refuse_other

if TYPE_CHECKING:
    from collections.abc import Iterable

    from carob.measures import Measure

Ties: TypeAlias = Literal[
    "trec", "ascending", "input", "rank-column", "rank", "optimistic", "pessimistic", "expected", "error"
]

DEEPEST = 2**53
"""The largest depth: ranks are doubles, which are exact up to this number."""


@dataclass(frozen=True)
class Policy:
    """The decisions that apply to all measures in a call.

    The defaults match trec_eval's behaviour, except that errors in the data raise an exception.

    Args:
        ties: the order of documents with equal scores. ``trec`` orders them by document id, descending by bytes, and
            ``ascending`` by document id, ascending. ``input`` keeps the order of the run's lines. ``rank-column`` or
            ``rank`` uses the run's rank column. ``optimistic`` and ``pessimistic`` choose the best and the worst order.
            ``expected`` computes the mean over all orders or a sample of them. ``error`` refuses ties that involve a
            judged document.
        scores: ``double``, or ``float32`` to round scores to single precision first (trec_eval up to 9.0.8,
            pytrec_eval).
        duplicates: the treatment of a document that occurs twice in a list or in a query's judgments: ``error``, or
            keep the ``first``, the ``last``, or the one with the highest score or grade (``max``).
        missing: the treatment of a judged query that is missing from the run: ``zero`` (an empty list), ``skip``,
            ``nan`` (which also makes empty lists undefined) or ``error``.
        empty: the treatment of a query without relevant documents: ``zero`` (the formula's value), ``one``, ``skip``,
            ``nan`` or ``error``. Relevant means a grade of at least the measure's ``rel``, a positive gain or, for a
            measure without these parameters, a grade of at least 1.
        judgments: the judgments to treat as known: ``all``, or only those for ``retrieved`` documents, as in tools that
            receive labels and scores row by row.
        unjudged: the treatment of unjudged documents: ``nonrelevant``; ``negative``, which gives the same values but
            does not count as a gap in the judgments, as in recommendation; or ``removed`` before ranks are counted
            (condensed lists), but after the lists are cut at ``depth``. A name such as ``AP(unjudged=removed)`` sets
            the treatment for one measure only.
        negative: the meaning of a negative grade: ``unjudged`` (pooled, but not judged), ``nonrelevant`` (grade 0) or
            ``error``.
        overlap: what a run must have in common with the judgments. ``query`` requires a query: an empty run is refused,
            and a run without any judged document causes a warning (``carob.DataWarning``). ``document`` requires a
            judged document. ``none`` requires nothing, for parts of a run that are merged later.
        retrieved: ``all`` documents of a list, or only those with a ``finite`` score, where minus infinity means "not
            retrieved" (rax).
        ranks: how to rank a run that has ranks instead of scores: ``counted`` from 1 in the order of the given ranks,
            or as ``given``, with gaps (RecTools). With ``given``, a gap counts as unjudged documents: above a single
            document with rank 9, there are 8 of them.
        listing: the order of the run's lines: ``ignored``, or ``known`` to the measures that use it (``ListedAUC``,
            ``ListedAP``), because the values in some tools depend on this order.
        depth: the number of documents of each list that count; None for all. Lists are cut before unjudged documents
            are removed (``unjudged="removed"``), as with trec_eval's -M and -J. The depth in a measure's name, such as
            ``@10``, counts the remaining documents.
        malformed: the treatment of a line that cannot be read: ``error``, or ``skip`` the line and count it.
        columns: how to split lines of text into columns. ``equal`` refuses a line of a run whose number of columns
            differs from the first line's. It separates columns by tabs if a line contains tabs, so an id may contain a
            space. ``trec_eval`` separates columns by any whitespace, and ignores all columns after the sixth in a run.
        by_measure: exceptions for some measures, ``{"nDCG": {"empty": "one"}}``; ``"RR@"`` is RR with a depth,
            ``"R(over=capped)"`` is R with that parameter.

    With a profile, the settings given here override the profile's settings, and all other settings come from the
    profile. A policy in which every setting is given, such as the policy of ``Scores``, replaces the profile's policy
    completely.

    Raises:
        PolicyError: a setting does not exist, or a value is not allowed.

    Example:
        >>> from carob import Policy
        >>> Policy(ties="ascending").describe()
        'ties ascending'
        >>> Policy(duplicates="first").over(Policy(missing="skip")).describe()
        'duplicates first, missing skip'
    """

    ties: Ties = "trec"
    scores: Literal["double", "float32"] = "double"
    duplicates: Literal["error", "first", "last", "max"] = "error"
    missing: Literal["zero", "skip", "nan", "error"] = "zero"
    empty: Literal["zero", "one", "skip", "nan", "error"] = "zero"
    judgments: Literal["all", "retrieved"] = "all"
    unjudged: Literal["nonrelevant", "negative", "removed"] = "nonrelevant"
    negative: Literal["unjudged", "nonrelevant", "error"] = "unjudged"
    overlap: Literal["query", "document", "none"] = "query"
    retrieved: Literal["all", "finite"] = "all"
    ranks: Literal["counted", "given"] = "counted"
    listing: Literal["ignored", "known"] = "ignored"
    depth: int | None = None
    malformed: Literal["error", "skip"] = "error"
    columns: Literal["equal", "trec_eval"] = "equal"
    by_measure: Any = ()
    given: frozenset[str] = field(init=False, repr=False, compare=False)

    def __new__(cls, *values: Any, **axes: Any) -> Policy:  # noqa: PYI034 - typing.Self came with Python 3.11
        """Records which settings were given, even if the given value is the default."""
        refuse_unknown(axes)
        made = super().__new__(cls)
        object.__setattr__(made, "given", frozenset((*AXES[: len(values)], *axes)))
        return made

    def __post_init__(self) -> None:
        """Refuses a value that a setting does not allow."""
        if self.ties == "rank":
            object.__setattr__(self, "ties", "rank-column")
        refuse_values({axis: getattr(self, axis) for axis in (*CHOICES, "depth")})
        exceptions = self.exceptions
        for axes in exceptions.values():
            refuse_unknown(axes)
            refuse_values(axes)
        # The dicts that the caller passed become pairs, so that a policy can be hashed.
        kept = tuple((name, tuple(axes.items())) for name, axes in exceptions.items() if axes)
        object.__setattr__(self, "by_measure", kept)

    @property
    def exceptions(self) -> dict[str, dict[str, Any]]:
        """The exceptions for individual measures, as dicts."""
        return {name: dict(axes) for name, axes in dict(self.by_measure).items()}

    def changed(self, **axes: Any) -> Policy:
        """Returns the policy with some settings changed for every measure."""
        refuse_unknown(axes)
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
        """Returns the complete policy: the settings given here, and all other settings from ``base``.

        A given setting applies to every measure, even if ``base`` has an exception. ``by_measure`` is added to the
        exceptions of ``base``.

        Args:
            base: the policy that supplies all other settings, such as the policy of a profile.
        """
        if self.given.issuperset(AXES):
            return self
        axes = {axis: getattr(self, axis) for axis in AXES if axis in self.given and axis != "by_measure"}
        exceptions = base.changed(**axes).exceptions
        for name, its in self.exceptions.items():
            exceptions[name] = {**exceptions.get(name, {}), **its}
        return replace(base, **axes, by_measure=exceptions)

    def of_measure(self, measure: Measure) -> Policy:
        """Returns the policy for one measure. The most specific exception wins, unless the name itself has the setting.

        Args:
            measure: the measure, such as ``R(over=capped)@10`` or ``AP(unjudged=removed)``.
        """
        exceptions = self.exceptions
        if not exceptions and not measure.settings:
            return self
        whole, at, _ = str(measure.plain).partition("@")
        name = whole.partition("(")[0]
        keys = [name, f"{name}@"[: len(name) + len(at)], whole, f"{whole}@"[: len(whole) + len(at)]]
        mine = {axis: value for key in keys for axis, value in exceptions.get(key, {}).items()}
        return replace(self, **{**mine, **measure.settings}, by_measure=())

    def of_each(self, measures: Iterable[Measure]) -> list[Policy]:
        """Returns the policy for each of several measures."""
        return [self.of_measure(measure) for measure in measures]

    def as_dict(self) -> dict[str, Any]:
        """Returns every setting with its value."""
        return {**{axis: getattr(self, axis) for axis in AXES}, "by_measure": self.exceptions}

    def describe(self) -> str:
        """Returns ``trec`` for the default policy, or the settings that differ from the default policy."""
        return ", ".join(self.changes(Policy())) or "trec"

    def changes(self, base: Policy) -> list[str]:
        """Returns descriptions of the settings that differ from another policy."""
        mine, its = self.as_dict(), base.as_dict()
        own, other = mine.pop("by_measure"), its.pop("by_measure")
        found = [f"{axis} {value}" for axis, value in mine.items() if value != its[axis]]
        for name in {**own, **other}:
            here, there = own.get(name, {}), other.get(name, {})
            # An exception that only the other policy has is listed if both policies have the same value for the setting
            # itself.
            axes = [axis for axis in {**here, **there} if axis in here or mine[axis] == its[axis]]
            found += [
                f"{name}: {axis} {here.get(axis, mine[axis])}"
                for axis in axes
                if here.get(axis, mine[axis]) != there.get(axis, its[axis])
            ]
        return found


def refuse_unknown(axes: Iterable[str]) -> None:
    """Refuses names that are not settings.

    Raises:
        PolicyError: a name is not a setting.
    """
    for axis in axes:
        if axis not in AXES:
            hint = did_you_mean(axis, AXES, f"Its settings are: {', '.join(AXES)}.")
            raise PolicyError(f"A policy has no setting '{axis}'. {hint}")


def refuse_values(axes: dict[str, Any]) -> None:
    """Refuses a value that a setting does not allow.

    Raises:
        PolicyError: a value is not allowed.
    """
    for axis, value in axes.items():
        if value in CHOICES.get(axis, ()):
            continue
        if axis in CHOICES:
            refuse_other(axis, value, CHOICES[axis])
        elif axis == "by_measure":
            raise PolicyError("by_measure: the exceptions for a measure cannot contain by_measure.")
        elif value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
            raise PolicyError(
                f"depth={value!r}: a depth is a whole number of at least 1, or None for all documents."
            )
        elif isinstance(value, int) and value > DEEPEST:
            raise PolicyError(f"depth={value}: a depth is at most {DEEPEST} documents, or None for all.")


AXES = tuple(each.name for each in fields(Policy) if each.init)
"""The names of all settings, in the order of ``Policy``."""

CHOICES = {
    axis: get_args(kind) for axis, kind in get_type_hints(Policy).items() if get_origin(kind) is Literal
}
"""The allowed values of each setting that is limited to a few words."""
