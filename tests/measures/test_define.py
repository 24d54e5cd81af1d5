"""Measures and profiles that users bring: enrolled in Python, imported by the command line, read from TOML."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import pytest

import carob
from carob.measures import one_of

if TYPE_CHECKING:
    from pathlib import Path

    from carob.lists import Lists, Queries

GRADES = [[0, 2, 1], [3, 0, 0]]


def test_parameters_are_read_from_the_signature() -> None:
    @carob.measure("Share", source="here")
    def share(r: Lists, rel: float = 1, of: Literal["depth", "found"] = "depth") -> Queries:
        """The share of relevant documents."""
        return r.ratio(r.total(r.hits(rel)), r.depth if of == "depth" else r.length)

    found = carob.evaluate_grades(GRADES, ["Share@2", "Share(rel=3)@2", "Share(of=found)@10"]).means()
    assert found == pytest.approx(
        {"Share@2": 0.5, "Share(rel=3)@2": 0.25, "Share(of=found)@10": (2 / 3 + 1 / 3) / 2}
    )
    with pytest.raises(carob.MeasureError, match="of must be one of depth, found"):
        carob.Measure.parse("Share(of=all)@2")
    assert "Share" in carob.list_measures()


def test_a_measure_defined_again_takes_the_place_of_the_first() -> None:
    for factor in (1.0, 2.0):

        @carob.measure("Again", source="here", values=(0, 2))
        def again(r: Lists, by: float = factor) -> Queries:
            """The number of queries, times something."""
            return r.length * 0.0 + by

        assert carob.evaluate_grades(GRADES, "Again")["Again"] == factor


def test_carobs_own_measures_stay() -> None:
    with pytest.raises(carob.MeasureError, match="A measure AP already exists"):

        @carob.measure("AP", source="here")
        def other(r: Lists) -> Queries:
            """Something else."""
            return r.length


@pytest.mark.parametrize("name", ["P@10", "", "two words", "1st"])
def test_a_name_can_be_read_back(name: str) -> None:
    with pytest.raises(carob.MeasureError, match="A measure's name is a word"):
        carob.measure(name)(lambda r: r.length)


def test_a_default_says_what_a_parameter_may_be() -> None:
    with pytest.raises(carob.MeasureError, match="parameter kind does not declare the allowed values"):

        @carob.measure("Vague", source="here")
        def vague(r: Lists, kind: str = "all") -> Queries:
            """Vague."""
            return r.length

    @carob.measure("Clear", source="here")
    def clear(r: Lists, kind: str = one_of("all", "some")) -> Queries:
        """Clear."""
        return r.length * (0.0 if kind == "all" else 1.0)

    assert carob.evaluate_grades(GRADES, "Clear(kind=some)").means() == {"Clear(kind=some)": 3}


def test_a_formula_that_fails_is_named() -> None:
    @carob.measure("Mixed", source="here")
    def mixed(r: Lists) -> Queries:
        """Documents of some lists on others."""
        return r.best(r.top(1).hits(1))

    with pytest.raises(
        carob.MeasureError, match=r"The formula of Mixed, in \S*test_define, fails: ValueError"
    ):
        carob.evaluate_grades(GRADES, "Mixed")


def test_measures_are_objects() -> None:
    assert carob.nDCG(gain="exp2") @ 10 == carob.Measure.parse("nDCG(gain=exp2)@10")
    assert str(carob.P(rel=2) @ 5) == "P(rel=2)@5"
    assert str(carob.nDCG(gain={1: 1, 2: 10}) @ 3) == "nDCG(gain={1:1,2:10})@3"
    assert carob.AUC(micro=True) == carob.Measure.parse("AUC(micro=true)")
    scores = carob.evaluate_grades(GRADES, [carob.P @ 1, carob.RR])
    assert scores[carob.P @ 1] == 0.5
    assert carob.RR in scores
    with pytest.raises(carob.MeasureError, match="P needs a depth"):
        carob.evaluate_grades(GRADES, carob.P(rel=2))
    with pytest.raises(AttributeError, match="no attribute 'nDCG10'"):
        _ = carob.nDCG10


def test_a_profile_is_taken_wherever_a_name_is() -> None:
    mine = carob.Profile("mine", "this page", names={"ndcg": "nDCG(gain=exp2)@2"}, measures=("ndcg",))
    scores = carob.evaluate_grades(GRADES, profile=mine)
    assert scores["ndcg"] == carob.evaluate_grades(GRADES, "nDCG(gain=exp2)@2")["nDCG(gain=exp2)@2"]
    assert "profile mine" in scores.footer()


TOML = """
measures = ["ndcg", "AP"]
names = { ndcg = "nDCG(gain=exp2)@5" }
axes = { AP = { over = "capped" } }
[policy]
ties = "input"
"""


def test_a_profile_out_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(TOML)
    scores = carob.evaluate_grades(GRADES, profile=tmp_path / "mine.toml")
    assert scores.labels == ("ndcg", "AP")
    assert [str(each) for each in scores.measures] == ["nDCG(gain=exp2)@5", "AP(over=capped)"]
    assert scores.policy.ties == "input"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("measures = 1", "measures is an array, not int"),
        ("measure = []", "a profile cannot contain 'measure'. Did you mean measures"),
        ("a = ", "is not TOML"),
        ("[policy]\nties = 'none'", "ties"),
        ("axes = { AP = 1 }", "axes of AP must be a table"),
    ],
)
def test_a_file_that_holds_no_profile_is_named(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(carob.PolicyError) as error:
        carob.evaluate_grades(GRADES, profile=str(path))
    assert str(path) in str(error.value)
    assert said in str(error.value)


MODULE = '''
import carob

@carob.measure("Halved", source="here")
def halved(r, rel=1):
    """Half of precision."""
    return r.ratio(r.total(r.hits(rel)), r.depth) * 0.5
'''


def test_the_command_line_imports_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from carob.cli import main

    (tmp_path / "mine.py").write_text(MODULE)
    main(["explain", "--import", str(tmp_path / "mine.py"), "Halved@2", "--grades", "1,0"])
    assert "Halved@2 = 0.25" in capsys.readouterr().out


def test_a_file_that_cannot_be_imported_is_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from carob.cli import main

    (tmp_path / "broken.py").write_text("1 / 0")
    for name, said in (("broken.py", "ZeroDivisionError"), ("gone.py", "there is no such file")):
        with pytest.raises(SystemExit) as left:
            main(["measures", "--import", str(tmp_path / name)])
        assert left.value.code == 2
        assert said in capsys.readouterr().err
