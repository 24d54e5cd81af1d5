"""Every way to get zeros from data that never meet: each is an error, or a line in the footer and a warning."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import re
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob import DataError, DataWarning, Policy, PolicyError
from carob.cli import main
from matching.unmet import QRELS, REFUSED, UNMET, qrels_file, run_by, run_file
from toys import command

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.filterwarnings("default::carob.DataWarning")


# ---------------------------------------------------------------- no judged document


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


def test_blank_ids_in_a_log_are_said_and_those_of_a_run_alone_match_nothing(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(json.dumps({"query": "q1", "retrieved_ids": ["", "a"], "reference_ids": [""]}) + "\n")
    with pytest.warns(DataWarning, match="1 judgment whose query or document is blank text"):
        carob.evaluate(log, None, "AP")
    assert not carob.evaluate({"q": {"a": 1}}, {"q": {"": 2.0, "a": 1.0}}, "AP").warnings


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
        "retrieved list of question 1 contains the id 'a,b', whose parts",
    ),
    "joined by bars": (
        [["a", "b"], ["c"]],
        [["a|b"], ["c"]],
        "reference of question 1 contains the id 'a|b', whose",
    ),
    "joined alone": (
        [["a; b"]],
        [["a", "b"]],
        "contains the id 'a; b', whose parts are ids in the reference. Split it.",
    ),
    "several joined": (
        [["a,b", "x"], ["c,d", "y"], ["e"]],
        [["a", "b"], ["c", "d"], ["e"]],
        "and 1 other id has the same problem. Split them",
    ),
    "nearly all": (
        [["a"], ["b"], ["c"], ["d"]],
        [["a"], ["one"], ["two"], ["three"]],
        "no retrieved id is in the reference, such as question 2: 'b' was retrieved, but 'one' was wanted",
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
        with pytest.raises(
            DataError, match=r"No query has a document with .*, so .* cannot be used to evaluate"
        ):
            carob.gate(qrels, run_by(), baseline, **limit)
    path = tmp_path / "qrels.txt"
    path.write_text("".join(f"{q} 0 {d} {g}\n" for q, its in qrels.items() for d, g in its.items()))
    assert command("eval", "-m", measures, str(path), run_file(tmp_path, run_by())) == 0
    assert re.search(line.replace(" ", r"\s+"), capsys.readouterr().out)


def test_scores_of_minus_infinity_that_are_not_retrieved_are_warned_of() -> None:
    run = {query: dict.fromkeys(its, float("-inf")) for query, its in QRELS.items()}
    with pytest.warns(DataWarning, match="every score is minus infinity, so nothing is retrieved"):
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


# ---------------------------------------------------------------- swapped


@pytest.mark.parametrize("first", [{"a": 1}, {"a", "b"}, frozenset("a")])
def test_references_in_the_place_of_what_was_retrieved_are_refused(first: Any) -> None:
    with pytest.raises(
        DataError, match=r"is not ordered by rank: .* If retrieved and reference were swapped"
    ):
        carob.evaluate_ids([first], [["a", "x"]], "AP")
