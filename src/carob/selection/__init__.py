"""Selects the best of many runs, and estimates its mean on other queries."""
