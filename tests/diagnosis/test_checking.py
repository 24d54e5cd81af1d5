"""Tests of the data doctor: one broken file for each finding, silence on a clean one, and true numbers."""

from __future__ import annotations

import gzip
import itertools
import json
import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob import _native
from carob.cli import main
from carob.diagnosis.check import KINDS, Check, check
from carob.diagnosis.check.finding import catalogue
from diagnosis import broken
from diagnosis.broken import CASES

if TYPE_CHECKING:
    from collections.abc import Callable


def written(folder: Path, case: broken.Case) -> tuple[str, list[str]]:
    """The files of a case."""

    def write(name: str, content: str | bytes) -> str:
        if isinstance(content, str) and content.startswith("/"):
            return content
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    runs = [write(f"{number}.run", each) for number, each in enumerate(case.runs)]
    return write("qrels.txt", case.qrels), runs


def examined(folder: Path, case: broken.Case) -> Check:
    qrels, runs = written(folder, case)
    return check(qrels, *runs)


@pytest.fixture(scope="module")
def found_in(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Check]:
    """What is found in each broken pair, looked at once."""
    kept: dict[str, Check] = {}

    def find(code: str) -> Check:
        if code not in kept:
            kept[code] = examined(tmp_path_factory.mktemp("broken"), CASES[code])
        return kept[code]

    return find


def codes(found: Any) -> set[str]:
    return {each.code for each in found.findings}


def test_a_clean_pair_is_met_with_silence(tmp_path: Path) -> None:
    found = examined(tmp_path, broken.Case("note"))
    assert found.findings == ()
    assert found.to_text() == str(found) + "\n"
    assert found.to_text().endswith("\n\nclean\n")
    assert str(check(written(tmp_path, broken.Case("note"))[0])) == "clean"
    assert (found.ok, found.exit_code) == (True, 0)


def test_every_finding_has_a_broken_file() -> None:
    between = catalogue()["collections"]  # test_check_collections.py has these
    assert set(CASES) == set(KINDS) - set(between)


@pytest.mark.parametrize("code", [code for code in CASES if code not in ("same-name", "refused")])
def test_what_is_wrong_is_found_and_nothing_else(code: str, found_in: Callable[[str], Check]) -> None:
    case = CASES[code]
    found = found_in(code)
    assert [each.severity for each in found.of(code)][:1] == [case.severity], str(found)
    assert codes(found) == {code, *case.also}, str(found)
    assert found.exit_code == max(
        {"error": 2, "warning": 1, "note": 0}[each.severity] for each in found.findings
    )


def test_runs_of_the_same_name_are_told_apart(tmp_path: Path) -> None:
    qrels, runs = written(tmp_path, broken.Case("note"))
    other = written(tmp_path / "more", broken.Case("note", runs=(broken.run(depth=11),)))[1]
    assert codes(check(qrels, *runs, *other)) == {"same-name"}


@pytest.mark.parametrize("code", CASES)
def test_every_finding_says_what_where_why_and_what_to_do(
    code: str, found_in: Callable[[str], Check]
) -> None:
    for each in found_in(code).findings:
        assert each.what
        assert each.effect.endswith(".")
        assert each.remedy.endswith((".", ")")) or "'" in each.remedy
        assert each.count >= 1


@pytest.mark.parametrize("code", CASES)
def test_text_fits_eighty_columns_and_ends_with_the_count(
    code: str, found_in: Callable[[str], Check]
) -> None:
    found = found_in(code)
    *body, last = found.to_text().splitlines()
    heads = [line for line in body if line.startswith(("error:", "warning:", "note:"))]
    assert all(len(line) <= 80 for line in body if line not in heads)
    assert last == found.summary()
    severities = [each.severity for each in found.findings]
    assert severities == sorted(severities, key=["error", "warning", "note"].index)


# ---------------------------------------------------------------- the numbers are true

QRELS = {"q1": {"a": 1, "b": 0, "c": 1}, "q2": {"d": 1, "e": 0}}


def lines(*rows: str) -> bytes:
    return "".join(f"{row} t\n" for row in rows).encode()


def only(code: str, *given: Any) -> Any:
    (finding,) = check(*given, measures=["AP", "RR"]).of(code)
    return finding


