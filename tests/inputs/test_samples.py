"""Judgments of a sample: in every form they are estimated from or refused, and never taken for complete judgments."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import pickle
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob import DataError
from carob.cli import main
from carob.inputs.samples import read_sample

if TYPE_CHECKING:
    from collections.abc import Callable

COFFEE = Path(__file__).parents[2] / "examples" / "coffee"
MODEL = str(COFFEE / "model.txt")
PATHS = {path.stem: str(path) for path in sorted((COFFEE / "runs").glob("*.run"))}
RUNS = list(PATHS.values())
ROWS = list(csv.DictReader((COFFEE / "documents.csv").read_text().splitlines()))
TRUE = (3.6168, 4.2574, 3.9609)
"""The estimates of DCG@10 in docs/people-and-model.md. As complete judgments, the sample gives .6719, .8395, .8351."""
SAMPLE = "these judgments are a sample of 150 documents, drawn with known probabilities"
HARMFUL = re.compile(r"\b(remove|leave (such|the|out)|delete|drop)\b", re.IGNORECASE)
"""Advice that biases estimates from a sample."""


def table(rows: Any = ROWS, separator: str = ",", names: dict[str, str] | None = None) -> str:
    """A table of judgments, with other names of its columns; without those whose name is empty."""
    given = {
        name: (names or {}).get(name, name)
        for name in ("query", "document", "grade", "probability", "sample_size")
    }
    kept = {name: new for name, new in given.items() if new}
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerow(kept.values())
    writer.writerows([row[name] for name in kept] for row in rows)
    return text.getvalue()


def numbers(row: dict[str, str]) -> dict[str, Any]:
    return {
        "query": row["query"],
        "document": row["document"],
        "grade": int(row["grade"]),
        "probability": float(row["probability"]),
        "sample_size": int(row["sample_size"]),
    }


def lines(rows: Any = ROWS) -> str:
    return "".join(json.dumps(numbers(row)) + "\n" for row in rows)


def mapping(rows: Any = ROWS, size: int | None = None) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for row in map(numbers, rows):
        draw = (row["grade"], row["probability"], *([size] if size else []))
        found.setdefault(row["query"], {})[row["document"]] = draw
    return found


def file(name: str, content: str | bytes) -> Callable[[Path], str]:
    def made(folder: Path) -> str:
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
        return str(folder / name)

    return made


def frame(library: str, **columns: str) -> Callable[[Path], Any]:
    def made(_: Path) -> Any:
        module = pytest.importorskip(library, reason="makes the frame")
        data = {columns.get(name, name): [numbers(row)[name] for row in ROWS] for name in numbers(ROWS[0])}
        return module.table(data) if library == "pyarrow" else module.DataFrame(data)

    return made


def indexed(folder: Path) -> Any:
    return frame("pandas")(folder).set_index(["query", "document"])


def lazy(folder: Path) -> Any:
    return frame("polars")(folder).lazy()


def parquet(folder: Path) -> str:
    pytest.importorskip("pyarrow", reason="writes the file")
    import pyarrow.parquet

    pyarrow.parquet.write_table(frame("pyarrow")(folder), folder / "sample.parquet")
    return str(folder / "sample.parquet")


def parts(folder: Path) -> str:
    for part in range(2):
        file(f"part-{part}.csv", table(ROWS[part::2]))(folder)
    return str(folder / "part-*.csv")


def read(folder: Path) -> Any:
    return carob.Qrels.of(file("sample.csv", table())(folder))


REVERSED = "\n".join(",".join(reversed(line.split(","))) for line in table().splitlines()) + "\n"
FORMS: dict[str, Callable[[Path], Any]] = {
    "csv": file("sample.csv", table()),
    "csv without its size": file("sample.csv", table(names={"sample_size": ""})),
    "csv from a spreadsheet": file(
        "sample.csv", b"\xef\xbb\xbf" + table(separator=";").replace("\n", "\r\n").encode()
    ),
    "csv of other names": file(
        "sample.csv",
        table(
            names={
                "query": "Query ID",
                "document": "docno",
                "grade": "REL",
                "probability": "Inclusion_Probability",
            }
        ),
    ),
    "columns in reverse": file("sample.csv", REVERSED),
    "tsv": file("sample.tsv", table(separator="\t")),
    "csv.gz": file("sample.csv.gz", gzip.compress(table().encode())),
    "csv under another name": file("sample.txt", table()),
    "json lines": file("sample.jsonl", lines()),
    "json lines with records": file(
        "sample.jsonl",
        "".join(
            json.dumps({"query": query, "judgments": [numbers(row) for row in ROWS if row["query"] == query]})
            + "\n"
            for query in dict.fromkeys(row["query"] for row in ROWS)
        ),
    ),
    "json": file("sample.json", json.dumps(mapping())),
    "parts of a table": parts,
    "a relation of DuckDB": lambda folder: pytest.importorskip("duckdb", reason="makes it").from_arrow(
        frame("pyarrow")(folder)
    ),
    "parquet": parquet,
    "pandas": frame("pandas"),
    "pandas, other names": frame("pandas", query="qid", document="docno", grade="label", probability="pi"),
    "pandas, ids in the index": indexed,
    "polars": frame("polars"),
    "polars, lazy": lazy,
    "pyarrow": frame("pyarrow"),
    "rows": lambda _: list(map(numbers, ROWS)),
    "a dictionary": lambda _: mapping(),
    "a dictionary with the size": lambda _: mapping(size=150),
    "Qrels": read,
    "Qrels, pickled": lambda folder: pickle.loads(pickle.dumps(read(folder))),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_sample_in_any_form_gives_the_same_estimates_and_is_no_complete_judgment(
    form: str, tmp_path: Path
) -> None:
    if form == "json lines with records":
        pytest.importorskip("polars", reason="reads the file")
    given = FORMS[form](tmp_path)
    found = carob.compare(given, PATHS, "DCG@10", judge=MODEL)
    assert [round(each, 4) for each in found["DCG@10"].means] == list(TRUE)
    assert found.judge is not None
    assert found.judge.documents == 150
    with pytest.raises(DataError, match=f"{SAMPLE}.*carob.compare\\(people, runs, judge=judge\\)"):
        carob.evaluate(given, PATHS, "DCG@10")
    (finding,) = carob.check(given).of("sample")
    assert (finding.severity, finding.count) == ("error", 150)


def test_judgments_know_how_they_were_drawn(tmp_path: Path) -> None:
    qrels = read(tmp_path)
    assert qrels.sample is not None
    assert qrels.sample.size == 150
    known = {(row["query"], row["document"]): float(row["probability"]) for row in ROWS}
    ids = [(query.decode(), document.decode()) for query, document, _ in qrels.rows()]
    assert qrels.sample.probability.tolist() == [known[pair] for pair in ids]
    assert carob.Qrels.of({"q": {"d": 1}}).sample is None


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "evaluate": lambda q: carob.evaluate(q, PATHS, "AP"),
    "compare": lambda q: carob.compare(q, PATHS, "AP"),
    "compare with it as the judge": lambda q: carob.compare(str(COFFEE / "people.txt"), PATHS, "AP", judge=q),
    "agreement": lambda q: carob.agreement(q, MODEL),
    "agreement as B": lambda q: carob.agreement(MODEL, q),
    "agreement of runs": lambda q: carob.agreement(q, MODEL, PATHS, pool="both"),
    "agreement of runs, twice": lambda q: carob.agreement(q, q, PATHS),
    "correlate": lambda q: carob.correlate(q, {"model": MODEL}, PATHS),
    "correlate as a judge": lambda q: carob.correlate(MODEL, {"sample": q}, PATHS),
    "gate": lambda q: carob.gate(q, RUNS[0], RUNS[1], max_drop=0.01),
    "explain": lambda q: carob.explain("AP", q, RUNS[0], query="c13"),
    "difference": lambda q: carob.difference("trec_eval-9", "ranx", "AP", q, RUNS[0]),
    "curve": lambda q: carob.curve("R", q, RUNS[0]),
    "bounds": lambda q: carob.unjudged_bounds(q, PATHS, "AP"),
    "report": lambda q: carob.report(q, PATHS, "AP"),
    "next, as the judge": lambda q: carob.next_judgments(None, PATHS, "DCG@10", judge=q),
    "a judged ranking": lambda q: carob.evaluate_judged_ranking(q, "AP"),
}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_function_understands_a_sample_or_refuses_it(function: str, tmp_path: Path) -> None:
    if function == "report":
        pytest.importorskip("altair", reason="draws the report")
    for given in (FORMS["csv"](tmp_path), read(tmp_path), mapping()):
        with pytest.raises(DataError, match=SAMPLE):
            FUNCTIONS[function](given)


COMMANDS = {
    "eval": ["eval", "S", *RUNS],
    "eval, named columns": [
        "eval",
        "S",
        *RUNS,
        "--qrels-columns",
        "grade=grade,query=query,document=document",
    ],
    "eval, bounds": ["eval", "S", *RUNS, "--unjudged-bounds"],
    "compare": ["compare", "S", *RUNS],
    "report": ["report", "S", *RUNS, "-o", "page.html"],
    "agreement": ["agreement", "S", MODEL, *RUNS, "--pool", "both"],
    "correlate": ["correlate", "S", MODEL, *RUNS],
    "gate": ["gate", "S", RUNS[0], "--baseline", RUNS[1], "--max-drop", "0.01"],
    "best": ["best", "S", *RUNS],
    "plan": ["plan", "S", *RUNS[:2], "--difference", "0.1"],
    "explain": ["explain", "AP", "S", RUNS[0], "--query", "c13"],
    "difference": ["difference", "trec_eval-9", "ranx", "AP", "S", RUNS[0]],
    "difference of judgments": ["difference", "S", MODEL, "nDCG@10", RUNS[0]],
    "curve": ["curve", "S", RUNS[0], "-m", "R"],
    "collections": ["compare", "--collections", "collections.csv", "-m", "AP"],
    "a record": ["eval", "S", RUNS[0], "--record", "record.json"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_refuses_a_sample_and_names_the_one_that_does_not(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if command == "report":
        pytest.importorskip("altair", reason="draws the report")
    monkeypatch.chdir(tmp_path)
    FORMS["csv"](tmp_path)
    kept = {"sample.csv", "collections.csv", *(Path(shutil.copy(run, tmp_path)).name for run in RUNS)}
    rows = [f"{name},sample.csv,{system}.run,{system}" for name in "ab" for system in PATHS]
    Path("collections.csv").write_text("\n".join(["collection,qrels,run,name", *rows]) + "\n")
    with pytest.raises(SystemExit) as ended:
        main([each.replace("S", "sample.csv") if each == "S" else each for each in COMMANDS[command]])
    assert ended.value.code == 2
    said = capsys.readouterr()
    assert f"sample.csv: {SAMPLE}" in said.err
    assert "carob compare --people sample.csv --judge JUDGE.qrels RUN…" in said.err
    assert said.out == ""
    assert {path.name for path in tmp_path.iterdir()} == kept


PARTS: dict[str, Callable[[Path, Any], Any]] = {
    "csv": lambda folder, rows: file("part.csv", table(rows))(folder),
    "json lines": lambda folder, rows: file("part.jsonl", lines(rows))(folder),
    "rows": lambda _, rows: list(map(numbers, rows)),
    "a dictionary": lambda _, rows: mapping(rows, size=150),
    "pandas": lambda folder, rows: frame("pandas")(folder).iloc[[ROWS.index(row) for row in rows]],
    "polars": lambda folder, rows: frame("polars")(folder)[[ROWS.index(row) for row in rows]],
}


@pytest.mark.parametrize("form", PARTS)
def test_a_part_of_a_sample_is_refused_with_what_is_missing(form: str, tmp_path: Path) -> None:
    relevant = [row for row in ROWS if row["grade"] != "0"]
    for rows in (ROWS[:105], relevant):
        given = PARTS[form](tmp_path, rows)
        with pytest.raises(
            DataError, match=f"the sample has 150 documents, but {len(rows)} are judged"
        ) as error:
            carob.compare(given, PATHS, "DCG@10", judge=MODEL)
        assert not HARMFUL.search(str(error.value))
        with pytest.raises(DataError, match="these judgments are a sample"):
            carob.evaluate(given, PATHS, "DCG@10")


def unjudged(folder: Path) -> dict[str, Any]:
    rows = [{**row, "grade": ""} if number in (7, 9) else row for number, row in enumerate(ROWS)]
    objects = [{**numbers(row), "grade": None if number in (7, 9) else 1} for number, row in enumerate(ROWS)]
    one = mapping()
    query, document = ROWS[7]["query"], ROWS[7]["document"]
    one[query][document] = (None, 0.5)
    found: dict[str, Any] = {
        "csv": file("open.csv", table(rows))(folder),
        "json lines": file("open.jsonl", "".join(json.dumps(each) + "\n" for each in objects))(folder),
        "rows": objects,
        "a dictionary": one,
    }
    for library in ("pandas", "polars", "pyarrow"):
        try:
            module = __import__(library)
        except ImportError:
            continue
        data = {name: [each[name] for each in objects] for name in objects[0]}
        found[library] = module.table(data) if library == "pyarrow" else module.DataFrame(data)
    return found


@pytest.mark.parametrize("role", ["query", "document", "probability", "sample_size"])
def test_no_empty_cell_of_a_sample_is_a_reason_to_leave_its_row_out(role: str, tmp_path: Path) -> None:
    rows = [{**ROWS[0], role: ""}, *ROWS[1:]]
    objects = [{**numbers(ROWS[0]), role: None}, *map(numbers, ROWS[1:])]
    given: list[Any] = [file("hole.csv", table(rows))(tmp_path), objects]
    given.append(file("hole.jsonl", "".join(json.dumps(each) + "\n" for each in objects))(tmp_path))
    data = {name: [each[name] for each in objects] for name in objects[0]}
    for library in ("polars", "pyarrow"):
        try:
            module = __import__(library)
        except ImportError:
            continue
        given.append(module.table(data) if library == "pyarrow" else module.DataFrame(data))
    for each in given:
        with pytest.raises(DataError) as error:
            carob.compare(each, PATHS, judge=MODEL)
        assert not HARMFUL.search(str(error.value)), str(error.value)


def test_a_document_of_a_sample_without_a_grade_is_to_be_judged_not_removed(tmp_path: Path) -> None:
    for form, given in unjudged(tmp_path).items():
        for call in (lambda: carob.compare(given, PATHS, judge=MODEL), lambda: carob.evaluate(given, PATHS)):  # noqa: B023
            with pytest.raises(DataError) as error:
                call()
            said = str(error.value)
            assert f"document '{ROWS[7]['document']}' of query '{ROWS[7]['query']}' is not judged" in said, (
                form
            )
            assert "Fill in the grades" in said, form
            assert not HARMFUL.search(said), form
        if form == "csv":
            assert "open.csv, line 9" in said
            assert "(1 more of the sample are not judged either)" in said


def test_a_blank_is_no_grade(tmp_path: Path) -> None:
    path = file("blank.csv", table([{**ROWS[0], "grade": " "}, *ROWS[1:]]))(tmp_path)
    with pytest.raises(DataError, match=r"blank.csv, line 2: .* is not judged"):
        carob.compare(path, PATHS, judge=MODEL)


@pytest.mark.parametrize("grade", ["?", "nan", "1_0", "\N{ARABIC-INDIC DIGIT ONE}"])
def test_a_field_that_is_no_number_is_to_be_corrected(grade: str, tmp_path: Path) -> None:
    path = file("odd.csv", table([{**ROWS[0], "grade": grade}, *ROWS[1:]]))(tmp_path)
    with pytest.raises(DataError, match=r"odd.csv, line 2: the grade .* is not a number. Correct it\."):
        carob.compare(path, PATHS, judge=MODEL)


WITHOUT = {
    "csv": lambda folder, name: file("lost.csv", table(names={"probability": name}))(folder),
    "tsv": lambda folder, name: file("lost.tsv", table(separator="\t", names={"probability": name}))(folder),
    "rows": lambda _, name: [
        {
            name if key == "probability" else key: value
            for key, value in numbers(row).items()
            if name or key != "probability"
        }
        for row in ROWS
    ],
    "pandas": lambda folder, name: frame("pandas", probability=name or "other")(folder),
}


@pytest.mark.parametrize("form", WITHOUT)
def test_a_sample_whose_probabilities_are_lost_or_renamed_says_so(form: str, tmp_path: Path) -> None:
    if form == "tsv":
        pytest.importorskip("polars", reason="would read the file")
    for name in ("", "p"):
        given = WITHOUT[form](tmp_path, name)
        for call in (carob.evaluate, lambda *args: carob.compare(*args, judge=MODEL)):
            with pytest.raises(
                DataError, match=r"'sample_size', so it is a sample, but it has no column .* the probability"
            ):
                call(given, PATHS)
    renamed = carob.Qrels.of(given, probability="p")
    assert renamed.sample is not None
    found = carob.compare(renamed, PATHS, "DCG@10", judge=MODEL)
    assert [round(each, 4) for each in found["DCG@10"].means] == list(TRUE)


def test_columns_of_other_names_are_named_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = file("mine.csv", table(names={"probability": "p", "sample_size": "n"}))(tmp_path)
    arguments = ["--people", path, "--judge", MODEL, *RUNS, "-m", "DCG@10", "--format", "json"]
    for command in ("compare", "eval"):
        main([command, *arguments, "--qrels-columns", "probability=p,sample_size=n"])
        found = json.loads(capsys.readouterr().out)
        assert [round(each, 4) for each in found["contests"]["DCG@10"]["means"]] == list(TRUE)
    main(["compare", "--people", FORMS["csv"](tmp_path), *arguments[2:], "--qrels-columns", "query=query"])
    assert [
        round(each, 4) for each in json.loads(capsys.readouterr().out)["contests"]["DCG@10"]["means"]
    ] == list(TRUE)


@pytest.mark.parametrize(
    "form", ["csv", "json lines", "json", "rows", "a dictionary", "pandas", "polars", "parquet"]
)
def test_judgments_are_complete_if_the_caller_says_so(form: str, tmp_path: Path) -> None:
    if form in ("csv", "json lines"):
        pytest.importorskip("polars", reason="reads the file")
    qrels = carob.Qrels.of(FORMS[form](tmp_path), probability=1)
    assert qrels.sample is None
    assert round(carob.evaluate(qrels, RUNS[0], "DCG@10")["DCG@10"], 4) == 0.6719


def test_documents_that_were_certain_to_be_drawn_are_complete_judgments(tmp_path: Path) -> None:
    rows = [{**row, "probability": "1"} for row in ROWS]
    whole = file("whole.csv", table(rows))(tmp_path)
    assert round(carob.evaluate(whole, RUNS[0], "DCG@10")["DCG@10"], 4) == 0.6719
    part = file("part.csv", table(rows[1:]))(tmp_path)
    with pytest.raises(DataError, match="these judgments are a sample"):
        carob.evaluate(part, RUNS[0], "DCG@10")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"probability": "0"}, "the probability 0 is not above 0 and at most 1"),
        ({"probability": "50"}, "the probability 50 is not above 0 and at most 1"),
        ({"sample_size": "149"}, r"different sample sizes \((149 and 150|150 and 149)\)"),
        ({"query": ROWS[1]["query"], "document": ROWS[1]["document"]}, "is listed twice for query"),
    ],
)
@pytest.mark.parametrize("form", ["csv", "rows", "pandas"])
def test_a_sample_that_contradicts_itself_is_refused(
    changed: dict[str, str], message: str, form: str, tmp_path: Path
) -> None:
    rows = [{**ROWS[0], **changed}, *ROWS[1:]]
    given: Any = file("odd.csv", table(rows))(tmp_path) if form == "csv" else list(map(numbers, rows))
    if form == "pandas":
        given = pytest.importorskip("pandas", reason="makes the frame").DataFrame(given)
    with pytest.raises(DataError, match=message) as error:
        carob.evaluate(given, PATHS, "AP")
    assert not HARMFUL.search(str(error.value))


DRAWN = [
    ("q1", "a", 1, 0.5, 4),
    ("q1", "b", 0, 0.25, 4),
    ("q2", "a", 2, 1.0, 4),
    ("q2", "c", 0, 0.5, 4),
]
ROLES = ("query", "document", "grade", "probability", "sample_size")


def drawn_as(form: str, rows: list[Any], folder: Path) -> Any:
    """Rows of a sample as a file, a frame or a dictionary."""
    objects = [dict(zip(ROLES, row, strict=True)) for row in rows]
    if form == "csv":
        return file(
            "few.csv",
            table([{key: "" if each is None else each for key, each in row.items()} for row in objects]),
        )(folder)
    if form == "pandas":
        return pytest.importorskip("pandas", reason="makes the frame").DataFrame(objects)
    return {query: {row[1]: row[2:] for row in rows if row[0] == query} for query, *_ in rows}


@pytest.mark.parametrize("form", ["csv", "pandas", "a dictionary"])
def test_each_judgment_of_a_sample_has_its_own_draw(form: str, tmp_path: Path) -> None:
    qrels = carob.Qrels.of(drawn_as(form, [*DRAWN], tmp_path))
    assert qrels.drawn == {
        "q1": {"a": (1, 0.5, 4), "b": (0, 0.25, 4)},
        "q2": {"a": (2, 1, 4), "c": (0, 0.5, 4)},
    }
    assert qrels.known.drawn is None
    assert qrels.known.table == {"q1": {"a": 1, "b": 0}, "q2": {"a": 2, "c": 0}}


@pytest.mark.parametrize(
    ("role", "value", "said"),
    [
        ("probability", -0.5, "the probability -0.5 is not above 0"),
        ("probability", 1.5, "the probability 1.5 is not above 0"),
        ("grade", None, "document 'a' of query 'q2' is not judged"),
        (
            "probability",
            None,
            "expected (grade, probability)|has the value null in column 'probability' instead|''",
        ),
        ("sample_size", 5, "different sample sizes (4 and 5)"),
        (
            "sample_size",
            None,
            "different sample sizes (4 and none)|in column 'sample_size' instead of a number",
        ),
    ],
)
@pytest.mark.parametrize("form", ["csv", "pandas", "a dictionary"])
def test_a_wrong_cell_of_a_sample_is_told_with_its_place(
    form: str, role: str, value: Any, said: str, tmp_path: Path
) -> None:
    rows: list[Any] = [*DRAWN]
    rows[2] = tuple(value if name == role else cell for name, cell in zip(ROLES, DRAWN[2], strict=True))
    with pytest.raises(DataError) as error:
        carob.Qrels.of(drawn_as(form, rows, tmp_path))
    found = error.value.as_dict()
    assert any(each in found["message"] for each in said.split("|"))
    file = {"csv": str(tmp_path / "few.csv"), "pandas": "qrels frame", "a dictionary": "qrels"}[form]
    assert found["file"] == file
    if "sample sizes" not in found["message"]:
        assert (found.get("line"), found.get("row")) == {"csv": (4, None), "pandas": (None, 2)}.get(
            form, (None,) * 2
        )
        assert found.get("query", "q2") == "q2"
        assert found.get("document", "a") == "a"


def test_a_document_twice_in_a_frame_is_told_with_its_row() -> None:
    rows = drawn_as("pandas", [*DRAWN, ("q1", "a", 1, 0.5, 4)], Path())
    with pytest.raises(
        DataError, match=r"^qrels frame, row 4 \(from 0\): document 'a' is listed twice for query 'q1'"
    ):
        carob.Qrels.of(rows)
    with pytest.raises(
        DataError, match=r"^qrels frame: these judgments are a sample, from which measures by"
    ):
        carob.Qrels.of(rows.assign(subtopic="1"), subtopics=True)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["a"], "query 'q': expected (grade, probability) for each document of a sample, found ['a']."),
        (1, "found 1."),
        ((1,), "found (1,)."),
        ((1, 0.5, 3, 4), "found (1, 0.5, 3, 4)."),
        ((1, "half"), "found (1, 'half')."),
        ((1, True), "found (1, True)."),
        (
            ("good", 0.5),
            "the grade 'good' is not a number: document 'b' of query 'q' is not judged. Fill in the grades",
        ),
        ((math.inf, 0.5), "the grade inf is not a number"),
        ((1, 0.5, "ten"), "different sample sizes ('ten')"),
        ((1, 0.5, 2.5), "different sample sizes (none and 2.5)"),
    ],
)
def test_an_entry_of_a_dictionary_that_is_no_draw_is_shown(given: Any, said: str) -> None:
    its = given if isinstance(given, list) else {"b": given}
    with pytest.raises(DataError, match=f"^qrels: .*{re.escape(said)}"):
        carob.Qrels.of({"p": {"a": (1, 0.5)}, "q": its})


def test_an_id_of_a_dictionary_that_is_no_text_is_told() -> None:
    with pytest.raises(DataError, match=r"^qrels: query 'q', document None: the document id is neither text"):
        carob.Qrels.of({"q": {None: (1, 0.5)}})


@pytest.mark.parametrize("size", [0, -1, 0.5, 4.5])
def test_the_size_of_a_sample_is_a_count(size: float) -> None:
    with pytest.raises(DataError, match=rf"different sample sizes \({size}\)"):
        carob.Qrels.of({"q": {"a": (1, 0.5, size)}})


def test_the_first_of_many_sizes_are_named() -> None:
    with pytest.raises(DataError, match=r"different sample sizes \(1 and 2 and none\)"):
        carob.Qrels.of(
            {"q": {name: (1, 0.5, size) for name, size in zip("abcd", (1, 2, None, 4), strict=True)}}
        )


@pytest.mark.parametrize(
    ("role", "said"), [("grade", "the grade nan is not"), ("probability", "has the value nan")]
)
def test_what_polars_calls_no_number_is_told_with_its_row(role: str, said: str) -> None:
    pl = pytest.importorskip("polars", reason="makes the frame")
    data = {"query": ["q", "q"], "document": ["a", "b"], "grade": [1.0, 0.0], "probability": [0.5, 0.5]}
    with pytest.raises(DataError, match=rf"qrels frame, row 1 \(from 0\): .*{said}"):
        carob.Qrels.of(pl.DataFrame({**data, role: [0.5, math.nan]}))


@pytest.mark.parametrize("role", ["query", "document", "grade", "probability"])
def test_a_table_of_a_sample_needs_each_of_its_columns(role: str, tmp_path: Path) -> None:
    path = file("few.csv", table(names={role: "other", "sample_size": ""}))(tmp_path)
    with pytest.raises(DataError, match=f"no column with a usual name for the {role}"):
        read_sample(path)


# ---------------------------------------------------------------- nothing says that it is a sample


def test_few_judgments_without_probabilities_do_not_pass_in_silence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """cut -d, -f1-3: carob compared 150 documents as complete judgments of 58 queries, at p < .001."""
    lost = {query: {document: draw[0] for document, draw in its.items()} for query, its in mapping().items()}
    found = carob.compare(lost, PATHS, "DCG@10", judge=MODEL)
    caution = found.warnings[0]
    assert caution.kind == "sparse"
    assert caution.runs == (0, 1, 2)
    assert round(caution.numbers["people"], 2) == 0.15
    assert caution.numbers["judge"] == 1
    assert (
        "! Valid only if people's judgments are complete (people judged 15% of the top 10, and the judge 100%)"
        in " ".join(str(found).split())
    )
    path = file("lost.qrels", "".join(f"{q} 0 {d} {g}\n" for q, its in lost.items() for d, g in its.items()))(
        tmp_path
    )
    for command in ("compare", "eval"):
        main([command, "--people", path, "--judge", MODEL, *RUNS, "-m", "DCG@10", "--format", "json"])
        assert json.loads(capsys.readouterr().out)["verdict"].startswith(
            "! Valid only if people's judgments are complete"
        )


def test_orders_of_runs_under_few_judgments_are_called_doubtful() -> None:
    lost = {query: {document: draw[0] for document, draw in its.items()} for query, its in mapping().items()}
    said = "A judged 15% of the runs' top 10 documents, but B judged 100%"
    agreed = carob.agreement(lost, MODEL, PATHS, resamples=2)
    assert f"! {said}" in " ".join(str(agreed).split())
    assert [each["sentence"] for each in agreed.as_dict()["warnings"]] == list(agreed.warnings)
    assert carob.agreement(MODEL, lost, PATHS, resamples=2).warnings[0].startswith("B judged 15%")
    found = carob.correlate(lost, {"model": MODEL}, PATHS, test=carob.Test(resamples=2))
    assert any(
        "the truth judged 15% of the runs' top 10 documents, but model judged 100%" in each["sentence"]
        for each in found.as_dict()["warnings"]
    )
    for pool in ("own", "both"):
        people = lost if pool == "both" else str(COFFEE / "people.txt")
        assert carob.agreement(people, MODEL, PATHS, pool=pool, resamples=2).warnings == ()


def test_judgments_of_a_pool_are_no_sample_however_shallow() -> None:
    """People judged the first five of each run, and the judge all documents that the runs retrieve."""
    complete = {name: dict(its) for name, its in by_query(COFFEE / "complete.txt").items()}
    queries = sorted(complete)[:20]
    pool: dict[str, dict[str, int]] = {query: {} for query in queries}
    for path in RUNS:
        for line in Path(path).read_text().splitlines():
            query, _, document, rank, *_ = line.split()
            if query in pool and int(rank) <= 5:
                pool[query][document] = complete[query][document]
    assert sum(map(len, pool.values())) < 0.5 * sum(len(complete[query]) for query in queries)
    found = carob.compare(pool, PATHS, "DCG@10", judge=MODEL)
    assert "sparse" not in {each.kind for each in found.warnings}
    whole = carob.compare(str(COFFEE / "people.txt"), PATHS, "DCG@10", judge=MODEL)
    assert "sparse" not in {each.kind for each in whole.warnings}


def by_query(path: Path) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for query, _, document, grade in map(str.split, path.read_text().splitlines()):
        found.setdefault(query, {})[document] = int(grade)
    return found


# ---------------------------------------------------------------- from next to compare


def test_the_draw_survives_from_next_through_judge_and_collect_to_compare(tmp_path: Path) -> None:
    from carob.judging.collect import collected
    from carob.judging.journal import Journal, JournalEntry
    from carob.judging.task import labels_of_grades, read_task

    chosen = carob.next_judgments(None, PATHS, "DCG@10", budget=40, judge=MODEL)
    chosen.save(str(tmp_path / "next.csv"))
    task = read_task(str(tmp_path / "next.csv"))
    known = by_query(COFFEE / "complete.txt")
    for half, name in enumerate(("anna", "ben")):
        with Journal(str(tmp_path / f"{name}.csv"), task, name) as journal:
            for place in task.open[half::2]:
                pair = task.pairs[place]
                journal.add(place, JournalEntry(known[pair.query][pair.document]))
    files = [str(tmp_path / f"{name}.csv") for name in ("anna", "ben")]
    for each in files:
        with pytest.raises(DataError, match="the sample has 40 documents, but 20 are judged"):
            carob.compare(each, PATHS, "DCG@10", judge=MODEL)
    both = collected(task, files, labels_of_grades("0-3"))
    judged = tmp_path / "judged.csv"
    judged.write_bytes(both.content(str(judged), both.merged("refuse")))
    sample = carob.Qrels.of(str(judged)).sample
    assert sample is not None
    assert sample.size == 40
    assert sorted(sample.probability.tolist()) == pytest.approx(
        sorted(each.probability for each in chosen.chosen)
    )
    found = carob.compare(str(judged), PATHS, "DCG@10", judge=MODEL)
    assert found.judge is not None
    assert found.judge.documents == 40
    # Judges of one sample can be compared, although each file has a part of it.
    anna = (tmp_path / "anna.csv").read_text()
    agreed = carob.agreement(str(judged), file("again.csv", anna)(tmp_path))
    assert agreed["same grade"].value == 1


def test_a_part_of_the_table_to_judge_is_refused_and_so_is_one_without_probabilities(tmp_path: Path) -> None:
    from carob.judging.task import read_task

    rows = [{**row, "grade": ""} for row in ROWS]
    with pytest.raises(DataError, match="the sample has 150 documents, but the table has 149"):
        read_task(file("next.csv", table(rows[1:]))(tmp_path))
    with pytest.raises(DataError, match="no column with a usual name for the probability"):
        read_task(file("lost.csv", table(rows, names={"probability": ""}))(tmp_path))
    assert len(read_task(file("whole.csv", table(rows))(tmp_path)).open) == 150


def test_the_table_to_judge_may_be_a_parquet_file(tmp_path: Path) -> None:
    from carob.judging.task import read_task

    pa = pytest.importorskip("pyarrow", reason="writes the file")
    import pyarrow.parquet

    rows = [{**numbers(row), "grade": None} for row in ROWS]
    path = str(tmp_path / "next.parquet")
    pyarrow.parquet.write_table(pa.Table.from_pylist(rows), path)
    task = read_task(path)
    assert [pair.probability for pair in task.pairs] == [row["probability"] for row in rows]


def test_known_judgments_of_the_next_draw_may_be_a_sample(tmp_path: Path) -> None:
    """Whatever was judged before is known: the next sample is drawn from the rest."""
    found = carob.next_judgments(FORMS["csv"](tmp_path), PATHS, "DCG@10", budget=5, judge=MODEL)
    drawn = list(csv.DictReader(found.to_csv().splitlines()))
    assert {row["sample_size"] for row in drawn} == {"155"}
    assert sum(row["probability"] == "1" for row in drawn) >= 150
    assert not {(row["query"], row["document"]) for row in drawn[:5]} & {
        (r["query"], r["document"]) for r in ROWS
    }


def test_a_run_may_exclude_the_documents_of_a_sample(tmp_path: Path) -> None:
    run = {ROWS[0]["query"]: {ROWS[0]["document"]: 2.0, "other": 1.0}}
    left = carob.Run.of(run, exclude=FORMS["a dictionary"](tmp_path))
    assert carob.evaluate({ROWS[0]["query"]: {"other": 1}}, left, "RR")["RR"] == 1
