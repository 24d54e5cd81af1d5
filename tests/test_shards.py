"""The recipes for shards print what one evaluation of the whole prints."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import carob

RECIPES = Path(__file__).resolve().parents[1] / "examples" / "shards"
MEASURES = ["AP", "nDCG@10", "P@10"]
SHARDS = 3


@pytest.fixture(scope="module")
def rows() -> dict[str, list[tuple[str, str, float]]]:
    """Judgments and a run that lacks three queries and has one without judgments, in no order."""
    draw = random.Random(7)
    judged = [(f"q{query}", f"d{number}", draw.randint(0, 2)) for query in range(30) for number in range(24)]
    ranked = [(f"q{query}", f"d{number}", draw.random()) for query in range(3, 31) for number in range(4, 20)]
    for each in (judged, ranked):
        draw.shuffle(each)
    return {"qrels": judged, "run": ranked}


@pytest.fixture(scope="module")
def printed(rows: dict[str, list[Any]]) -> str:
    tables: dict[str, dict[str, dict[str, float]]] = {"qrels": {}, "run": {}}
    for kind, its in rows.items():
        for query, document, value in its:
            tables[kind].setdefault(query, {})[document] = value
    policy = carob.Policy(overlap="none")  # as the recipes have it
    found = str(carob.evaluate(tables["qrels"], tables["run"], MEASURES, policy=policy, name="run"))  # type: ignore[arg-type]
    assert "30 queries · 3 missing queries counted as 0 · 1 unjudged query ignored" in found
    return found


def said(recipe: str, qrels: Path, run: Path) -> str:
    command = [sys.executable, str(RECIPES / f"{recipe}.py"), str(qrels), str(run)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, encoding="utf-8", timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.rstrip("\n")


def test_plain_files(rows: dict[str, list[Any]], printed: str, tmp_path: Path) -> None:
    lines = {"qrels": "{} 0 {} {}\n", "run": "{} Q0 {} 0 {!r} tag\n"}
    for kind, line in lines.items():
        (tmp_path / kind).mkdir()
        for shard in range(SHARDS):
            own = (line.format(*row) for row in rows[kind] if int(row[0][1:]) % SHARDS == shard)
            (tmp_path / kind / f"{shard}.txt").write_text("".join(own), encoding="utf-8")
    assert said("plain", tmp_path / "qrels", tmp_path / "run") == printed


@pytest.fixture(scope="module")
def parquet(rows: dict[str, list[Any]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files in which a query's rows lie anywhere."""
    arrow = pytest.importorskip("pyarrow", reason="needs PyArrow, of the extra 'peers'")
    from pyarrow import parquet

    folder = tmp_path_factory.mktemp("parquet")
    for kind, value in (("qrels", "relevance"), ("run", "score")):
        (folder / kind).mkdir()
        for shard in range(SHARDS):
            columns = zip(*rows[kind][shard::SHARDS], strict=True)
            table = arrow.table(dict(zip(("query_id", "doc_id", value), map(list, columns), strict=True)))
            parquet.write_table(table, folder / kind / f"{shard}.parquet")
    return folder


def test_dask(parquet: Path, printed: str) -> None:
    pytest.importorskip("dask.dataframe", reason="needs Dask: pip install 'dask[dataframe]'")
    assert said("with_dask", parquet / "qrels", parquet / "run") == printed


def test_ray(parquet: Path, printed: str) -> None:
    pytest.importorskip("ray.data", reason="needs Ray: pip install 'ray[data]'")
    assert said("with_ray", parquet / "qrels", parquet / "run") == printed


def test_beam(parquet: Path, printed: str) -> None:
    pytest.importorskip("apache_beam", reason="needs Beam: pip install apache-beam")
    assert said("with_beam", parquet / "qrels", parquet / "run") == printed
