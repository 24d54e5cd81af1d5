"""What a check finds in any text: ends that were cut, columns, characters, and one survey wherever blocks end."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import carob
from carob import _native
from carob.diagnosis.check import check
from diagnosis import broken
from diagnosis.checked import QRELS, codes, examined, lines, only


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


def test_a_line_cut_inside_the_tag_is_a_truncated_file() -> None:
    found = check(QRELS, b"q1 Q0 a 1 2 system\nq2 Q0 d 1 2 syst")
    assert found.of("truncated")
    assert not found.of("several-tags")


def test_a_file_without_a_last_newline_is_clean(tmp_path: Path) -> None:
    assert examined(tmp_path, broken.Case("note", runs=(broken.run().rstrip("\n"),))).findings == ()


def test_a_shorter_last_list_without_a_newline_is_suspicious(tmp_path: Path) -> None:
    text = "\n".join(broken.run().splitlines()[:-4])
    assert codes(examined(tmp_path, broken.Case("note", runs=(text,)))) == {"truncated"}


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


def test_blanks_between_the_words_of_a_query_are_no_invisible_characters() -> None:
    qrels = {"red shoes": {"17": 1, "18": 0}, "blue hat": {"17": 1}}
    run = {query: {each: 1.0 / (place + 1) for place, each in enumerate(its)} for query, its in qrels.items()}
    assert not carob.check(qrels, run).of("invisible-characters")
    for odd in (" red", "red ", "red\u00a0shoes", "red\tshoes", "red  shoes", "red\u200bshoes"):
        assert carob.check({odd: {"17": 1}}, {odd: {"17": 1.0}}).of("invisible-characters"), odd


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
