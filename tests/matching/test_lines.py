"""What the lines of a run show without judgments, which commands that write its lists tell."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob.output.errors import DataError

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


SHIFTED = b"web02 Q0 D61 2 0.95 tag\nweb 02 Q0 D60 1 0.9604\nweb02 Q0 D63 3 0.90 tag\n"


@pytest.mark.parametrize("judged", ["web02", "web 02"])
def test_a_blank_in_a_query_that_takes_the_place_of_the_tag_is_refused(judged: str) -> None:
    """The line has six columns, and was read as one of query web with the document Q0."""
    qrels = {judged: {"D60": 1, "D61": 1}, "web02": {"D61": 1}}
    said = (
        "<bytes>, line 2: the third column is the document 'Q0' and the fourth, 'D60', is not a rank: "
        "the query id 'web 02' seems to contain a blank"
    )
    with pytest.raises(DataError, match=said):
        carob.evaluate(qrels, SHIFTED, "RR")
    finding = next(each for each in carob.check(qrels, SHIFTED) if each.code == "odd-ranks")
    assert finding.severity == "error"
    assert "The query seems to contain a blank" in finding.effect


@pytest.mark.parametrize("change", [(b"D60 1", b"1 0.5"), (b"web 02", b"other 02")])
def test_other_lines_of_unjudged_queries_are_none_with_a_blank(change: tuple[bytes, bytes]) -> None:
    qrels = {"web02": {"D61": 1}}
    assert carob.evaluate(qrels, SHIFTED.replace(*change), "RR").by_query("RR") == {"web02": 1.0}


def test_trec_eval_reads_a_blank_in_a_query() -> None:
    for policy in ("trec_eval-9", "trec_eval-10"):
        scores = carob.evaluate({"web02": {"D61": 1}}, SHIFTED, "RR", profile=policy)
        assert scores.by_query("RR") == {"web02": 1.0}