def test_duplicates_are_scored_first_last_and_max() -> None:
    run = lines("q1 Q0 a 1 3", "q1 Q0 b 2 2", "q1 Q0 a 3 1", "q2 Q0 d 1 1")
    finding = only("duplicate-documents", QRELS, run)
    # First and max: a stands before b, so q1 has 1/1 of two relevant. Last: b, a, so 1/2 of two.
    assert finding.values["first"]["AP"] == finding.values["max"]["AP"] == (1 / 2 + 1) / 2
    assert finding.values["last"]["AP"] == (1 / 2 / 2 + 1) / 2
    assert finding.where == ("line 3: document 'a' of query 'q1', first on line 1",)
    assert finding.count == 1


def test_a_missing_query_is_scored_as_nothing_and_left_out() -> None:
    finding = only("missing-queries", QRELS, lines("q2 Q0 d 1 1"))
    assert finding.values == {"counted as 0": {"AP": 0.5, "RR": 0.5}, "omitted": {"AP": 1.0, "RR": 1.0}}
    assert finding.where == ("query 'q1'",)
    assert "AP 0.5000 counted as 0, 1.0000 omitted" in finding.effect


@pytest.mark.parametrize("form", ["dict of dicts", "dict of lists", "file", "array of results"])
def test_an_empty_list_is_not_missing_to_a_check_or_to_an_evaluation(form: str, tmp_path: Path) -> None:
    qrels = {query: {"d": 1} for query in ("q1", "q2", "q3", "q4")}
    lists: Any = {"q1": ["d"], "q2": ["e", "d"], "q3": []}
    run: Any = lists
    if form == "dict of dicts":
        run = {
            query: {each: 1.0 / place for place, each in enumerate(its, 1)} for query, its in lists.items()
        }
    elif form != "dict of lists":
        rows = [{"id": query, "results": [{"id": each} for each in its]} for query, its in lists.items()]
        run = str(tmp_path / "run.json")
        Path(run).write_text(json.dumps(lists if form == "file" else rows))
    missing, unanswered = check(qrels, run).of("missing-queries") + check(qrels, run).of("unanswered-queries")
    assert missing.what == "1 missing query counted as 0, of 4 judged queries"
    assert unanswered.what == "1 query without retrieved documents, of 4 judged queries"
    assert (missing.where, unanswered.where) == (("query 'q4'",), ("query 'q3'",))
    counted, omitted = (
        carob.evaluate(qrels, run, "AP", policy=carob.Policy(missing=each)) for each in ("zero", "skip")
    )
    for each in (missing, unanswered):
        assert each.what.removesuffix(", of 4 judged queries") in counted.footer().split(" · ")
    assert missing.values["omitted"]["AP"] == omitted["AP"] == pytest.approx(0.5)
    assert missing.values["counted as 0"]["AP"] == counted["AP"] == 0.375


def test_the_remedy_for_missing_queries_says_that_the_means_rise_if_they_do() -> None:
    raises = "Omitting them raises the means, and carob gate refuses it"
    assert raises in only("missing-queries", QRELS, lines("q2 Q0 d 1 1")).on_command_line().remedy
    assert "omit missing queries from the means with --missing skip. " + raises in (
        only("missing-queries", QRELS, lines("q2 Q0 d 1 1")).on_command_line().remedy
    )
    nothing = check(QRELS, lines("q2 Q0 c 1 1")).of("missing-queries")[0]
    assert raises not in nothing.remedy


def test_ties_are_scored_at_their_worst_and_best() -> None:
    run = lines("q1 Q0 b 1 1", "q1 Q0 a 2 1", "q1 Q0 c 3 0", "q2 Q0 d 1 2", "q2 Q0 e 2 1")
    finding = only("ties", QRELS, run)
    assert finding.values["worst"] == {"AP": pytest.approx(((1 / 2 + 2 / 3) / 2 + 1) / 2), "RR": 0.75}
    assert finding.values["best"] == {"AP": pytest.approx(((1 + 2 / 3) / 2 + 1) / 2), "RR": 1.0}
    assert finding.values["by document id"]["RR"] == 0.75


def test_equal_scores_throughout_are_scored_by_id_and_by_line() -> None:
    run = lines("q1 Q0 a 1 0", "q1 Q0 b 2 0", "q2 Q0 d 1 0", "q2 Q0 e 2 0")
    finding = only("constant-scores", QRELS, run)
    assert finding.values["by document id"]["RR"] == 0.5
    assert finding.values["in order of lines"]["RR"] == 1.0
    assert finding.count == 2


def test_distances_are_scored_both_ways_up() -> None:
    run = lines("q1 Q0 a 1 -0.5", "q1 Q0 b 2 +0.25", "q1 Q0 c 3 1.5", "q2 Q0 d 1 1e-3", "q2 Q0 e 2 7")
    finding = only("ascending-scores", QRELS, run)
    assert finding.values["unchanged"]["RR"] == (1 + 1 / 2) / 2
    assert finding.values["with negated scores"] == {"AP": ((1 + 2 / 3) / 2 + 1) / 2, "RR": 1.0}


