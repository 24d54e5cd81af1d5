"""Estimates values and differences from incomplete judgments: takes arrays, and returns estimates and errors."""
