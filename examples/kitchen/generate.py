"""Generates seven small collections that four runs share: ``python examples/kitchen/generate.py``.

Collections differ in how hard they are and in how well embeddings suit them. ``rerank`` reorders what ``hybrid`` finds:
it helps in most collections and harms in one.
"""

from __future__ import annotations

import math
from pathlib import Path
from random import Random

FOLDER = Path(__file__).resolve().parent

COLLECTIONS = {
    "baking": (14, 0.2, 0.5),
    "cheese": (30, 0.0, 0.1),
    "fish": (12, -0.3, 0.4),
    "pasta": (22, 0.3, 0.6),
    "rice": (16, 0.1, 0.0),
    "spices": (40, -0.2, 0.3),
    "soup": (18, 0.0, 0.7),
}
"""For each collection the number of queries, how easy it is, and how well embeddings suit it."""

DOCUMENTS, DEPTH = 12, 5


def normal(draw: Random) -> float:
    """Returns a normal random number (Box and Muller), which is the same in every version of Python."""
    return math.sqrt(-2 * math.log(1 - draw.random())) * math.cos(2 * math.pi * draw.random())


def strengths(collection: str, suits: float) -> dict[str, float]:
    """Returns how much the score of a document in each run depends on its relevance."""
    harm = -0.5 if collection == "rice" else 0.5
    return {"bm25": 0.7, "dense": 0.45 + suits, "hybrid": 0.8 + suits / 2, "rerank": 0.8 + suits / 2 + harm}


def main() -> None:
    """Writes all files."""
    draw = Random(5)  # noqa: S311 - the same data again, not a secret
    for collection, (queries, easy, suits) in COLLECTIONS.items():
        folder = FOLDER / collection
        (folder / "runs").mkdir(parents=True, exist_ok=True)
        qrels: list[str] = []
        runs: dict[str, list[str]] = {}
        for number in range(1, queries + 1):
            query, hard = f"{collection}-{number:02}", 0.4 * normal(draw) + easy
            found: dict[str, list[tuple[float, str]]] = {}
            for place in range(1, DOCUMENTS + 1):
                document, relevance = f"{collection[0]}{number:02}-{place:02}", normal(draw) + hard
                grade = sum(relevance > limit for limit in (0.7, 1.4))
                if grade:
                    qrels.append(f"{query} 0 {document} {grade}\n")
                for name, strength in strengths(collection, suits).items():
                    found.setdefault(name, []).append((strength * relevance + normal(draw), document))
            for name, scored in found.items():
                for rank, (score, document) in enumerate(sorted(scored, reverse=True)[:DEPTH], 1):
                    runs.setdefault(name, []).append(f"{query} Q0 {document} {rank} {score:.3f} {name}\n")
        (folder / "qrels.txt").write_text("".join(qrels), encoding="utf-8", newline="\n")
        for name, lines in runs.items():
            (folder / "runs" / f"{name}.run").write_text("".join(lines), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