def test_the_rank_column_is_scored_where_it_disagrees() -> None:
    run = lines("q1 Q0 b 2 3", "q1 Q0 a 1 2", "q1 Q0 c 3 1", "q2 Q0 d 1 2", "q2 Q0 e 2 1")
    finding = only("rank-order", QRELS, run)
    assert finding.values["by score"]["RR"] == 0.75
    assert finding.values["by rank column"]["RR"] == 1.0
    assert finding.count == 2


def test_a_list_from_its_end_with_true_ranks_is_only_unsorted() -> None:
    run = lines("q1 Q0 c 3 1", "q1 Q0 b 2 2", "q1 Q0 a 1 3", "q2 Q0 e 2 1", "q2 Q0 d 1 2")
    assert "unsorted" in codes(check(QRELS, run))
    assert not codes(check(QRELS, run)) & {"rank-order", "ascending-scores"}


def test_single_precision_is_scored_where_it_moves_documents() -> None:
    run = lines("q1 Q0 b 2 16777216", "q1 Q0 a 1 16777217", "q2 Q0 d 1 2", "q2 Q0 e 2 1")
    finding = only("single-precision", QRELS, run)
    assert finding.values == {"double": {"AP": 0.75, "RR": 1.0}, "float32": {"AP": 0.625, "RR": 0.75}}


def test_unjudged_documents_are_scored_with_and_without() -> None:
    run = lines("q1 Q0 x 1 3", "q1 Q0 a 2 2", "q2 Q0 d 1 2")
    finding = only("unjudged", QRELS, run)
    assert finding.values["as not relevant"]["RR"] == 0.75
    assert finding.values["removed"]["RR"] == 1.0
    assert "33%" in finding.what


def test_judgments_of_relevant_documents_alone_have_no_gap_between_runs() -> None:
    """A run that finds more has more judged documents: that is what the measures say, and no fault of the judgments."""
    good = lines("q1 Q0 a 1 2", "q1 Q0 x 2 1", "q2 Q0 d 1 2")
    poor = lines("q1 Q0 x 1 3", "q1 Q0 y 2 2", "q1 Q0 a 3 1", "q2 Q0 x 1 1")
    for nonrelevant, gap in ((b"", False), (b"q1 0 z 0\n", True), (b"q1 0 z -1\n", True)):
        found = check(b"q1 0 a 1\nq2 0 d 1\n" + nonrelevant, good, poor)
        assert ("unjudged-gap" in codes(found)) == gap
        assert ("unjudged" in codes(found)) == gap


def test_a_query_without_relevant_documents_is_scored_and_left_out() -> None:
    finding = only("no-relevant", b"q1 0 a 1\nq2 0 d 0\nq3 0 e 1\n", lines("q1 Q0 a 1 1", "q3 Q0 e 1 1"))
    assert finding.values["counted as 0"]["RR"] == pytest.approx(2 / 3)
    assert finding.values["omitted"]["RR"] == 1.0


def test_fractional_grades_are_scored_whole_too() -> None:
    finding = only("float-grades", b"q1 0 a 1.5\nq1 0 b 0.5\n", lines("q1 Q0 a 1 1"))
    assert finding.values["cut to whole numbers"] == finding.values["unchanged"]
    assert "2 grades are not whole numbers (of 2; 1 between 0 and 1)" in finding.what


def test_contradictory_judgments_are_scored_each_way() -> None:
    finding = only("duplicate-judgments", b"q 0 a 0\nq 0 b 1\nq 0 a 1\n", lines("q Q0 a 1 2", "q Q0 b 2 1"))
    assert finding.values["first"]["RR"] == 0.5
    assert finding.values["last"]["RR"] == finding.values["max"]["RR"] == 1.0
    assert finding.where == ("line 3: document 'a' of query 'q', first on line 1",)


@pytest.mark.parametrize(
    ("judged", "written"),
    [
        ("1", "01"),
        ("001", "1"),
        ("q1", "Q1"),
        ("301", "301.0"),
        ("1", "MB1"),
        ("é", "e\u0301"),
        ("7", "7\ufeff"),
    ],
)
def test_a_query_written_otherwise_is_found_and_scored(judged: str, written: str) -> None:
    run = lines(f"{written} Q0 a 1 1").replace(b"\xef\xbb\xbf", b"\xef\xbb\xbf" * 2)
    finding = only("query-spelling", f"{judged} 0 a 1\n".encode(), run)
    assert finding.values["with equal ids"]["RR"] == 1.0


