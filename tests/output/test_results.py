"""Every public result in every format: a plain dict, JSON, CSV, frames, text, Markdown, LaTeX, HTML and figures."""

from __future__ import annotations

import csv
import inspect
import io
import json
import math
import re
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob._dataclasses import dataclass
from carob.output.errors import Doubt
from carob.output.formats import format_names
from carob.output.results import Records, Result
from carob.statistics.estimates import Estimate
from carob.testing.history import history
from strategies import first
from toys import command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

QRELS = {
    "q1": {"a": 1, "b": 0, "c": 2},
    "q2": {"a": 0, "b": 1, "d": 1},
    "q3": {"a": 2, "c": 1, "e": 0},
    "q4": {"b": 1, "c": 0, "d": 2},
}
OTHERS = {
    "q1": {"a": 1, "b": 1, "c": 1},
    "q2": {"a": 1, "b": 1, "d": 0},
    "q3": {"a": 0, "c": 1, "e": 1},
    "q4": {"b": 1, "c": 1, "d": 2},
}
RUNS = {
    "old, first": {query: dict(zip("abcde", (5.0, 4, 3, 2, 1), strict=True)) for query in QRELS},
    "new": {query: dict(zip("cadbe", (5.0, 4, 3, 2, 1), strict=True)) for query in QRELS},
    "|third|": {query: dict(zip("edcbx", (5.0, 4, 3, 2, 1), strict=True)) for query in [*QRELS][:3]},
}
PEOPLE = {query: QRELS[query] for query in ("q1", "q2", "q3")}


@cache
def scores() -> carob.ScoresByRun:
    """The scores of all runs."""
    return carob.evaluate(QRELS, RUNS, ["nDCG@3", "RR", "num_rel"])


def written(text: str) -> str:
    """The path of a new file with this text."""
    path = Path(tempfile.mkdtemp()) / "board.txt"
    path.write_text(text)
    return str(path)


def verified(queries: dict[str, Any]) -> carob.Verification:
    """The verification of a record of ``RUNS['new']`` with these judgments."""
    path = written("")
    carob.record(carob.evaluate(QRELS, RUNS["new"], "RR", name="new"), path)
    return carob.verify(path, queries, {"new": RUNS["new"]})


def recorded(run: str) -> str:
    """The path of a record of a run."""
    path = written("")
    carob.record(carob.evaluate(QRELS, RUNS[run], ["RR", "nDCG@3"], name="run"), path)
    return path


def reported() -> carob.Report:
    """A report, if its packages are installed."""
    try:
        return carob.report(QRELS, RUNS, "RR")
    except carob.DataError as error:
        pytest.skip(str(error))


