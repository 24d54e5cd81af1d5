"""One-file logs: tables that hold the retrieved and the relevant documents of each question."""

from __future__ import annotations

import csv
import gzip
import io
import json
from math import log2
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob import DataError, Qrels, Run
from toys import command

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Rows = list[dict[str, Any]]

DENSE: Rows = [
    {
        "question": "q1",
        "retrieved_ids": ["a", "b", "c"],
        "scores": [12.9, 11.8, 9.7],
        "reference_ids": ["b", "c", "z"],
    },
    {"question": "q2", "retrieved_ids": ["d", "e"], "scores": [10.9, 8.8], "reference_ids": ["x", "e"]},
]
"""Each list of scores is as long as the list of references beside it."""
HYBRID: Rows = [
    {**DENSE[0], "retrieved_ids": ["b", "c", "a"]},
    {**DENSE[1], "retrieved_ids": ["e", "d"], "reference_ids": ["e", "x"]},
]
DISCOUNTED = 1 / log2(3), 1 / log2(4)
NDCG = ((sum(DISCOUNTED) / (1 + sum(DISCOUNTED))) + (DISCOUNTED[0] / (1 + DISCOUNTED[0]))) / 2
AP = ((1 / 2 + 2 / 3) / 3 + (1 / 2) / 2) / 2
AP_OF_HYBRID = ((1 + 1) / 3 + 1 / 2) / 2


def cells(rows: Rows, write: Callable[[Any], str], separator: str = ",") -> str:
    made = io.StringIO()
    table = csv.DictWriter(made, list(rows[0]), delimiter=separator)
    table.writeheader()
    table.writerows(
        {name: write(its) if isinstance(its, list) else its for name, its in row.items()} for row in rows
    )
    return made.getvalue()


def lines(rows: Rows) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


TEXTS: dict[str, Callable[[Rows], str]] = {
    "log.json": lambda rows: json.dumps(rows),
    "indented.json": lambda rows: json.dumps(rows, indent=1),
    "log.csv": lambda rows: cells(rows, json.dumps),
    "repr.csv": lambda rows: cells(rows, str),
    "log.tsv": lambda rows: cells(rows, json.dumps, "\t"),
    "log.jsonl": lines,
    "log.log": lines,
}
"""The same log in each kind of text."""


TWICE: Rows = [DENSE[0], DENSE[1], {**DENSE[0], "retrieved_ids": ["x", "y", "a"], "reference_ids": ["x"]}]


@pytest.mark.parametrize("name", [*TEXTS, "records.jsonl", "log.parquet"])
def test_a_query_with_two_rows_of_a_log_is_refused(name: str, tmp_path: Path, capfd) -> None:
    polars = pytest.importorskip("polars", reason="reads tables")
    path = str(tmp_path / name)
    if name == "log.parquet":
        polars.DataFrame(TWICE).write_parquet(path)
    elif name == "records.jsonl":
        (tmp_path / name).write_text(
            "\n"
            + lines(
                [
                    {
                        "question": row["question"],
                        "hits": [{"doc": each} for each in row["retrieved_ids"]],
                        "gold": {"reference_ids": row["reference_ids"]},
                    }
                    for row in TWICE
                ]
            )
        )
    else:
        path = written(tmp_path, name, TWICE)
    for words in (["eval", path, path, "-m", "RR"], ["compare", path, f"a={path}", f"b={path}", "-m", "RR"]):
        assert command(*words) == 2
        error = capfd.readouterr().err
        rows = "row 0 and row 2" if name.endswith((".json", ".parquet")) else "line 1 and line 3"
        rows = {"records.jsonl": "line 2 and line 4"}.get(
            name, "line 2 and line 4" if name.endswith("sv") else rows
        )
        assert f"query 'q1' has two rows that list documents, {rows}" in error, error
        assert "Merge them if they belong to one question, number the questions" in error
        assert str(tmp_path) in error


@pytest.mark.parametrize("kind", ["list", "polars", "lazy", "pandas", "pyarrow"])
def test_a_query_with_two_rows_of_a_frame_of_lists_is_refused(kind: str) -> None:
    frame: Any = TWICE
    if kind != "list":
        library = pytest.importorskip({"lazy": "polars"}.get(kind, kind), reason="makes the frame")
        frame = library.Table.from_pylist(TWICE) if kind == "pyarrow" else library.DataFrame(TWICE)
    if kind == "lazy":
        frame = frame.lazy()
    for read in (Run.of, Qrels.of, lambda log: carob.evaluate(log, measures="RR")):
        with pytest.raises(DataError, match=r"query 'q1' has two rows that list documents, row 0 and row 2"):
            read(frame)


