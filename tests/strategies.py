"""Hypothesis strategies: judgments and runs with ties, unjudged, negative grades, empty and missing queries."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Iterable

IDS = st.text(alphabet="ab1é", min_size=1, max_size=3)
GRADES = st.integers(-2, 4)
SCORES = st.sampled_from([-1.5, 0.0, 0.25, 0.25, 1.0, 2.0, 3.5])
QUERIES = st.sampled_from(["1", "2", "02", "q", "é"])


SHARE = 2 if os.environ.get("CAROB_TESTS") == "all" else 10


def examples(count: int) -> int:
    """Half as many in ``make test-all``, a tenth of them in ``make test`` and ``make quick``."""
    return max(count // SHARE, 1)


def first(cases: Iterable[Any], count: int) -> list[Any]:
    """The cases of a parametrized test: so many in ``make test``, and the others in ``make test-all`` alone.

    A tuple is a case of several arguments, or of one that is a tuple itself.
    """
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else [case]), marks=[pytest.mark.long] * (number >= count)
        )
        for number, case in enumerate(cases)
    ]


def judgments() -> st.SearchStrategy[dict[str, dict[str, Any]]]:
    """``{query: {document: grade}}``, with at least one judged query."""
    return st.dictionaries(
        QUERIES, st.dictionaries(IDS, GRADES, min_size=1, max_size=8), min_size=1, max_size=4
    )


def runs() -> st.SearchStrategy[dict[str, dict[str, float]]]:
    """``{query: {document: score}}``, with many equal scores."""
    return st.dictionaries(QUERIES, st.dictionaries(IDS, SCORES, min_size=1, max_size=12), max_size=4)
