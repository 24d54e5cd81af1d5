"""Judgments and runs that do not fit together: what is said of them, with the cause, and what is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import carob
from carob import DataError, DataWarning, Policy
from matching.unmet import QRELS, REFUSED, UNMET, qrels_file, run_by, run_file
from toys import command

pytestmark = pytest.mark.filterwarnings("default::carob.DataWarning")


@pytest.mark.parametrize("case", UNMET)
def test_a_run_without_any_judged_document_is_warned_of_with_the_cause(case: str) -> None:
    run, cause = UNMET[case]
    with pytest.warns(DataWarning, match=cause):
        scores = carob.evaluate(QRELS, run, ["AP", "nDCG@10"])
    assert scores.means() == {"AP": 0.0, "nDCG@10": 0.0}
    assert "no judged document retrieved" in scores.footer()
    assert scores.warnings
    written = json.loads(scores.to_json())["runs"][0]["warnings"]
    assert [each["sentence"] for each in written] == list(scores.warnings)
    with pytest.raises(DataError, match=cause):
        carob.evaluate(QRELS, run, "AP", policy=Policy(overlap="document"))


BLANK: dict[str, Any] = {
    "a document in a dict": ({"q": {"": 1, "a": 0}}, {"q": {"": 1.0, "b": 0.5}}),
    "blanks in a dict": ({"q": {" \t": 1, "a": 0}}, {"q": {" \t": 1.0, "b": 0.5}}),
    "a query in a dict": ({"": {"a": 1}}, {"": {"a": 1.0, "b": 0.5}}),
}


@pytest.mark.parametrize("what", BLANK)
@pytest.mark.parametrize("kind", ["dict", "pandas", "polars", "pyarrow", "rows"])
def test_blank_ids_that_match_are_said(what: str, kind: str) -> None:
    qrels, run = BLANK[what]
    if kind != "dict":
        rows = [
            [(query, document, value) for query, its in each.items() for document, value in its.items()]
            for each in (qrels, run)
        ]
        tables = [
            dict(zip(("query", "document", last), map(list, zip(*each, strict=True)), strict=True))
            for each, last in zip(rows, ("grade", "score"), strict=True)
        ]
        if kind == "rows":
            qrels, run = (
                [dict(zip(each, row, strict=True)) for row in zip(*each.values())] for each in tables
            )
        else:
            library: Any = pytest.importorskip(kind)
            qrels, run = (
                (library.table if kind == "pyarrow" else library.DataFrame)(each) for each in tables
            )
    with pytest.warns(
        DataWarning, match=r"1 judgment whose query or document is blank text, which matches blank"
    ):
        assert carob.evaluate(qrels, run, "AP")["AP"] == 1


@pytest.mark.parametrize("texts", ["run", "qrels"])
def test_texts_of_queries_beside_ids_are_told_apart(
    texts: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = {"q1": "What is tea?", "q2": "Who is Ann?"}
    golden = [{"id": query, "question": text, "expectedIds": ["a"]} for query, text in asked.items()]
    found = [{"id": query, "question": text, "retrievedIds": ["a", "b"]} for query, text in asked.items()]
    for row in found if texts == "run" else golden:
        del row["id"]
    paths = [str(tmp_path / name) for name in ("golden.json", "found.json")]
    for path, rows in zip(paths, (golden, found), strict=True):
        Path(path).write_text(json.dumps(rows))
    other = "qrels" if texts == "run" else "run"
    command("eval", *paths, "-m", "AP")
    said = capsys.readouterr().err
    one, its = ("run", "judgments") if texts == "run" else ("judgments", "run")
    assert f"The queries of the {one} are texts, and those of the {its} are ids." in said
    assert f"name it: --{other}-columns query=COLUMN." in said
    assert command("eval", *paths, "-m", "AP", f"--{other}-columns", "query=question") == 0
    assert "AP\nfound  1.0000" in capsys.readouterr().out


def by_query(shift: int) -> dict[str, dict[str, int]]:
    return {str(each + shift): {f"d{each}{place}": place % 3 for place in range(8)} for each in range(1, 7)}


def test_queries_that_are_numbered_from_0_are_not_called_a_spelling() -> None:
    for run in (by_query(-1), by_query(1)):
        said = " ".join(carob.evaluate(by_query(0), run, "AP", policy=Policy(missing="zero")).warnings)
        assert re.search(
            "retrieves for query '[0-9]' is judged for query '[0-9]'. Start numbering the queries at the",
            said,
        )
        assert "zeros" not in said
    named = {f"q{query}": its for query, its in by_query(0).items()}
    run = dict(zip(named, [*named.values()][::-1], strict=True))
    assert "Check how the queries were numbered" in " ".join(carob.evaluate(named, run, "AP").warnings)


def test_exchanged_columns_are_not_called_a_spelling(tmp_path: Path) -> None:
    """Queries and documents are numbers, some of which end alike."""
    qrels = {str(query): {f"{query * 8 + each:03}": each % 3 for each in range(8)} for query in range(1, 7)}
    rows = [(query, document) for query, its in qrels.items() for document in its]
    run = {document: {query: 1.0} for query, document in rows}
    (tmp_path / "x.run").write_text("".join(f"{document} Q0 {query} 1 1 t\n" for query, document in rows))
    for each in (run, tmp_path / "x.run"):
        with pytest.raises(DataError, match="queries are the judgments' documents: are its columns swapped"):
            carob.evaluate(qrels, each, "AP")


@pytest.mark.parametrize("case", REFUSED)
def test_a_run_without_judged_queries_is_refused_everywhere(case: str, tmp_path: Path) -> None:
    run, cause = REFUSED[case]
    path = run_file(tmp_path, run, "own.json")
    good = run_file(tmp_path, run_by(), "good.run")
    for given in (run, path):
        for call in (
            lambda given: carob.evaluate(QRELS, given, "AP"),
            lambda given: carob.curve("AP", QRELS, given),
            lambda given: carob.compare(QRELS, {"own": given, "good": good}, "AP"),
            lambda given: carob.gate(QRELS, given, None, at_least={"AP": 0.0}),
            lambda given: carob.difference("trec_eval-9", "ranx", "AP", QRELS, given),
            lambda given: carob.agreement(QRELS, QRELS, {"own": given, "good": good}, "AP"),
        ):
            with pytest.raises(DataError, match=cause):
                call(given)


def test_lines_that_are_all_skipped_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "comma.run"
    path.write_text("".join(f"q{number},Q0,00{number}1,1,1.0,t\n" for number in range(1, 5)))
    assert command("eval", "-m", "AP", "--lenient", qrels_file(tmp_path), str(path)) == 2
    said = capsys.readouterr()
    assert "skipped all 4 lines" in said.err
    assert "comma.run, line 1: found 1 column," in said.err
    assert not said.out


def test_an_empty_run_is_called_empty_whatever_becomes_of_missing_queries(tmp_path: Path) -> None:
    empty = tmp_path / "empty.run"
    empty.write_bytes(b"")
    for run in (str(empty), {}):
        with pytest.raises(carob.DataError, match="the run is empty"):
            carob.evaluate({"q": {"a": 1}}, run, "AP", policy=carob.Policy(missing="error"))
    allowed = carob.Policy(missing="error", overlap="none")
    with pytest.raises(carob.DataError, match="lacks 1 of 1 judged queries"):
        carob.evaluate({"q": {"a": 1}}, {}, "AP", policy=allowed)


def test_swapped_judgments_and_runs_are_asked_about() -> None:
    qrels = {"q": {"a": 1, "b": 0, "c": 1}, "p": {"a": 1, "d": 0}}
    run = {"q": {"a": 11.5, "b": 12.25, "x": 3.1}, "p": {"a": 2.5, "z": 1.5}}
    with pytest.warns(DataWarning, match="only the scores 0, 1: are qrels and run swapped"):
        carob.evaluate(run, qrels, "nDCG")
    pd = pytest.importorskip("pandas")

    def frame(side: dict[str, dict[str, float]], value: str) -> Any:
        rows = [(query, each, number) for query, its in side.items() for each, number in its.items()]
        return pd.DataFrame(rows, columns=["query_id", "doc_id", value])

    with pytest.raises(DataError, match="column 'score', have fractions: are qrels and run swapped"):
        carob.evaluate(frame(run, "score"), frame(qrels, "relevance"), "AP")
    with pytest.raises(DataError, match="This looks like qrels: are qrels and run swapped"):
        carob.evaluate(frame({"q": {"a": 11, "b": 12}}, "score"), frame(qrels, "relevance"), "AP")
    with pytest.raises(DataError, match="This looks like a run: are qrels and run swapped"):
        carob.evaluate(frame(run, "rank"), frame(qrels, "relevance"), "AP")


@pytest.mark.parametrize(
    "run",
    [
        {"q": {"a": 3.0, "b": 2.0, "c": 1.0}, "p": {"a": 2.0, "d": 1.0}},  # ranks, turned round
        {"q": {"a": 0.5, "b": 0.5}, "p": {"a": 2.0}},
        {"q": {"a": 30.0, "b": 30.0}, "p": {"a": 2.0}},
    ],
)
def test_fractions_as_grades_alone_are_not_asked_about(run: Any, recwarn: pytest.WarningsRecorder) -> None:
    carob.evaluate({"q": {"a": 0.5, "b": 0.25, "c": 1.0}, "p": {"a": 0.1, "d": 0.7}}, run, "nDCG")
    assert not recwarn.list


def test_a_run_of_other_documents_is_described_without_reading_it_in_python(tmp_path: Path) -> None:
    path = tmp_path / "long.run"
    path.write_text("".join(f"q{n // 1000} Q0 d{n} 1 {-n} t\n" for n in range(201_000)))
    with pytest.warns(DataWarning, match="the run has ids such as 'd200000', the judgments 'x'"):
        assert carob.evaluate({"q200": {"x": 1}}, path, "AP")["AP"] == 0  # below the rows that are inspected
