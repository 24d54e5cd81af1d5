"""Compares runs over several collections together."""
