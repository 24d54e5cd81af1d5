"""Explains scores: derivations, differences between conventions, and problems found in the data."""
