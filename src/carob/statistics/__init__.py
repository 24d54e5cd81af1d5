"""Statistics on plain arrays of scores by query and run: tests, intervals, corrections and rank correlations.

Rows are queries in a fixed order (sorted by id), columns are runs; a difference is the first run's score minus the
second's. Only NumPy is imported here; functions that need scipy's special functions import them themselves.
"""

__all__ = ["SEED"]

SEED = 2026
"""The default seed; a table's footer prints it."""
