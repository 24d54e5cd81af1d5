"""A separate package, installed beside carob: its measure, profile, reader and engine work wherever carob's own do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import carob

pytestmark = pytest.mark.long  # Each test is a process that looks for packages.

MEASURES = '''
import carob

@carob.measure("Halved", source="our package")
def halved(r, rel=1):
    """Half of precision."""
    return r.ratio(r.total(r.hits(rel)), r.depth) * 0.5
'''
PROFILES = """
import carob

OURS = carob.Profile("ours", "our package", names={"half": "Halved@2"}, measures=("half",))
"""
READERS = '''
import csv
import carob

class Pages:
    """A table of a library that carob does not know."""

    def __init__(self, rows):
        self.rows = rows

@carob.engine
class Engine:
    def is_table(self, given):
        return isinstance(given, Pages)

    def columns(self, table):
        return list(table.rows[0])

    def batches(self, table, columns, queries=None):
        import pyarrow

        for row in table.rows:
            if queries is None or row[columns[0]] in queries:
                yield pyarrow.table({name: [row[name]] for name in columns})

@carob.reader(".ours")
def ours(path, kind):
    value = "relevance" if kind == "qrels" else "score"
    with open(path) as file:
        rows = [line.split(":") for line in file.read().split()]
    if any(len(row) != 3 for row in rows):
        raise carob.DataError("found no 'query:document:number'.", line=1, remedy="Correct it.")
    return Pages([{"query_id": q, "doc_id": d, value: float(v)} for q, d, v in rows])

@carob.reader(".odd")
def odd(path, kind):
    return None if "none" in path else {}[path]
'''
ENTRY_POINTS = """
[carob.measures]
ours = our_package.measures
broken = our_package.gone

[carob.profiles]
ours = our_package.profiles:OURS

[carob.readers]
ours = our_package.readers
"""
METADATA = "Metadata-Version: 2.1\nName: our-package\nVersion: 1.0\n"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder of installed packages, and the files that the commands read."""
    package, info = tmp_path / "our_package", tmp_path / "our_package-1.0.dist-info"
    package.mkdir()
    info.mkdir()
    (package / "__init__.py").write_text("")
    (package / "measures.py").write_text(MEASURES)
    (package / "profiles.py").write_text(PROFILES)
    (package / "readers.py").write_text(READERS)
    (info / "METADATA").write_text(METADATA)
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq2 0 b 1\n")
    (tmp_path / "one.run").write_text("q1 Q0 a 1 2 t\nq2 Q0 x 1 2 t\n")
    (tmp_path / "two.run").write_text("q1 Q0 x 1 2 t\nq1 Q0 a 2 1 t\nq2 Q0 b 1 2 t\n")
    (tmp_path / "qrels.ours").write_text("q1:a:1\nq2:b:1\n")
    (tmp_path / "one.ours").write_text("q1:a:2\nq2:x:2\n")
    (tmp_path / "two.ours").write_text("q1:x:2\nq1:a:1\nq2:b:2\n")
    return tmp_path


def ran(site: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    paths = [str(site), str(Path(carob.__file__).parents[1])]
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=site,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("eval", "qrels.txt", "one.run", "-m", "Halved@2"), "0.1250"),
        (("eval", "qrels.txt", "one.run", "--profile", "ours"), "profile ours"),
        (("compare", "qrels.txt", "one.run", "two.run", "-m", "Halved@2"), "Halved@2"),
        (("explain", "Halved@2", "qrels.txt", "one.run", "--query", "q1"), "Halved@2 of query q1 = 0.25"),
        (("measures", "Halved"), "Half of precision."),
        (("measures",), "Halved"),
        (("profiles", "ours"), "our package"),
        (("profiles",), "ours"),
    ],
)
def test_the_command_line_finds_what_a_package_offers(
    site: Path, command: tuple[str, ...], said: str
) -> None:
    done = ran(site, "-m", "carob", *command)
    assert done.returncode == 0, done.stderr
    assert said in done.stdout


def test_python_finds_it_too(site: Path) -> None:
    script = "import carob; print(carob.evaluate('qrels.txt', 'one.run', 'Halved@2').means())"
    assert ran(site, "-c", script).stdout == "{'Halved@2': 0.125}\n"


def test_a_package_that_cannot_be_loaded_is_a_warning(site: Path) -> None:
    done = ran(site, "-m", "carob", "measures", "Halved")
    assert "our-package offers carob.measures 'broken'" in done.stderr
    assert "Traceback" not in done.stderr


