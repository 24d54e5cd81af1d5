"""What files, frames and dictionaries are taken for: columns by name, folders, ranks, lists, missing grades."""

from __future__ import annotations

import gzip
import io
import json
import os
import pickle
import re
import tarfile
import zipfile
from typing import TYPE_CHECKING, Any

import click
import numpy as np
import pytest

import carob
from carob import DataError, DataWarning, Policy, Qrels, Run
from carob.cli import COMMANDS, commands
from carob.evaluation.beyond_accuracy.inputs import read
from carob.inputs.columns import known_names, plain_name, usual
from carob.output.errors import command_of
from toys import command

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


# ---------------------------------------------------------------- files in several folders


@pytest.fixture
def sets(tmp_path: Path) -> Path:
    """Two data sets, each with a query 1."""
    for name, wanted in (("nq", "a"), ("fever 2", "b")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "qrels.txt").write_text(f"1 0 {wanted} 1\n")
        (tmp_path / name / "bm25.run").write_text("1 Q0 a 1 2.0 t\n# a note\n\n 1 Q0 b 2 1.0 t\n")
        (tmp_path / name / "bm25.jsonl").write_text('{"qid": "1", "retrieved_ids": ["a", "b"]}\n')
        (tmp_path / name / "bm25.csv").write_text("qid,docno,score\n1,a,2\n1,b,1\n")
        (tmp_path / name / "bm25.json").write_text('{"1": {"a": 2.0, "b": 1.0}}')
    return tmp_path


