"""The result of a gate: JUnit, annotations, Markdown and text, whatever the ids, and what a check says."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

import carob
from carob.testing.gate_result import Gate, GateCheck

HOSTILE = {
    "q1": "::error::gotcha",
    "q2": "a%0A,b:c",
    "q3": "\x1b[31mred\x07",
    "q4": "<&\"'>]]>",
    "q5": "x\ny",
    "q6": "\udcff\ufffe",
}


def hostile_gate() -> carob.Gate:
    """Queries whose ids mean something to a terminal, to XML and to GitHub; all of them fall."""
    names = [*HOSTILE.values(), *(f"z{each}" for each in range(10))]
    qrels = {name: {"a": 1} for name in names}
    old = {name: {"a": 2.0, "b": 1.0} for name in names}
    new = {name: {"a": 1.0, "b": 2.0 if place < 12 else 0.5} for place, name in enumerate(names)}
    return carob.gate(qrels, new, old, {"RR": 0.01}, worst=20, name="a&b|<c>\x00")


def test_junit_is_well_formed_whatever_the_ids() -> None:
    found = hostile_gate()
    root = ET.fromstring(found.to_junit())
    assert root.tag == "testsuites"
    (suite,) = root
    assert (suite.get("name"), suite.get("tests"), suite.get("failures")) == ("a&b|<c>\\x00", "1", "1")
    case = suite.find("testcase")
    assert case is not None
    assert (case.get("classname"), case.get("name")) == ("carob.gate", "max-drop RR=0.01")
    failure = case.find("failure")
    assert failure is not None
    assert failure.get("message") == found.checks[0].verdict
    assert "1.0000 to 0.5000  <&\"'>]]>" in (failure.text or "")
    assert len((failure.text or "").splitlines()) == 2 + 12


def test_no_id_becomes_a_command_of_its_own() -> None:
    found = hostile_gate()
    annotations = found.to_github().splitlines()
    assert len(annotations) == 1
    assert annotations[0].startswith("::error title=carob gate%3A max-drop RR=0.01::RR fell by 0.3750")
    for text in (found.to_text(), found.to_markdown(), found.to_junit()):
        assert not [line for line in text.splitlines() if line.strip().startswith("::")]
    text = found.to_text()
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\\x1b[31mred\\x07" in text
    assert "x\\ny" in text
    text.encode("utf-8")
    found.to_markdown().encode("utf-8")


def test_markdown_keeps_its_table_whatever_the_names() -> None:
    lines = hostile_gate().to_markdown().splitlines()
    tables = [line for line in lines if line.startswith("|")]
    cells = {line.replace("\\|", "").count("|") for line in tables[:3]}
    assert cells == {10}
    assert lines[0] == "**gate FAILED: a&b\\|&lt;c>\\x00 against run, 1 of 1 checks failed; decided by mean**"


def test_a_gate_does_not_say_both_not_inferior_and_too_few_queries() -> None:
    base: dict[str, Any] = {
        "label": "RR",
        "kind": "max-drop",
        "limit": 0.05,
        "passed": True,
        "before": 0.6,
        "after": 0.61,
    }
    # The interval ends above -.05, though in general 40 such queries would show drops from .0855 on only.
    shown = GateCheck(
        **base, low=-0.02, high=0.04, p_uncorrected=0.5, p_corrected=0.5, detectable=0.0855, queries=40
    )
    assert shown.reading == ["the interval excludes a drop larger than the tolerance: not inferior"]
    assert not shown.doubtful
    unsure = GateCheck(
        **base, low=-0.06, high=0.08, p_uncorrected=0.5, p_corrected=0.5, detectable=0.0855, queries=40
    )
    assert len(unsure.reading) == 2
    assert "too few queries for this tolerance" in unsure.reading[1]
    assert unsure.doubtful
    assert Gate("new", "old", (shown, unsure), 0.05, 2).headline.endswith(
        ", 2 checks passed, 1 not proven; decided by mean"
    )
    assert Gate("new", "old", (shown,), 0.05, 1).headline.endswith(", 1 check passed; decided by mean")
