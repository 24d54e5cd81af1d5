"""Judgments and runs with one thing wrong, one for each finding, and a pair with nothing wrong."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

QUERIES, JUDGED, DEPTH = 25, 20, 12


def qrels(grade: Callable[[int, int], object] | None = None, queries: int = QUERIES) -> str:
    """Documents 0 to 19 of each query are judged; every fourth has grade 1, every eighth 2."""
    grade = grade or (lambda query, document: 2 if document % 8 == 0 else int(document % 4 == 0))
    return "".join(
        f"q{query:02} 0 d{query:02}x{document:02} {grade(query, document)}\n"
        for query in range(queries)
        for document in range(JUDGED)
    )


ORDERS = ((0, 1, 4, 2, 8, 3, 12, 5, 16, 6, 7, 9), (1, 0, 4, 8, 2, 3, 5, 12, 6, 7, 16, 9))
"""Relevant documents are rather at the top, as in a run that is better than a random order."""


def ordinary(query: int, place: int) -> str:
    """The document of the query at a place."""
    return f"d{query:02}x{ORDERS[query % 2][place]:02}"


def run(
    score: Callable[[int, int], object] | None = None,
    *,
    rank: Callable[[int], object] = lambda place: place + 1,
    query: Callable[[int], str] = lambda query: f"q{query:02}",
    document: Callable[[int, int], str] = ordinary,
    tag: str = "run",
    depth: int = DEPTH,
    queries: range = range(QUERIES),
) -> str:
    """Twelve judged documents a query, in one of two orders, with falling scores."""
    score = score or (lambda query, place: f"{30 - place}.5")
    return "".join(
        f"{query(each)} Q0 {document(each, place)} {rank(place)} {score(each, place)} {tag}\n"
        for each in queries
        for place in range(depth)
    )


def emptied(lines: str, query: str = "q03") -> str:
    """The run as a JSON dictionary, with an empty list for one query."""
    found: dict[str, dict[str, float]] = {}
    for line in lines.splitlines():
        own, _, document, _, score, _ = line.split()
        found.setdefault(own, {})[document] = float(score)
    return json.dumps({**found, query: {}})


@dataclass(frozen=True)
class Case:
    """Files with one thing wrong.

    Args:
        severity: of the finding.
        qrels: the judgments.
        runs: the runs.
        also: what else is found, as it must be.
    """

    severity: str
    qrels: str | bytes = field(default_factory=qrels)
    runs: tuple[str | bytes, ...] = field(default_factory=lambda: (run(),))
    also: frozenset[str] = frozenset()


def lines(text: str, change: Callable[[int, list[str]], list[str] | None]) -> str:
    """The text with some lines changed or left out."""
    changed = [change(number, line.split(" ")) for number, line in enumerate(text.splitlines(), 1)]
    return "".join(" ".join(fields) + "\n" for fields in changed if fields is not None)


def column(text: str, place: int, value: Callable[[int, str], str]) -> str:
    """The text with one column changed."""

    def change(number: int, fields: list[str]) -> list[str]:
        return [value(number, each) if at == place else each for at, each in enumerate(fields)]

    return lines(text, change)


def own(query: int, place: int) -> str:
    """The query's own document first."""
    return f"q{query:02}" if place == 0 else f"d{query:02}x{place:02}"


def perfect(query: int, place: int) -> str:
    """Relevant documents first, grade 2 before grade 1."""
    return f"d{query:02}x{[0, 8, 16, 4, 12, *(each for each in range(JUDGED) if each % 4)][place]:02}"


CUT = gzip.compress(run().encode())[:-200]


def sample() -> str:
    """The judgments as a table, with a probability for each."""
    rows = [line.split() for line in qrels().splitlines()]
    return "query,document,grade,probability\n" + "".join(f"{row[0]},{row[2]},{row[3]},0.5\n" for row in rows)


def published() -> str:
    """Judgments whose fingerprint is among the known ones: ``docs/write_known.py`` takes them from here."""
    return qrels().replace(" d", " known-d")


