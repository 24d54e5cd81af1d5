"""Grades in words are the numbers that a table gives them, in every form of judgments."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import carob
from toys import command

if TYPE_CHECKING:
    from pathlib import Path

WORDS = {"Good": 3, "Fair": 2, "Simple": 1, "Bad": 0}
TABLE = "Good=3,Fair=2,Simple=1,Bad=0"
ROWS = [("q", "a", "Fair"), ("q", "b", "Simple"), ("q", "c", "Bad"), ("q", "d", "Good")]
RUN = {"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}
CG = 2 + 1 + 0 + 3


def fields() -> list[dict[str, str]]:
    return [dict(zip(("query", "document", "grade"), row)) for row in ROWS]


def mapping() -> dict[str, dict[str, str]]:
    return {"q": {document: word for _, document, word in ROWS}}


def text() -> bytes:
    return "".join(f"{query} 0 {document} {word}\n" for query, document, word in ROWS).encode()


def pandas() -> Any:
    return pytest.importorskip("pandas").DataFrame(fields())


def polars() -> Any:
    return pytest.importorskip("polars").DataFrame(fields())


def lazy() -> Any:
    return polars().lazy()


def arrow() -> Any:
    return pytest.importorskip("pyarrow").Table.from_pylist(fields())


@pytest.mark.parametrize("form", [mapping, text, fields, pandas, polars, lazy, arrow])
def test_words_are_their_numbers_in_every_form(form: Any) -> None:
    judged = carob.Qrels.of(form(), words=WORDS)
    assert carob.evaluate(judged, RUN, "CG")["CG"] == CG


@pytest.mark.parametrize("name", ["qrels.csv", "qrels.jsonl", "qrels.json", "qrels.txt", "tabs.txt"])
def test_words_are_their_numbers_in_files(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if name in ("qrels.csv", "qrels.jsonl"):
        pytest.importorskip("polars")
    content = {
        "qrels.csv": "query,document,grade\n" + "".join(f"{','.join(row)}\n" for row in ROWS),
        "qrels.jsonl": "".join(f"{json.dumps(each)}\n" for each in fields()),
        "qrels.json": json.dumps(mapping()),
        "qrels.txt": text().decode(),
        "tabs.txt": text().decode().replace(" ", "\t"),
    }[name]
    (tmp_path / name).write_text(content)
    (tmp_path / "a.run").write_text("".join(f"q Q0 {d} 0 {s} a\n" for d, s in RUN["q"].items()))
    asked = ["eval", str(tmp_path / name), str(tmp_path / "a.run"), "-m", "CG", "--format", "json"]
    each = [word for part in TABLE.split(",") for word in ("--grade-words", part)]
    for words in (["--grade-words", TABLE], each):
        assert command(*asked, *words) == 0
        assert json.loads(capsys.readouterr().out)["runs"][0]["means"]["CG"] == CG


def test_words_are_typed_as_grades(capsys: pytest.CaptureFixture[str]) -> None:
    for start in ("explain CG", "curve -m CG --at 4"):
        asked = [*start.split(), "--grades", "Fair,Simple,Bad,Good", "--grade-words", TABLE]
        assert command(*asked, "--format", "json") == 0
        assert f"{CG}.0" in capsys.readouterr().out


def test_words_are_the_grades_of_a_judged_ranking(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "ranked.txt").write_bytes(text())
    for start in ("eval -m CG", "explain CG --query q", "curve -m CG --at 4"):
        asked = [*start.split(), "--judged-ranking", str(tmp_path / "ranked.txt"), "--grade-words", TABLE]
        assert command(*asked, "--format", "json") == 0
        assert f"{CG}.0" in capsys.readouterr().out


def test_a_word_without_a_number_is_refused_where_it_stands() -> None:
    known = "neither a number nor one of the words Good=3, Fair=2, Simple=1"
    for form, place in ((mapping, "query 'q', document 'c'"), (text, "<bytes>, line 3"), (polars, "row 2")):
        with pytest.raises(carob.DataError, match=known) as error:
            carob.Qrels.of(form(), words={word: WORDS[word] for word in ("Good", "Fair", "Simple")})
        assert place in str(error.value)


SAMPLE = "query,document,grade,probability,sample_size\nq,a,Fair,0.5,3\nq,b,Bad,1,3\nq,c,Good,0.25,3\n"
TABLES = {
    "commas": ("people.csv", ","),
    "semicolons": ("people.csv", ";"),
    "tabs": ("people.tsv", "\t"),
    "tabs under another name": ("people.txt", "\t"),
}


@pytest.mark.parametrize("form", TABLES)
def test_words_in_a_samples_table_are_read_beside_its_probabilities(form: str, tmp_path: Path) -> None:
    pytest.importorskip("polars", reason="tables with grades in words are read by polars")
    name, sign = TABLES[form]
    path = tmp_path / name
    path.write_text(SAMPLE.replace(",", sign))
    found = carob.Qrels.of(str(path), words=WORDS)
    assert found.sample is not None
    assert found.sample.probability.tolist() == [0.5, 1, 0.25]
    assert found.sample.size == 3
    assert found.judgments.grades.tolist() == [WORDS[word] for word in ("Fair", "Bad", "Good")]
    with pytest.raises(carob.DataError, match="these judgments are a sample"):
        carob.evaluate(found, RUN, "CG")
    complete = carob.Qrels.of(str(path), words=WORDS, probability=1)
    assert complete.sample is None
    assert carob.check(str(path), RUN, qrels_columns={"words": WORDS}).findings[0].code == "sample"
    path.write_text(SAMPLE.replace("0.25", "often").replace(",", sign))
    with pytest.raises(
        carob.DataError, match=r"line 4: 'often' in column 'probability' is not a number\. Corr"
    ):
        carob.Qrels.of(str(path), words=WORDS)


@pytest.mark.parametrize("maker", ["pandas.DataFrame", "polars.DataFrame", "pyarrow.table"])
@pytest.mark.parametrize("kind", [str, float])
def test_words_in_a_samples_frame_are_read_beside_its_probabilities(maker: str, kind: Any) -> None:
    library, make = maker.split(".")
    header, *rows = (line.split(",") for line in SAMPLE.splitlines())
    columns: dict[str, list[Any]] = dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))
    columns["probability"] = [kind(each) for each in columns["probability"]]
    found = carob.Qrels.of(getattr(pytest.importorskip(library), make)(columns), words=WORDS)
    assert found.sample is not None
    assert found.sample.probability.tolist() == [0.5, 1, 0.25]


def test_without_a_table_the_error_says_how_to_give_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "qrels.txt").write_bytes(text())
    (tmp_path / "a.run").write_text("q Q0 a 1 1 a\n")
    assert command("eval", str(tmp_path / "qrels.txt"), str(tmp_path / "a.run")) == 2
    assert "--grade-words Good=2,Fair=1,Bad=0" in capsys.readouterr().err
    assert command("explain", "CG", "--grades", "Good,Bad") == 2
    assert "--grade-words Good=2,Fair=1,Bad=0" in capsys.readouterr().err


@pytest.mark.parametrize("table", ["Good", "Good=", "=3", "Good=3,Good=2", "Good=three", ""])
def test_a_table_that_gives_no_grades_is_refused(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("explain", "CG", "--grades", "Good", "--grade-words", table) == 2
    assert "Write word=number for each word" in capsys.readouterr().err


def test_a_check_reads_words_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("A", "B"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "qrels.txt").write_bytes(text())
        (tmp_path / name / "a.run").write_text("".join(f"q Q0 {d} 0 {s} a\n" for d, s in RUN["q"].items()))
    words = ["--grade-words", TABLE, "--format", "json"]
    files = [str(tmp_path / "A" / each) for each in ("qrels.txt", "a.run")]
    for given in (files, ["--collections", str(tmp_path)]):
        assert command("check", *given, *words) == 1
        assert '"severity": "error"' not in capsys.readouterr().out
    assert command("check", *files, "--grade-words", "Good=3", "--format", "json") == 2
    assert (
        "line 1: the grade 'Fair' is neither a number nor one of the words Good=3" in capsys.readouterr().out
    )
    for form in (mapping, text):
        assert not [
            each
            for each in carob.check(form(), RUN, qrels_columns={"words": WORDS})
            if each.severity == "error"
        ]


def test_words_are_read_on_several_collections(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("A", "B"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "qrels.txt").write_bytes(text())
        (tmp_path / name / "a.run").write_text("".join(f"q Q0 {d} 0 {s} a\n" for d, s in RUN["q"].items()))
    asked = ["eval", "--collections", str(tmp_path), "-m", "CG", "--format", "json"]
    assert command(*asked, "--grade-words", TABLE) == 0
    assert json.loads(capsys.readouterr().out)["means"]["CG"] == {"a": CG}


@pytest.mark.parametrize("name", ["qrels.txt", "qrels.csv"])
def test_a_record_says_what_the_words_meant_and_is_verified(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    if name == "qrels.csv":
        pytest.importorskip("polars", reason="tables with grades in words are read by polars")
    rows = "session,document,grade\n" + "".join(f"{','.join(row)}\n" for row in ROWS)
    (tmp_path / name).write_bytes(text() if name == "qrels.txt" else rows.encode())
    (tmp_path / "a.run").write_text("".join(f"q Q0 {d} 0 {s} a\n" for d, s in RUN["q"].items()))
    columns = ["--qrels-columns", "query=session"] if name == "qrels.csv" else []
    assert (
        command("eval", name, "a.run", "-m", "CG", "--grade-words", TABLE, *columns, "--record", "r.json")
        == 0
    )
    assert json.loads((tmp_path / "r.json").read_text())["inputs"][0]["columns"]["words"] == WORDS
    capsys.readouterr()
    assert command("verify", "r.json") == 0, capsys.readouterr()


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_frame_of_words_without_numbers_is_not_to_be_cast_alone(library: str) -> None:
    frame = pytest.importorskip(library).DataFrame({"query": ["q"], "document": ["a"], "grade": ["Good"]})
    with pytest.raises(
        carob.DataError, match=r"If they are words, specify a number for each word: carob.Qrels.of\(…, words"
    ):
        carob.evaluate(frame, {"q": {"a": 1.0}}, "AP")
