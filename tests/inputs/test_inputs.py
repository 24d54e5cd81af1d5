"""What files and frames are taken for: columns by name, ranks and scores, judgments and runs in one file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click
import pytest

import carob
from carob import DataError, DataWarning, Policy, Run
from carob.cli import COMMANDS, commands
from carob.evaluation.beyond_accuracy.inputs import read
from carob.inputs.columns import known_names, plain_name, usual
from toys import command

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


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
    with pytest.raises(DataError, match=r"suggests ranks.*carob\.Run\.of\(run, rank='position'\)"):
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
    with pytest.raises(DataError, match="user_id' and 'userID', either of which could be the user"):
        read({"user_id": ["u"], "userID": ["v"], "item": ["a"]}, Policy(), **none)


def test_no_name_stands_for_two_things_of_one_table() -> None:
    for kind in (("query", "document", "score", "rank"), ("query", "document", "grade", "subtopic")):
        names = [name for role in kind for bracket in known_names()["usual"][role] for name in bracket]
        assert len(names) == len(set(names))
        assert all(plain_name(name) == name for name in names)


def test_two_columns_of_one_kind_are_refused() -> None:
    pl = pytest.importorskip("polars", reason="makes the frame")
    frame = pl.DataFrame({"user_id": ["q"], "userID": ["r"], "item": ["a"], "score": [1.0]})
    with pytest.raises(DataError, match="'user_id' and 'userID', either of which could be the query"):
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


# ---------------------------------------------------------------- one file for two, one grade for all


ROWS = [
    {"question": "who", "retrieved_ids": ["a", "b"], "reference_ids": ["b"]},
    {"question": "what", "retrieved_ids": ["c", "d"], "reference_ids": ["c", "e"]},
]


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
    assert "If all listed documents are relevant, use --qrels-columns grade:=1." in capsys.readouterr().err
    assert command("eval", "-m", "RR", str(other), str(path), "--qrels-columns", "grade:=1") == 0


def test_a_check_takes_one_grade_for_every_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clicks, run = tmp_path / "clicks.csv", tmp_path / "a.run"
    clicks.write_text("query_id,doc_id\nq,d\n")
    run.write_text("q Q0 d 1 1 t\n")
    command("check", str(clicks), str(run), "--qrels-columns", "grade:=1")
    assert "0 errors, 1 warning" in capsys.readouterr().out
