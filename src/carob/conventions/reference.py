"""Reference entries for measures: formula, parameters, sources, and names in other tools."""

from __future__ import annotations

import ast
import inspect
import math
import textwrap
from typing import TYPE_CHECKING

from carob._dataclasses import replace
from carob._numpy import np
from carob.conventions.profiles import every_profile
from carob.lists.derivation import Symbol, equations, trace
from carob.lists.flat import Flat
from carob.lists.preferences import PreferenceLists, group_of
from carob.lists.rows import JudgedRows
from carob.measures import Measure, Number, OneOf
from carob.measures.define import as_typed
from carob.measures.grammar import also_called
from carob.output.errors import MeasureError

if TYPE_CHECKING:
    from carob.conventions.profiles import Profile
    from carob.lists import Lists
    from carob.lists.derivation import Step
    from carob.measures import Definition

AGGREGATES = {
    "sum": "sum over the queries",
    "geometric": "geometric mean over the queries, where values below 0.00001 count as 0.00001",
}


def entry(definition: Definition, columns: int | None = None) -> str:
    """Returns a measure's entry in Markdown, or as plain text wrapped to ``columns`` columns.

    Example:
        >>> from carob.conventions.reference import entry
        >>> from carob.measures import REGISTER
        >>> print(entry(REGISTER["RR"], 60).splitlines()[2])
        1 / the rank of the first relevant document, or 0 if there
    """
    sentence, _, rest = inspect.cleandoc(definition.description).partition("Raises:")[0].partition("\n")
    wide = columns or 80
    parts = [definition.name, sentence, *rest.strip().split("\n\n")]
    if columns is not None:
        parts = [textwrap.fill(part, columns, break_on_hyphens=False) for part in parts]
    parts.append(f"Formula\n{textwrap.indent(formula(definition), '    ')}")
    parts.append("\n".join(wrapped(f"{what}: {text}", wide) for what, text in facts(definition).items()))
    others = elsewhere(definition)
    if others:
        lines = [wrapped(f"{name}: {', '.join(tools)}", wide) for name, tools in others.items()]
        parts.append("\n".join(["Names in other tools, after the name of the tool's profile", *lines]))
    text = "\n\n".join(part for part in parts if part).replace("``", "`") + "\n"
    return text if columns is None else text.replace("`", "").replace("**", "")


def wrapped(text: str, columns: int) -> str:
    """Wraps a list item, and indents all lines after the first further."""
    return textwrap.fill(
        text, columns, initial_indent="    ", subsequent_indent="        ", break_on_hyphens=False
    )


def formula(definition: Definition) -> str:
    """Returns the body of the formula, or a comment if the source is not available."""
    try:
        lines = textwrap.dedent(inspect.getsource(definition.formula)).splitlines()
    except OSError:
        return f"# defined in {definition.formula.__module__}, whose source is not available"
    function = ast.parse("\n".join(lines)).body[0]
    assert isinstance(function, ast.FunctionDef)
    first = function.body[1]  # the statement after the docstring
    return textwrap.dedent("\n".join(lines[first.lineno - 1 :]))


def mathematics(definition: Definition) -> str:
    """Returns the formula in LaTeX, with parameters as symbols, or an empty string if the formula is too long.

    Example:
        >>> from carob.conventions.reference import mathematics
        >>> from carob.measures import REGISTER
        >>> print(mathematics(REGISTER["RR"]))
        \\begin{aligned}
        \\text{RR} &= \\max_{i} \\frac{\\left[\\mathit{grade}_{i} \\geq \\mathit{rel}\\right]}{\\mathit{rank}_{i}}
        \\end{aligned}
    """
    single = "".join(name for name in definition.parameters if len(name) == 1)
    *lines, value = equations(traced(definition), single)
    if len(lines) > MOST_EQUATIONS:
        return ""
    inside = " \\\\\n".join([*lines, f"\\text{{{definition.name}}} &= {value}"])
    return f"\\begin{{aligned}}\n{inside}\n\\end{{aligned}}"


MOST_EQUATIONS = 6


def traced(definition: Definition) -> Step:
    """Returns the recorded steps of a formula on a sample of two documents, with parameters as symbols."""
    given = {
        name: Symbol(each.default, symbol_of(name))
        if isinstance(each, Number) and isinstance(each.default, (int, float))
        else each.default
        for name, each in definition.parameters.items()
    }
    return trace(lambda lists: definition.formula(lists, **given), sample(definition.takes))


