"""Doubtful inputs that were once evaluated in silence, each in several kinds of input, and right ones beside them."""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING, Any

import polars as pl
import pyarrow.dataset as ds
import pytest

import carob
from toys import command

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

QUERIES = [f"q{number}" for number in range(1, 9)]
QRELS = {query: {f"{query}-d{place}": place % 2 for place in range(6)} for query in QUERIES}
RUN = {query: {f"{query}-d{place}": 9.0 - place for place in range(6)} for query in QUERIES}
OTHER = {query: {f"{query}-e{place}": 8.5 - place for place in range(6)} for query in QUERIES}


def said(call: Callable[[], object]) -> str:
    """Returns the warnings of a call, as one text, or its error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", carob.DataWarning)
        try:
            call()
        except carob.DataError as error:
            return str(error)
    return " ".join(str(each.message) for each in caught)


@pytest.fixture
def told(capfd: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Returns a function that runs a command, and returns all that it prints."""

    def printed(*arguments: str) -> str:
        command(*arguments)
        return "".join(capfd.readouterr())

    return printed


def rows(number: str, given: Mapping[str, Mapping[str, float]], **more: str) -> list[dict[str, Any]]:
    """Returns a row for each document of each query."""
    return [
        {"query_id": query, "doc_id": document, number: value, **more}
        for query, its in given.items()
        for document, value in its.items()
    ]


