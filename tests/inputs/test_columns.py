"""The columns of lines of text: what separates them, and lines that have more or fewer than the first."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob import DataError, Policy, Qrels, Run
from carob.compat import trec_eval
from toys import command

if TYPE_CHECKING:
    from pathlib import Path

QRELS = b"q1 0 a 1\nq2 0 a 1\n"
ONE, OTHER = b"q1 Q0 a 1 3 t\nq1 Q0 b 2 2 t", b"q2 Q0 a 1 3 t\nq2 Q0 c 2 2 t\n"
JOINED = ONE + OTHER
"""Two runs joined by cat, the first of which has no newline at its end: AP is 0.5 without q2's first line, and 1."""
TREC_EVAL = ("trec_eval-9", "trec_eval-10")


def test_two_lines_that_cat_joined_are_refused_with_their_place_and_the_cure() -> None:
    with pytest.raises(DataError) as error:
        carob.evaluate(QRELS, JOINED, "AP")
    said = str(error.value)
    assert "line 2: found 11 columns, but the first line has 6: 'q1 Q0 b 2 2 tq2 Q0 a 1 3 t'" in said
    assert "break the line after its sixth column" in said
    assert "policy=carob.Policy(columns='trec_eval')" in said


SINGLE = [b"q1 Q0 b 1 3 t", b"q1 Q0 a 2 2 t", b"q2 Q0 c 1 3 t", b"q2 Q0 a 2 2 t"]
"""Lines of a run, of which AP is 1/2."""
ALL_JOINED = {
    "two lines": (b"q1 Q0 b 1 3 tq1 Q0 a 2 2 t\nq2 Q0 c 1 3 tq2 Q0 a 2 2 t\n", 11),
    "two lines with a blank": (b"q1 Q0 b 1 3 t q1 Q0 a 2 2 t\nq2 Q0 c 1 3 t q2 Q0 a 2 2 t\n", 12),
    "two lines with tabs": (b"\t".join(SINGLE[:2]).replace(b" ", b"\t") + b"\n", 12),
    "four lines": (b"".join(SINGLE), 21),
    "the first two": (b"".join(SINGLE[:2]) + b"\n" + b"\n".join(SINGLE[2:]), 11),
}


@pytest.mark.parametrize("case", ALL_JOINED)
@pytest.mark.parametrize("ties", ["trec", "rank-column"])
def test_a_run_of_which_every_line_is_several_is_refused_and_not_read_as_its_first_parts(
    case: str, ties: Any, tmp_path: Path
) -> None:
    text, count = ALL_JOINED[case]
    path = tmp_path / "a.run"
    path.write_bytes(text)
    for run in (text, str(path), Run.of(path)):
        with pytest.raises(DataError, match=f"line 1: found {count} columns, as in two lines") as error:
            carob.evaluate(QRELS, run, "AP", policy=Policy(ties=ties))
        assert "break the line after its sixth column" in str(error.value)
    (finding,) = carob.check(QRELS, str(path)).of("malformed")
    assert finding.severity == "error"
    assert "break the line after its sixth column" in finding.remedy
    loose = carob.evaluate(QRELS, text, "AP", policy=Policy(columns="trec_eval"))
    assert loose["AP"] in (0, 0.25)  # as trec_eval: what follows the sixth column is not read
    if case == "the first two":
        skipped = carob.evaluate(QRELS, text, "AP", policy=Policy(malformed="skip"))
        assert skipped["AP"] == 0.25
        assert "1 malformed line skipped" in skipped.footer()
    else:
        with pytest.raises(DataError, match="malformed=skip skipped all"):
            carob.evaluate(QRELS, text, "AP", policy=Policy(malformed="skip"))


@pytest.mark.parametrize("tag", ["t of a b c 5", "t Q0 is its name 5 x", "my run of 2024 with 7 words"])
def test_a_long_tag_of_words_and_numbers_is_no_second_line(tag: str) -> None:
    text = f"q1 Q0 a 1 3 {tag}\nq2 Q0 a 1 2 {tag}\n".encode()
    assert carob.evaluate(QRELS, text, "AP")["AP"] == 1


MARK = "\ufeff".encode()


