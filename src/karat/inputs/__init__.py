"""Qrels and runs from files, dicts, frames and engines. A user's data in; judged rows, ranked documents out."""

__all__: list[str] = []
