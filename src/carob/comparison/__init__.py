"""Compares runs: computes differences, intervals, p-values and a verdict from qrels and runs, or from scores."""

__all__: list[str] = []