@pytest.mark.parametrize(
    ("judged", "written"), [("1", "01"), ("00000000001", "1"), ("Doc-" + "x" * 30, "doc-" + "X" * 30)]
)
def test_a_document_written_otherwise_is_found_and_scored(judged: str, written: str) -> None:
    finding = only(
        "document-spelling", f"q 0 {judged} 1\n".encode(), lines("q Q0 z 1 2", f"q Q0 {written} 2 1")
    )
    assert finding.values == {"unchanged": {"AP": 0.0, "RR": 0.0}, "with equal ids": {"AP": 0.5, "RR": 0.5}}
    assert "(line 2)" in finding.where[0]


def test_documents_that_the_run_also_has_as_judged_are_no_finding() -> None:
    found = check(b"q 0 a 1\nq 0 b 0\n", lines("q Q0 A 1 3", "q Q0 a 2 2", "q Q0 B 3 1", "q Q0 b 4 0"))
    assert not found.of("document-spelling")


def test_own_documents_are_scored_with_and_without() -> None:
    run = lines("q1 Q0 q1 1 3", "q1 Q0 a 2 2", "q2 Q0 q2 1 3", "q2 Q0 d 2 2")
    finding = only("self-retrieval", QRELS, run)
    assert finding.values["unchanged"]["RR"] == 0.5
    assert finding.values["without them"]["RR"] == 1.0


def test_longer_runs_are_scored_at_the_shortest_depth() -> None:
    short, long = lines("q1 Q0 b 1 1", "q2 Q0 d 1 1"), lines("q1 Q0 b 1 2", "q1 Q0 a 2 1", "q2 Q0 d 1 1")
    finding = only("list-lengths", QRELS, short, long)
    assert finding.values["whole"]["RR"] == 0.75
    assert finding.values["cut at 1"]["RR"] == 0.5


# ---------------------------------------------------------------- files as users have them


@pytest.mark.parametrize(
    ("qrels", "words"),
    [
        (b"q1\ta\t1\nq2\td\t1\n", "3 columns instead of 4"),
        (b"q1,0,a,1\nq2,0,d,1\n", "separated by commas"),
        (b"q1 0 a 1,5\nq1 0 b 0\nq2 0 d 1\n", "not of the form 'query 0 document grade'"),
        (b'{"q1": {"a": 1}}', "is JSON"),
        ("q1 0 a 1\n".encode("utf-16"), "is UTF-16 text"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "a Git LFS pointer"),
        (b"<!DOCTYPE html><html>", "an HTML page"),
        (b"PK\x03\x04 and more", "a ZIP archive"),
    ],
)
def test_other_formats_are_named(qrels: bytes, words: str) -> None:
    found = check(qrels, lines("q1 Q0 a 1 1", "q2 Q0 d 1 1"))
    assert any(words in each.what for each in found.findings if each.severity == "error"), str(found)


@pytest.mark.parametrize(
    ("name", "keep"),
    [("qrels", (0, 2, 3)), ("run", (0, 2, 4)), ("run", (0, 2, 3)), ("run", (0, 1, 2, 3, 4))],
    ids=str,
)
def test_the_command_that_mends_columns_mends_them(name: str, keep: tuple[int, ...], tmp_path: Path) -> None:
    awk = shutil.which("awk")
    if awk is None:
        pytest.skip("no awk on this machine")
    text = {"qrels": broken.qrels(), "run": broken.run()}
    rows = [[line.split()[place] for place in keep] for line in text[name].splitlines()]
    text[name] = "".join(" ".join(row) + "\n" for row in rows)
    (finding,) = examined(tmp_path, broken.Case("note", text["qrels"], (text["run"],))).of("malformed")
    programs = re.findall(r"awk '(.*?)'", finding.remedy)  # of a score, and of a rank
    program = programs[-1 if keep[-1] == 3 else 0]
    done = subprocess.run([awk, program], input=text[name].encode(), capture_output=True, check=True)
    text[name] = done.stdout.decode()
    left = examined(tmp_path, broken.Case("note", text["qrels"], (text["run"],)))
    assert codes(left) <= {"constant-ranks"}


def test_infinite_scores_in_a_row_are_no_rise() -> None:
    run = lines("q1 Q0 a 1 -inf", "q1 Q0 b 2 inf", "q1 Q0 c 3 inf", "q2 Q0 d 1 1")
    assert {"infinite-scores", "ascending-scores"} <= codes(check(QRELS, run))


