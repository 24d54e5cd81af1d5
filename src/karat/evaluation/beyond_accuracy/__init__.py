"""Recommendation beyond accuracy: what part of a catalogue is shown, how evenly, how new, how unlike, how personal."""

from karat.evaluation.beyond_accuracy.measuring import beyond_accuracy
from karat.evaluation.beyond_accuracy.result import Beyond

__all__ = ["Beyond", "beyond_accuracy"]
