"""Explanations of scores: derivations, differences between conventions, and problems found in the data."""

__all__: list[str] = []
