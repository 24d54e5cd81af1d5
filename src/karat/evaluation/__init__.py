"""Scores. Qrels, runs and a request in; values per query, means and what was decided out."""

__all__: list[str] = []
