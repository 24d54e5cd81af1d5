"""Reads qrels and runs. Paths, dictionaries, frames and tables of engines go in; ``Qrels`` and ``Run`` come out."""

__all__: list[str] = []
