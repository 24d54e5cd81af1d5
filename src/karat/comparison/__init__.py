"""Comparison of runs: qrels and runs, or scores, come in; differences, intervals, p and a verdict go out."""

from karat.comparison.compare import compare
from karat.comparison.findings import Caution, Contest, Pair, Settings, Stratum, letter
from karat.comparison.result import Comparison

__all__ = ["Caution", "Comparison", "Contest", "Pair", "Settings", "Stratum", "compare", "letter"]
