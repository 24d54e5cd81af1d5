"""The words of the parameters that many measures share."""

from __future__ import annotations

from math import inf

from karat.measures.define import Number, OneOf

__all__ = [
    "BETA",
    "COUNT",
    "COUNTED",
    "DISCOUNT",
    "GAIN",
    "HIGHEST",
    "IDEAL",
    "KNOWN",
    "PROBABILITY",
    "REL",
    "SHARE",
    "TIMES",
    "UNBOUNDED",
    "WANTED",
]

COUNTED = (0.0, inf)
"""Values of what is counted or added up."""
UNBOUNDED = (-inf, inf)
REL = Number(1)
"""The grade from which on a document is relevant."""
KNOWN = Number(2)
"""The grade from which on the user knew a document."""
PROBABILITY = Number(0.5, 0, 1)
BETA = Number(1, 0, 1e6)
"""How much more one side weighs than the other; its square is computed with."""
TIMES = Number(1, 0, 1e6)
COUNT = Number(10, 1)
"""A number of documents."""
WANTED = Number(1, 0.5, 1e6)
"""How many relevant documents a user wants; of half a one the next document is sure to be the last."""
HIGHEST = Number(1, 0, above=True)
"""The highest grade of a scale, whose gain is the unit."""

GAIN = OneOf("linear", "exp2", "binary", "linear(t)", "exp2(t)", "binary(t)", number=Number(1, 0))
SHARE = OneOf("binary", *(word for word in GAIN.words if word != "binary"), number=GAIN.number)
"""Gains that are shares of the highest grade's: a relevant document is one, unless grades are told apart."""
DISCOUNT = OneOf("log2", "jk(b)", "ln", "log(b)", "rank", "none", number=Number(2, 1, 1e6, above=True))
IDEAL = OneOf("judged", "uncut", "length", "retrieved", "depth", "full", "trec_eval")