def test_names_of_carobs_own_load_no_package(site: Path) -> None:
    done = ran(site, "-m", "carob", "eval", "qrels.txt", "one.run")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("eval", "qrels.ours", "one.ours", "-m", "RR"), "one  0.5000"),
        (("eval", "qrels.txt", "one.ours", "--exclude", "qrels.ours"), "excluded"),
        (("compare", "qrels.ours", "one.ours", "two.run", "-m", "RR"), "two"),
        (("explain", "RR", "qrels.ours", "two.ours", "--query", "q1"), "RR of query q1 = 0.5"),
        (("check", "qrels.ours", "one.ours"), "few-queries in qrels.ours"),
        (("gate", "qrels.ours", "one.ours", "--min", "RR=0.1"), "RR"),
        (("difference", "trec_eval-9", "sklearn", "nDCG", "qrels.ours", "two.ours"), "nDCG"),
        (("agreement", "qrels.ours", "qrels.txt"), "qrels.ours"),
    ],
)
def test_every_command_reads_a_packages_format(site: Path, command: tuple[str, ...], said: str) -> None:
    done = ran(site, "-m", "carob", *command)
    assert done.returncode == (1 if command[0] == "check" else 0), done.stderr  # two queries are few
    assert said in done.stdout


def test_python_reads_its_format_and_its_tables(site: Path) -> None:
    script = """
import carob
from our_package.readers import Pages

run = Pages([{"docno": "x", "qid": "q1", "score": 2}, {"docno": "a", "qid": "q1", "score": 1}])
qrels = Pages([{"docno": "a", "qid": "q1", "label": 2}])
print(carob.evaluate("qrels.ours", "two.ours", "RR").means(), carob.evaluate(qrels, run, "RR").means())
print(carob.Run.of(run).held.rankings([b"q1"], carob.inputs.runs.MatchOptions(carob.Policy()))[0])
print(carob.Qrels.of(qrels, grade=1).judgments.grades.tolist())
"""
    expected = "{'RR': 0.75} {'RR': 0.5}\n([b'x', b'a'], [2.0, 1.0])\n[1.0]\n"
    assert (ran(site, "-c", script).stdout, ran(site, "-c", script).stderr) == (expected, "")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("bad.ours", "bad.ours, line 1: found no 'query:document:number'. Correct it."),
        ("a.odd", "a.odd: the file cannot be read by our_package.readers.odd: KeyError: 'a.odd'."),
        (
            "none.odd",
            "none.odd: our_package.readers.odd returned a value of type NoneType. A reader returns a data frame,",
        ),
        ("gone.ours", "gone.ours: No such file or directory."),
        (
            "*.ours",
            "*.ours: the path matches 4 files, but only one file of this kind can be read at a time. Pass one file.",
        ),
    ],
)
def test_a_reader_that_fails_is_an_error_that_names_the_file(site: Path, name: str, said: str) -> None:
    (site / "bad.ours").write_text("q1:a")
    for each in ("a.odd", "none.odd"):
        (site / each).write_text("{")
    done = ran(site, "-m", "carob", "eval", "qrels.txt", name, "-m", "RR")
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


# ---------------------------------------------------------------- mistakes in one's own formula


def of_another_library(r: Any) -> Any:
    pl = pytest.importorskip("polars")
    return pl.Series(np.asarray(r.n_relevant(1)))


MISTAKES = {
    "returned None. End it with a return statement.": lambda r: None,
    "a number for each document, not for each query. Return one real number for each query, such as r.total(…)": (
        lambda r: r.hits(1)
    ),
    "A number for each query must be repeated for each of its documents, by r.spread(…)": (
        lambda r: r.total(r.hits(1) / r.n_relevant(1))
    ),
    "returned a value of type float. Return one real number for each query": lambda r: 0.5,
    "returned a value of type list. Return one real number for each query": lambda r: [0.5, 0.5],
    "returned an array of shape (), not (2,). Return one real number": lambda r: np.sum(r.hits(1)),
    "returned an array of shape (3,), not (2,). Return one real number": lambda r: np.zeros(3),
    "an array of polars (Series). Return one real number for each query": of_another_library,
    "carob.lists.Lists has no 'n_judged'. Did you mean": lambda r: r.n_judged(),
    "carob.lists.Lists has no 'n_relevants'. Did you mean n_relevant": lambda r: r.n_relevants(1),
    "gives NaN or an infinite number: return a finite number for each query": (
        lambda r: r.n_relevant(1) * float("nan")
    ),
}


@pytest.mark.parametrize("says", MISTAKES)
def test_a_mistake_in_a_formula_is_one_message_with_the_cure(says: str) -> None:
    formula = MISTAKES[says]

    @carob.measure("Mistaken", source="this test")
    def mistaken(r: Any) -> Any:
        """A formula with a mistake."""
        return formula(r)

    with pytest.raises((carob.MeasureError, carob.DataError)) as error:
        carob.evaluate_grades([[1, 0, 1], [0, 1]], "Mistaken")
    said = str(error.value)
    assert says in said
    assert "Mistaken" in said
    assert "\n" not in said
