"""Lists of grades and a run that numbers are computed of, for the tests of the parts of ``carob.whence``."""

from __future__ import annotations

import math
from typing import Any

GRADES, JUDGED = [0, 3, 0, 1, 2], [3, 2, 2, 1, 0, 0]


def names(found: Any) -> list[tuple[str, str]]:
    return [(each.measure, each.name) for cause in found.causes for each in cause.mistakes]


PROGRAMS = {
    ("nDCG", "binary over threes"): (1 / math.log2(3) + 1 / math.log2(5))
    / (3 * sum(1 / math.log2(i + 1) for i in (1, 2, 3, 4))),
    ("nDCG", "2^grade − 1 over grade"): (7 / math.log2(3) + 1 / math.log2(5))
    / (3 + 2 / math.log2(3) + 2 / 2 + 1 / math.log2(5)),
    ("nDCG", "read from the end"): (2 + 1 / math.log2(3) + 3 / math.log2(5))
    / (3 + 2 / math.log2(3) + 2 / 2 + 1 / math.log2(5)),
    ("nDCG", "discount one rank late"): (3 / 2 + 1 / math.log2(6))
    / (3 / math.log2(3) + 2 / 2 + 2 / math.log2(5) + 1 / math.log2(6)),
    ("RR", "divided by the answers"): 1 / 2 / 4,
    ("RR", "mean over the answers"): (1 / 2 + 1 / 4) / 4,
    ("RR", "sum over the answers"): 1 / 2 + 1 / 4,
    ("RR", "one rank late"): 1 / 3,
    ("RR", "of the mean rank"): 1 / 3,
    ("AP", "every rank"): (0 + 1 / 2 + 1 / 3 + 2 / 4) / 4,
    ("AP", "divided by k"): (1 / 2 + 2 / 4) / 4,
    ("P", "sum of grades"): (3 + 1) / 4,
    ("P", "divided by the list"): 2 / 5,
    ("R", "of the list"): 2 / 3,
    ("F", "arithmetic mean"): (2 / 4 + 2 / 4) / 2,
    ("DCG", "discount by rank"): 3 / 2 + 1 / 4,
}
"""The value of a mistake at depth 4, by hand."""


QRELS = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"d": 1}}
RUN = {"q1": {"b": 3.0, "a": 2.0, "x": 1.0}, "q2": {"x": 2.0, "y": 1.5, "d": 1.0}}
