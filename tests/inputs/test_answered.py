"""Empty lists in forms that have no row for them: what an evaluation and a check count."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import carob
from toys import command

if TYPE_CHECKING:
    from pathlib import Path

QRELS = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}}
LISTS = {"q1": ["a"], "q2": [], "other": []}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """The lists as a dictionary, and as JSON lines, which have no row of an empty list once they are read."""
    pytest.importorskip("polars", reason="reads JSON lines as a table")
    (tmp_path / "qrels.json").write_text(json.dumps(QRELS))
    (tmp_path / "lists.json").write_text(json.dumps(LISTS))
    (tmp_path / "lines.jsonl").write_text(
        "".join(json.dumps({"id": query, "results": its}) + "\n" for query, its in LISTS.items())
    )
    return {each.stem: str(each) for each in tmp_path.iterdir()}


def test_the_counts_are_those_of_the_dictionary(files: dict[str, str]) -> None:
    one, other = (carob.evaluate(QRELS, files[each], "RR").counts for each in ("lists", "lines"))
    assert (one.missing, one.unanswered, one.extra) == (("q3",), 1, 1)
    assert (other.missing, other.unanswered, other.extra) == (("q3",), 1, 1)


def test_a_check_counts_as_an_evaluation_does(
    files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("lists", "lines"):
        assert command("check", files["qrels"], files[name], "--format", "json") == 1
        found = {each["code"]: each["what"] for each in json.loads(capsys.readouterr().out)["findings"]}
        assert found["missing-queries"] == "1 missing query counted as 0, of 3 judged queries"
        assert found["unanswered-queries"] == "1 query without retrieved documents, of 3 judged queries"
