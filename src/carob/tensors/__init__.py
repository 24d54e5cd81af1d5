"""Measures batches of scores and grades in arrays (torch, JAX, NumPy …) on their device."""

from carob.tensors.evaluator import Evaluator, Ragged, evaluate, evaluate_topk

__all__ = ["Evaluator", "Ragged", "evaluate", "evaluate_topk"]
