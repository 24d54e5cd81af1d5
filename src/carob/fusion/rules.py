"""The decisions that a fusion formula leaves open: absent documents, equal scores, the deviation, the arithmetic."""

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
        absent: what a list contributes to a document that it lacks. ``left-out``: nothing, and the list does not count
            in means, medians and minima; ``zero``: 0 points, which count; ``lowest``: the points of the last document
            of the list.
        equal: the points of documents in a list whose scores are all equal, as in a list with one document: ``0``,
            ``0.5``, ``1``, or ``sign``, which is 1 for positive scores and else 0.
        deviation: the standard deviation divides by n (``population``) or by n − 1 (``sample``).
        summation: ``exact`` rounds each sum once, so that the order of the runs changes nothing; ``left-to-right`` adds
            in the order of the runs.
        precision: ``double``, or ``single``, which rounds the points and every partial sum to single precision.
        floor: the points of documents whose points would be 0 or less; None changes no points.
        weighting: a weight multiplies the ``points`` of a list, or divides the ``position`` of its documents (RRF).
        ranks: the ranks of a list are counted in the order of its ``scores``, or in the order of its rank ``column``.
        top: ``natural``, or ``one``, which scales RRF so that the first document of every list has 1 (RRF).
        shares: whether weights that are not given are 1 over the number of runs, and not 1.
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
        """Refuses a word that a rule does not have."""
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
"""The words of each rule that has a few."""
