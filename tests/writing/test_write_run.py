"""``carob.write_run`` writes what a plain reading of the rows gives, and counts what it leaves out."""

from __future__ import annotations

import io
import math
import random
import re
import shlex
import warnings
from pathlib import Path
from typing import Any

import pytest

import carob
from carob.conventions.policy import Policy
from carob.output.errors import DataWarning
from toys import command

FILES = 1000
Rows = list[tuple[str, str, float]]


def text_of_rows(rows: Rows, tag: str = "t") -> bytes:
    """The rows as TREC text, with ranks that say nothing."""
    return "".join(f"{query} Q0 {document} 7 {score!r} {tag}\n" for query, document, score in rows).encode()


def read_back(text: bytes) -> list[list[str]]:
    """The fields of each line."""
    return [line.split() for line in text.decode().splitlines()]


def by_hand(
    rows: Rows, rule: str, ties: str, depth: int | None, queries: Any, judged: Any
) -> list[list[str]]:
    """What ``write_run`` writes of rows in one or several parts."""
    lists: dict[str, Rows] = {}
    for row in rows:
        query, document, _ = row
        if (queries is None or query in queries) and (judged is None or query in judged):
            its = lists.setdefault(query, [])  # which is in the order of the first row, judged or not
            its += [row] * (judged is None or document in judged[query])
    made = []
    for query, its in lists.items():
        kept: dict[str, tuple[int, float]] = {}
        for place, (_, document, score) in enumerate(its):
            if document not in kept or rule == "last" or (rule == "max" and score > kept[document][1]):
                kept[document] = (place, score)
        order = (
            sorted(kept, key=lambda each: kept[each][0])
            if ties == "input"
            else sorted(kept, reverse=ties == "trec")
        )
        order.sort(key=lambda each: -kept[each][1])
        for rank, document in enumerate(order[:depth], 1):
            made.append([query, "Q0", document, str(rank), repr(kept[document][1]), "t"])
    return made


def random_rows(rng: random.Random) -> Rows:
    """Rows of a few queries, together or not, with ties and repeated documents."""
    rows = [
        (f"q{rng.randrange(4)}", f"d{rng.randrange(12)}", rng.choice([0.1, 1e-7, 2.0, -3.5, rng.random()]))
        for _ in range(rng.randrange(1, 30))
    ]
    return rows if rng.random() < 0.5 else sorted(rows, key=lambda row: row[0])


