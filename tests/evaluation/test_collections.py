"""``carob eval --collections``: the values of ``carob eval`` on each collection, in one table with all footers."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

import carob
from carob.cli import main
from carob.output.errors import DataError
from toys import command

KITCHEN = Path(__file__).parents[2] / "examples" / "kitchen"
COLLECTIONS = sorted(each.parent for each in KITCHEN.glob("*/qrels.txt"))


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    """Runs ``carob eval --collections``, and returns its code, output and error."""

    def run(*arguments: object) -> tuple[int, str, str]:
        code = command("eval", "--collections", *map(str, arguments))
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return run


def small(folder: Path) -> Path:
    """Two collections. A has runs x and y, B has x and the compressed z, which lacks one of two queries."""
    qrels = "q1 0 a 1\nq1 0 b 0\nq2 0 a 1\n"
    runs = {
        "A/x.run": "q1 Q0 b 1 2 t\nq1 Q0 a 2 1 t\nq2 Q0 a 1 1 t\n",
        "A/y.run": "q1 Q0 a 1 2 t\nq2 Q0 b 1 2 t\nq2 Q0 a 2 1 t\n",
        "B/x.run": "q1 Q0 a 1 2 t\nq2 Q0 a 1 1 t\n",
        "B/z.run.gz": "q2 Q0 a 1 1 t\n",
    }
    for name in "AB":
        (folder / name).mkdir(parents=True)
        (folder / name / "qrels.txt").write_text(qrels)
    for name, text in runs.items():
        (folder / name).write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    return folder


def test_each_value_is_that_of_an_evaluation_of_one_collection(said: Any) -> None:
    code, out, _ = said(KITCHEN, "-m", "nDCG@5", "-m", "AP", "--format", "csv")
    assert code == 0
    rows = {(row["collection"], row["run"]): row for row in csv.DictReader(io.StringIO(out))}
    for folder in COLLECTIONS:
        runs = {each.stem: str(each) for each in (folder / "runs").iterdir()}
        for run, its in carob.evaluate(str(folder / "qrels.txt"), runs, ["nDCG@5", "AP"]).items():
            row = rows.pop((folder.name, run))
            assert (float(row["nDCG@5"]), float(row["AP"])) == (its["nDCG@5"], its["AP"])
    assert not rows


def test_a_table_has_runs_collections_and_the_mean_of_the_collections(said: Any, tmp_path: Path) -> None:
    small(tmp_path)
    _, out, _ = said(tmp_path, "{collection}/x.run".join([f"{tmp_path}/", ""]), "-m", "RR")
    # x: (1/2 + 1) / 2 in A, and 1 in B.
    assert re.search(r"^x +0\.7500 +1\.0000 +0\.8750$", out, re.MULTILINE)
    assert "2 collections | 1 run | 4 queries" in out
    assert "Macro: each collection has the same weight.\ncarob 0.1.0, policy trec.\n" in out


def test_a_missing_run_has_no_value_and_no_mean(said: Any, tmp_path: Path) -> None:
    small(tmp_path)
    _, out, _ = said(tmp_path, "-m", "RR")
    assert re.search(r"^y +0\.7500 +– +–$", out, re.MULTILINE)
    assert (
        "! 2 missing runs have neither a value nor a mean over all collections: z in A, y in B."
        in " ".join(out.split())
    )
    assert "! 1 missing query counted as 0: z in B (1 of 2)." in out
    found = json.loads(said(tmp_path, "-m", "RR", "--format", "json")[1])
    assert found["means"]["RR"] == {"x": 0.875, "y": None, "z": None}
    assert found["lacking"] == [{"run": "z", "collection": "A"}, {"run": "y", "collection": "B"}]
    assert [each["name"] for each in found["collections"][1]["runs"]] == ["x", "z"]
    assert found["collections"][1]["runs"][1]["counts"]["missing"] == ["q1"]
    assert said(tmp_path, "-m", "RR", "--absent", "refuse")[0] == 2
    zero = json.loads(said(tmp_path, "-m", "RR", "--absent", "zero", "--format", "json")[1])
    assert zero["means"]["RR"] == {"x": 0.875, "y": 0.375, "z": 0.25}
    assert "B,z,0.5\n" in said(tmp_path, "-m", "RR", "--format", "csv")[1]
    assert "A,z,\n" in said(tmp_path, "-m", "RR", "--format", "csv")[1]


def test_values_of_queries_are_listed(said: Any, tmp_path: Path) -> None:
    small(tmp_path)
    _, out, _ = said(tmp_path, "-m", "RR", "-q", "--format", "tsv")
    assert out.splitlines()[:4] == [
        "collection\trun\tquery\tRR\tmissing",
        "A\tx\tq1\t0.5\t0",
        "A\tx\tq2\t1.0\t0",
        "A\tx\tall\t0.75\t0",
    ]
    found = json.loads(said(tmp_path, "-m", "RR", "-q", "--format", "json")[1])
    assert found["collections"][0]["runs"][0]["queries"] == {"q1": {"RR": 0.5}, "q2": {"RR": 1.0}}
    assert re.search(r"^A +x +q1 +0\.50$", said(tmp_path, "-m", "RR", "-q", "--digits", "2")[1], re.MULTILINE)


@pytest.mark.parametrize("layout", ["markdown", "latex"])
def test_long_names_are_whole_where_width_does_not_matter(said: Any, layout: str, tmp_path: Path) -> None:
    name, run = "a-collection-with-a-very-long-name-2020", "team-with-a-long-name-and-system-2020"
    for each in (name, "B"):
        (tmp_path / each).mkdir()
        (tmp_path / each / "qrels.txt").write_text("q1 0 a 1\n")
        (tmp_path / each / f"{run}.run").write_text("q1 Q0 a 1 1 t\n")
    out = said(tmp_path, "-m", "RR", "--format", layout)[1]
    assert name.removesuffix("-2020") in out
    assert run in out


def test_tables_toml_values_and_records_give_the_same(said: Any, tmp_path: Path) -> None:
    small(tmp_path / "in")
    wanted = carob.evaluate_collections(tmp_path / "in", "RR", absent="drop-runs").means("RR")
    assert wanted == {"x": 0.875}
    (tmp_path / "t.csv").write_text(
        "collection,qrels,run\n" + "".join(f"{n},in/{n}/qrels.txt,in/{n}/x.run\n" for n in "AB")
    )
    (tmp_path / "t.toml").write_text(
        "".join(f'[{n}]\nqrels = "in/{n}/qrels.txt"\nruns = ["in/{n}/x.run"]\n' for n in "AB")
    )
    (tmp_path / "v.csv").write_text("collection,run,RR\nA,x,0.75\nB,x,1.0\n")
    (tmp_path / "q.csv").write_text("collection,run,query,RR\nA,x,q1,0.5\nA,x,q2,1\nB,x,q1,1\nB,x,q2,1\n")
    (tmp_path / "rec").mkdir()
    for name in "AB":
        files = [str(tmp_path / "in" / name / each) for each in ("qrels.txt", "x.run")]
        carob.record(carob.evaluate(*files, "RR"), tmp_path / "rec" / f"{name}.json")
    for each in ("t.csv", "t.toml", "v.csv", "q.csv", "rec"):
        assert carob.evaluate_collections(tmp_path / each, "RR").means("RR") == wanted, each


def test_a_malformed_qrels_file_names_itself_and_the_check(said: Any, tmp_path: Path) -> None:
    small(tmp_path)
    (tmp_path / "B" / "qrels.txt").write_text("q1 0 a\n")
    code, _, err = said(tmp_path, "-m", "RR")
    assert code == 2
    assert re.search(
        r"B/qrels\.txt, line 1: .*carob check --collections lists the problems of all runs\.\n$", err
    )


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        (["--tie-bounds"], "--tie-bounds cannot be used with --collections"),
        (["--record", "r.json"], "--record cannot be used with --collections"),
        (["--people", "p.csv"], "--people cannot be used with --collections"),
        (["--lang", "zh"], "--lang cannot be used with --collections"),
        (["--absent", "never"], "'never' is not one of"),
    ],
)
def test_options_without_a_meaning_are_refused(said: Any, options: list[str], wanted: str) -> None:
    code, _, err = said(KITCHEN, *options)
    assert (code, wanted in err) == (2, True)


def test_absent_needs_collections(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["eval", "--absent", "skip", "q", "r"])
    assert "--absent needs --collections." in capsys.readouterr().err


def test_a_frame_has_a_row_for_each_collection_and_run() -> None:
    pytest.importorskip("polars", reason="a frame needs polars")
    found = carob.evaluate_collections({"A": {"x": 0.5, "y": 0.25}, "B": {"x": 0.75, "y": 0.0}}, "AP")
    assert found.to_frame("polars").rows() == [
        ("A", "x", 0.5),
        ("A", "y", 0.25),
        ("B", "x", 0.75),
        ("B", "y", 0.0),
    ]


def test_nothing_is_not_a_table() -> None:
    with pytest.raises(DataError, match="There are no collections"):
        carob.evaluate_collections({})