@pytest.mark.parametrize("ties", ["trec", "rank-column"])
def test_a_byte_order_mark_within_a_text_is_refused_as_of_joined_files(ties: Any, tmp_path: Path) -> None:
    """Its query is another query, so AP is 0.25 without q2's first line, and 1."""
    one, other = b"q1 Q0 a 1 3 t\n", b"q2 Q0 a 1 3 t\nq2 Q0 c 2 2 t\n"
    policy = Policy(ties=ties)
    (tmp_path / "a.run").write_bytes(MARK + one + MARK + other)
    for run in (MARK + one + MARK + other, tmp_path / "a.run", one + b" " + MARK + other):
        with pytest.raises(DataError, match="line 2: the line begins with a byte order mark"):
            carob.evaluate(QRELS, run, "AP", policy=policy)
    assert carob.evaluate(QRELS, MARK + one + other, "AP", policy=policy)["AP"] == 1
    first, second = QRELS.splitlines(keepends=True)
    with pytest.raises(DataError, match="line 2: the line begins with a byte order mark"):
        Qrels.of(MARK + first + MARK + second)
    with pytest.raises(DataError, match="line 2: the line begins with a byte order mark"):
        carob.evaluate(QRELS, one + other, "AP", exclude=first + MARK + second)
    assert carob.check(QRELS, one + MARK + other).of("malformed")
    loose = carob.evaluate(QRELS, one + MARK + other, "AP", policy=Policy(columns="trec_eval"))
    assert loose["AP"] == 0.5
    wide = "\uff51 Q0 a 1 3 t\n".encode()  # begins with the same byte
    assert carob.evaluate({"\uff51": {"a": 1}}, wide, "AP")["AP"] == 1


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        (b"q1 0 a 1q2 0 a 1\n", "break the line after its fourth column"),
        (b"q1 0 a 1 q2 0 a 1\n", "break the line after its fourth column"),
        (b"1 0 7 1 2 0 8 1\n", "break the line after its fourth column"),
        (b"q1 0 a 1 by me\n", "Remove the columns after the grade"),
        (b"q1\t0\ta\t1\tby\tme\n", r"awk -F'\t' -v OFS='\t' '{print $1, $2, $3, $4}'"),
        (b"q1 0 a 1 me\n", "If the fifth column is not part of the judgment, remove it"),
        (b"q1 Q0 a 1 3.5 t\n", "This looks like a run"),
        (b"q1 Q0 a 1 3 t more\n", "This looks like a run"),
    ],
)
def test_the_advice_about_judgments_with_more_columns_fits_them(text: bytes, advice: str) -> None:
    with pytest.raises(DataError) as error:
        Qrels.of(text)
    assert advice in str(error.value)
    assert ("swapped" in str(error.value)) == ("run" in advice)
    (finding,) = carob.check(text, {"q1": {"a": 1.0}}).of("malformed")
    assert advice in finding.remedy


