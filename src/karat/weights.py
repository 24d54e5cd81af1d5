"""What each query weighs in the means, from a file."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from karat import _native
from karat.errors import DataError
from karat.ids import text_of
from karat.read import sentences, source_of

if TYPE_CHECKING:
    from karat.read import Readable

__all__ = ["read_weights"]


def read_weights(where: Readable) -> dict[str, float]:
    """What each query weighs: lines ``query weight``, plain or compressed.

    Raises:
        DataError: a line that cannot be read, a weight that is none, or a query that stands twice.
    """
    source = source_of(where)
    with sentences(source.name, "weights"):
        (queries,), values, lines = _native.read_rows(source.from_start(), columns=2, numbers="strict")
    weights: dict[str, float] = {}
    for query, weight, line in zip(map(text_of, queries), values.tolist(), lines.tolist(), strict=True):
        if query in weights:
            raise DataError(
                f"{source.name}, line {line}: query '{query}' has a weight already. Remove one line."
            )
        if not 0 <= weight < math.inf:
            raise DataError(
                f"{source.name}, line {line}: the weight of query '{query}' is {weight!r}: a weight is a number "
                "from 0 on."
            )
        weights[query] = weight
    return weights
