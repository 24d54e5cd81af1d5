"""Plugin for pytest: scores each run once a session and shows the table; ``pytest_plugins = "karat.testing"``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from karat.evaluation.scores import Scores

__all__ = ["karat_scores", "show_scores"]

SHOWN = pytest.StashKey[dict[Any, "Scores"]]()


@pytest.fixture(scope="session")
def karat_scores(pytestconfig: pytest.Config) -> Callable[..., Scores]:
    """``karat.evaluate``, by which several tests score the same files once; the session's summary shows the table.

    Example, in a project's ``tests/test_search.py``::

        def test_first_hits_are_relevant(karat_scores):
            assert karat_scores("qrels.txt", "search.run", ["nDCG@10"])["nDCG@10"] >= 0.6
    """
    from karat.evaluation.evaluate import evaluate_run

    known = pytestconfig.stash.setdefault(SHOWN, {})

    def scores(qrels: Any, run: Any, measures: Any = None, **options: Any) -> Scores:
        key = (state(qrels), state(run), repr(measures), repr(sorted(options.items())))
        if None in key:
            return evaluate_run(qrels, run, measures, **options)
        if key not in known:
            known[key] = evaluate_run(qrels, run, measures, **options)
        return known[key]

    return scores


def state(given: Any) -> tuple[str, int, int] | None:
    """A file with its size and time, so that one that a test writes anew is scored anew; None for anything else."""
    if not isinstance(given, (str, os.PathLike)) or not os.path.isfile(given):
        return None
    found = os.stat(given)
    return os.path.abspath(given), found.st_size, found.st_mtime_ns


def show_scores(terminalreporter: Any, config: pytest.Config) -> None:
    """Show what was scored."""
    known = config.stash.get(SHOWN, {})
    if known:
        terminalreporter.section("karat")
        for each in known.values():
            terminalreporter.write_line(str(each))