@pytest.mark.parametrize(
    "face", ["eval", "compare", "report", "gate", "check", "explain", "difference", "agreement"]
)
def test_files_of_several_folders_are_refused_by_every_command(
    face: str, sets: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    qrels, run = str(sets / "*" / "qrels.txt"), str(sets / "*" / "bm25.run")
    words = {
        "eval": ["eval", qrels, run],
        "compare": ["compare", qrels, run, f"two={run}"],
        "report": ["report", qrels, run, f"two={run}", "-o", str(sets / "page.html")],
        "gate": ["gate", qrels, run, "--min", "AP=0"],
        "check": ["check", qrels, run],
        "explain": ["explain", "AP", qrels, run, "--query", "1"],
        "difference": ["difference", "trec_eval-9", "ranx", "AP", qrels, run],
        "agreement": ["agreement", qrels, qrels],
    }
    assert command(*words[face]) == 2
    said = capsys.readouterr()
    text = " ".join((said.out if face == "check" else said.err).split())
    assert "are in 2 folders" in text
    if face != "check":
        assert "--folders prefix" in text


@pytest.mark.parametrize("ending", ["run", "jsonl", "csv", "json"])
def test_data_sets_keep_their_queries_apart_by_their_folders(ending: str, sets: Path) -> None:
    pytest.importorskip("polars", reason="reads the tables")
    qrels = Qrels.of(str(sets / "*" / "qrels.txt"), folders="prefix")
    run = Run.of(str(sets / "*" / f"bm25.{ending}"), folders="prefix")
    assert carob.evaluate(qrels, run, "RR").by_query("RR") == {"fever_2/1": 0.5, "nq/1": 1.0}


def test_a_folder_of_data_sets_is_refused_as_a_pattern_is(sets: Path) -> None:
    for each in sets.glob("*/bm25.*"):
        if each.suffix != ".csv":
            each.unlink()
    with pytest.raises(DataError, match=r"are in 2 folders.*folders='prefix'"):
        Run.of(str(sets))


def test_folders_of_one_table_are_said_to_be_parts(sets: Path, tmp_path: Path) -> None:
    qrels = Qrels.of(str(sets / "*" / "qrels.txt"), folders="parts")
    assert qrels.queries == ["1"]
    parts = tmp_path / "parts"
    parts.mkdir()
    for number in (1, 2):
        (parts / f"{number}.txt").write_text(f"{number} 0 a 1\n")
    assert Qrels.of(str(parts / "*.txt")).queries == ["1", "2"]
    with pytest.raises(DataError, match="folders='both' is unknown"):
        Qrels.of(str(sets / "*" / "qrels.txt"), folders="both")


def test_partitions_of_hive_stay_one_table(tmp_path: Path) -> None:
    pl = pytest.importorskip("polars", reason="writes Parquet")
    for part in ("a", "b"):
        folder = tmp_path / "run" / f"part={part}"
        folder.mkdir(parents=True)
        pl.DataFrame({"qid": [part], "docno": ["d"], "score": [1.0]}).write_parquet(folder / "0.parquet")
    qrels = {"a": {"d": 1}, "b": {"d": 1}}
    for path in (tmp_path / "run", tmp_path / "run" / "*" / "*.parquet"):
        assert carob.evaluate(qrels, str(path), "RR")["RR"] == 1.0


def test_a_record_of_prefixed_folders_is_verified(sets: Path) -> None:
    qrels = Qrels.of(str(sets / "*" / "qrels.txt"), folders="prefix")
    run = Run.of(str(sets / "*" / "bm25.run"), folders="prefix")
    carob.record(carob.evaluate(qrels, run, "RR"), str(sets / "record.json"))
    assert carob.verify(str(sets / "record.json")).equal


# ---------------------------------------------------------------- ranks in the place of scores

PLACES = [1, 2, 3, 4, 5] * 4
TABLE = {
    "qid": [query for query in "qrst" for _ in range(5)],
    "docno": list("bcdae") * 4,
    "position": PLACES,
    "shown": PLACES,
}
FIRST = {query: {"b": 1} for query in "qrst"}
"""The first document of each list is relevant: the lowest number is the best."""


def frames() -> dict[str, Callable[[], Any]]:
    """The same table, as several libraries hold it."""
    pl = pytest.importorskip("polars", reason="makes the frames")
    frame = pl.DataFrame(TABLE)
    return {
        "polars": lambda: frame,
        "lazy": lambda: frame.lazy(),
        "pandas": lambda: pytest.importorskip("pandas").DataFrame(TABLE),
        "arrow": lambda: pytest.importorskip("pyarrow").table(TABLE),
        "duckdb": lambda: pytest.importorskip("duckdb").connect().from_arrow(frame.to_arrow()),
        "engine": lambda: pytest.importorskip("duckdb").connect().from_arrow(frame.to_arrow()),
    }


@pytest.mark.parametrize("library", ["polars", "lazy", "pandas", "arrow", "duckdb", "engine"])
def test_a_column_of_ranks_is_no_column_of_scores(library: str) -> None:
    qrels, made = FIRST, frames()[library]
    extract = "engine" if library == "engine" else None
    with pytest.raises(DataError, match=r"named like a rank.*carob\.Run\.of\(run, rank='position'\)"):
        carob.evaluate(qrels, Run.of(made(), score="position", extract=extract), "RR")
    if library != "engine":  # whose rows have no order
        with pytest.raises(
            DataError, match=r"are 1, 2, 3 … or other equal steps in each list.*score='shown!'"
        ):
            carob.evaluate(qrels, Run.of(made(), score="shown"), "RR")
    for insisted in ("position!", "shown!"):
        assert carob.evaluate(qrels, Run.of(made(), score=insisted, extract=extract), "RR")["RR"] == 0.2
    for rank in ("position", "shown"):
        assert carob.evaluate(qrels, Run.of(made(), rank=rank, extract=extract), "RR")["RR"] == 1.0


def test_the_command_line_refuses_ranks_with_its_own_remedy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pl = pytest.importorskip("polars", reason="reads CSV")
    pl.DataFrame(TABLE).write_csv(tmp_path / "run.csv")
    (tmp_path / "qrels.txt").write_text("".join(f"{query} 0 b 1\n" for query in FIRST))
    files = [str(tmp_path / "qrels.txt"), str(tmp_path / "run.csv")]
    for column in ("position", "shown"):
        for words in (["eval", "-m", "RR"], ["gate", "--min", "RR=0"], ["difference", "ranx", "carob", "AP"]):
            assert command(*words, *files, "--run-columns", f"score={column}") == 2
            said = capsys.readouterr().err
            assert f"--run-columns rank={column}" in said
            assert f"--run-columns score={column}!" in said
        assert command("eval", "-m", "RR", *files, "--run-columns", f"score={column}!") == 0
        assert "0.2000" in capsys.readouterr().out


def test_names_of_scores_that_speak_of_ranks_are_scores() -> None:
    frame = frames()["polars"]().rename({"position": "rerank_score"})
    shuffled = frame[[2, 0, 3, 1]]
    assert carob.evaluate({"q": {"a": 1}}, Run.of(shuffled, score="rerank_score"), "RR")["RR"] == 1.0


def test_scores_of_text_and_dictionaries_that_count_up_are_warned_of() -> None:
    ids = [f"d{number}" for number in range(12)]
    up = {query: {each: float(rank) for rank, each in enumerate(ids, 1)} for query in ("p", "q")}
    text = "".join(f"{q} Q0 {d} {int(s)} {s} t\n" for q, its in up.items() for d, s in its.items()).encode()
    for run in (up, text):
        with pytest.warns(DataWarning, match="the scores are 1, 2, 3"):
            assert carob.evaluate({"p": {"d0": 1}, "q": {"d0": 1}}, run, "RR")["RR"] == 1 / 12
    down = {query: {each: -float(rank) for rank, each in enumerate(ids, 1)} for query in ("p", "q")}
    assert not carob.evaluate({"p": {"d0": 1}, "q": {"d0": 1}}, down, "RR").warnings


# ---------------------------------------------------------------- names of columns

FORMS = {
    "query": "query_id qid queryid QueryID userID userId user_id userid topic_id question question_id uid",
    "document": "docno doc_id docId itemID itemId item_id movieId corpus-id _id passage_id",
    "score": "score _score Score sim prediction similarity",
    "rank": "rank Rank position pos",
    "grade": "relevance rel label grade rating qrel Rating",
}


@pytest.mark.parametrize(
    ("role", "name"), [(role, name) for role, names in FORMS.items() for name in names.split()]
)
def test_usual_names_are_known_to_every_face(role: str, name: str) -> None:
    assert usual([name, "other"], role) == [name]


def test_recommendations_take_their_columns_from_the_same_table() -> None:
    lists = {"u": ["b", "a"], "v": ["a"]}
    names = ("exclude", "baseline", "train", "relevant", "catalogue", "features", "distances")
    none: dict[str, Any] = dict.fromkeys(names)
    expected = read(lists, Policy(), **none)
    for query in FORMS["query"].split():
        for document in FORMS["document"].split():
            table = {query: ["u", "v", "u"], document: ["a", "a", "b"], "position": [2, 1, 1]}
            found = read(table, Policy(), **none)
            assert (found.users, len(found.items)) == (expected.users, len(expected.items))
            assert [found.items[each] for each in found.rows.item] == ["b", "a", "a"]
    with pytest.raises(DataError, match="user_id' and 'userID', each of which may be the user"):
        read({"user_id": ["u"], "userID": ["v"], "item": ["a"]}, Policy(), **none)


def test_no_name_stands_for_two_things_of_one_table() -> None:
    for kind in (("query", "document", "score", "rank"), ("query", "document", "grade", "subtopic")):
        names = [name for role in kind for bracket in known_names()["usual"][role] for name in bracket]
        assert len(names) == len(set(names))
        assert all(plain_name(name) == name for name in names)


def test_two_columns_of_one_kind_are_refused() -> None:
    pl = pytest.importorskip("polars", reason="makes the frame")
    frame = pl.DataFrame({"user_id": ["q"], "userID": ["r"], "item": ["a"], "score": [1.0]})
    with pytest.raises(DataError, match="'user_id' and 'userID', each of which may be the query"):
        carob.evaluate({"q": {"a": 1}}, frame, "RR")


READS_TABLES = (
    *("check", "eval", "compare", "report", "explain", "curve", "difference", "agreement", "gate"),
    *("plan", "next", "best", "correlate", "fuse", "run", "whence"),
)


@pytest.mark.parametrize("name", READS_TABLES)
def test_every_command_that_reads_tables_says_which_columns_are_what(name: str) -> None:
    its = commands.get_command(click.Context(commands), name)
    assert its is not None
    options = {option for each in its.params for option in each.opts}
    assert {"--run-columns", "--qrels-columns", "--folders"} <= options
    assert ("--exclude" in options) == (name != "check")


def test_the_list_of_commands_that_read_tables_is_whole() -> None:
    others = {
        "beyond",
        "cite",
        "help",
        "verify",
        "judge",
        "measures",
        "profiles",
        "trec-eval",
        "schema",
        "history",
    }
    assert set(COMMANDS) - others - set(READS_TABLES) <= {"evaluate"}


@pytest.mark.parametrize("name", READS_TABLES)
def test_columns_are_named_in_every_command(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("polars", reason="reads CSV")
    qrels, run = tmp_path / "judged.csv", tmp_path / "found.csv"
    rows = [(f"s{query}", f"p{place}") for query in range(3) for place in range(4)]
    qrels.write_text("session,page,clicks\n" + "".join(f"{q},{d},{d[1:]}\n" for q, d in rows))
    run.write_text("session,page,place\n" + "".join(f"{q},{d},{5 - int(d[1:])}\n" for q, d in rows))
    other = tmp_path / "other.csv"
    rows[0] = ("s0", "unjudged9")
    other.write_text("session,page,place\n" + "".join(f"{q},{d},{1 + int(d[-1:])}\n" for q, d in rows))
    two = [str(qrels), f"mine={run}", f"yours={other}", "-m", "nDCG"]
    files = {
        "plan": [*two, "--difference", "0.1"],
        "next": [*two[:-1], "DCG"],
        "best": two,
        "check": [str(qrels), f"mine={run}"],
        "eval": [str(qrels), f"mine={run}", "-m", "nDCG"],
        "compare": [str(qrels), f"mine={run}", f"yours={run}", "-m", "nDCG"],
        "report": [str(qrels), f"mine={run}", f"yours={run}", "-m", "nDCG", "-o", "-"],
        "explain": ["nDCG", str(qrels), f"mine={run}", "--query", "s1"],
        "curve": [str(qrels), f"mine={run}", "-m", "nDCG"],
        "difference": ["carob", "trec_eval-9", "nDCG", str(qrels), f"mine={run}"],
        "agreement": [str(qrels), str(qrels), f"mine={run}", f"yours={run}", "-m", "nDCG"],
        "correlate": [
            str(qrels),
            f"judge={qrels}",
            f"mine={run}",
            f"yours={run}",
            f"ours={other}",
            "-m",
            "nDCG",
        ],
        "fuse": [f"mine={run}", f"yours={other}", "--tune", "nDCG", "--qrels", str(qrels)],
        "run": [f"mine={run}", "-o", "-", "--judged", str(qrels)],
        "whence": ["1.000", str(qrels), f"mine={run}", "-m", "nDCG", "--query", "s1"],
        "gate": [
            str(qrels),
            f"mine={run}",
            "--min",
            "nDCG=0.99",
            "--baseline",
            f"old={run}",
            "--max-drop",
            "nDCG=1",
        ],
    }
    if name == "report":
        pytest.importorskip("jinja2", reason="writes the page")
    columns = ["--qrels-columns", "query=session,document=page", "--qrels-columns", "grade=clicks"]
    columns += ["--run-columns", "query=session,document=page,rank=place"]
    code = command(name, *files[name], *columns)
    said = capsys.readouterr()
    assert code in ((0, 1) if name == "check" else (0,)), said.err
    if name not in ("difference", "next", "correlate", "curve", "whence"):
        assert "mine" in said.out
    if name in ("eval", "explain", "difference", "curve"):
        assert "1.0000" in said.out
    if name == "check":
        assert "error" not in said.out.replace("0 errors", "")


def test_a_column_that_nobody_can_tell_is_asked_for_in_the_words_of_the_face(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("polars", reason="reads CSV")
    (tmp_path / "run.csv").write_text("qid,docno,closeness\nq,a,1\n")
    (tmp_path / "qrels.txt").write_text("q 0 a 1\n")
    with pytest.raises(
        DataError, match=r"a usual name for the score or the rank.*carob\.Run\.of\(run, score=…\)"
    ):
        Run.of(str(tmp_path / "run.csv"))
    assert command("eval", str(tmp_path / "qrels.txt"), str(tmp_path / "run.csv")) == 2
    said = capsys.readouterr().err
    assert "--run-columns score=…, or --run-columns rank=… where 1 is the best" in said
    assert "carob.Run" not in said


# ---------------------------------------------------------------- judgments without grades, lists, ids that are numbers


@pytest.mark.parametrize(
    "qrels",
    [
        {"q": ["a", "b"]},
        {"q": ("a", "b")},
        {"q": {"a", "b"}},
        {"q": frozenset("ab")},
        {"q": np.array(["a", "b"])},
        {"q": {"a": 1, "b": 1}.keys()},
    ],
    ids=lambda qrels: type(qrels["q"]).__name__,
)
def test_relevant_documents_may_be_a_list_or_a_set(qrels: Any) -> None:
    run = {"q": {"x": 3.0, "a": 2.0, "b": 1.0}}
    assert carob.evaluate(qrels, run, "AP")["AP"] == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert carob.evaluate(qrels, {"q": ["x", "a", "b"]}, "AP")["AP"] == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert "few-queries" in {each.code for each in carob.check(qrels, {"q": ["x", "a", "b"]}).findings}


def test_what_has_no_order_or_stands_twice_is_no_ranking() -> None:
    with pytest.raises(DataError, match="query 'q': a set has no order"):
        carob.evaluate({"q": ["a"]}, {"q": {"a", "b"}}, "AP")
    with pytest.raises(DataError, match="document 'a' is listed twice"):
        carob.evaluate({"q": ["a"]}, {"q": ["a", "b", "a"]}, "AP")
    with pytest.raises(DataError, match="query 'q'"):
        carob.evaluate({"q": "abc"}, {"q": ["a"]}, "AP")


def test_whole_numbers_are_ids_as_their_text_is() -> None:
    for qrels in ({1: [2]}, {"1": ["2"]}, {1: {2: 1}}, {np.int64(1): {np.int32(2)}}):
        for run in ({1: [1, 2]}, {"1": ["1", "2"]}, {1: {1: 2.0, 2: 1.0}}):
            assert carob.evaluate(qrels, run, "RR").by_query("RR") == {"1": 0.5}
    with pytest.raises(DataError, match="twice"):
        carob.evaluate({1: {2: 1, "2": 0}}, {1: [2]}, "RR")


def test_a_number_is_the_grade_of_every_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pl = pytest.importorskip("polars", reason="makes the frames")
    clicks = pl.DataFrame({"userID": [1, 1, 2], "itemID": [5, 6, 7]})
    shown = pl.DataFrame({"userID": [1, 1, 2], "itemID": [4, 5, 7], "prediction": [0.9, 0.8, 0.7]})
    with pytest.raises(DataError, match=r"implicit feedback\), carob\.Qrels\.of\(qrels, grade=1\)"):
        carob.evaluate(clicks, shown, "RR")
    for made in (clicks, clicks.lazy(), clicks.to_arrow()):
        assert carob.evaluate(Qrels.of(made, grade=1), shown, "RR").by_query("RR") == {"1": 0.5, "2": 1.0}
    assert carob.evaluate(Qrels.of(clicks, grade=3), shown, "AP(rel=3)@1")["AP(rel=3)@1"] == 0.5
    clicks.write_csv(tmp_path / "clicks.csv")
    shown.write_csv(tmp_path / "shown.csv")
    files = [str(tmp_path / "clicks.csv"), str(tmp_path / "shown.csv")]
    assert command("eval", "-m", "RR", *files) == 2
    assert "--qrels-columns grade:=1" in capsys.readouterr().err
    assert (
        command("eval", "-m", "RR", *files, "--qrels-columns", "grade:=1", "--record", files[0] + ".json")
        == 0
    )
    assert "0.7500" in capsys.readouterr().out
    assert carob.verify(files[0] + ".json").equal
    assert Qrels.of({"q": {"a": 5, "b": 0}}, grade=1).judgments.grades.tolist() == [1.0, 1.0]
    (tmp_path / "qrels.txt").write_text("q 0 a 1\n")
    with pytest.raises(DataError, match="TREC text, in which each line has a grade"):
        Qrels.of(str(tmp_path / "qrels.txt"), grade=1)


ROWS = [
    {"question": "who", "retrieved_ids": ["a", "b"], "reference_ids": ["b"]},
    {"question": "what", "retrieved_ids": ["c", "d"], "reference_ids": ["c", "e"]},
]


@pytest.mark.parametrize("packed", [False, True])
def test_lines_of_json_that_are_nested_too_deep_are_refused_with_their_number(
    tmp_path: Path, packed: bool
) -> None:
    pytest.importorskip("polars", reason="reads JSON lines")
    row = '{"query_id": "q", "doc_id": "d%d", "score": 1%s}\n'
    sound = [row % (0, ', "text": "' + "[" * 2000 + '"'), row % (1, ', "x": ' + "[" * 498 + "]" * 498)]
    many = [row % (number, "") for number in range(2, 30_000)]  # more than are looked at in one go
    deep = row % (0, ', "x": ' + '{"a": ' * 500 + "1" + "}" * 500)

    def score(*rows: str) -> float:
        text = "".join(rows).encode()
        path = tmp_path / ("a.jsonl.gz" if packed else "a.jsonl")
        path.write_bytes(gzip.compress(text) if packed else text)
        return float(
            carob.evaluate({"q": {"d0": 1}}, str(path), "P@1", policy=carob.Policy(ties="optimistic"))["P@1"]
        )

    assert score(*sound, *many) == 1.0
    with pytest.raises(
        carob.DataError, match=r"a\.jsonl(\.gz)?, line 30001: objects and lists are nested deeper"
    ):
        score(*sound, *many, deep)


WIDE_LINES = {
    "a score": '{"query_id": "q", "doc_id": 9007199254740993, "score": 9007199254740993}',
    "a negative score": '{"query_id": "q", "doc_id": "a", "score": -9007199254740993}',
    "among lists": '{"query_id": "q", "retrieved_ids": ["a", "b"], "scores": [1, 9007199254740993]}',
    "among records": '{"query_id": "q", "results": [{"doc_id": "a", "score": 9007199254740993}]}',
}


@pytest.mark.parametrize("case", WIDE_LINES)
def test_whole_numbers_that_would_tie_in_lines_of_json_are_refused(tmp_path: Path, case: str) -> None:
    pytest.importorskip("polars", reason="reads JSON lines")
    path = tmp_path / "a.jsonl"
    sound = WIDE_LINES[case].replace("40993}", "40992}").replace("40993]", "40992]").replace(': "q"', ': "p"')
    path.write_text(sound + "\n" + WIDE_LINES[case] + "\n")
    with pytest.raises(
        carob.DataError, match=r"a\.jsonl, line 2: '-?9007199254740993' is a whole number that"
    ):
        carob.evaluate({"q": {"a": 1}}, str(path))
    path.write_text(sound + "\n")
    assert carob.evaluate({"p": {"9007199254740993": 1, "a": 1, "b": 1}}, str(path), "P@1")["P@1"] == 1


def test_one_file_of_questions_is_judgments_and_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("polars", reason="reads JSON lines")
    path = tmp_path / "rag.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    assert carob.evaluate(str(path), str(path), "RR").by_query("RR") == {"what": 1.0, "who": 0.5}
    for files in ([str(path)], [str(path), str(path)]):
        assert command("eval", "-m", "RR", *files) == 0
        assert "rag  0.7500" in capsys.readouterr().out
    other = tmp_path / "docs.jsonl"
    other.write_text('{"question": "who", "doc_ids": ["b"]}\n')
    assert command("eval", "-m", "RR", str(other), str(path)) == 2
    assert "--qrels-columns grade:=1 if each of them is relevant" in capsys.readouterr().err
    assert command("eval", "-m", "RR", str(other), str(path), "--qrels-columns", "grade:=1") == 0


def test_a_subtopic_may_be_called_0() -> None:
    for subtopic in ("0", "Q0", "s1", 0):
        qrels: Any = {"q": {subtopic: {"d": 1}}}
        assert carob.evaluate(qrels, {"q": {"x": 2.0, "d": 1.0}}, "alphanDCG@5")["alphanDCG@5"] < 1
    with pytest.raises(DataError, match="there are no subtopics"):
        carob.evaluate(b"q 0 d 1\n", {"q": {"d": 1.0}}, "alphanDCG@5")


# ---------------------------------------------------------------- what is said of files that are something else


def binaries() -> dict[str, tuple[bytes, str]]:
    """Files that are not text, and what they are called."""
    packed = gzip.compress(b"q Q0 d 1 1 t\n")
    sheet, archive, tape = io.BytesIO(), io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(sheet, "w") as file:
        file.writestr("xl/workbook.xml", "<x/>")
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("run.txt", "q Q0 d 1 1 t\n")
    with tarfile.open(fileobj=tape, mode="w") as file:
        file.addfile(tarfile.TarInfo("run.txt"))
    return {
        "pickle": (pickle.dumps({"q": {"d": 1.0}}), "is a Python pickle"),
        "packed pickle": (gzip.compress(pickle.dumps({"q": {"d": 1.0}})), "is a Python pickle"),
        "lz4": (b"\x04\x22\x4d\x18d@\xa7abc\0" * 4, "is compressed by LZ4"),
        "gzip twice": (gzip.compress(packed), "is compressed twice: unpack it first (gunzip)"),
        "excel": (sheet.getvalue(), "is an Excel file: save it as CSV"),
        "zip": (archive.getvalue(), "is a ZIP archive"),
        "tar": (tape.getvalue(), "is a tar archive"),
        "html": (
            b"<!DOCTYPE html>\n<html><body>404</body></html>\n",
            "is an HTML page, perhaps the error page of a failed",
        ),
        "lfs": (b"version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "is a Git LFS pointer"),
        "utf-16": ("q Q0 d 1 1 t\n".encode("utf-16"), "UTF-16"),
        "noise": (bytes(range(1, 9)) * 40, "is not text"),
        "zeros": (b"\0" * 4000, "is not text"),
    }


@pytest.mark.parametrize("name", sorted(binaries()))
@pytest.mark.parametrize("ending", ["", ".run", ".txt", ".csv", ".jsonl"])
def test_what_is_no_text_is_named_and_not_shown(
    name: str, ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content, what = binaries()[name]
    path, good = tmp_path / f"file{ending}", tmp_path / "good.txt"
    path.write_bytes(content)
    good.write_text("q 0 d 1\n")
    for files in ([str(path), str(good)], [str(good), str(path)]):
        for words in (["eval"], ["gate", "--min", "AP=0"]):
            assert command(*words, *files) == 2
            said = capsys.readouterr().err
            assert what in said
            assert all(letter.isprintable() or letter == "\n" for letter in said)
            assert "\\x" not in said
    if ending == "":
        with pytest.raises(DataError, match=re.escape(what)):
            carob.evaluate({"q": {"d": 1}}, content, "AP")


def test_ids_that_begin_as_other_files_do_are_text() -> None:
    for query in ("ORC7", "Rar!", "PK"):
        run = f"{query} Q0 d 1 1.0 t\n".encode()
        assert carob.evaluate({query: {"d": 1}}, run, "RR")["RR"] == 1.0


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (
            "run.csv",
            b"qid;docno;score\nq;a;1,5\n",
            "line 2: '1,5' in column 'score' is not a number. The number has a",
        ),
        ("run.csv", b"qid,docno,score\nq,a,1\nq,b,good\n", "line 3: 'good' in column 'score'"),
        ("run.csv", b"qid,docno,score\nq,a,1\nq,,2\n", "line 3: column 'docno' is null"),
        (
            "run.csv",
            b"qid,docno,score\nq,a,1\nq,a,2\n",
            "line 3: document 'a' is listed twice for query 'q' (first in line 2)",
        ),
        (
            "run.csv",
            "qid,docno,score\nq,é,1\n".encode("cp1252"),
            "not text in UTF-8. If it comes from a spreadsheet",
        ),
        (
            "run.csv",
            "café,docno,score\nq,a,1\n".encode("cp1252"),
            "not text in UTF-8. If it comes from a spreadsheet",
        ),
        (
            "run.jsonl",
            b'{"qid": "q", "docno": "a", "score": 1}\n{"qid": "q", "docno": "a", "score": 2}\n',
            "(first in line 1)",
        ),
        (
            "run.txt",
            b"q Q0 a 1 1,5 t\n",
            "line 1: '1,5' is not a number: 'q Q0 a 1 1,5 t'. The number has a decimal comma",
        ),
        ("run.txt", b"q\n", "line 1: found 1 column, expected"),
    ],
)
def test_rows_are_numbered_as_an_editor_shows_them(
    name: str, content: bytes, said: str, tmp_path: Path
) -> None:
    pytest.importorskip("polars", reason="reads the tables")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=re.escape(said)):
        carob.evaluate({"q": {"a": 1}}, str(tmp_path / name), "RR")


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


def test_judgments_by_subtopic_are_told_to_be_for_measures_by_subtopic() -> None:
    qrels, run = b"q 1 a 1\nq 2 a 1\nq 1 b 0\n", b"q Q0 a 1 1.0 t\n"
    with pytest.raises(DataError, match=r"judged for two subtopics, '1' and '2'.*such as alphanDCG"):
        carob.evaluate(qrels, run, "AP")
    assert carob.evaluate(qrels, run, "alphanDCG@20")["alphanDCG@20"] == 1.0
    assert carob.evaluate(qrels, run, "AP", policy=Policy(duplicates="max"))["AP"] == 1.0
    with pytest.raises(
        DataError,
        match=r"line 2: document '.*' is judged twice for query 'q' \(first in line 1\). Remove one",
    ):
        carob.evaluate(b"q 0 a 1\nq 0 a 0\n", run, "AP")


# ---------------------------------------------------------------- runs as judgments, other processes, missing files


@pytest.mark.parametrize("form", ["frame", "rows"])
def test_a_run_given_as_judgments_in_memory_is_refused_as_in_a_file(form: str) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"qid": ["q", "q"], "docno": ["a", "b"], "score": [2.5, 1.0]})
    given = frame if form == "frame" else frame.to_dict("records")
    with pytest.raises(DataError, match="column 'score', have fractions: are qrels and run swapped"):
        Qrels.of(given)
    assert Qrels.of(given, grade="score").judgments.grades.tolist() == [2.5, 1.0]  # whoever names it means it
    whole = frame.assign(score=[2, 1])
    assert Qrels.of(whole if form == "frame" else whole.to_dict("records")).queries == ["q"]


