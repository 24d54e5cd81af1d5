"""Names make measures and measures print as the names that make them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat import Measure, MeasureError
from karat.measures import REGISTER, OneOf, parse_measure, parse_measures
from karat.measures.trec_eval import NICKNAMES, TABLE

if TYPE_CHECKING:
    from collections.abc import Callable

NUMBERS = st.one_of(st.integers(-5, 50).map(float), st.floats(-5, 5, allow_nan=False).map(float))
PAIRS = st.lists(
    st.tuples(st.integers(-2, 5).map(float), NUMBERS), min_size=1, max_size=4, unique_by=lambda p: p[0]
)


@st.composite
def measures(draw: Callable[..., Any]) -> Measure:
    definition = REGISTER[draw(st.sampled_from(sorted(REGISTER)))]
    parameters = []
    for name, declared in definition.parameters.items():
        if not draw(st.booleans()):
            continue
        if isinstance(declared, OneOf):
            words = [word.replace("(b)", "(2.5)") for word in declared.words]
            choice = st.sampled_from(words) | PAIRS.map(tuple) if name == "gain" else st.sampled_from(words)
            parameters.append((name, draw(choice)))
        elif isinstance(declared, tuple):
            parameters.append((name, tuple(draw(st.lists(NUMBERS, min_size=1, max_size=4)))))
        else:
            parameters.append((name, draw(NUMBERS)))
    depths = st.integers(1, 2000) if definition.whole else st.none() | st.integers(1, 2000)
    return Measure(definition.name, tuple(parameters), draw(depths) if definition.at == "depth" else None)


@settings(max_examples=2000, deadline=None)
@given(measures())
def test_a_measure_prints_as_the_name_that_makes_it(measure: Measure) -> None:
    again = parse_measure(str(measure))
    assert again == measure
    assert hash(again) == hash(measure)
    assert str(again) == str(measure)


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
        ("MRR", "There is no measure 'MRR'"),
        ("AP(depth=3)", "AP has no parameter 'depth'; it has: rel, over."),
        ("AP(over=best)", "over is one of relevant, retrieved, capped, length, depth"),
        ("AP(rel=high)", "rel is a number"),
        ("nDCG(gain=cube)", "gain is one of linear, exp2, binary, or {grade:gain, …}"),
        ("nDCG(discount=jk(x))", "discount is one of"),
        ("AP@0", "a depth is a whole number from 1 on"),
        ("AP@1.5", "a depth is a whole number from 1 on"),
        ("AP@ten", "what follows '@' is a number"),
        ("Bpref@5", "Bpref takes no depth"),
        ("P(rel=2)", "P needs a depth, as in P@10; of whole lists: SetP"),
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
