"""Why a number is what it is. Qrels, runs and a measure in; derivations, differences and findings out."""

__all__: list[str] = []
