"""Statistics of plain arrays of per-query scores: tests, intervals, corrections and rank correlations.

Rows are queries in a fixed order (sorted by id), and columns are runs. A difference is the first run's score minus the
second's. Modules import only NumPy; functions that need SciPy import it when they are called.
"""

__all__ = ["SEED"]

SEED = 2026
"""The default seed, which is printed below tables."""