@pytest.mark.parametrize(
    "row",
    [
        "{query} 0 {document} {grade} web",
        "{query} 0 web {document} {grade}",
        "{query} 0 {document} web {grade}",
        "{query} 0 {document} 7 {grade}",
        "{query}\t0\tnews item\t{document}\t{grade}",
        "{query} 0 web en {document} {grade}",
        "{query} 0 {document} web en {grade}",
        "{query} 0 {document} {grade} by me",
        "{query} {document} {grade}",
        "{query} 0 {document}",
        "{query} {document}",
    ],
)
@pytest.mark.parametrize("name", ["d{}", "{}"])
def test_following_the_advice_about_columns_makes_the_file_readable(
    row: str, name: str, tmp_path: Path
) -> None:
    """Of commands for several cases, one fits; none leads to an error that asks for another step."""
    if shutil.which("awk") is None:
        pytest.skip("needs awk")
    grade = {"a": 1, "b": 0, "c": 2} if "{grade}" in row else {"a": 1, "b": 1, "c": 1}
    expected = {
        query: {name.format(f"{number}{ord(each)}"): float(its) for each, its in grade.items()}
        for number, query in enumerate(("q1", "q2"))
    }
    lines = [
        row.format(query=query, document=document, grade=int(its))
        for query, judged in expected.items()
        for document, its in judged.items()
    ]
    path = tmp_path / "qrels.txt"
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(DataError) as error:
        Qrels.of(path)
    with pytest.raises(
        DataError, match=r"malformed=skip skipped all 6 lines\. The error in the first line: .* awk"
    ):
        Qrels.of(path, Policy(malformed="skip"))
    (finding,) = carob.check(path, {"q1": {"a": 1.0}}).of("malformed")
    commands = re.findall(r"awk (?:-F'\\t' -v OFS='\\t' )?'[^']+'", str(error.value))
    assert commands
    assert all(each in finding.remedy for each in commands)
    assert "skips" not in finding.effect
    found = []
    for cure in commands:
        made = subprocess.run([*shlex.split(cure), path], check=True, capture_output=True).stdout
        qrels = Qrels.of(made, Policy(duplicates="first")).judgments  # another column repeats
        found.append(
            {
                text: dict(zip(map(bytes.decode, qrels.documents(place)), qrels.only(place).grades.tolist()))
                for place, text in enumerate(map(bytes.decode, qrels.queries))
            }
        )
    assert expected in found


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        (b"q1 a 3.5\n", 'awk \'{print $1, "Q0", $2, 0, $3, "run"}\''),
        (b"q1 a 1 3.5\n", 'awk \'{print $1, "Q0", $2, $3, $4, "run"}\''),
        (b"q1 Q0 a 1 3.5\n", "awk '{print $0, \"run\"}'"),
        (b"map q1 0.5\nmap all 0.5\n", "These look like per-query scores"),
        (b"ndcg_cut_10\tq1\t0.5\n", "These look like per-query scores"),
        (b"q1 0 a 1\n", "This looks like qrels"),
    ],
)
def test_the_advice_about_runs_with_fewer_columns_fits_them(text: bytes, advice: str) -> None:
    with pytest.raises(DataError) as error:
        carob.evaluate({"q1": {"a": 1}}, text, "AP")
    assert advice in str(error.value)
    (finding,) = carob.check({"q1": {"a": 1}}, text).of("malformed")
    assert advice in finding.remedy


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (b"q Q0 a 1 2 t\nq Q0 b 2 1 t x\n", 2, "found 7 columns, but the first line has 6"),
        (b"q Q0 a 1 2 t x\nq Q0 b 2 1 t\n", 2, "found 6 columns, but the first line has 7"),
        (
            b"# c\n\nq\tQ0\ta\t1\t2\tt\nq\tQ0\tb\t2\t1\tt\tx y\n",
            4,
            "found 7 columns, but the first line has 6",
        ),
        (b"q Q0 a 1 2 " + b"t" * 70 + b"\nq Q0 b 2 1 " + b"t" * 70 + b" x\n", 2, "found 7 columns"),
        (b"q Q0 a 1 2 t\r\nq Q0 b 2 1 t x\r\n", 2, "found 7 columns"),
    ],
)
def test_a_line_with_other_columns_than_the_first_is_refused(text: bytes, line: int, said: str) -> None:
    with pytest.raises(DataError, match=rf"line {line}: .*{said}"):
        carob.evaluate({"q": {"a": 1}}, text, "AP")


def test_lines_that_all_have_the_same_more_columns_are_read() -> None:
    text = b"q Q0 a 1 2 t x\nq Q0 b 2 1 t y\n"
    assert carob.evaluate({"q": {"a": 1, "b": 1}}, text, "AP")["AP"] == 1
    assert carob.evaluate({"q": {"a": 1, "b": 1}}, text, "AP", policy=Policy(ties="rank-column"))["AP"] == 1


@pytest.mark.parametrize("threads", [1, 2])
def test_the_first_line_counts_for_every_block_of_a_long_run(threads: int) -> None:
    lines = [b"q%d Q0 d%d 1 %d t\n" % (q, d, -d) for q in range(300) for d in range(1000)]
    judgments = Qrels.of({f"q{each}": {"d0": 1} for each in range(300)}).judgments
    lines[250_000] = lines[250_000].rstrip() + b" more\n"
    from carob import _native

    with pytest.raises(_native.LineError) as error:
        _native.match_text(judgments, b"".join(lines), threads=threads)
    assert (error.value.kind, error.value.line, error.value.detail) == ("uneven", 250_001, b"7 6")
    for gathered in (
        lines,
        lines[::-1],
    ):  # the queries one after the other, and interleaved with the first line wide
        text = b"".join(gathered) if gathered is lines else b"".join(lines[250_000:250_001] + lines[::7])
        found = _native.match_text(judgments, text, threads=threads, lenient=True)
        assert found.malformed == (1 if gathered is lines else len(lines[::7]))


