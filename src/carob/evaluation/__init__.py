"""Evaluates runs against qrels: values by query and means, under a policy."""

__all__: list[str] = []
