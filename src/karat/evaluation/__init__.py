"""Evaluation: scores of runs against qrels, per query and on average, with the decisions of the policy."""

__all__: list[str] = []