def test_a_run_of_other_documents_after_a_broken_line_is_found() -> None:
    finding = only("no-common-document", QRELS, b"q1 Q0\n" + lines("q1 Q0 other 1 1"))
    assert "ids such as 'other'" in finding.what


def test_a_line_cut_inside_the_tag_is_a_truncated_file() -> None:
    found = check(QRELS, b"q1 Q0 a 1 2 system\nq2 Q0 d 1 2 syst")
    assert found.of("truncated")
    assert not found.of("several-tags")


def test_a_file_without_a_last_newline_is_clean(tmp_path: Path) -> None:
    assert examined(tmp_path, broken.Case("note", runs=(broken.run().rstrip("\n"),))).findings == ()


def test_a_shorter_last_list_without_a_newline_is_suspicious(tmp_path: Path) -> None:
    text = "\n".join(broken.run().splitlines()[:-4])
    assert codes(examined(tmp_path, broken.Case("note", runs=(text,)))) == {"truncated"}


@pytest.mark.parametrize("cut", [1, 9, 100])
def test_compressed_files_cut_short_are_read_as_far_as_they_go(cut: int, tmp_path: Path) -> None:
    content = gzip.compress("".join(f"{broken.run()}").encode(), mtime=0)[:-cut]
    found = examined(tmp_path, broken.Case("note", runs=(content,)))
    assert [each.severity for each in found.of("truncated")] == ["error"]


def test_a_good_compressed_file_is_clean(tmp_path: Path) -> None:
    assert (
        examined(tmp_path, broken.Case("note", runs=(gzip.compress(broken.run().encode()),))).findings == ()
    )


def test_other_runs_are_looked_at_where_one_cannot_be_read(tmp_path: Path) -> None:
    case = broken.Case("note", runs=("/nowhere.run", broken.run(lambda query, place: 0)))
    assert codes(examined(tmp_path, case)) == {"unreadable", "constant-scores"}


def test_a_run_is_looked_at_where_the_judgments_cannot_be_read() -> None:
    found = check(b"", lines("q1 Q0 a 1 nan"))
    assert {"empty", "nan-scores"} <= codes(found)


def test_judgments_alone_are_checked() -> None:
    assert codes(check(b"q1 0 a 1\nq1 0 a 1\nq1 0 b 0\n")) == {"duplicate-judgments", "few-queries"}


def test_a_survey_does_not_depend_on_where_the_text_is_cut() -> None:
    run = lines(
        *[f"q{n // 4 + 1} Q0 {letter}{n % 4} {n % 4 + 1} {4 - n % 4}" for n, letter in enumerate("abcdefgh")]
    )
    run += lines("q3 Q0 x 1 nan", "q3 Q0 q3 2 inf", "q1 Q0 late 3 0") + b"# end\n\nq9 Q0"
    judgments = _native.read_judgments(b"q1 0 A0 1\nq1 0 b1 1\nq2 0 X 1\n")
    whole = content_of(_native.survey(run, "run", judgments), judgments)
    assert (whole["lines"], whole["rows"], whole["usable"]) == (14, 12, 11)
    assert whole["spellings"] == [(b"A0", b"a0", 1), (b"X", b"x", 9)]
    assert whole["strangers"] == ([], [b"q3"])
    assert (whole["own"], whole["nan"], whole["rises"]) == (
        (1, 10, "q3 Q0 q3 2 inf t"),
        (1, 9, "q3 Q0 x 1 nan t"),
        0,
    )
    for size in (8, 30, 64):
        assert content_of(_native.survey(run, "run", judgments, block_bytes=size), judgments) == whole


