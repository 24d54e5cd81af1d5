"""Determines which measures are sums over documents of a list, or such sums divided by the ideal ranking's sum."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from carob._dataclasses import replace
from carob._numpy import np
from carob.evaluation.values import values_of
from carob.lists.rows import JudgedRows, joined

if TYPE_CHECKING:
    from carob.measures import Measure

UNDER_A_SCALE = {"nDCG": "DCG", "nCG": "CG"}
"""The measures that divide a sum over documents by its value for the ideal ranking, and the measure of this sum."""

KNOWN_PARAMETERS = frozenset({"rel", "gain", "discount", "beta", "max", "p"})
"""Parameters that change neither which documents an ideal ranking contains nor on what a document's gain depends."""


def has_known_parameters(measure: Measure) -> bool:
    """Returns whether all parameters of a measure are in ``KNOWN_PARAMETERS``."""
    return {name for name, _ in measure.parameters} <= KNOWN_PARAMETERS


def numerator_of(measure: Measure) -> Measure | None:
    """Returns the measure that is the numerator of a measure divided by its ideal value, such as DCG for nDCG, or None.

    Example:
        >>> from carob.measures import parse_measure
        >>> [str(numerator_of(parse_measure(name))) for name in ("nDCG@10", "AP")]
        ['DCG', 'None']
    """
    name = UNDER_A_SCALE.get(measure.name)
    return (
        type(measure)(name, measure.parameters)
        if name is not None and has_known_parameters(measure)
        else None
    )


def is_weighted(measure: Measure) -> bool:
    """Returns whether λ can be fitted, as for sums over documents and for such sums divided by a fixed ideal value."""
    return is_linear(numerator_of(measure) or measure)


def is_linear(measure: Measure) -> bool:
    """Returns whether a measure is a sum over the retrieved documents, each term of which depends on no other judgment.

    Example:
        >>> from carob.measures import parse_measure
        >>> names = ("P@10", "DCG@10", "nDCG@10", "nDCG(ideal=retrieved)@10", "AP")
        >>> [is_linear(parse_measure(name)) for name in names]
        [True, True, False, False, False]
    """
    if not measure.additive:
        return False
    one, two = np.ones(1), np.array([1.0, 2.0])
    alone = JudgedRows(one, np.array([0, 1]), one, 2 * one, one, one, np.array([0, 1]), 2 * one)
    # The pool contains other grades, because a measure may scale gains by the lowest and the highest grade, as RBP
    # does.
    among = replace(alone, judged_offsets=np.array([0, 4]), judged_grades=np.array([2.0, 1.0, 5.0, 0.0]))
    both = JudgedRows(2 * one, np.array([0, 2]), two, two, two, two, np.array([0, 2]), two)
    parts = [replace(both, grade=two * kept) for kept in ((1, 0), (0, 1))]
    rows = joined([alone, among, *parts, both], np.arange(5))
    own, own_among_others, first, second, together = values_of(rows, [measure])[:, 0].tolist()
    return own == own_among_others and math.isclose(first + second, together)
