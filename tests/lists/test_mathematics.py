"""A derivation in mathematics: LaTeX that is balanced, for every measure, made of the traced steps."""

from __future__ import annotations

import re

import numpy as np
import pytest

import carob
from carob.conventions.reference import mathematics, sample, traced
from carob.measures import REGISTER
from cases import CASES, OF_LISTS

NAMES = sorted({case.measure for case in CASES})
KNOWN = {"tiedrank", "latest", "outranked", "changes", "following", "listed", "highestgrade", "totalunjudged"}
"""Words of lists that have no sign of mathematics."""


def formula(name: str) -> str:
    case = next(case for case in CASES if case.measure == name)
    return carob.explain(name, grades=case.ranked or [0], judged=case.judged).formula()


@pytest.mark.parametrize("name", NAMES)
def test_the_formula_of_every_measure_is_balanced(name: str) -> None:
    text = formula(name)
    depth = 0
    for part in re.findall(r"\\.|[{}]", text):
        depth += {"{": 1, "}": -1}.get(part, 0)
        assert depth >= 0
    assert depth == 0
    for left, right in (("\\left", "\\right"), ("\\begin{", "\\end{")):
        assert len(re.findall(re.escape(left) + r"(?![a-z])", text)) == len(
            re.findall(re.escape(right) + r"(?![a-z])", text)
        )
    assert text.startswith("\\begin{align*}\n")
    assert "None" not in text
    assert set(re.findall(r"\\mathrm\{(\w+)\}", text)) <= KNOWN


def test_every_measure_that_can_be_traced_has_one() -> None:
    traced = {carob.Measure.parse(name).name for name in NAMES}
    apart = {name for name, each in OF_LISTS.items() if each.groups or "Prefs" in name}
    assert set(OF_LISTS) - traced <= apart


@pytest.mark.parametrize("name", OF_LISTS)
def test_mathematics_of_the_page_is_the_formula_at_its_defaults(name: str) -> None:
    definition = REGISTER[name]
    given = {each: value.default for each, value in definition.parameters.items()}
    value = definition.formula(sample(definition.takes), **given)
    assert traced(definition).numbers.tolist() == pytest.approx(
        np.atleast_1d(value).tolist(), abs=0, nan_ok=True
    )


def test_every_measure_but_the_longest_has_mathematics() -> None:
    written = {name: mathematics(each) for name, each in OF_LISTS.items()}
    assert [name for name, text in written.items() if not text] == ["IPrecMean"]
    for name, text in written.items():
        assert text.count("{") == text.count("}"), name
        # What GitHub's renderer refuses, and what is not a name of a reader's.
        assert "\\operatorname" not in text, name
        assert "None" not in text, name
        assert set(re.findall(r"\\mathrm\{(\w+)\}", text)) <= KNOWN, name


def test_numbers_of_the_page_are_named_and_ranks_are_nested() -> None:
    assert mathematics(REGISTER["NRBP"]).splitlines()[-2] == (
        "\\text{NRBP} &= \\left(1 - \\left(1 - \\alpha\\right) \\cdot \\beta\\right) \\cdot "
        "\\frac{\\frac{1}{|G|} \\sum_{g} \\mathsf{a}_{g} \\cdot \\sum_{i} \\mathsf{b}_{g, i} \\cdot "
        "\\left(1 - \\alpha\\right)^{\\sum_{j < i} \\mathsf{b}_{g, j}} \\cdot "
        "\\beta^{\\mathit{rank}_{g, i} - 1}}{\\frac{1}{|G|} \\sum_{g} \\mathsf{a}_{g}}"
    )


def test_the_formula_is_the_derivations() -> None:
    found = carob.explain("DCG(gain=exp2)@3", grades=[2, 1, 0])
    assert found.formula() == (
        "\\begin{align*}\n"
        "\\mathsf{a}_{i} &= 2^{\\max(\\mathit{grade}_{i}, 0)} - 1 \\\\\n"
        "\\mathsf{b}_{i} &= \\log_{2}\\left(\\mathit{rank}_{i} + 1\\right) \\\\\n"
        "\\mathsf{c}_{i} &= \\frac{\\mathsf{a}_{i}}{\\mathsf{b}_{i}} \\\\\n"
        "\\mathsf{d} &= \\sum_{i} \\mathsf{c}_{i} \\\\\n"
        "\\text{DCG(gain=exp2)@3} &= \\mathsf{d}\n"
        "\\end{align*}"
    )
    assert len(found.derivation.mathematics) == len(found.steps)
    for line, step in zip(found.derivation.mathematics, found.steps):
        assert line.startswith(f"\\mathsf{{{step.letter[0]}}}")
    assert found.formula() in found.to_latex()


def test_a_star_marks_the_ideal_list() -> None:
    text = carob.explain("nDCG(gain=binary(2))", grades=[2, 1, 0]).formula()
    assert "\\left[\\mathit{grade}_{i} \\geq 2\\right]" in text or "[\\mathit{grade}_{i} \\geq 2]" in text
    assert "\\mathit{grade}^{*}_{i} \\geq 2" in text
    assert "$\\ast$ ideal(binary(2), judged)" in text


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("RR", "\\max_{i} \\mathsf{b}_{i}"),
        ("P@5", "\\mathit{depth}"),
        ("R(over=capped)@2", "\\min\\left("),
        ("RBP(p=0.8,rel=1)", "0.8^{"),
        ("ERR", "\\prod_{j < i} \\mathsf{b}_{j}"),
        ("DCG(gain={1:5,2:0.5})@3", "\\begin{cases} 5 & \\text{if } \\mathit{grade}_{i} = 1"),
        ("DCG(discount=jk(2))", "\\max\\left(1, \\log_{2} \\mathit{rank}_{i}\\right)"),
        ("INST", "\\left(\\frac{\\mathsf{d}_{i} - 1}{\\mathsf{d}_{i}}\\right)"),
    ],
)
def test_words_have_their_signs(name: str, says: str) -> None:
    assert says in carob.explain(name, grades=[2, 1, None, 0], judged=[3, 2, 1, 0]).formula()
