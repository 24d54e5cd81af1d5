"""Attacks by arguments: what is not a name, number, list or file is answered in a sentence."""

from __future__ import annotations

import gc
import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import carob
from carob.inputs.sources import source_of
from hostile.attack import attacked

if TYPE_CHECKING:
    from collections.abc import Callable

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
RUN = {"q1": {"d2": 3.0, "d1": 2.0}, "q2": {"d3": 1.0}}
PAIR = {"a": RUN, "b": {"q1": {"d1": 1.0}, "q2": {"d9": 1.0}}}
SCORES, GRADES = np.array([[0.1, 0.2]]), np.array([[1, 0]])
TEXT, TIMES = np.array([["a", "b"]]), np.array([["2020-01-01", "2020-01-02"]], "datetime64[D]")
STATE = carob.Meter(["RR"]).state_dict()


def meter() -> carob.Meter:
    return carob.Meter(["RR"])


def measured(scores: Any = SCORES, relevance: Any = GRADES, **named: Any) -> Any:
    return carob.tensors.evaluate(scores, relevance, ["RR"], **named)


def any_(*arguments: Any, call: Any = carob.evaluate, **named: Any) -> Callable[[], Any]:
    """The call, for arguments that no type checker lets pass."""
    return lambda: call(*arguments, **named)


CASES: dict[str, tuple[Callable[[], Any], str]] = {
    "measures": (any_(QRELS, RUN, 5), "measures=5"),
    "measures in a list": (any_(QRELS, RUN, [5]), "does not name a measure"),
    "measures of ids": (any_([["a"]], [["a"]], measures=5, call=carob.evaluate_ids), "measures=5"),
    "name": (any_(QRELS, RUN, name=5), "name=5"),
    "name of grades": (any_([[1, 0]], name=5, call=carob.evaluate_grades), "name=5"),
    "profile": (any_(QRELS, RUN, profile=5), "profile=5"),
    "profiles": (any_(QRELS, RUN, profile=["trec_eval-9"]), "one profile"),
    "weights": (any_(QRELS, RUN, weights=5), "weights=5"),
    "weights in a list": (any_(QRELS, RUN, weights=[1, 2]), "weights="),
    "several runs": (any_("RR", QRELS, PAIR, query="q1", call=carob.explain), "2 runs by name"),
    "several lists": (any_("RR", QRELS, {"a": {"q1": ["d1"]}}, call=carob.curve), "1 run by name"),
    "several runs under one name": (any_(QRELS, PAIR, name="x"), "is a name for a single run"),
    "several runs of a gate": (any_(QRELS, PAIR, RUN, {"RR": 0.1}, call=carob.gate), "2 runs by name"),
    "rows of judgments": (any_({"q1": [{"foo": "d1"}]}, RUN), "no column with a usual name"),
    "rows of a run": (any_(QRELS, {"q1": [{"foo": "d1"}]}), "no column with a usual name"),
    "pairs of a run": (any_(QRELS, {"q1": [["d1", 2.0]]}), "found a list"),
    "depth": (any_(depth=True, call=carob.Policy), "depth=True"),
    "no judgments": (any_([], RUN), "no judgments"),
    "grades": (any_(5, call=carob.evaluate_grades), "Pass lists of grades"),
    "runs": (any_(QRELS, 5, call=carob.compare), "several runs"),
    "seed": (any_(seed=-1, call=carob.Test), "seed=-1"),
    "seed of a test": (any_(seed=1.5, call=carob.Test), "seed=1.5"),
    "seed of judges": (any_(QRELS, QRELS, seed=-1, call=carob.agreement), "seed=-1"),
    "test of a page": (any_(QRELS, PAIR, test="x", call=carob.report), "test='x'"),
    "alpha": (any_(alpha="x", call=carob.Test), "alpha='x'"),
    "rope": (any_(rope="x", call=carob.Test), "rope='x'"),
    "resamples": (any_(resamples="x", call=carob.Test), "resamples='x'"),
    "groups": (any_(QRELS, PAIR, by=5, call=carob.compare), "Cannot read a int"),
    "confidence": (any_(confidence="x", call=carob.Test), "confidence='x'"),
    "objects as scores": (any_(SCORES.astype(object), call=measured), "of type object"),
    "objects as grades": (any_(SCORES, GRADES.astype(object), call=measured), "of type object"),
    "text as scores": (any_(TEXT, call=measured), "of type <U1"),
    "text as grades": (any_(SCORES, TEXT, call=measured), "of type <U1"),
    "text as a mask": (any_(mask=TEXT, call=measured), "of type <U1"),
    "text as weights": (any_(weights=np.array(["a"]), call=measured), "of type <U1"),
    "times as scores": (any_(TIMES, call=measured), "of type datetime64"),
    "times as grades": (any_(SCORES, TIMES, call=measured), "of type datetime64"),
    "complex scores": (any_(SCORES.astype(complex), call=measured), "of type complex"),
    "ids as query numbers": (
        any_(SCORES[0], GRADES[0], ragged=carob.tensors.Ragged(np.array([0, 2**40])), call=measured),
        "number the queries without gaps",
    ),
    "a huge number of queries": (
        any_(
            SCORES[0],
            GRADES[0],
            ragged=carob.tensors.Ragged(np.array([0, 1]), n_queries=2**40),
            call=measured,
        ),
        "number the queries from 0 without gaps",
    ),
    "a number merged": (lambda: meter().merge(any_), "carob.Meter"),  # type: ignore[arg-type]
    "a number added": (lambda: meter().add(5), "carob.Scores"),  # type: ignore[arg-type]
}
STATES: dict[str, Any] = {
    "a number": 5,
    "nothing": None,
    "an empty one": {},
    "a list": [1],
    "measures alone": {"measures": ["RR"]},
    "measures as a number": {**STATE, "measures": 5},
    "a count of text": {**STATE, "count": "a"},
    "a negative count": {**STATE, "count": -1},
    "sums of text": {**STATE, "sums": "x"},
    "sums of another shape": {**STATE, "sums": [[1, 2, 3]]},
    "fingerprints that are none": {**STATE, "seen": ["zz"]},
    "queries in a list": {**STATE, "queries": []},
    "half a query": {**STATE, "queries": {"a": [1]}},
}