def content_of(survey: _native.Survey, judgments: _native.Judgments) -> dict[str, Any]:
    """Everything that a survey counted."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: plain(each) for key, each in value.items()}
        return (value.count, value.line, value.excerpt) if isinstance(value, _native.Seen) else value

    names = [name for name in dir(survey) if name[0] != "_"]
    found = {name: plain(getattr(survey, name)) for name in names if not callable(getattr(survey, name))}
    return {
        **found,
        "spellings": survey.spellings(judgments),
        "strangers": tuple(survey.strangers(judgments)),
    }


# ---------------------------------------------------------------- dicts


def test_dicts_are_checked_like_files() -> None:
    qrels = {f"q{n}": {f"d{n}-{m}": m % 2 for m in range(12)} for n in range(25)}
    order = sorted(range(12), key=lambda m: m - 4.5 * (m % 2))
    run = {f"q{n}": {f"d{n}-{m}": 12.5 - place for place, m in enumerate(order)} for n in range(25)}
    assert check(qrels, run).findings == ()
    assert codes(check(qrels, {"a": run, "b": {**run, "q0": {"d0-1": float("inf"), "d0-2": 1.0}}})) == {
        "infinite-scores"
    }


@pytest.mark.parametrize(
    ("qrels", "run", "code"),
    [
        ({1.5: {"a": 1}}, {"1": {"a": 1.0}}, "refused"),
        (QRELS, {"q1": {"a": float("nan")}}, "refused"),
        (QRELS, {"q1": {"a": None}}, "refused"),
        (QRELS, {"q1": 3.0}, "refused"),
        (QRELS, {"q1": {}, "q2": {}}, "empty"),
        (QRELS, {1.5: {"a": 1.0}}, "refused"),
        ({"q 1": {"a": 1}}, {"q1": {"a": 1.0}}, "query-spelling"),
        (QRELS, {"q1": {"a": 0.1, "b": 0.2, "c": 0.3}, "q2": {"d": 0.1, "e": 0.5}}, "ascending-scores"),
    ],
)
def test_what_is_wrong_in_a_dict_is_found(qrels: Any, run: Any, code: str) -> None:
    found = check(qrels, run)
    assert code in codes(found), str(found)


def test_nothing_given_is_changed() -> None:
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"b": 1.0, "a": 2.0}}
    check(qrels, run)
    assert (qrels, run) == ({"q": {"a": 1, "b": 0}}, {"q": {"b": 1.0, "a": 2.0}})
    judged, ranked = carob.Qrels.of(qrels), carob.Run.of(run)
    assert check(judged, ranked).to_json() == check(judged, ranked).to_json()


# ---------------------------------------------------------------- forms


def test_json_holds_everything() -> None:
    found = check(QRELS, lines("q2 Q0 d 1 1"))
    document = json.loads(found.to_json())
    assert (document["exit_code"], document["counts"]["error"]) == (1, 0)
    assert document["counts"]["warning"] == found.count("warning")
    values = {each["code"]: each["values"] for each in document["findings"]}
    assert values["missing-queries"]["counted as 0"]["AP"] == 0.5
    assert document["checked"] == ["qrels", "<bytes>"]


def test_markdown_is_a_table_with_a_row_for_each_finding() -> None:
    found = check(QRELS, lines("q2 Q0 d 1 1"))
    table = found.to_markdown().partition("###")[0]
    assert len([line for line in table.splitlines() if line.startswith("| ")]) == 2 + len(found)


def test_a_frame_has_a_row_for_each_finding() -> None:
    pandas = pytest.importorskip("pandas", reason="needs a data frame library")
    found = check(QRELS, lines("q2 Q0 d 1 1"))
    frame = found.to_frame("pandas")
    assert isinstance(frame, pandas.DataFrame)
    assert frame["code"].tolist() == [each.code for each in found]


def test_the_same_finding_in_many_runs_is_told_once() -> None:
    runs = [lines("q2 Q0 d 1 1")] * 5
    assert check(QRELS, *runs).to_text().count("missing-queries") == 1
    assert len(check(QRELS, *runs).of("missing-queries")) == 5


def test_effects_are_told_in_the_measures_asked_for() -> None:
    found = check(QRELS, lines("q2 Q0 d 1 1"), measures=["P@1"])
    assert "P@1 0.5000 counted as 0" in found.of("missing-queries")[0].effect
    with pytest.raises(carob.MeasureError):
        check(QRELS, lines("q2 Q0 d 1 1"), measures=["nothing"])


# ---------------------------------------------------------------- real data


def test_what_is_wrong_with_clef_tar_2017_is_found(shared: Callable[..., Path]) -> None:
    folder = shared("data", "clef-tar2017")
    qrels = str(folder / "qrels.qrel_abs_test.txt")

    def at(name: str) -> Check:
        return check(qrels, str(folder / "runs" / name))

    assert at("ecnu.run2").of("crlf")[0].count == 30_000
    repeated, constant = at("uos.sis.TMAL30Q_BM25"), at("uos.sis.AL30Q_BM25")
    assert repeated.of("duplicate-documents")[0].count == 311
    assert constant.of("constant-scores")[0].count == 30
    assert constant.exit_code == repeated.exit_code == 2
    missing = at("iiit.run1").of("missing-queries")[0]
    assert missing.where == ("query 'CD009135'", "query 'CD010276'", "query 'CD011145'")


def test_ids_of_cacm_that_lost_their_zeros_are_found(shared: Callable[..., Path]) -> None:
    """55 lines of the judgments have ids such as 'CACM-950', which the run writes 'CACM-0950'."""
    folder = shared("data", "cacm-anserini")
    found = check(str(folder / "qrels.cacm.txt"), str(folder / "runs" / "cacm-bm25.txt"))
    assert found.count("error") == 1
    assert "'CACM-950' in the judgments, 'CACM-0950' in the run" in found.of("document-spelling")[0].where


def test_good_runs_of_real_tracks_have_no_errors(shared: Callable[..., Path]) -> None:
    for track in ("dl19-tilde-bm25", "microblog2014", "fusion-fed14", "irmeasures-compat"):
        folder = shared("data", track)
        found = check(str(next(folder.glob("qrels*"))), *map(str, sorted((folder / "runs").iterdir())))
        assert not found.count("error"), str(found)


@pytest.mark.long
def test_no_input_ends_in_anything_but_findings() -> None:
    """Bytes of good files changed, cut, doubled, moved: a check always ends, and its forms can be written."""
    draw = random.Random(20261121)
    qrels, run = broken.qrels(queries=3).encode(), broken.run(queries=range(3)).encode()
    extras = [
        b"\x00",
        b"\xff",
        b"\r",
        b"\n",
        b"\t",
        b" ",
        b"#",
        b"nan",
        b"-inf",
        b"1e999",
        b",",
        b"\xef\xbb\xbf",
        b"\x1f\x8b",
    ]

    def mutated(text: bytes) -> bytes:
        for _ in range(draw.randrange(4)):
            start = draw.randrange(len(text) + 1)
            end = min(len(text), start + draw.choice([0, 1, 3, 40, 4000]))
            new = draw.choice([b"", draw.choice(extras), text[start:end] * 2, bytes(draw.randbytes(3))])
            text = text[:start] + new + text[end:]
        return text

    for _ in range(60):
        found = check(mutated(qrels), mutated(run))
        assert found.exit_code in (0, 1, 2)
        assert found.to_text().endswith("\n")
        json.loads(found.to_json())


def test_blanks_between_the_words_of_a_query_are_no_invisible_characters() -> None:
    qrels = {"red shoes": {"17": 1, "18": 0}, "blue hat": {"17": 1}}
    run = {query: {each: 1.0 / (place + 1) for place, each in enumerate(its)} for query, its in qrels.items()}
    assert not carob.check(qrels, run).of("invisible-characters")
    for odd in (" red", "red ", "red\u00a0shoes", "red\tshoes", "red  shoes", "red\u200bshoes"):
        assert carob.check({odd: {"17": 1}}, {odd: {"17": 1.0}}).of("invisible-characters"), odd


def test_ids_with_blanks_are_the_same_in_text_tables_and_dicts(tmp_path, monkeypatch, capfd) -> None:
    pytest.importorskip("polars", reason="reads tables")
    monkeypatch.chdir(tmp_path)
    grades = {"red shoes": {"doc 1": 1, "doc 2": 0}, "hat": {"doc 1": 1, "c": 0}}
    rows = [(query, each, grade) for query, its in grades.items() for each, grade in its.items()]
    for name, sign in (("tab", "\t"), ("csv", ",")):
        (tmp_path / "c" / name).mkdir(parents=True)
        table = [("query", "document", "{}"), *rows]
        text = "".join(f"{q}{sign}{d}{sign}{g}\n" for q, d, g in table)
        qrels, run = text.format("grade"), text.format("score")
        if name == "tab":
            qrels = "".join(f"{q}\t0\t{d}\t{g}\n" for q, d, g in rows)
            run = "".join(f"{q}\tQ0\t{d}\t{2 - g}\t{g}\tme\n" for q, d, g in rows)
        Path(f"c/{name}/qrels.{name}").write_text(qrels)
        Path(f"c/{name}/me.{name}").write_text(run)
    judged = [grades, "c/tab/qrels.tab", "c/csv/qrels.csv"]
    for qrels, run in itertools.product(judged, [grades, "c/tab/me.tab", "c/csv/me.csv"]):
        found = carob.check(qrels, run)
        assert {each.code for each in found} <= {"few-queries", "separators"}, (qrels, run)
        assert [each.value for each in found.baselines] == [1, 1]
        separated = [each.place for each in found.of("separators")]  # of files as they are, not of tables
        assert all(place.endswith(".tab") for place in separated)
    for qrels, run in (("tab", "csv"), ("csv", "tab")):
        Path("table.csv").write_text(f"collection,qrels,run\nx,c/{qrels}/qrels.{qrels},c/{run}/me.{run}\n")
        with pytest.raises(SystemExit):
            main(["check", "--collections", "table.csv"])
        assert "0 errors" in capfd.readouterr().out


@pytest.mark.skipif(shutil.which("awk") is None, reason="runs awk")
@pytest.mark.parametrize("sign", ["\t", " "], ids=["tabs", "blanks"])
def test_the_advised_commands_keep_the_blanks_of_ids_between_tabs(sign: str, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    query, document = ("red shoe 1", "d 1") if sign == "\t" else ("shoe", "d1")
    given = {
        "three": [query, document, "2"],
        "five": [query, "Q0", document, "1", "3"],
    }
    advice = {}
    for name, fields in given.items():
        Path(name).write_text(sign.join(fields) + "\n")
        pair = ({query: {document: 2}}, name) if name == "five" else (name, {query: {document: 1.0}})
        with pytest.raises(carob.DataError) as refusal:
            carob.evaluate(*pair)
        advice[name] = [refusal.value.remedy, *(each.remedy for each in check(*pair).of("malformed"))]
    expected = {"three": [query, "0", document, "2"]}
    expected["five"] = [*given["five"], "run"]
    for name, remedies in advice.items():
        assert len(remedies) == 2
        assert remedies[0] == remedies[1]
        for remedy in remedies:
            command = re.search(r"awk .*'", str(remedy))
            assert command is not None
            done = subprocess.run(
                f"{command[0]} {name}", shell=True, capture_output=True, text=True, check=True
            )
            assert done.stdout.rstrip("\n").split(sign) == expected[name]


@pytest.mark.parametrize("others", [b"", b"2 0 e 1\n"], ids=["all lines", "some lines"])
def test_levels_of_ntcir_are_named_with_the_words_that_read_them(others: bytes) -> None:
    finding = only("malformed", b"1 0 a L3\n1 0 b L0\n" + others, lines("1 Q0 a 1 1", "2 Q0 e 1 1"))
    assert "'L3' is not a number" in finding.where[0]
    assert "words={'L3': 3, 'L2': 2, 'L1': 1, 'L0': 0}" in (finding.remedy or "")


def test_rows_in_a_list_are_one_run_and_an_empty_run_beside_others_is_named() -> None:
    rows = [{"query_id": "q", "doc_id": each, "score": 1.0} for each in "ab"]
    qrels = [{"query_id": "q", "doc_id": "a", "relevance": 1}]
    found = check(qrels, rows).findings
    assert check({"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}).findings == found
    several = check({"q": {"a": 1}}, {"old": {}, "new": {"q": {"a": 1.0}}}).findings
    assert [(each.code, each.subject) for each in several if each.severity == "error"] == [("empty", "old")]


@pytest.mark.parametrize("library", ["pandas", "polars", "rows", "csv"])
@pytest.mark.parametrize("query", ["topic", ":=q1"])
def test_named_columns_are_read_in_every_form_of_a_table(library: str, query: str, tmp_path: Path) -> None:
    """The column ``first`` has equal scores, the column ``second`` has not: what is found tells which was read."""
    run = {
        "topic": ["q1"] * 4,
        "item": ["a", "b", "c", "d"],
        "first": [1.0] * 4,
        "second": [4.0, 3.0, 2.0, 1.0],
    }
    judged = {"topic": ["q1"] * 2, "item": ["a", "b"], "level": [1, 0], "other": [0, 0]}

    def made(table: dict[str, list[Any]], name: str) -> Any:
        if library == "rows":
            return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
        frames = pytest.importorskip("pandas" if library == "csv" else library, reason="makes a frame")
        frame = frames.DataFrame(table)
        if library != "csv":
            return frame
        frame.to_csv(tmp_path / name, index=False)
        return str(tmp_path / name)

    def codes(score: str, grade: str) -> set[str]:
        place = {"query": query, "document": "item"}
        found = check(
            made(judged, "judged.csv"),
            made(run, "run.csv"),
            qrels_columns={**place, "grade": grade},
            run_columns={**place, "score": score},
        )
        return {each.code for each in found.findings}.intersection(
            {"constant-scores", "no-relevant", "unreadable", "refused"}
        )

    assert codes("second", "level") == set()
    assert codes("first", "level") == {"constant-scores"}
    assert codes("second", "other") == {"no-relevant"}
    assert codes("third", "level") == {"unreadable" if library == "csv" else "refused"}
