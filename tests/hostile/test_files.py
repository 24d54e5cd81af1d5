"""Attacks by files: damaged, endless, deep, cut short, of another kind than their name says."""

from __future__ import annotations

import bz2
import gzip
import importlib.util
import io
import json
import lzma
import os
import random
import sys
from pathlib import Path

import pytest

import carob
import carob.inputs.decompression
from carob.inputs.ids import twice
from hostile.attack import asked, attacked, attacked_apart
from strategies import first
from toys import RUN

ROW = '{"query_id": "q1", "doc_id": "a", "score": 1}\n'
HEADER = "query_id,doc_id,score\n"


def noise(size: int) -> bytes:
    return random.Random(3).randbytes(size)


NEEDS = {".csv": "polars", ".tsv": "polars", ".jsonl": "polars", ".parquet": "polars", ".arrow": "polars"}

# A name and what it holds: no run, and no qrels.
REFUSED: dict[str, tuple[str, str | bytes]] = {
    "an archive cut short": ("a.gz", gzip.compress(RUN.encode() * 100)[:-20]),
    "an archive of nothing but its magic": ("a.gz", b"\x1f\x8b"),
    "an archive of nothing": ("a.gz", gzip.compress(b"")),
    "an archive in an archive": ("a.gz", gzip.compress(gzip.compress(RUN.encode()))),
    "an archive with text behind": ("a.gz", gzip.compress(RUN.encode()) + b"more"),
    "an archive of bzip2 cut short": ("a.bz2", bz2.compress(RUN.encode())[:-3]),
    "an archive of xz cut short": ("a.xz", lzma.compress(RUN.encode())[:-3]),
    "an archive of noise": ("a.zst", b"\x28\xb5\x2f\xfd" + noise(100)),
    "nothing": ("a.run", b""),
    "blank lines": ("a.run", b"\n\n\n"),
    "a byte order mark": ("a.run", b"\xef\xbb\xbf"),
    "a comment": ("a.run", b"# nothing\n"),
    "zeros": ("a.run", bytes(1000)),
    "every byte": ("a.run", bytes(range(256)) * 100),
    "UTF-16": ("a.run", RUN.encode("utf-16")),
    "an archive of ZIP": ("a.run", b"PK\x03\x04" + noise(100)),
    "a PDF": ("a.run", b"%PDF-1.7\n" + noise(100)),
    "a pickle": ("a.run", b"\x80\x04\x95" + noise(100)),
    "an array of NumPy": ("a.run", b"\x93NUMPY" + noise(100)),
    "a database": ("a.run", b"SQLite format 3\0" + noise(100)),
    "a terminal's commands": ("a.run", b"q1 Q0 a 1 \x1b[31mred\x1b]0;title\x07 t\n"),
    "lines that end in a carriage return": ("a.run", RUN.replace("\n", "\r").encode()),
    "deep lists of JSON": ("a.json", "[" * 100_000),
    "deep objects of JSON": ("a.json", '{"q1":' * 50_000 + "1" + "}" * 50_000),
    "deep lists in a line of JSON": ("a.jsonl", '{"query_id":' + "[" * 100_000 + "]" * 100_000 + "}\n"),
    "deep objects in the second line": ("a.jsonl", ROW + '{"a":' * 50_000 + "1" + "}" * 50_000 + "\n"),
    "deep lists in the second line, behind a quote and a backslash": (
        "a.jsonl",
        ROW + '"\\\n' + "[" * 100_000 + "\n",
    ),
    "a score of 5,000 digits": ("a.json", '{"q1": {"a": ' + "9" * 5_000 + "}}"),
    "a score of 5,000 digits in a line": (
        "a.jsonl",
        '{"query_id": "q1", "doc_id": "a", "score": ' + "9" * 5_000 + "}\n",
    ),
    "NaN": ("a.json", '{"q1": {"a": NaN}}'),
    "text for a score": ("a.json", '{"q1": {"a": "x"}}'),
    "an object for a score": ("a.json", '{"q1": {"a": {"b": {"c": 1}}}}'),
    "a key twice": ("a.json", '{"q1": {"a": 1, "a": 2}}'),
    "a list": ("a.json", json.dumps([1, 2])),
    "null": ("a.json", "null"),
    "a number": ("a.json", "1"),
    "an object of nothing": ("a.json", "{}"),
    "JSON of nothing": ("a.json", ""),
    "an object cut short": ("a.json", '{"q1": {"a": 1'),
    "JSON in Latin-1": ("a.json", '{"q1": {"é": 1}}'.encode("latin-1")),
    "a line that is a list": ("a.jsonl", "[1, 2]\n"),
    "a second line that is a list": ("a.jsonl", ROW + "[1]\n"),
    "a second line cut short": ("a.jsonl", ROW + '{"query_id":\n'),
    "text for a score in a line": ("a.jsonl", ROW + ROW.replace("1}", '"x"}')),
    "a header with a carriage return": ("a.csv", HEADER.replace("\n", "\r") + "q1,a,1\r"),
    "a header of tabs with one": ("a.tsv", HEADER.replace(",", "\t").replace("\n", "\r") + "q1\ta\t1\r"),
    "a column's name with one": ("a.tsv", "query_id\tdoc\rid\tscore\nq1\ta\t1\n"),
    "a quote that never ends": ("a.csv", HEADER + 'q1,"a,1\n'),
    "more fields than columns": ("a.csv", HEADER + "q1,a,1,2,3\n"),
    "20,000 columns": ("a.csv", ",".join(f"c{each}" for each in range(20_000)) + "\n1\n"),
    "20,000 columns of one name": ("a.csv", "c," * 20_000 + "c\n1\n"),
    "a header of 200,000 letters": ("a.csv", 'query_id,doc_id,"' + "x" * 200_000 + '"\nq1,a,1\n'),
    "UTF-16 for a table": ("a.csv", HEADER.encode("utf-16")),
    "Parquet of nothing": ("a.parquet", b""),
    "Parquet's magic": ("a.parquet", b"PAR1"),
    "Parquet of noise": ("a.parquet", noise(300)),
    "Parquet with a huge footer": ("a.parquet", b"PAR1" + b"\xff" * 100 + b"PAR1"),
    "Arrow of nothing": ("a.arrow", b""),
    "Arrow's magic": ("a.arrow", b"ARROW1\0\0"),
    "Arrow of noise": ("a.arrow", b"ARROW1\0\0" + noise(200)),
}