def test_lenient_skips_and_counts_such_lines() -> None:
    scores = carob.evaluate(QRELS, JOINED, "AP", policy=Policy(malformed="skip"))
    assert (scores["AP"], scores.counts.malformed) == (0.5, 1)


@pytest.mark.parametrize("profile", TREC_EVAL)
def test_under_the_profiles_of_trec_eval_lines_are_read_as_it_reads_them(profile: str) -> None:
    assert carob.evaluate(QRELS, JOINED, "AP", profile=profile)["AP"] == 0.5
    # The fifth column by blanks is the rank, and the document is D.
    tabbed = b"q\tQ0\tD 7\t1\t20.1\tt\nq\tQ0\tE 7\t2\t19\tt\n"
    assert carob.evaluate({"q": {"E": 1}}, tabbed, "RR", profile=profile)["RR"] == 1
    with pytest.raises(DataError, match="found 5 columns, expected 4"):
        carob.evaluate(b"q\t0\tD 7\t1\n", tabbed, "RR", profile=profile)


def test_carob_trec_eval_reads_them_as_trec_eval_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "q").write_bytes(QRELS)
    (tmp_path / "r").write_bytes(JOINED)
    trec_eval.main(["-m", "map", str(tmp_path / "q"), str(tmp_path / "r")])
    assert capsys.readouterr().out == "map                   \tall\t0.5000\n"


TABBED = b"q\tQ0\tD 7\t1\t20.1\tt\nq\tQ0\tD 8\t2\t19\tmy tag\nq\tQ0\tE\t3\t18\tt\n"
"""By blanks, the ranks would be the scores, and E the first document."""


@pytest.mark.parametrize(
    "qrels", [b"q\t0\tD 7\t0\nq\t0\tD 8\t1\nq\t0\tE\t1\n", {"q": {"D 7": 0, "D 8": 1, "E": 1}}]
)
def test_tabs_separate_the_columns_of_a_line_that_has_tabs(qrels: bytes) -> None:
    # The relevant documents are at ranks 2 and 3.
    assert carob.evaluate(qrels, TABBED, "AP")["AP"] == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert carob.explain("RR", qrels, TABBED, query="q").value == 0.5
    excluded = carob.evaluate(qrels, TABBED, "RR", exclude=b"q\tD 7\n")
    assert (excluded["RR"], excluded.counts.excluded) == (1, 1)


def test_tabs_separate_them_in_a_file_of_any_name_and_in_interleaved_lines(tmp_path: Path) -> None:
    qrels = {"q": {"D 7": 0, "D 8": 1}, "r": {"D 7": 1}}
    other = b"r\tQ0\tD 7\t1\t20.1\tt\n"
    lines = TABBED.splitlines(keepends=True)
    for name in ("one.tsv", "one.txt", "one.run"):
        (tmp_path / name).write_bytes(lines[0] + other + lines[1] + lines[2])
        scores = carob.evaluate(qrels, tmp_path / name, "RR")
        assert scores.by_query("RR") == {"q": 0.5, "r": 1}
        assert [row[1] for row in Run.of(tmp_path / name).held.rows()] == [b"D 7", b"D 7", b"D 8", b"E"]


@pytest.mark.parametrize(
    ("qrels", "run"),
    [
        (b"q 0 D 1\n", b"q\tQ0\tD 7\t1\t20.1\n"),  # without a tag: by blanks the rank would be the score
        (b"q 0 D 1\n", b"q Q0 D 1 20.1 t\nq\tQ0\tE 7\t2\t19\n"),
        (b"q 0 D 1\n", b"q Q0\tD 1\t20.1 t\n"),
        (b"q\tD 7\t1\n", b"q Q0 D 1 20.1 t\n"),
    ],
)
def test_a_mixture_of_tabs_and_blanks_is_refused(qrels: bytes, run: bytes) -> None:
    with pytest.raises(DataError, match="Separate all columns by tabs, or all by spaces"):
        carob.evaluate(qrels, run, "AP")


