"""Batches of scores and grades in arrays, on their device: ``karat.tensors.evaluate``."""

from karat.tensors.evaluator import Evaluator, evaluate, evaluate_topk

__all__ = ["Evaluator", "evaluate", "evaluate_topk"]