CASES: dict[str, Case] = {
    "known-judgments": Case(
        "note", published(), (run(document=lambda query, place: f"known-{ordinary(query, place)}"),)
    ),
    "sample": Case("error", qrels=sample()),
    # texts
    "unreadable": Case("error", runs=("/nowhere/at/all.run",)),
    "content": Case("error", runs=(b"PK\x03\x04" + bytes(100),)),
    "empty": Case("error", runs=(b"\n\n",), also=frozenset({"blank-lines"})),
    "swapped": Case("error", run(), (qrels(),)),
    "second-judgments": Case("error", qrels(), (qrels(),)),
    "truncated": Case("error", runs=(run().encode()[:-12],)),
    "malformed": Case("error", runs=(run() + "q24 Q0 d24x19\n",)),
    "header": Case("error", "query-id 0 corpus-id score\n" + qrels()),
    "byte-order-mark": Case("warning", runs=(b"\xef\xbb\xbf" + run().encode(),)),
    "crlf": Case("note", runs=(run().replace("\n", "\r\n"),)),
    "carriage-returns": Case(
        "error", qrels(), (run().replace("\n", "\r"),), frozenset({"missing-queries", "wide-lines"})
    ),
    "nul-bytes": Case("error", runs=(run() + "q24 Q0 d\x0099 13 1.0 run\n",), also=frozenset({"malformed"})),
    "not-utf-8": Case("warning", runs=(run().encode() + b"q24 Q0 d\xe9 13 1.0 run\n",)),
    "invisible-characters": Case("warning", runs=(run() + "q24 Q0 d\u200b99 13 1.0 run\n",)),
    "separators": Case("note", runs=(run().replace(" ", "  "),)),
    "comments": Case("note", "# judged by hand\n" + qrels()),
    "blank-lines": Case("note", qrels() + "\n"),
    "interleaved": Case(
        "note",
        runs=("".join(sorted(run().splitlines(keepends=True), key=lambda line: int(line.split()[3]))),),
    ),
    "similar-queries": Case("warning", qrels() + "Q24 0 d24x00 1\n", (run() + "Q24 Q0 d24x00 1 1.0 run\n",)),
    "refused": Case("error", runs=(b"\x1f\x8b\x08",)),
    # judgments
    "duplicate-judgments": Case("error", qrels() + "q24 0 d24x00 1\n"),
    "by-subtopic": Case("note", qrels() + "q24 2 d24x00 1\n"),
    "negative-grades": Case(
        "note", qrels(lambda query, document: -2 if document == 19 else int(document % 4 == 0))
    ),
    "float-grades": Case("warning", qrels(lambda query, document: 1.5 if document % 4 == 0 else 0.25)),
    "code-grades": Case(
        "warning",
        qrels(lambda query, document: 9 if document == 19 and query < 9 else int(document % 4 == 0)),
    ),
    "similar-documents": Case("warning", qrels() + "q24 0 D24X00 1\n"),
    "large-grades": Case("note", qrels(lambda query, document: 100 if document % 4 == 0 else 0)),
    "one-grade": Case("note", qrels(lambda query, document: 1)),
    "all-relevant": Case("note", qrels(lambda query, document: 3 if document % 4 == 0 else 1 + document % 2)),
    "no-relevant": Case("note", qrels(lambda query, document: int(document % 4 == 0 and query > 2))),
    "few-queries": Case("warning", qrels(queries=3), (run(queries=range(3)),)),
    # runs
    "duplicate-documents": Case("error", runs=(run() + "q24 Q0 d24x04 13 1.0 run\n",)),
    "nan-scores": Case("error", runs=(run() + "q24 Q0 d24x99 13 nan run\n",)),
    "infinite-scores": Case("warning", runs=(run(lambda query, place: "inf" if place == 0 else 30 - place),)),
    "constant-scores": Case("error", runs=(run(lambda query, place: 0),)),
    "ties": Case("warning", runs=(run(lambda query, place: 30 - place // 3),)),
    "single-precision": Case("warning", runs=(run(lambda query, place: f"{1 - place * 1e-10:.12f}"),)),
    "rank-order": Case("warning", runs=(run(rank=lambda place: (place * 5) % DEPTH + 1),)),
    "ascending-scores": Case(
        "error", runs=(run(lambda query, place: f"{place**2}.25"),), also=frozenset({"near-baseline"})
    ),
    "ranks-as-scores": Case(
        "error", runs=(run(lambda query, place: place + 1),), also=frozenset({"near-baseline"})
    ),
    "relevant-last": Case(
        "error",
        runs=(
            run(
                lambda query, place: (place * 5 % DEPTH) ** 2,
                rank=lambda place: DEPTH - place * 5 % DEPTH,
                document=lambda query, place: ordinary(query, place * 5 % DEPTH),
            ),
        ),
        also=frozenset({"near-baseline"}),
    ),
    "unsorted": Case("note", runs=("".join(reversed(run().splitlines(keepends=True))),)),
    "rank-gaps": Case("note", runs=(run(rank=lambda place: place + 2 * (place > 3)),)),
    "constant-ranks": Case("note", runs=(run(rank=lambda place: 0),)),
    "odd-ranks": Case("note", runs=(run(rank=lambda place: f"r{place}"),)),
    "several-tags": Case(
        "warning", runs=(run(queries=range(12)) + run(queries=range(12, QUERIES), tag="other"),)
    ),
    "wide-lines": Case("note", runs=(run(tag="my best run"),)),
    "no-common-query": Case("error", runs=(run(query=lambda query: f"topic{query}a"),)),
    "query-spelling": Case("error", runs=(run(query=lambda query: f"Q{query:02}"),)),
    "missing-queries": Case("warning", runs=(run(queries=range(3, QUERIES)),)),
    "unanswered-queries": Case("warning", runs=(emptied(run()),)),
    "extra-queries": Case("note", qrels(queries=24)),
    "no-common-document": Case("error", runs=(run(document=lambda query, place: f"p{place}"),)),
    "document-spelling": Case("error", runs=(run(document=lambda query, place: f"D{query:02}X{place:02}"),)),
    "unjudged": Case("note", runs=(run(document=lambda query, place: f"d{query:02}x{place * 3:02}"),)),
    "self-retrieval": Case("warning", runs=(run(document=own),), also=frozenset({"near-baseline"})),
    "perfect": Case("warning", runs=(run(document=perfect),)),
    "near-baseline": Case(
        "warning", runs=(run(document=lambda query, place: f"d{query:02}x{(place + query) % JUDGED:02}"),)
    ),
    "saturated": Case(
        "note", runs=(run(document=lambda query, place: (perfect if query > 3 else ordinary)(query, place)),)
    ),
    # several runs
    "identical-runs": Case("warning", runs=(run(), run(tag="other"))),
    "same-name": Case("note"),
    "list-lengths": Case("warning", runs=(run(), run(depth=7))),
    "unjudged-gap": Case(
        "warning",
        runs=(run(), run(document=lambda query, place: f"d{query:02}x{place * 3:02}")),
        also=frozenset({"unjudged"}),
    ),
}