def put(attack: str) -> str:
    name, content = REFUSED[attack]
    library = NEEDS.get(Path(name).suffix)
    if library and importlib.util.find_spec(library) is None:
        pytest.skip(f"needs {library}, which reads {Path(name).suffix}")
    if name.endswith(".zst"):
        pytest.importorskip(carob.inputs.decompression.ZSTANDARD)
    Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
    return name


@pytest.mark.parametrize("attack", REFUSED)
def test_a_file_that_is_no_run_is_refused_by_name(attack: str, folder: Path) -> None:
    name = put(attack)
    attacked("eval", "qrels.txt", name).refused(name)


@pytest.mark.parametrize("attack", REFUSED)
def test_a_file_that_is_no_judgments_is_refused_by_name(attack: str, folder: Path) -> None:
    name = put(attack)
    attacked("eval", name, "one.run").refused(name)


@pytest.mark.parametrize("attack", REFUSED)
def test_a_check_of_it_finds_an_error(attack: str, folder: Path) -> None:
    found = attacked("check", "qrels.txt", put(attack))
    assert found.code == 2, found
    assert "error" in found.out


@pytest.mark.parametrize("attack", first(REFUSED, 15))
def test_no_other_reader_breaks_on_it(attack: str, folder: Path) -> None:
    name = put(attack)
    for command in (
        ("eval", "qrels.txt", "one.run", "--weights", name),
        ("gate", "qrels.txt", "one.run", "--baseline", name, "--max-drop", "AP=0.1"),
        ("verify", name),
        ("compare", "qrels.txt", "one.run", name),
        ("explain", "AP", name, "one.run", "--query", "q1"),
    ):
        assert attacked(*command).code == 2, command
    attacked("trec-eval", "qrels.txt", name)
    attacked("trec-eval", name, "one.run")


@pytest.mark.parametrize("attack", REFUSED)
def test_it_is_refused_by_every_way_into_python(attack: str, folder: Path) -> None:
    name = put(attack)
    content = Path(name).read_bytes()
    for given in (Path(name), content, bytearray(content), io.BytesIO(content)):
        assert asked(lambda: carob.evaluate("qrels.txt", given, "AP")).code == 2, type(given)  # noqa: B023


