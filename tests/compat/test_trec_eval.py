"""trec_eval's face prints trec_eval's bytes and leaves with its exit codes."""

from __future__ import annotations

import io
import os
import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from carob.compat.trec_eval import main
from compat.trec_eval_cases import BASE, Case, ask, at_random, mutated, recorded
from conftest import SHARED

if TYPE_CHECKING:
    from collections.abc import Callable

CHECKOUT = Path(__file__).resolve().parents[2]
DEPARTURES = [
    line.rpartition(" | ")[2]
    for line in (CHECKOUT / "docs" / "departures.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("|")
]
CASES = SHARED / "trec_eval_cases"


class Said(NamedTuple):
    """What a command said, and its exit code."""

    output: bytes
    errors: bytes
    code: int


@pytest.fixture
def said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    """Run a command in a folder, in this process."""

    def run(arguments: list[str], folder: Path = tmp_path, stdin: bytes = b"") -> Said:
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", "surrogateescape") for _ in range(2))
        with monkeypatch.context() as patch:
            patch.chdir(folder)
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(stdin))))
            code = main(arguments)
        return Said(out.buffer.getvalue(), err.buffer.getvalue(), code)

    return run


def put(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).write_bytes(text.encode())


def arguments_of(case: Case) -> list[str]:
    return [*(["--compat", "9"] if case.version == 9 else []), *case.arguments]


@pytest.mark.parametrize("case", recorded(), ids=lambda case: f"{case.version}: {' '.join(case.arguments)}")
def test_recorded_case_of_our_own(case: Case, said, tmp_path: Path) -> None:
    put(tmp_path, case.files)
    assert said(arguments_of(case)) == (case.output.encode(), case.errors.encode(), case.code)


@pytest.mark.parametrize(("version", "made"), [(10, at_random), (9, at_random), (10, mutated)])
def test_many_random_cases_where_the_real_program_is(
    version: int, made: Callable[[int], Case], said, tmp_path: Path
) -> None:
    """``TREC_EVAL_CASES`` is how many: 500 unless it is set."""
    program = os.environ.get(f"TREC_EVAL_{version}")
    if not program:
        pytest.skip(f"TREC_EVAL_{version} does not name a real trec_eval {version}")
    for seed in range(10_000, 10_000 + int(os.environ.get("TREC_EVAL_CASES", "500"))):
        case = made(seed)._replace(version=version)
        if version == 9 and {"dcg", "yaap"} & set(case.arguments):
            continue
        if not case.files["run"].strip():
            continue
        if any(text.startswith("\ufeff") for text in case.files.values()):  # docs/departures.md
            continue
        real = ask(program, case)
        put(tmp_path, case.files)
        if real.code < 128:  # a signal: the original read memory that is not its own
            found = said(arguments_of(case))
            expected = (defined(real.output.encode()), real.errors.encode(), real.code)
            assert (defined(found.output), found.errors, found.code) == expected, seed


def defined(output: bytes) -> list[bytes]:
    """The lines of an output but those of ``rbp``: the original reads two variables before they are set (m_rbp.c)."""
    return [line for line in output.splitlines() if not line.startswith(b"rbp ")]


def test_a_measure_that_cannot_be_calculated_prints_no_query(said, tmp_path: Path) -> None:
    put(tmp_path, BASE)
    alone = said(["-m", "all_prefs", "qrels", "run"])
    assert alone.code == 4
    assert said(["-q", "-m", "map", "-m", "all_prefs", "qrels", "run"]) == alone


# ---------------------------------------------------------------- what stands beside the checkout


def shared_cases() -> list[Path]:
    return sorted(path.parent for path in CASES.glob("*/cmd"))


def command(case: Path) -> tuple[list[str], bytes]:
    arguments = shlex.split((case / "cmd").read_text())[1:]
    if "<" not in arguments:
        return arguments, b""
    place = arguments.index("<")
    return arguments[:place] + arguments[place + 2 :], (case / arguments[place + 1]).read_bytes()


def departs(case: Path) -> bool:
    return any(f"`{case.name}`" in names for names in DEPARTURES)


