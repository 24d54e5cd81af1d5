"""Regression tests that compare runs with baselines and records, and the pytest plugin ``carob.testing``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from carob.evaluation.scores import Scores

__all__ = ["carob_scores"]


def __dir__() -> list[str]:
    """Returns the names in the plugin, among which pytest looks for fixtures."""
    return [*__all__, "__doc__", "__name__"]


def imported(name: str) -> Any:
    """Creates the fixture only when pytest requests it, because gates and records must work without pytest."""
    if name != "carob_scores":
        raise AttributeError(f"module 'carob.testing' has no attribute '{name}'")
    import pytest

    return pytest.fixture(scored_once, scope="session", name=name)


if not TYPE_CHECKING:  # hidden from type checkers, which would otherwise accept every name
    __getattr__ = imported


def scored_once(pytestconfig: Any) -> Callable[..., Scores]:
    """Evaluate like ``carob.evaluate``, but score the same files only once in a pytest session.

    Example, in a project's ``tests/test_search.py``::

        def test_first_hits_are_relevant(carob_scores):
            assert carob_scores("qrels.txt", "search.run", ["nDCG@10"])["nDCG@10"] >= 0.6
    """
    from carob.evaluation.evaluate import evaluate_run

    summary = Summary()
    pytestconfig.pluginmanager.register(summary)

    def scores(qrels: Any, run: Any, measures: Any = None, **options: Any) -> Scores:
        key = (state(qrels), state(run), repr(measures), repr(sorted(options.items())))
        if None in key:
            return evaluate_run(qrels, run, measures, **options)
        if key not in summary.known:
            summary.known[key] = evaluate_run(qrels, run, measures, **options)
        return summary.known[key]

    return scores


def state(given: Any) -> tuple[str, int, int] | None:
    """Returns a file's path, size and time, so that a rewritten file is scored again. Returns None for other inputs."""
    if not isinstance(given, (str, os.PathLike)) or not os.path.isfile(given):
        return None
    found = os.stat(given)
    return os.path.abspath(given), found.st_size, found.st_mtime_ns


class Summary:
    """The scores computed in a pytest session, which pytest prints at the end."""

    def __init__(self) -> None:
        """Starts without scores."""
        self.known: dict[Any, Scores] = {}

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Prints every table of scores. pytest calls this hook."""
        if self.known:
            terminalreporter.section("carob")
        for each in self.known.values():
            terminalreporter.write_line(str(each))
