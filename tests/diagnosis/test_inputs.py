"""What a check accepts: files of any format, compressed files, dicts, rows and tables with named columns."""

from __future__ import annotations

import gzip
import itertools
from pathlib import Path
from typing import Any

import pytest

import carob
from carob.cli import main
from carob.diagnosis.check import check
from carob.diagnosis.check.inputs import fields_in, known_as, lined, number, taken, token, usual_width
from diagnosis import broken
from diagnosis.checked import QRELS, codes, examined, lines


@pytest.mark.parametrize(
    ("qrels", "words"),
    [
        (b"q1\ta\t1\nq2\td\t1\n", "3 columns instead of 4"),
        (b"q1,0,a,1\nq2,0,d,1\n", "separated by commas"),
        (b"q1 0 a 1,5\nq1 0 b 0\nq2 0 d 1\n", "not of the form 'query 0 document grade'"),
        (b'{"q1": {"a": 1}}', "is JSON"),
        ("q1 0 a 1\n".encode("utf-16"), "is UTF-16 text"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "a Git LFS pointer"),
        (b"<!DOCTYPE html><html>", "an HTML page"),
        (b"PK\x03\x04 and more", "a ZIP archive"),
    ],
)
def test_other_formats_are_named(qrels: bytes, words: str) -> None:
    found = check(qrels, lines("q1 Q0 a 1 1", "q2 Q0 d 1 1"))
    assert any(words in each.what for each in found.findings if each.severity == "error"), str(found)


@pytest.mark.parametrize("cut", [1, 9, 100])
def test_compressed_files_cut_short_are_read_as_far_as_they_go(cut: int, tmp_path: Path) -> None:
    content = gzip.compress("".join(f"{broken.run()}").encode(), mtime=0)[:-cut]
    found = examined(tmp_path, broken.Case("note", runs=(content,)))
    assert [each.severity for each in found.of("truncated")] == ["error"]


def test_a_good_compressed_file_is_clean(tmp_path: Path) -> None:
    assert (
        examined(tmp_path, broken.Case("note", runs=(gzip.compress(broken.run().encode()),))).findings == ()
    )


def test_other_runs_are_looked_at_where_one_cannot_be_read(tmp_path: Path) -> None:
    case = broken.Case("note", runs=("/nowhere.run", broken.run(lambda query, place: 0)))
    assert codes(examined(tmp_path, case)) == {"unreadable", "constant-scores"}


def test_dicts_are_checked_like_files() -> None:
    qrels = {f"q{n}": {f"d{n}-{m}": m % 2 for m in range(12)} for n in range(25)}
    order = sorted(range(12), key=lambda m: m - 4.5 * (m % 2))
    run = {f"q{n}": {f"d{n}-{m}": 12.5 - place for place, m in enumerate(order)} for n in range(25)}
    assert check(qrels, run).findings == ()
    assert codes(check(qrels, {"a": run, "b": {**run, "q0": {"d0-1": float("inf"), "d0-2": 1.0}}})) == {
        "infinite-scores"
    }


@pytest.mark.parametrize(
    ("qrels", "run", "code"),
    [
        ({1.5: {"a": 1}}, {"1": {"a": 1.0}}, "refused"),
        (QRELS, {"q1": {"a": float("nan")}}, "refused"),
        (QRELS, {"q1": {"a": None}}, "refused"),
        (QRELS, {"q1": 3.0}, "refused"),
        (QRELS, {"q1": {}, "q2": {}}, "empty"),
        (QRELS, {1.5: {"a": 1.0}}, "refused"),
        ({"q 1": {"a": 1}}, {"q1": {"a": 1.0}}, "query-spelling"),
        (QRELS, {"q1": {"a": 0.1, "b": 0.2, "c": 0.3}, "q2": {"d": 0.1, "e": 0.5}}, "ascending-scores"),
    ],
)
def test_what_is_wrong_in_a_dict_is_found(qrels: Any, run: Any, code: str) -> None:
    found = check(qrels, run)
    assert code in codes(found), str(found)


def test_nothing_given_is_changed() -> None:
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"b": 1.0, "a": 2.0}}
    check(qrels, run)
    assert (qrels, run) == ({"q": {"a": 1, "b": 0}}, {"q": {"b": 1.0, "a": 2.0}})
    judged, ranked = carob.Qrels.of(qrels), carob.Run.of(run)
    assert check(judged, ranked).to_json() == check(judged, ranked).to_json()


