"""Files in several folders: data sets whose queries are kept apart, or parts of one table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import carob
from carob import DataError, Qrels, Run
from carob.inputs.files.paths import joined_texts, labels_of, lies_in, place_of, walked
from toys import command

if TYPE_CHECKING:
    from pathlib import Path


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


def test_hidden_files_and_markers_are_no_part_of_a_table(tmp_path: Path) -> None:
    for name in ("b.csv", "a.csv", "_SUCCESS", ".crc", "part=1/c.csv", "_temporary/d.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("qid,docno,score\n")
    files = tuple(str(tmp_path / name) for name in ("a.csv", "b.csv", "part=1/c.csv"))
    assert walked(str(tmp_path)) == list(files)
    with pytest.raises(DataError, match=r"in key=value folders with different keys \(.*b\.csv, .*c\.csv\)"):
        place_of(str(tmp_path), "run")
    place = place_of(str(tmp_path / "*.csv"), "run")
    assert (place.files, place.kind, place.keys, place.labels) == (files[:2], "csv", (), ())
    assert place_of(str(tmp_path / "part=1"), "run").keys == ()


def test_texts_of_data_sets_are_one_text_with_their_folders_before_their_queries(sets: Path) -> None:
    place = place_of(str(sets / "*" / "bm25.run"), "run", "prefix")
    assert place.labels == ("fever_2", "nq")
    assert [(label, its.files) for label, its in place.apart()] == [
        (label, (str(sets / folder / "bm25.run"),))
        for label, folder in (("fever_2", "fever 2"), ("nq", "nq"))
    ]
    text = b"".join(
        b"%s/1 Q0 a 1 2.0 t\n# a note\n\n %s/1 Q0 b 2 1.0 t\n" % (each, each) for each in (b"fever_2", b"nq")
    )
    assert joined_texts(place).content() == text
    assert place.origin.columns == (("folders", "prefix"),)
    (sets / "nq" / "bm25.run").write_bytes(b"\xef\xbb\xbfq Q0 a 1 2.0 t")
    two = place_of(str(sets / "*" / "bm25.run"), "run", "parts")
    assert joined_texts(two).content().endswith(b"\n 1 Q0 b 2 1.0 t\nq Q0 a 1 2.0 t\n")


def test_labels_are_the_parts_in_which_folders_differ() -> None:
    assert labels_of(["x/nq/test", "x/fever 2/test", "x/test"]) == ["nq", "fever_2", "."]
    assert labels_of(["a/b/c", "a/d/e"]) == ["b/c", "d/e"]
    with pytest.raises(DataError, match="The folders x/a b, x/a_b differ only in spaces"):
        labels_of(["x/a b", "x/a_b"])


def test_a_path_lies_in_a_folder_where_its_links_lead(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "inside").mkdir()
    (tmp_path / "in" / "link").symlink_to(tmp_path / "inside")
    home = [str(tmp_path / "in")]
    assert lies_in(str(tmp_path / "in" / "a.run"), home)
    assert lies_in(str(tmp_path / "in"), home)
    assert not lies_in(str(tmp_path / "inside" / "a.run"), home)
    assert not lies_in(str(tmp_path / "in" / "link" / "a.run"), home)
