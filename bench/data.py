"""Judgments and runs generated from a seed, in the sizes that the benchmarks need.

``python -m bench.data FOLDER SIZE`` writes one size in its own process. This keeps the benchmark process small, because
a child's peak memory starts at that of its parent.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

SEED = 20240
VERSION = 1
"""The version of the generated text, which prevents the use of older files."""

COLLECTION = 8_841_823
"""The number of documents, which equals the number of MS MARCO passages."""

STEPS = 64
"""Scores are multiples of 1/64 below 2**18. They are exact in single precision and in six decimals, so peers that
compare in single precision order them in the same way."""


class Size(NamedTuple):
    """The numbers of queries, of documents per query and of judgments per query, and the order of the lines.

    ``missed`` is the number of judged documents per query that the run does not retrieve.
    """

    queries: int
    depth: int
    judged: int
    shuffled: bool = False
    missed: int = 0


SIZES = {
    "tiny": Size(40, 100, 20),
    "tiny-shuffled": Size(40, 100, 20, shuffled=True),
    "small": Size(50, 1000, 200),
    "track": Size(250, 1000, 400),
    "web": Size(6980, 1000, 1),
    "web-shuffled": Size(6980, 1000, 1, shuffled=True),
    "web-dense": Size(6980, 1000, 200, missed=100),
    "web10": Size(69800, 1000, 1),
    "users": Size(20000, 50, 10),
    "users10": Size(200000, 50, 10),
}
"""``small`` is the size of a TREC track, ``track`` of several tracks, and ``web`` of the development set of MS MARCO
(7.0 M lines). ``web-dense`` is the same with deep judgments, half of them retrieved. ``users`` stands for
recommendations to many users (1.0 M lines), and ``users10`` to ten times as many users."""

AT_ONCE = 200
"""The number of queries generated at a time, which take about 10 MB."""


class Files(NamedTuple):
    """The judgments and the run of a size, as files."""

    qrels: Path
    run: Path


def files(folder: Path, size: str) -> Files:
    """Returns the paths of a size's files, which may not exist yet."""
    return Files(*(folder / f"{size}-{SEED}-{VERSION}.{kind}" for kind in ("qrels", "run")))


def write(folder: Path, name: str) -> None:
    """Writes a size's files. Each gets its name only when it is complete."""
    import numpy as np

    folder.mkdir(parents=True, exist_ok=True)
    size, made = SIZES[name], files(folder, name)
    draw = np.random.default_rng(SEED)
    parts = []
    with (
        made.qrels.with_suffix(".part").open("wb") as qrels,
        made.run.with_suffix(".part2").open("wb") as run,
    ):
        for first in range(0, size.queries, AT_ONCE):
            queries = 1_000_000 + 7 * np.arange(first, min(first + AT_ONCE, size.queries))
            documents = distinct(draw, len(queries), size.depth)
            qrels.write(text(judgments(draw, queries, documents, size)))
            lines = ranking(draw, queries, documents)
            if size.shuffled:
                parts.append(lines)
            else:
                run.write(text(lines))
        if size.shuffled:
            everything = np.concatenate(parts)
            order = draw.permutation(len(everything))
            for start in range(0, len(order), 200_000):
                run.write(text(everything[order[start : start + 200_000]]))
    made.qrels.with_suffix(".part").replace(made.qrels)
    made.run.with_suffix(".part2").replace(made.run)


def distinct(draw: Any, lists: int, length: int) -> NDArray[Any]:
    """Returns lists of documents. No list contains a document twice."""
    import numpy as np

    documents: NDArray[Any] = draw.integers(0, COLLECTION, (lists, length))
    while len(twice := np.flatnonzero((np.diff(np.sort(documents, axis=1), axis=1) == 0).any(axis=1))):
        documents[twice] = draw.integers(0, COLLECTION, (len(twice), length))
    return documents