EXAMPLES: dict[str, Callable[[], Any]] = {
    "Scores": lambda: carob.evaluate(QRELS, RUNS["new"], ["nDCG@3", "RR", "num_rel"], name="new"),
    "Scores, undefined": lambda: carob.evaluate(
        {"q1": {"a": 0}, "q2": {"a": 1}}, RUNS["new"], "RR", policy=carob.Policy(empty="nan"), name="new"
    ),
    "ScoresByRun": scores,
    "Curve": lambda: carob.curve(["P", "IPrec"], QRELS, RUNS["new"]),
    "CollectionsScores": lambda: carob.evaluate_collections(
        {"web": (QRELS, RUNS), "news": (PEOPLE, {name: RUNS[name] for name in ("new", "old, first")})}
    ),
    "CollectionsScores, only means": lambda: carob.evaluate_collections(
        {"web": {"a": 0.3}, "news": {"a": 0.2}}, "AP"
    ),
    "Comparison": lambda: carob.compare(QRELS, RUNS, ["RR", "nDCG@3"]),
    "Comparison, with everything": lambda: carob.compare(
        QRELS,
        RUNS,
        "RR",
        baseline="new",
        unjudged_bounds=True,
        orders=True,
        design=carob.Design(preregistered=written('measure = "AP"')),
        test=carob.Test(rope=0.01, margin=0.1, effects=True, other_tests=True),
    ),
    "Comparison, with a judge": lambda: carob.compare(PEOPLE, RUNS, "RR", judge=OTHERS),
    "Comparison, with a second assessor": lambda: carob.compare(
        QRELS, RUNS, ["RR", "GMAP"], design=carob.Design(second_assessor=OTHERS)
    ),
    "Comparison, estimates": lambda: carob.estimate(PEOPLE, OTHERS, RUNS, "RR"),
    "CollectionsComparison": lambda: carob.compare_collections(
        {"web": scores(), "news": scores()}, test=carob.Test(rope=0.01)
    ),
    "CollectionsComparison, only means": lambda: carob.compare_collections(
        {"web": {"a": 0.3, "b": 0.1}, "news": {"a": 0.2, "b": 0.1}}
    ),
    "Agreement": lambda: carob.agreement(QRELS, OTHERS, RUNS, "RR"),
    "Agreement, without runs": lambda: carob.agreement(QRELS, QRELS),
    "Correlations": lambda: carob.correlate(QRELS, {"model": OTHERS}, RUNS, "RR"),
    "Correlations, of means": lambda: carob.correlate(
        *(
            carob.read_leaderboard(written(f"a AP all {each}\nb AP all 0.2\nc AP all 0.1\n"))
            for each in (0.3, 0.15)
        )
    ),
    "Best": lambda: carob.best(
        scores(), resampling=carob.Resampling(resamples=100), baseline="new", variants=["*"]
    ),
    "Best, without families": lambda: carob.best(scores(), resampling=carob.Resampling(resamples=100)),
    "Plan": lambda: carob.plan(carob.evaluate(QRELS, RUNS, "nDCG@3"), difference=0.1),
    "Plan, without end": lambda: carob.plan(carob.evaluate(QRELS, RUNS, "nDCG@3"), difference=1e-9),
    "VarianceComponents": lambda: carob.variance_components(scores()),
    "Explanation": lambda: carob.explain("nDCG@3", QRELS, RUNS["new"], "q1"),
    "Explanation, of grades": lambda: carob.explain("AP", grades=[1, None, 0, 1], judged=[1, 1, 1, 0]),
    "Explanation, undefined": lambda: carob.explain(
        "RR", {"q1": {"a": 0}}, {"q1": {"a": 1.0}}, "q1", policy=carob.Policy(empty="nan")
    ),
    "Difference": lambda: carob.difference("trec_eval-9", "sklearn", "AP", QRELS, RUNS["new"]),
    "Whence": lambda: carob.whence("0.5", None, QRELS, RUNS["new"], "q1"),
    "Whence, of nothing known": lambda: carob.whence("0.123456", "AP", grades=[1, 0, 1]),
    "Whence, of two numbers": lambda: carob.whence(["0.5", "0.333"], "RR", grades=[[0, 1], [0, 0, 1]]),
    "Check": lambda: carob.check(QRELS, RUNS),
    "Check, of nothing wrong": lambda: carob.diagnosis.check.Check((), ("qrels",)),
    "Check, of collections": lambda: carob.check_collections({"web": (QRELS, RUNS), "news": (PEOPLE, RUNS)}),
    "PoolCheck": lambda: carob.check_pool(QRELS, RUNS, "P@5", pool_depth=1),
    "Next": lambda: carob.next_judgments(PEOPLE, RUNS, "P@5", budget=3),
    "Next, without chance": lambda: carob.next_judgments(PEOPLE, RUNS, "P@5", budget=3, order="certain"),
    "UnjudgedBounds": lambda: carob.unjudged_bounds(QRELS, RUNS, "P@5"),
    "UnjudgedBounds, without pairs": lambda: carob.unjudged_bounds(QRELS, RUNS, "P@5", pairs=False),
    "Verification": lambda: verified(OTHERS),
    "Verification, equal": lambda: verified(QRELS),
    "Gate": lambda: carob.gate(QRELS, RUNS["new"], RUNS["|third|"], {"RR": 0.001}, {"nDCG@3": 0.9}),
    "History": lambda: history(dict(zip("ab", map(recorded, ("old, first", "new")), strict=True)), ["RR"]),
    "Gate, one query": lambda: carob.gate({"q1": {"a": 1}}, RUNS["new"], RUNS["new"], {"RR": 0.1}),
    "Report": reported,
    "Beyond": lambda: carob.beyond_accuracy(
        {"u": ["a", "b"], "v": ["a"]}, ["NumItems", "Novelty@1"], train={"u": ["z"]}
    ),
    "BeyondByRun": lambda: carob.beyond_accuracy(
        [carob.Run.of(RUNS[name], name) for name in ("new", "|third|")],
        ["nDCG@3", "NumItems"],
        relevant=QRELS,
    ),
    "FusedDocument": lambda: carob.fuse({name: RUNS[name] for name in ("new", "|third|")}).explain("q1", "a"),
    "WrittenRun": lambda: carob.write_run(RUNS["new"], written(""), depth=3),
    "TunedFusion": lambda: carob.tune_fusion(QRELS, {name: RUNS[name] for name in ("new", "|third|")}, "RR"),
    "Leaderboard": lambda: carob.read_leaderboard(written("a AP q1 0.5\na AP q2 0.25\na AP all 0.375\n")),
    "Leaderboard, only values": lambda: carob.read_leaderboard(written("a AP q1 0.5\nb AP q1 0.25\n")),
}
"""A function that makes each public result, and further ones with undefined numbers or empty tables."""

