"""Leaderboards: which columns a file has, runs of a folder, and faults with their place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import carob
from carob.evaluation.leaderboards import leaderboard_columns

if TYPE_CHECKING:
    from pathlib import Path


def test_a_folder_of_trec_evals_files_has_a_run_in_each(tmp_path: Path) -> None:
    for run in "abc":
        text = f"runid\tall\ttag{run}\nmap\tq1\t0.{ord(run) - 90}\nmap\tall\t0.{ord(run) - 90}\n"
        (tmp_path / f"{run}.txt").write_text(text, encoding="utf-8")
    (tmp_path / ".hidden").write_text("nothing", encoding="utf-8")
    assert carob.read_leaderboard(tmp_path).values == {
        run: {"map": {"q1": value}} for run, value in {"a": 0.7, "b": 0.8, "c": 0.9}.items()
    }


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("a COVERAGE q1 0.5\na COVERAGE q1 0.6\n", "second value"),
        ("a COVERAGE q1 0.5\na COVERAGE 0.6\n", "found 3 columns, expected 4"),
        ("a COVERAGE q1 inf\n", "not a finite number"),
        ("\n\n", "empty"),
    ],
)
def test_faults_of_leaderboards_are_named_with_their_place(content: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "board.txt"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(carob.DataError, match=said) as found:
        carob.read_leaderboard(file, "tot")
    assert "board.txt" in str(found.value)


def test_a_short_line_below_a_header_is_named(tmp_path: Path) -> None:
    file = tmp_path / "board.txt"
    file.write_text("query Q0 run rank value measure\nq1 0\n", encoding="utf-8")
    with pytest.raises(carob.DataError, match="found 2 columns, expected 6"):
        carob.read_leaderboard(file, "ranking")


@pytest.mark.parametrize(
    ("lines", "columns", "headed"),
    [
        (["map q1 0.5"], ("measure", "query", "value"), False),
        (["runid all mine"], ("measure", "query", "value"), False),
        (["q1 map 0.5"], ("query", "measure", "value"), False),
        (["a NUGGETS q1 0.5", "a NUGGETS all 0.5"], ("run", "measure", "query", "value"), False),
        (["a q1 NUGGETS 0.5", "a all NUGGETS 0.5"], ("run", "query", "measure", "value"), False),
        (["a nDCG@10 q1 0.5"], ("run", "measure", "query", "value"), False),
        (["a q1 nDCG@10 0.5"], ("run", "query", "measure", "value"), False),
        (["value run query measure"], ("value", "run", "query", "measure"), True),
        (["q1 0 d1 1", "q1 0 d2 0"], None, False),  # judgments
        (["a NUGGETS q1 0.5"], None, False),
        (["q1 Q0 a 0 0.5 nDCG@10"], None, False),
    ],
)
def test_columns_are_known_by_a_header_by_measures_and_by_rows_of_means(
    lines: list[str], columns: tuple[str, ...] | None, headed: bool
) -> None:
    assert leaderboard_columns([line.split() for line in lines]) == (columns, headed)


def test_the_table_counts_values_and_shows_the_means_that_the_file_states(tmp_path: Path) -> None:
    file = tmp_path / "board.txt"
    file.write_text("b AP q1 0.5\nb AP q2 0.75\na AP q1 0.25\na AP all 0.3\na RR all 1\n", encoding="utf-8")
    board = carob.read_leaderboard(file)
    assert (board.runs, board.measures) == (["a", "b"], ["AP", "RR"])
    assert board.stated == {"a": {"AP": 0.3, "RR": 1.0}}
    rows = [line.split() for line in str(board).splitlines()]
    for row in (
        ["a", "AP", "1", "0.3000"],
        ["a", "RR", "0", "1.0000"],
        ["b", "AP", "2"],
        ["b", "RR", "0"],
    ):
        assert [each for each in rows if each[: len(row)] == row], row


def test_an_unknown_format_and_what_is_no_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(carob.PolicyError, match=r".") as unknown:
        carob.read_leaderboard(tmp_path, "tots")
    assert str(unknown.value) == "There is no leaderboard format 'tots'. Did you mean tot or auto?"
    with pytest.raises(carob.DataError, match=r"the folder is empty\. Pass a file, or a folder with"):
        carob.read_leaderboard(tmp_path)
    with pytest.raises(carob.DataError, match=r".") as stream:
        carob.read_leaderboard("-")
    assert str(stream.value) == "Leaderboards cannot be read from standard input ('-'): pass files."
