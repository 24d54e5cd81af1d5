"""The measures: every one enrolled by its own file, in reading order; and the names that make them."""

from karat.measures import average, browsing, counting, diversity, expectation, gain, pairs, preference
from karat.measures.define import REGISTER, Definition, Measure, Number, OneOf, measure
from karat.measures.names import parse_measure, parse_measures

__all__ = [
    "REGISTER",
    "Definition",
    "Measure",
    "Number",
    "OneOf",
    "measure",
    "measures",
    "parse_measure",
    "parse_measures",
]

del average, browsing, counting, diversity, expectation, gain, pairs, preference


def measures(*names: str) -> dict[str, str]:
    """Every measure's name, or the names of those asked for, with the sentence that says what it is.

    Args:
        names: names of measures, as ``evaluate`` takes them; all if there are none.

    Raises:
        MeasureError: a measure that does not exist.

    Example:
        >>> import karat
        >>> karat.measures()["RR"]
        '1 / the rank of the first relevant document; 0 if there is none.'
        >>> list(karat.measures("HR@10"))
        ['Success']
    """
    if names:
        return {each.name: each.definition.sentence for each in parse_measures(names)}
    return {name: definition.sentence for name, definition in REGISTER.items()}
