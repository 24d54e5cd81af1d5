"""Measures batches of scores and grades in arrays (torch, JAX, NumPy …) on their device."""

from karat.tensors.evaluator import Evaluator, evaluate, evaluate_topk

__all__ = ["Evaluator", "evaluate", "evaluate_topk"]
