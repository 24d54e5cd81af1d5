"""What an agreement says and writes: its first lines, its limits, tables and frames."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import carob
from carob import DataError
from carob.cli import main
from judges.judgments import HUMAN, LIKES_A, LIKES_C, MODEL, SYSTEMS, Qrels, judges, ranked

if TYPE_CHECKING:
    from pathlib import Path


def test_lists_of_relevant_documents_are_compared_by_their_overlap() -> None:
    one: Qrels = {"q": {f"d{n}": 1 for n in range(49)}}
    other: Qrels = {"q": {f"d{n}": 1 for n in range(5, 92)}}
    found = carob.agreement(one, other)
    text = " ".join(found.to_text().split())
    assert text.startswith("overlap: 48%, 44 of 92 documents that A or B judged relevant same order")
    assert "same grade: 100%" not in text
    assert "stricter" not in text
    assert "Each judge used only one grade, so equal grades, kappa and B - A are not informative" in text
    assert (
        "5 documents were judged by A only and 43 by B only. Of the numbers above, only the overlap" in text
    )
    assert json.loads(found.to_json())["overlap"] == pytest.approx(44 / 92)
    graded = carob.agreement({"q": {**one["q"], "d0": 0}}, other)
    assert graded.to_text().startswith("same grade: 100% of 44 documents")
    assert json.loads(graded.to_json())["overlap"] is None


def test_who_is_stricter() -> None:
    one, other = judges(30)
    higher = {q: {d: min(g + 1, 3) for d, g in its.items()} for q, its in one.items()}
    assert "B is more generous than A: +0." in carob.agreement(one, higher).to_text()
    assert "B is stricter than A: -0." in carob.agreement(higher, one).to_text()
    assert "Neither judge is shown to be stricter" in carob.agreement(one, other).to_text()


def test_the_first_two_lines_answer_and_nothing_is_wider_than_80_columns() -> None:
    one, other = judges(25)
    lines = carob.agreement(one, other).to_text().splitlines()
    assert lines[0].startswith("same grade: 7")
    assert " of 300 documents · weighted kappa 0." in lines[0]
    assert lines[1] == "same order of systems: unknown (pass runs to compare their order)"
    assert max(map(len, lines)) <= 80


def test_what_it_cannot_know_is_said() -> None:
    text = " ".join(carob.agreement(HUMAN, MODEL).to_text().split())
    assert (
        "1 document was judged by A only and 1 by B only. No number above includes these documents." in text
    )
    assert "Only A judged 1 query, which was left out: only a." in text
    assert "Only B judged 1 query, which was left out: only b." in text
    assert "not which judge is correct" in text
    runs = {"one": {"q1": ranked("a")}, "two": {"q1": ranked("b")}}
    text = " ".join(carob.agreement(HUMAN, MODEL, runs).to_text().split())
    assert "Under the other judge, these documents count as unjudged" in text
    assert "2 systems make 1 pair, so tau has few possible values." in text
    negative = carob.agreement({"q": {"a": -2, "b": 1}}, {"q": {"a": 1, "b": 1}})
    assert negative.shared == 1
    assert "1 negative grade counted as unjudged" in negative.to_text()


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frames(backend: str) -> None:
    pytest.importorskip(backend, reason=f"{backend} is not installed")
    found = carob.agreement(LIKES_A, LIKES_C, SYSTEMS, "RR")
    frame = found.to_frame(backend=backend)
    assert type(frame).__module__.startswith(backend)
    assert [float(each) for each in frame["same grade"].to_numpy()] == [1 / 3, 1 / 3]
    assert [float(each) for each in found.to_frame("systems", backend)["b"].to_numpy()] == [1 / 3, 1 / 3, 1]
    assert len(found.to_frame("statistics", backend)) == 9
    with pytest.raises(DataError, match="There is no table 'pairs'"):
        found.to_frame("pairs")


def test_ids_that_are_markup_or_no_text_break_nothing() -> None:
    odd = {"<b>|q": {"\udcff": 1, "a`b": 0}, "q": {"x": 1}}
    found = carob.agreement(
        odd, odd, {"r|1": {"<b>|q": ranked("a`b")}, "r*2": {"<b>|q": ranked("\udcff")}}, "RR"
    )
    assert "| r\\|1 |" in found.to_markdown()
    assert json.loads(found.to_json())["queries"]["both"] == ["<b>|q", "q"]


def test_a_table_of_many_systems_is_cut_and_says_how_to_see_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = []
    for name in ("a", "b"):
        (tmp_path / name).write_text("".join(f"q{query} 0 d{query} 1\n" for query in range(4)))
    for number in range(24):
        path = tmp_path / f"s{number:02}.run"
        path.write_text("".join(f"q{query} Q0 d{query + number % 3} 1 1.0 s{number}\n" for query in range(4)))
        files.append(str(path))

    def rows(*more: str) -> tuple[int, str]:
        main(["agreement", str(tmp_path / "a"), str(tmp_path / "b"), *files, "-m", "RR", *more])
        printed = capsys.readouterr().out
        table = printed.partition("RR under each judge\n")[2].partition("\n\n")[0]
        return sum(line.startswith("s") for line in table.splitlines()), printed

    assert rows()[0] == 20
    count, printed = rows("--top", "3")
    assert count == 3
    assert "21 more runs are not shown; --top 24 shows all." in printed
    count, printed = rows("--top", "24")
    assert count == 24
    assert "not shown" not in printed
