"""Means by group of queries: in tables, JSON, frames, and on the command line."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import pytest
from tests.toys import command

import carob
from carob import DataError
from carob.inputs.query_files import read_groups, read_weights
from carob.inputs.sources import source_of

if TYPE_CHECKING:
    from pathlib import Path

QRELS = {f"q{each}": {"a": each % 3, "b": 1, "c": 0} for each in range(6)}
RUNS = {
    "one": {f"q{each}": {"a": 1.0, "b": float(each), "c": 2.5} for each in range(6)},
    "two": {f"q{each}": {"c": 1.0, "a": float(each)} for each in range(1, 6)},
}
GROUPS = {"q0": "long", "q1": "all", "q2": "all", "q3": "long", "q4": "long", "q5": "all"}
MEASURES = ["AP", "nDCG@2", "GMAP", "NumRet", "RR"]


def test_a_groups_means_are_those_of_its_queries_alone() -> None:
    found = carob.evaluate(
        QRELS, RUNS, MEASURES, by=GROUPS, weights={f"q{each}": each + 1 for each in range(6)}
    )
    for name, scores in found.items():
        assert list(scores.by_group()) == ["all", "long"]
        for group, own in scores.by_group().items():
            queries = [query for query, its in GROUPS.items() if its == group]
            alone = carob.evaluate(
                {query: QRELS[query] for query in queries},
                {query: docs for query, docs in RUNS[name].items() if query in queries},
                MEASURES,
                weights={query: int(query[1]) + 1 for query in queries},
            )
            assert own.means() == pytest.approx(alone.means(), abs=1e-15)
            assert own.queries == alone.queries


def test_tables_show_each_group_and_the_whole() -> None:
    one = carob.evaluate(QRELS, RUNS["one"], "AP", by=GROUPS)
    assert [line.split()[:2] for line in str(one).splitlines()[:4]] == [
        ["group", "queries"],
        ["all", "6"],
        ["all", "3"],
        ["long", "3"],
    ]
    several = carob.evaluate(QRELS, RUNS, "AP", by=GROUPS)
    assert several.to_csv("groups").splitlines()[0] == "run,group,queries,AP"
    assert several.to_csv("queries").splitlines()[:2] == [
        "run,query,group,AP",
        "one,q0,long,0.3333333333333333",
    ]
    contents = several.contents()["runs"][1]["groups"]
    assert contents["long"] == {"queries": 3, "means": {"AP": several["two"].by_group()["long"]["AP"]}}
    assert "groups" not in carob.evaluate(QRELS, RUNS, "AP").contents()["runs"][0]


def test_parts_keep_their_groups() -> None:
    parts = [
        carob.evaluate({query: QRELS[query]}, {query: RUNS["one"][query]}, "AP", by={query: GROUPS[query]})
        for query in QRELS
    ]
    merged = parts[0].merge(*parts[1:])
    whole = carob.evaluate(QRELS, RUNS["one"], "AP", by=GROUPS)
    assert {name: own.means() for name, own in merged.by_group().items()} == {
        name: own.means() for name, own in whole.by_group().items()
    }
    with pytest.raises(DataError, match="Some parts have groups"):
        parts[0].merge(carob.evaluate({"q9": {"a": 1}}, {"q9": {"a": 1.0}}, "AP"))


def test_what_has_no_means_by_group_is_refused() -> None:
    with pytest.raises(DataError, match="query 'q1' has no group"):
        carob.evaluate(QRELS, RUNS["one"], "AP", by={"q0": "x"})
    with pytest.raises(DataError, match="compares documents of different queries"):
        carob.evaluate(QRELS, RUNS["one"], "AUC(micro=true)", by=GROUPS)


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str, str]:
    qrels, run, by = (tmp_path / name for name in ("qrels.txt", "one.run", "groups.csv"))
    qrels.write_text("".join(f"{q} 0 {d} {g}\n" for q, its in QRELS.items() for d, g in its.items()))
    run.write_text("".join(f"{q} Q0 {d} 1 {s} t\n" for q, its in RUNS["one"].items() for d, s in its.items()))
    by.write_text("query,group\n" + "".join(f"{query},{group}\n" for query, group in GROUPS.items()))
    return str(qrels), str(run), str(by)


def test_the_command_shows_groups_in_every_format(
    files: tuple[str, str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    qrels, run, by = files
    expected = carob.evaluate(qrels, run, "AP", by=by).by_group()["long"]["AP"]
    for layout in ("text", "markdown", "latex", "html", "csv", "tsv"):
        command("eval", qrels, run, "-m", "AP", "--by", by, "--format", layout, "--digits", "6")
        written = capsys.readouterr().out
        assert "long" in written
        assert f"{expected:.6f}" in written or repr(expected) in written
    command("eval", qrels, run, "-m", "AP", "--by", by, "--format", "json")
    found = json.loads(capsys.readouterr().out)["runs"][0]["groups"]
    assert math.isclose(found["long"]["means"]["AP"], expected)
    command("eval", qrels, run, "-m", "AP", "--by", by, "-q")
    assert capsys.readouterr().out.splitlines()[1].split()[:2] == ["q0", "long"]
    assert command("eval", qrels, run, "-m", "AP", "--by", by, "--tie-bounds") == 2
    assert "leave out --by" in capsys.readouterr().err


def golden(folder: Path, rows: list[dict[str, object]], *, lines: bool) -> str:
    path = folder / f"golden.json{'l' * lines}"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows) if lines else json.dumps(rows, indent=2))
    return str(path)


@pytest.mark.parametrize("lines", [False, True])
def test_a_golden_set_has_groups_and_weights(lines: bool, tmp_path: Path) -> None:
    tags: dict[str, list[str]] = {"q1": ["easy"], "q2": ["hard", "easy"], "q3": ["easy", "hard"], "q4": []}
    rows = [
        {
            "id": name,
            "question": f"what is {name}?",
            "expectedIds": ["a"],
            "tags": its,
            "weight": len(its) + 1,
        }
        for name, its in tags.items()
    ]
    path = golden(tmp_path, rows, lines=lines)
    run = {"q1": ["a"], "q2": ["b", "a"], "q3": ["b", "c", "a"], "q4": ["a"]}
    found = carob.evaluate(path, run, "RR", by=path)
    assert found.by_query("RR") == {"q1": 1.0, "q2": 0.5, "q3": pytest.approx(1 / 3), "q4": 1.0}
    groups = {name: "easy + hard" if len(its) > 1 else (its or ["none"])[0] for name, its in tags.items()}
    assert read_groups(source_of(path)) == groups
    assert read_weights(path) == {"q1": 2, "q2": 3, "q3": 3, "q4": 1}


def test_an_array_without_groups_names_its_fields(tmp_path: Path) -> None:
    path = golden(tmp_path, [{"id": "q0", "level": 1}], lines=False)
    with pytest.raises(
        DataError, match=r"no fields with usual names for the query and the group.*'id', 'level'"
    ):
        carob.evaluate(QRELS, RUNS, "RR", by=path)
    (tmp_path / "cut.json").write_text('[{"id": "q0", "tags"')
    with pytest.raises(DataError, match="not an array of objects in JSON"):
        carob.evaluate(QRELS, RUNS, "RR", by=str(tmp_path / "cut.json"))


@pytest.mark.parametrize("group", [None, float("nan")])
def test_a_missing_value_is_no_group(group: object) -> None:
    qrels, run = {"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"a": 1.0}, "q2": {"a": 1.0}}
    with pytest.raises(carob.DataError, match="'q2' has no group"):
        carob.evaluate(qrels, run, "RR", by={"q1": "one", "q2": group})


def test_groups_in_utf_16_are_refused_as_weights_are(tmp_path: Path) -> None:
    path = tmp_path / "groups.txt"
    path.write_text("q1 one\nq2 two\n", encoding="utf-16")
    with pytest.raises(carob.DataError, match=r"line 1: the text is UTF-16\. Save it as UTF-8"):
        carob.evaluate({"q1": {"a": 1}}, {"q1": {"a": 1.0}}, "RR", by=path)