def symbol_of(name: str) -> str:
    """Returns the name of a parameter in LaTeX."""
    return f"\\{name}" if name in ("alpha", "beta") else name if len(name) == 1 else f"\\mathit{{{name}}}"


def sample(takes: str) -> Lists:
    """Returns a small ranking on which every formula can be traced."""
    two, three = np.array([0, 2]), np.array([0, 3])
    rank, grade = np.array([1.0, 2.0]), np.array([1.0, 0.0])
    rows = JudgedRows(rank[1:], two, rank, grade, rank, rank, three, np.array([1.0, 0.0, 2.0]), scores=-rank)
    if takes == "preferences":
        return PreferenceLists(rows, [[group_of(two[:1].repeat(2), grade, two // 2, 2, 2)]])
    groups = replace(rows, group_offsets=two // 2, document=two // 2, judged_document=np.arange(3))
    return Flat(replace(rows, by_group=groups))


def facts(definition: Definition) -> dict[str, str]:
    """Returns the spelling, parameters, range, other names, aggregate and source of a measure, by row label."""
    parameters = {f"parameter `{name}`": values(value) for name, value in definition.parameters.items()}
    synonyms = [
        f"`{other}`" + (f" ({name})" if "(" in name else "")
        for other, name in also_called().items()
        if name.partition("(")[0] == definition.name
    ]
    found = {
        "written as": ", ".join(f"`{each}`" for each in written(definition)),
        **parameters,
        "range of values": value_range(definition),
        "input": takes(definition),
        "also called": ", ".join(synonyms),
        "name in trec_eval": definition.same_as or "none",
        "aggregate": AGGREGATES.get(definition.aggregate, ""),
        "source": definition.source,
    }
    return {what: text for what, text in found.items() if text}


def takes(definition: Definition) -> str:
    """Returns the inputs that a recommendation measure needs, or an empty string for other measures."""
    if definition.takes != "recommendations":
        return ""
    return ", ".join(["recommended items (`carob.beyond_accuracy`)", *definition.needs])


def value_range(definition: Definition) -> str:
    """Returns the range of per-query values in words."""
    low, high = definition.values
    if math.isinf(low):
        return "any number"
    return f"from {low:g} on" if math.isinf(high) else f"from {low:g} to {high:g}"


def written(definition: Definition) -> list[str]:
    """Returns the accepted spellings of a measure's name, such as ``P@10``."""
    name = definition.name
    if definition.at == "no":
        return [name]
    if definition.percent:
        return [name, str(Measure(name))]
    at = "10" if definition.at == "depth" else as_typed(definition.parameters[definition.at].default)
    return [f"{name}@{at}"] if definition.whole else [name, f"{name}@{at}"]


def values(parameter: OneOf | Number) -> str:
    """Returns the allowed values of a parameter, with the default first."""
    if isinstance(parameter, OneOf):
        first, *others = parameter.words
        words = ", ".join([f"**{first}** (default)", *others])
        return f"{words} ({parameter.bounds})" if parameter.bounds else words
    return f"**{as_typed(parameter.default)}** (default), {parameter.range}"


def elsewhere(definition: Definition) -> dict[str, list[str]]:
    """Returns the names of a measure's variants in other tools, by carob's name for the variant.

    Example:
        >>> from carob.conventions.reference import elsewhere
        >>> from carob.measures import REGISTER
        >>> elsewhere(REGISTER["MeanP"])
        {'MeanP': ['elliot MAP', 'elliot AP']}
    """
    found: dict[str, dict[str, None]] = {}
    for profile in every_profile().values():
        named = [
            (f"{profile.name} {name.removesuffix('@')}", each)
            for name in profile.names
            for each in meanings(profile, name)
            if each.name == definition.name
        ]
        if not named and definition.name in profile.axes:
            named = [(profile.name, each) for each in meanings(profile, definition.name)]
        for tool, meaning in named:
            found.setdefault(str(meaning).removesuffix("@10"), {})[tool] = None
    return {meaning: list(tools) for meaning, tools in found.items()}


def meanings(profile: Profile, name: str) -> list[Measure]:
    """Returns the measures that a name in a profile stands for, without and with a depth."""
    spellings = [f"{name}10"] if name.endswith("@") else [name, f"{name}@10"]
    found = []
    for spelling in spellings:
        try:
            read = profile.read(spelling)
        except MeasureError:
            continue  # the tool does not use this spelling
        if len(read) == 1:
            found.append(read[0][1])
    return found