NO_RESULTS = {
    "Design": "a setting",
    "Policy": "a setting",
    "Test": "a setting",
    "UnjudgedLimits": "a setting",
    "Resampling": "a setting",
    "HoldOut": "a setting",
    "Profile": "a setting",
    "Measure": "a setting",
    "Finding": "a part of Check",
    "Kind": "a part of Check",
    "Meter": "an accumulator, whose results are Scores",
    "Qrels": "an input",
    "Run": "an input",
    "FusedRun": "an input",
}
"""Public classes, and classes that public functions return, that are not results."""


@cache
def made(name: str) -> Any:
    """The example of this name."""
    return EXAMPLES[name]()


@pytest.fixture(params=EXAMPLES)
def found(request: pytest.FixtureRequest) -> Any:
    """Each result."""
    return made(request.param)


def tables_of(found: Any) -> Iterator[tuple[str, Records]]:
    """Yields the tables of a result. Estimates refuse their pairs of runs, of which there are none."""
    for what, table in found.records().items():
        if not (what == "pairs" and getattr(found, "contests", None) and not found.primary.pairs):
            yield what, table()


def returned(function: Any) -> set[str]:
    """The names of classes in the annotation of what a function returns."""
    return set(re.findall(r"[A-Z]\w+", str(inspect.signature(function).return_annotation)))


def test_every_public_result_is_here() -> None:
    public = [getattr(carob, name) for name in carob.__all__]
    classes = {each.__name__ for each in public if isinstance(each, type) and not issubclass(each, Exception)}
    classes |= {name for each in public if inspect.isfunction(each) for name in returned(each)}
    classes |= {each.__name__ for each in subclasses(Result) if each.__module__.startswith("carob.")}
    bases = {"Documented", "Tabled", "OnCollections"}
    others = {"Any", "Callable", "Definition", "None", "Made", "Enrolled"}
    assert classes - bases - others - {*NO_RESULTS} == {name.partition(",")[0] for name in EXAMPLES}
    for name in EXAMPLES:
        if name != "Report":
            assert type(made(name)).__name__ == name.partition(",")[0]


def subclasses(base: type) -> Iterator[type]:
    """Yields the classes below a class."""
    for each in base.__subclasses__():
        yield each
        yield from subclasses(each)


def is_plain(value: Any) -> bool:
    """Whether a value consists of what JSON has."""
    if type(value) is dict:
        return all(type(key) is str and is_plain(each) for key, each in value.items())
    if type(value) is list:
        return all(map(is_plain, value))
    return value is None or type(value) in (str, int, bool) or (type(value) is float and math.isfinite(value))


def test_the_dict_is_plain_and_json_holds_the_same(found: Result) -> None:
    plain = found.as_dict()
    assert is_plain(plain)
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert json.loads(found.to_json()) == plain


def test_csv_has_the_columns_of_the_table_and_its_numbers_in_full(found: Result) -> None:
    for what, table in tables_of(found):
        header, *rows = csv.reader(io.StringIO(found.to_csv(what)))
        assert header == [*table.names]
        assert len(header) == len(set(header)) > 1
        assert len(rows) == len(table.rows)
        for cells, values in zip(rows, table.rows, strict=True):
            assert len(cells) == len(values) == len(header)
            for cell, value in zip(cells, values, strict=True):
                assert cell.lower() not in ("nan", "inf", "-inf", "none")
                if isinstance(value, float) and "probability" not in header:
                    assert (float(cell) if cell else None) == (value if math.isfinite(value) else None)
        assert found.to_csv(what, "\t").split("\n", 1)[0].split("\t") == header
    default = next(iter(found.records()))
    assert found.to_csv() == found.to_csv(default)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_have_the_columns_of_csv(found: Result, library: str) -> None:
    pytest.importorskip(library, reason=f"{library} makes the frame")
    for what, table in tables_of(found):
        frame = found.to_frame(what, library)
        assert type(frame).__module__.startswith(library)
        names = frame.column_names if library == "pyarrow" else [*frame.columns]
        assert names == next(csv.reader(io.StringIO(found.to_csv(what))))
        assert (frame.num_rows if library == "pyarrow" else len(frame)) == len(table.rows)
    assert type(found.to_frame(library)).__module__.startswith(library)


