"""What an evaluation knows of its data reaches every command, every format and every file that is read again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob.output.errors import DataError, MeasureError
from toys import command

if TYPE_CHECKING:
    from pathlib import Path

QUERIES = [f"q{number}" for number in range(8)]
DOCUMENTS = "abcde"


def lines(orders: dict[str, str], scores: Any = None) -> str:
    """A run with the documents of each query in an order. The scores fall from 9 unless others are given."""
    values = scores or [9.5, 8.5, 7.5, 6.5, 5.5]
    return "".join(
        f"{query} Q0 {document} {rank} {values[rank - 1]} t\n"
        for query, order in orders.items()
        for rank, document in enumerate(order, 1)
    )


def orders(first: str = "abcde", second: str = "bacde", leave_out: tuple[str, ...] = ()) -> dict[str, str]:
    """The order of documents of each query: ``first`` and ``second`` by turns."""
    return {
        query: (first, second)[place % 2] for place, query in enumerate(QUERIES) if query not in leave_out
    }


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Judgments of two documents, one with a grade of a half, and runs of which each has something to tell."""
    monkeypatch.chdir(tmp_path)
    grades = {"a": "1", "b": "0.5", "c": "0", "d": "0", "e": "0"}
    text = "".join(f"{query} 0 {d} {grade}\n" for query in QUERIES for d, grade in grades.items())
    (tmp_path / "qrels.txt").write_text(text)
    (tmp_path / "whole.txt").write_text(text.replace("0.5", "1"))
    for name, content in {
        "old": lines(orders(leave_out=("q0", "q1"))),
        "new": lines(orders("acbde", "bcade", leave_out=("q4",))),
        "good": lines(orders("abdce", "cabde")),
        "equal": lines(orders("abdce", "cabde")),
        "flat": lines(orders("cbade", "dbace"), [1.0] * 5),
        "upside": lines(orders(), [1.5, 2.5, 3.5, 4.5, 5.5]),
        "infinite": lines(orders("bacde", "cbade"), ["inf", 4.5, 3.5, 2.5, 1.5]),
    }.items():
        (tmp_path / f"{name}.run").write_text(content)
    return tmp_path


# ---------------------------------------------------------------- values that are read again


@pytest.fixture
def written(folder: Path, capfd: pytest.CaptureFixture[str]) -> Any:
    """Writes the values of a run's queries in a format, and returns the path."""

    def write(name: str, layout: str, *more: str) -> str:
        path = folder / f"{name}.{layout}"
        status = command("eval", "whole.txt", f"{name}.run", "-m", "AP", "-q", "--format", layout, *more)
        assert status == 0
        path.write_text(capfd.readouterr().out)
        return str(path)

    return write


