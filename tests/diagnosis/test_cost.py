"""Diagnoses read each input once, and what they do to a list does not grow with the square of its length."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob.inputs.sources import Source

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DIAGNOSES: dict[str, Callable[[str, str], Any]] = {
    "check": carob.check,
    "explain": lambda qrels, run: carob.explain("nDCG@10", qrels, run, "q1"),
    # trec_eval's profiles separate columns by another rule, and so judgments are read once more under these.
    "difference": lambda qrels, run: carob.difference("pytrec_eval", "ranx", "AP", qrels, run),
    "gate": lambda qrels, run: carob.gate(qrels, run, at_least={"AP": 0.0001}),
}


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """Judgments with graded and negative documents, and a run with ties and a repeated document."""
    qrels, run = tmp_path / "qrels.txt", tmp_path / "bm25.run"
    pairs = [(query, document) for query in range(30) for document in range(20)]
    qrels.write_text("".join(f"q{q} 0 d{d} {(q + d) % 4 - 1}\n" for q, d in pairs))
    run.write_text("".join(f"q{q} Q0 d{d} {d + 1} {(40 - d) // 3} bm25\n" for q, d in pairs))
    return str(qrels), str(run)


@pytest.mark.parametrize("name", DIAGNOSES)
def test_each_file_is_read_once(name: str, files: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    from_start = Source.from_start

    def noted(self: Source) -> Any:
        read.extend([self.name] * isinstance(self.handle, str))
        return from_start(self)

    monkeypatch.setattr(Source, "from_start", noted)
    DIAGNOSES[name](*files)
    assert sorted(read) == sorted(files)


def test_an_explanation_takes_time_in_proportion_to_the_list() -> None:
    def taken(count: int) -> float:
        run = {"q": {f"d{n}": float(count - n) for n in range(count)}}
        start = time.process_time()
        str(carob.explain("nDCG", {"q": {f"d{n}": n % 2 for n in range(0, count, 7)}}, run, "q"))
        return time.process_time() - start

    taken(100)
    assert taken(40_000) < 30 * taken(4_000)