# ---------------------------------------------------------------- what a run may hold


def test_an_id_of_five_million_letters_is_shown_in_short(folder: Path) -> None:
    Path("a.run").write_bytes(b"q1 Q0 " + b"a" * 5_000_000 + b" 1 1 t\n")
    found = attacked("eval", "qrels.txt", "a.run")
    assert len(found.out + found.err) < 2_000


def test_half_of_a_pair_is_checked(folder: Path) -> None:
    Path("a.json").write_text('{"q1": {"\\ud800": 1, "a": 2}}')
    attacked("check", "qrels.txt", "a.json")
    attacked("eval", "qrels.txt", "a.json").refused("surrogates")


def test_a_path_that_no_system_has_is_a_sentence(folder: Path) -> None:
    for path in ("one\0.run", "x" * 5_000, "/".join("x" * 5_000), "one.run/below", ""):
        assert asked(lambda: carob.evaluate("qrels.txt", path, "AP")).code == 2, path[:20]  # noqa: B023
        assert asked(lambda: carob.evaluate(path, "one.run", "AP")).code == 2, path[:20]  # noqa: B023


@pytest.mark.skipif(os.name != "posix", reason="devices are POSIX's")
@pytest.mark.parametrize("device", ["/dev/null", "/dev/stdin", "/proc/self/mem"])
def test_a_device_is_refused(device: str, folder: Path) -> None:
    if not Path(device).exists():
        pytest.skip(f"needs {device}")
    attacked_apart("eval", "qrels.txt", device).refused()


# ---------------------------------------------------------------- what would take long or much


def test_names_are_compared_once_each() -> None:
    compared = 0

    class Name(str):
        __slots__ = ()

        def __eq__(self, other: object) -> bool:
            nonlocal compared
            compared += 1
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    names = [Name(each) for each in range(5_000)]
    assert twice([*names, names[-1] + ""]) == "4999"
    assert twice(names) is None
    assert compared < 50


def test_a_key_that_occurs_again_among_many_is_found(folder: Path) -> None:
    keys = ", ".join(f'"d{each}": 1' for each in range(60_000))
    Path("a.json").write_text('{"q1": {' + keys + ', "d59999": 1}}')
    attacked("eval", "qrels.txt", "a.json").refused("'d59999' occurs twice")


def test_a_bomb_in_any_reader_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(carob.inputs.decompression, "FREE", 2**20)
    zeros = gzip.compress(bytes(2**24))
    for name in ("a.run.gz", "a.json.gz", "a.tsv.gz", "a.txt.gz"):
        Path(name).write_bytes(zeros)
        for command in (("eval", "qrels.txt", name), ("eval", name, "one.run")):
            assert attacked(*command).code == 2
        attacked("eval", "qrels.txt", "one.run", "--weights", name).refused(name)


def test_a_module_in_the_working_folder_is_never_run_by_pythons_that_carob_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from carob.inputs.files.libraries import try_reading
    from carob.reports import page

    monkeypatch.chdir(tmp_path)
    for name in ("signal", "polars"):
        (tmp_path / f"{name}.py").write_text("open('planted', 'w').close()")
    monkeypatch.setattr("sys.path", ["", *sys.path])
    monkeypatch.setattr(page, "PROGRAM", page.PROGRAM.replace("import vl_convert", "sys.exit()"))
    monkeypatch.setattr(page, "carried", lambda: None)
    assert page.drawing_library() == ("", "")
    assert not (tmp_path / "planted").exists()
    try_reading("no such file")
    assert not (tmp_path / "planted").exists()


@pytest.mark.parametrize("place", range(3))
def test_a_score_that_is_no_number_counts_nothing(place: int, folder: Path) -> None:
    scores = ["0", "1", "2"]
    scores[place] = "nan"
    Path("nan.run").write_text("".join(f"q1 Q0 z{n} 0 {each} t\n" for n, each in enumerate(scores)))
    done = attacked_apart(
        "trec-eval", "-c", "-m", "num_ret", "qrels.txt", "nan.run"
    )  # it wrote outside its memory
    done.answered("num_ret               \tall\t3")
