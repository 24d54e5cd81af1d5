"""A derivation in mathematics: LaTeX that is balanced, for every measure, made of the traced steps."""

from __future__ import annotations

import re

import pytest

import karat
from cases import CASES
from karat.measures import REGISTER

NAMES = sorted({case.measure for case in CASES})
KNOWN = {"tiedrank", "latest", "outranked", "changes", "following", "listed", "highestgrade", "totalunjudged"}
"""Words of lists that have no sign of mathematics."""


def formula(name: str) -> str:
    case = next(case for case in CASES if case.measure == name)
    return karat.explain(name, grades=case.ranked or [0], judged=case.judged).formula()


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
    assert set(re.findall(r"\\operatorname\{(\w+)\}", text)) <= KNOWN


def test_every_measure_that_can_be_traced_has_one() -> None:
    traced = {name.partition("(")[0].partition("@")[0] for name in NAMES}
    apart = {name for name, each in REGISTER.items() if each.groups or "Prefs" in name}
    assert set(REGISTER) - traced <= apart


def test_the_formula_is_the_derivations() -> None:
    found = karat.explain("DCG(gain=exp2)@3", grades=[2, 1, 0])
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
    text = karat.explain("nDCG(gain=binary(2))", grades=[2, 1, 0]).formula()
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
    assert says in karat.explain(name, grades=[2, 1, None, 0], judged=[3, 2, 1, 0]).formula()
