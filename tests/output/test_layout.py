"""Numbers, names, tables and folded lines of text, and results at a prompt and in a notebook, which obey no name."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob.output.document import Document, Section
from carob.output.language import language_named
from carob.output.layout import (
    Display,
    Marked,
    apart,
    bands_of,
    decimals,
    folded,
    interval,
    label_apart,
    listed,
    signed,
    table_width,
    text,
    width,
)

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = "<script>alert(1)</script>"


@cache
def made(queries: int, name: str = "one") -> Mapping[str, Any]:
    """A result of each kind over so many queries."""
    qrels = {f"q{number}": {"a": 1, "b": number % 2} for number in range(queries)}
    old = {query: {"a": 1.0, "b": 2.0} for query in qrels}
    new = {query: {"a": 2.0, "b": 1.0} for query in qrels}
    scores = carob.evaluate(qrels, new, ["AP", "RR"], name=name)
    several = carob.evaluate(qrels, {name: new, "old": old}, "AP")
    partial = {query: {"a": 1} for query in qrels}
    return {
        "best": carob.best(several, resampling=carob.Resampling(resamples=100)),
        "collections": carob.compare_collections({"here": several, "there": several}),
        "scores of collections": carob.evaluate_collections({"here": several, "there": several}),
        "next": carob.next_judgments(partial, {name: new, "old": old}, "P@2"),
        "bounds": carob.unjudged_bounds(partial, {name: new, "old": old}, "P@2"),
        "pool": carob.check_pool(partial, {name: new, "old": old}, "P@2", pool_depth=1),
        "variances": carob.variance_components(several),
        "plan": carob.plan(several, difference=0.1),
        "scores": scores,
        "scores of runs": carob.evaluate(qrels, {name: new, "old": old}, ["AP", "RR"]),
        "comparison": carob.compare(qrels, {name: new, "old": old}, ["AP", "RR"]),
        "contest": carob.compare(qrels, {name: new, "old": old}, "AP").primary,
        "check": carob.check(qrels, new),
        "curve": carob.curve(["P", "nDCG"], qrels, new, at=range(1, 200)),
        "agreement": carob.agreement(qrels, qrels),
        "correlations": carob.correlate(qrels, {name: qrels}, {name: new, "old": old, "third": old}, "AP"),
        "difference": carob.difference("trec_eval-9", "sklearn", "AP", qrels, new),
        "whence": carob.whence("0.5", None, qrels, new, query="q1"),
        "fused document": carob.fuse({name: new, "old": old}).explain("q0", "a"),
        "written run": carob.write_run(new, io.BytesIO(), depth=1),
        "tuned fusion": carob.tune_fusion(qrels, {name: new, "old": old}, "RR"),
        "gate": carob.gate(None, scores, scores, {"AP": 0.1}),
        "beyond": carob.beyond_accuracy({query: list(its) for query, its in new.items()}),
        "beyond of runs": carob.beyond_accuracy(
            [carob.Run.of(new, name), carob.Run.of(old, "old")], "NumItems"
        ),
        "explanation": carob.explain("AP", qrels, new, query="q1"),
    }


def test_a_prompt_shows_a_few_lines_of_any_result() -> None:
    for kind, each in made(300).items():
        assert len(repr(each)) < 6000, kind
        assert len(repr(each).splitlines()) <= 60, kind


def test_a_prompt_shows_the_table() -> None:
    results = made(3)
    assert repr(results["scores"]) == str(results["scores"])
    assert repr(results["comparison"]) == str(results["comparison"]).rstrip("\n")
    assert repr(results["curve"]).endswith("… 143 more lines: print() shows them")


def test_a_notebook_shows_tables_and_obeys_no_name() -> None:
    for kind, each in made(3, name=HOSTILE).items():
        if kind == "contest":
            continue
        shown = each._repr_html_()
        assert "<script" not in shown, kind
        assert "<table>" in shown or kind == "written run", kind  # which is a sentence
    assert "&lt;script&gt;" in made(3, name=HOSTILE)["scores"]._repr_html_()
    assert "… 140 more rows" in made(3)["curve"]._repr_html_()


def test_every_public_class_that_can_be_printed_as_text_shows_itself() -> None:
    shown = {type(each) for each in made(3).values()}
    for name in carob.__all__:
        found = getattr(carob, name)
        if isinstance(found, type) and hasattr(found, "to_json"):
            assert issubclass(found, Display), name
            assert "_repr_html_" in dir(found), name
            assert found in shown or name in ("Verification", "Report", "Leaderboard"), name


def test_a_verification_shows_its_findings(tmp_path: Path) -> None:
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 2.0, "b": 1.0}}
    path = tmp_path / "record.json"
    carob.record(carob.evaluate(qrels, run, "RR", name="one"), path)
    assert "equal" in carob.verify(path, qrels, {"one": run})._repr_html_()
    changed = carob.verify(path, qrels, {"one": {"q": {"b": 1.0, "a": 0.5}}})._repr_html_()
    assert "<table>" in changed
    assert "mean 1, now 0.5" in changed


@pytest.mark.parametrize("kind", ["scores", "scores of runs", "curve", "beyond", "beyond of runs"])
def test_results_by_name_are_mappings(kind: str) -> None:
    found = made(3)[kind]
    assert isinstance(found, Mapping)
    assert dict(found) == dict(found.items()) == {**found}
    assert list(found.values()) == [found[name] for name in found]
    assert (len(found), list(found.keys())) == (len(dict(found)), list(found))
    assert all(name in found for name in found)
    assert ("nonsense" in found, found.get("nonsense", 7)) == (False, 7)


def test_scores_map_a_measure_to_its_mean() -> None:
    scores = made(3)["scores"]
    assert dict(scores) == {"AP": 1.0, "RR": 1.0} == scores
    assert scores["map"] == 1.0
    assert scores.matrix.shape == (3, 2)
    with pytest.raises(KeyError, match=r"P@5 was not evaluated. These measures were: AP, RR\."):
        scores["P@5"]


@pytest.mark.parametrize("meter", [carob.Meter(["RR"]), carob.Meter(["RR"], per_query=True)])
def test_a_meter_says_what_it_knows(meter: carob.Meter) -> None:
    np = pytest.importorskip("numpy")
    assert repr(meter) == "<carob.Meter: RR · 0 queries · policy ties input>"
    with pytest.raises(
        carob.DataError, match=r"There are no queries yet, so there is no mean: call update\(\)"
    ):
        meter.compute()
    meter.update(np.array([[0.9, 0.2]]), np.array([[0, 1]]), ids=["a"])
    assert repr(meter) == "<carob.Meter: RR 0.5000 · 1 query · policy ties input>"


def test_warnings_begin_with_a_mark() -> None:
    found = Document([Section.warned(["One doubt.", "Another."])])
    assert found.text() == "! One doubt.\n! Another.\n"


def test_wide_letters_fold_within_the_columns() -> None:
    texts = list(language_named("zh").texts.values())
    halves = [" ".join(texts[place::2]) for place in (0, 1)]  # longer ones are shortened, as words are
    for half, columns in product(halves, (20, 40, 80)):
        lines = folded(half, columns, "  ").splitlines()
        longest = max(len(each) for each in re.findall(r"[!-\u2e7f]+", half))
        assert max(map(width, lines)) <= max(columns, longest + 2) + 6  # what closes a sentence may hang over
        assert not any(line.strip()[:1] in "，。；：）" for line in lines if line.strip())
        assert re.sub(r"\s", "", "".join(lines)) == re.sub(r"\s", "", half)


def test_numbers_are_written_with_their_decimals_and_signs() -> None:
    nan, inf = float("nan"), float("inf")
    assert [decimals(each, 2) for each in (0.125, None, nan, -inf)] == ["0.12", "-", "-", "-"]
    assert decimals(0.5, 1, sign=True) == "+0.5"
    assert [signed(each, 2) for each in (-0.001, -0.25, 0.0, nan)] == ["+0.00", "-0.25", "+0.00", "-"]
    assert interval(-0.001, 0.25, 2, sign=True) == "[+0.00,+0.25]"
    assert interval(nan, 0.25, 2) == "-"
    assert interval(-inf, 0.25, 2) == "[-,0.25]"


def test_names_that_differ_stay_different_however_short() -> None:
    names = ["covidex.r5.2s.lr", "covidex.r5.d2q.2s.lr", "covidex.r5.2s.lr", "bm25"]
    assert apart(names, 10) == ["cov…s.lr~1", "cov…s.lr~2", "cov…s.lr~1", "bm25"]
    assert apart(["a\x07b"]) == ["a\\x07b"]
    assert label_apart("all", ["(all)", "((all))"]) == "(((all)))"
    assert listed([*"abcdefg"]) == "a, b, c, d, e and 2 more"
    assert listed([*"abcde"]) == "a, b, c, d, e"


HEADER, ROWS = ["run", "AP", "mean\nrank"], [["bm25", "0.5", "1"], ["茶", Marked("0.25", bold=True), "10"]]


def test_a_table_has_names_on_the_left_and_numbers_on_the_right() -> None:
    lines = ["            mean", "run     AP  rank", "bm25   0.5     1", "茶    0.25    10", ""]
    assert text(HEADER, ROWS, {0}).split("\n") == lines
    assert text(HEADER, ROWS, {0}, "*%s*").split("\n")[3] == "茶    *0.25*    10"
    assert table_width(HEADER, ROWS, 1) == 16


def test_a_wide_table_has_bands_that_repeat_the_names() -> None:
    rows = [["bm25", "0.5", "1"], ["dense", "0.25", "10"]]
    assert bands_of(HEADER, rows, {0}, 1, 80) == [(HEADER, rows, [0])]
    assert bands_of(HEADER, rows, {0}, 1, 12) == [
        (["run", "AP"], [["bm25", "0.5"], ["dense", "0.25"]], [0]),
        (["run", "mean\nrank"], [["bm25", "1"], ["dense", "10"]], [0]),
    ]
