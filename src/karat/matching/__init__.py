"""Matches runs with qrels. Qrels, a run and a policy go in; judged rows, decided and counted, come out."""

__all__: list[str] = []