def test_lines_with_tabs_and_lines_with_blanks_may_be_in_one_file() -> None:
    text = b"q Q0 a 1 3 t\nq\tQ0\tb\t2\t2\tt\nq\tQ0\tc d\t3\t1\tt\n"
    assert carob.evaluate({"q": {"c d": 1}}, text, "RR")["RR"] == pytest.approx(1 / 3)


def test_a_check_reports_lines_with_other_columns_as_malformed() -> None:
    found = {each.code: each for each in carob.check(QRELS, JOINED)}
    assert found["malformed"].severity == "error"
    assert found["malformed"].where == ("line 2: it has 11 columns, and the first line has 6",)
    assert "wide-lines" not in found
    assert "malformed" not in {each.code for each in carob.check(b"q 0 D\xc2\xa08 1\n", TABBED)}


RESCORED = [
    {"query": query, "document": document, "score": score, "rerank_score": 1 - score}
    for query in ("q1", "q2")
    for document, score in (("a", 0.1), ("b", 0.9))
]
BY_QUERY = [
    {"query": query, "results": [{**each, "query": None} for each in RESCORED if each["query"] == query]}
    for query in ("q1", "q2")
]
LISTED = [
    {"query": query, "docs": ["a", "b"], "scores": [0.1, 0.9], "rerank_scores": [0.9, 0.1]}
    for query in ("q1", "q2")
]


def as_lines(rows: Any, folder: Path) -> Path:
    path = folder / "run.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def as_csv(rows: Any, folder: Path) -> Path:
    path = folder / "run.csv"
    path.write_text(
        "\n".join(",".join(map(str, each)) for each in (rows[0], *(row.values() for row in rows)))
    )
    return path


def as_pandas(rows: Any, _: Path) -> Any:
    return pytest.importorskip("pandas").DataFrame(rows)


def as_lazy(rows: Any, _: Path) -> Any:
    return pytest.importorskip("polars").LazyFrame(rows)


@pytest.mark.parametrize("form", [as_lines, as_csv, as_pandas, as_lazy, lambda rows, _: rows])
def test_two_columns_of_scores_are_refused(form: Any, tmp_path: Path) -> None:
    """A first stage's scores and a reranker's: AP is 1/2 by one and 1 by the other."""
    with pytest.raises(DataError, match="'score' and 'rerank_score', either of which could be the score"):
        carob.evaluate(QRELS, form(RESCORED, tmp_path), "AP")
    for column, value in (("score", 0.5), ("rerank_score", 1)):
        assert carob.evaluate(QRELS, Run.of(form(RESCORED, tmp_path), score=column), "AP")["AP"] == value


@pytest.mark.parametrize(
    ("rows", "names"), [(BY_QUERY, "'score' and 'rerank_score'"), (LISTED, "'scores' and 'rerank_scores'")]
)
@pytest.mark.parametrize("form", [as_lines, lambda rows, _: rows])
def test_two_lists_of_scores_are_refused(form: Any, rows: Any, names: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=f"{names}, either of which could be the score"):
        carob.evaluate(QRELS, form(rows, tmp_path), "AP")


def test_two_columns_of_scores_are_refused_by_the_commands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "qrels").write_bytes(QRELS)
    path = str(as_csv(RESCORED, tmp_path))
    for name in ("eval", "check"):
        assert command(name, str(tmp_path / "qrels"), path)
        assert "'score' and 'rerank_score'" in "".join(capsys.readouterr())
    assert not command(
        "eval", "-m", "AP", str(tmp_path / "qrels"), path, "--run-columns", "score=rerank_score"
    )
    assert "1.0000" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["features", "score_type", "max_score_rank", "scored_at"])
def test_other_columns_beside_scores_are_left_alone(name: str) -> None:
    rows = [{"query": "q1", "document": "a", "score": 1.0, name: 2}]
    assert carob.evaluate({"q1": {"a": 1}}, rows, "AP")["AP"] == 1