def test_every_layout_shows_the_result(found: Any) -> None:
    assert found.to_text().strip()
    assert found.to_markdown().strip()
    assert found.to_latex().strip()
    assert str(found).strip()
    assert found._repr_html_().count("<") > 1
    assert found.to_html().lower().startswith("<!doctype html>")


NO_FIGURE = {
    "CollectionsScores": "its tables compare collections, and carob.compare_collections draws the runs",
    "Explanation": "a derivation",
    "Difference": "few steps, in a table",
    "Whence": "few explanations, in a table",
    "Check": "sentences",
    "Next": "documents to judge",
    "FusedDocument": "a derivation",
    "WrittenRun": "sentences",
    "TunedFusion": "not yet: the curve of weights is a table",
    "Verification": "sentences",
    "Beyond": "numbers on different scales",
    "BeyondByRun": "numbers on different scales",
    "Leaderboard": "an input of carob.correlate, which draws it",
}
"""Results without a figure, and why."""


def test_every_figure_is_drawn(found: Result) -> None:
    if type(found).__name__ in NO_FIGURE:
        with pytest.raises(carob.DataError, match="This result has no figure"):
            found.to_figure()
        return
    pytest.importorskip("matplotlib", reason="draws the figure")
    assert found.figures()
    for kind in found.figures():
        if not (
            kind in ("pairs", "differences") and getattr(found, "contests", None) and not found.primary.pairs
        ):
            assert found.to_figure(kind).axes
    found.to_figure().canvas.draw()
    with pytest.raises(carob.DataError, match="There is no figure 'pies'"):
        found.to_figure("pies")


def test_a_figure_has_a_row_for_each_interval_in_order() -> None:
    pytest.importorskip("matplotlib", reason="draws the figure")
    (axes,) = made("Agreement").to_figure().axes
    names = [each.get_text() for each in axes.get_yticklabels()]
    assert names == [each.name for each in made("Agreement").statistics]
    interval, dot = axes.lines[:2]
    first = made("Agreement").statistics[0]
    assert dot.get_xdata() == [first.value]
    assert [*interval.get_xdata()] == pytest.approx([first.low, first.high], nan_ok=True)
    assert axes.yaxis_inverted()


EMPTY = {
    ("Check, of nothing wrong", "findings"): "severity,code,subject,count,what,effect,remedy\n",
    ("Check, of nothing wrong", "baselines"): (
        "run,measure,value,at_one,queries,random,popular,other,sampled,orders\n"
    ),
    ("Verification, equal", "findings"): "kind,what,sentence\n",
    ("Best, without families", "families"): "measure,variants,runs,run,apparent,gain,gain_low,gain_high\n",
    ("Best, without families", "held_out"): (
        "measure,run,queries,value,value_low,value_high,gain,gain_low,gain_high\n"
    ),
    ("UnjudgedBounds, without pairs", "pairs"): "measure,a,b,low,high,exact,can_turn\n",
    ("Agreement, without runs", "systems"): "measure,run,a,rank a,b,rank b\n",
    ("Correlations, of means", "grades"): "judge,documents,statistic,value,low,high\n",
    ("CollectionsComparison, only means", "notes"): "kind,collection,run,other,count,of,sentence\n",
    ("Leaderboard, only values", "stated"): "run,measure,mean\n",
    ("Gate, one query", "queries"): "label,query,before,after\n",
}


@pytest.mark.parametrize(("name", "what"), EMPTY)
def test_an_empty_table_keeps_its_header(name: str, what: str) -> None:
    assert made(name).to_csv(what) == EMPTY[name, what]


