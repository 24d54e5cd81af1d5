"""Conventions of an evaluation: policies, profiles and requests. Names and options in, decisions out."""

__all__: list[str] = []