@pytest.mark.parametrize("case", CASES)
def test_a_wrong_argument_is_answered_in_a_sentence(case: str, request: pytest.FixtureRequest) -> None:
    if case == "test of a page":
        request.getfixturevalue("report_libraries")
    call, said = CASES[case]
    with pytest.raises(carob.CarobError) as refused:
        call()
    assert said in str(refused.value)


@pytest.mark.parametrize("case", STATES)
def test_what_is_no_state_of_a_meter_is_refused(case: str) -> None:
    with pytest.raises(carob.DataError, match="not the state of a carob"):
        meter().load_state_dict(STATES[case])


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_one_column_is_no_frame(library: str) -> None:
    made = pytest.importorskip(library, reason=f"needs {library}").Series([1, 2])
    for qrels, run in ((made, RUN), (QRELS, made)):
        with pytest.raises(carob.DataError, match=r"one column\. Pass a data frame"):
            carob.evaluate(qrels, run)


@pytest.mark.parametrize("nothing", [{}, [], {"q1": []}, {"q1": set()}, b"", "frame"])
def test_nothing_to_exclude_excludes_nothing(nothing: Any) -> None:
    if nothing == "frame":
        nothing = pytest.importorskip("pandas", reason="needs pandas").DataFrame(
            {"query": np.array([], str), "document": np.array([], str)}
        )
    scores = carob.evaluate(QRELS, RUN, ["RR"], exclude=nothing)
    assert scores["RR"] == carob.evaluate(QRELS, RUN, ["RR"])["RR"]
    assert scores.counts.excluded == 0


BESIDE = ("--by", "--cluster", "--weights")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("q1 0 a 1\nq2 0 b 1\nq3 0 c 1\n")
    Path("one").write_text("q1 Q0 a 1 1 t\nq2 Q0 x 1 1 t\nq3 Q0 c 1 1 t\n")
    Path("two").write_text("q1 Q0 x 1 1 t\nq2 Q0 b 1 1 t\nq3 Q0 c 1 1 t\n")
    return tmp_path


@pytest.mark.parametrize("option", BESIDE)
@pytest.mark.parametrize("what", ["a long line", "no end"])
def test_a_file_beside_is_read_a_line_at_a_time(folder: Path, option: str, what: str) -> None:
    file = Path("long")
    file.write_bytes(b"x" * (2**20 + 2))
    if what == "no end":
        file = Path("/dev/zero")
        if not file.exists():
            pytest.skip("the machine has no /dev/zero")
    answer = attacked("compare", "qrels", "one", "two", option, file)
    assert answer.code == 2
    assert "line 1: the line is longer than" in answer.err


