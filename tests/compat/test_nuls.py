"""NUL bytes: trec_eval's text ends at one that begins a line; everywhere else the line is named and refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import carob
from carob import DataError, Policy
from carob.compat.trec_eval import main

if TYPE_CHECKING:
    from pathlib import Path

QRELS = b"".join(b"q%d 0 d%d %d\n" % (query, each, each % 2) for query in range(3) for each in range(6))
RUN = b"".join(
    b"q%d Q0 d%d %d %d tag\n" % (query, each, each, 9 - each) for query in range(3) for each in range(8)
)


def answer(
    folder: Path, qrels: bytes, run: bytes, capfd: pytest.CaptureFixture[str], *options: str
) -> tuple[str, str]:
    """Standard output and error."""
    (folder / "qrels").write_bytes(qrels)
    (folder / "run").write_bytes(run)
    main([*options, str(folder / "qrels"), str(folder / "run")])
    found = capfd.readouterr()
    return found.out, found.err


# trec_eval 9.0.8 and 10.0, built with gcc 12 from their tags, print the same for each of these and for its cut text.
@pytest.mark.parametrize("version", ["9", "10"])
@pytest.mark.parametrize("kind", ["qrels", "run"])
@pytest.mark.parametrize(
    "rest", [b"\0" * 40, b"\0\nq7 0 d1 1\n", b"\0\0q1 Q0 d0 1 99 tag\nq1 Q0 d9 1 9 tag\n"]
)
def test_a_nul_that_begins_a_line_ends_trec_evals_text(
    rest: bytes, kind: str, version: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    given = (QRELS + rest, RUN) if kind == "qrels" else (QRELS, RUN + rest)
    options = ("--compat", version, "-q", "-c", "-m", "all_trec")
    out, err = answer(tmp_path, *given, capfd, *options)
    lines = (QRELS if kind == "qrels" else RUN).count(b"\n")
    assert f"{tmp_path / kind}, line {lines + 1}: a NUL byte" in err
    assert f"the file ends with line {lines}; {rest.count(10)} lines after it are not read" in err
    cut, silence = answer(tmp_path, QRELS, RUN, capfd, *options)
    assert (out, silence) == (cut, "")


@pytest.mark.parametrize("place", [0, 1, 5])
def test_eval_refuses_a_nul_with_its_line(place: int, tmp_path: Path) -> None:
    broken = RUN.splitlines(keepends=True)
    broken[place] = broken[place].replace(b" d", b" \0d")
    path = tmp_path / "run"
    path.write_bytes(b"".join(broken))
    with pytest.raises(DataError, match=rf"run, line {place + 1}: the line contains a NUL byte"):
        carob.evaluate(QRELS, path)
    skipped = carob.evaluate(QRELS, path, policy=Policy(malformed="skip"))
    assert skipped.counts.malformed == 1
    path.write_bytes(QRELS + b"q3 0 d1\0 1\n")
    with pytest.raises(DataError, match=r"run, line 19: the line contains a NUL byte"):
        carob.evaluate(path, RUN)


@pytest.mark.parametrize("long", [b"", b"x" * 100])
def test_a_nul_in_a_tag_is_seen_however_long_the_line(long: bytes) -> None:
    run = b"q0 Q0 d" + long + b" 1 1 ta\0g\n"
    with pytest.raises(DataError, match="NUL"):
        carob.evaluate(QRELS, run)
    # What stands behind the sixth field is nobody's, where it is left unread.
    loose = Policy(columns="trec_eval")
    assert carob.evaluate(QRELS, b"q0 Q0 d1 1 1 tag more\0\n", "RR", policy=loose).by_query("RR")["q0"] == 1


def test_nan_in_a_file_of_deviations_keeps_its_sign(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    # Both trec_evals print "   nan" for a mean that the file calls nan, and "  -nan" for one that it calls -nan.
    for text, printed in (("nan", "   nan"), ("-nan", "  -nan")):
        (tmp_path / "z").write_text("".join(f"q{each} map {text} {text}\n" for each in range(3)))
        options = ("--compat", "9", "-q", "-m", "map", "-Z", str(tmp_path / "z"))
        out, _ = answer(tmp_path, QRELS, RUN, capfd, *options)
        assert out.splitlines() == [f"{'Zmap':23}\t{query}\t{printed}" for query in ("q0", "q1", "q2", "all")]
