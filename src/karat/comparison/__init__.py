"""Comparison of runs: qrels and runs, or scores, come in; differences, intervals, p and a verdict go out."""

from karat.comparison.compare import Comparison, compare
from karat.comparison.findings import Caution, Contest, Pair, Settings, Stratum, letter

__all__ = ["Caution", "Comparison", "Contest", "Pair", "Settings", "Stratum", "compare", "letter"]
