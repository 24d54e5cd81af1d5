"""evaluate(): the same numbers from every kind of input, and every axis of the policy."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import math
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import carob
from carob import DataError, MeasureError, Policy, PolicyError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"d": 1, "e": -1}, "q3": {"f": 1}}
RUN = {"q1": {"b": 3.0, "a": 2.0, "x": 1.0}, "q2": {"y": 2.0, "d": 1.0}, "q9": {"a": 1.0}}


def qrels_text(qrels: dict[str, dict[str, int]] = QRELS) -> bytes:
    return "".join(f"{q} 0 {d} {g}\n" for q, docs in qrels.items() for d, g in docs.items()).encode()


def run_text(run: dict[str, dict[str, float]] = RUN) -> bytes:
    return "".join(f"{q} Q0 {d} 1 {s} tag\n" for q, docs in run.items() for d, s in docs.items()).encode()


def zstd(content: bytes) -> bytes:
    if sys.version_info >= (3, 14):
        from compression import zstd as library
    else:
        from backports import zstd as library
    return library.compress(content)


def test_values_by_hand() -> None:
    scores = carob.evaluate(QRELS, RUN, ["AP", "RR", "P@2", "NumRel"])
    assert scores.by_query("AP") == {"q1": (1 / 2) / 2, "q2": (1 / 2) / 1, "q3": 0.0}
    assert scores["AP"] == (1 / 4 + 1 / 2 + 0) / 3
    assert scores["RR"] == (1 / 2 + 1 / 2 + 0) / 3
    assert scores["P@2"] == (1 / 2 + 1 / 2 + 0) / 3
    assert scores["NumRel"] == 4
    assert scores.counts.missing == ("q3",)
    assert scores.counts.extra == 1
    assert scores.counts.negative == 1


@pytest.mark.parametrize(
    "pack", [bytes, gzip.compress, bz2.compress, lzma.compress, zstd], ids=lambda f: f.__name__
)
def test_every_input_gives_the_same_numbers(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    expected = carob.evaluate(QRELS, RUN).means()
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_bytes(pack(qrels_text()))
    run.write_bytes(pack(run_text()))
    assert carob.evaluate(qrels, run).means() == expected
    assert carob.evaluate(str(qrels), str(run)).means() == expected
    assert carob.evaluate(pack(qrels_text()), pack(run_text())).means() == expected
    assert carob.evaluate(io.BytesIO(pack(qrels_text())), io.BytesIO(pack(run_text()))).means() == expected
    with qrels.open("rb") as one, run.open("rb") as other:
        assert carob.evaluate(one, other).means() == expected


def test_text_is_read_whatever_its_blanks() -> None:
    expected = carob.evaluate(QRELS, RUN).means()
    qrels = b"\xef\xbb\xbf# judgments\r\n\r\n" + qrels_text().replace(b" ", b" \t ").replace(b"\n", b"\r\n")
    run = b"  # a run\n\n" + run_text().replace(b"\n", b"  \n").rstrip()
    assert carob.evaluate(qrels, run).means() == expected


def test_interleaved_lines_give_the_same_numbers_also_from_a_stream() -> None:
    expected = carob.evaluate(QRELS, RUN).means()
    lines = run_text().splitlines(keepends=True)
    for order in (lines[::-1], lines[::2] + lines[1::2]):
        assert carob.evaluate(qrels_text(), b"".join(order)).means() == expected
        assert carob.evaluate(qrels_text(), io.BytesIO(b"".join(order))).means() == expected


@pytest.mark.parametrize(
    "kind", [int, float, np.float32, np.float64, np.int64, np.int8], ids=lambda k: k.__name__
)
def test_grades_and_scores_of_any_number_type(kind: type) -> None:
    qrels = {q: {d: kind(g) for d, g in docs.items()} for q, docs in QRELS.items()}
    run = {q: {d: kind(s) for d, s in docs.items()} for q, docs in RUN.items()}
    assert carob.evaluate(qrels, run).means() == carob.evaluate(QRELS, RUN).means()


def test_float_grades_are_kept() -> None:
    qrels = b"q 0 a 0.5\nq 0 b 1.5\n"
    assert carob.evaluate(qrels, b"q Q0 a 1 2 t\nq Q0 b 2 1 t\n", ["CG", "AP", "NumRel"]).means() == {
        "CG": 2.0,
        "AP": 1 / 2,
        "NumRel": 1.0,
    }


def test_ids_are_bytes_and_survive_the_way_through() -> None:
    qrels = b"q\xff 0 \x80 1\n07 0 7 1\n"
    run = b"q\xff Q0 \x80 1 1 t\n07 Q0 07 1 2 t\n07 Q0 7 1 1 t\n"
    scores = carob.evaluate(qrels, run, "RR")
    assert scores.by_query("RR") == {"07": 1 / 2, "q\udcff": 1.0}
    mapping = {"q\udcff": {"\udc80": 1}, "07": {"7": 1}}
    assert carob.evaluate(mapping, {"q\udcff": {"\udc80": 1}, "07": {"7": 1}}, "RR")["RR"] == 1


# ---------------------------------------------------------------- policy

TIED = {"q": {"a": 5.0, "b": 5.0, "c": 5.0}}


@pytest.mark.parametrize(
    ("ties", "relevant", "value"),
    [
        ("trec", "c", 1),
        ("trec", "a", 1 / 3),
        ("ascending", "a", 1),
        ("input", "b", 1 / 2),
        ("optimistic", "a", 1),
        ("pessimistic", "c", 1 / 3),
    ],
)
def test_ties(ties: str, relevant: str, value: float) -> None:
    scores = carob.evaluate({"q": {relevant: 1}}, TIED, ["RR"], policy=Policy(ties=ties))
    assert scores["RR"] == value
    assert scores.counts.tied == 1
    assert scores.bounds["RR"] == (1 / 3, 1)


def test_ties_by_the_rank_column() -> None:
    run = b"q Q0 a 2 5 t\nq Q0 b 1 5 t\nq Q0 c 3 5 t\n"
    value = carob.evaluate(b"q 0 b 1\n", run, ["RR"], policy=Policy(ties="rank-column"))["RR"]
    assert value == 1


def test_ties_that_touch_no_judged_document_are_not_counted() -> None:
    scores = carob.evaluate({"q": {"z": 1}}, {"q": {"z": 9.0, **TIED["q"]}}, ["RR"])
    assert scores.counts.tied == 0
    assert scores.bounds == {}


def test_ties_can_be_refused() -> None:
    with pytest.raises(DataError, match="query 'q' has a judged document whose score equals another"):
        carob.evaluate({"q": {"a": 1}}, TIED, ["RR"], policy=Policy(ties="error"))


def test_float32_makes_ties_that_double_keeps_apart() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 16777217.0, "b": 16777216.0}}
    assert carob.evaluate(qrels, run, ["RR"])["RR"] == 1
    assert carob.evaluate(qrels, run, ["RR"], policy=Policy(scores="float32"))["RR"] == 1 / 2


def test_missing_queries() -> None:
    assert carob.evaluate(QRELS, RUN, ["RR"], policy=Policy(missing="skip"))["RR"] == 1 / 2
    with pytest.raises(DataError, match="lacks 1 of 3 judged queries, starting with 'q3'"):
        carob.evaluate(QRELS, RUN, policy=Policy(missing="error"))


@pytest.mark.parametrize(("empty", "mean"), [("zero", 1 / 2), ("one", 1.0), ("skip", 1.0)])
def test_queries_without_relevant_documents(empty: str, mean: float) -> None:
    qrels, run = {"q1": {"a": 1}, "q2": {"a": 0}}, {"q1": {"a": 1.0}, "q2": {"a": 1.0}}
    scores = carob.evaluate(qrels, run, ["RR", "NumRel"], policy=Policy(empty=empty))
    assert scores["RR"] == mean
    assert scores["NumRel"] == 1
    assert scores.counts.empty == 1


def test_an_undefined_value_stays_undefined() -> None:
    qrels, run = {"q1": {"a": 1}, "q2": {"a": 0}}, {"q1": {"a": 1.0}, "q2": {"a": 1.0}}
    scores = carob.evaluate(qrels, run, ["RR"], policy=Policy(empty="nan"))
    assert math.isnan(scores["RR"])
    assert '"RR": null' in scores.to_json()
    with pytest.raises(DataError, match="'q2' has no relevant document"):
        carob.evaluate(qrels, run, ["RR"], policy=Policy(empty="error"))


def test_unjudged_documents_can_be_removed() -> None:
    qrels, run = {"q": {"a": 1, "b": -1, "c": 0}}, {"q": {"x": 4.0, "b": 3.0, "c": 2.0, "a": 1.0}}
    assert carob.evaluate(qrels, run, ["RR", "NumRet"]).means() == {"RR": 1 / 4, "NumRet": 4}
    removed = carob.evaluate(qrels, run, ["RR", "NumRet"], policy=Policy(unjudged="removed"))
    assert removed.means() == {"RR": 1 / 2, "NumRet": 2}


def test_negative_grades() -> None:
    qrels, run = {"q": {"a": 1, "b": -1}}, {"q": {"b": 2.0, "a": 1.0}}
    assert carob.evaluate(qrels, run, ["Bpref"])["Bpref"] == 1
    assert carob.evaluate(qrels, run, ["Bpref"], policy=Policy(negative="nonrelevant"))["Bpref"] == 0
    with pytest.raises(DataError, match="negative grade"):
        carob.evaluate(qrels, run, policy=Policy(negative="error"))


def test_depth_cuts_every_list_before_anything_else() -> None:
    run = {"q1": {"x": 3.0, "a": 2.0, "c": 1.0}}
    scores = carob.evaluate({"q1": {"a": 1, "c": 1}}, run, ["NumRet", "AP"], policy=Policy(depth=2))
    assert scores.means() == {"NumRet": 2, "AP": (1 / 2) / 2}


TWICE = b"q Q0 a 1 1 t\nq Q0 b 2 5 t\nq Q0 a 3 9 t\n"


@pytest.mark.parametrize(("rule", "value"), [("first", 1 / 2), ("last", 1), ("max", 1)])
def test_duplicates_in_a_run(rule: str, value: float) -> None:
    scores = carob.evaluate(b"q 0 a 1\n", TWICE, ["RR", "NumRet"], policy=Policy(duplicates=rule))
    assert scores.means() == {"RR": value, "NumRet": 2}
    assert scores.counts.duplicates == 1


def test_duplicates_are_refused_with_both_lines() -> None:
    with pytest.raises(
        DataError, match=r"line 3: document 'a' is listed twice for query 'q' \(first in line 1\)"
    ):
        carob.evaluate(b"q 0 a 1\n", TWICE)
    with pytest.raises(
        DataError, match=r"line 2: document 'a' is judged twice for query 'q' \(first in line 1\)"
    ):
        carob.evaluate(b"q 0 a 1\nq 0 a 0\n", TWICE)
    assert carob.evaluate(b"q 0 a 1\n", TWICE, ["NumRet"], policy=Policy(depth=2))["NumRet"] == 2


@pytest.mark.parametrize(("rule", "relevant"), [("first", 1), ("last", 0), ("max", 1)])
def test_duplicates_in_judgments(rule: str, relevant: int) -> None:
    run = b"q Q0 a 1 1 t\n"
    assert (
        carob.evaluate(b"q 0 a 1\nq 0 a 0\n", run, ["NumRel"], policy=Policy(duplicates=rule))["NumRel"]
        == relevant
    )


def test_malformed_lines_can_be_skipped_and_are_counted() -> None:
    run = b"q Q0 a 1 1 t\nq Q0 b\nq Q0 c 1 high t\n"
    scores = carob.evaluate(b"q 0 a 1\n", run, ["NumRet"], policy=Policy(malformed="skip"))
    assert scores["NumRet"] == 1
    assert scores.counts.malformed == 2


def test_whole_numbers_in_dictionaries_are_ids_as_their_text() -> None:
    qrels, run = {1: {7: 1, 8: 0}, 2: {7: 1}}, {1: {8: 0.9, 7: 0.5}, np.int64(2): {np.int64(7): 1.0}}
    scores = carob.evaluate(qrels, run, ["RR"])  # type: ignore[arg-type]
    assert scores.by_query("RR") == {"1": 1 / 2, "2": 1.0}
    text = {"1": {"8": 0.9, "7": 0.5}, "2": {"7": 1.0}}
    assert carob.evaluate(qrels, text, ["RR"])["RR"] == scores["RR"]  # type: ignore[arg-type]
    assert "rank" in str(carob.explain("RR", qrels, run, "1"))  # type: ignore[arg-type]
    one = carob.evaluate({1: {"s": {7: 1}}}, run, ["alphaDCG@5"])  # type: ignore[arg-type,dict-item]
    assert one["alphaDCG@5"] > 0


# ---------------------------------------------------------------- refusals

RUN_LINE = b"q Q0 a 1 1 t\n"


@pytest.mark.parametrize(
    ("qrels", "run", "says"),
    [
        (b"q 0 a\n", RUN_LINE, "<bytes>, line 1: found 3 columns, expected 4"),
        (RUN_LINE, b"q 0 a 1\n", "are qrels and run swapped?"),
        (b"q 0 a 1\n", b"q 0 a 1\n", "are qrels and run swapped?"),
        (b"q 0 a 1\nq 0 b yes\n", RUN_LINE, "line 2: 'yes' is not a number"),
        (
            b"q 0 a 1\n",
            RUN_LINE + b"q Q0 b 2 nan t\n",
            "NaN, which cannot be ranked: 'q Q0 b 2 nan t'. Correct the system that wrote it, or skip",
        ),
        (b"q 0 a 1\n", RUN_LINE + b"q Q0 b 2 1,5 t\n", "line 2: '1,5' is not a number"),
        (b"", RUN_LINE, "there are no judgments"),
        (b"q 0 a 1\n", b"Q Q0 a 1 1 t\n", "have no query in common"),
        ("q 0 a 1\n".encode("utf-16"), RUN_LINE, "UTF-16"),
        (gzip.compress(b"q 0 a 1\n", mtime=0)[:-3], RUN_LINE, "damaged or truncated"),
        ({"q": {"a": "1"}}, RUN_LINE, "query 'q', document 'a': the grade is not a number"),
        ({"q": {"a": math.inf}}, RUN_LINE, "the grade is infinite"),
        ({"q": {1.5: 1}}, RUN_LINE, "document 1.5: the document id is neither text nor a whole number"),
        ({None: {"a": 1}}, RUN_LINE, "query None: the query id is neither text nor a whole number"),
        (
            {"q": {"a": 1}},
            {"q": {"a": 2.0, True: 3.0}},
            "query 'q', document True: the document id is neither",
        ),
        ({"q": {"1": 1}}, {"q": {"1": 2.0, 1: 3.0}}, "document 1: the id occurs twice, as text and as a"),
        ({"q": {"a": 1}}, {"q": {"a": 2**53 + 1}}, "no double represents"),
        ({"q": {"a": 1}}, {"q": {"a": 1, "\ud800": 2}}, "'\\ud800': the id contains surrogates"),
        ({"q": 3}, RUN_LINE, "expected {document: grade}"),
        ({"q": {"a": 1}}, {"q": {"a": math.nan}}, "the score is NaN"),
        ({"q": {"a": 1}}, {"q": {"a": "high"}}, "the score is not a number"),
        (3, RUN_LINE, "Cannot read a int"),
        ("/no/such/file", RUN_LINE, "/no/such/file: No such file"),
        (io.StringIO("q 0 a 1"), RUN_LINE, "Open it in binary mode"),
    ],
)
def test_bad_input_gets_a_sentence(qrels: object, run: object, says: str) -> None:
    with pytest.raises(DataError) as error:
        carob.evaluate(qrels, run)  # type: ignore[arg-type]
    assert says in str(error.value)
    assert "\n" not in str(error.value).rstrip("\n")


def test_wrong_names_are_refused_before_anything_is_read() -> None:
    with pytest.raises(MeasureError, match="Did you mean nDCG"):
        carob.evaluate("/no/such/file", RUN_LINE, ["nDGC"])
    with pytest.raises(PolicyError, match="Did you mean trec_eval-9"):
        carob.evaluate("/no/such/file", RUN_LINE, profile="treceval9")
    with pytest.raises(PolicyError, match="Did you mean skip"):
        Policy(missing="skp")
    with pytest.raises(PolicyError, match="a depth is a whole number"):
        Policy(depth=-1)
    with pytest.raises(PolicyError, match="no setting 'tie'"):
        Policy().changed(tie="trec")


def test_nothing_retrieved_is_zero_and_no_error() -> None:
    scores = carob.evaluate({"q": {"a": 1}}, {"q": {}})
    assert set(scores.means().values()) == {0.0}
    assert carob.evaluate({"q": {"a": 1}}, {}, policy=Policy(overlap="none"))["AP"] == 0


def test_the_callers_data_stays_as_it_was() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": {"b": 1.0, "a": 2.0}}
    carob.evaluate(qrels, run)
    assert (qrels, run) == ({"q": {"a": 1}}, {"q": {"b": 1.0, "a": 2.0}})


# ---------------------------------------------------------------- grades and judged rankings


def test_grades_in_rank_order() -> None:
    scores = carob.evaluate_grades([[2, 1, 0, 3, 0, 1], [3, 0, 1, 2]], ["DCG@6"])
    dcg = 2 / 1 + 1 / math.log2(3) + 3 / math.log2(5) + 1 / math.log2(7)
    assert scores.by_query("DCG@6") == pytest.approx({"1": dcg, "2": 3 + 1 / 2 + 2 / math.log2(5)}, abs=1e-12)
    assert carob.evaluate_grades(np.array([0, 1]), ["RR"])["RR"] == 1 / 2
    with pytest.raises(DataError, match="has 'x' at position 2"):
        carob.evaluate_grades([[1, "x"]], ["RR"])  # type: ignore[list-item]
    with pytest.raises(DataError, match="2 ranked lists but 1 lists"):
        carob.evaluate_grades([[1], [1]], ["RR"], judged=[[1]])


def test_a_judged_ranking_is_ranked_by_its_lines() -> None:
    text = b"q2 Q0 x 0\nq1 Q0 a 0\nq1 Q0 b 2\nq2 Q0 y -3\nq2 Q0 z 1\n"
    scores = carob.evaluate_judged_ranking(text, profile="note-004")
    assert scores.labels == ("MAP", "MRR", "NDCG")
    assert scores["MAP"] == (1 / 2 + 1 / 3) / 2
    assert scores["MRR"] == (1 / 2 + 1 / 3) / 2
    assert scores["NDCG"] == pytest.approx((2 / 1 / 2 + 1 / math.log2(3)) / 2, abs=1e-12)


def test_the_users_experiment(shared: Callable[..., Path]) -> None:
    ranking = shared("data", "microblog2014", "qrels.microblog2014.txt")
    scores = carob.evaluate_judged_ranking(ranking, profile="note-004")
    assert {name: f"{value:.5f}" for name, value in scores.means().items()} == {
        "MAP": "0.27786",
        "MRR": "0.18739",
        "NDCG": "0.59977",
    }


def test_lists_too_long_for_one_go_are_taken_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    qrels = {str(query): {"a": 1, "c": query} for query in range(5)}
    run = {str(query): dict.fromkeys("abcdefg"[: query + 2], 1.0) for query in (0, 1, 3, 4)}
    whole = carob.evaluate(qrels, run, ["INST", "AP", "INST(T=2)@3"])
    monkeypatch.setattr("carob.evaluation.values.AT_A_TIME", 6)
    assert carob.evaluate(qrels, run, ["INST", "AP", "INST(T=2)@3"]).matrix.tolist() == whole.matrix.tolist()


@pytest.mark.parametrize("run", [{"q": {"a": 1.0}}, {}])
def test_judgments_of_nothing_are_refused(run: dict[str, dict[str, float]]) -> None:
    with pytest.raises(DataError, match="there are no judgments"):
        carob.evaluate({}, run, "AP")


# ---------------------------------------------------------------- measures without a value

STEEP = {"q1": {"a": 100, "b": 1}, "q2": {"a": 1}}
RANKED = {"q1": {"b": 2.0, "a": 1.0}, "q2": {"a": 1.0}}


def test_a_measure_without_a_value_leaves_the_others_alone() -> None:
    with pytest.warns(
        carob.DataWarning, match="ERR@20 has no value: query 'q1': grade 100 has a larger gain"
    ):
        scores = carob.evaluate(STEEP, RANKED, ["AP", "ERR@20", "RR", "INST(gain=linear,max=3)"])
    assert (scores["AP"], scores["RR"]) == (1.0, 1.0)
    assert math.isnan(scores["ERR@20"])
    assert list(scores.failed) == ["ERR@20", "INST(gain=linear,max=3)"]
    assert "max=100" in scores.failed["ERR@20"]
    assert "no value of ERR@20, INST(gain=linear,max=3)" in scores.footer()
    assert [cell for cell in str(scores).split() if cell == "–"] == ["–", "–"]


def test_measures_of_which_none_has_a_value_are_refused_by_file_query_and_grade(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq7 0 a 100\n")
    (tmp_path / "run.txt").write_text("q1 Q0 a 1 1.0 t\nq7 Q0 a 1 1.0 t\n")
    with pytest.raises(
        DataError, match=r"qrels\.txt, query 'q7': grade 100 has a larger gain than the highest"
    ):
        carob.evaluate(tmp_path / "qrels.txt", tmp_path / "run.txt", "ERR@20")


@pytest.mark.parametrize("weights", [None, {"q1": 2.0, "q2": 1.0}])
@pytest.mark.parametrize("ties", ["trec", "expected", "optimistic"])
def test_what_has_no_value_has_none_under_any_policy(ties: str, weights: dict[str, float] | None) -> None:
    run = {query: dict.fromkeys(documents, 1.0) for query, documents in RANKED.items()}
    with pytest.warns(carob.DataWarning):
        scores = carob.evaluate(STEEP, run, ["GAUC", "ERR", "AP"], policy=Policy(ties=ties), weights=weights)
    alone = carob.evaluate(STEEP, run, ["GAUC", "AP"], policy=Policy(ties=ties), weights=weights)
    assert list(scores.failed) == ["ERR"]
    assert {each: scores[each] for each in alone} == alone.means()


def test_what_compares_or_records_wants_every_value(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="ERR has no value"):
        carob.compare(STEEP, {"a": RANKED, "b": RANKED}, ["AP", "ERR"])
    with pytest.warns(carob.DataWarning):
        scores = carob.evaluate(STEEP, RANKED, ["AP", "ERR"])
    with pytest.raises(DataError, match="ERR has no value"):
        carob.record(scores, tmp_path / "record.json")


def test_the_command_shows_the_others_and_leaves_with_2(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    from carob.cli import main

    qrels, run = tmp_path / "qrels.txt", tmp_path / "run.txt"
    qrels.write_text("q1 0 a 100\nq1 0 b 1\n")
    run.write_text("q1 Q0 a 1 2.0 t\nq1 Q0 b 1 1.0 t\n")
    with pytest.raises(SystemExit) as left:
        main(["eval", str(qrels), str(run), "-m", "AP", "-m", "ERR@20"])
    said = capfd.readouterr()
    assert left.value.code == 2
    assert "run  1.0000       –\n" in said.out
    assert "no value of ERR@20" in said.out
    assert "query 'q1': grade 100 has a larger gain than the highest grade of the scale, max=4" in said.err


def test_merged_parts_keep_what_had_no_value() -> None:
    with pytest.warns(carob.DataWarning):
        one = carob.evaluate({"q1": STEEP["q1"]}, RANKED, ["AP", "ERR"])
    other = carob.evaluate({"q2": STEEP["q2"]}, RANKED, ["AP", "ERR"])
    merged = other.merge(one)
    assert list(merged.failed) == ["ERR"]
    assert math.isnan(merged["ERR"])


# ---------------------------------------------------------------- weights


@pytest.mark.parametrize(
    "weight", [1e308, 1e31, 1e-31, 5e-324, 10**400, -1, math.nan, math.inf, "1", None], ids=range(10)
)
def test_weights_that_no_mean_holds_are_refused(weight: Any, tmp_path: Path) -> None:
    qrels, run = {"p": {"a": 1}, "q": {"a": 1}}, {"p": {"a": 1.0}, "q": {"b": 2.0, "a": 1.0}}
    for call in (
        lambda: carob.evaluate(qrels, run, "RR", weights={"p": weight, "q": 1}),
        lambda: carob.compare(
            qrels, {"a": run, "b": run}, "RR", design=carob.Design(weights={"p": weight, "q": 1})
        ),
        lambda: carob.evaluate_grades([[1], [0, 1]], "RR", weights=[weight, 1]),
    ):
        with pytest.raises(
            DataError, match=r"The weight of query '[p1]' is .*: a weight must be 0 or a number between"
        ) as said:
            call()
        assert len(str(said.value)) < 200
    assert carob.evaluate(qrels, run, "RR", weights={"p": 1e30, "q": 1e30})["RR"] == pytest.approx(0.75)
    assert carob.evaluate(qrels, run, "RR", weights={"p": 1e-30, "q": 0})["RR"] == 1.0


# ---------------------------------------------------------------- grades ranked that nobody judged

BETTER_THAN_JUDGED: list[tuple[list[list[float | None]], list[list[float | None]], str]] = [
    ([[2, 0, 1]], [[2]], "Query number 1 ranks 1 document of grade 1, but has only 0 judgments"),
    ([[1, 0]], [[]], "Query number 1 ranks 1 document of grade 1, but has only 0 judgments"),
    (
        [[1, 0], [1, 1, 1]],
        [[1], [1, 2, 1]],
        "Query number 2 ranks 3 documents of grade 1, but has only 2 judgments",
    ),
    ([[0.5, None]], [[1.0, 0]], "of grade 0.5, but has only"),
]


@pytest.mark.parametrize(("ranked", "judged", "text"), BETTER_THAN_JUDGED)
def test_ranked_grades_that_judged_lacks_are_refused(ranked: Any, judged: Any, text: str) -> None:
    for call in (
        lambda: carob.evaluate_grades(ranked, ["AP", "nDCG"], judged),
        lambda: carob.curve(["R"], grades=ranked, judged=judged),
    ):
        with pytest.raises(DataError, match=text):
            call()
    with pytest.raises(DataError, match=text.replace("number 2", "number 1")):
        carob.explain("AP", grades=ranked[-1], judged=judged[-1])
    assert carob.evaluate_grades(ranked, "AP", judged, policy=Policy(judgments="retrieved"))["AP"] <= 1.0


def test_zeros_negative_and_unjudged_documents_need_not_be_listed() -> None:
    assert carob.evaluate_grades([[0, 1, None, -1]], "AP", [[1]])["AP"] == 0.5


def test_the_command_names_its_own_flag_for_grades_that_are_not_judged(
    capfd: pytest.CaptureFixture[str],
) -> None:
    from carob.cli import main

    with pytest.raises(SystemExit) as left:
        main(["explain", "AP", "--grades", "2,0,1", "--judged", "2"])
    assert left.value.code == 2
    assert "0 judgments of this grade. --judged needs all grades" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "No run was given: the list is empty. Pass"),
        ((), "No run was given: the list is empty. Pass"),
        ({}, "run: the run is empty: the dictionary has neither queries nor runs. Pass"),
        ([{}], "run 1: the run is empty: "),
        ({"a": {}, "b": {"q": {"d": 1.0}}}, "a: the run is empty: "),
        ([{}, {"q": {"d": 1.0}}], "run 1: the run is empty: "),
        (
            {"a": {}},
            "Run 'a' is empty. If 'a' is a query, run and <mapping> have no query in common; the judgments ",
        ),
        ({"a": []}, "Run 'a' is empty. "),
        ({"a": {}, "b": {}, "c": {}}, "Run 'a' and 2 more are empty. "),
    ],
)
def test_where_there_is_no_run_the_error_says_so(given: Any, said: str) -> None:
    with pytest.raises(DataError) as refusal:
        carob.evaluate({"q": {"d": 1}}, given, "AP")
    assert str(refusal.value).startswith(said)


def test_a_judged_query_without_documents_is_a_run() -> None:
    with pytest.warns(carob.DataWarning, match="every list is empty"):
        assert carob.evaluate({"q": {"d": 1}}, {"q": {}}, "AP")["AP"] == 0


def test_the_scores_of_several_runs_say_which_runs_they_hold() -> None:
    qrels = {"q": {"a": 1}}
    found = carob.evaluate(qrels, {"weak": {"q": {"b": 1.0}}, "mid": {"q": {"a": 1.0}}}, "AP")
    with pytest.raises(KeyError, match=r"'AP': the runs are weak, mid. For AP .* \['weak'\]\['AP'\]\."):
        found["AP"]
    assert "AP" not in found
    assert found.get("other") is None
