"""Which measures are sums over documents."""

from __future__ import annotations

from carob.estimation.sums import is_linear, is_weighted, numerator_of
from carob.measures import parse_measure


def test_which_measures_are_linear() -> None:
    names = ("P@10", "CG@5", "DCG@10", "RBP", "nDCG@10", "AP", "R@10", "RR", "ERR@10", "Success@1")
    assert [name for name in names if is_linear(parse_measure(name))] == ["P@10", "CG@5", "DCG@10"]


def test_a_weight_is_fitted_for_sums_and_for_sums_divided_by_a_known_ideal() -> None:
    names = (
        "P@10",
        "DCG@10",
        "nDCG@10",
        "nDCG(gain=exp2)@5",
        "nCG@5",
        "nDCG(ideal=retrieved)@10",
        "AP",
        "RR",
    )
    fitted = [name for name in names if is_weighted(parse_measure(name))]
    assert fitted == ["P@10", "DCG@10", "nDCG@10", "nDCG(gain=exp2)@5", "nCG@5"]
    assert numerator_of(parse_measure("nDCG(ideal=retrieved)@10")) is None