def written(folder: Path, name: str, rows: Rows) -> str:
    """Writes the rows as the kind of text that a name of TEXTS stands for."""
    kind = next(each for each in TEXTS if name.removesuffix(".gz").endswith(each))
    if kind.endswith((".jsonl", ".log")):
        pytest.importorskip("polars", reason="reads JSON lines")
    text = TEXTS[kind](rows).encode()
    (folder / name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    return str(folder / name)


def pandas_of(rows: Rows) -> Any:
    return pytest.importorskip("pandas").DataFrame(rows)


def arrays_of(rows: Rows) -> Any:
    np, frame = pytest.importorskip("numpy"), pandas_of(rows)
    return frame.assign(
        **{name: frame[name].map(np.array) for name in frame if isinstance(rows[0][name], list)}
    )


FRAMES: dict[str, Callable[[Rows], Any]] = {
    "rows": lambda rows: rows,
    "Polars": lambda rows: pytest.importorskip("polars").DataFrame(rows),
    "lazy Polars": lambda rows: pytest.importorskip("polars").LazyFrame(rows),
    "PyArrow": lambda rows: pytest.importorskip("pyarrow").Table.from_pylist(rows),
    "pandas": pandas_of,
    "pandas with arrays": arrays_of,
    "pandas with an index": lambda rows: pandas_of(rows).set_index("question"),
    "DuckDB": lambda rows: (
        pytest.importorskip("duckdb")
        .connect()
        .from_arrow(pytest.importorskip("pyarrow").Table.from_pylist(rows))
    ),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_scores_beside_retrieved_ids_are_no_grades_in_rows_and_frames(kind: str) -> None:
    found = carob.evaluate(FRAMES[kind](DENSE), measures=["nDCG@10", "AP"])
    assert found["nDCG@10"] == pytest.approx(NDCG)
    assert found["AP"] == pytest.approx(AP)
    apart = carob.evaluate(FRAMES[kind](DENSE), FRAMES[kind](DENSE), "nDCG@10")
    assert apart["nDCG@10"] == pytest.approx(NDCG)


@pytest.mark.parametrize("packed", ["", ".gz"])
@pytest.mark.parametrize("kind", [*TEXTS])
def test_scores_beside_retrieved_ids_are_no_grades_in_files(tmp_path: Path, kind: str, packed: str) -> None:
    if kind == "log.log" and packed:
        pytest.skip("the kind of compressed text is recognised by its name")
    path = written(tmp_path, kind + packed, DENSE)
    assert carob.evaluate(path, measures="nDCG@10")["nDCG@10"] == pytest.approx(NDCG)
    assert carob.evaluate(path, path, "AP")["AP"] == pytest.approx(AP)


def test_scores_beside_retrieved_ids_are_no_grades_in_parquet(tmp_path: Path) -> None:
    pytest.importorskip("polars").DataFrame(DENSE).write_parquet(tmp_path / "log.parquet")
    assert carob.evaluate(tmp_path / "log.parquet", measures="AP")["AP"] == pytest.approx(AP)


@pytest.mark.parametrize("name", ["scores", "score", "similarities", "ranks"])
def test_numbers_of_the_run_mean_the_same_at_equal_and_at_unequal_lengths(name: str) -> None:
    equal = [{**{("x" if key == "scores" else key): its for key, its in row.items()}} for row in DENSE]
    numbers = [[1, 2, 3], [1, 2]] if name == "ranks" else [[9, 8, 7], [9, 8]]
    rows = [{**row, name: its} for row, its in zip(equal, numbers, strict=True)]
    assert carob.evaluate(rows, measures="AP")["AP"] == pytest.approx(AP)
    unequal = [{**rows[0], "reference_ids": ["b", "c"]}, rows[1]]
    assert Qrels.of(unequal).judgments.grades.tolist() == [1.0] * 4
    assert carob.evaluate(unequal, measures="AP")["AP"] == pytest.approx(((1 / 2 + 2 / 3) / 2 + 1 / 4) / 2)


def test_lists_of_grades_stay_the_grades_of_the_references() -> None:
    for name in ("grades", "grade"):
        rows = [{**DENSE[0], name: [1, 3, 2]}, {**DENSE[1], name: [0, 1]}]
        assert Qrels.of(rows).judgments.grades.tolist() == [1.0, 3.0, 2.0, 0.0, 1.0], name
        assert min(Run.of(rows).held.rows()) == (b"q1", b"a", 12.9)


UNCLEAR = {
    "as many as both": [1, 3, 2],
    "as many as retrieved": [1, 3],
    "as many as relevant": [1, 3, 2, 1],
}


@pytest.mark.parametrize("name", ["relevance", "relevances", "labels", "label", "ratings", "rel"])
@pytest.mark.parametrize("lengths", UNCLEAR)
@pytest.mark.parametrize("kind", ["rows", "Polars", "PyArrow", "pandas with arrays", "lazy Polars"])
def test_a_list_that_may_grade_retrieved_or_relevant_documents_is_asked_about(
    kind: str, lengths: str, name: str
) -> None:
    grades = UNCLEAR[lengths]
    retrieved = ["a", "b", "c"][: len(grades) if lengths == "as many as retrieved" else 3]
    relevant = ["b", "c", "z", "y"][: len(grades) if lengths == "as many as relevant" else 3]
    row = {"question": "q1", "retrieved_ids": retrieved, "reference_ids": relevant, name: grades}
    log = FRAMES[kind]([row])
    for read in (Qrels.of, lambda given: carob.evaluate(given, measures="AP")):
        with pytest.raises(
            DataError,
            match=rf"'{name}' could be the grades of 'reference_ids' or of 'retrieved_ids'.*"
            rf"grade='{name}'.*grade=1",
        ):
            read(log)
    assert Qrels.of(log, grade=1).judgments.grades.tolist() == [1.0] * len(relevant)
    if len(grades) == len(relevant):
        assert Qrels.of(log, grade=name).judgments.grades.tolist() == [*map(float, grades)]
    assert Qrels.of([{"question": "q1", "reference_ids": ["b"], name: [2]}]).judgments.grades.tolist() == [
        2.0
    ]


@pytest.mark.parametrize(
    "kind", [each for each in TEXTS if each != "log.tsv"]
)  # which eval takes for TREC text
def test_a_file_with_such_a_list_names_the_options(
    tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, kind, [{**row, "labels": [1] * len(row["retrieved_ids"])} for row in DENSE])
    assert command("eval", path, "-m", "AP") == 2
    error = capsys.readouterr().err
    assert "'labels' could be the grades of 'reference_ids' or of 'retrieved_ids'" in error
    assert "--qrels-columns grade=labels" in error
    assert command("eval", path, "-m", "AP", "--qrels-columns", "grade:=1") == 0


def test_a_score_of_the_answer_is_neither_grade_nor_score() -> None:
    rows = [{"id": row["question"], **row, "score": 0.5, "distances": [0.1] * 3} for row in DENSE]
    assert carob.evaluate(rows, measures="AP")["AP"] == pytest.approx(AP)


def test_scores_of_unknown_lists_are_never_grades_of_the_references() -> None:
    rows = [{"question": "q", "chunks": ["a", "b"], "scores": [2, 1], "reference_ids": ["b", "c"]}]
    assert Qrels.of(rows).judgments.grades.tolist() == [1.0, 1.0]
    own = [{"question": "q", "chunks": ["a", "b"], "scores": [2, 1], "gold": ["b", "c"]}]
    with pytest.raises(DataError, match=r"no column that lists the grades of 'gold'.*grade=1"):
        Qrels.of(own, document="gold")
    with pytest.raises(
        DataError, match=r"'scores' could be the grades of 'reference_ids'.*grade='scores'.*grade=1"
    ):
        Qrels.of([{"question": "q", "scores": [2, 1], "reference_ids": ["b", "c"]}])
    graded = Qrels.of([{"question": "q", "scores": [2, 1], "reference_ids": ["b", "c"]}], grade="scores")
    assert graded.judgments.grades.tolist() == [2.0, 1.0]


def test_records_of_a_run_are_no_judgments() -> None:
    rows = [{"question": "q", "results": [{"doc_id": "a", "score": 2}], "reference_ids": ["a", "b"]}]
    assert Qrels.of(rows).judgments.grades.tolist() == [1.0, 1.0]
    assert carob.evaluate(rows, measures="R")["R"] == 0.5
    both = [{"question": "q", "hits": [{"id": "a", "score": 2}], "judgments": [{"id": "a", "grade": 3}]}]
    assert Qrels.of(both).judgments.grades.tolist() == [3.0]
    assert list(Run.of(both).held.rows()) == [(b"q", b"a", 2.0)]


@pytest.mark.parametrize("library", ["polars", "duckdb"])
def test_lists_of_unequal_length_are_named_with_their_query(
    tmp_path: Path, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip(library)
    from carob.inputs.files import libraries

    monkeypatch.setattr(libraries, "find_spec", lambda name: name == library or None)
    path = tmp_path / "log.jsonl"
    path.write_text(lines([DENSE[1], {**DENSE[0], "scores": [2.0, 1.0]}]))
    with pytest.raises(DataError, match=r"query 'q1' has 3 in 'retrieved_ids' and 2 in 'scores'"):
        carob.evaluate({"q1": ["a"]}, path, "AP")


# ---------------------------------------------------------------- several logs


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, rows in (("dense", DENSE), ("hybrid", HYBRID)):
        (tmp_path / f"{name}.json").write_text(json.dumps(rows))
    other = [DENSE[0], {**DENSE[1], "reference_ids": ["x", "f"]}]
    (tmp_path / "other.json").write_text(json.dumps(other))
    (tmp_path / "some.json").write_text(json.dumps(HYBRID[:1]))
    (tmp_path / "q.qrels").write_text("q1 0 a 1\nq2 0 d 1\n")
    (tmp_path / "plain.run").write_text("q1 Q0 b 1 1.0 t\nq2 Q0 e 1 1.0 t\n")
    return tmp_path


def table(printed: str) -> dict[str, float]:
    """The first value of each row of a table in CSV."""
    return {row[0]: float(row[1]) for row in csv.reader(printed.splitlines()[1:])}


def test_several_logs_are_several_systems(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def values(*files: str) -> dict[str, float]:
        assert command("eval", *files, "-m", "AP", "--format", "csv", "--digits", "6") == 0
        return table(capsys.readouterr().out)

    both = pytest.approx({"dense": AP, "hybrid": AP_OF_HYBRID}, abs=1e-6)
    assert values("dense.json", "hybrid.json") == both
    assert values("dense.json", "dense.json", "hybrid.json") == both  # the first is QRELS
    assert list(values("a=dense.json", "b=hybrid.json")) == ["a", "b"]
    assert values("dense.json", "plain.run") == pytest.approx(
        {"dense": AP, "plain": (1 / 3 + 1 / 2) / 2}, abs=1e-6
    )
    # Judgments of their own come first.
    assert values("q.qrels", "dense.json", "hybrid.json") == pytest.approx(
        {"dense": 1.0, "hybrid": (1 / 3 + 1 / 2) / 2}, abs=1e-6
    )
    # A question that one log lacks is missing there.
    assert values("some.json", "dense.json") == pytest.approx({"some": (2 / 3) / 2, "dense": AP}, abs=1e-6)


@pytest.mark.parametrize(
    "arguments",
    [
        ["compare"],
        ["eval"],
        ["report", "-o", "page.html"],
        ["best", "-m", "AP"],
        ["plan", "--difference", "0.1", "-m", "AP"],
        ["check"],
    ],
    ids=lambda each: each[0],
)
def test_logs_whose_references_differ_are_refused_with_advice_that_works(
    logs: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    if arguments[0] == "report":
        pytest.importorskip("jinja2", reason="carob[report] is not installed")
    assert command(*arguments, "dense.json", "other.json") == 2
    said = capsys.readouterr().err
    assert "dense.json and other.json disagree about the relevant documents of query 'q2'" in said
    assert "document 'e' has the grade 1 in the first log and none in the second" in said
    assert "pass that file twice: 'dense.json' 'dense.json' 'other.json'" in said
    if arguments[0] in ("eval", "compare"):
        assert command(*arguments, "dense.json", "dense.json", "other.json") == 0


def test_commands_of_two_runs_take_two_logs(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("compare", "dense.json", "hybrid.json", "-m", "AP") == 0
    out = capsys.readouterr().out
    assert "dense.json | 2 queries | 2 runs\n\nhybrid is better than dense.\n" in out
    assert command("next", "dense.json", "hybrid.json", "-m", "DCG@5") == 0
    assert "for DCG@5 of 2 runs and 2 queries" in capsys.readouterr().out
    assert command("agreement", "q.qrels", "q.qrels", "dense.json", "hybrid.json") == 0
    assert "0/1 pairs flip" in capsys.readouterr().out
    assert command("check", "dense.json", "hybrid.json") < 2
    pytest.importorskip("jinja2", reason="carob[report] is not installed")
    assert command("report", "dense.json", "hybrid.json", "-o", "page.html") == 0


def test_a_log_is_gated_against_a_log(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    drop = ("--max-drop", "AP=0.01")
    assert command("gate", "hybrid.json", "--baseline", "dense.json", *drop) == 0
    assert f"({AP:.4f} to {AP_OF_HYBRID:.4f})" in capsys.readouterr().out
    assert command("gate", "dense.json", "--min", "AP=0.9") == 1
    assert command("gate", "other.json", "--baseline", "dense.json", *drop) == 2
    assert "disagree about the relevant documents" in capsys.readouterr().err
    assert command("gate", "dense.json", "hybrid.json", *drop) == 2
    assert "carob gate hybrid.json --baseline dense.json" in capsys.readouterr().err


def test_one_log_is_enough_for_commands_of_one_run(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("explain", "RR", "dense.json", "--query", "q1") == 0
    assert "RR of query q1 = 0.5" in capsys.readouterr().out
    assert command("curve", "dense.json", "-m", "P", "--at", "1,2", "--format", "csv") == 0
    assert "0.5" in capsys.readouterr().out
    assert command("eval", "dense.json", "-m", "RR", "--format", "csv") == 0
    assert "0.5" in capsys.readouterr().out
    assert command("compare", "dense.json") == 2
    assert command("difference", "trec_eval-10", "sklearn", "RR", "dense.json") == 0
    assert "Nothing changes the mean" in capsys.readouterr().out
    for arguments in (["explain", "RR", "--query", "q1"], ["curve", "-m", "P"]):
        assert command(*arguments, "dense.json", "hybrid.json") == 2
        assert "table of retrieved_ids and reference_ids" in capsys.readouterr().err


@pytest.mark.parametrize("name", [*TEXTS, "tabs.txt", "tabs.log", "tabs.tsv.gz"])
def test_one_log_is_enough_under_every_name(name: str, folder: Path, capsys) -> None:
    pytest.importorskip("polars", reason="reads tables")
    text = TEXTS.get(name, TEXTS["log.tsv"])(DENSE).encode()
    (folder / name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    for arguments in (["eval", name], ["eval", f"mine={name}"], ["eval", name, name]):
        assert command(*arguments, "-m", "AP", "--format", "csv", "--digits", "6") == 0
        (value,) = table(capsys.readouterr().out).values()
        assert value == pytest.approx(AP, abs=1e-6)
    assert command("curve", name, "-m", "AP", "--at", "3", "--format", "csv", "--digits", "6") == 0
    assert f"{AP:.6f}" in capsys.readouterr().out
    assert command("explain", "RR", name, "--query", "q1") == 0
    assert command("gate", name, "--min", "AP=0.1") == 0
    assert command("check", name) < 2


@pytest.mark.parametrize("asked", ["eval", "compare", "best"])
def test_a_log_on_standard_input_is_a_sentence(asked: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(asked, "-") == 2
    assert (
        "A log would have to be read twice, which is impossible from standard input: save it"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize("kind", FRAMES)
def test_several_logs_are_several_systems_in_python(kind: str) -> None:
    given = {"dense": FRAMES[kind](DENSE), "hybrid": FRAMES[kind](HYBRID)}
    found = carob.evaluate(given, measures="AP")
    assert {name: each["AP"] for name, each in found.items()} == pytest.approx(
        {"dense": AP, "hybrid": AP_OF_HYBRID}
    )
    compared = carob.compare(None, {"dense": FRAMES[kind](DENSE), "hybrid": FRAMES[kind](HYBRID)}, "AP")
    assert "hybrid is better than dense" in str(compared)


def test_logs_in_python_must_agree_and_be_logs(logs: Path) -> None:
    with pytest.raises(
        DataError, match="The logs a and b disagree about the relevant documents of query 'q2'"
    ):
        carob.evaluate({"a": "dense.json", "b": "other.json"}, measures="AP")
    with pytest.raises(DataError, match=r"The logs dense\.json and other.json disagree"):
        carob.compare(None, ["dense.json", "other.json"], "AP")
    for no_log in (
        {"q": {"a": 1}},
        {"q": ["a"]},
        "q.qrels",
        b"q 0 a 1\n",
    ):
        with pytest.raises(DataError, match="both retrieved and relevant documents"):
            carob.evaluate(no_log, measures="AP")  # type: ignore[call-overload]
    with pytest.raises(DataError, match=r"q\.qrels is not a table with both"):
        carob.evaluate(["dense.json", "q.qrels"], measures="AP")
    with pytest.raises(DataError, match="Runs cannot be scored without judgments"):
        carob.compare(None, {"a": {"q": {"a": 1.0}}, "b": {"q": {"a": 1.0}}}, "AP")


def test_logs_with_columns_of_any_name_are_several_systems(
    logs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = {"question": "prompt", "retrieved_ids": "chunks", "scores": "sims", "reference_ids": "gold"}
    for name, rows in (("one", DENSE), ("two", HYBRID)):
        renamed = [{names[key]: its for key, its in row.items()} for row in rows]
        (logs / f"{name}.json").write_text(json.dumps(renamed))
    columns = (
        "--run-columns",
        "query=prompt,document=chunks,score=sims",
        "--qrels-columns",
        "query=prompt,document=gold,grade:=1",
    )
    assert (
        command("eval", "one.json", "two.json", "-m", "AP", "--format", "csv", "--digits", "6", *columns) == 0
    )
    assert table(capsys.readouterr().out) == pytest.approx({"one": AP, "two": AP_OF_HYBRID}, abs=1e-6)


def test_the_names_of_ragas_are_known() -> None:
    rows = [
        {
            "user_input": row["question"],
            "retrieved_contexts": ["text"] * len(row["retrieved_ids"]),
            "retrieved_context_ids": row["retrieved_ids"],
            "reference_context_ids": row["reference_ids"],
        }
        for row in DENSE
    ]
    assert carob.evaluate(rows, measures="AP")["AP"] == pytest.approx(AP)


@pytest.mark.parametrize("kind", ["rows", "Polars", "PyArrow", "pandas"])
def test_functions_of_two_sides_take_logs_without_judgments(kind: str) -> None:
    new, old = FRAMES[kind](HYBRID), FRAMES[kind](DENSE)
    verdict = carob.gate(None, new, old, {"AP": 0.01})
    assert verdict.passed
    assert f"({AP:.4f} to {AP_OF_HYBRID:.4f})" in verdict.checks[0].verdict
    other = FRAMES[kind]([DENSE[0], {**DENSE[1], "reference_ids": ["x", "f"]}])
    with pytest.raises(DataError, match="The logs run and baseline disagree about the relevant documents"):
        carob.gate(None, other, FRAMES[kind](DENSE), {"AP": 0.01})
    with pytest.raises(DataError, match="A run cannot be scored without judgments"):
        carob.gate(None, {"q": {"a": 1.0}}, {"q": {"a": 1.0}}, {"AP": 0.01})
    assert carob.check(FRAMES[kind](DENSE), FRAMES[kind](DENSE)).exit_code < 2


@pytest.mark.parametrize("kind", ["Polars", "lazy Polars", "PyArrow"])
def test_the_policy_decides_about_documents_that_a_list_repeats(kind: str) -> None:
    log = FRAMES[kind]([{"question": "q", "retrieved_ids": ["x", "a", "x"], "reference_ids": ["a"]}])
    with pytest.raises(DataError, match="document 'x' is listed twice"):
        carob.evaluate(log, measures="RR")
    assert carob.evaluate(log, measures="RR", policy=carob.Policy(duplicates="first"))["RR"] == 0.5
    assert carob.evaluate(log, measures="RR", policy=carob.Policy(duplicates="last"))["RR"] == 1.0


PADDED: Rows = [
    {"question": "1", "retrieved_ids": [3, -1, -1], "scores": [2.0, -9.0, -9.0], "reference_ids": [3, -1]},
    {"question": "2", "retrieved_ids": [4, 5, -1], "scores": [2.0, 1.0, -9.0], "reference_ids": [5, -1]},
    {"question": "3", "retrieved_ids": [-1, -1, -1], "scores": [-9.0, -9.0, -9.0], "reference_ids": [6, 7]},
]
"""Lists of three and of two documents, as faiss returns them for an index with fewer."""


def as_texts(rows: Rows) -> Rows:
    return [
        {name: [*map(str, its)] if name.endswith("ids") else its for name, its in row.items()} for row in rows
    ]


def unscored(rows: Rows) -> Rows:
    return [{name: its for name, its in row.items() if name != "scores"} for row in rows]


def with_retrieved(ids: list[int]) -> Rows:
    return [PADDED[0], {**PADDED[1], "retrieved_ids": ids}]


IN_FILES = ["log.json", "log.jsonl", "log.csv", "log.parquet"]
CHANGES: dict[str, Callable[[Rows], Rows]] = {
    "numbers": lambda rows: rows,
    "texts": as_texts,
    "in order": unscored,
}


def padded_log(kind: str, rows: Rows, folder: Path) -> Any:
    if kind in FRAMES:
        return FRAMES[kind](rows)
    if kind == "log.parquet":
        pytest.importorskip("polars").DataFrame(rows).write_parquet(folder / kind)
        return folder / kind
    return written(folder, kind, rows)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("kind", [*FRAMES, *IN_FILES])
def test_minus_one_pads_the_end_of_lists_in_every_form(tmp_path: Path, kind: str, change: str) -> None:
    log = padded_log(kind, CHANGES[change](PADDED), tmp_path)
    found = carob.evaluate(log, measures=["RR", "R", "P@3"])
    assert found.by_query("RR") == {"1": 1.0, "2": 0.5, "3": 0.0}
    assert found.by_query("R") == {"1": 1.0, "2": 1.0, "3": 0.0}
    assert Qrels.of(log).judgments.count == 4


@pytest.mark.parametrize("kind", [*FRAMES, *IN_FILES])
def test_minus_one_before_other_ids_is_refused_in_every_form(tmp_path: Path, kind: str) -> None:
    for ids in ([4, -1, 5], [-1, 4, -1]):
        log = padded_log(kind, with_retrieved(ids), tmp_path)
        with pytest.raises(
            DataError,
            match=r"query '?2'? lists the document -1 before other documents in 'retrieved_ids'.*faiss",
        ):
            carob.evaluate(log, measures="RR")
    log = padded_log(kind, [{**PADDED[0], "reference_ids": [-1, -1]}], tmp_path)
    with pytest.raises(DataError, match=r"query '?1'?: 'reference_ids' contains only -1"):
        carob.evaluate(log, measures="RR")


@pytest.mark.parametrize("library", ["Polars", "DuckDB", "PyArrow"])
def test_every_library_leaves_out_the_padding_of_files(
    tmp_path: Path, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from carob.inputs.files import libraries

    pytest.importorskip(library.lower())
    for form in libraries.READS:
        monkeypatch.setitem(libraries.READS, form, (getattr(libraries, library),))
    records = [
        {"question": row["question"], "hits": [{"doc_id": each, "score": score} for each, score in pairs]}
        for row in PADDED
        for pairs in [zip(row["retrieved_ids"], row["scores"])]
    ]
    kinds = ["log.parquet"] if library == "PyArrow" else ["log.parquet", "log.jsonl"]
    for kind in kinds:
        log = padded_log(kind, PADDED, tmp_path)
        assert carob.evaluate(log, measures="RR").by_query("RR") == {"1": 1.0, "2": 0.5, "3": 0.0}
        hits = padded_log(kind, records, tmp_path)
        assert carob.evaluate({"1": [3], "2": [5]}, hits, "RR").by_query("RR") == {"1": 1.0, "2": 0.5}
        for rows, why in (
            (with_retrieved([4, -1, 5]), "lists the document -1 before other documents"),
            ([{**PADDED[0], "reference_ids": [-1, -1]}], "contains only -1"),
        ):
            with pytest.raises(DataError, match=why):
                carob.evaluate(padded_log(kind, rows, tmp_path), measures="RR")


@pytest.mark.parametrize("library", ["Polars", "DuckDB", "PyArrow"])
@pytest.mark.parametrize("nothing", [[], [-1, -1]])
def test_a_query_with_an_empty_list_is_answered_whatever_reads_it(
    tmp_path: Path, nothing: list[int], library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from carob.inputs.files import libraries

    pytest.importorskip(library.lower())
    for form in libraries.READS:
        monkeypatch.setitem(libraries.READS, form, (getattr(libraries, library),))
    ids = {"1": [3, 4], "2": nothing}
    lists = [
        {"question": query, "retrieved": its, "scores": [1.0 / (1 + each) for each in range(len(its))]}
        for query, its in ids.items()
    ]
    records = [
        {
            "question": row["question"],
            "hits": [{"doc_id": each, "score": 9.0 - each} for each in row["retrieved"]],
        }
        for row in lists
    ]
    kinds = ["log.parquet"] if library == "PyArrow" else ["log.parquet", "log.jsonl", "log.json"]
    every: list[Any] = [ids, *(padded_log(kind, lists, tmp_path) for kind in FRAMES)]
    for name, rows in {"lists": lists, "records": records}.items():
        (tmp_path / name).mkdir()
        every += [padded_log(kind, rows, tmp_path / name) for kind in kinds]
    for run in every:
        found = carob.evaluate({"1": [3], "2": [5], "3": [6]}, run, "RR")
        assert (found.counts.missing, found.counts.unanswered) == (("3",), 1), run
        skipped = carob.evaluate(
            {"1": [3], "2": [5], "3": [6]}, run, "RR", policy=carob.Policy(missing="skip")
        )
        assert skipped.by_query("RR") == {"1": 1.0, "2": 0.0}


def test_minus_one_pads_lists_by_query_and_records_but_no_rows(tmp_path: Path) -> None:
    qrels = {"1": [3, -1], "2": ["5", "-1"]}
    runs: list[Any] = [{"1": [3, -1, -1], "2": ["4", "5", "-1"]}]
    (tmp_path / "lists.json").write_text(json.dumps(runs[0]))
    for run in (*runs, tmp_path / "lists.json"):
        assert carob.evaluate(qrels, run, "RR").by_query("RR") == {"1": 1.0, "2": 0.5}
    with pytest.raises(DataError, match="query '1' lists the document -1 before other documents"):
        Run.of({"1": [-1, 3]})
    rows = [{"query": "1", "doc_id": each, "rank": rank} for rank, each in enumerate([3, -1, -1], 1)]
    with pytest.raises(DataError, match="is padding"):
        Run.of(rows)
    (tmp_path / "flat.jsonl").write_text(lines(rows))
    with pytest.raises(DataError, match=r"seems to be padding.*remove such rows"):
        carob.evaluate(qrels, tmp_path / "flat.jsonl", "RR")


def test_padding_ends_lists_of_ids() -> None:
    np = pytest.importorskip("numpy")
    padded = np.array([[3, -1, -1], [4, 5, -1]])
    with pytest.raises(DataError, match=r"retrieved list of question 1 has the id -1 before other ids"):
        carob.evaluate_ids([[-1, 3], [4, 5]], [[3], [5]], "RR")
    with pytest.raises(DataError, match=r"reference of question 2 has the id -1 before other ids"):
        carob.evaluate_ids([[3], [4, 5]], [[3], [-1, 5]], "RR")
    assert carob.evaluate_ids(padded, [[3, -1], [5, -1]], "RR")["RR"] == 0.75
    verdicts = [[1, 0, 0], [0, 1, 0]]
    assert carob.evaluate_ids(padded, verdicts=verdicts, measures="RR")["RR"] == 0.75
    assert carob.evaluate_ids([ids[ids >= 0] for ids in padded], [[3], [5]], "RR")["RR"] == 0.75
    assert carob.tensors.evaluate_topk(padded, np.array([[3], [5]]), ["RR"])["RR"] == 0.75


def test_arrays_of_one_length_are_lists(tmp_path: Path) -> None:
    np, polars = pytest.importorskip("numpy"), pytest.importorskip("polars")
    frame = polars.DataFrame(
        {
            "question": [1, 2],
            "retrieved_ids": np.array([[1, 2], [3, 4]]),
            "reference_ids": np.array([[2], [3]]),
        }
    )
    assert carob.evaluate(frame, measures="RR")["RR"] == 0.75
    frame.write_parquet(tmp_path / "log.parquet")
    assert carob.evaluate(tmp_path / "log.parquet", measures="RR")["RR"] == 0.75


@pytest.mark.parametrize("kind", ["rows", "Polars", "PyArrow", "pandas"])
def test_a_question_without_relevant_documents_is_ruled_by_the_policy_in_every_form(kind: str) -> None:
    log = FRAMES[kind]([DENSE[0], {**DENSE[1], "reference_ids": []}])
    alone = carob.evaluate(FRAMES[kind]([DENSE[0]]), measures="RR")["RR"]
    counted = carob.evaluate(log, measures="RR")
    assert (counted["RR"], counted.counts.queries, counted.counts.empty) == (alone / 2, 2, 1)
    assert carob.evaluate(log, measures="RR", policy=carob.Policy(empty="skip"))["RR"] == alone


@pytest.mark.parametrize("kind", ["rows", "Polars", "PyArrow", "pandas"])
def test_missing_lists_and_those_of_unequal_length_are_named_alike(kind: str) -> None:
    for scores, said in (
        ([2.0, 1.0], "has 3 in 'retrieved_ids' and 2 in 'scores'"),
        (None, "has no list in 'scores'"),
    ):
        log = FRAMES[kind]([DENSE[1], {**DENSE[0], "scores": scores}])
        with pytest.raises(DataError, match=f"query '?q1'? {said}"):
            carob.evaluate(log, measures="RR")


@pytest.mark.parametrize("kind", ["rows", "Polars", "PyArrow", "pandas"])
def test_lists_within_objects_are_a_log_with_their_own_numbers(kind: str) -> None:
    rows: Rows = [
        {
            "id": row["question"],
            "output": {"retrieved_ids": row["retrieved_ids"], "scores": row["scores"]},
            "expected": {"reference_ids": row["reference_ids"]},
        }
        for row in DENSE
    ]
    assert carob.evaluate(FRAMES[kind](rows), measures="AP")["AP"] == pytest.approx(AP)
    graded: Rows = [{**rows[0], "expected": {"reference_ids": ["b", "c"], "grades": [3, 1]}}]
    assert Qrels.of(FRAMES[kind](graded)).judgments.grades.tolist() == [3.0, 1.0]
    upside_down: Rows = [
        {**rows[0], "output": {"retrieved_ids": ["c", "b", "a"], "scores": [9.7, 11.8, 12.9]}}
    ]
    assert carob.evaluate(FRAMES[kind](upside_down), measures="RR")["RR"] == 0.5


def test_columns_named_ids_are_the_documents_beside_their_texts() -> None:
    rows = [
        {**row, "retrieved_docs": ["text"], "relevant_docs": ["text"], "documents": ["text"]} for row in DENSE
    ]
    assert carob.evaluate(rows, measures="AP")["AP"] == pytest.approx(AP)


def test_what_a_log_lacks_is_said() -> None:
    rows = [{key: its for key, its in row.items() if key != "question"} for row in DENSE]
    with pytest.raises(
        DataError, match=r"for the query\. The columns are: 'retrieved_ids', 'scores', 'reference_ids'"
    ):
        carob.evaluate(rows, measures="AP")
    with pytest.raises(DataError, match="qrels frame has no column with a usual name for the document"):
        carob.evaluate([{"question": "q", "retrieved_ids": ["a"]}], measures="AP")
    with pytest.raises(DataError, match="for the query"):
        carob.evaluate({"a": rows, "b": rows}, measures="AP")
    texts = [{"user_input": "q", "retrieved_contexts": ["some text"], "reference": "an answer"}]
    with pytest.raises(DataError, match="'retrieved_contexts' contains lists of texts without ids"):
        carob.evaluate(texts, measures="AP")


def test_an_answer_that_is_an_error_of_the_server_says_so(tmp_path: Path) -> None:
    answers = [
        {"query_id": "q1", "response": {"hits": {"hits": [{"_id": "a", "_score": 2.0}]}}},
        {"query_id": "q2", "response": {"error": {"type": "timeout"}, "status": 500}},
    ]
    log = tmp_path / "log.jsonl"
    log.write_text("".join(json.dumps(each) + "\n" for each in answers))
    said = r"log\.jsonl, line 2: this answer is a server error without 'response\.hits\.hits'. Write \[\]"
    with pytest.raises(DataError, match=said):
        carob.evaluate({"q1": {"a": 1}, "q2": {"a": 1}}, log, "RR")
    with pytest.raises(DataError, match=r"row 1 .* is a server error"):
        carob.evaluate({"1": {"a": 1}}, {"responses": [each["response"] for each in answers]}, "RR")
