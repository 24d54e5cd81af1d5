"""Evaluates runs against qrels: computes per-query scores and means under a policy."""

__all__: list[str] = []
