"""Judgments, and runs that share nothing with them or not enough: what each is to be told."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


QRELS = {f"q{query}": {f"00{query}{place}": place % 3 for place in range(8)} for query in range(1, 5)}


def run_by(
    query: Callable[[str], str] = str, document: Callable[[str], str] = str
) -> dict[str, dict[str, float]]:
    """The judged documents, ranked, under other ids."""
    return {
        query(each): {document(name): 9.0 - place for place, name in enumerate(its)}
        for each, its in QRELS.items()
    }


UNMET: dict[str, tuple[dict[str, dict[str, float]], str]] = {
    "leading zeros lost": (run_by(document=lambda each: each.lstrip("0")), "leading zeros were lost"),
    "numbers with fractions": (run_by(document=lambda each: f"{int(each)}.0"), "numbers with fractions"),
    "passages of documents": (
        run_by(document=lambda each: f"{each}#4"),
        "ranks passages of judged documents",
    ),
    "passages with a dash": (
        run_by(document=lambda each: f"{each}-12"),
        "ranks passages of judged documents",
    ),
    "a prefix": (run_by(document=lambda each: f"msmarco_v2_doc_{each}"), "the prefix 'msmarco_v2_doc_'"),
    "an ending": (run_by(document=lambda each: f"{each}.html"), "the ending '.html'"),
    "blanks at the end": (run_by(document=lambda each: f"{each}\u00a0"), "invisible characters"),
    "another collection": (run_by(document=lambda each: f"x{int(each) * 7}y"), "to the same collection"),
    "queries as documents": (
        run_by(document=lambda each: f"q{int(each) % 4 + 1}"),
        "are the judgments' queries",
    ),
    "empty lists": ({query: {} for query in QRELS}, "every list is empty"),
}
"""Runs that share queries with the judgments and no document, and what is to be said of each."""


REFUSED: dict[str, tuple[dict[str, dict[str, float]], str]] = {
    "empty": ({}, "the run is empty"),
    "other queries": (run_by(query=lambda each: f"topic {each}"), "no query in common"),
    "leading zeros of queries": (
        run_by(query=lambda each: f"q0{each[1:]}"),
        "no query in common.*'q01' for 'q1'",
    ),
    "queries in capitals": (run_by(query=str.upper), "no query in common.*upper and lower case"),
    "columns swapped": (
        {"001" + str(place): {f"q{place}": 1.0} for place in range(1, 5)},
        "no query in common.*columns swapped",
    ),
}
"""Runs that are refused, and why."""


def qrels_file(folder: Path) -> str:
    path = folder / "qrels.txt"
    path.write_text("".join(f"{q} 0 {d} {g}\n" for q, its in QRELS.items() for d, g in its.items()))
    return str(path)


def run_file(folder: Path, run: dict[str, dict[str, float]], name: str = "own.run") -> str:
    path = folder / name
    if name.endswith(".json"):
        path.write_text(json.dumps(run))
    else:
        rows = [(q, d, s) for q, its in run.items() for d, s in its.items()]
        path.write_text("".join(f"{q}\tQ0\t{d.strip()}\t0\t{s}\tt\n" for q, d, s in rows))
    return str(path)
