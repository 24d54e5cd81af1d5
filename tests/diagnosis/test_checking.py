"""Tests of the data doctor: one broken file for each finding, silence on a clean one, and its forms."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import pytest

from carob.diagnosis.check import Check, check
from diagnosis import broken
from diagnosis.broken import CASES
from diagnosis.checked import QRELS, codes, examined, lines, written

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture(scope="module")
def found_in(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Check]:
    """What is found in each broken pair, looked at once."""
    kept: dict[str, Check] = {}

    def find(code: str) -> Check:
        if code not in kept:
            kept[code] = examined(tmp_path_factory.mktemp("broken"), CASES[code])
        return kept[code]

    return find


def test_a_clean_pair_is_met_with_silence(tmp_path: Path) -> None:
    found = examined(tmp_path, broken.Case("note"))
    assert found.findings == ()
    assert found.to_text() == str(found) + "\n"
    assert found.to_text().endswith("\n\nclean\n")
    assert str(check(written(tmp_path, broken.Case("note"))[0])) == "clean"
    assert (found.ok, found.exit_code) == (True, 0)


@pytest.mark.parametrize("code", [code for code in CASES if code not in ("same-name", "refused")])
def test_what_is_wrong_is_found_and_nothing_else(code: str, found_in: Callable[[str], Check]) -> None:
    case = CASES[code]
    found = found_in(code)
    assert [each.severity for each in found.of(code)][:1] == [case.severity], str(found)
    assert codes(found) == {code, *case.also}, str(found)
    assert found.exit_code == max(
        {"error": 2, "warning": 1, "note": 0}[each.severity] for each in found.findings
    )


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
