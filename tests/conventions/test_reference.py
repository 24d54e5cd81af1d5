"""The dictionary of measures: formulas as they stand in their files, and what other tools mean by the names."""

from __future__ import annotations

import ast

import pytest

from carob.conventions.reference import elsewhere, entry, facts, formula, mathematics
from carob.measures import REGISTER, Measure, parse_measure
from cases import OF_LISTS
from strategies import first


@pytest.mark.parametrize("name", OF_LISTS)
def test_a_formula_is_code_without_its_docstring(name: str) -> None:
    text = formula(REGISTER[name])
    assert '"""' not in text
    assert "return" in text
    ast.parse(f"def formula():\n    {text.replace(chr(10), chr(10) + '    ')}")


@pytest.mark.parametrize("name", first(OF_LISTS, 25))
def test_an_entry_says_everything_in_terminal_width(name: str) -> None:
    text = entry(REGISTER[name])
    definition = REGISTER[name]
    for parameter in definition.parameters:
        assert f"`{parameter}`:" in text
    assert definition.source.split()[0] in text
    assert max(map(len, text.splitlines())) <= 120


@pytest.mark.long
def test_each_meaning_is_a_measure_that_parses_to_itself() -> None:
    for name, definition in OF_LISTS.items():
        for meaning in elsewhere(definition):
            whole = meaning if "@" in meaning or name != "P" else f"{meaning}@10"
            if definition.whole and "@" not in whole:
                whole = f"{whole}@10"
            assert parse_measure(whole).name == name


def test_the_same_word_has_several_meanings() -> None:
    meanings = elsewhere(REGISTER["AP"])
    assert "ranx map" in meanings["AP"]
    assert "torchmetrics RetrievalMAP" in meanings["AP(over=retrieved)"]
    assert "lightgbm map" in meanings["AP(over=capped)"]


@pytest.mark.parametrize(
    ("other", "own"),
    [
        ("MAP@100", "AP@100"),
        ("MRR@10", "RR@10"),
        ("NDCG@10", "nDCG@10"),
        ("Recall@5", "R@5"),
        ("F1@3", "F@3"),
    ],
)
def test_common_synonyms_are_read_and_named_in_the_entry(other: str, own: str) -> None:
    measure = parse_measure(other)
    assert isinstance(measure, Measure)
    assert str(measure) == own
    assert f"`{other.partition('@')[0]}`" in facts(measure.definition)["also called"]


def test_the_entry_of_a_measure_whose_at_names_its_parameter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("carob.measures.define.REGISTER", {})
    from carob.measures.define import REGISTER as ALONE
    from carob.measures.define import measure

    def patient(r, patience=5):  # type: ignore[no-untyped-def]
        """The number of relevant documents that a patient reader meets."""
        return r.total(r.hits(1) * r.within(patience))

    measure("Patient", at="patience", source="this test")(patient)
    assert "- written" not in entry(ALONE["Patient"])
    assert facts(ALONE["Patient"])["written as"] == "`Patient`, `Patient@5`"
    assert "\\mathit{patience}" in mathematics(ALONE["Patient"])
