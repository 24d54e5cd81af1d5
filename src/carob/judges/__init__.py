"""Compares judges with each other, and the orders of runs under them.

Input: judgments of two or more judges, runs, or values. Output: `Agreement`, `Correlations`.
"""
