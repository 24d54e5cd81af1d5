"""The kinds of findings, and the sentences that are made of them."""

from __future__ import annotations

import pytest

import carob
from carob import DataError
from carob.diagnosis.check import KINDS, check
from carob.diagnosis.check.finding import both_wordings, catalogue, found, moved, refusal, told
from carob.output.errors import command_of, worded
from diagnosis.broken import CASES
from diagnosis.checked import QRELS, lines


def test_every_finding_has_a_broken_file() -> None:
    between = catalogue()["collections"]  # test_collections.py has these
    assert set(CASES) == set(KINDS) - set(between)


def test_the_same_finding_in_many_runs_is_told_once() -> None:
    runs = [lines("q2 Q0 d 1 1")] * 5
    assert check(QRELS, *runs).to_text().count("missing-queries") == 1
    assert len(check(QRELS, *runs).of("missing-queries")) == 5


def test_effects_are_told_in_the_measures_asked_for() -> None:
    found = check(QRELS, lines("q2 Q0 d 1 1"), measures=["P@1"])
    assert "P@1 0.5000 counted as 0" in found.of("missing-queries")[0].effect
    with pytest.raises(carob.MeasureError):
        check(QRELS, lines("q2 Q0 d 1 1"), measures=["nothing"])


def test_means_under_alternatives_are_told_in_one_line() -> None:
    values = {"first": {"AP": 0.5, "RR": 1.0}, "last": {"AP": 0.25, "RR": 1.0}}
    assert told(values) == "AP 0.5000 first, 0.2500 last; RR 1.0000 either way."
    assert told({"first": {"AP": 0.5}}) == ""
    assert moved(values)
    assert not moved({"first": {"AP": 0.5}, "last": {"AP": 0.5005}})


def test_a_finding_has_what_its_kind_says_unless_it_says_otherwise() -> None:
    finding = found("interleaved", "r.run", count=5, values={"a": {"AP": 0.5}, "b": {"AP": 0.25}})
    assert (finding.severity, finding.count, finding.subject, finding.place) == ("note", 5, "r.run", "r.run")
    assert finding.what == ("the lines of queries are scattered over the file: 5 returns to an earlier query")
    assert finding.effect.endswith(" as a separate query. AP 0.5000 a, 0.2500 b.")
    assert finding.remedy == "If other tools read the file, sort the lines by query."
    own = found("interleaved", "r.run", "a sentence", severity="error", effect="None.", remedy="Wait.")
    assert (own.what, own.severity, own.effect, own.remedy) == ("a sentence", "error", "None.", "Wait.")
    with pytest.raises(KeyError):
        found("no-such-kind", "r.run")


def test_a_refusal_keeps_the_sentence_and_the_remedy_of_its_error() -> None:
    finding = refusal("refused", "qrels", DataError("It is odd.", remedy="Mend it."))
    assert (finding.code, finding.severity, finding.what) == ("refused", "error", "It is odd")
    assert finding.remedy == "Mend it."


def test_the_words_of_python_and_of_the_command_line_are_told_apart() -> None:
    assert both_wordings("{as called||as typed}") == "as called"
    assert command_of(worded("Write it ", both_wordings("{as called||as typed}"))) == "Write it as typed"