def test_ids_with_blanks_are_the_same_in_text_tables_and_dicts(tmp_path, monkeypatch, capfd) -> None:
    pytest.importorskip("polars", reason="reads tables")
    monkeypatch.chdir(tmp_path)
    grades = {"red shoes": {"doc 1": 1, "doc 2": 0}, "hat": {"doc 1": 1, "c": 0}}
    rows = [(query, each, grade) for query, its in grades.items() for each, grade in its.items()]
    for name, sign in (("tab", "\t"), ("csv", ",")):
        (tmp_path / "c" / name).mkdir(parents=True)
        table = [("query", "document", "{}"), *rows]
        text = "".join(f"{q}{sign}{d}{sign}{g}\n" for q, d, g in table)
        qrels, run = text.format("grade"), text.format("score")
        if name == "tab":
            qrels = "".join(f"{q}\t0\t{d}\t{g}\n" for q, d, g in rows)
            run = "".join(f"{q}\tQ0\t{d}\t{2 - g}\t{g}\tme\n" for q, d, g in rows)
        Path(f"c/{name}/qrels.{name}").write_text(qrels)
        Path(f"c/{name}/me.{name}").write_text(run)
    judged = [grades, "c/tab/qrels.tab", "c/csv/qrels.csv"]
    for qrels, run in itertools.product(judged, [grades, "c/tab/me.tab", "c/csv/me.csv"]):
        found = carob.check(qrels, run)
        assert {each.code for each in found} <= {"few-queries", "separators"}, (qrels, run)
        assert [each.value for each in found.baselines] == [1, 1]
        separated = [each.place for each in found.of("separators")]  # of files as they are, not of tables
        assert all(place.endswith(".tab") for place in separated)
    for qrels, run in (("tab", "csv"), ("csv", "tab")):
        Path("table.csv").write_text(f"collection,qrels,run\nx,c/{qrels}/qrels.{qrels},c/{run}/me.{run}\n")
        with pytest.raises(SystemExit):
            main(["check", "--collections", "table.csv"])
        assert "0 errors" in capfd.readouterr().out


def test_rows_in_a_list_are_one_run_and_an_empty_run_beside_others_is_named() -> None:
    rows = [{"query_id": "q", "doc_id": each, "score": 1.0} for each in "ab"]
    qrels = [{"query_id": "q", "doc_id": "a", "relevance": 1}]
    found = check(qrels, rows).findings
    assert check({"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}).findings == found
    several = check({"q": {"a": 1}}, {"old": {}, "new": {"q": {"a": 1.0}}}).findings
    assert [(each.code, each.subject) for each in several if each.severity == "error"] == [("empty", "old")]


@pytest.mark.parametrize("library", ["pandas", "polars", "rows", "csv"])
@pytest.mark.parametrize("query", ["topic", ":=q1"])
def test_named_columns_are_read_in_every_form_of_a_table(library: str, query: str, tmp_path: Path) -> None:
    """The column ``first`` has equal scores, the column ``second`` has not: what is found tells which was read."""
    run = {
        "topic": ["q1"] * 4,
        "item": ["a", "b", "c", "d"],
        "first": [1.0] * 4,
        "second": [4.0, 3.0, 2.0, 1.0],
    }
    judged = {"topic": ["q1"] * 2, "item": ["a", "b"], "level": [1, 0], "other": [0, 0]}

    def made(table: dict[str, list[Any]], name: str) -> Any:
        if library == "rows":
            return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
        frames = pytest.importorskip("pandas" if library == "csv" else library, reason="makes a frame")
        frame = frames.DataFrame(table)
        if library != "csv":
            return frame
        frame.to_csv(tmp_path / name, index=False)
        return str(tmp_path / name)

    def codes(score: str, grade: str) -> set[str]:
        place = {"query": query, "document": "item"}
        found = check(
            made(judged, "judged.csv"),
            made(run, "run.csv"),
            qrels_columns={**place, "grade": grade},
            run_columns={**place, "score": score},
        )
        return {each.code for each in found.findings}.intersection(
            {"constant-scores", "no-relevant", "unreadable", "refused"}
        )

    assert codes("second", "level") == set()
    assert codes("first", "level") == {"constant-scores"}
    assert codes("second", "other") == {"no-relevant"}
    assert codes("third", "level") == {"unreadable" if library == "csv" else "refused"}


def test_ids_and_numbers_are_fields_of_a_line() -> None:
    for given, field in (("a b", b"a b"), (" x", b"\xc2\xa0x"), ("a\tb", b"a\xc2\xa0b"), ("", b"\xc2\xa0")):
        assert token(given) == field
    assert [number(each) for each in (1, 0.5, None, True)] == [b"1", b"0.5", b"None", b"1"]
    rows = [("q 1", "a", 1), ("q 1", "b", 0.5)]
    assert lined(rows, "run") == b"q 1\t0\ta\t1\t1\t-\nq 1\t0\tb\t2\t0.5\t-\n"
    assert lined(rows, "qrels") == b"q 1\t0\ta\t1\nq 1\t0\tb\t0.5\n"


def test_fields_are_separated_by_tabs_or_by_blanks() -> None:
    assert fields_in(b"red shoes\t0\td 1\t 2\n") == [b"red shoes", b"0", b"d 1", b"2"]
    assert fields_in(b"  q 0  d 2\n") == [b"q", b"0", b"d", b"2"]
    assert usual_width(taken(b"a b c\na b\nq r s\nlast\n", "qrels")) == 3
    assert usual_width(taken({"q": {"a": 1}}, "qrels")) == 0


def test_places_are_lines_of_files_and_rows_of_anything_else() -> None:
    assert taken(b"q Q0 d 1 2 t\n", "run").at(1200, "x") == "line 1,200: 'x'"
    assert taken({"q": {"a": 1.0}}, "run").at(3, "x\ty") == "'x y'"
    assert known_as("x/y.run", None) == ("y", "x/y.run")
    assert known_as("x/y.run", "mine") == ("mine", "mine")
