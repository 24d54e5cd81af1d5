"""Recognises the judgments of public collections by fingerprints, even if some lines are missing or reordered.

A fingerprint consists of the smallest hashes of a collection's query-document pairs. If judgments share nearly all of
these hashes and have few other hashes that are as small, the two sets are nearly equal (a bottom-k sketch: Cohen and
Kaplan 2007). The table ``known.json``, which ``docs/write_known.py`` writes, contains no ids, only hashes.
"""

from __future__ import annotations

import base64
import os
from typing import TYPE_CHECKING, Any
from zlib import crc32

from carob._numpy import np
from carob.diagnosis.check.finding import found
from carob.output.parsing import json_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from carob.diagnosis.check.finding import Finding
    from carob.diagnosis.check.lenient import LenientQrels, RunAndQrels
    from carob.inputs.qrels import Qrels

FILE = os.path.join(os.path.dirname(__file__), "known.json")
KEPT = 24
"""The number of hashes in a fingerprint."""
MOST = 6
"""The maximum number of hashes by which judgments may differ from a fingerprint and still be recognised."""
LONGEST = 2.0
"""If there are more judgments than in the largest known set times this factor, they are not a known set."""


def hashes(qrels: Qrels) -> NDArray[np.uint32]:
    """Returns a hash of the query and the document for each judgment."""
    judgments = qrels.judgments
    made: list[int] = []
    for place, query in enumerate(judgments.queries):
        start = crc32(b"\t", crc32(query))
        made += [crc32(document, start) for document in judgments.documents(place)]
    return np.array(made, np.uint32)


def total_of(pairs: NDArray[np.uint32], grades: NDArray[np.float64]) -> int:
    """Returns a checksum over all judgments that does not depend on their order."""
    levels = (np.clip(grades, -1e12, 1e12) * 1000).astype(np.int64).astype(np.uint64)
    mixed = (pairs.astype(np.uint64) << np.uint64(20)) ^ (levels * np.uint64(0x9E3779B97F4A7C15))
    return int(
        (mixed * np.uint64(0xBF58476D1CE4E5B9) >> np.uint64(16)).sum(dtype=np.uint64) & np.uint64(2**48 - 1)
    )


def fingerprint(qrels: Qrels) -> dict[str, Any]:
    """Returns the fingerprint of judgments: counts, the smallest hashes with their grades, and a checksum."""
    pairs = hashes(qrels)
    least = np.argsort(pairs, kind="stable")[:KEPT]
    return {
        "count": len(pairs),
        "queries": qrels.judgments.query_count,
        "total": total_of(pairs, qrels.judgments.grades),
        "least": packed(pairs[least]),
        "grades": [
            int(each) if each.is_integer() else float(f"{each:g}")
            for each in qrels.judgments.grades[least].tolist()
        ],
    }


def packed(hashes: NDArray[np.uint32]) -> str:
    """Encodes ascending hashes as text: the bytes of their differences, lowest bytes first, so most zeros are adjacent.

    This order makes a compressed wheel two kilobytes smaller.
    """
    steps = np.diff(hashes, prepend=np.uint32(0)).astype("<u4")
    return base64.b64encode(steps.view(np.uint8).reshape(-1, 4).T.tobytes()).decode()


def unpacked(text: str) -> NDArray[np.uint32]:
    """Decodes the text that ``packed`` returns to hashes."""
    steps = np.frombuffer(base64.b64decode(text), np.uint8).reshape(4, -1).T.copy().view("<u4")
    return np.cumsum(steps, dtype=np.uint32)


def known_sets() -> list[dict[str, Any]]:
    """Returns the known sets, with their hashes in arrays."""
    with open(FILE, "rb") as file:
        sets: list[dict[str, Any]] = json_in(file.read())
    return [each | {"least": unpacked(each["least"])} for each in sets]


def nearest_sets(
    sets: list[dict[str, Any]], pairs: NDArray[np.uint32], grades: NDArray[np.float64]
) -> list[dict[str, Any]]:
    """Returns the known sets nearest to the judgments, several if equally near, or an empty list if none is near.

    Args:
        sets: the known sets.
        pairs: the hash of the query and the document of each judgment.
        grades: the grade of each judgment.
    """
    shared = among(np.concatenate([each["least"] for each in sets]), np.sort(pairs))
    near, place = [], 0
    for each in sets:
        least = each["least"]
        has = int(np.count_nonzero(shared[place : place + len(least)]))
        place += len(least)
        if has >= len(least) - MOST:
            apart = len(least) - has + int(np.count_nonzero(pairs <= least[-1])) - has
            if apart <= MOST:
                near.append((apart, other_grades(each, pairs, grades), abs(each["count"] - len(pairs)), each))
    same = [each for *_, each in near if is_equal(each, pairs, grades)]
    near.sort(key=lambda each: each[:3])
    return same or [each for *numbers, each in near if numbers[:2] == [*near[0][:2]]]


def among(values: NDArray[np.uint32], ordered: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Returns a mask of the values in an ordered array. ``np.isin`` would import ``numpy.ma``, which is slow."""
    if not len(ordered):
        return np.zeros(len(values), bool)
    return np.asarray(ordered[np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)] == values)


def is_equal(its: dict[str, Any], pairs: NDArray[np.uint32], grades: NDArray[np.float64]) -> bool:
    """Returns whether judgments are exactly the judgments of a known set."""
    return bool(len(pairs) == its["count"] and total_of(pairs, grades) == its["total"])


def other_grades(its: dict[str, Any], pairs: NDArray[np.uint32], grades: NDArray[np.float64]) -> int:
    """Returns the number of pairs in a fingerprint that have a different grade in the judgments."""
    own = dict(zip(its["least"].tolist(), its["grades"], strict=True))
    found_at = np.flatnonzero(among(pairs, its["least"]))
    return sum(own[int(pairs[place])] != grades[place] for place in found_at.tolist())


def known(judged: LenientQrels, pair: RunAndQrels | None) -> Iterator[Finding]:
    """Recognises the judgments of a public collection, and reports whether any are missing or differ."""
    del pair
    sets, count = known_sets(), judged.judgments.count
    if count > LONGEST * max(each["count"] for each in sets):
        return
    pairs, grades = hashes(judged.qrels), judged.judgments.grades
    near = nearest_sets(sets, pairs, grades)
    if not near:
        return
    its, key, names = near[0], "known-judgments", " or ".join(each["name"] for each in near)
    whole, other, sampled = its["count"], other_grades(its, pairs, grades), len(its["least"])
    if other > MOST:
        differ = f"{other} of {sampled} sampled grades differ"
        what = f"these judgments have the documents of {names}, but different grades ({differ})"
        yield found(key, judged.text.name, what)
        return
    state = (
        f"nearly, {count:,} instead of {whole:,}"
        if count != whole
        else f"nearly, some of the {whole:,} differ"
    )
    if is_equal(its, pairs, grades):
        state = f"all {whole:,}"
    yield found(key, judged.text.name, name=names, state=state)