def ranking(draw: Any, queries: NDArray[Any], documents: NDArray[Any]) -> NDArray[Any]:
    """Returns the lines of a run, one per row. Scores fall by one to three steps from document to document."""
    import numpy as np

    depth = documents.shape[1]
    falls = draw.integers(1, 4, documents.shape)
    scores = falls[:, ::-1].cumsum(axis=1)[:, ::-1].ravel()
    return columns(
        digits(np.repeat(queries, depth), 7),
        b" Q0 ",
        digits(documents.ravel(), 7),
        b" ",
        digits(np.tile(np.arange(1, depth + 1), len(queries)), 4),
        b" ",
        digits(scores // STEPS, 4),
        b".",
        digits(scores % STEPS * (1_000_000 // STEPS), 6, padded=True),
        b" bm25\n",
    )


def judgments(draw: Any, queries: NDArray[Any], documents: NDArray[Any], size: Size) -> NDArray[Any]:
    """Returns the lines of judgments: one relevant document near the top, or ``judged`` documents with grades 0 to 3.

    One in ten queries also has a relevant document that no ranking contains.
    """
    import numpy as np

    depth = documents.shape[1]
    if size.judged == 1:
        places = draw.integers(0, min(60, depth), (len(queries), 1))
        grades = np.ones_like(places)
    else:
        places = np.argsort(draw.random(documents.shape), axis=1)[:, : size.judged]
        grades = np.maximum(draw.integers(-3, 4, places.shape), 0)
        grades[:, 0] = 1
    owners = np.repeat(queries, places.shape[1])
    judged = np.take_along_axis(documents, places, axis=1)
    # Document numbers beyond the collection, which no run retrieves.
    judged[:, size.judged - size.missed :] = COLLECTION + 100_000 + np.arange(size.missed)
    found = judged.ravel()
    missed = queries[::10]
    return columns(
        digits(np.concatenate([owners, missed]), 7),
        b" 0 ",
        digits(np.concatenate([found, COLLECTION + missed % 1000]), 7),
        b" ",
        digits(np.concatenate([grades.ravel(), np.ones_like(missed)]), 1),
        b"\n",
    )


def digits(numbers: NDArray[Any], width: int, *, padded: bool = False) -> NDArray[Any]:
    """Returns decimal digits, one number per row, with 0 bytes instead of leading zeros unless ``padded``."""
    import numpy as np

    powers = 10 ** np.arange(width - 1, -1, -1)
    written = (numbers[:, None] // powers % 10 + ord("0")).astype(np.uint8)
    if not padded:
        written[:, :-1][numbers[:, None] < powers[:-1]] = 0
    return written


def columns(*parts: NDArray[Any] | bytes) -> NDArray[Any]:
    """Joins columns into one line per row. A constant is repeated in every row."""
    import numpy as np

    rows = next(len(part) for part in parts if not isinstance(part, bytes))
    spread = [
        np.broadcast_to(np.frombuffer(part, np.uint8), (rows, len(part))) if isinstance(part, bytes) else part
        for part in parts
    ]
    return np.concatenate(spread, axis=1)


def text(lines: NDArray[Any]) -> bytes:
    """Returns the lines without their 0 bytes."""
    flat = lines.ravel()
    return bytes(flat[flat != 0].tobytes())


def as_dicts(made: Files) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Returns the judgments and the run as dicts."""
    qrels: dict[str, dict[str, int]] = {}
    with made.qrels.open(encoding="ascii") as lines:
        for line in lines:
            query, _, document, grade = line.split()
            qrels.setdefault(query, {})[document] = int(grade)
    run: dict[str, dict[str, float]] = {}
    with made.run.open(encoding="ascii") as lines:
        for line in lines:
            query, _, document, _, score, _ = line.split()
            run.setdefault(query, {})[document] = float(score)
    return qrels, run


def as_frames(qrels: Path, run: Path, *, whole: bool = False) -> tuple[Any, Any]:
    """Returns the judgments and the run as Polars frames, with ids as text or as whole numbers."""
    import polars as pl

    ids = dict.fromkeys(("query_id", "doc_id"), pl.Int64 if whole else pl.String)
    judged = pl.read_csv(
        qrels,
        separator=" ",
        has_header=False,
        new_columns=["query_id", "iteration", "doc_id", "relevance"],
        schema_overrides={**ids, "relevance": pl.Int64},
    )
    ranked = pl.read_csv(
        run,
        separator=" ",
        has_header=False,
        new_columns=["query_id", "q0", "doc_id", "rank", "score", "tag"],
        schema_overrides={**ids, "score": pl.Float64},
    )
    return judged.select("query_id", "doc_id", "relevance"), ranked.select("query_id", "doc_id", "score")


if __name__ == "__main__":
    write(Path(sys.argv[1]), sys.argv[2])
