"""Parquet tables of many rows, generated from a formula so that no row needs to be kept.

``python -m bench.rows FOLDER QUERIES DEPTH ORDER`` writes one table with its judgments.
"""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.data import COLLECTION, Files
from bench.side_by_side import CHECKOUT

if TYPE_CHECKING:
    from numpy.typing import NDArray

ORDERS = ("together", "mixed")
"""The order of the rows: grouped by query with the best first, or shuffled."""

VERSION = 1
AT_ONCE = 1_000_000


def made(folder: Path, queries: int, depth: int, order: str) -> Files:
    """Returns a table of this many rows and its judgments, writing the files if they do not exist."""
    found = files(folder, queries, depth, order)
    if not (found.qrels.exists() and found.run.exists()):
        print(f"making {found.run.name} ...", file=sys.stderr)
        command = [sys.executable, "-m", "bench.rows", str(folder), str(queries), str(depth), order]
        subprocess.run(command, check=True, cwd=CHECKOUT)
    return found


def files(folder: Path, queries: int, depth: int, order: str) -> Files:
    """Returns the paths of a table and its judgments, which may not exist yet."""
    stem = f"rows-{queries}x{depth}-{VERSION}"
    return Files(folder / f"{stem}.qrels.parquet", folder / f"{stem}-{order}.parquet")


def write(folder: Path, queries: int, depth: int, order: str) -> None:
    """Writes a table and its judgments. Each gets its name only when it is complete."""
    import numpy as np
    import pyarrow as pa
    from pyarrow import parquet

    folder.mkdir(parents=True, exist_ok=True)
    found, rows = files(folder, queries, depth, order), queries * depth
    part, writer = found.run.with_suffix(".part"), None
    step = coprime(rows) if order == "mixed" else 1
    for first in range(0, rows, AT_ONCE):
        numbers = np.arange(first, min(first + AT_ONCE, rows)) * step % rows
        query, place = numbers // depth, numbers % depth
        scores = (depth - place) + (document_of(query, place) % 64) / 64.0
        table = pa.table({"query_id": ids(query), "doc_id": ids(document_of(query, place)), "score": scores})
        if writer is None:
            writer = parquet.ParquetWriter(part, table.schema, compression="zstd")
        writer.write_table(table)
    assert writer is not None
    writer.close()
    part.replace(found.run)
    query = np.arange(queries)
    relevant = document_of(query, query * 7 % min(60, depth))
    judged = pa.table(
        {"query_id": ids(query), "doc_id": ids(relevant), "relevance": np.ones(queries, np.int8)}
    )
    parquet.write_table(judged, found.qrels)


def coprime(rows: int) -> int:
    """Returns a step size that visits every row once, with each row far from the previous one."""
    step = int(rows * 0.6180339887) | 1
    while math.gcd(step, rows) > 1:
        step += 2
    return step


def document_of(query: NDArray[Any], place: NDArray[Any]) -> NDArray[Any]:
    """Returns the document at a place in a query's list. Each place has a different document."""
    block = COLLECTION // 1000
    found: NDArray[Any] = place * block + (query * 2_654_435_761 + place * 40_503) % block
    return found


def ids(numbers: NDArray[Any]) -> Any:
    """Returns whole numbers as text."""
    import pyarrow as pa

    return pa.array(numbers).cast(pa.string())


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
