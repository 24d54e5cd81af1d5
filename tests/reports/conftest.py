"""Makes the pages that tests of reports look at: a real one, and quick ones without the drawing library."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob.cli.options import grouped

if TYPE_CHECKING:
    from collections.abc import Callable

TEA = Path(__file__).resolve().parents[2] / "examples" / "tea"
RUNS = sorted(map(str, (TEA / "runs").glob("*.run")))


@pytest.fixture(scope="session")
def tea(report_libraries: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of the bundled example, as a user makes it."""
    path = tmp_path_factory.mktemp("tea") / "report.html"
    carob.report(
        str(TEA / "qrels.txt"),
        RUNS,
        ["nDCG@10", "AP", "RR"],
        queries=str(TEA / "queries.jsonl"),
        documents=str(TEA / "documents.jsonl"),
        output=path,
    )
    return path


@pytest.fixture
def quick(report_libraries: None, monkeypatch: pytest.MonkeyPatch) -> Callable[..., carob.Report]:
    """``carob.report`` without the drawing library, which is most of a page."""
    monkeypatch.setattr("carob.reports.page.drawing_library", lambda: ("window.vegaEmbed = null;", "0"))

    def make(qrels: Any, runs: Any, measures: Any = ("RR",), **options: Any) -> carob.Report:
        return carob.report(qrels, runs, list(measures), **grouped(options))

    return make