def test_what_is_undefined_looks_one_way_in_each_format() -> None:
    found = made("Scores, undefined")
    nothing = carob.evaluate(
        {"q": {"a": 0}}, {"q": {"a": 1.0}}, "RR", policy=carob.Policy(empty="nan"), name="new"
    )
    assert str(nothing).splitlines()[:2] == ["run  RR", "new   –"]
    assert found.to_csv() == "query,RR\nq1,\nq2,0.5\n"
    assert found.as_dict()["runs"][0]["queries"] == {"q1": {"RR": None}, "q2": {"RR": 0.5}}
    endless = made("Plan, without end")
    assert endless.rows[0].queries == math.inf
    assert endless.as_dict()["rows"][0]["queries"] is None
    assert next(csv.DictReader(io.StringIO(endless.to_csv())))["queries"] == ""


def test_no_layout_for_readers_shows_what_python_calls_undefined(found: Any) -> None:
    for shown in (found.to_text(), found.to_markdown(), found.to_latex()):
        # The policy's own word may stand there.
        assert not re.search(r"(?<![\w'-])(?<!empty[ =])(nan|NaN|inf|None)(?![\w'-])", shown)


def test_a_table_or_library_that_there_is_not_is_refused_in_a_sentence(found: Result) -> None:
    known = ", ".join(found.records())
    with pytest.raises(carob.DataError, match="There is no table 'zzz'") as error:
        found.to_csv("zzz")
    assert known in str(error.value)
    with pytest.raises(carob.DataError, match="There is no table 'zzz'"):
        found.to_frame("zzz")
    with pytest.raises(carob.PolicyError, match=r"There is no delimiter='\^'"):
        found.to_csv(delimiter="^")
    if type(found).__name__ != "Scores":  # which engines make, too
        with pytest.raises(
            carob.DataError, match=r"'duckdb' is not a library of data frames that carob can write\."
        ):
            found.to_frame(next(iter(found.records())), "duckdb")


COMMANDS = {
    "eval": ["eval", "qrels", "a.run", "b.run", "-m", "RR"],
    "eval -q": ["eval", "qrels", "a.run", "-m", "RR", "-q"],
    "compare": ["compare", "qrels", "a.run", "b.run", "-m", "RR"],
    "estimate": ["eval", "--people", "qrels", "--judge", "other", "a.run", "-m", "RR"],
    "check": ["check", "qrels", "a.run"],
    "explain": ["explain", "RR", "qrels", "a.run", "--query", "q1"],
    "difference": ["difference", "trec_eval-9", "sklearn", "AP", "qrels", "a.run"],
    "whence": ["whence", "0.5", "qrels", "a.run", "-m", "RR"],
    "curve": ["curve", "qrels", "a.run", "-m", "P", "--at", "1,2"],
    "plan": ["plan", "qrels", "a.run", "b.run", "-m", "RR", "--difference", "0.1"],
    "best": ["best", "qrels", "a.run", "b.run", "-m", "RR", "--resamples", "100"],
    "agreement": ["agreement", "qrels", "other", "a.run", "b.run", "-m", "RR"],
    "correlate": ["correlate", "qrels", "other", "a.run", "b.run", "c.run", "-m", "RR"],
    "gate": ["gate", "qrels", "a.run", "--min", "RR=0.1"],
    "next": ["next", "qrels", "a.run", "b.run", "--budget", "2", "-m", "P@5"],
    "verify": ["verify", "record.json"],
    "history": ["history", "record.json", "other.json"],
}
STARTS = dict.fromkeys(("csv", "text", *format_names(), "tsv"), "") | {"json": "{", "html": "<!doctype html>"}


