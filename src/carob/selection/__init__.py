"""Chooses the best of many runs, and estimates its value on other queries."""
