"""Access to measures by name. ``@measure`` registers a formula under a name; users' code can use it as well."""

from typing import TYPE_CHECKING, Any

from carob.measures import diversity, pairs, precision, recommendation, screening, user_models
from carob.measures import precision as average_precision
from carob.measures import user_models as gain
from carob.measures.define import REGISTER, Definition, Number, OneOf, measure, number, one_of, plugged
from carob.measures.names import Measure, parse_measure, parse_measures

if TYPE_CHECKING:
    from carob.measures.by_name import *  # noqa: F403 - the names of all measures

__all__ = [
    "REGISTER",
    "Definition",
    "Measure",
    "Number",
    "OneOf",
    "list_measures",
    "measure",
    "number",
    "one_of",
    "parse_measure",
    "parse_measures",
]

del average_precision, diversity, gain, pairs, precision, recommendation, screening, user_models


def list_measures(*names: str) -> dict[str, str]:
    """Returns the name and the definition of every measure, or only of the measures in ``names``.

    Measures of installed packages are included.

    Args:
        names: measure names, as ``evaluate`` accepts them. Without names, all measures are returned.

    Raises:
        MeasureError: a measure does not exist.

    Example:
        >>> import carob
        >>> carob.list_measures()["RR"]
        '1 / the rank of the first relevant document, or 0 if there is none.'
        >>> list(carob.list_measures("HR@10"))
        ['Success']
    """
    if names:
        return {each.name: each.definition.sentence for each in parse_measures(names)}
    plugged("carob.measures")
    return {name: definition.sentence for name, definition in REGISTER.items()}


def measure_named(name: str) -> Any:
    """Returns the measure with this name, for ``from carob.measures import nDCG``."""
    if name not in REGISTER:
        raise AttributeError(f"carob has no measure '{name}'")
    return Measure(name)


if not TYPE_CHECKING:  # hidden from type checkers, which would otherwise accept every name
    __getattr__ = measure_named


def __dir__() -> list[str]:
    """Returns the names of this package and of all measures."""
    return sorted({*__all__, *REGISTER})
