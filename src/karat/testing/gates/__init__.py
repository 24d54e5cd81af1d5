"""Gates: whether a run has got worse than its baseline, by more than is tolerated and by more than chance."""

from karat.testing.gates.checks import Check, Moved
from karat.testing.gates.deciding import gate
from karat.testing.gates.result import Gate

__all__ = ["Check", "Gate", "Moved", "gate"]
