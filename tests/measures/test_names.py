"""Names make measures and measures print as the names that make them."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest

import carob
from carob import Measure, MeasureError
from carob.measures import REGISTER, Number, OneOf, parse_measure, parse_measures
from carob.measures.define import ANY
from carob.measures.grammar import NICKNAMES, TABLE
from carob.measures.names import measures_of_each

HOW_MANY = 10_000


def random_measure(random: Random) -> Measure:
    """Any measure of the register, with any of the parameters that it declares."""
    definition = REGISTER[random.choice(sorted(REGISTER))]
    parameters = [
        (name, random_value(random, name, declared))
        for name, declared in {**definition.parameters, **definition.settings}.items()
        if random.random() < 0.5
    ]
    depth = random.randint(1, 2000) if definition.whole or random.random() < 0.5 else None
    try:
        return Measure(definition.name, tuple(parameters), depth if definition.at == "depth" else None)
    except MeasureError as error:
        if "highest grade of" not in str(error):
            raise
        return random_measure(random)  # gains and max that do not go together


def random_value(random: Random, name: str, declared: Any) -> Any:
    """A value that the parameter takes."""
    if isinstance(declared, OneOf):
        if name == "gain" and random.random() < 0.3:
            levels = random.sample(range(-2, 6), random.randint(1, 4))
            return tuple((float(level), random_number(random, ANY)) for level in levels)
        word = random.choice(declared.words)
        if word == "number":
            return random_number(random, declared.number)
        holds = random.choice(["2", "2.5", "10", "1.125"])
        return re.sub(r"\([a-z]\)", f"({holds})", word)
    if isinstance(declared.default, tuple):
        return tuple(random_number(random, declared) for _ in range(random.randint(1, 4)))
    return random_number(random, declared)


def random_number(random: Random, declared: Number) -> float:
    """A number of the range: whole or not, small or large, or an end of it."""
    low, high = declared.lowest, declared.highest
    drawn = [float(random.randint(-5, 50)), random.uniform(-5, 5), random.uniform(0, 1e-7), high]
    return random.choice([each for each in drawn if declared.accepts(each)] or [random.uniform(low, high)])


def test_a_measure_prints_as_the_name_that_makes_it() -> None:
    random = Random(20261121)
    printed = set()
    for _ in range(HOW_MANY):
        measure = random_measure(random)
        again = parse_measure(str(measure))
        assert again == measure, str(measure)
        assert hash(again) == hash(measure)
        assert str(again) == str(measure)
        printed.add(measure.name)
    assert printed == set(REGISTER)


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("map", "AP"),
        ("map_cut_10", "AP@10"),
        ("map_cut.10", "AP@10"),
        ("ndcg_cut_5", "nDCG@5"),
        ("ndcg", "nDCG"),
        ("P_20", "P@20"),
        ("recip_rank", "RR"),
        ("iprec_at_recall_0.10", "IPrec@0.1"),
        ("iprec_at_recall_0.00", "IPrec@0"),
        ("relative_P_5", "R(over=capped)@5"),
        ("set_recall", "R"),
        ("Rprec_mult_0.20", "Rprec(times=0.2)"),
        ("nDCG( gain = exp2 )@10", "nDCG(gain=exp2)@10"),
        ("AP(over=relevant)", "AP"),
        ("nDCG(ideal=retrieved, discount=jk(2))", "nDCG(discount=jk(2), ideal=retrieved)"),
        ("DCG(gain={1:5, 2:0.5})@3", "DCG(gain={1:5,2:0.5})@3"),
        ("nDCG(discount=jk(2.0))", "nDCG(discount=jk(2))"),
        ("DCG(gain=exp2(2.50))", "DCG(gain=exp2(2.5))"),
        ("RBP(rel=graded, p=0.8, max=4.0)", "RBP(p=0.8, max=4)"),
        ("RBP(rel=1)@10", "RBP(rel=1)@10"),
        ("PartialAUC(over=capped)@3", "PartialAUC(over=capped)@3"),
        ("MSnDCG(gain=exp2)@10", "nDCG(gain=exp2)@10"),
    ],
)
def test_one_measure_has_one_printed_name(name: str, canonical: str) -> None:
    assert str(parse_measure(name)) == canonical


def test_names_of_families_stand_for_their_members() -> None:
    assert [str(each) for each in parse_measures("P")][:3] == ["P@5", "P@10", "P@15"]
    assert [str(each) for each in parse_measures("P.1,3 success")] == [
        "P@1",
        "P@3",
        "Success@1",
        "Success@5",
        "Success@10",
    ]
    assert len(parse_measures("recall")) == 9


def test_each_measure_is_listed_once() -> None:
    assert [str(each) for each in parse_measures(["map", "AP", "AP(rel=1)", "RR"])] == ["AP", "RR"]


def test_the_table_is_trec_evals() -> None:
    assert len(TABLE) == 57
    assert len(NICKNAMES["all_trec"]) == 37
    assert len(NICKNAMES["official"]) == 12
    assert not {"dcg", "ideal_dcg", "yaap"} & {name for names in NICKNAMES.values() for name in names}


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("nDGC@10", "Did you mean nDCG"),
        ("MBR", "There is no measure 'MBR'"),
        ("AP(depth=3)", "AP has no parameter 'depth'. Its parameters are: rel, over."),
        ("AP(over=best)", "over must be one of relevant, retrieved, capped, length, depth"),
        ("AP(rel=high)", "rel must be a number"),
        (
            "nDCG(gain=cube)",
            "gain must be one of linear, exp2, binary, linear(t), exp2(t), binary(t), or {grade:gain",
        ),
        ("nDCG(gain=linear(t))", "gain must be one of linear"),
        (
            "nDCG(ideal=judgd)",
            "ideal must be one of judged, uncut, length, retrieved, top, depth, full, trec_eval",
        ),
        ("RBP(rel=number)", "rel must be one of graded, number"),
        ("RBP(rel=some)", "rel must be one of graded, number"),
        ("AUC(gain=exp2)", "AUC has no parameter 'gain'. Its parameters are: rel, single, micro."),
        ("NumQ(rel=1)", "NumQ has no parameter 'rel'. Its parameters are: none."),
        ("Presicion@5", "Did you mean"),
        ("GAUK", "Did you mean GAUC or AUC"),
        ("nDGC(gain=exp2)", "Did you mean nDCG"),
        ("nDCG(discount=jk(x))", "discount must be one of"),
        ("AP@0", "a depth is a whole number from 1 to"),
        ("AP@1.5", "a depth is a whole number of at least 1"),
        ("AP@ten", "a number must follow '@'"),
        ("Bpref@5", "Bpref has no depth"),
        ("P(rel=2)", "P needs a depth, as in P@10; for whole lists, write SetP"),
        ("AP(", "is not a measure's name"),
        ("all_trec", "stands for"),
        ("IPrecMean(points=0.5)", "a list such as"),
        ("DCG(gain={1:x})", "'x' is not a number"),
    ],
)
def test_a_wrong_name_is_answered_with_a_sentence(name: str, says: str) -> None:
    with pytest.raises(MeasureError) as error:
        parse_measure(name)
    assert says in str(error.value)


def test_a_parameter_that_is_given_twice_is_refused() -> None:
    for name in ("DCG(gain=linear, gain=exp2)@10", "nDCG(rel=1, rel=2)"):
        with pytest.raises(MeasureError, match="twice"):
            parse_measure(name)


def test_a_depth_as_a_parameter_may_be_large() -> None:
    assert str(parse_measure("P(k=1000000)")) == "P@1000000"


def test_a_name_with_several_depths_is_several_names() -> None:
    for text in ("P@5,10", "P@5, 10", "P@5 10"):
        assert list(map(str, parse_measures(text))) == ["P@5", "P@10"]
    both = list(map(str, parse_measures("nDCG(gain=exp2)@5,10 P_5,10 AP")))
    assert both == ["nDCG(gain=exp2)@5", "nDCG(gain=exp2)@10", "P@5", "P@10", "AP"]


def test_the_tables_of_names_take_names() -> None:
    assert list(carob.list_measures("HR@10", "map")) == ["Success", "AP"]
    with pytest.raises(carob.MeasureError):
        carob.list_measures("nothing")
    assert "ties" in carob.list_profiles("sklearn")["sklearn"]
    with pytest.raises(carob.PolicyError):
        carob.list_profiles("nothing")


def test_a_measure_to_register_cannot_be_called_as_one_with_a_depth() -> None:
    with pytest.raises(MeasureError, match=r"not 'nDCG@10'\. carob\.Measure\.parse reads"):
        carob.measure("nDCG@10")(lambda r: r.total(r.rank))


def test_no_name_stands_for_a_measure_twice() -> None:
    (found,) = measures_of_each(["all_trec"])
    assert len(found) == len({*found}) > 90  # Rprec_mult names R-precision at a depth of R once more
