"""Means by group of queries: in tables, JSON, frames, and on the command line."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from tests.toys import command

import carob
from carob import DataError
from carob.comparison.verdict import p_text
from carob.inputs.query_files import groups_of

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
        ["(all)", "6"],
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
    means = {"AP": several["two"].by_group()["long"]["AP"]}
    assert contents["long"] == {"queries": 3, "means": means, "ungrouped": False}
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
    with pytest.raises(DataError, match="Only some parts have groups"):
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


SUPPORT: list[dict[str, Any]] = [
    {"id": "q-101", "question": "Why was I charged twice?", "expectedIds": ["kb-11", "kb-12"],
     "tags": ["billing", "long"]},
    {"id": "q-102", "question": "reset password", "expectedIds": ["kb-20"], "tags": ["account"]},
    {"id": "q-103", "question": "invoice", "expectedIds": ["kb-13"], "tags": ["billing"]},
    {"id": "q-104", "question": "hi", "expectedIds": ["kb-30"], "tags": []},
    {"id": "q-105", "question": "May I pay by the month?", "expectedIds": ["kb-14"], "tags": ["long", "billing"]},
    {"id": "q-106", "question": "opening hours", "expectedIds": ["kb-40"]},
]  # fmt: skip
"""A golden set as a service in TypeScript writes it: ``JSON.stringify`` leaves out tags that are undefined."""
ANSWERS = {
    "q-101": ["kb-11", "kb-9"],
    "q-102": ["kb-1", "kb-20"],
    "q-103": ["kb-13"],
    "q-104": ["kb-5"],
    "q-105": ["kb-1", "kb-2", "kb-3", "kb-14"],
    "q-106": ["kb-40"],
}
MEANS = {
    "account": (1, 1 / 2),
    "billing": (3, (1 + 1 + 1 / 4) / 3),
    "long": (2, (1 + 1 / 4) / 2),
    "(none)": (2, (0 + 1) / 2),
}
"""The number of queries with each tag, and their mean reciprocal rank."""


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("golden.json").write_text(json.dumps(SUPPORT, indent=2))
    rows = [{"id": query, "retrievedIds": found} for query, found in ANSWERS.items()]
    Path("run.json").write_text(json.dumps(rows))
    rows = [{"id": query, "retrievedIds": found[::-1]} for query, found in ANSWERS.items()]
    Path("other.json").write_text(json.dumps(rows))
    return tmp_path


def by_group(scores: carob.Scores) -> dict[str, tuple[int, Any]]:
    """The number of queries of each group, and their mean."""
    return {name: (len(own.ids), pytest.approx(own["RR"])) for name, own in scores.by_group().items()}


@pytest.mark.parametrize("golden", ["golden.json", "nested.json", "golden.jsonl", "golden.parquet"])
def test_a_field_of_the_golden_set_is_named_in_place_of_a_file(
    service: Path, golden: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("nested.json").write_text(json.dumps({"queries": SUPPORT}, indent=2))
    Path("golden.jsonl").write_text("".join(json.dumps(row) + "\n" for row in reversed(SUPPORT)))
    if golden.endswith("parquet"):
        pytest.importorskip("pandas").DataFrame(SUPPORT).to_parquet(golden)
    assert by_group(carob.evaluate(golden, "run.json", "RR", by="tags")) == MEANS
    command("eval", golden, "run.json", "-m", "RR", "--by", "tags")
    out = capsys.readouterr().out
    assert [line.split()[:2] for line in out.splitlines()[1:6]] == [
        ["(all)", "6"],
        *([name, str(count)] for name, (count, _) in MEANS.items()),
    ]
    assert "6 queries · 2 queries count in several groups ·" in out


def test_every_output_has_each_tag(service: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("golden.json", "run.json", "-m", "RR", "--by", "tags")
    command("eval", *words, "--format", "json")
    found = json.loads(capsys.readouterr().out)["runs"][0]
    assert {name: (its["queries"], its["means"]["RR"]) for name, its in found["groups"].items()} == MEANS
    assert found["in_several_groups"] == 2
    command("eval", *words, "-q", "--format", "csv")
    assert capsys.readouterr().out.splitlines()[1] == "run,q-101,billing + long,1.0,0"
    command("eval", *words, "--lang", "zh")
    assert "2 个查询同时计入多个组" in capsys.readouterr().out
    scores = carob.evaluate("golden.json", {"a": "run.json", "b": "other.json"}, "RR", by="tags")
    assert scores.to_csv("groups").splitlines()[2] == "a,billing,3,0.75"
    assert str(scores).count("2 queries count in several groups") == 1
    alone = carob.evaluate("golden.json", "run.json", "RR", by="tags")
    assert alone.to_frame("groups", "pandas")["queries"].tolist() == [1, 3, 2, 2]
    assert alone.to_frame("queries", "pandas")["group"].tolist()[:2] == ["billing + long", "account"]


@pytest.mark.parametrize("face", ["rows", "mapping", "pandas", "polars", "pyarrow", "csv", "text", "path"])
def test_tags_may_come_in_every_form(service: Path, face: str) -> None:
    pairs = [(row["id"], tag) for row in SUPPORT for tag in row.get("tags") or ["(none)"]]
    by: Any = {"rows": SUPPORT, "path": Path("golden.json")}.get(face)
    if face == "mapping":
        by = {row["id"]: row.get("tags", ()) for row in SUPPORT}
    elif face in ("pandas", "polars"):
        by = pytest.importorskip(face).DataFrame(SUPPORT)
    elif face == "pyarrow":
        by = pytest.importorskip(face).Table.from_pylist(SUPPORT)
    elif face == "csv":
        by = Path("tags.csv")
        by.write_text("query_id,tag\n" + "".join(f"{query},{tag}\n" for query, tag in pairs))
    elif face == "text":
        by = Path("tags.txt")
        by.write_text("".join(f"{query} {tag}\n" for query, tag in pairs))
    assert by_group(carob.evaluate("golden.json", "run.json", "RR", by=by)) == MEANS


def test_a_text_is_one_group_whatever_stands_in_it(service: Path) -> None:
    by = dict.fromkeys(ANSWERS, "billing, long")
    scores = carob.evaluate("golden.json", "run.json", "RR", by=by)
    assert list(scores.by_group()) == ["billing, long"]
    assert "several groups" not in scores.footer()


def test_weights_hold_in_every_group_of_a_query(service: Path) -> None:
    weights = dict.fromkeys(ANSWERS, 1.0) | {"q-101": 3.0}
    scores = carob.evaluate("golden.json", "run.json", "RR", by="tags", weights=weights).by_group()
    assert scores["long"]["RR"] == pytest.approx((3 * 1 + 1 / 4) / 4)
    assert scores["billing"]["RR"] == pytest.approx((3 * 1 + 1 + 1 / 4) / 5)


def test_a_comparison_has_each_tag_and_says_that_they_share_queries(service: Path) -> None:
    found = carob.compare("golden.json", {"a": "run.json", "b": "other.json"}, "RR", by="tags")
    assert {each.name: (each.queries, pytest.approx(each.means[0])) for each in found["RR"].groups} == MEANS
    assert (found.settings.by, found.settings.in_several_groups) == ("tags", 2)
    said = "uncorrected. 2 queries count in several groups, so these groups are not independent."
    assert said in " ".join(str(found).split())
    apart = carob.compare(
        "golden.json", {"a": "run.json", "b": "other.json"}, "RR", by=dict.fromkeys(ANSWERS, "one")
    )
    assert "several groups" not in str(apart)


def test_saved_scores_have_their_tags_in_a_later_comparison(
    service: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = carob.evaluate("golden.json", "run.json", "RR", by="tags").to_json()
    Path("old.json").write_text(saved, encoding="utf-8")
    command("eval", "golden.json", "other.json", "-m", "RR", "--by", "tags", "--record", "new.json")
    capsys.readouterr()
    command("compare", "old.json", "new.json", "--by", "golden.json", "--format", "json")
    groups = json.loads(capsys.readouterr().out)["contests"]["RR"]["groups"]
    assert {each["name"]: (each["queries"], pytest.approx(each["means"][0])) for each in groups} == MEANS


def test_parts_with_tags_are_merged(service: Path) -> None:
    golden, halves = {row["id"]: dict.fromkeys(row["expectedIds"], 1) for row in SUPPORT}, []
    for queries in ([*ANSWERS][:3], [*ANSWERS][3:]):
        run = {query: ANSWERS[query] for query in queries}
        own = [row for row in SUPPORT if row["id"] in queries]
        halves.append(carob.evaluate({query: golden[query] for query in queries}, run, "RR", by=own))
    assert by_group(halves[0].merge(halves[1])) == MEANS


def test_clusters_do_not_overlap(service: Path) -> None:
    found = groups_of("golden.json", [*ANSWERS])
    assert found.names == ("account", "billing", "billing + long", "(none)")
    Path("long.txt").write_text("q-101 billing\nq-101 long\n")
    with pytest.raises(DataError, match=r"line 2: query 'q-101' is already in group 'billing'"):
        groups_of("long.txt", [*ANSWERS])


def test_what_is_neither_a_file_nor_a_field_is_refused(service: Path) -> None:
    with pytest.raises(DataError, match=r"golden.json: 'tag' is neither a file nor a field.*'tags'"):
        carob.evaluate("golden.json", "run.json", "RR", by="tag")
    Path("qrels.txt").write_text("q-101 0 kb-11 1\n")
    Path("qrels.json").write_text(json.dumps({"q-101": {"kb-11": 1}}, indent=2))
    for qrels in ("qrels.txt", "qrels.json"):
        with pytest.raises(DataError, match="tags: No such file"):
            carob.evaluate(qrels, "run.json", "RR", by="tags")
    with pytest.raises(DataError, match="Cannot read a Series"):
        carob.evaluate("golden.json", "run.json", "RR", by=pytest.importorskip("pandas").Series(["a"]))
    with pytest.raises(DataError, match=r"groups: the rows have no field.*'id'"):
        carob.evaluate("golden.json", "run.json", "RR", by=[{"id": "q-101"}])


def test_the_highest_possible_mean_is_said_to_be_that_of_all_queries(service: Path) -> None:
    scores = carob.evaluate("golden.json", "run.json", "R@1", by="tags")
    said = "R@1 cannot exceed 0.9167 over all queries: 1 of 6 queries has more than 1 relevant document"
    assert said in scores.footer()
    assert "over all" not in carob.evaluate("golden.json", "run.json", "R@1").footer()


UNLUCKY: dict[str, list[str]] = {
    "q1": ["none"],
    "q2": ["all", "x"],
    "q3": [],
    "q4": ["(none)"],
    "q5": ["(all)"],
    "q6": [],
}
"""Tags that are called like the rows of all queries and of those without a tag."""
COUNTS = {"(all)": 1, "(none)": 1, "all": 1, "none": 1, "x": 1, "((none))": 2}


@pytest.fixture
def unlucky(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.chdir(tmp_path)
    rows = [{"id": query, "relevant": ["a"], "tags": its} for query, its in UNLUCKY.items()]
    Path("golden.json").write_text(json.dumps(rows, indent=2))
    runs = {"one": {query: ["a"] for query in UNLUCKY}, "two": {query: ["b", "a"] for query in UNLUCKY}}
    for name, run in runs.items():
        Path(f"{name}.json").write_text(json.dumps(run))
    return runs


def test_tags_are_never_taken_for_queries_without_a_tag_or_all_queries(
    unlucky: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("golden.json", "one.json", "-m", "RR", "--by", "tags")
    scores = carob.evaluate("golden.json", unlucky["one"], "RR", by="tags")
    assert {name: len(own.ids) for name, own in scores.by_group().items()} == COUNTS
    assert (scores.ungrouped, scores.groups and scores.groups["q3"]) == ("((none))", ())
    assert scores.to_frame("groups", "pandas")["group"].tolist() == [*COUNTS]
    assert scores.to_frame("queries", "pandas")["group"].tolist()[:3] == ["none", "all + x", "((none))"]
    command("eval", *words, "--format", "json")
    found = json.loads(capsys.readouterr().out)["runs"][0]["groups"]
    assert {name: each["queries"] for name, each in found.items()} == COUNTS
    assert [name for name, each in found.items() if each["ungrouped"]] == ["((none))"]
    for layout in ("text", "markdown", "csv", "tsv", "html", "latex"):
        command("eval", *words, "--format", layout)
        shown = capsys.readouterr().out
        for label in ("((all))", "((none))"):
            assert shown.count(label) == 1
    command("eval", *words, "-q", "--format", "csv")
    assert [line.split(",")[2] for line in capsys.readouterr().out.splitlines()[1:]] == [
        *(" + ".join(its) or "((none))" for its in UNLUCKY.values()),
        "",
    ]


def test_a_comparison_keeps_such_tags_apart(unlucky: dict[str, Any]) -> None:
    found = carob.compare("golden.json", unlucky, "RR", by="tags")
    assert {each.name: each.queries for each in found["RR"].groups} == COUNTS
    assert [each.ungrouped for each in found["RR"].groups] == [False] * 5 + [True]
    for layout in (str(found), found.to_markdown()):
        assert len(set(COUNTS) & set(layout.replace("|", " ").replace("*", "").split())) == len(COUNTS)
    assert groups_of("golden.json", [*UNLUCKY]).codes.tolist() == [3, 2, 4, 1, 0, 4]
    assert groups_of("golden.json", [*UNLUCKY]).names[-1] == "((none))"


def test_a_file_of_groups_may_use_the_words_of_the_special_rows(unlucky: dict[str, Any]) -> None:
    Path("groups.csv").write_text(
        "query,group\n" + "".join(f"{q},{g}\n" for q, g in zip(UNLUCKY, ["all", "none"] * 3))
    )
    scores = carob.evaluate("golden.json", unlucky["one"], "RR", by="groups.csv")
    assert {name: len(own.ids) for name, own in scores.by_group().items()} == {"all": 3, "none": 3}
    assert [line.split()[:2] for line in str(scores).splitlines()[1:4]] == [
        ["(all)", "6"],
        ["all", "3"],
        ["none", "3"],
    ]


def test_parts_of_a_run_that_is_split_keep_such_tags_apart(unlucky: dict[str, Any]) -> None:
    Path("tags.json").write_text(
        json.dumps([{"id": query, "tags": its} for query, its in [*UNLUCKY.items()][:3]])
    )
    carob.write_run(unlucky["one"], "part-{}.run", split_by="tags.json")
    assert {each.name for each in Path().glob("part-*")} == {
        "part-none.run",
        "part-all_+_x.run",
        "part-_none_.run",
    }


def test_an_interval_of_a_group_that_is_not_students_is_marked() -> None:
    by = {f"q{each:02}": "flat" if each < 6 else "spread" for each in range(30)}
    runs = {
        name: {
            query: [f"x{each}" for each in range(0 if group == "flat" else place * step % most)] + ["a"]
            for place, (query, group) in enumerate(by.items())
        }
        for name, step, most in (("one", 1, 23), ("two", 3, 19))
    }
    qrels = {query: {"a": 1} for query in by}
    found = carob.compare(qrels, runs, "nDCG", by=by)
    flat, spread = (each.pairs[0] for each in found["nDCG"].groups)
    assert (flat.worst_point, spread.worst_point, found["nDCG"].pairs[0].worst_point) == (True, False, False)
    written = found.as_dict()["contests"]["nDCG"]["groups"]
    assert [each["pairs"][0]["method"] for each in written] == ["worst-point", "t"]
    assert [each["pairs"][0]["p_uncorrected"] for each in written] == [
        flat.p_uncorrected,
        spread.p_uncorrected,
    ]
    assert not any("p_corrected" in each["pairs"][0] for each in written)  # no p of a group is corrected
    assert math.isnan(flat.p_corrected)
    rows = [line.split() for line in str(found).splitlines()]
    assert [row[-1] for row in rows if row[1:2] == ["-"] and {"flat", "spread"} & {*row}] == [
        "w",
        p_text(spread.p_uncorrected, 0.05),
    ]
    assert "| 1.000<sup>w</sup> |" in found.to_markdown()
    for said in (" ".join(str(found).split()), found.to_markdown()):
        assert "w: many values are equal, so interval and p are from the worst-point interval" in said
        assert "Student's t or, where many values are equal, worst point" in said
    alone = carob.compare(qrels, runs, "nDCG", by=dict.fromkeys(by, "every"))
    assert "p(t)" in str(alone)
    assert "worst" not in str(alone).replace("worst\n", "").replace("(worst)", "")
