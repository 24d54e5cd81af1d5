"""Every form of judgments, runs and results × every public function: what dicts give, or the form's refusal."""

from __future__ import annotations

import gzip
import html
import io
import json
import math
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import carob

Nested = dict[str, dict[str, Any]]
Call = "Callable[[Any, Any], Any]"

QRELS: Nested = {f"q{n:02}": {"a": 1 + n % 2, "b": 0, "c": n % 3} for n in range(12)}
PEOPLE: Nested = {query: its for query, its in QRELS.items() if int(query[1:]) % 2}
MODEL: Nested = {
    query: {each: (grade + n) % 3 for each, grade in its.items()}
    for n, (query, its) in enumerate(QRELS.items())
}
RUNS: dict[str, Nested] = {
    name: {
        query: {
            each: (n * step + place * step**2) % 7 + 1 / (place + 2) for place, each in enumerate("abcdx")
        }
        for n, query in enumerate(QRELS)
    }
    for name, step in {"one": 3, "two": 5, "three": 2}.items()
}
SAMPLE: Nested = {query: {each: (grade, 0.5) for each, grade in its.items()} for query, its in QRELS.items()}
MEASURES = ["nDCG@3", "AP"]


# ---------------------------------------------------------------- forms


def rows_of(nested: Nested) -> list[tuple[Any, ...]]:
    return [(query, each, value) for query, its in nested.items() for each, value in its.items()]


def columns_of(nested: Nested, kind: str) -> dict[str, list[Any]]:
    queries, documents, values = map(list, zip(*rows_of(nested), strict=True))
    if isinstance(values[0], tuple):
        grades, chances = map(list, zip(*values, strict=True))
        return {"query": queries, "document": documents, "grade": grades, "probability": chances}
    return {"query_id": queries, "doc_id": documents, "relevance" if kind == "qrels" else "score": values}


def listed(nested: Nested, kind: str) -> list[dict[str, Any]]:
    columns = columns_of(nested, kind)
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def text_of(nested: Nested, kind: str) -> bytes:
    layout = "{} 0 {} {}\n" if kind == "qrels" else "{} Q0 {} 0 {!r} t\n"
    return "".join(layout.format(*row) for row in rows_of(nested)).encode()


def separated(nested: Nested, kind: str, by: str) -> bytes:
    rows = listed(nested, kind)
    return "".join(
        by.join(map(str, row)) + "\n" for row in (rows[0], *(each.values() for each in rows))
    ).encode()