@pytest.mark.parametrize("option", ["--queries", "--documents"])
@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="the machine has no /dev/zero")
@pytest.mark.usefixtures("report_libraries")
def test_words_without_an_end_are_refused(folder: Path, option: str) -> None:
    answer = attacked("report", "qrels", "one", "two", "-o", "page.html", option, "/dev/zero")
    assert answer.code == 2
    assert "line 1: the line is longer than" in answer.err


@pytest.mark.parametrize(
    ("option", "lines"), [("--by", b"q1 g\nq2 h\nq3 g\n"), ("--weights", b"q1 1\nq2 2\nq3 1\n")]
)
def test_a_file_beside_may_be_standard_input(folder: Path, option: str, lines: bytes) -> None:
    Path("beside").write_bytes(lines)
    command = ("compare", "qrels", "one", "two", "-m", "AP", "--format", "json", option)
    piped, read = attacked(*command, "-", stdin=lines), attacked(*command, "beside")
    assert (piped.code, read.code) == (0, 0)
    assert piped.out.replace("standard input", "beside") == read.out
    twice = attacked("compare", "-", "one", "two", option, "-", stdin=lines)
    assert "can be read only once" in twice.err


def test_a_pipe_given_twice_is_refused_by_its_name(folder: Path) -> None:
    os.mkfifo("pipe")
    for command in (("eval", "pipe", "pipe"), ("compare", "pipe", "one", "two", "--weights", "pipe")):
        attacked(*command).refused("pipe: this pipe can be read only once. Pass files")


@pytest.mark.parametrize("option", ["--unseen", "--max-grade"])
def test_what_needs_bounds_names_the_option_that_gives_them(folder: Path, option: str) -> None:
    attacked("compare", "qrels", "one", "two", option, "3").refused("Add --unjudged-bounds.")


@pytest.mark.parametrize("command", ["compare", "report", "agreement"])
def test_a_negative_seed_is_refused(folder: Path, command: str) -> None:
    files = ("qrels", "qrels") if command == "agreement" else ("qrels", "one", "two")
    more = ("-o", "page.html") if command == "report" else ()
    answer = attacked(command, *files, "--seed", "-1", *more)
    assert answer.code == 2
    assert "--seed" in answer.err


@pytest.mark.parametrize("how", ["a path", "bytes", "standard input"])
def test_pairs_to_exclude_may_be_two_columns(folder: Path, how: str) -> None:
    Path("seen").write_bytes(b"# query document\nq1 a\n\nq2 x\n")
    if how == "standard input":
        answer = attacked("eval", "qrels", "one", "-m", "AP", "--exclude", "-", stdin=b"q1 a\nq2 x\n")
        assert (answer.code, answer.err) == (0, "")
        assert "2 documents excluded" in answer.out
        return
    seen: Any = "seen" if how == "a path" else Path("seen").read_bytes()
    assert carob.evaluate("qrels", "one", "AP", exclude=seen).counts.excluded == 2


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="the machine has no /dev/zero")
def test_a_device_is_closed_when_nothing_reads_it_any_more() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with pytest.raises(carob.DataError, match="the line is longer than"):
            list(source_of("/dev/zero").lines())
        gc.collect()
    assert not [each.message for each in caught if each.category is ResourceWarning]


def test_pairs_of_two_and_three_columns_are_refused(folder: Path) -> None:
    with pytest.raises(carob.DataError, match="line 1: found 2 columns"):
        carob.evaluate("qrels", "one", "AP", exclude=b"q1 a\nq2 x y\n")


def test_a_table_on_standard_input_is_told_how_it_is_read(folder: Path) -> None:
    answer = attacked("eval", "qrels", "-", stdin=b"query,document,score\nq1,a,1\n")
    assert answer.code == 2
    assert "looks like CSV or JSON" in answer.err


@pytest.mark.parametrize("correlation", ["0.95", "0.999999999999"])
def test_a_correlation_is_shown_as_it_was_given(correlation: str, folder: Path) -> None:
    lines = [(f"q{each}", 1 + each % 3) for each in range(8)]
    (folder / "many.txt").write_text("".join(f"{query} 0 a 1\n" for query, _ in lines))
    for name in ("x", "y"):
        ranked = "".join(
            f"{query} Q0 {'a' if name == 'x' else 'b' * place} 1 2 t\n" for query, place in lines
        )
        (folder / f"{name}.run").write_text(ranked.replace(" bb ", " a "))
    given = ("plan", "many.txt", "x.run", "y.run", "-m", "RR", "--difference", ".2")
    done = attacked(*given, "--correlation", correlation, "--judged-queries", "2000").answered()
    assert f"have the correlation {correlation} with people's differences" in " ".join(done.out.split())
