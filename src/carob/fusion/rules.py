"""The decisions that a fusion formula leaves open, such as absent documents, equal scores and arithmetic."""

from __future__ import annotations

from dataclasses import field, fields
from typing import Any, Literal, TypeAlias, get_args, get_origin, get_type_hints

from carob._dataclasses import dataclass
from carob.output.errors import refuse_other

Absent: TypeAlias = Literal["left-out", "zero", "lowest"]
Equal: TypeAlias = Literal["0", "0.5", "1", "sign"]
Deviation: TypeAlias = Literal["population", "sample"]

EQUAL_POINTS = {"0": 0.0, "0.5": 0.5, "1": 1.0}


@dataclass(frozen=True)
class Rules:
    """The decisions that a fusion formula leaves open.

    Args:
        absent: what a list contributes to the score of a document that it does not contain. ``left-out``: nothing, and
            the list does not count in means, medians and minima; ``zero``: 0 points, which do count; ``lowest``: the
            points of the last document in the list.
        equal: the points of the documents in a list if all scores are equal, as in a list of one document: ``0``,
            ``0.5``, ``1``, or ``sign``, which is 1 for positive scores and otherwise 0.
        deviation: whether the variance is divided by n (``population``) or by n − 1 (``sample``).
        summation: ``exact`` rounds each sum once, so the order of the runs does not matter; ``left-to-right`` adds in
            the order of the runs.
        precision: ``double``, or ``single``, which rounds the points and every partial sum to single precision.
        floor: the points of documents whose points would be 0 or less; None leaves all points unchanged.
        weighting: whether a weight multiplies the ``points`` of a list or divides the ``position`` of its documents
            (RRF).
        ranks: whether the ranks of a list follow its ``scores`` or its rank ``column``.
        top: ``natural``, or ``one``, which scales RRF so that the first document of every list has 1 point.
        shares: whether the default weight is 1 divided by the number of runs, instead of 1.
    """

    absent: Absent = "left-out"
    equal: Equal = "1"
    deviation: Deviation = "population"
    summation: Literal["exact", "left-to-right"] = "exact"
    precision: Literal["double", "single"] = "double"
    floor: float | None = None
    weighting: Literal["points", "position"] = "points"
    ranks: Literal["scores", "column"] = "scores"
    top: Literal["natural", "one"] = "natural"
    shares: bool = field(default=False)

    def __post_init__(self) -> None:
        """Refuses a value that a rule does not allow."""
        for name, words in CHOICES.items():
            refuse_other(name, getattr(self, name), words)

    def described(self) -> dict[str, Any]:
        """Returns the rules that differ from the defaults, by name."""
        usual = Rules()
        own = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: value for name, value in own.items() if value != getattr(usual, name)}


CHOICES: dict[str, tuple[str, ...]] = {
    name: get_args(kind) for name, kind in get_type_hints(Rules).items() if get_origin(kind) is Literal
}
"""The allowed values of each rule that has a fixed set of values."""
