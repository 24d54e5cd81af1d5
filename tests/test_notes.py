"""This file holds karat to the figures of the user's five notes, recomputed from each note's own formula."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from karat import curve, evaluate_grades, evaluate_judged_ranking

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# Note 000: two queries, grades in rank order.
BINARY = [[1, 1, 0, 1, 0, 1], [1, 0, 1, 1]]
GRADED = [[2, 1, 0, 3, 0, 1], [3, 0, 1, 2]]
# Notes 001 and 002: relevant documents at these ranks, of so many.
AT_RANKS = [[1, 1, None, 1, None, None, 1], [1, None, 1, None, 1]]
RELEVANT = [[1] * 4, [1] * 5]
FIRST_AT = [[0, 0, 1], [0, 1], [1]]
FIVE, POOL = [[5, 3, 2, 1, 2]], [[5, 3, 2, 1, 2, 4, 0]]
MIXED = [[1, 0, 2, 2, 1]]
R_PRECISE = [[1] * 17 + [None] * 33, [1] * 7 + [None] * 3]
R_OF = [[1] * 50, [1] * 10]
# Note 003: grades, and hits among five bought.
FIVE_AGAIN, HITS = [[3, 2, 1, 3, 2]], [[1, 0, 0, 1, 0]]
BOUGHT = [[1] * 5]
JK, OWN = "discount=jk(2)", "ideal=retrieved"

# Note, ranked grades, all judged grades or None, measure, value of each query.
ROWS = [
    ("000", BINARY, None, "AP(over=retrieved)", [0.854167, 0.805556]),
    ("000", GRADED, None, "CG@6", [7, 6]),
    ("000", GRADED, None, "DCG@6", [4.279167, 4.361353]),
    ("000", GRADED, None, f"IDCG({OWN})@6", [5.192536, 4.761860]),
    ("000", GRADED, None, f"nDCG({OWN})@6", [0.824100, 0.915893]),
    ("001", AT_RANKS, RELEVANT, "AP", [0.830357, 0.453333]),
    ("001", FIRST_AT, None, "RR", [1 / 3, 1 / 2, 1]),
    ("001", FIVE, POOL, "CG@5", [13]),
    ("001", FIVE, POOL, "DCG(gain=exp2)@5", [38.507743]),
    ("001", FIVE, POOL, "IDCG(gain=exp2)@5", [46.416534]),
    ("001", FIVE, POOL, "nDCG(gain=exp2)@5", [0.829613]),
    ("001", MIXED, None, f"nDCG({OWN})@5", [0.774759]),
    ("001", MIXED, None, f"nDCG(gain=exp2,{OWN})@5", [0.717594]),
    ("002", R_PRECISE, R_OF, "Rprec", [0.34, 0.70]),
    ("002", [[1, 1, 0, 1, 1]], None, "P@5", [0.8]),
    ("002", [[0, 0, None]], [[1, 0, 0]], "RR", [0]),
    ("003", FIVE_AGAIN, None, "CG", [11]),
    ("003", FIVE_AGAIN, None, f"DCG({JK})", [7.992283]),
    ("003", FIVE_AGAIN, None, "DCG(gain=exp2)", [13.568084]),
    ("003", FIVE_AGAIN, None, "DCG", [6.827595]),
    ("003", FIVE_AGAIN, None, f"IDCG({JK},{OWN})", [8.692536]),
    ("003", FIVE_AGAIN, None, f"nDCG({JK},{OWN})", [0.919442]),
    ("003", HITS, BOUGHT, f"nDCG({JK},{OWN})", [0.75]),
    ("003", HITS, BOUGHT, "nDCG@5", [0.485229]),
]
MEANS = [
    (BINARY, None, "AP(over=retrieved)", 0.829861),
    (GRADED, None, "CG@6", 6.5),
    (GRADED, None, "DCG@6", 4.320260),
    (GRADED, None, f"nDCG({OWN})@6", 0.869996),
    (AT_RANKS, RELEVANT, "AP", 0.641845),
    (FIRST_AT, None, "RR", 0.611111),
    (R_PRECISE, R_OF, "Rprec", 0.52),
]
# Note 002: measures at every rank. Its own vector of DCG has lost one entry.
G = [[3, 2, 3, 0, 0, 1, 2, 2, 3, 0]]
VECTORS = {
    "CG": [3, 5, 8, 8, 8, 9, 11, 13, 16, 16],
    f"DCG({JK})": [3, 5, 6.8928, 6.8928, 6.8928, 7.2796, 7.9921, 8.6587, 9.6051, 9.6051],
    "IDCG(discount=none)": [3, 6, 9, 11, 13, 15, 16, 16, 16, 16],
    f"IDCG({JK})": [3, 6, 7.8928, 8.8928, 9.7541, 10.5278, 10.8841, 10.8841, 10.8841, 10.8841],
    "nCG": [1, 0.8333, 0.8889, 0.7273, 0.6154, 0.6, 0.6875, 0.8125, 1, 1],
    f"nDCG({JK})": [1, 0.8333, 0.8733, 0.7751, 0.7067, 0.6915, 0.7343, 0.7955, 0.8825, 0.8825],
}


@pytest.mark.parametrize(("note", "ranked", "judged", "measure", "values"), ROWS)
def test_a_figure_of_a_note(note: str, ranked: list, judged: list | None, measure: str, values: list) -> None:
    scores = evaluate_grades(ranked, [measure], judged)
    assert scores.values[:, 0].tolist() == pytest.approx(values, abs=5.1e-7), note


@pytest.mark.parametrize(("ranked", "judged", "measure", "mean"), MEANS)
def test_a_mean_of_a_note(ranked: list, judged: list | None, measure: str, mean: float) -> None:
    assert evaluate_grades(ranked, [measure], judged)[measure] == pytest.approx(mean, abs=5.1e-7)


@pytest.mark.parametrize("measure", VECTORS)
def test_a_vector_of_note_002(measure: str) -> None:
    found = curve([measure], grades=G)[measure]
    assert found == pytest.approx(VECTORS[measure], abs=5.1e-5)


def test_note_004_on_its_own_file(shared: Callable[..., Path]) -> None:
    qrels = shared("data", "microblog2014", "qrels.microblog2014.txt")
    scores = evaluate_judged_ranking(qrels, profile="note-004")
    assert {name: f"{value:.5f}" for name, value in scores.means().items()} == {
        "MAP": "0.27786",
        "MRR": "0.18739",
        "NDCG": "0.59977",
    }
