"""Errors for input that cannot be read: what to do about words in place of numbers, and about missing files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import carob
from carob import DataError

if TYPE_CHECKING:
    from pathlib import Path


def test_grades_that_are_levels_or_words_are_told_how_to_become_numbers(tmp_path: Path) -> None:
    run = b"q Q0 a 1 1.0 t\n"
    with pytest.raises(DataError, match=r"'L3' is not a number.*in NTCIR's form: write 3, or"):
        carob.evaluate(b"q 0 a L3\n", run, "RR")
    with pytest.raises(DataError, match=r"found 3 columns.*awk '\{print \$1, 0, \$2, \$3\}'"):
        carob.evaluate(b"q a L3\n", run, "RR")
    with pytest.raises(
        DataError, match=r"'Good' is not a number.*The field is a word: write a number instead"
    ):
        carob.evaluate(b"q 0 a Good\n", run, "RR")


def test_a_missing_file_is_an_error_with_the_files_of_similar_names(tmp_path: Path) -> None:
    for name in ("bm25.run", "dense.run"):
        (tmp_path / name).write_text("q Q0 a 1 1 t\n")
    for missing, said in {
        "bm52.run": "No such file or directory. Check the path: its folder contains 'bm25.run'.",
        "qrels": "No such file or directory. Check the path.",
        "runs/bm25.run": f"No such file or directory. Check the path: there is no folder '{tmp_path / 'runs'}'.",
    }.items():
        with pytest.raises(DataError) as error:
            carob.evaluate({"q": {"a": 1}}, tmp_path / missing, "AP")
        assert str(error.value) == f"{tmp_path / missing}: {said}"


def test_a_link_that_leads_nowhere_is_not_proposed_in_its_own_place(tmp_path: Path) -> None:
    (tmp_path / "dang.run").symlink_to("gone")
    with pytest.raises(
        DataError, match=r"symbolic link to 'gone', which does not exist\. Correct the link\.$"
    ):
        carob.evaluate({"q": {"a": 1}}, tmp_path / "dang.run", "AP")
