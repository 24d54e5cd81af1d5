"""Writes measures.md, the page of all measures, and by_name.pyi, their types, from the register of measures."""

from __future__ import annotations

import inspect
import re
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from carob.conventions.reference import elsewhere, facts, formula, mathematics
from carob.lists import Lists
from carob.measures import REGISTER, Definition, OneOf

if TYPE_CHECKING:
    from collections.abc import Callable

PAGE = Path(__file__).with_name("measures.md")
STUB = PAGE.parents[1] / "src" / "carob" / "measures" / "by_name.pyi"
OF_LISTS = [each for each in REGISTER.values() if each.takes != "recommendations"]
"""The measures on this page; recommendation.md describes the others."""

OPENING = """\
# Measures

`docs/write_measures.py` generates this page from carob's register of measures, and a test checks that the page is up to
date. `carob measures NAME` prints the entry for one measure.

**Names.** A measure is written `NAME`, `NAME@DEPTH` or `NAME(parameter=value)@DEPTH`. A name without parameters has
the same meaning as in trec_eval. `@10` cuts the run and the ideal ranking after ten documents, but not the judgments.
carob also accepts trec_eval's names (`map`, `P_10`, `ndcg_cut.5,10`, `all_trec`) and ir_measures' parameters
(`cutoff`, `dcg='exp-log2'`, `gains`, `max_rel`, `judged_only`). Case, hyphens and underscores do not matter:
`hit_rate@5` and `HitRate@5` both mean `Success@5`. carob refuses ambiguous and unknown names, and suggests other names.

**Formulas.** This page shows each formula as code and as mathematics. The code is the body of the function in
`src/carob/measures/`, which calls methods of `Lists` (`src/carob/lists/__init__.py`). carob generates the mathematical
formulas by running the code and recording each step, so the formulas and the code cannot disagree. The formulas show
numeric parameters by name, and use the default values of options such as `gain` and `over`.

In the mathematical formulas, *i*, *j* and *k* are ranks, *d* is a judged document, and *g* is one of *|G|* subtopics
or judgment groups. In the preference measures, *i* is a group or a pair of documents. A star marks the ideal
ranking. [*x* ≥ 1] is 1 if the condition holds, and 0 otherwise. A fraction is 0 if its denominator is 0. Upright
names are methods or attributes of `Lists`. `IPrecMean`, the mean of eleven values of `IPrec`, is shown only as code.

**Parameters shared by several measures.**

{shared}
- `unjudged`: a policy setting that can be part of the name of any measure, and then applies only to that measure.
  `nDCG(unjudged=removed)@10` removes the unjudged documents of a list before ranks are counted (condensed lists), while
  `nDCG@10` in the same call counts all documents. In ir_measures, the name is `nDCG(judged_only=True)@10`.

**Subtopics.** The subtopic measures read qrels whose second column contains the subtopic
(`query subtopic document grade`), as in the diversity task of TREC's Web track. In Python, you can also pass
`{query: {subtopic: {document: grade}}}` or a data frame with a subtopic column. Other measures in the same call
use the highest grade of each document. If no measure in the call uses subtopics, carob refuses qrels by subtopic,
because the same document appears to be judged twice.

**Ranges.** The tables show the default of each parameter, followed by the allowed values. The *range of values* of a
measure assumes gains of 0 or more, and an ideal ranking of judged or retrieved documents. carob cannot compute with
gains above 2^500 (2^110 in single precision), such as the gain of grade 3000 with `exp2`. A measure has no value if a
gain is too large or a grade is above the measure's `max`. In this case, a warning reports the query and the grade,
carob computes the other measures, and `carob eval` exits with code 2.

The mean of a measure is the arithmetic mean over the queries unless the table specifies another *aggregate*. The last
rows of a table list the measure's names in other tools, each after the name of the tool's profile.
"""

