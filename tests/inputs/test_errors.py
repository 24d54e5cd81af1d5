"""Errors for input that cannot be read: what to do about words in place of numbers, and about missing files."""

from __future__ import annotations

from pathlib import Path

import pytest

import carob
from carob import DataError
from carob.inputs.errors import columns_remedy, first_line, for_people, line_in, refusals, sentences


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


@pytest.mark.parametrize(
    ("text", "fault", "numbers"),
    [
        ("1,5", "comma", {"plain": "1.5"}),
        ("-1.234,5", "comma", {"plain": "-1234.5"}),
        ("16,783", "comma-or-thousands", {"plain": "16.783", "whole": "16783"}),
        ("1,234,567", "thousands", {"plain": "1234567"}),
        ("1 234.5", "thousands", {"plain": "1234.5"}),
        ("87 %", "unit", {"plain": "87"}),
        ("1,2,3", None, {}),
        ("good", None, {}),
    ],
)
def test_numbers_as_people_write_them_are_told_as_carob_reads_them(
    text: str, fault: str | None, numbers: dict[str, str]
) -> None:
    assert for_people(text) == (fault, numbers)


@pytest.mark.parametrize(
    ("kind", "line", "advice"),
    [
        ("weights", "q", None),
        ("run", "q,a,1", "This looks like CSV or JSON, but bytes and streams are read as TREC text"),
        (
            "qrels",
            "q 0 a 1 q 0 b 1",
            "This may be two lines, from a file without a final newline that was concatenated",
        ),
    ],
)
def test_a_line_with_another_number_of_columns_is_told_what_it_looks_like(
    kind: str, line: str, advice: str | None
) -> None:
    found = columns_remedy(kind, str(len(line.split())), line)
    assert (found is None) if advice is None else (found is not None and advice in found)


def test_a_line_of_joined_files_is_found_in_its_own_file(tmp_path: Path) -> None:
    paths = tuple(str(tmp_path / name) for name in ("a", "b", "c"))
    for path, lines in zip(paths, (2, 0, 3), strict=True):
        Path(path).write_text("x\n" * lines)
    assert [line_in(paths, line) for line in (1, 2, 3, 5)] == [
        (paths[0], 1),
        (paths[0], 2),
        (paths[2], 1),
        (paths[2], 3),
    ]


def test_errors_while_reading_become_sentences_with_the_name_of_the_input() -> None:
    with pytest.raises(DataError) as error, sentences("a.run"):
        raise PermissionError(13, "Permission denied")
    assert str(error.value) == "a.run: Permission denied."
    with pytest.raises(KeyError), sentences("a.run"):
        raise KeyError("no error of input")


def test_errors_of_a_library_become_sentences_and_others_stay_as_they_are() -> None:
    with pytest.raises(DataError) as error, refusals("run", "polars"):
        raise ValueError("cannot cast:\nmore of it")
    assert str(error.value) == "The run frame from polars cannot be read: cannot cast."
    with pytest.raises(DataError) as error, refusals("qrels", "pandas"):
        raise ImportError("pyarrow is required")
    assert str(error.value).startswith(
        "pandas needs PyArrow to convert the qrels frame, and PyArrow is missing"
    )
    with pytest.raises(AssertionError), refusals("run", "polars"):
        raise AssertionError
    assert first_line(ValueError("a", "b.")) == "a; b"
    assert first_line(ValueError()) == "ValueError"
