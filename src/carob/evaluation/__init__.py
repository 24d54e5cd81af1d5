"""Evaluates runs against qrels: per-query scores and means, under a policy."""

__all__: list[str] = []
