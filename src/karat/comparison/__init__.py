"""Comparison of runs: computes differences, intervals, p-values and a verdict from qrels and runs, or from scores."""

from karat.comparison.compare import Comparison, compare
from karat.comparison.findings import Caution, Contest, Pair, Settings, Stratum, letter

__all__ = ["Caution", "Comparison", "Contest", "Pair", "Settings", "Stratum", "compare", "letter"]
