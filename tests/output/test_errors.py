"""Errors: sentences made of fields, in both wordings, in this process and in others."""

from __future__ import annotations

import pickle

import pytest

from carob.output.errors import (
    ArgumentError,
    ContentError,
    DataError,
    DataWarning,
    UncomputableError,
    by_policy,
    by_reading,
    command_of,
    did_you_mean,
    refuse_other,
    warn,
    worded,
)


def test_wordings_go_together_and_to_other_processes() -> None:
    text = worded("Choose ", by_policy("duplicates", "first", "last", "max"), ".")
    assert text == "Choose policy=carob.Policy(duplicates='first'), 'last' or 'max'."
    assert command_of(text) == "Choose --duplicates first, last or max."
    assert command_of(pickle.loads(pickle.dumps(text))) == command_of(text)
    assert command_of(by_policy("malformed", "skip")) == "--lenient"
    assert command_of(by_policy("depth", 5)) == "--depth 5"
    assert by_reading("qrels", grade=1) == "carob.Qrels.of(qrels, grade=1)"
    assert command_of(by_reading("qrels", grade=1)) == "--qrels-columns grade:=1"
    assert command_of(by_reading("run", folders="prefix")) == "--folders prefix"


def test_an_error_is_a_sentence_made_of_its_fields() -> None:
    error = DataError(
        "'x' is not a number.", line=3, query="q1", remedy=worded("Use ", by_policy("malformed", "skip"), ".")
    )
    assert str(error) == "line 3: 'x' is not a number. Use policy=carob.Policy(malformed='skip')."
    assert error.at(file="a\n.run") is error
    assert command_of(error.said) == "a\\n.run, line 3: 'x' is not a number. Use --lenient."
    assert error.as_dict(command=True) == {
        "kind": "DataError",
        "message": command_of(error.said),
        "file": "a\n.run",
        "line": 3,
        "query": "q1",
        "remedy": "Use --lenient.",
    }
    assert error.as_dict()["remedy"] == "Use policy=carob.Policy(malformed='skip')."
    assert str(DataError("no.", file="a.parquet", row=4)) == "a.parquet, row 4 (from 0): no."
    assert DataError("no.").as_dict() == {"kind": "DataError", "message": "no."}


def test_errors_go_to_other_processes_with_their_fields() -> None:
    for error in (
        DataError("no.", line=3),
        UncomputableError("no.", 1, "AP", query="q"),
        ContentError("a", "a program"),
    ):
        made = pickle.loads(pickle.dumps(error))
        assert type(made) is type(error)
        assert made.as_dict() == error.as_dict()
        assert vars(made) == vars(error)


def test_an_unknown_word_is_refused_with_the_nearest_and_all_known_ones() -> None:
    refuse_other("ties", "input", ("input", "score"))
    with pytest.raises(ArgumentError) as refused:
        refuse_other("ties", "inptu", ("input", "score"))
    assert str(refused.value) == "There is no ties='inptu'. Did you mean input? The choices are input, score."
    with pytest.raises(ArgumentError) as refused:
        refuse_other("ties", 7, ("input", "score"))
    assert str(refused.value) == "There is no ties=7. The choices are input, score."
    assert did_you_mean("ndgc", ["nDCG", "AP"], "None.") == "Did you mean nDCG?"
    assert did_you_mean("xyz", ["nDCG", "AP"], "None.") == "None."


def test_a_warning_stands_at_the_line_that_called_carob() -> None:
    with pytest.warns(DataWarning) as told:
        warn("one\ntwo")
    assert [(str(each.message), each.filename) for each in told] == [("one\\ntwo", __file__)]
