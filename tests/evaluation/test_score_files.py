"""Per-query scores from other tools: the formats, missing values, refused input, and equality with carob's own."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob import DataError, MeasureError, PolicyError
from carob.evaluation.score_files import holds_scores
from toys import command

if TYPE_CHECKING:
    from pathlib import Path

VALUES = {"a": {"q1": 0.25, "q2": 0.5, "q3": 1.0}, "b": {"q1": 0.5, "q2": 0.0, "q3": 0.75}}
NESTED = {run: {"AP": its} for run, its in VALUES.items()}

BY_QUERY = {run: {query: {"AP": value} for query, value in its.items()} for run, its in VALUES.items()}
LONG = "run,query,measure,value\n" + "".join(
    f"{run},{query},AP,{value}\n" for run, its in VALUES.items() for query, value in its.items()
)
BY_MEASURE = "run\tquery\tAP\n" + "".join(
    f"{run}\t{query}\t{value}\n" for run, its in VALUES.items() for query, value in its.items()
)
BY_RUN = "qid;a;b\n" + "".join(
    f"{query};{VALUES['a'][query]};{VALUES['b'][query]}\n" for query in VALUES["a"]
)
LINES = "".join(
    json.dumps({"system": run, "query_id": query, "metric": "map", "value": value}) + "\n"
    for run, its in VALUES.items()
    for query, value in its.items()
)


def written(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("name", "text", "measures"),
    [
        ("long.csv", LONG, None),
        ("wide.tsv", BY_MEASURE, None),
        ("runs.csv", BY_RUN, "AP"),
        ("lines.jsonl", LINES, ["AP"]),
        ("nested.json", json.dumps(NESTED), None),
        ("by_query.json", json.dumps(BY_QUERY), None),
    ],
)
def test_every_layout_of_a_file_has_the_same_values(
    name: str, text: str, measures: Any, tmp_path: Path
) -> None:
    path = written(tmp_path, name, text)
    scores = carob.read_scores(path, measures)
    assert holds_scores(path)
    assert {run: each.by_query("AP") for run, each in scores.items()} == VALUES
    assert scores["a"]["AP"] == 1.75 / 3


@pytest.mark.parametrize(
    "line",
    ["{measure:<22}\t{query}\t{value}\n", "{query}\t{measure}\t{value}\n"],
    ids=["trec_eval", "ir_measures"],
)
def test_the_output_of_other_tools_is_one_run_in_each_file(line: str, tmp_path: Path) -> None:
    for run, its in VALUES.items():
        rows = [line.format(measure="P_10", query=query, value=value) for query, value in its.items()]
        rows.append(line.format(measure="P_10", query="all", value=0.6))
        written(tmp_path, f"{run}.txt", "".join(rows))
    scores = carob.read_scores([str(tmp_path / "a.txt"), {"other": str(tmp_path / "b.txt")}])
    assert {run: each.by_query("P@10") for run, each in scores.items()} == {
        "a": VALUES["a"],
        "other": VALUES["b"],
    }


def test_trec_evals_line_of_the_run_is_skipped(tmp_path: Path) -> None:
    path = written(tmp_path, "x.txt", "runid \tall\tmine\nmap \tq1\t0.5\nnum_ret\tq1\t7\nmap \tall\t0.5\n")
    assert holds_scores(path)
    scores = carob.read_scores(path)["x"]
    assert scores.labels == ("map",)
    assert dict(carob.read_scores(path, "num_ret")["x"].by_query("num_ret")) == {"q1": 7}


def test_results_of_ir_measures_and_frames_are_read() -> None:
    polars = pytest.importorskip("polars")
    ir_measures = pytest.importorskip("ir_measures")
    results = {
        run: [ir_measures.Metric(query_id=q, measure=ir_measures.AP, value=v) for q, v in its.items()]
        for run, its in VALUES.items()
    }
    frame = polars.DataFrame(
        [
            {"run": run, "query": q, "measure": "AP", "value": v}
            for run, its in VALUES.items()
            for q, v in its.items()
        ]
    )
    for given in (results, frame):
        assert {run: each.by_query("AP") for run, each in carob.read_scores(given).items()} == VALUES


def test_parquet_is_read(tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    path = tmp_path / "x.parquet"
    polars.DataFrame({"query": ["q1", "q2"], "a": [0.5, 0.25], "b": [1.0, 0.0]}).write_parquet(path)
    assert holds_scores(str(path))
    assert carob.read_scores(path)["a"].by_query("value") == {"q1": 0.5, "q2": 0.25}


def test_a_comparison_of_read_values_equals_the_comparison_of_the_runs(tmp_path: Path) -> None:
    draw = random.Random(3)
    qrels = {f"q{n}": {f"d{m}": draw.randint(0, 3) for m in range(8)} for n in range(20)}
    runs = {
        name: {query: {f"d{m}": draw.random() for m in range(12)} for query in qrels}
        for name in ("x", "y", "z")
    }
    scores = carob.evaluate(qrels, runs, ["nDCG@5", "RR"])
    path = written(tmp_path, "scores.json", scores.to_json())
    one = carob.compare(qrels, runs, ["nDCG@5", "RR"], baseline="x")
    other = carob.compare(None, carob.read_scores(path), baseline="x")
    for label in one.labels:
        assert one[label].pairs == other[label].pairs
        assert one[label].low == other[label].low


def test_a_missing_value_is_an_error_until_the_caller_decides() -> None:
    values = {"a": {"AP": {"q1": 0.5, "q2": 0.25, "q3": 1.0}}, "b": {"AP": {"q1": 1.0, "q3": 0.5}}}
    with pytest.raises(
        DataError, match=r"b has no value of AP for 1 of 3 queries: q2. Choose missing='zero'"
    ):
        carob.read_scores(values)
    zero = carob.read_scores(values, missing="zero")["b"]
    skip = carob.read_scores(values, missing="skip")["b"]
    assert (zero["AP"], zero.counts.missing) == (0.5, ("q2",))
    assert (skip["AP"], skip.counts.missing, skip.queries) == (0.75, ("q2",), ("q1", "q3"))
    found = carob.compare(None, carob.read_scores(values, missing="skip"))
    assert found["AP"].pairs[0].n == 2
    assert any("lacks 1 of 3 judged queries, left out: q2" in each.sentence for each in found.warnings)


def test_a_missing_value_of_one_measure_leaves_the_others() -> None:
    values = {"a": {"AP": {"q1": 0.5, "q2": 0.25}, "RR": {"q1": 1.0}}}
    scores = carob.read_scores(values, missing="skip")["a"]
    assert scores.by_query("RR") == {"q1": 1.0}
    assert scores.by_query("AP") == {"q1": 0.5, "q2": 0.25}


def test_an_unknown_measure_is_compared() -> None:
    values = {run: {"clicks per query": its} for run, its in VALUES.items()}
    rows = [
        {"run": run, "query": query, "measure": "clicks per query", "value": value}
        for run, its in VALUES.items()
        for query, value in its.items()
    ]
    found = carob.compare(None, carob.read_scores(rows))
    assert found["clicks per query"].means == (1.75 / 3, 1.25 / 3)
    with pytest.raises(DataError, match="not nested as expected"):
        carob.read_scores(values)


REFUSED = {
    "number": ("query,a,b\nq1,0.5,x\n", r"t.csv, line 2: the value is not a finite number: 'x'"),
    "infinite": ("query,a,b\nq1,0.5,1e999\n", r"line 2: the value is not a finite number: '1e999'"),
    "columns": ("query,a,b\nq1,0.5\n", r"line 2: found 2 columns, but the first line has 3"),
    "twice": ("query,a\nq1,0.5\n\nq1,0.5\n", r"line 4: a has a second value of value for query 'q1'"),
    "names": ("query,a,a\nq1,0.5,1\n", r"line 1: two columns are named 'a'"),
    "mixed": ("query,AP,b\nq1,0.5,1\n", r"knows 'AP' as a measure but not 'b'"),
    "query": ("query,a\n,0.5\n", r"line 2: the query is missing from the row"),
    "value": ("query,measure,x\nq,AP,0.5\n", r"there is a column of measures, but no column"),
    "nothing": ("query,a\nall,0.5\n", r"the file contains no per-query scores"),
    "empty": ("", r"the file is empty"),
    "unknown": ("one two\n", r"line 1: 'one two' is neither the header of a table"),
    "three": ("map\tq1\t0.5\nmap q2\n", r"line 2: found 2 columns, expected 3"),
    "long": (f"query,a\nq1,0.5\nq2,{'x' * 140_000}\n", r"line 3: the row cannot be read \(field larger than"),
    "quoted": ('query,a\n"q\n1",0.5\nq2,x\n', r"line 4: the value is not a finite number: 'x'"),
    "json": ('{"query": "q1", "a": 0.5}\nx\n', r"line 2: the line is not a JSON object"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_bad_input_is_refused_with_its_place(name: str, tmp_path: Path) -> None:
    content, message = REFUSED[name]
    with pytest.raises(DataError, match=message):
        carob.read_scores(written(tmp_path, "t.csv", content))


def test_the_table_says_who_computed_the_values() -> None:
    text = str(carob.read_scores(NESTED))
    assert "3 queries · values as given, policy unknown" in text
    assert "no judged document" not in text


def test_other_mistakes_are_refused() -> None:
    with pytest.raises(PolicyError, match="There is no missing='none'"):
        carob.read_scores(NESTED, missing="none")
    with pytest.raises(MeasureError, match=r"The scores have no measure RR. Their measures are AP"):
        carob.read_scores(NESTED, "RR")
    with pytest.raises(DataError, match="not from an object of the type int"):
        carob.read_scores(3)
    with pytest.raises(DataError, match="passed without judgments and ranked lists"):
        carob.record(carob.read_scores(NESTED), "never-written.json")


@pytest.mark.parametrize(
    "text",
    [
        "q1 0 d1 1\n",
        "q1 Q0 d1 1 2.5 tag\n",
        "query,doc_id,grade\nq1,d1,1\n",
        "q1\td1\t1\n",
        '{"q1": {"d1": 1}}',
    ],
)
def test_judgments_and_runs_are_not_taken_for_scores(text: str, tmp_path: Path) -> None:
    assert not holds_scores(written(tmp_path, "x.txt", text))


# ---------------------------------------------------------------- means and measures of which less is better


def table_of(name: str, values: str = "0.5,0.6,0.4", mean: str = "0.5") -> str:
    rows = [*(f"q{each},{value}" for each, value in enumerate(values.split(","), 1)), f"{name},{mean}"]
    return "query,ndcg\n" + "\n".join(rows) + "\n"


@pytest.mark.parametrize("name", ["mean", "Average", "AVG", "all", "macro avg", "overall"])
def test_a_row_with_the_mean_is_not_a_query(name: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(table_of(name))
    frame = pytest.importorskip("pandas").read_csv(tmp_path / "a.csv")
    values = {"a": {"nDCG@10": {"q1": 0.5, "q2": 0.6, "q3": 0.4, name: 0.5}}}
    for given in (tmp_path / "a.csv", frame, values):
        found = carob.read_scores(given)
        (scores,) = [found[run] for run in found]
        assert scores.queries == ("q1", "q2", "q3")


def test_a_row_that_is_named_like_a_mean_and_is_none_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.csv").write_text(table_of("mean", mean="0.9"))
    (tmp_path / "b.csv").write_text(table_of("mean"))
    said = "has a row 'mean', but its ndcg of 0.9 is not the mean of the 3 other values, 0.5"
    with pytest.raises(DataError, match=said):
        carob.read_scores(tmp_path / "a.csv")
    assert command("compare", str(tmp_path / "a.csv"), str(tmp_path / "b.csv")) == 2
    assert said in " ".join(capsys.readouterr().err.split())


@pytest.mark.filterwarnings("ignore:.*less is better")
@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("latency", True),
        ("time_ms", True),
        ("MeanRank", True),
        ("reciprocal_rank", False),
        ("satisfaction", False),
    ],
)
def test_measures_of_which_less_is_better_are_warned_of(name: str, told: bool, tmp_path: Path) -> None:
    rows = [
        (run, query, name, float(value)) for value, run in enumerate("ab") for query in ("q1", "q2", "q3")
    ]
    lines = ["run,query,measure,value", *(",".join(map(str, each)) for each in rows)]
    (tmp_path / "a.csv").write_text("\n".join(lines))
    scores = carob.read_scores(tmp_path / "a.csv")
    said = " ".join(each for run in scores for each in scores[run].warnings)
    assert (f"{name} seems to be a measure for which smaller values are better" in said) is told


@pytest.mark.parametrize("form", ["paths", "named", "frames"])
def test_a_lone_column_of_which_less_is_better_is_a_measure_and_no_run(form: str, tmp_path: Path) -> None:
    for run, slower in (("old", 9), ("new", 0)):
        rows = "".join(f"q{each},{80 + each + slower}\n" for each in range(5))
        (tmp_path / f"{run}.csv").write_text(f"query,latency_ms\n{rows}")
    named = {run: tmp_path / f"{run}.csv" for run in ("old", "new")}
    given: Any = {"paths": list(named.values()), "named": named}.get(form)
    if given is None:
        pandas = pytest.importorskip("pandas")
        given = {run: pandas.read_csv(path) for run, path in named.items()}
    with pytest.warns(
        carob.DataWarning, match="latency_ms seems to be a measure for which smaller values are better"
    ):
        scores = carob.read_scores(given)
    assert list(scores) == ["old", "new"]
    assert carob.compare(None, scores).labels == ("latency_ms",)


def test_queries_that_differ_in_case_are_not_left_out() -> None:
    values = {"a": {"AP": {"Q1": 0.1, "Q2": 0.2}}, "b": {"AP": {"q1": 0.1, "q2": 0.2}}}
    with pytest.raises(DataError, match=r"but one for 'Q.': upper and lower case differ") as error:
        carob.read_scores(values)
    assert "zero" not in str(error.value)


def test_a_stated_mean_that_is_not_that_of_the_values_was_weighted(tmp_path: Path) -> None:
    rows = "run,query,AP\na,q1,0.2\na,q2,0.8\na,all,{}\n"
    weighted, plain = tmp_path / "weighted.csv", tmp_path / "plain.csv"
    weighted.write_text(rows.format(0.65))
    plain.write_text(rows.format("0.500"))
    with pytest.warns(
        carob.DataWarning, match=r"states 0.6500 as the AP of new, but the mean of its values is 0.5000"
    ):
        found = carob.read_scores({"old": plain, "new": weighted})
    assert any("weights or another policy" in each for each in found["old"].warnings)
    assert not carob.read_scores(plain)["a"].warnings
