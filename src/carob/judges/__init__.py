"""Compares judges with each other, and the orders of runs that result from their judgments.

Input: judgments of two or more judges, runs, or values. Output: `Agreement`, `Correlations`.
"""
