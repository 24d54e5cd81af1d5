"""The words of the parameters that many measures share."""

from __future__ import annotations

from karat.measures.define import OneOf

__all__ = ["DISCOUNT", "GAIN", "IDEAL"]

GAIN = OneOf("linear", "exp2", "binary", "linear(t)", "exp2(t)", "binary(t)")
DISCOUNT = OneOf("log2", "jk(b)", "ln", "log(b)", "rank", "none")
IDEAL = OneOf("judged", "uncut", "length", "retrieved", "depth", "full", "trec_eval")
