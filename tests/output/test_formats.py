"""Every format in the folder of formats writes every kind of part, and escapes what it writes."""

from __future__ import annotations

import re

import pytest

import carob
from carob.output.document import Document, Formula, Items, Line, Section, Table, Terms
from carob.output.formats import format_named, format_names
from carob.output.formats.html import Html
from carob.output.layout import Marked
from carob.output.pictures.critical_difference import RankPicture

PARTS = {
    "line": (Line("a sentence"), "a sentence"),
    "answer": (Line("an answer", "answer"), "an answer"),
    "items": (Items(["one", "two"]), "two"),
    "terms": (Terms([("term", "meaning"), ("other", "")]), "meaning"),
    "table": (Table(["run", "AP"], [["bm25", Marked("0.31", "ab", bold=True)]]), "bm25"),
    "picture": (RankPicture(["bm25", "dense"], [1.0, 2.0], 2, 0.5, []), "bm25"),
}


@pytest.mark.parametrize("name", format_names())
@pytest.mark.parametrize("kind", PARTS)
def test_every_format_writes_every_part(kind: str, name: str) -> None:
    part, words = PARTS[kind]
    written = Document([Section([part], "Section")], "Title").to(name)
    assert [written.count(each) for each in ("Section", words)] == [1, 1]
    assert "Title" in written
    assert written.endswith("\n")


@pytest.mark.parametrize("name", format_names())
def test_what_is_empty_is_left_out(name: str) -> None:
    form = format_named(name)
    assert Items([]).written(form) == Terms([("term", "")]).written(form) == ""
    assert bool(Formula("x^2").written(form)) == (name == "latex")


@pytest.mark.parametrize("name", format_names())
def test_a_result_is_written_by_the_name_of_its_format(name: str) -> None:
    scores = carob.evaluate({"q": {"a": 1}}, {"q": {"a": 2.0}}, "RR")
    runs = {name: {query: {"a": score} for query in "pqr"} for name, score in (("x", 1.0), ("y", 2.0))}
    found = carob.compare(None, carob.evaluate({query: {"a": 1} for query in "pqr"}, runs, "RR"))
    for each in (scores, found):
        if hasattr(each, f"to_{name}"):
            assert each.to(name) == getattr(each, f"to_{name}")()
    assert found.to(name, top=1) != found.to(name)


def test_an_unknown_format_is_refused() -> None:
    scores = carob.evaluate({"q": {"a": 1}}, {"q": {"a": 2.0}}, "RR")
    with pytest.raises(carob.PolicyError, match="There is no format='markdwon'"):
        scores.to("markdwon")


def test_a_part_of_a_page_has_its_headings_below_and_its_tables_cut() -> None:
    rows = [[str(row)] for row in range(5)]
    written = Document([Section([Table(["n"], rows)], "Section")], "Title").written(Html(3, 3))
    assert "<h3>Title</h3>" in written
    assert "<h4>Section</h4>" in written
    assert written.count("<td") == 2
    assert "3 more rows" in written


def test_the_style_of_a_page_is_about_what_is_on_the_page() -> None:
    page = Document([Section([Line("a sentence")])], "Title").to("html")
    own = re.search(r"<style>(body .*?)</style>", page)
    assert own is not None
    assert set(re.findall(r"\.([\w-]+) \{", own[1])) == {"carob"}
    assert 'class="carob"' in page


def test_a_wide_table_in_latex_is_several_tables_and_nothing_between_them() -> None:
    header = ["run", *(f"measure {number}" for number in range(40))]
    wide = format_named("latex").sheet(header, [["bm25", *["0.1"] * 40]], [0], 1)
    parts = re.split(r"\\begin\{tabular\}.*?\\end\{tabular\}", wide, flags=re.DOTALL)
    assert len(parts) > 2
    assert not "".join(parts).strip()