@pytest.mark.skipif(not CASES.exists(), reason="needs ../shared/trec_eval_cases")
@pytest.mark.parametrize("case", shared_cases(), ids=lambda case: case.name)
def test_recorded_case_that_is_shared(case: Path, said) -> None:
    arguments, stdin = command(case)
    found = said(arguments, case, stdin)
    expected = Said(
        (case / "expected").read_bytes(),
        (case / "expected.stderr").read_bytes(),
        int((case / "expected.rc").read_text()),
    )
    undefined = (case / "UB").exists()
    if undefined or departs(case):
        # The reference reads memory that is not its own, or the departure is defended in docs/departures.md.
        assert found.code in (0, 2, 4)
        assert b"Traceback" not in found.errors
    if not undefined:
        assert (found == expected) is not departs(case)


@pytest.mark.skipif(not CASES.exists(), reason="needs ../shared/trec_eval_cases")
def test_departures_are_few() -> None:
    assert [case.name for case in shared_cases() if departs(case) and not (case / "UB").exists()] == [
        "qrels_two_comments_c",
        "qrels_two_comments_malformed",
    ]


def expected_outputs() -> list[Path]:
    return sorted(SHARED.glob("data/*/expected/*.trec_eval*.txt"))


@pytest.mark.skipif(not SHARED.exists(), reason="needs ../shared/data")
@pytest.mark.parametrize("expected", expected_outputs(), ids=lambda path: path.name)
def test_real_data(expected: Path, said) -> None:
    folder = expected.parents[1]
    run, _, kind = expected.stem.rpartition(".trec_eval")
    qrels = next(path for path in sorted(folder.glob("qrels*")) if path.is_file())
    version, more = ("9", []) if kind == "9" else ("10", ["-c"] if kind == "-c" else [])
    found = said(["--compat", version, "-q", "-m", "all_trec", *more, qrels.name, f"runs/{run}"], folder)
    assert found.output == expected.read_bytes()
    errors = expected.with_suffix(".stderr")
    if errors.exists():
        assert errors.read_bytes().startswith(found.errors)


# ---------------------------------------------------------------- what trec_eval cannot be asked


def test_help_needs_no_files_and_names_what_is_asked_for(said) -> None:
    found = said(["-h", "-m", "map", "-R", "prefs", "-m", "runid"])
    assert found.code == 0
    assert found.errors == b""
    text = found.output.decode()
    assert "map\n    The mean of the precisions" in text
    assert "subgroup document level" in text
    assert "\nrunid\n" in text
    assert "\nbpref\n" not in text
    assert b"No measure was requested. To describe a measure, name it with -m." in said(["-h"]).output


@pytest.mark.parametrize("arguments", [["--compat", "8"], ["--compat=x"], ["--compat"]])
def test_compat_is_9_or_10(arguments: list[str], said) -> None:
    found = said([*arguments, "qrels", "run"])
    assert (found.output, found.code) == (b"", 1)
    assert b"9 or 10" in found.errors


def test_compat_may_stand_anywhere_and_hides_no_abbreviation(said, tmp_path: Path) -> None:
    put(tmp_path, {"qrels": "1 0 a 1\n2 0 b 1\n", "run": "1 0 a 1 1 t\n"})
    assert (
        said(["-m", "map", "qrels", "run", "--compat=9"]).output == b"map                   \tall\t1.0000\n"
    )
    assert said(["--comp", "-m", "map", "qrels", "run"]).output == b"map                   \tall\t0.5000\n"


def test_a_run_from_standard_input(said, tmp_path: Path) -> None:
    put(tmp_path, BASE)
    from_file = said(["-q", "-m", "all_trec", "qrels", "run"])
    assert said(["-q", "-m", "all_trec", "qrels", "-"], stdin=BASE["run"].encode()) == from_file


