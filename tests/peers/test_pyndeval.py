"""pyndeval (the TREC Web track's ndeval) against the measures by subtopic."""

from __future__ import annotations

import random

import pytest

import carob

pyndeval = pytest.importorskip("pyndeval", reason="needs pyndeval, of the extra 'peers'")

OURS = {
    "ERR-IA": "ERRIA(alpha={alpha})",
    "nERR-IA": "nERRIA(alpha={alpha})",
    "alpha-DCG": "alphaDCG(alpha={alpha})",
    "alpha-nDCG": "alphanDCG(alpha={alpha})",
    "NRBP": "NRBP(alpha={alpha},beta={beta})",
    "nNRBP": "nNRBP(alpha={alpha},beta={beta})",
    "P-IA": "PIA",
    "MAP-IA": "APIA",
    "strec": "SRecall",
}


def random_data(seed: int) -> tuple[list[tuple[str, str, str, int]], list[tuple[str, str, float]]]:
    """Judgments with few and many subtopics, some without a relevant document, and runs with unjudged documents."""
    draw, documents = random.Random(seed), [f"d{number}" for number in range(40)]
    qrels, run = [], []
    for query in ("1", "2", "3"):
        for subtopic in range(draw.randint(1, 9)):
            judged = draw.sample(documents, draw.randint(1, 25))
            qrels += [(query, f"s{subtopic}", document, draw.choice([-2, 0, 0, 1, 2])) for document in judged]
        pool = [*documents, *(f"x{number}" for number in range(15))]
        run += [(query, document, draw.random()) for document in draw.sample(pool, draw.randint(1, 45))]
    return qrels, run


@pytest.mark.parametrize(("alpha", "beta"), [(0.5, 0.5), (0.3, 0.8), (1.0, 0.5), (0.0, 0.9)])
@pytest.mark.parametrize("seed", range(8))
def test_every_query_down_to_any_depth_that_it_knows(seed: int, alpha: float, beta: float) -> None:
    qrels, run = random_data(seed)
    whole = ("NRBP", "nNRBP", "MAP-IA")
    # At depth 1 it forgets to divide ERR-IA and alpha-DCG.
    theirs = [name if name in whole else f"{name}@{depth}" for name in OURS for depth in (2, 3, 5, 10, 20)]
    names = {
        name: OURS[name.partition("@")[0]].format(alpha=alpha, beta=beta) + "".join(name.partition("@")[1:])
        for name in theirs
    }
    found = pyndeval.ndeval(qrels, run, list(names), alpha=alpha, beta=beta)
    lines = "".join(f"{query} {subtopic} {document} {grade}\n" for query, subtopic, document, grade in qrels)
    ranked = "".join(f"{query} Q0 {document} 0 {score!r} run\n" for query, document, score in run)
    scores = carob.evaluate(lines.encode(), ranked.encode(), list(names.values()))
    for name, own in names.items():
        its = {query: values[name] for query, values in found.items()}
        # Nothing relevant is 0/0 to it.
        expected = {query: 0.0 if value != value else value for query, value in its.items()}
        assert scores.by_query(own) == pytest.approx(expected, abs=1e-12), name


@pytest.mark.parametrize("seed", range(8))
def test_the_profile_breaks_ties_as_it_does_and_leaves_out_what_it_does(seed: int) -> None:
    qrels, run = random_data(seed)
    draw = random.Random(seed)
    run = [(query, document, float(draw.randint(1, 4))) for query, document, _ in run if query != "2"]
    whole = ("NRBP", "nNRBP", "MAP-IA")
    names = [*whole, *(f"{name}@{depth}" for name in OURS if name not in whole for depth in (2, 5, 20))]
    found = pyndeval.ndeval(qrels, run, names)
    lines = "".join(f"{query} {subtopic} {document} {grade}\n" for query, subtopic, document, grade in qrels)
    ranked = "".join(f"{query} Q0 {document} 0 {score!r} run\n" for query, document, score in run)
    scores = carob.evaluate(lines.encode(), ranked.encode(), names, profile="ndeval")
    for name in names:
        theirs = {query: values[name] for query, values in found.items()}
        assert scores.by_query(name) == pytest.approx(theirs, abs=1e-12, nan_ok=True), name