@pytest.mark.parametrize(
    ("given", "policy"),
    [
        (b"q 0 a 1\nr 0 \xff 2.5\n", Policy()),
        (b"# of 2021\nq 0 a 1\nheavy\nr 0 b -1\n\nq 0\n", Policy(malformed="skip")),
        ({"q": {"a b": 1, "b": 0}, "r": {}}, Policy()),
    ],
)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_judgments_are_the_same_in_another_process(given: Any, policy: Policy, protocol: int) -> None:
    here = Qrels.of(given, policy)
    there = pickle.loads(pickle.dumps(here, protocol))
    for name in ("queries", "malformed", "line_count"):
        assert getattr(there.judgments, name) == getattr(here.judgments, name), name
    for name in ("grades", "offsets", "lines"):
        assert getattr(there.judgments, name).tolist() == getattr(here.judgments, name).tolist(), name
    assert [there.judgments.documents(n) for n in (0, 1)] == [here.judgments.documents(n) for n in (0, 1)]
    assert (there.name, there.origin) == (here.name, here.origin)


@pytest.mark.parametrize("how", ["stream", "file", "path"])
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("protocol", [0, pickle.HIGHEST_PROTOCOL])
def test_a_run_is_the_same_in_another_process(how: str, packed: bool, protocol: int, tmp_path: Path) -> None:
    content = b"q 0 a 1 2.0 t\nq 0 b 2 1.0 t\n"
    stored = gzip.compress(content) if packed else content
    path = tmp_path / "a.run"
    path.write_bytes(stored)
    with path.open("rb") as file:
        here = Run.of({"stream": io.BytesIO(stored), "file": file, "path": path}[how])
        there = pickle.loads(pickle.dumps(here, protocol))
        assert there.name == here.name
        for each in (here, there, there):  # the stream is read again on both sides
            assert [row[:2] for row in each.held.rows()] == [(b"q", b"a"), (b"q", b"b")]