def test_ids_are_bytes(said, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_bytes(b"\xff%s 0 \xfe 1\n")
    (tmp_path / "run").write_bytes(b"\xff%s 0 \xfe 1 1 \xc0%d\n")
    found = said(["-q", "-m", "runid", "-m", "map", "qrels", "run"])
    assert found.output == (
        b"map                   \t\xff%s\t1.0000\n"
        b"runid                 \tall\t\xc0%d\n"
        b"map                   \tall\t1.0000\n"
    )


@pytest.mark.parametrize(
    ("files", "arguments", "output", "code"),
    [
        # Any number of comments, also as the last line.
        ({"qrels": "# a\n# b c d e\n1 0 a 1\n#end\n", "run": "1 0 a 1 1 t\n"}, [], "1.0000", 0),
        # A run without a line of data retrieves nothing.
        ({"qrels": "1 0 a 1\n", "run": "# nothing\n \n"}, ["-c"], "0.0000", 0),
        ({"qrels": "1 0 a 1\n", "run": "# nothing\n \n"}, [], "", 4),
        # A negative depth is none.
        ({"qrels": "1 0 a 1\n", "run": "1 0 a 1 1 t\n"}, ["-M", "-3"], "0.0000", 0),
        # Only negative grades, and below -1, after a query with others.
        ({"qrels": "1 0 a 1\n2 0 a -5\n", "run": "1 0 a 1 1 t\n2 0 a 1 1 t\n"}, [], "0.5000", 0),
        # Means for a query or measure beyond the last of the file.
        ({"qrels": "9 0 a 1\n", "run": "9 0 a 1 1 t\n", "z": "1 a 0 1\n"}, ["-Z", "z"], "-1000000.0000", 0),
    ],
)
def test_departure(
    files: dict[str, str], arguments: list[str], output: str, code: int, said, tmp_path: Path
) -> None:
    put(tmp_path, files)
    found = said([*arguments, "-m", "map", "qrels", "run"])
    assert found.code == code
    assert re.findall(r"\tall\t(.*)\n", found.output.decode()) == ([output] if output else [])


def test_measures_of_gains_have_each_their_own_parameters(said, tmp_path: Path) -> None:
    put(tmp_path, BASE)
    together = said(["-m", "dcg.1=3", "-m", "ndcg", "-m", "ideal_dcg", "qrels", "run"]).output
    alone = [said(["-m", name, "qrels", "run"]).output for name in ("dcg.1=3", "ideal_dcg", "ndcg")]
    assert together == b"".join(alone)


def test_rbp_is_the_same_beside_other_measures(said, tmp_path: Path) -> None:
    put(tmp_path, BASE)
    alone = said(["-q", "-m", "rbp", "qrels", "run"]).output
    beside = said(["-q", "-m", "rbp", "-m", "ndcg", "-m", "yaap", "qrels", "run"]).output
    assert b"".join(line for line in beside.splitlines(True) if line.startswith(b"rbp")) == alone


def test_capped_preferences_use_no_more_documents_than_there_are(said, tmp_path: Path) -> None:
    # Two relevant documents, two below them on two levels: the lowest level has only one of the two that are wanted.
    put(
        tmp_path,
        {
            "levels": "1 g a 1\n1 g b 1\n1 g c 0\n1 g d -1\n1 g e 0\n",
            "run": "".join(f"1 0 {name} 0 {9 - place} t\n" for place, name in enumerate("abcde")),
        },
    )
    found = said(["-m", "prefs_avgjg_Rnonrel", "-R", "qrels_prefs", "levels", "run"])
    # a, b > c, e: 4 kept; a, b, c with d: 3 kept; e and d itself with d: 2 not.
    assert found.output == b"prefs_avgjg_Rnonrel   \tall\t%.4f\n" % (7 / 9)


def test_a_document_twice_below_the_depth_is_not_seen(said, tmp_path: Path) -> None:
    run = "1 0 b 1 9 t\n1 0 a 1 8 t\n1 0 a 1 1 t\n"
    put(tmp_path, {"qrels": "1 0 a 1\n", "run": run, "groups": "1 g a 1\n"})
    assert said(["-M", "2", "-m", "map", "qrels", "run"]).output == b"map                   \tall\t0.5000\n"
    found = said(["-M", "2", "-m", "map_avgjg", "-R", "qrels_jg", "groups", "run"])
    assert found.output == b"map_avgjg             \tall\t0.5000\n"
