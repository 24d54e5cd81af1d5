"""The one place for ties, depth, duplicates and missing queries. Qrels, run and policy in, matches out."""

__all__: list[str] = []
