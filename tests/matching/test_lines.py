"""What the lines of a run show without judgments, which commands that write its lists tell."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import pytest

import carob

if TYPE_CHECKING:
    from pathlib import Path


def test_what_the_written_run_no_longer_shows_is_told(tmp_path: Path) -> None:
    lines = [f"q{query} Q0 d{row} {9 - row} {9 - row} one" for query in range(3) for row in range(3)]
    odd = tmp_path / "odd.run"
    odd.write_text("\n".join([*lines, "q4 Q0 a 1 1 two", "q5 Q0 a 1 1 two", ""]))
    for write in (
        lambda: carob.write_run(odd, tmp_path / "out.run"),
        lambda: carob.fuse({"odd": odd, "other": {f"q{query}": {"d1": 1.0} for query in range(6)}}).text,
    ):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            write()
        said = " ".join(str(each.message) for each in caught)
        assert "the sixth column has the tags 'one' and 'two'" in said
        assert "in its first lines, the rank column orders 6 of 6 pairs of documents differently" in said


@pytest.mark.parametrize("form", ["files", "dicts", "many files"])
@pytest.mark.parametrize("method", ["rrf", "sum"])
def test_a_fusion_tells_which_run_has_lists_of_equal_scores(method: str, form: str, tmp_path: Path) -> None:
    """As the footer of its evaluation does."""
    equal = {f"q{query}": dict.fromkeys("abc", 1.0) for query in range(1 + 99 * (form == "many files"))}
    other = {query: {"a": 3.0, "d": 2.0, "e": 2.0} for query in [*equal, "more"]}
    runs: dict[str, Any] = {"equal": equal, "other": other}
    if form != "dicts":
        for name, lists in runs.items():
            lines = [f"{query} Q0 {each} 1 {its[each]} t\n" for query, its in lists.items() for each in its]
            (tmp_path / f"{name}.run").write_text("".join(lines))
        runs = {name: str(tmp_path / f"{name}.run") for name in runs}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = carob.fuse(runs, method)
        made.save(tmp_path / "out.run")
        footer = carob.evaluate({query: {"a": 1} for query in equal}, runs["equal"], "AP").footer()
    lists = f"{len(equal)} {'list' if len(equal) == 1 else 'lists'}"
    said = f"{lists} with all scores equal, ordered by document id, descending"
    assert said in footer
    messages = [str(each.message) for each in caught]
    assert [each for each in messages if "all scores equal" in each] == [f"Run equal: {said}."]