GAINS = {
    "linear": "the grade",
    "exp2": "2^grade − 1",
    "binary": "1 for a grade of at least 1",
    "linear(t)": "the grade if it is at least t",
    "exp2(t)": "2^(grade − t + 1) − 1 for a grade of at least t",
    "binary(t)": "1 for a grade of at least t",
}
"""The meaning of each word of the parameter ``gain``. The page omits words that no measure accepts."""


def page() -> str:
    """Returns the whole page: an introduction, and one section per family of measures in the register's order."""
    families: dict[str, list[Definition]] = {}
    for definition in OF_LISTS:
        families.setdefault(family_of(definition), []).append(definition)
    sections = [section(family, members) for family, members in families.items()]
    opening = OPENING.replace("{shared}", shared())
    # Docstrings use double backticks, as in reStructuredText. The three backticks of a fence must be kept.
    return re.sub(r"(?<!`)``(?!`)", "`", "\n".join([opening, *sections])).rstrip("\n") + "\n"


def shared() -> str:
    """Returns a Markdown list that describes the parameters shared by many measures."""
    gains = ". ".join(f"``{word}`` is {GAINS[word]}" for word in words("gain"))
    meanings = {
        "rel": "the lowest grade of a relevant document.",
        "gain": f"the gain of a grade. {gains}. Other grades have gain 0. Pairs of grade and gain are also accepted, "
        "as in ``{1:0.5,2:3}``. If a grade is not in the pairs, its gain is the grade itself, or 0 for a negative "
        "grade, so list every grade.",
        "discount": said(Lists.discount),
        "ideal": said(Lists.ideal)
        .replace("the ideal ranking: all", "the ideal ranking, which lists all")
        .replace("The word ``of`` chooses", "The parameter chooses"),
        "over": said(Lists.size),
    }
    items = [f"- ``{name}``: {meaning}" for name, meaning in meanings.items()]
    return "\n".join(
        textwrap.fill(item, 118, subsequent_indent="  ", break_on_hyphens=False) for item in items
    )


def words(parameter: str) -> list[str]:
    """Returns every word that a measure accepts for the parameter."""
    declared = [each.parameters.get(parameter) for each in OF_LISTS]
    return list(dict.fromkeys(word for each in declared if isinstance(each, OneOf) for word in each.words))


def said(word: Callable[..., object]) -> str:
    """Returns a docstring as one paragraph that starts in lower case, so that it can follow a colon."""
    text = " ".join((inspect.getdoc(word) or "").split())
    return text[:1].lower() + text[1:]


def section(family: str, members: list[Definition]) -> str:
    """Returns a family's heading and the entries of its measures."""
    return "\n".join([f"## {family}\n", *map(entry, members)])


def family_of(definition: Definition) -> str:
    """Returns the name of a measure's family: the first line of the docstring of its file."""
    return (inspect.getmodule(definition.formula).__doc__ or "").partition("\n")[0].rstrip(".")


def entry(definition: Definition) -> str:
    """Returns a measure's entry: name, docstring, formula, and a table of parameters, other names and sources."""
    sentence, _, rest = (inspect.getdoc(definition.formula) or "").partition("Raises:")[0].partition("\n")
    lines = [f"### {definition.name}", "", sentence]
    if rest.strip():
        lines += ["", rest.strip()]
    lines += ["", "```text", formula(definition), "```", ""]
    in_latex = mathematics(definition)
    if in_latex:
        lines += ["```math", in_latex, "```", ""]
    lines += ["| | |", "|---|---|", *(f"| {what} | {text} |" for what, text in facts(definition).items())]
    lines += [
        f"| names of `{name}` in other tools | {', '.join(tools)} |"
        for name, tools in elsewhere(definition).items()
    ]
    return "\n".join([*lines, ""])


def declarations() -> str:
    """Returns the stub file that declares each measure as an attribute for type checkers (``carob.nDCG @ 10``)."""
    names = "".join(f"{name}: Measure\n" for name in sorted(REGISTER))
    return (
        f"# docs/write_measures.py writes this file.\n\nfrom carob.measures.names import Measure\n\n{names}"
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    STUB.write_text(declarations(), encoding="utf-8")
