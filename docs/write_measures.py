"""Writes measures.md, the page of all measures, and their types as attributes, from the register of measures."""

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
"""The measures of this page; recommendation.md has the others."""

OPENING = """\
# Measures

`docs/write_measures.py` writes this page from carob's register of measures, and a test checks that the page is up to
date. `carob measures NAME` prints the entry of one measure.

**Names.** A measure is written `NAME`, `NAME@DEPTH` or `NAME(parameter=value)@DEPTH`. A name without parameters has
the same meaning as in trec_eval. `@10` cuts the run and the ideal ranking after ten documents, but not the judgments.
carob also accepts trec_eval's names (`map`, `P_10`, `ndcg_cut.5,10`, `all_trec`) and the parameters of ir_measures
(`cutoff`, `dcg='exp-log2'`, `gains`, `max_rel`, `judged_only`). Case, hyphens and underscores do not matter:
`hit_rate@5` and `HitRate@5` are both names of `Success@5`. carob refuses an ambiguous or unknown name, and suggests
other names.

**Formulas.** This page shows each formula as code and as mathematics. The code is the body of the function in
`src/carob/measures/`, written with the methods of `Lists` (`src/carob/lists/__init__.py`). carob generates the
mathematical formulas by running the code and recording its steps, so formula and code cannot disagree. The formulas
show numeric parameters by name, and use the default values of options such as `gain` and `over`.

In the mathematical formulas, *i*, *j* and *k* are ranks, *d* is a judged document, and *g* is one of *|G|* subtopics
or judgment groups. In the preference measures, *i* is a group or a pair of documents. A star marks the ideal
ranking. [*x* ≥ 1] is 1 if the condition holds, else 0. A fraction is 0 if its denominator is 0. Upright names are
methods or attributes of `Lists`. The page shows `IPrecMean`, the mean of eleven values of `IPrec`, only as code.

**Parameters of several measures.**

{shared}
- `unjudged`: a setting of the policy that the name of any measure can give for that measure alone. With
  `nDCG(unjudged=removed)@10`, the ranks are counted without the unjudged documents of a list (condensed lists), and
  `nDCG@10` in the same call counts all ranks. ir_measures writes `nDCG(judged_only=True)@10`.

**Subtopics.** The measures by subtopic read qrels whose second column names the subtopic
(`query subtopic document grade`), as in the diversity task of TREC's Web track. In Python, you can also pass
`{query: {subtopic: {document: grade}}}` or a data frame with a subtopic column. Other measures in the same call
use the highest grade of a document. If no measure in the call uses subtopics, carob refuses qrels by subtopic, because
documents seem to be judged twice.

**Ranges.** The tables show the allowed values of each parameter after its default. The *range of values* of a measure
assumes gains of 0 or more, and an ideal ranking of judged or retrieved documents. carob cannot compute with a gain
above 2^500 (2^110 in single precision), such as that of grade 3000 under `exp2`. A measure has no value if a gain is
too large or a grade is above the measure's `max`. If a measure has no value, a warning names the query and the grade,
carob computes the other measures, and `carob eval` exits with code 2.

The mean of a measure is the arithmetic mean over the queries unless its table names another *aggregate*. The last
rows of a table give the names of the measure in other tools, after the name of the tool's profile.
"""

GAINS = {
    "linear": "the grade",
    "exp2": "2^grade − 1",
    "binary": "1 for a grade of at least 1",
    "linear(t)": "the grade if it is at least t",
    "exp2(t)": "2^(grade − t + 1) − 1 for a grade of at least t",
    "binary(t)": "1 for a grade of at least t",
}
"""The meaning of each word of the parameter ``gain``. Words that no measure takes are not on the page."""


def page() -> str:
    """Returns the whole page: an opening, and one section per family in the register's order."""
    families: dict[str, list[Definition]] = {}
    for definition in OF_LISTS:
        families.setdefault(family_of(definition), []).append(definition)
    sections = [section(family, members) for family, members in families.items()]
    opening = OPENING.replace("{shared}", shared())
    # Docstrings have double backticks, as in reStructuredText. The three backticks of a fence must stay.
    return re.sub(r"(?<!`)``(?!`)", "`", "\n".join([opening, *sections])).rstrip("\n") + "\n"


def shared() -> str:
    """Returns the meanings of the parameters that many measures share, as a list."""
    gains = ". ".join(f"``{word}`` is {GAINS[word]}" for word in words("gain"))
    meanings = {
        "rel": "the lowest grade of a relevant document.",
        "gain": f"the gain of a grade. {gains}. Other grades have gain 0. Pairs of grade and gain also work, as in "
        "``{1:0.5,2:3}``. A grade that they leave out is its own gain, or 0 if it is negative, so list every grade.",
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
    """Returns a docstring as one paragraph in lower case, to follow a colon."""
    text = " ".join((inspect.getdoc(word) or "").split())
    return text[:1].lower() + text[1:]


def section(family: str, members: list[Definition]) -> str:
    """Returns a family's heading and the entries of its measures."""
    return "\n".join([f"## {family}\n", *map(entry, members)])


def family_of(definition: Definition) -> str:
    """Returns the name of a measure's family: the first line of the docstring of its file."""
    return (inspect.getmodule(definition.formula).__doc__ or "").partition("\n")[0].rstrip(".")


def entry(definition: Definition) -> str:
    """Returns the entry of a measure: name, docstring, formula, and a table of parameters, other names and sources."""
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
    """Returns the stub that tells type checkers the measures which are attributes, as in ``carob.nDCG @ 10``."""
    names = "".join(f"{name}: Measure\n" for name in sorted(REGISTER))
    return (
        f"# docs/write_measures.py writes this file.\n\nfrom carob.measures.names import Measure\n\n{names}"
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    STUB.write_text(declarations(), encoding="utf-8")
