"""Measures of batches: arrays of scores and grades (torch, JAX, NumPy …) in, values on the same device out."""

from karat.tensors.evaluator import Evaluator, evaluate, evaluate_topk

__all__ = ["Evaluator", "evaluate", "evaluate_topk"]
