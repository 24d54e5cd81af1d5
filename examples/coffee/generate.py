"""Generates a small collection with judgments by people and by a model: ``python examples/coffee/generate.py``.

The model is generous, and it likes the style of the documents that the run ``dense`` finds. People judged all documents
of 20 queries, which were drawn at random, and 150 single documents of all queries, which were drawn with probabilities.
``complete.txt`` has people's judgments of everything, which nobody has outside an example.
"""

from __future__ import annotations

import math
from itertools import accumulate
from pathlib import Path
from random import Random

QUERIES, DOCUMENTS, DEPTH = 60, 24, 15
WHOLE, SINGLE = 20, 150
"""The numbers of queries and of single documents that people judged."""

FOLDER = Path(__file__).resolve().parent

RUNS = {"keyword": (0.8, 0.0), "dense": (0.9, 0.9), "hybrid": (1.15, 0.35)}
"""How much the score of a document in each run depends on its relevance, and on its style."""


def normal(draw: Random) -> float:
    """Returns a normal random number (Box and Muller), which is the same in every version of Python."""
    return math.sqrt(-2 * math.log(1 - draw.random())) * math.cos(2 * math.pi * draw.random())


def grade_of(value: float) -> int:
    """Returns a grade from 0 to 3."""
    return sum(value > limit for limit in (0.6, 1.2, 1.8))


def main() -> None:
    """Writes all files."""
    draw = Random(2)  # noqa: S311 - the same data again, not a secret
    people: dict[tuple[str, str], int] = {}
    model: dict[tuple[str, str], int] = {}
    runs: dict[str, list[str]] = {name: [] for name in RUNS}
    effect: dict[tuple[str, str], float] = {}
    for number in range(1, QUERIES + 1):
        query, easy = f"c{number:02}", 0.5 * normal(draw)
        found: dict[str, list[tuple[float, str]]] = {name: [] for name in RUNS}
        for place in range(1, DOCUMENTS + 1):
            document = f"c{number:02}-{place:02}"
            relevance, style = normal(draw) + easy, normal(draw)
            people[query, document] = grade_of(relevance)
            model[query, document] = grade_of(relevance + 0.5 + 0.3 * style + 0.25 * normal(draw))
            for name, (by_relevance, by_style) in RUNS.items():
                score = by_relevance * relevance + by_style * style + normal(draw)
                found[name].append((score, document))
        for name, scored in found.items():
            for rank, (score, document) in enumerate(sorted(scored, reverse=True)[:DEPTH], 1):
                runs[name].append(f"{query} Q0 {document} {rank} {score:.4f} {name}\n")
                best = 1 / math.log2(rank + 1)
                effect[query, document] = max(best, effect.get((query, document), 0.0))
    names = [f"c{number:02}" for number in range(1, QUERIES + 1)]
    whole = set(sorted(names, key=lambda _: draw.random())[:WHOLE])
    write("complete.txt", judgments(people))
    write("people.txt", judgments({pair: grade for pair, grade in people.items() if pair[0] in whole}))
    write("model.txt", judgments(model))
    write("documents.csv", drawn(people, effect, draw))
    for name, lines in runs.items():
        write(f"runs/{name}.run", lines)


def judgments(grades: dict[tuple[str, str], int]) -> list[str]:
    """Returns the lines of qrels."""
    return [f"{query} 0 {document} {grade}\n" for (query, document), grade in grades.items()]


def drawn(
    people: dict[tuple[str, str], int], effect: dict[tuple[str, str], float], draw: Random
) -> list[str]:
    """Returns the lines of people's judgments of documents, drawn in proportion to their effect (Madow, 1949)."""
    whole = sum(effect.values())
    chance = {pair: min(1.0, SINGLE * its / whole) for pair, its in effect.items()}
    pairs = sorted(chance, key=lambda _: draw.random())
    start, rows = draw.random(), []
    ends = list(accumulate(chance[pair] for pair in pairs))
    for pair, end in zip(pairs, ends):
        if math.floor(end - start) > math.floor(end - chance[pair] - start):
            rows.append(f"{pair[0]},{pair[1]},{people[pair]},{chance[pair]:.6f}")
    return ["query,document,grade,probability,sample_size\n", *(f"{row},{len(rows)}\n" for row in rows)]


def write(name: str, lines: list[str]) -> None:
    """Writes a file of the collection."""
    (FOLDER / name).write_text("".join(lines), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