@pytest.mark.parametrize("layout", first(STARTS, 3))
@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_with_a_result_has_every_format(
    name: str, layout: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for file, judged in (("qrels", QRELS), ("other", OTHERS)):
        lines = (f"{q} 0 {d} {grade}" for q, its in judged.items() for d, grade in its.items())
        (folder / file).write_text("\n".join(lines) + "\n")
    for file, run in zip(("a.run", "b.run", "c.run"), RUNS.values(), strict=True):
        lines = (f"{q} Q0 {d} 1 {score} t" for q, its in run.items() for d, score in its.items())
        (folder / file).write_text("\n".join(lines) + "\n")
    if name in ("verify", "history"):
        assert command("eval", "qrels", "a.run", "-m", "RR", "--record", "record.json") == 0
        (folder / "other.json").write_text((folder / "record.json").read_text())
        capfd.readouterr()
    assert command(*COMMANDS[name], "--format", layout) in (0, 1)
    out, error = capfd.readouterr()
    assert out.startswith(STARTS[layout]), error
    if layout in ("csv", "tsv"):
        rows = list(csv.reader(io.StringIO(out), delimiter="," if layout == "csv" else "\t"))
        assert len({len(row) for row in rows}) == 1
        assert len(rows) > 1 or name == "verify"
        assert not {"nan", "inf", "None"} & {cell for row in rows for cell in row}


@pytest.mark.parametrize("layout", ["text", *format_names()])
def test_options_of_what_to_show_hold_in_every_layout(
    layout: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "scores.csv").write_text(
        "run,query,AP\n" + "".join(f"{r},q{n},0.{n}\n" for r in "xyz" for n in range(9))
    )
    for options, runs in (([], 3), (["--top", "1"], 1)):
        assert command("compare", "scores.csv", *options, "--format", layout) == 0
        assert capfd.readouterr().out.count("0.189,0.611]") == runs


# ---------------------------------------------------------------- what a class of results inherits


@dataclass(frozen=True)
class Toy(Result):
    """A result with warnings, footers and a table, of which some columns may be empty."""

    value: float
    low: float | None = None
    high: float | None = None
    warnings: tuple[Any, ...] = ()
    footers: tuple[str, ...] = ()

    def records(self) -> dict[str, Callable[[], Records]]:
        own = (("toy", self),)
        kept = {"without": ("warnings", "footers")}
        return {
            "own": lambda: Records.of(Toy, own, ["name"], **kept).without_empty(Toy),
            "whole": lambda: Records.of(Toy, own, ["name"], **kept),
        }


class Doll(Toy):
    KIND, VERSION = "Toy", 2


def test_json_names_its_schema_and_the_kind_of_each_warning() -> None:
    told = {"kind": "ties", "runs": [1], "sentence": "Ties.", "numbers": {"share": 0.5}}
    found = Toy(0.5, warnings=("Odd.", Doubt("Upside down.", "reversed"), told), footers=("2 queries",))
    assert found.as_dict() == {
        "schema": "Toy/1",
        "value": 0.5,
        "low": None,
        "high": None,
        "warnings": [
            {"kind": "doubt", "runs": [], "sentence": "Odd.", "numbers": {}},
            {"kind": "reversed", "runs": [], "sentence": "Upside down.", "numbers": {}},
            told,
        ],
        "footers": ["2 queries"],
    }
    assert json.loads(found.to_json()) == found.as_dict()
    assert found.beside() == [*found.warnings, "2 queries"]
    assert Doll(0.5).as_dict()["schema"] == "Toy/2"


def test_a_result_without_warnings_footers_or_figures_has_none() -> None:
    class Bare(Result):
        def contents(self) -> dict[str, Any]:
            return {"value": math.nan}

    assert Bare().as_dict() == {"schema": "Bare/1", "value": None}
    assert Bare().to_json() == '{\n  "schema": "Bare/1",\n  "value": null\n}\n'
    assert Bare().beside() == []
    assert Bare().figures() == {}


def test_optional_columns_that_are_empty_in_every_row_are_left_out() -> None:
    assert Toy(0.5).to_csv() == "name,value\ntoy,0.5\n"
    assert Toy(0.5, high=0.75).to_csv() == "name,value,high\ntoy,0.5,0.75\n"
    assert Toy(0.5).to_csv("whole", ";") == "name;value;low;high\ntoy;0.5;;\n"
    two = Records(["value", "low"], [[None, None], [None, 0.25]])
    assert two.without_empty(Toy) == two


def test_an_estimate_becomes_three_columns() -> None:
    row = Toy(Estimate(0.5, 0.25, 0.75), low=Estimate(1.0))  # type: ignore[arg-type]
    found = Records.of(
        Toy, [("a", 1, row)], ["name", "rank"], without=["warnings", "footers", "high"], estimates=["value"]
    )
    assert found.columns() == {
        "name": ["a"],
        "rank": [1],
        "value": [0.5],
        "value_low": [0.25],
        "value_high": [0.75],
        "low": [row.low],
    }
    assert Records.of(Toy, [("a", Toy(0.5))], ["name"], estimates=["low"]).columns()["low_high"] == [None]