@pytest.mark.parametrize("seed", range(4))
def test_random_files_are_cut_merged_and_filtered_as_by_hand(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    for number in range(FILES // 4):
        rows = random_rows(rng)
        rule, ties = rng.choice(["first", "last", "max"]), rng.choice(["trec", "ascending", "input"])
        depth = rng.choice([None, 1, 3])
        queries = rng.choice([None, ["q1", "q2"]])
        judged = rng.choice([None, {f"q{each}": {f"d{each}": 1, "d3": 0, "d5": 2} for each in range(3)}])
        cut = rng.randrange(len(rows))
        parts = [text_of_rows(each) for each in (rows[:cut], rows[cut:]) if each]
        made = io.BytesIO()
        expected = by_hand(rows, rule, ties, depth, queries, judged)
        policy: Any = Policy(duplicates=rule, ties=ties)  # type: ignore[arg-type]
        call: dict[str, Any] = {"depth": depth, "queries": queries, "judged": judged, "policy": policy}
        runs: Any = parts[0]
        if len(parts) > 1:
            paths = [tmp_path / f"{number}-{place}.run" for place in range(2)]
            for path, part in zip(paths, parts, strict=True):
                path.write_bytes(part)
            runs = paths
        if not expected:
            with pytest.raises(carob.DataError, match="nothing to write"):
                carob.write_run(runs, made, **call)
            continue
        written = written_quietly(runs, made, call)
        assert read_back(made.getvalue()) == expected, (seed, number)
        left = written.below_depth + written.repeats + written.unjudged + written.other_queries
        assert left + written.files[0].documents == len(rows)


def written_quietly(runs: Any, made: Any, call: dict[str, Any]) -> carob.WrittenRun:
    """The result of a call that may warn of queries that the run lacks."""

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return carob.write_run(runs, made, **call)


def test_shards_with_disjoint_queries_follow_each_other(tmp_path: Path) -> None:
    first, second = tmp_path / "1.run", tmp_path / "2.run"
    first.write_text("b Q0 x 1 2 mine\nb Q0 y 2 1 mine\n")
    second.write_text("a Q0 x 1 2 mine\n")
    carob.write_run([first, second], tmp_path / "whole.run")
    assert (tmp_path / "whole.run").read_text() == "b Q0 x 1 2.0 mine\nb Q0 y 2 1.0 mine\na Q0 x 1 2.0 mine\n"


def test_a_document_in_two_parts_is_refused_with_both_names(tmp_path: Path) -> None:
    for name in ("one.run", "two.run"):
        (tmp_path / name).write_text("q Q0 d 1 2 t\n")
    with pytest.raises(carob.DataError, match=r"'d' is listed twice for query 'q', in one and in two\."):
        carob.write_run([tmp_path / "one.run", tmp_path / "two.run"], io.BytesIO())


def test_a_document_that_occurs_twice_is_refused_with_both_lines() -> None:
    with pytest.raises(carob.DataError, match=r"line 3.*listed twice for query 'q' \(first in line 1"):
        carob.write_run(b"q Q0 d 1 2 t\nq Q0 e 2 1 t\nq Q0 d 3 0 t\n", io.BytesIO())


def test_frames_are_written_as_text_is() -> None:
    frames = pytest.importorskip("pandas")
    rows = [("q1", "a", 2.0), ("q2", "b", 1.0), ("q1", "c", 2.0)]
    frame = frames.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    of_frame, of_text = io.BytesIO(), io.BytesIO()
    carob.write_run(frame, of_frame, tag="t")
    carob.write_run(text_of_rows(rows), of_text)
    assert of_frame.getvalue() == of_text.getvalue()


def test_a_rank_column_orders_equal_scores() -> None:
    made = io.BytesIO()
    text = b"q Q0 a 2 1 t\nq Q0 b 1 1 t\nq Q0 c 3 1 t\n"
    carob.write_run(text, made, policy=Policy(ties="rank-column"))
    assert [each[2] for each in read_back(made.getvalue())] == ["b", "a", "c"]


def test_a_run_is_split_by_groups_of_queries(tmp_path: Path) -> None:
    rows = [(query, "d", 1.0) for query in ("q1", "q2", "q3", "q4")]
    written = carob.write_run(
        text_of_rows(rows),
        tmp_path / "fold-{}.run",
        split_by={"q1": "b/1", "q3": "a", "q2": "b/1", "x": "none"},
    )
    assert [(Path(each.path).name, each.queries) for each in written.files] == [
        ("fold-a.run", 1),
        ("fold-b_1.run", 2),
    ]
    assert written.other_queries == 1


def test_systems_in_one_file_are_split_by_their_tags(tmp_path: Path) -> None:
    text = text_of_rows([("q", "d", 1.0), ("r", "d", 1.0)], "bm25") + text_of_rows([("q", "d", 2.0)], "bm25x")
    written = carob.write_run(text + b"q\tQ0\te\t1\t5\tbm25 x\n", tmp_path / "{}.run", split_by="tag")
    assert (tmp_path / "bm25.run").read_text() == "q Q0 d 1 1.0 bm25\nr Q0 d 1 1.0 bm25\n"
    assert (tmp_path / "bm25x.run").read_text() == "q Q0 d 1 2.0 bm25x\n"
    assert [each.documents for each in written.files] == [2, 1, 1]
    assert written.other_queries == 0


def test_the_path_of_a_split_run_needs_a_place_for_the_name(tmp_path: Path) -> None:
    with pytest.raises(carob.DataError, match=r"must contain \{\} for the name of each part"):
        carob.write_run(b"q Q0 d 1 1 t\n", tmp_path / "a.run", split_by="tag")


def test_an_input_is_never_written_over(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("q Q0 d 1 1 t\n")
    with pytest.raises(carob.DataError, match="this file is the input"):
        carob.write_run(path, path)
    assert path.read_text() == "q Q0 d 1 1 t\n"


def test_queries_that_the_run_lacks_are_told() -> None:
    with pytest.warns(DataWarning, match="such as 'x'"):
        written = carob.write_run(b"q Q0 d 1 1 t\n", io.BytesIO(), queries=["q", "x"])
    assert written.files[0].queries == 1


def test_lines_that_lenient_rules_skip_are_counted() -> None:
    written = carob.write_run(b"q Q0 d 1 1 t\nbad\n", io.BytesIO(), policy=Policy(malformed="skip"))
    assert str(written).startswith(
        "output: 1 query, 1 document, 15 bytes. Left out: 1 line that cannot be read."
    )


def test_an_open_file_holds_no_parts() -> None:
    with pytest.raises(carob.ArgumentError, match=r"^Pass a path such as 'fold-\{\}\.run' to split a run"):
        carob.write_run({"q": {"a": 1.0}}, io.BytesIO(), split_by={"q": "one"})


def test_a_row_of_a_later_block_is_named_by_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("polars")
    monkeypatch.setattr("carob.inputs.files.libraries.BLOCK", 20)
    path = tmp_path / "null.csv"
    path.write_text("query_id,doc_id,score\n" + "q1,a,1\n" * 50 + "q1,,1\n")
    with pytest.raises(carob.DataError, match=r"null\.csv, line 52: column 'doc_id' is null"):
        carob.write_run(path, io.BytesIO())


def commands_of_the_page() -> list[str]:
    """The commands in the table of docs/files.md."""
    page = Path(__file__).parents[2] / "docs" / "files.md"
    return re.findall(r"^\| `(carob run [^`]+)` \|", page.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("line", commands_of_the_page())
def test_the_commands_of_the_page_write_what_it_says(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "q1 Q0 a 1 3 one\nq1 Q0 b 2 2 one\nq2 Q0 a 1 1 two\n"
    made = {
        "a.run": rows + "q2 Q0 a 2 0.5 two\n" * ("--duplicates" in line),
        "1.run": rows,
        "2.run": "q2 Q0 c 1 9 one\nq3 Q0 a 1 1 one\n",
        "all.run": rows,
        "dev.txt": "q2\n",
        "folds.txt": "q1 1\nq2 2\n",
        "qrels.txt": "q1 0 b 0\n",
    }
    for name, text in made.items():
        Path(name).write_text(text)
    assert command(*shlex.split(line)[1:]) == 0
    written = {
        path.name: [each.split()[::2][:2] for each in path.read_text().splitlines()]
        for path in tmp_path.iterdir()
        if path.name not in made
    }
    whole = [["q1", "a"], ["q1", "b"], ["q2", "a"]]
    assert (
        written
        == {
            "top.run": {"top.run": whole},
            "whole.run": {"whole.run": [*whole[:2], ["q2", "c"], ["q2", "a"], ["q3", "a"]]},
            "dev.run": {"dev.run": whole[2:]},
            "judged.run": {"judged.run": whole[1:2]},
            "'fold-{}.run'": {"fold-1.run": whole[:2], "fold-2.run": whole[2:]},
            "'{}.run'": {"one.run": whole[:2], "two.run": whole[2:]},
            "once.run": {"once.run": whole},
        }[line.split(" -o ")[1].split()[0]]
    )


def test_a_cut_between_equal_scores_is_counted(tmp_path: Path) -> None:
    run = {"q1": {"a": 2.0, "b": 1.0, "c": 1.0}, "q2": {"a": 1.0, "b": 0.5}}
    with pytest.warns(carob.DataWarning, match="In 1 query, the last document above the depth"):
        written = carob.write_run(run, tmp_path / "out.run", depth=2)
    assert written.below_depth == 1


@pytest.mark.parametrize("form", ["dict", "text", "frame"])
def test_scores_that_order_nothing_are_told_in_the_words_of_the_footer(form: str, tmp_path: Path) -> None:
    qrels = {query: {"a": 1} for query in ("q1", "q2", "q3")}
    run = {
        "q1": {"a": 2.0, "b": 2.0, "c": 2.0},
        "q2": {"a": math.inf, "b": 1.0, "c": -math.inf},
        "q3": {"a": 1.0, "b": 1.0},
    }
    rows = [(query, each, score) for query, its in run.items() for each, score in its.items()]
    given: Any = run
    if form == "text":
        given = "".join(f"{query} Q0 {each} 0 {score} t\n" for query, each, score in rows).encode()
    if form == "frame":
        pandas = pytest.importorskip("pandas", reason="makes a frame")
        given = pandas.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    for ties, order in (("trec", "ordered by document id, descending"), ("input", "in the run's own order")):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            carob.write_run(given, tmp_path / "out.run", policy=Policy(ties=ties))  # type: ignore[arg-type]
            footer = carob.evaluate(qrels, given, "AP", policy=Policy(ties=ties)).footer()  # type: ignore[arg-type]
        equal, endless = f"1 list with all scores equal, {order}", "2 infinite scores"
        assert [str(each.message) for each in caught] == [f"In what is written: {equal}, {endless}."]
        assert equal in footer
        assert endless in footer


def test_ties_whose_scores_are_lost_are_counted(tmp_path: Path) -> None:
    run = {
        "q1": {"a": 2.0, "b": 1.0, "c": 1.0, "d": 1.0},
        "q2": {"a": 1.0, "b": 0.5},
        "q3": {"a": 0.5},
        "q4": {"a": 0.5, "b": 0.5},
    }
    with pytest.warns(DataWarning) as caught:
        carob.write_run(run, tmp_path / "out.tsv", to="msmarco")
    said = " ".join(str(each.message) for each in caught)
    assert said.startswith(
        "In 2 queries, some of the written documents have equal scores, which msmarco files do not contain:"
    )
    assert said.endswith(" the order of ties (trec) decides their ranks.")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for to in ("trec", "csv", "tsv", "jsonl", "json"):
            carob.write_run(run, tmp_path / "out", to=to)  # type: ignore[arg-type]
        carob.write_run({"q1": {"a": 0.5}, "q2": {"a": 0.5}}, tmp_path / "out", to="msmarco")


def test_groups_of_queries_that_are_not_written_are_told(tmp_path: Path) -> None:
    with pytest.warns(
        carob.DataWarning, match="split_by names 1 query that the written run does not have, 'q9'"
    ):
        written = carob.write_run(
            {"q1": {"a": 2.0}}, tmp_path / "{}.run", split_by={"q1": "one", "q9": "two"}
        )
    assert len(written.files) == 1