class Files:
    """Writes each file into a separate folder, so that names say nothing."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.count = folder, 0

    def __call__(self, name: str, data: bytes) -> str:
        self.count += 1
        path = self.folder / str(self.count) / name
        path.parent.mkdir()
        path.write_bytes(data)
        return str(path)


def needed(*libraries: str) -> None:
    for library in libraries:
        if not find_spec(library):
            pytest.skip(f"needs {library}, which is not installed")


def pandas_frame(nested: Nested, kind: str, files: Files) -> Any:
    needed("pandas", "pyarrow")
    import pandas as pd

    return pd.DataFrame(columns_of(nested, kind))


def polars_frame(nested: Nested, kind: str, files: Files) -> Any:
    needed("polars")
    import polars as pl

    return pl.DataFrame(columns_of(nested, kind))


def polars_lazy(nested: Nested, kind: str, files: Files) -> Any:
    return polars_frame(nested, kind, files).lazy()


def arrow_table(nested: Nested, kind: str, files: Files) -> Any:
    needed("pyarrow")
    import pyarrow as pa

    return pa.table(columns_of(nested, kind))


def duckdb_relation(nested: Nested, kind: str, files: Files) -> Any:
    needed("duckdb", "pyarrow")
    import duckdb

    return duckdb.from_arrow(arrow_table(nested, kind, files))


def ibis_table(nested: Nested, kind: str, files: Files) -> Any:
    needed("ibis", "duckdb", "pyarrow")
    import ibis

    return ibis.memtable(arrow_table(nested, kind, files))


def path(nested: Nested, kind: str, files: Files) -> Any:
    return files("run" if kind == "run" else "qrels.txt", text_of(nested, kind))


def compressed_path(nested: Nested, kind: str, files: Files) -> Any:
    return Path(files(f"x.{kind}.gz", gzip.compress(text_of(nested, kind))))


def in_bytes(nested: Nested, kind: str, files: Files) -> Any:
    return text_of(nested, kind)


def open_file(nested: Nested, kind: str, files: Files) -> Any:
    return io.BytesIO(text_of(nested, kind))


def csv_path(nested: Nested, kind: str, files: Files) -> Any:
    return files(f"{kind}.csv", separated(nested, kind, ","))


def tsv_path(nested: Nested, kind: str, files: Files) -> Any:
    return files(f"{kind}.tsv", separated(nested, kind, "\t"))


def json_lines(nested: Nested, kind: str, files: Files) -> Any:
    return files(f"{kind}.jsonl", "".join(json.dumps(each) + "\n" for each in listed(nested, kind)).encode())


def rows(nested: Nested, kind: str, files: Files) -> Any:
    return listed(nested, kind)


def of_carob(nested: Nested, kind: str, files: Files) -> Any:
    return carob.Qrels.of(nested) if kind == "qrels" else carob.Run.of(nested)


FRAMES = [
    pandas_frame,
    polars_frame,
    polars_lazy,
    arrow_table,
    duckdb_relation,
    ibis_table,
]
TEXTS = [path, compressed_path, in_bytes, open_file]
TABLES = [csv_path, tsv_path, json_lines, rows, of_carob]
USUAL = {path, rows, pandas_frame}
FORMS = [
    each if each in USUAL else pytest.param(each, marks=pytest.mark.long)
    for each in (*TEXTS, *TABLES, *FRAMES)
]
"""All forms. Those that most users have are tried in each run of the tests, and the others in the long run."""
of_each_form = pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)


# ---------------------------------------------------------------- functions


def verified(qrels: Any, runs: Any) -> Any:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        where = f"{folder}/record.json"
        carob.record(carob.evaluate(QRELS, RUNS, MEASURES), where)
        return {"largest": carob.verify(where, qrels, runs).largest}


def recorded(qrels: Any, runs: Any) -> Any:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder, "record.json")
        carob.record(carob.compare(qrels, runs, MEASURES), where)
        return json.loads(where.read_text("utf-8"))


def checked(found: Any) -> Any:
    return {"findings": sorted(each.code for each in found.findings if each.severity != "note")}


def collections_of(qrels: Any, runs: Any) -> Any:
    return {"x": (qrels, runs), "y": (QRELS, RUNS), "z": (MODEL, RUNS)}


FEW = {"resampling": carob.Resampling(folds=2, repeats=1, resamples=20)}
MEAN_AP = round(carob.evaluate(QRELS, RUNS["one"], "AP")["AP"], 6)


def text_written(run: Any) -> list[str]:
    """The words of a run."""
    made = io.BytesIO()
    carob.write_run(run, made, tag="one")
    return made.getvalue().decode().split()


CALLS: dict[str, list[Any]] = {
    "evaluate": [
        lambda q, r: carob.evaluate(q, r, MEASURES),
        lambda q, r: carob.evaluate(q, r["one"], MEASURES),
    ],
    "evaluate_judged_ranking": [lambda q, r: carob.evaluate_judged_ranking(q, MEASURES)],
    "evaluate_collections": [lambda q, r: carob.evaluate_collections(collections_of(q, r), MEASURES)],
    "compare": [
        lambda q, r: carob.compare(q, r, MEASURES, orders=True, unjudged_bounds=True),
        lambda q, r: carob.compare(PEOPLE, r, MEASURES, judge=q),
    ],
    "compare_collections": [
        lambda q, r: carob.compare_collections(collections_of(q, r), MEASURES, test=carob.Test(resamples=20))
    ],
    "best": [lambda q, r: carob.best(q, r, "AP", **FEW)],
    "plan": [lambda q, r: carob.plan(q, r, MEASURES, difference=0.1)],
    "estimate": [lambda q, r: carob.estimate(PEOPLE, q, r, MEASURES)],
    "next_judgments": [
        lambda q, r: carob.next_judgments(q, r, "DCG@5", budget=3),
        lambda q, r: carob.next_judgments(None, r, "nDCG@5", budget=3, judge=q),
    ],
    "unjudged_bounds": [lambda q, r: carob.unjudged_bounds(q, r, MEASURES)],
    "agreement": [
        lambda q, r: carob.agreement(q, MODEL, r, MEASURES, resamples=3),
        lambda q, r: carob.agreement(MODEL, q, r, MEASURES, resamples=3),
    ],
    "correlate": [
        lambda q, r: carob.correlate(q, {"model": MODEL}, r, MEASURES, test=carob.Test(resamples=3)),
        lambda q, r: carob.correlate(MODEL, {"model": q}, r, MEASURES, test=carob.Test(resamples=3)),
    ],
    "gate": [lambda q, r: carob.gate(q, r["one"], r["two"], {"nDCG@3": 0.1})],
    "record": [recorded],
    "verify": [verified],
    "variance_components": [lambda q, r: carob.variance_components(carob.evaluate(q, r, MEASURES))],
    "check": [lambda q, r: checked(carob.check(q, r["one"], r["two"], measures="AP"))],
    "check_pool": [lambda q, r: carob.check_pool(q, r, MEASURES, pool_depth=2)],
    "check_collections": [
        lambda q, r: checked(carob.check_collections({"x": (q, r), "y": (QRELS, RUNS)}, measures="AP"))
    ],
    "explain": [
        lambda q, r: {"text": re.findall(r"\d\.\d+", str(carob.explain("nDCG@3", q, r["one"], "q01")))}
    ],
    "difference": [lambda q, r: carob.difference("trec_eval-9", "carob", "nDCG@3", q, r["one"])],
    "whence": [
        lambda q, r: {
            "values": [
                each.values for each in carob.whence(str(MEAN_AP), "AP", q, r["one"]).causes if each.profiles
            ]
        }
    ],
    "curve": [lambda q, r: carob.curve("P", q, r["one"])],
    "fuse": [lambda q, r: {"text": carob.fuse(r).text.decode().split()}],
    "write_run": [lambda q, r: {"text": text_written(r["one"])}],
    "tune_fusion": [lambda q, r: carob.tune_fusion(q, r, "nDCG@3")],
    "report": [lambda q, r: carob.report(q, r, MEASURES).comparison],
}
"""Each public function that reads judgments and runs, called with each of its arguments that may have another form."""

ELSEWHERE = {
    "beyond_accuracy": "reads users' items in further forms, with tests of its own: tests/evaluation/beyond_accuracy",
    "engine": "registers a reader of tables",
    "evaluate_grades": "reads lists of grades",
    "evaluate_ids": "reads lists of ids",
    "list_measures": "reads names",
    "list_profiles": "reads names",
    "measure": "registers a formula",
    "read_leaderboard": "reads a file of values",
    "read_scores": "reads files of values",
    "reader": "registers a reader of files",
}
"""The other public functions, and why the forms of judgments and runs are not theirs."""

IN_ONE_PAGE = "report"
WITHOUT = set() if find_spec("jinja2") and find_spec("vl_convert") else {"report"}
"""What the libraries at hand cannot do: it is refused for that."""
"""A page takes a third of a second, so the tests of answers leave it out: its comparison is that of compare."""

RUNS_ALONE = {"fuse", "write_run"}
"""They read no judgments."""
CHECKS = {"check", "check_collections"}
"""They list the faults of their input, and refuse nothing."""


def test_every_public_function_has_an_entry() -> None:
    functions = {name for name in carob.__all__ if name.islower() and callable(getattr(carob, name))}
    assert functions == CALLS.keys() | ELSEWHERE.keys()


def values_of(result: Any) -> list[Any]:
    """Every number and id of a result, without names of files, which a form may lack."""
    names = {
        "lines",
        "unordered",
        "inputs",
        "file",
        "name",
        "qrels",
        "truth",
        "run",
        "baseline",
        "headline",
        "footers",
        "carob",
    }
    found: list[Any] = []

    def walk(value: Any, place: tuple[Any, ...]) -> None:
        if isinstance(value, dict):
            for key, each in value.items():
                if key not in names and not (key == "judge" and isinstance(each, str)):
                    walk(each, (*place, key))
        elif isinstance(value, (list, tuple)):
            for number, each in enumerate(value):
                walk(each, (*place, number))
        elif isinstance(value, float):
            found.append((place, None if math.isnan(value) else round(value, 9)))
        elif not isinstance(value, str) or "<" not in value:
            found.append((place, value))

    walk(result if isinstance(result, dict) else result.as_dict(), ())
    return found


def refusal(call: Any, qrels: Any, runs: Any) -> str:
    """The sentences of a refusal without the name of the input, or what was returned."""
    try:
        found = call(qrels, runs)
    except carob.CarobError as error:
        return re.sub(r"^(<\w+>|(/|[A-Z]:)\S+?): ", "", str(error))
    return f"not refused: {found!r:.80}"


# ---------------------------------------------------------------- the same answer


ANSWERS: dict[str, list[list[Any]]] = {}


def answers(function: str) -> list[list[Any]]:
    if function not in ANSWERS:
        ANSWERS[function] = [values_of(call(QRELS, RUNS)) for call in CALLS[function]]
        assert all(map(len, ANSWERS[function]))
    return ANSWERS[function]


@pytest.mark.filterwarnings("ignore::carob.DataWarning")
@of_each_form
@pytest.mark.parametrize("function", sorted(CALLS.keys() - {IN_ONE_PAGE}))
def test_each_form_gives_what_dicts_give(function: str, form: Any, tmp_path: Path) -> None:
    files = Files(tmp_path)
    for call, wanted in zip(CALLS[function], answers(function), strict=True):
        if function == "record" and form is open_file:
            for qrels, runs in (
                (form(QRELS, "qrels", files), RUNS),
                (QRELS, {**RUNS, "one": form(RUNS["one"], "run", files)}),
            ):
                assert "came from a stream, which cannot be read again" in refusal(call, qrels, runs)
            continue
        assert values_of(call(form(QRELS, "qrels", files), RUNS)) == wanted
        runs = {name: form(its, "run", files) for name, its in RUNS.items()}
        assert values_of(call(QRELS, runs)) == wanted


# ---------------------------------------------------------------- the same refusal


READS_SAMPLES = {
    "next_judgments": "their grades are known",
    "agreement": "two samples have common documents",
    "compare": "as people's judgments",
    "estimate": "as people's judgments",
}


@pytest.mark.parametrize(
    "form", [csv_path, tsv_path, json_lines, rows, of_carob, *FRAMES[:4]], ids=lambda form: form.__name__
)
def test_a_sample_in_each_form_is_refused_by_one_sentence_or_read_alike(form: Any, tmp_path: Path) -> None:
    files = Files(tmp_path)
    sentence = "these judgments are a sample of 36 documents, drawn with known probabilities"
    for function in sorted(CALLS.keys() - CHECKS - WITHOUT - RUNS_ALONE):
        for number, call in enumerate(CALLS[function]):
            if function == "next_judgments" and number == 0:
                wanted = values_of(call(SAMPLE, RUNS))
                assert values_of(call(form(SAMPLE, "qrels", files), RUNS)) == wanted == answers(function)[0]
                continue
            found = refusal(call, form(SAMPLE, "qrels", files), RUNS)
            assert found.startswith(sentence) or f": {sentence}" in found, function
            assert found.partition(sentence)[2] == refusal(call, SAMPLE, RUNS).partition(sentence)[2], (
                function
            )


@pytest.mark.parametrize(
    "form", [csv_path, json_lines, rows, of_carob, *FRAMES[:4]], ids=lambda form: form.__name__
)
def test_a_sample_of_people_in_each_form_gives_the_same_estimates(form: Any, tmp_path: Path) -> None:
    files = Files(tmp_path)
    for call in (
        lambda q: carob.compare(q, RUNS, MEASURES, judge=MODEL),
        lambda q: carob.estimate(q, MODEL, RUNS, MEASURES),
    ):
        assert values_of(call(form(SAMPLE, "qrels", files))) == values_of(call(SAMPLE))


SCORES_FOR_RUNS = {"compare", "best", "plan", "gate", "correlate", "report"}
"""The functions that the refusal names, since they accept scores instead of runs. Collections of scores, too."""


NEITHER = "contains neither judgments nor ranked lists"
AS_JUDGE = (
    "The judge's scores were passed instead of judgments, so people's scores of the same runs are needed"
)


@pytest.mark.parametrize("function", sorted(CALLS.keys() - CHECKS))
def test_results_are_neither_judgments_nor_runs(function: str) -> None:
    if function in WITHOUT:
        pytest.skip("carob[report] is not installed")
    scores = carob.evaluate(QRELS, RUNS, MEASURES)
    for call in CALLS[function] if function not in RUNS_ALONE else ():
        for result in (scores, scores["one"], carob.compare(None, scores)):
            assert "contains neither judgments nor ranked lists" in refusal(call, result, RUNS).replace(
                AS_JUDGE, NEITHER
            )
    for call in CALLS[function]:
        found = refusal(call, QRELS, {name: carob.compare(None, scores) for name in RUNS})
        assert "contains neither judgments nor ranked lists" in found or function == "evaluate_judged_ranking"
        found = refusal(call, QRELS, dict(scores))
        told = "contains neither judgments nor ranked lists. Pass the qrels and runs" in found
        told |= "People's scores were passed instead of runs: pass the judge's scores" in found
        told |= "Bounds over unjudged documents need qrels and runs, not scores." in found
        assert told or function in (
            *SCORES_FOR_RUNS,
            *("evaluate_judged_ranking", "compare_collections"),
            *("evaluate_collections", "record"),
        ), found


@pytest.mark.parametrize(
    "one",
    [3, None, "a.run", b"q Q0 a 1 1 t\n", Path("a.run"), carob.Run.of(RUNS["one"])],
    ids=["number", "none", "path as text", "bytes", "path", "run"],
)
def test_one_run_or_none_in_place_of_several_is_refused_by_one_sentence(one: Any) -> None:
    wanted = "Pass several runs: {'name': run, …}, or a list of paths or scores."
    for function in (
        "compare",
        "estimate",
        "next_judgments",
        "unjudged_bounds",
        "report",
        "agreement",
        "correlate",
        "verify",
    ):
        for call in CALLS[function] if function not in WITHOUT else ():
            if one is not None or function not in ("agreement", "correlate", "verify"):
                assert refusal(call, QRELS, one).startswith(wanted), function
    if one is not None:
        for function in ("best", "plan"):
            assert refusal(CALLS[function][0], QRELS, one).startswith(wanted), function
        assert checked(carob.check_collections({"x": (QRELS, one)}))


def test_several_runs_in_a_list_a_tuple_or_a_generator_are_the_same_runs() -> None:
    ready = [carob.Run.of(run, name) for name, run in RUNS.items()]
    for function in sorted(
        CALLS.keys()
        - CHECKS
        - {"report", "gate", "explain", "difference", "whence", "curve", "verify", "evaluate", "write_run"}
    ):
        for call, wanted in zip(CALLS[function], answers(function), strict=True):
            for runs in (ready, tuple(ready)):
                assert values_of(call(QRELS, runs)) == wanted, function


# ---------------------------------------------------------------- logs, which hold their judgments


def logs() -> dict[str, list[dict[str, Any]]]:
    return {
        name: [
            {
                "query": query,
                "retrieved": sorted(its, key=its.get, reverse=True),
                "relevant": [d for d, g in QRELS[query].items() if g],
            }  # type: ignore[arg-type]
            for query, its in run.items()
        ]
        for name, run in RUNS.items()
    }


BY_LOGS = sorted(
    CALLS.keys()
    - CHECKS
    - {
        "agreement",
        "correlate",
        "evaluate_judged_ranking",
        "verify",
        "difference",
        "record",
        "report",
        "estimate",
    }
)


@pytest.mark.parametrize("function", BY_LOGS)
def test_logs_bring_their_judgments_to_each_function(function: str) -> None:
    binary = {query: {each: 1 for each, grade in its.items() if grade} for query, its in QRELS.items()}
    call = CALLS[function][0]
    wanted = call(binary, {name: carob.Run.of(its) for name, its in logs().items()})
    found = call(None, logs())
    assert values_of(found) == values_of(wanted)


def test_people_in_logs_and_a_judge_beside_them_give_estimates() -> None:
    binary = {query: {each: 1 for each, grade in its.items() if grade} for query, its in QRELS.items()}
    runs = {name: carob.Run.of(its) for name, its in logs().items()}
    wanted = carob.compare(binary, runs, MEASURES, judge=MODEL)
    assert values_of(carob.compare(None, logs(), MEASURES, judge=MODEL)) == values_of(wanted)


# ---------------------------------------------------------------- best, plan and report read what compare reads


def test_best_and_plan_give_for_judgments_and_runs_what_they_give_for_their_scores() -> None:
    scores = carob.evaluate(QRELS, RUNS, MEASURES)
    assert values_of(carob.best(QRELS, RUNS, MEASURES, **FEW)) == values_of(carob.best(scores, **FEW))
    assert values_of(carob.plan(QRELS, RUNS, MEASURES, difference=0.1)) == values_of(
        carob.plan(scores, difference=0.1)
    )
    assert carob.plan(scores, measures="AP", difference=0.1).rows[0].measure == "AP"
    for given in (QRELS, None, 3, "qrels.txt", carob.Qrels.of(QRELS)):
        for call in (lambda q, r: carob.best(q), lambda q, r: carob.plan(q, difference=0.1)):
            assert refusal(call, given, None).startswith("Pass scores of several runs")


def words_of(page: str) -> str:
    """What a page says, without its scripts and looks."""
    shown = re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", shown)).split())


@pytest.mark.thorough
def test_a_report_of_people_and_a_judge_shows_their_estimates_and_says_so() -> None:
    pytest.importorskip("altair", reason="a report needs altair")
    found = carob.report(PEOPLE, RUNS, MEASURES, judge=MODEL)
    wanted = carob.compare(PEOPLE, RUNS, MEASURES, judge=MODEL)
    assert values_of(found.comparison) == values_of(wanted)
    page = words_of(found.html)
    assert "6 of 12 queries judged by people" in page
    assert "are estimates from people's judgments and the judge's grades" in page
    assert "The values of individual queries below are computed from people's judgments alone" in page


@pytest.mark.long
def test_a_report_of_sampled_documents_or_of_scores_by_both_judges_shows_their_estimates() -> None:
    pytest.importorskip("altair", reason="a report needs altair")
    drawn = carob.report(SAMPLE, RUNS, MEASURES, judge=MODEL)
    assert values_of(drawn.comparison) == values_of(carob.compare(SAMPLE, RUNS, MEASURES, judge=MODEL))
    assert "computed from the judge's grades alone" in words_of(drawn.html)
    wanted = carob.compare(PEOPLE, RUNS, MEASURES, judge=MODEL)["AP"].means
    people, judge = (carob.evaluate(each, RUNS, MEASURES) for each in (PEOPLE, MODEL))
    assert carob.report(None, people, judge=judge).comparison["AP"].means == wanted