def trec(given: Mapping[str, Mapping[str, float]], tag: str = "run") -> str:
    """Returns a run as text."""
    return "".join(
        f"{query} Q0 {document} {rank} {score} {tag}\n"
        for query, its in given.items()
        for rank, (document, score) in enumerate(its.items(), 1)
    )


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Writes judgments and a run, and goes to their folder."""
    monkeypatch.chdir(tmp_path)
    judged = "".join(
        f"{query} 0 {each} {grade}\n" for query, its in QRELS.items() for each, grade in its.items()
    )
    (tmp_path / "qrels.txt").write_text(judged)
    (tmp_path / "a.run").write_text(trec(RUN))
    (tmp_path / "b.run").write_text(trec(OTHER | {"q1": RUN["q1"]}))
    return tmp_path


# ---------------------------------------------------------------- several systems in one table

LAZY: dict[str, Callable[[pl.DataFrame], Any]] = {
    "polars": lambda frame: frame.lazy(),
    "duckdb": lambda frame: pytest.importorskip("duckdb").sql("select * from frame"),
    "dataset": lambda frame: ds.dataset(frame.to_arrow()),
    "reader": lambda frame: frame.to_arrow().to_reader(),
    "ibis": lambda frame: pytest.importorskip("ibis").memtable(frame.to_arrow()),
    "polars as engine": lambda frame: carob.Run.of(frame.lazy(), extract="engine"),
    "duckdb as engine": lambda frame: carob.Run.of(LAZY["duckdb"](frame), extract="engine"),
}


@pytest.mark.parametrize("kind", LAZY)
def test_lazy_tables_of_several_systems_are_told(kind: str) -> None:
    several = pl.DataFrame(rows("score", RUN, system="a") + rows("score", OTHER, system="b"))
    one = pl.DataFrame(rows("score", RUN, system="a"))
    assert "column 'system' names 2 systems, 'a', 'b'" in said(
        lambda: carob.evaluate(QRELS, LAZY[kind](several), "AP")
    )
    assert not said(lambda: carob.evaluate(QRELS, LAZY[kind](one), "AP"))
    assert not said(lambda: carob.evaluate(QRELS, LAZY[kind](one.drop("system")), "AP"))


@pytest.mark.parametrize("kind", ["polars", "polars as engine", "duckdb as engine", "ibis"])
def test_repeats_of_several_systems_are_refused_with_their_column(kind: str) -> None:
    several = pl.DataFrame(rows("score", RUN, system="a") + rows("score", RUN, system="b"))
    found = said(lambda: carob.evaluate(QRELS, LAZY[kind](several), "AP"))
    assert "twice" in found
    assert "Column 'system' names 2 systems" in found


def test_rows_of_several_systems_are_refused_with_their_field() -> None:
    several = rows("score", RUN, system="a") + rows("score", RUN, system="b")
    found = said(lambda: carob.evaluate(QRELS, several, "AP"))
    assert "Column 'system' names 2 systems" in found
    assert "row['system'] == 'a'" in found


def test_the_advice_for_a_lazy_frame_works() -> None:
    run = pl.DataFrame(rows("score", RUN, system="a") + rows("score", OTHER, system="b")).lazy()
    with pytest.warns(carob.DataWarning) as caught:
        carob.evaluate(QRELS, run, "AP")
    advice = str(caught[0].message).partition("separate runs: ")[2].removesuffix(".")
    parts = eval(advice, {"run": run, "polars": pl})
    assert {name: part.collect().height for name, part in parts.items()} == {"a": 48, "b": 48}


# ---------------------------------------------------------------- names of queries that do not exist


@pytest.mark.parametrize(
    "given",
    [
        ["eval", "qrels.txt", "a.run", "--by"],
        ["compare", "qrels.txt", "a.run", "b.run", "--by"],
        ["compare", "qrels.txt", "a.run", "b.run", "--cluster"],
        ["best", "qrels.txt", "a.run", "b.run", "--cluster"],
    ],
)
def test_groups_of_queries_that_do_not_exist_are_told(
    files: Path, told: Callable[..., str], given: list[str]
) -> None:
    right = "".join(f"{query} group{query in ('q1', 'q2')}\n" for query in QUERIES)
    (files / "groups.txt").write_text(right)
    assert "names" not in told(*given, "groups.txt")
    (files / "groups.txt").write_text(f"{right}Q1 group\nq99 group\n")
    assert "groups.txt names 2 queries that the judgments do not have, 'Q1' and 'q99'" in told(
        *given, "groups.txt"
    )


def test_groups_of_unjudged_queries_of_a_run_are_right() -> None:
    groups = dict.fromkeys([*QUERIES, "q9"], "all")
    with_more = RUN | {"q9": {"d": 1.0}}
    assert not said(lambda: carob.evaluate(QRELS, with_more, "AP", by=groups))
    assert "groups names 1 query" in said(lambda: carob.evaluate(QRELS, RUN, "AP", by=groups))


def test_groups_of_judged_queries_without_a_value_are_right() -> None:
    judged = QRELS | {"q9": {"d": 0}}
    groups = dict.fromkeys([*QUERIES, "q9"], "all")
    policy = carob.Policy(empty="skip", missing="skip")
    assert not said(lambda: carob.evaluate(judged, RUN, "AP", by=groups, policy=policy))


def test_one_warning_about_weights_is_printed_once_for_two_runs(
    files: Path, told: Callable[..., str]
) -> None:
    weights = dict.fromkeys([*QUERIES, "Q1"], 1.0)
    (files / "weights.txt").write_text("".join(f"{query} {weight}\n" for query, weight in weights.items()))
    found = told("compare", "qrels.txt", "a.run", "b.run", "--weights", "weights.txt")
    assert found.count("! weights names 1 query") == 1


# ---------------------------------------------------------------- pairs to exclude, partly misspelled


@pytest.mark.parametrize("face", ["dict", "frame", "file"])
@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        (("Q2", "q2-d0"), "exclude has the query 'Q2', but the judgments have 'q2'"),
        (("q3", "Q3-D1"), "exclude has the document 'Q3-D1' of query 'q3', but the run has 'q3-d1'"),
    ],
)
def test_pairs_to_exclude_under_other_ids_are_told(
    tmp_path: Path, face: str, wrong: tuple[str, str], expected: str
) -> None:
    pairs = [("q1", "q1-d0"), wrong]
    given: Any = {query: [document] for query, document in pairs}
    if face == "frame":
        given = pl.DataFrame({"query_id": [each[0] for each in pairs], "doc_id": [each[1] for each in pairs]})
    if face == "file":
        given = tmp_path / "pairs.txt"
        given.write_text("".join(f"{query} {document}\n" for query, document in pairs))
    assert expected in said(lambda: carob.evaluate(QRELS, RUN, "AP", exclude=given))


def test_pairs_of_other_users_and_items_are_right_to_exclude() -> None:
    seen = {"q1": ["q1-d0", "never-retrieved"], "another-user": ["q1-d0"]}
    assert not said(lambda: carob.evaluate(QRELS, RUN, "AP", exclude=seen))


# ---------------------------------------------------------------- codes, and places for ids


@pytest.mark.parametrize("code", [-9, -99, -999])
@pytest.mark.parametrize("face", ["dict", "frame"])
def test_codes_below_all_grades_are_told(code: int, face: str) -> None:
    coded = {query: {each: grade or code for each, grade in its.items()} for query, its in QRELS.items()}
    given = coded if face == "dict" else pl.DataFrame(rows("relevance", coded))
    assert "24 grades far from all other grades" in carob.evaluate(given, RUN, "AP").footer()
    compared = carob.compare(given, {"a": RUN, "b": OTHER | {"q1": RUN["q1"]}}, "AP")
    assert "24 grades far from all other grades" in str(compared)


@pytest.mark.parametrize("grades", [(-1, 1), (-2, 4), (-1, 0, 2), (-4, -3, -2, -1, 0, 1)])
def test_negative_grades_of_a_scale_are_no_codes(grades: tuple[int, ...]) -> None:
    judged = {
        query: {each: grades[place % len(grades)] for place, each in enumerate(its)}
        for query, its in QRELS.items()
    }
    assert "far from" not in carob.evaluate(judged, RUN, "nDCG").footer()


def test_answers_without_ids_are_told_from_ids_with_a_prefix(files: Path, told: Callable[..., str]) -> None:
    hits = [
        {"hits": {"hits": [{"_id": each, "_score": score} for each, score in its.items()]}}
        for its in RUN.values()
    ]
    (files / "msearch.json").write_text(json.dumps({"responses": hits}))
    found = told("eval", "qrels.txt", "msearch.json")
    assert "{query: answer}" in found
    (files / "named.json").write_text(json.dumps(dict(zip(QUERIES, hits, strict=True))))  # as it says
    assert "8 queries" in told("eval", "qrels.txt", "named.json")
    (files / "numbers.run").write_text(trec({query.removeprefix("q"): its for query, its in RUN.items()}))
    assert "prefix 'q'" in told("eval", "qrels.txt", "numbers.run")


@pytest.mark.parametrize("written", ["nan", "None", "<NA>", "null"])
@pytest.mark.parametrize("face", ["dict", "frame", "text"])
def test_documents_called_as_missing_values_are_told(files: Path, written: str, face: str) -> None:
    judged = {query: {**its, written: 1} for query, its in QRELS.items()}
    given: Any = judged if face == "dict" else pl.DataFrame(rows("relevance", judged))
    if face == "text":
        given = files / "written.txt"
        lines = [
            f"{query} 0 {each} {grade}\n" for query, its in judged.items() for each, grade in its.items()
        ]
        given.write_text("".join(lines))
    run = {query: {**its, written: 20.0} for query, its in RUN.items()}
    assert f"judges a document called '{written}'" in said(lambda: carob.evaluate(given, run, "AP"))
    assert not said(lambda: carob.evaluate(QRELS, run, "AP"))