@pytest.mark.parametrize("layout", ["csv", "tsv", "json"])
def test_a_gate_on_tables_of_values_decides_as_on_the_runs(
    layout: str, written: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    files = [written(name, layout) for name in ("new", "old")]
    capfd.readouterr()
    for start in (["whole.txt", "new.run", "--baseline", "old.run"], [files[0], "--baseline", files[1]]):
        assert command("gate", *start, "--max-drop", "AP=0.05", "--format", "json") == 1
        found = json.loads(capfd.readouterr().out)
        assert (found["only_after"], found["missing_after"]) == (["q0", "q1"], ["q4"])
        # Over q2, q3, q5, q6 and q7 and the missing q4: AP of acbde is (1 + 2/3) / 2, so is that of bcade.
        (check,) = found["checks"]
        assert check["before"] == pytest.approx(1.0)
        assert check["after"] == pytest.approx(5 / 6 * (1 + 2 / 3) / 2)


@pytest.mark.parametrize("layout", ["csv", "tsv"])
def test_queries_that_the_policy_skips_are_known_to_be_missing(layout: str, written: Any) -> None:
    for name, missing in (("new", ("q4",)), ("old", ("q0", "q1"))):
        path = written(name, layout, "--missing", "skip")
        scores = carob.read_scores(path)[name]
        assert scores.counts.missing == missing
        assert len(scores.queries) == 8 - len(missing)
        assert f"{len(missing)} missing quer{'y' if len(missing) == 1 else 'ies'} skipped" in scores.footer()
    with pytest.raises(DataError, match="new lacks 1 of 6 queries that old answers, starting with 'q4'"):
        carob.gate(
            None,
            carob.read_scores(written("new", layout, "--missing", "skip"))["new"],
            carob.read_scores(written("old", layout, "--missing", "skip"))["old"],
            {"AP": 0.05},
        )


ROWS = [("q1", 0.5, 0), ("q2", 0.0, 1)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "s.jsonl",
            "".join(json.dumps({"query": q, "AP": v, "missing": bool(m)}) + "\n" for q, v, m in ROWS),
        ),
        ("s.csv", "query,AP,missing\n" + "".join(f"{q},{v},{('no', 'yes')[m]}\n" for q, v, m in ROWS)),
        (
            "long.csv",
            "run,query,measure,value,missing\n" + "".join(f"s,{q},AP,{v},{m}\n" for q, v, m in ROWS),
        ),
    ],
    ids=["JSON lines", "words", "long"],
)
def test_other_tables_may_say_which_queries_are_missing(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    (scores,) = carob.read_scores(tmp_path / name).values()
    assert scores.labels == ("AP",)
    assert (scores.counts.missing, scores["AP"]) == (("q2",), 0.25)
    assert "1 missing query counted as 0" in scores.footer()


def test_a_frame_may_say_which_queries_are_missing() -> None:
    pandas = pytest.importorskip("pandas", reason="frames need a library")
    frame = pandas.DataFrame(ROWS, columns=["query", "AP", "missing"])
    assert carob.read_scores(frame, name="s")["s"].counts.missing == ("q2",)


def test_a_column_called_missing_with_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("query,AP,missing\nq1,0.5,0\nq2,0.4,0.7\n")
    with pytest.raises(
        DataError, match=r"s\.csv, line 3: the column 'missing' must contain .* a cell contains '0\.7'"
    ):
        carob.read_scores(tmp_path / "s.csv")


def test_a_run_may_be_called_missing(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("query,bm25,missing\nq1,0.5,0.3\nq2,0.4,0.7\n")
    scores = carob.read_scores(tmp_path / "s.csv", "AP")
    assert {name: each["AP"] for name, each in scores.items()} == {"bm25": 0.45, "missing": 0.5}


def test_values_of_collections_say_which_queries_are_missing(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in "AB":
        (folder / "beir" / name).mkdir(parents=True)
        for each, to in (("whole.txt", "qrels.txt"), ("old.run", "old.run")):
            (folder / "beir" / name / to).write_text((folder / each).read_text())
    words = ("eval", "--collections", "beir", "-m", "AP", "-q", "--format", "csv")
    assert command(*words) == 0
    out, err = capfd.readouterr()
    assert out.splitlines()[:2] == ["collection,run,query,AP,missing", "A,old,q0,0.0,1"]
    assert "A,old,all,0.75,2" in out
    assert "carob: note: 4 missing queries counted as 0: old in all 2 collections (4 of 16)." in err


def test_the_curve_of_a_query_says_that_it_is_missing(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for more, cell in (((), "0.0"), (("--missing", "skip"), "")):
        words = ("curve", "whole.txt", "old.run", "-m", "P", "--at", "1", "-q", "--format", "csv", *more)
        assert command(*words) == 0
        out, err = capfd.readouterr()
        assert out.splitlines()[0] == "query,measure,at,value,missing"
        assert {f"q0,P,1,{cell},1", "q2,P,1,1.0,0"} <= {*out.splitlines()}
        assert "2 missing queries" in err


# ---------------------------------------------------------------- formats without a place for a footer


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("eval qrels.txt old.run new.run -m AP --format csv", "old: 2 missing queries counted as 0"),
        ("eval qrels.txt flat.run good.run -m AP --format tsv", "flat: ties touch 8 queries"),
        ("eval qrels.txt infinite.run -m AP --format latex", "8 infinite scores"),
        (
            "eval qrels.txt good.run -m AP -q --format csv",
            "8 grades between 0 and 1 counted as not relevant (AP)",
        ),
        ("eval qrels.txt good.run -m AP --format csv --lang zh", "8"),
        ("curve qrels.txt old.run -m AP --at 5 --format tsv", "2 missing queries counted as 0"),
        ("compare qrels.txt old.run new.run -m AP --format csv", "old lacks 2 of 8 judged queries"),
        ("compare qrels.txt flat.run good.run -m AP --format tsv", "8 lists with all scores equal"),
        (
            "correlate qrels.txt whole.txt good.run equal.run old.run -m AP --format csv",
            "two runs: equal = good",
        ),
    ],
)
def test_what_a_footer_would_say_goes_to_standard_error(
    words: str, told: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    status = command(*words.split())
    out, err = capfd.readouterr()
    assert status == 0
    assert told in " ".join(err.split())
    assert "carob: note:" in err
    assert "carob" not in out
    assert told not in out


def test_a_table_of_clean_data_brings_no_note(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq2 0 b 1\n")
    (tmp_path / "x.run").write_text("q1 Q0 a 1 2 t\nq1 Q0 c 2 1 t\nq2 Q0 b 1 1 t\n")
    assert command("eval", f"{tmp_path}/qrels.txt", f"{tmp_path}/x.run", "-m", "RR", "--format", "csv") == 0
    assert capfd.readouterr().err == ""


# ---------------------------------------------------------------- commands that say as much as an evaluation

COMMANDS = {
    "compare": ("compare", "{qrels}", "{run}", "new.run"),
    "best": ("best", "{qrels}", "{run}", "new.run", "good.run"),
    "plan": ("plan", "{qrels}", "{run}", "new.run", "--difference", "0.1"),
    "agreement": ("agreement", "{qrels}", "whole.txt", "{run}", "new.run"),
    "agreement of the other": ("agreement", "whole.txt", "{qrels}", "{run}", "new.run"),
    "correlate": ("correlate", "{qrels}", "whole.txt", "{run}", "new.run", "good.run"),
    "correlate with the other": ("correlate", "whole.txt", "{qrels}", "{run}", "new.run", "good.run"),
    "gate": ("gate", "{qrels}", "{run}", "--baseline", "new.run", "--max-drop", "AP=1"),
    "gate against it": ("gate", "{qrels}", "new.run", "--baseline", "{run}", "--max-drop", "AP=1"),
}
MORE = {"gate": [], "plan": ["-m", "AP"]}
"""The options of commands that have neither measures nor resamples."""

TOLD = {
    "flat.run": "8 lists with all scores equal",
    "infinite.run": "8 infinite scores",
    "upside.run": "every list is upside down",
    "good.run": "8 grades between 0 and 1 counted as not relevant (AP)",
    "old.run": "documents retrieved, all of them judged",
}


@pytest.mark.parametrize("run", TOLD)
@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_says_what_an_evaluation_says(
    name: str, run: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    def whole(layout: str) -> str:
        words = [each.format(qrels="qrels.txt", run=run) for each in COMMANDS[name]]
        more = MORE.get(words[0], ["-m", "AP", "--resamples", "20"])
        if run == "good.run" and words.count(run) > 1:
            words[-1] = "old.run"
        undecided = (
            name == "gate against it" and run == "upside.run"
        )  # a gate does not rest on such a baseline
        assert command(*words, *more, "--format", layout) in ((2,) if undecided else (0, 1))
        out, error = capfd.readouterr()
        return " ".join((error if undecided else out).split())

    told = TOLD[run]
    assert told in " ".join(str(carob.evaluate("qrels.txt", run, "AP").footer()).split()) or "upside" in run
    for layout in ("text", "json"):
        text = whole(layout)
        assert told in text, (layout, text)


def test_equal_runs_are_told_by_each_command_that_takes_several(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    runs = ("good.run", "equal.run", "new.run")
    for words in (
        ("best", "whole.txt", *runs),
        ("agreement", "whole.txt", "qrels.txt", *runs),
        ("correlate", "whole.txt", "qrels.txt", *runs),
    ):
        assert command(*words, "-m", "AP", "--resamples", "20", "--format", "json") == 0
        found = json.loads(capfd.readouterr().out)
        assert any(": equal = good." in each["sentence"] for each in found["warnings"]), words[0]


def test_a_check_of_values_tells_what_they_bring_along(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "beir").mkdir()
    for name in "AB":
        runs = [f"{each}.run" for each in ("flat", "upside", "infinite", "good")]
        command("eval", "qrels.txt", *runs, "-m", "AP", "--record", f"beir/{name}.json")
    capfd.readouterr()
    found = carob.check_collections("beir")
    codes = {(each.code, each.subject, each.severity) for each in found if each.collection == "A"}
    assert ("constant-scores", "flat", "warning") in codes
    assert ("told", "upside", "warning") in codes
    assert ("infinite-scores", "infinite", "warning") in codes
    assert ("told", "good", "note") in codes
    assert command("check", "--collections", "beir") == 1


# ---------------------------------------------------------------- values that are too good, or of another scale

PERFECT = "every query has the highest possible value (check that the run was not made from the judgments)"


@pytest.fixture
def copy(folder: Path) -> str:
    """A run that is a copy of the judgments, with a few documents more."""
    (folder / "copy.run").write_text(lines(orders("abcde", "bacde")))
    return "copy.run"


@pytest.mark.parametrize("measures", [["AP"], ["nDCG@10", "R@5"], ["DCG", "RR"]])
def test_the_footer_of_one_run_says_that_every_value_is_the_best(measures: list[str], copy: str) -> None:
    found = carob.evaluate("whole.txt", copy, measures)
    assert f" · {PERFECT} · " in found.footer()
    assert found.counts.perfect == 8
    assert "请检查结果是否由判断文件生成" in found.footer("zh")
    assert PERFECT not in carob.evaluate("whole.txt", "new.run", measures).footer()
    by_policy = carob.Policy(by_measure={measures[0].partition("@")[0]: {"depth": 4}})
    assert PERFECT in carob.evaluate("whole.txt", copy, measures, policy=by_policy).footer()
    parts = [
        carob.evaluate({q: {"a": 1, "b": 1, "c": 0}}, {q: dict(zip("abc", (3.0, 2.0, 1.0)))}, measures)
        for q in QUERIES
    ]
    assert PERFECT not in parts[0].footer()  # one query may be answered so by chance
    assert PERFECT in parts[0].merge(*parts[1:]).footer()
    assert PERFECT not in parts[0].merge(*parts[1:4]).footer()


@pytest.mark.parametrize(
    "words",
    [
        "eval whole.txt copy.run -m AP",
        "eval whole.txt copy.run -m AP --format json",
        "eval whole.txt copy.run -m AP --format csv",
        "eval whole.txt copy.run new.run -m AP --format markdown",
        "curve whole.txt copy.run -m R --at 5",
        "compare whole.txt copy.run new.run -m AP",
        "best whole.txt copy.run new.run -m AP --resamples 20",
        "plan whole.txt copy.run new.run -m AP --difference 0.1",
        "gate whole.txt copy.run --min AP=0.1",
        "agreement whole.txt whole.txt copy.run new.run -m AP --resamples 20",
        "correlate whole.txt whole.txt copy.run new.run old.run -m AP --resamples 20",
        "gate copy.json --min AP=0.1",
        "gate copy.csv --min AP=0.1",
        "check whole.txt copy.run",
    ],
)
def test_each_command_says_that_every_value_is_the_best(
    words: str, copy: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for layout in ("json", "csv"):
        assert command("eval", "whole.txt", copy, "-m", "AP", "-q", "--format", layout) == 0
        (folder / f"copy.{layout}").write_text(capfd.readouterr().out)
    assert command(*words.split()) in (0, 1)
    out, err = capfd.readouterr()
    said = " ".join((out + err).split())
    if "json" in words.split():
        assert json.loads(out)["runs"][0]["counts"]["perfect"] == 8
    else:
        assert said.count("the highest possible value") == 1


SCALES = {
    "AP as a percentage": ("AP", 54.5, "which is from 0 to 1. If these are percentages, divide them by 100."),
    "nDCG beyond 1": ("nDCG@10", 1.2, "which is from 0 to 1. Check how they were computed."),
    "RR as a percentage": ("RR", 100.0, "If these are percentages"),
    "negative AP": ("AP", -0.25, "Check how they were computed."),
    "negative DCG": ("DCG", -0.25, "which is at least 0. Check how they were computed."),
    "P as a percentage": ("P@5", 20.0, "If these are percentages"),
}


def table_of(name: str, measure: str, value: float, folder: Path) -> str:
    """A table of another tool's values, one of which is given."""
    rows = [f"{name},{query},{measure},{value if place == 2 else 0.5}" for place, query in enumerate(QUERIES)]
    (folder / f"{name}.csv").write_text("\n".join(["run,query,measure,value", *rows]) + "\n")
    return f"{name}.csv"


@pytest.mark.parametrize("case", SCALES)
def test_values_outside_the_range_of_their_measure_are_said(case: str, folder: Path) -> None:
    measure, value, why = SCALES[case]
    path = table_of("x", measure, value, folder)
    with pytest.warns(carob.DataWarning, match="in 1 of 8 queries outside its range"):
        (scores,) = carob.read_scores(path).values()
    (said,) = scores.warnings
    assert said.startswith(f"x: {measure} is {value:g} for query 'q2', and in 1 of 8 queries outside its")
    assert why in said
    for other in (
        {"x": {measure: {"a": value, "b": 0.5}}},
        {"x": {"a": {measure: value}, "b": {measure: 0.5}}},
    ):
        with pytest.warns(carob.DataWarning, match=f"x: {measure} is {value:g} for query 'a'"):
            carob.read_scores(other)


@pytest.mark.parametrize(
    ("measure", "value"), [("AP", 1.0 + 1e-12), ("DCG@10", 7.5), ("satisfaction", 80.0), ("GMAP", 0.0)]
)
def test_values_within_the_range_are_not(measure: str, value: float, folder: Path) -> None:
    (scores,) = carob.read_scores(table_of("x", measure, value, folder)).values()
    assert not scores.warnings


@pytest.mark.parametrize(
    "words",
    [
        "compare x.csv y.csv",
        "best x.csv y.csv --resamples 20",
        "plan x.csv y.csv --difference 0.1",
        "gate x.csv --min AP=0.1",
        "gate y.csv --baseline x.csv --max-drop AP=0.1",
        "correlate all.csv all.csv --resamples 20",
        "eval --collections beir -m AP",
        "compare --collections beir -m AP --resamples 20",
        "best --collections beir -m AP --resamples 20",
        "check --collections beir",
        "compare --collections means.csv -m AP --resamples 20",
    ],
)
@pytest.mark.parametrize("layout", ["text", "json"])
def test_each_command_says_that_a_value_is_outside_the_range(
    words: str, layout: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    files = [
        table_of("x", "AP", 54.5, folder),
        table_of("y", "AP", 0.5, folder),
        table_of("z", "AP", 0.4, folder),
    ]
    every = [line for each in files for line in (folder / each).read_text().splitlines()[1:]]
    (folder / "all.csv").write_text("\n".join(["run,query,measure,value", *every]) + "\n")
    (folder / "beir").mkdir()
    for name in "ABC":
        (folder / "beir" / f"{name}.csv").write_text((folder / "all.csv").read_text())
    (folder / "means.csv").write_text("collection,x,y\nA,54.5,0.5\nB,0.4,0.3\nC,0.4,0.2\n")
    assert command(*words.split(), "--format", layout) in (0, 1)
    out = " ".join(capfd.readouterr().out.split())
    assert "x: AP is 54.5" in out
    assert "If these are percentages, divide them by 100" in out


# ---------------------------------------------------------------- one meaning of each field of JSON

SENTENCES = ("footers", "remarks", "departures")
"""Fields that are lists of sentences wherever they occur. ``warnings`` are, too, or they are cautions with figures."""

NOTE = {"kind", "collection", "run", "other", "count", "of", "sentence"}


def fields_of(found: Any, name: str) -> list[Any]:
    """The values of a field, however deep."""
    if isinstance(found, dict):
        own = [found[name]] if name in found else []
        return own + [each for value in found.values() for each in fields_of(value, name)]
    return [each for value in found for each in fields_of(value, name)] if isinstance(found, list) else []


FIELDS = {
    "eval qrels.txt old.run": "",
    "eval qrels.txt upside.run": "warnings",
    "curve qrels.txt old.run -m P": "",
    "compare qrels.txt old.run new.run -m AP --test t --seed 3": "warnings departures",
    "best qrels.txt old.run new.run -m AP --resamples 20": "warnings footers",
    "plan qrels.txt old.run new.run -m AP --difference 0.1": "warnings footers",
    "agreement qrels.txt whole.txt old.run new.run -m AP --resamples 20": "warnings footers",
    "correlate qrels.txt whole.txt old.run new.run good.run -m AP --resamples 20": "warnings footers",
    "gate qrels.txt old.run --baseline new.run --max-drop AP=1": "warnings footers",
    "eval --collections beir -m AP": "warnings footers notes",
    "best --collections beir -m AP --resamples 20": "warnings footers",
    "compare --collections beir -m AP --resamples 20": "warnings footers notes",
    "check qrels.txt old.run": "",
    "check --collections beir": "",
    "verify old.json": "remarks",
    "explain AP qrels.txt old.run --query q2": "",
}
"""The fields of these names in the JSON of a command, of which each has one meaning everywhere."""


@pytest.mark.parametrize("words", FIELDS)
def test_a_field_of_json_means_the_same_in_every_command(
    words: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in "ABC" if "beir" in words else "":
        (folder / "beir" / name).mkdir(parents=True)
        for each, to in (("qrels.txt", "qrels.txt"), ("old.run", "old.run"), ("good.run", "good.run")):
            (folder / "beir" / name / to).write_text((folder / each).read_text())
    if "old.json" in words:
        assert command("eval", "qrels.txt", "old.run", "-m", "AP", "--record", "old.json") == 0
    capfd.readouterr()
    command(*words.split(), "--format", "json")
    found = json.loads(capfd.readouterr().out)
    seen = [each for each in ("warnings", "notes", *SENTENCES) if fields_of(found, each)]
    assert {*seen} == {*FIELDS[words].split()} | ({"departures"} & {*seen})
    for name in seen:
        for its in fields_of(found, name):
            assert isinstance(its, list), name
            if name == "notes":
                assert its
                assert all(set(each) == NOTE for each in its)
            elif name in SENTENCES:
                assert all(isinstance(each, str) for each in its)
            else:
                assert all(isinstance(each, str) or "sentence" in each for each in its)


# ---------------------------------------------------------------- advice that works


def test_scores_of_unequal_measures_are_named_with_their_files(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for name, measures in (("old", ["AP"]), ("new", ["RR"]), ("good", ["RR", "AP"])):
        asked = [word for each in measures for word in ("-m", each)]
        assert command("eval", "whole.txt", f"{name}.run", *asked, "--record", f"{name}.json") == 0
    capfd.readouterr()
    for words in (("compare",), ("best",), ("plan", "--difference", "0.1")):
        assert command(*words, "old.json", "new.json") == 2
        said = capfd.readouterr().err
        assert said.startswith(
            "carob: new.json: new has no scores of AP, which old in old.json has. Its measures are RR. Evaluate both"
        )
        assert command(*words, "good.json", "old.json") == 2
        said = capfd.readouterr().err
        assert (
            "old.json: old has no scores of RR, which good in good.json has. Its measures are AP. Choose -m AP."
            in said
        )
        assert command(*words, "good.json", "old.json", "-m", "AP") == 0
    with pytest.raises(MeasureError, match=r"new\.json: AP was not evaluated"):
        carob.read_scores(["good.json", "new.json"], "AP")
    with pytest.raises(MeasureError, match=r"Choose measures=\['AP'\]"):
        carob.read_scores(["good.json", "old.json"])


@pytest.mark.parametrize("name", ["eval", "compare", "best"])
def test_a_folder_that_is_one_collection_is_called_so(
    name: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "one").mkdir()
    for each in ("good.run", "new.run", "qrels.txt"):
        (folder / "one" / each).write_text((folder / each).read_text())
    assert command(name, "--collections", "one") == 2
    said = capfd.readouterr().err
    assert said.startswith(
        "carob: one: the folder is one collection, not a folder of collections: it contains judgments"
    )
    assert "Pass one/qrels.txt and one/good.run instead of a folder of collections" in said
    assert command("eval", "one/qrels.txt", "one/good.run") == 0
    found = carob.check_collections("one").of("refused-collection")
    assert [each.what.partition(": ")[2].partition(",")[0] for each in found] == [
        "the folder is one collection"
    ]


def test_the_advised_path_of_a_run_exists(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for name in "AB":
        (folder / "beir" / name).mkdir(parents=True)
        for each in ("good.run", "new.run", "qrels.txt"):
            (folder / "beir" / name / each).write_text((folder / each).read_text())
    for given in ("beir/A/good.run", "good.run"):
        assert command("eval", "--collections", "beir", given) == 2
        said = capfd.readouterr().err
        assert "as in 'beir/{collection}/good.run'" in said
        assert command("eval", "--collections", "beir", "beir/{collection}/good.run") == 0
        capfd.readouterr()
    assert command("eval", "--collections", "beir", "gone.run") == 2
    said = capfd.readouterr().err
    assert "with {collection} in its path" in said
    assert ".run'" not in said


def test_runs_beside_scores_are_advised_to_become_scores(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert command("eval", "whole.txt", "old.run", "-m", "AP", "--record", "part.json") == 0
    assert command("compare", "whole.txt", "good.run", "old=part.json", "-m", "AP") == 2
    said = capfd.readouterr().err
    assert "pass only scores, and score the other runs with carob eval -q --format json." in said
    assert command("eval", "whole.txt", "good.run", "-m", "AP", "-q", "--format", "json") == 0
    (folder / "good.json").write_text(capfd.readouterr().out)
    assert command("compare", "good.json", "old=part.json", "-m", "AP") == 0


def test_a_side_of_a_gate_that_answers_nothing_is_called_so(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "empty.run").write_text("")
    words = ("--max-drop", "AP=0.1", "--overlap", "none")
    assert command("gate", "whole.txt", "new.run", "--baseline", "empty.run", *words) == 2
    said = capfd.readouterr().err
    assert said.startswith("carob: The baseline empty answers none of the 8 judged queries, so no drop can")
    assert command("gate", "whole.txt", "empty.run", "--baseline", "new.run", *words) == 1
    assert "7 queries missing from the run, counted as 0" in capfd.readouterr().out


def test_the_choice_of_documents_says_what_is_known_of_the_runs(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    judged = (folder / "whole.txt").read_text().splitlines(keepends=True)
    (folder / "few.txt").write_text("".join(line for line in judged if line.split()[2] in "ab"))
    words = ("next", "few.txt", "flat.run", "upside.run", "new.run", "--budget", "2")
    assert command(*words) == 0
    out = " ".join(capfd.readouterr().out.split())
    assert "8 lists with all scores equal" in out
    assert "new: 1 missing query counted as 0" in out
    assert "1, 2, 3 … or other equal steps in " in out
    assert command(*words, "--format", "json") == 0
    found = json.loads(capfd.readouterr().out)
    assert any("or other equal steps in " in each["sentence"] for each in found["warnings"])
    assert any("1 missing query" in each for each in found["footers"])
    assert command(*words, "--format", "csv") == 0
    out, err = capfd.readouterr()
    assert out.startswith("query,document,grade")
    assert "carob: note: new: 1 missing query counted as 0" in err
