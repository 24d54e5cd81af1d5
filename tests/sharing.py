"""Says how processes share the tests: a file to each at a time, the long ones first, Spark in one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

__all__ = ["first_the_long", "scheduler"]

# Each starts a session of Spark, which takes seconds and half a gigabyte: all of them go to one process.
SPARK = (
    "tests/test_docs.py",
    "tests/test_threads.py",
    "tests/inputs/test_engines.py",
    "tests/test_conformance.py",
    "tests/adapters/test_spark.py",
    "tests/peers/test_spark.py",
)
# Above seven seconds. One that comes last keeps a single core busy, so these come first, the longest first.
LONG = (
    *SPARK,
    "tests/peers/test_ranx.py",
    "tests/laws/test_every_measure.py",
    "tests/reports/test_in_browser.py",
    "tests/hostile/test_disks.py",
    "tests/reports/test_command.py",
    "tests/hostile/test_signals.py",
    "tests/peers/test_xgboost.py",
    "tests/reports/test_page.py",
)


def first_the_long(items: list[pytest.Item], root: Path) -> None:
    """Sort tests by when their file should begin; the others keep their order."""
    place = {root / file: number for number, file in enumerate(LONG)}
    items.sort(key=lambda item: place.get(item.path, len(place)))


def scheduler(config: pytest.Config, log: Any) -> Any:
    """Return pytest-xdist's own scheduler by file that also keeps Spark's files together, or None for its choice."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class ByFile(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            return "Spark" if file in SPARK else str(file)

    config.option.loadscopereorder = False  # by the number of tests: the longest files have the fewest
    return ByFile(config, log)
