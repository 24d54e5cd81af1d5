"""Writes measures.md, the page of all measures, from the register."""

from __future__ import annotations

import inspect
import re
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from karat.conventions.reference import elsewhere, facts, formula, mathematics
from karat.lists import Lists
from karat.measures import REGISTER, Definition, OneOf

if TYPE_CHECKING:
    from collections.abc import Callable

PAGE = Path(__file__).with_name("measures.md")

OPENING = """\
# Measures

This page is written by `docs/write_measures.py` from the register of the program; a test compares the two. `karat
measures NAME` prints one entry.

**Names.** `NAME`, `NAME@DEPTH`, `NAME(parameter=value)@DEPTH`. A name without parameters means what trec_eval
means by it. `@10` cuts the run and the ideal list after ten documents, never the judgments. trec_eval's own
names (`map`, `P_10`, `ndcg_cut.5,10`, `all_trec`) are read too. Case, hyphens and underscores do not matter:
`hit_rate@5` is `HitRate@5`, which is `Success@5`. ir_measures' parameters (`cutoff`, `dcg='exp-log2'`, `gains`,
`max_rel`) are read as well. A name that means two things, or that is not here, is refused with what to write
instead.

**Formulas.** Each formula is shown as code and as mathematics. The code is the body of the function in
`src/karat/measures/`, in the words of `Lists` (`src/karat/lists/__init__.py`). The mathematics is made by running
that code and recording its steps, so the two cannot differ: numbers have their parameters' names, words such as
`gain` and `over` are at their defaults. There *i*, *j* and *k* are ranks, *d* is a judged document, *g* is a subtopic
or judgment group (of *|G|*), or for preferences *i* is a group or pair; a star marks the ideal ranking; [*x* ≥ 1] is
1 where the condition holds, else 0; a fraction whose denominator is 0 is 0. `IPrecMean`, the mean of eleven `IPrec`,
has code only. An upright name is a word of `Lists`.

**Parameters that many share.**

{shared}

**Subtopics.** The measures of that section read qrels whose second column names the subtopic, `query subtopic
document grade`, as in the diversity task of TREC's Web track; in Python also `{query: {subtopic: {document: grade}}}`
or a data frame with a column of subtopics. Other measures in the same call use the highest grade of a document. A
call without a measure of subtopics refuses such qrels, since documents seem to be judged twice.

**Ranges.** After the default of each parameter comes the range of allowed values. *values* is the range of a query's
value, for gains of 0 or more and an ideal ranking of judged or retrieved documents. A gain above 2^500 (2^110 in
single precision) is too large to compute with, such as that of grade 3000 under `exp2`. The measure then has no
value, and neither for a grade above its `max`: a warning names query and grade, the other measures are computed, and
`karat eval` exits with code 2.

An empty denominator gives 0 unless the entry says otherwise. Per-query values are averaged, unless the entry
names another aggregate.
"""

GAINS = {
    "linear": "the grade",
    "exp2": "2^grade − 1",
    "binary": "1 from grade 1 on",
    "linear(t)": "the grade from t on",
    "exp2(t)": "2^(grade − t + 1) − 1 from t on",
    "binary(t)": "1 from grade t on",
}
"""What each word of the parameter ``gain`` means; those that no measure takes are left out."""


def page() -> str:
    """The whole page: an opening, and one section per family in the register's order."""
    families: dict[str, list[Definition]] = {}
    for definition in REGISTER.values():
        families.setdefault(family_of(definition), []).append(definition)
    sections = [section(family, members) for family, members in families.items()]
    opening = OPENING.replace("{shared}", shared())
    # reStructuredText's double backticks, not the three of a fence.
    return re.sub(r"(?<!`)``(?!`)", "`", "\n".join([opening, *sections])).rstrip("\n") + "\n"


def shared() -> str:
    """What the parameters that many measures share mean, in the words of ``Lists`` where it has them."""
    gains = "; ".join(f"``{word}``: {GAINS[word]}" for word in words("gain"))
    meanings = {
        "rel": "a document is relevant from this grade on.",
        "gain": f"the gain of a grade. {gains}; or pairs of grade and gain, as in ``{{1:0.5,2:3}}``.",
        "discount": said(Lists.discount),
        "ideal": said(Lists.ideal).replace("``of`` says from where", "From where"),
        "over": said(Lists.size),
    }
    items = [f"- ``{name}``: {meaning}" for name, meaning in meanings.items()]
    return "\n".join(
        textwrap.fill(item, 118, subsequent_indent="  ", break_on_hyphens=False) for item in items
    )


def words(parameter: str) -> list[str]:
    """Every word that some measure takes for the parameter."""
    declared = [each.parameters.get(parameter) for each in REGISTER.values()]
    return list(dict.fromkeys(word for each in declared if isinstance(each, OneOf) for word in each.words))


def said(word: Callable[..., object]) -> str:
    """A word's docstring as one paragraph that goes on after a colon."""
    text = " ".join((inspect.getdoc(word) or "").split())
    return text[:1].lower() + text[1:]


def section(family: str, members: list[Definition]) -> str:
    """A family's heading and its measures."""
    return "\n".join([f"## {family}\n", *map(entry, members)])


def family_of(definition: Definition) -> str:
    """The first line of the docstring of the measure's file."""
    return (inspect.getmodule(definition.formula).__doc__ or "").partition("\n")[0].rstrip(".")


def entry(definition: Definition) -> str:
    """One measure: its name, what it says, its formula's docstring, parameters and sources."""
    sentence, _, rest = (inspect.getdoc(definition.formula) or "").partition("\n")
    lines = [f"### {definition.name}", "", sentence]
    if rest.strip():
        lines += ["", rest.strip()]
    lines += ["", "```text", formula(definition), "```", ""]
    in_latex = mathematics(definition)
    if in_latex:
        lines += ["```math", in_latex, "```", ""]
    lines += [f"- {what}: {text}" for what, text in facts(definition).items()]
    others = [f"`{name}` ({', '.join(tools)})" for name, tools in elsewhere(definition).items()]
    if others:
        lines += [f"- under other tools' profiles: {'; '.join(others)}"]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
