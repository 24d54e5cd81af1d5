"""Compares runs across several collections."""
