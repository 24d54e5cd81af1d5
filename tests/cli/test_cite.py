"""``carob cite``: the sentence for a paper, the sources of the measures, and BibTeX with the version."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from tests.toys import command

import carob

if TYPE_CHECKING:
    import pytest

CITATION = Path(__file__).parents[2] / "CITATION.cff"


def cited(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert command("cite", *words) == 0
    return capsys.readouterr().out


def test_measures_version_conventions_and_sources(capsys: pytest.CaptureFixture[str]) -> None:
    said = " ".join(cited(capsys, "-m", "HR@10", "-m", "nDCG@10").split())
    expected = (
        f"We report HR@10 (Success@10) and nDCG@10, computed with carob {carob.__version__} (policy trec)."
    )
    assert expected in said
    assert "nDCG: Järvelin and Kekäläinen 2002." in said


def test_a_profile_and_its_changes_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    said = " ".join(cited(capsys, "-m", "ndcg@10", "--profile", "ranx", "--missing", "zero").split())
    assert f"(conventions of {carob.list_profiles()['ranx']}, changed: missing zero)" in said


def test_bibtex_and_the_citation_file_have_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    entry = re.search(r"@software\{carob,.*\n\}\n", cited(capsys), re.DOTALL)
    assert entry
    assert f"version = {{{carob.__version__}}}" in entry[0]
    assert f"version: {carob.__version__}\n" in CITATION.read_text(encoding="utf-8")


def test_an_unknown_measure_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("cite", "-m", "nDGC@10") == 2
    assert "Did you mean" in capsys.readouterr().err