def test_a_compressed_run_in_memory_can_be_pickled() -> None:
    run = pickle.loads(pickle.dumps(Run.of(gzip.compress(b"q 0 a 1 2.0 t\n"))))
    assert [row[1] for row in run.held.rows()] == [b"a"]


def test_a_run_in_a_frame_says_that_the_frame_is_to_be_pickled() -> None:
    pandas = pytest.importorskip("pandas")
    run = Run.of(pandas.DataFrame({"query_id": ["q"], "doc_id": ["a"], "score": [1.0]}))
    with pytest.raises(DataError, match=r"cannot be pickled\. Pickle the frame itself"):
        pickle.dumps(run)


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


@pytest.mark.parametrize("text", ["q Q0 a 1 2.0 t\n", "q 0 a* 1\n"])
def test_text_in_place_of_a_path_is_refused_without_its_content(text: str) -> None:
    for of in (Run.of, Qrels.of):
        with pytest.raises(DataError, match=r"^Text is taken as a path, .*as bytes") as error:
            of(text * 1000)
        assert len(str(error.value)) < 300


def test_a_path_in_bytes_is_refused_as_a_path(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_bytes(b"q Q0 a 1 2.0 t\n")
    with pytest.raises(DataError, match=r"Bytes are read as the content .*a\.run' is the path of one"):
        Run.of(os.fsencode(path))
    assert Run.of(b"q Q0 a 1 2.0 t\n").name == "<bytes>"


def test_what_an_open_file_lacks_is_said_with_its_name(tmp_path: Path) -> None:
    damaged = bytearray(gzip.compress(b"q Q0 a 1 2.0 t\n"))
    damaged[-8:-4] = bytes(4)
    path = tmp_path / "a.run"
    for content, fault in ((bytes(damaged), "CRC check failed"), (b"q Q0 a 1 2.0 t\n", "Not a gzipped file")):
        path.write_bytes(content)
        with gzip.open(path) as file, pytest.raises(DataError) as error:
            carob.evaluate({"q": {"a": 1}}, file, "AP")
        assert str(error.value).startswith(f"{path}: the file cannot be read: {fault}")
        assert str(error.value).endswith("Open it again, or pass its path.")
    with path.open("wb") as file, pytest.raises(DataError) as error:
        Run.of(file)
    assert str(error.value) == f"{path}: the file is not open for reading. Open it again in mode 'rb'."


def test_a_file_without_a_name_is_called_by_its_descriptor() -> None:
    there, here = os.pipe()
    os.write(here, b"q Q0 a\n")
    os.close(here)
    with (
        os.fdopen(there, "rb") as file,
        pytest.raises(DataError, match=f"^<file descriptor {there}>, line 1: "),
    ):
        carob.evaluate({"q": {"a": 1}}, file, "AP")


def test_a_link_that_leads_nowhere_is_not_proposed_in_its_own_place(tmp_path: Path) -> None:
    (tmp_path / "dang.run").symlink_to("gone")
    with pytest.raises(
        DataError, match=r"symbolic link to 'gone', which does not exist\. Correct the link\.$"
    ):
        carob.evaluate({"q": {"a": 1}}, tmp_path / "dang.run", "AP")


@pytest.mark.parametrize("form", ["text", "mapping", "frame", "table"])
@pytest.mark.parametrize("value", ["nan", "9007199254740993"])
def test_a_grade_that_cannot_be_used_is_called_a_grade(form: str, value: str, tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    number = float(value) if value == "nan" else int(value)
    (tmp_path / "a.csv").write_text(f"query_id,doc_id,relevance\nq,a,{value}\n")
    given = {
        "text": f"q 0 a {value}\n".encode(),
        "mapping": {"q": {"a": number}},
        "frame": polars.DataFrame({"query_id": ["q"], "doc_id": ["a"], "relevance": [number]}),
        "table": tmp_path / "a.csv",
    }[form]
    with pytest.raises(DataError) as error:
        Qrels.of(given)
    said = str(error.value)
    assert ("grade is NaN" if value == "nan" else "different grades would become equal") in said
    assert not re.search("score|rank|run|constant", said), said


def test_skipping_malformed_lines_does_not_go_with_tables_and_the_error_says_so(tmp_path: Path) -> None:
    pytest.importorskip("polars")
    (tmp_path / "a.csv").write_text("query_id,doc_id,score\nq,a,1\nq,b,x\n")
    with pytest.raises(
        DataError, match=r"line 3: 'x'.* is not a number\. Correct it\. .* TREC text only"
    ) as error:
        carob.evaluate({"q": {"a": 1}}, tmp_path / "a.csv", "AP", policy=Policy(malformed="skip"))
    assert command_of(error.value.remedy).endswith(
        "--lenient skips lines of TREC text only, not rows of a table."
    )


def test_a_check_takes_one_grade_for_every_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clicks, run = tmp_path / "clicks.csv", tmp_path / "a.run"
    clicks.write_text("query_id,doc_id\nq,d\n")
    run.write_text("q Q0 d 1 1 t\n")
    command("check", str(clicks), str(run), "--qrels-columns", "grade:=1")
    assert "0 errors, 1 warning" in capsys.readouterr().out
