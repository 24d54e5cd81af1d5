"""Every way to get zeros from data that never meet: each is an error, or a line in the footer and a warning."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob import DataError, DataWarning, Policy, PolicyError
from carob.cli import main
from toys import command

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.filterwarnings("default::carob.DataWarning")

QRELS = {f"q{query}": {f"00{query}{place}": place % 3 for place in range(8)} for query in range(1, 5)}


def run_by(
    query: Callable[[str], str] = str, document: Callable[[str], str] = str
) -> dict[str, dict[str, float]]:
    """The judged documents, ranked, under other ids."""
    return {
        query(each): {document(name): 9.0 - place for place, name in enumerate(its)}
        for each, its in QRELS.items()
    }


UNMET: dict[str, tuple[dict[str, dict[str, float]], str]] = {
    "leading zeros lost": (run_by(document=lambda each: each.lstrip("0")), "leading zeros were lost"),
    "numbers with fractions": (run_by(document=lambda each: f"{int(each)}.0"), "numbers with fractions"),
    "passages of documents": (
        run_by(document=lambda each: f"{each}#4"),
        "ranks passages of judged documents",
    ),
    "passages with a dash": (
        run_by(document=lambda each: f"{each}-12"),
        "ranks passages of judged documents",
    ),
    "a prefix": (run_by(document=lambda each: f"msmarco_v2_doc_{each}"), "the prefix 'msmarco_v2_doc_'"),
    "an ending": (run_by(document=lambda each: f"{each}.html"), "the ending '.html'"),
    "blanks at the end": (run_by(document=lambda each: f"{each}\u00a0"), "invisible characters"),
    "another collection": (run_by(document=lambda each: f"x{int(each) * 7}y"), "to the same collection"),
    "queries as documents": (
        run_by(document=lambda each: f"q{int(each) % 4 + 1}"),
        "are the judgments' queries",
    ),
    "empty lists": ({query: {} for query in QRELS}, "every list is empty"),
}
"""Runs that share queries with the judgments and no document, and what is to be said of each."""

REFUSED: dict[str, tuple[dict[str, dict[str, float]], str]] = {
    "empty": ({}, "the run is empty"),
    "other queries": (run_by(query=lambda each: f"topic {each}"), "no query in common"),
    "leading zeros of queries": (
        run_by(query=lambda each: f"q0{each[1:]}"),
        "no query in common.*'q01' for 'q1'",
    ),
    "queries in capitals": (run_by(query=str.upper), "no query in common.*upper and lower case"),
    "columns swapped": (
        {"001" + str(place): {f"q{place}": 1.0} for place in range(1, 5)},
        "no query in common.*columns swapped",
    ),
}
"""Runs that are refused, and why."""


def qrels_file(folder: Path) -> str:
    path = folder / "qrels.txt"
    path.write_text("".join(f"{q} 0 {d} {g}\n" for q, its in QRELS.items() for d, g in its.items()))
    return str(path)


def run_file(folder: Path, run: dict[str, dict[str, float]], name: str = "own.run") -> str:
    path = folder / name
    if name.endswith(".json"):
        path.write_text(json.dumps(run))
    else:
        rows = [(q, d, s) for q, its in run.items() for d, s in its.items()]
        path.write_text("".join(f"{q}\tQ0\t{d.strip()}\t0\t{s}\tt\n" for q, d, s in rows))
    return str(path)


# ---------------------------------------------------------------- no judged document


@pytest.mark.parametrize("case", UNMET)
def test_a_run_without_any_judged_document_is_warned_of_with_the_cause(case: str) -> None:
    run, cause = UNMET[case]
    with pytest.warns(DataWarning, match=cause):
        scores = carob.evaluate(QRELS, run, ["AP", "nDCG@10"])
    assert scores.means() == {"AP": 0.0, "nDCG@10": 0.0}
    assert "no judged document retrieved" in scores.footer()
    assert scores.warnings
    written = json.loads(scores.to_json())["runs"][0]["warnings"]
    assert [each["sentence"] for each in written] == list(scores.warnings)
    with pytest.raises(DataError, match=cause):
        carob.evaluate(QRELS, run, "AP", policy=Policy(overlap="document"))


def test_a_warning_names_the_callers_line() -> None:
    with pytest.warns(DataWarning) as caught:
        carob.evaluate(QRELS, UNMET["leading zeros lost"][0], "AP")
    assert caught[0].filename == __file__


def test_what_is_allowed_is_not_warned_of(recwarn: pytest.WarningsRecorder) -> None:
    for run, _ in (*UNMET.values(), *REFUSED.values()):
        scores = carob.evaluate(QRELS, run, "AP", policy=Policy(overlap="none"))
        assert "no judged document retrieved" in scores.footer()
    assert not recwarn.list


@pytest.mark.parametrize("case", UNMET)
@pytest.mark.parametrize(
    "words",
    [
        "eval -m AP {qrels} {run}",
        "compare -m AP {qrels} {run} {other}",
        "gate {qrels} {run} --min AP=0",
        "difference trec_eval-9 ranx AP {qrels} {run}",
    ],
    ids=lambda words: words.split()[0],
)
def test_every_command_says_so_on_standard_error(
    words: str, case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_file(tmp_path, UNMET[case][0], "own.json")
    names = {"qrels": qrels_file(tmp_path), "run": run, "other": run_file(tmp_path, run_by(), "good.run")}
    assert command(*words.format(**names).split()) == 0
    said = capsys.readouterr()
    assert said.err.count("carob: warning: own retrieves no document that") == 1
    if words.startswith("eval"):
        assert "no judged document retrieved" in said.out
    if words.startswith(("compare", "gate")):
        assert "retrieves no document that" in " ".join(said.out.split())


def test_curves_warn_and_explanations_say_how_many_are_judged() -> None:
    run = UNMET["leading zeros lost"][0]
    with pytest.warns(DataWarning, match="leading zeros"):
        curve = carob.curve("P", QRELS, run, at=[1, 5])
    assert "no judged document retrieved" in str(curve)
    assert "0 of them judged" in str(carob.explain("AP", QRELS, run, "q1"))


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "duckdb", "lazy", "dataset", "reader"])
def test_frames_streams_and_engines_warn(library: str, tmp_path: Path) -> None:
    run = UNMET["leading zeros lost"][0]
    with pytest.warns(DataWarning, match="no document that"):
        scores = carob.evaluate(QRELS, framed(library, run, tmp_path), "AP")
    assert "no judged document retrieved" in scores.footer()
    with pytest.raises(DataError, match="the run is empty"):
        carob.evaluate(QRELS, framed(library, {}, tmp_path), "AP")


def framed(library: str, run: dict[str, dict[str, float]], folder: Path) -> Any:
    """A run as a frame of a library."""
    pa = pytest.importorskip("pyarrow", reason="makes the frames")
    rows = [(q, d, s) for q, its in run.items() for d, s in its.items()]
    kinds = {"query_id": pa.string(), "doc_id": pa.string(), "score": pa.float64()}
    table = pa.table(
        {
            name: pa.array([row[place] for row in rows], kind)
            for place, (name, kind) in enumerate(kinds.items())
        }
    )
    if library == "pandas":
        pytest.importorskip("pandas")
        return table.to_pandas()
    if library in ("polars", "lazy"):
        frame = pytest.importorskip("polars").from_arrow(table)
        return frame.lazy() if library == "lazy" else frame
    if library == "duckdb":
        return pytest.importorskip("duckdb").connect().from_arrow(table)
    if library == "dataset":
        import pyarrow.dataset as ds

        return ds.dataset(table)
    return table.to_reader() if library == "reader" else table


def test_ids_of_lists_that_never_meet_are_warned_of() -> None:
    with pytest.warns(
        DataWarning, match="retrieved ids have the type int, and reference ids have the type str"
    ):
        scores = carob.evaluate_ids([[1, 2], [3]], [["1"], ["3"]], "RR")
    assert "no judged document retrieved" in scores.footer()
    with pytest.warns(DataWarning, match="leading zeros"):
        carob.evaluate_ids([["1", "2"], ["3"]], [["01"], ["03"]], "RR")
    with pytest.warns(DataWarning, match="Nothing was retrieved for any question"):
        carob.evaluate_ids([[], []], [["01"], ["03"]], "RR")
    with pytest.raises(DataError, match="leading zeros"):
        carob.evaluate_ids([["1"]], [["01"]], "RR", policy=Policy(overlap="document"))


def tagged(tag: Callable[[int, int], str]) -> bytes:
    """The judged documents, ranked, with a tag by query and rank."""
    lines = [
        f"{query} Q0 {name} {rank} {9 - rank} {tag(number, rank)}\n"
        for number, (query, its) in enumerate(QRELS.items())
        for rank, name in enumerate(its, 1)
    ]
    return "".join(lines).encode()


@pytest.mark.filterwarnings("ignore:.*sixth column")
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    "tag", [lambda query, _: "AABB"[query], lambda query, _: "ABAB"[query], lambda _, rank: "AB"[rank % 2]]
)
def test_a_text_with_the_tags_of_two_systems_is_warned_of(tag: Any, packed: bool, tmp_path: Path) -> None:
    path = tmp_path / ("x.run.gz" if packed else "x.run")
    path.write_bytes(gzip.compress(tagged(tag)) if packed else tagged(tag))
    said = "the sixth column has the tags .*, as if several runs were in one file"
    for run in (path, tagged(tag), io.BytesIO(tagged(tag))):
        assert re.search(said, " ".join(carob.evaluate(QRELS, run, "AP").warnings))
    with pytest.warns(DataWarning, match=said):
        assert carob.compare(QRELS, {"one": path, "other": tagged(lambda *_: "t")}, "AP")


@pytest.mark.parametrize(
    "tag",
    [
        lambda *_: "bm25",
        lambda query, rank: f"text-{query}-{rank}",
    ],
)
def test_one_tag_and_other_words_in_its_place_are_usual(tag: Any) -> None:
    assert "sixth column" not in " ".join(carob.evaluate(QRELS, tagged(tag), "AP").warnings)


@pytest.mark.filterwarnings("ignore:.*sixth column")
def test_the_start_of_a_tag_is_another_tag_unless_the_file_is_cut(tmp_path: Path) -> None:
    """Such as bm25 after bm25+rm3."""
    whole, two = tagged(lambda *_: "bm25+rm3"), tagged(lambda query, _: ("bm25+rm3", "bm25")[query > 1])
    path = tmp_path / "x.run"
    for text, said in ((whole[:-5], False), (two, True)):
        path.write_bytes(text)
        for run in (path, text):
            warned = " ".join(carob.evaluate(QRELS, run, "AP").warnings)
            assert ("sixth column has the tags 'bm25+rm3' and 'bm25'" in warned) == said


BLANK: dict[str, Any] = {
    "a document in a dict": ({"q": {"": 1, "a": 0}}, {"q": {"": 1.0, "b": 0.5}}),
    "blanks in a dict": ({"q": {" \t": 1, "a": 0}}, {"q": {" \t": 1.0, "b": 0.5}}),
    "a query in a dict": ({"": {"a": 1}}, {"": {"a": 1.0, "b": 0.5}}),
}


@pytest.mark.parametrize("what", BLANK)
@pytest.mark.parametrize("kind", ["dict", "pandas", "polars", "pyarrow", "rows"])
def test_blank_ids_that_match_are_said(what: str, kind: str) -> None:
    qrels, run = BLANK[what]
    if kind != "dict":
        rows = [
            [(query, document, value) for query, its in each.items() for document, value in its.items()]
            for each in (qrels, run)
        ]
        tables = [
            dict(zip(("query", "document", last), map(list, zip(*each, strict=True)), strict=True))
            for each, last in zip(rows, ("grade", "score"), strict=True)
        ]
        if kind == "rows":
            qrels, run = (
                [dict(zip(each, row, strict=True)) for row in zip(*each.values())] for each in tables
            )
        else:
            library: Any = pytest.importorskip(kind)
            qrels, run = (
                (library.table if kind == "pyarrow" else library.DataFrame)(each) for each in tables
            )
    with pytest.warns(
        DataWarning, match=r"1 judgment whose query or document is blank text, which matches blank"
    ):
        assert carob.evaluate(qrels, run, "AP")["AP"] == 1


def test_blank_ids_in_a_log_are_said_and_those_of_a_run_alone_match_nothing(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(json.dumps({"query": "q1", "retrieved_ids": ["", "a"], "reference_ids": [""]}) + "\n")
    with pytest.warns(DataWarning, match="1 judgment whose query or document is blank text"):
        carob.evaluate(log, None, "AP")
    assert not carob.evaluate({"q": {"a": 1}}, {"q": {"": 2.0, "a": 1.0}}, "AP").warnings


@pytest.mark.parametrize("texts", ["run", "qrels"])
def test_texts_of_queries_beside_ids_are_told_apart(
    texts: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = {"q1": "What is tea?", "q2": "Who is Ann?"}
    golden = [{"id": query, "question": text, "expectedIds": ["a"]} for query, text in asked.items()]
    found = [{"id": query, "question": text, "retrievedIds": ["a", "b"]} for query, text in asked.items()]
    for row in found if texts == "run" else golden:
        del row["id"]
    paths = [str(tmp_path / name) for name in ("golden.json", "found.json")]
    for path, rows in zip(paths, (golden, found), strict=True):
        Path(path).write_text(json.dumps(rows))
    other = "qrels" if texts == "run" else "run"
    command("eval", *paths, "-m", "AP")
    said = capsys.readouterr().err
    one, its = ("run", "judgments") if texts == "run" else ("judgments", "run")
    assert f"The queries of the {one} are texts, and those of the {its} are ids." in said
    assert f"name it: --{other}-columns query=COLUMN." in said
    assert command("eval", *paths, "-m", "AP", f"--{other}-columns", "query=question") == 0
    assert "AP\nfound  1.0000" in capsys.readouterr().out


def by_query(shift: int) -> dict[str, dict[str, int]]:
    return {str(each + shift): {f"d{each}{place}": place % 3 for place in range(8)} for each in range(1, 7)}


def test_queries_that_are_numbered_from_0_are_not_called_a_spelling() -> None:
    for run in (by_query(-1), by_query(1)):
        said = " ".join(carob.evaluate(by_query(0), run, "AP", policy=Policy(missing="zero")).warnings)
        assert re.search(
            "retrieves for query '[0-9]' is judged for query '[0-9]'. Number the queries from the", said
        )
        assert "zeros" not in said
    named = {f"q{query}": its for query, its in by_query(0).items()}
    run = dict(zip(named, [*named.values()][::-1], strict=True))
    assert "Check how the queries were numbered" in " ".join(carob.evaluate(named, run, "AP").warnings)


def test_exchanged_columns_are_not_called_a_spelling(tmp_path: Path) -> None:
    """Queries and documents are numbers, some of which end alike."""
    qrels = {str(query): {f"{query * 8 + each:03}": each % 3 for each in range(8)} for query in range(1, 7)}
    rows = [(query, document) for query, its in qrels.items() for document in its]
    run = {document: {query: 1.0} for query, document in rows}
    (tmp_path / "x.run").write_text("".join(f"{document} Q0 {query} 1 1 t\n" for query, document in rows))
    for each in (run, tmp_path / "x.run"):
        with pytest.raises(DataError, match="queries are the judgments' documents: are its columns swapped"):
            carob.evaluate(qrels, each, "AP")


def test_two_runs_that_were_joined_are_said_where_documents_occur_twice(tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    path.write_bytes(tagged(lambda *_: "t") + tagged(lambda *_: "t"))
    with pytest.raises(DataError, match="32 documents occur twice, as if two runs had been joined") as error:
        carob.evaluate(QRELS, path, "AP")
    assert "Otherwise: Remove one, or choose which counts" in str(error.value)
    one = tagged(lambda *_: "t")
    with pytest.raises(DataError, match="is listed twice") as error:
        carob.evaluate(QRELS, one + one.splitlines(keepends=True)[-1], "AP")
    assert "joined" not in str(error.value)


def test_weights_of_queries_that_do_not_exist_are_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    weights = {**dict.fromkeys(QRELS, 1.0), "q8": 2.0, "q9": 1.0, "q10": 1.0}
    said = "weights names 3 queries that the judgments do not have, such as 'q8' and 'q9'"
    assert said in " ".join(carob.evaluate(QRELS, run_by(), "AP", weights=weights).warnings)
    run = run_by() | {each: {"x": 1.0} for each in ("q8", "q9", "q10")}
    assert not carob.evaluate(QRELS, run, "AP", weights=weights).warnings
    (tmp_path / "x.run").write_bytes(tagged(lambda *_: "t"))
    (tmp_path / "w.txt").write_text("".join(f"{query} {weight}\n" for query, weight in weights.items()))
    files = [qrels_file(tmp_path), str(tmp_path / "x.run"), "--weights", str(tmp_path / "w.txt")]
    assert command("eval", "-m", "AP", *files) == 0
    assert said in " ".join(capsys.readouterr().err.split())


def test_exclusions_of_other_queries_alone_are_said() -> None:
    said = (
        "Nothing was excluded from run: exclude names 2 queries that the judgments do not have, 'x' and 'y'"
    )
    scores = carob.evaluate(QRELS, run_by(), "AP", exclude={"x": ["0010"], "y": ["0011"]})
    assert said in " ".join(scores.warnings)
    some = {"q1": [*QRELS["q1"]][:1], "user of another day": ["a"]}
    assert not carob.evaluate(QRELS, run_by(), "AP", exclude=some).warnings


RETRIEVED = [["a", "b"], ["c", "d"], ["D-1", "D-2"], ["D-3", "h"], ["D-4", "j"]]
IN_PART: dict[str, tuple[Any, Any, str]] = {
    "case": (
        RETRIEVED,
        [["b"], ["C"], ["D-2"], ["H"], ["x"]],
        "'c' was retrieved, but 'C' was wanted; upper and",
    ),
    "types": ([[1, 2], [3, 4], [5]], [[1], ["4"], ["6"]], "4 was retrieved, which has the type int, but '4'"),
    "other types": ([["1"], ["4"]], [["1"], [4]], "'4' was retrieved, which has the type str, but 4"),
    "chunks": (
        [["a"], ["D1::3"], ["D2::8", "x"], ["D3::9"]],
        [["a"], ["D1"], ["D2"], ["D3"]],
        "passages of judged documents",
    ),
    "punctuation": (RETRIEVED, [["b"], ["c"], ["D_2"], ["D_3"], ["D_4"]], "the punctuation differs"),
    "joined": (
        [["a,b"], ["c"]],
        [["a", "b"], ["c"]],
        "retrieved list of question 1 has the id 'a,b', whose parts",
    ),
    "joined by bars": (
        [["a", "b"], ["c"]],
        [["a|b"], ["c"]],
        "reference of question 1 has the id 'a|b', whose",
    ),
    "joined alone": (
        [["a; b"]],
        [["a", "b"]],
        "has the id 'a; b', whose parts are ids of the other side. Split it.",
    ),
    "several joined": (
        [["a,b", "x"], ["c,d", "y"], ["e"]],
        [["a", "b"], ["c", "d"], ["e"]],
        "and so have 1 more ids. Split them",
    ),
    "nearly all": (
        [["a"], ["b"], ["c"], ["d"]],
        [["a"], ["one"], ["two"], ["three"]],
        "In 3 of 4 questions, no retrieved id is in the reference, such as question 2, which retrieves 'b'",
    ),
}
"""Retrieved and relevant ids of which some never meet, and what is to be said."""


@pytest.mark.parametrize("case", IN_PART)
def test_ids_of_some_lists_that_never_meet_are_warned_of(case: str) -> None:
    retrieved, reference, why = IN_PART[case]
    with pytest.warns(DataWarning, match=re.escape(why)):
        scores = carob.evaluate_ids(retrieved, reference, "RR")
    assert why in " ".join(scores.warnings)
    assert not carob.evaluate_ids(retrieved, reference, "RR", policy=Policy(overlap="none")).warnings


@pytest.mark.parametrize(
    ("retrieved", "reference"),
    [
        ([["a"], ["b"], ["c"]], [["a"], ["x"], ["c"]]),
        ([["Mars, Pennsylvania", "Mars"], ["b"]], [["Mars", "Pennsylvania"], ["b"]]),
        ([["a"], [], ["c"]], [["a"], ["x"], []]),
        ([["D7", "D7-1"], ["D8-1"], ["D9-2"]], [["D7"], ["D8-2", "D9-1"], ["D9-2"]]),
    ],
)
def test_lists_without_a_relevant_id_are_usual(retrieved: Any, reference: Any) -> None:
    assert not carob.evaluate_ids(retrieved, reference, "RR").warnings


def test_parts_that_all_have_no_judged_document_are_warned_of_when_they_are_merged() -> None:
    run, part = UNMET["leading zeros lost"][0], Policy(overlap="none")
    parts = [carob.evaluate({q: QRELS[q]}, {q: run[q]}, "AP", policy=part) for q in QRELS]
    with pytest.warns(DataWarning, match="4 parts"):
        merged = parts[0].merge(*parts[1:])
    assert "no judged document retrieved" in merged.footer()


def test_a_run_of_documents_judged_not_relevant_says_so_in_the_footer() -> None:
    scores = carob.evaluate({"q": {"a": 0, "b": 1}}, {"q": {"a": 1.0}}, "AP")
    assert "no relevant document retrieved" in scores.footer()
    assert "retrieved" not in carob.evaluate({"q": {"a": 0, "b": 1}}, {"q": {"b": 1.0}}, "AP").footer()


# ---------------------------------------------------------------- nothing to find


NOTHING_TO_FIND: dict[str, tuple[dict[str, dict[str, float]], str, str]] = {
    "rel above every grade": (
        QRELS,
        "AP(rel=9)",
        r"4 queries without grade 9 or more counted as 0 \(AP\(rel=9\)\)",
    ),
    "no gain": (QRELS, "nDCG(gain={1:0,2:0})", "4 queries without relevant documents counted as 0"),
    "all negative": (
        {query: dict.fromkeys(its, -1) for query, its in QRELS.items()},
        "AP nDCG",
        "4 queries without relevant documents counted as 0 · 32 negative grades unjudged",
    ),
    "all zero": (
        {query: dict.fromkeys(its, 0) for query, its in QRELS.items()},
        "AP nDCG",
        "4 queries without relevant documents counted as 0",
    ),
    "fractions below rel": (
        {query: dict.fromkeys(its, 0.9) for query, its in QRELS.items()},
        "AP",
        "4 queries without relevant documents counted as 0",
    ),
}
"""Judgments in which a measure finds nothing, the measure, and what the footer says."""


@pytest.mark.parametrize("case", NOTHING_TO_FIND)
def test_judgments_without_anything_to_find_are_told_in_the_footer_and_pass_no_gate(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    qrels, measures, line = NOTHING_TO_FIND[case]
    scores = carob.evaluate(qrels, run_by(), measures)
    assert not any(scores.means().values())
    assert re.search(line, scores.footer())
    for limit in ({"at_least": dict.fromkeys(measures.split(), 0.0)}, {"max_drop": {measures: 0.1}}):
        baseline = run_by() if "max_drop" in limit else None
        with pytest.raises(DataError, match=r"No query has a document of .*, so .* says nothing about"):
            carob.gate(qrels, run_by(), baseline, **limit)
    path = tmp_path / "qrels.txt"
    path.write_text("".join(f"{q} 0 {d} {g}\n" for q, its in qrels.items() for d, g in its.items()))
    assert command("eval", "-m", measures, str(path), run_file(tmp_path, run_by())) == 0
    assert re.search(line.replace(" ", r"\s+"), capsys.readouterr().out)


def test_scores_of_minus_infinity_that_are_not_retrieved_are_warned_of() -> None:
    run = {query: dict.fromkeys(its, float("-inf")) for query, its in QRELS.items()}
    with pytest.warns(DataWarning, match="every score is minus infinity, and so nothing is retrieved"):
        scores = carob.evaluate(QRELS, run, "AP", policy=Policy(retrieved="finite"))
    assert "no judged document retrieved" in scores.footer()


@pytest.mark.parametrize("words", ["-m AP --depth 0", "-m AP@0", "-m P@0", "-m nDCG@0"])
def test_a_depth_of_nothing_is_refused(
    words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    qrels, run = qrels_file(tmp_path), run_file(tmp_path, run_by())
    assert command("eval", *words.split(), qrels, run) == 2
    assert "whole number" in capsys.readouterr().err
    with pytest.raises(PolicyError, match=r"depth=0: .* at least 1"):
        Policy(depth=0)


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize("case", REFUSED)
def test_a_run_without_judged_queries_is_refused_everywhere(case: str, tmp_path: Path) -> None:
    run, cause = REFUSED[case]
    path = run_file(tmp_path, run, "own.json")
    good = run_file(tmp_path, run_by(), "good.run")
    for given in (run, path):
        for call in (
            lambda given: carob.evaluate(QRELS, given, "AP"),
            lambda given: carob.curve("AP", QRELS, given),
            lambda given: carob.compare(QRELS, {"own": given, "good": good}, "AP"),
            lambda given: carob.gate(QRELS, given, None, at_least={"AP": 0.0}),
            lambda given: carob.difference("trec_eval-9", "ranx", "AP", QRELS, given),
            lambda given: carob.agreement(QRELS, QRELS, {"own": given, "good": good}, "AP"),
        ):
            with pytest.raises(DataError, match=cause):
                call(given)


@pytest.mark.parametrize(
    ("name", "content"),
    {
        "nothing.run": b"",
        "comments.run": b"# nothing yet\n\n",
        "nothing.jsonl": b"",
        "nothing.json": b"{}",
        "header.csv": b"query_id,doc_id,score\n",
        "header.tsv": b"query-id\tcorpus-id\tscore\n",
        "nothing.csv": b"",
        "mark.run": b"\xef\xbb\xbf",
        "nothing.run.gz": bytes.fromhex("1f8b08000000000002ff03000000000000000000"),
    }.items(),
)
def test_an_empty_file_is_refused(
    name: str, content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("polars", reason="reads the tables")
    (tmp_path / name).write_bytes(content)
    good = run_file(tmp_path, run_by(), "good.run")
    for words in (["eval", "-m", "AP"], ["compare", "-m", "AP"], ["gate", "--min", "AP=0"], ["check"]):
        more = [good] if words[0] == "compare" else []
        assert command(*words, qrels_file(tmp_path), str(tmp_path / name), *more) == 2
    said = capsys.readouterr()
    assert "Traceback" not in said.err
    assert "0.0000" not in said.out


def test_lines_that_are_all_skipped_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "comma.run"
    path.write_text("".join(f"q{number},Q0,00{number}1,1,1.0,t\n" for number in range(1, 5)))
    assert command("eval", "-m", "AP", "--lenient", qrels_file(tmp_path), str(path)) == 2
    said = capsys.readouterr()
    assert "skipped all 4 lines" in said.err
    assert "comma.run, line 1: found 1 column," in said.err
    assert not said.out


def test_what_allows_it_is_named_in_the_words_of_the_face(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(DataError, match=r"policy=carob\.Policy\(overlap='none'\)"):
        carob.evaluate(QRELS, {}, "AP")
    path = run_file(tmp_path, {}, "own.json")
    assert command("eval", qrels_file(tmp_path), path) == 2
    assert "--overlap none" in capsys.readouterr().err
    assert command("eval", "-m", "AP", "--overlap", "none", qrels_file(tmp_path), path) == 0
    assert "no judged document retrieved" in capsys.readouterr().out


def test_trec_eval_behaves_as_itself(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    qrels, run = qrels_file(tmp_path), run_file(tmp_path, UNMET["leading zeros lost"][0])
    with contextlib.suppress(SystemExit):
        main(["trec-eval", "-m", "map", qrels, run])
    said = capfdbinary.readouterr()
    assert said.out.split() == [b"map", b"all", b"0.0000"]
    assert not said.err


def test_an_empty_run_is_called_empty_whatever_becomes_of_missing_queries(tmp_path: Path) -> None:
    empty = tmp_path / "empty.run"
    empty.write_bytes(b"")
    for run in (str(empty), {}):
        with pytest.raises(carob.DataError, match="the run is empty"):
            carob.evaluate({"q": {"a": 1}}, run, "AP", policy=carob.Policy(missing="error"))
    allowed = carob.Policy(missing="error", overlap="none")
    with pytest.raises(carob.DataError, match="lacks 1 of 1 judged queries"):
        carob.evaluate({"q": {"a": 1}}, {}, "AP", policy=allowed)


# ---------------------------------------------------------------- swapped


def test_swapped_judgments_and_runs_are_asked_about() -> None:
    qrels = {"q": {"a": 1, "b": 0, "c": 1}, "p": {"a": 1, "d": 0}}
    run = {"q": {"a": 11.5, "b": 12.25, "x": 3.1}, "p": {"a": 2.5, "z": 1.5}}
    with pytest.warns(DataWarning, match="only the scores 0, 1: are qrels and run swapped"):
        carob.evaluate(run, qrels, "nDCG")
    pd = pytest.importorskip("pandas")

    def frame(side: dict[str, dict[str, float]], value: str) -> Any:
        rows = [(query, each, number) for query, its in side.items() for each, number in its.items()]
        return pd.DataFrame(rows, columns=["query_id", "doc_id", value])

    with pytest.raises(DataError, match="column 'score', have fractions: are qrels and run swapped"):
        carob.evaluate(frame(run, "score"), frame(qrels, "relevance"), "AP")
    with pytest.raises(DataError, match="This looks like qrels: are qrels and run swapped"):
        carob.evaluate(frame({"q": {"a": 11, "b": 12}}, "score"), frame(qrels, "relevance"), "AP")
    with pytest.raises(DataError, match="This looks like a run: are qrels and run swapped"):
        carob.evaluate(frame(run, "rank"), frame(qrels, "relevance"), "AP")


@pytest.mark.parametrize(
    "run",
    [
        {"q": {"a": 3.0, "b": 2.0, "c": 1.0}, "p": {"a": 2.0, "d": 1.0}},  # ranks, turned round
        {"q": {"a": 0.5, "b": 0.5}, "p": {"a": 2.0}},
        {"q": {"a": 30.0, "b": 30.0}, "p": {"a": 2.0}},
    ],
)
def test_fractions_as_grades_alone_are_not_asked_about(run: Any, recwarn: pytest.WarningsRecorder) -> None:
    carob.evaluate({"q": {"a": 0.5, "b": 0.25, "c": 1.0}, "p": {"a": 0.1, "d": 0.7}}, run, "nDCG")
    assert not recwarn.list


@pytest.mark.parametrize("first", [{"a": 1}, {"a", "b"}, frozenset("a")])
def test_references_in_the_place_of_what_was_retrieved_are_refused(first: Any) -> None:
    with pytest.raises(DataError, match=r"has no order of ranks: .* Are retrieved and reference swapped"):
        carob.evaluate_ids([first], [["a", "x"]], "AP")


def test_a_run_of_other_documents_is_described_without_reading_it_in_python(tmp_path: Path) -> None:
    path = tmp_path / "long.run"
    path.write_text("".join(f"q{n // 1000} Q0 d{n} 1 {-n} t\n" for n in range(201_000)))
    with pytest.warns(DataWarning, match="the run has ids such as 'd200000', the judgments 'x'"):
        assert carob.evaluate({"q200": {"x": 1}}, path, "AP")["AP"] == 0  # below the rows that are inspected
