"""This file writes measures.md, the page of all measures, from the register."""

from __future__ import annotations

import inspect
from pathlib import Path

from karat.measures import REGISTER, Definition, OneOf
from karat.measures.define import show

PAGE = Path(__file__).with_name("measures.md")

FAMILIES = {
    "counting": "Counting",
    "average": "Average precision and its relatives",
    "gain": "Gains",
    "browsing": "A user who goes down the list",
    "preference": "Preferences and judgment groups",
}
"""A family's file and its heading; a file without a heading here is called by its own name."""

OPENING = """\
# Measures

This page is written by `docs/write_measures.py` from the register that the program itself uses; a test holds
it to that. `karat measures NAME` prints one entry.

**Names.** `NAME`, `NAME@DEPTH`, `NAME(parameter=value)@DEPTH`. A name without parameters means what trec_eval
means by it. `@10` cuts the run and the ideal list after ten documents, never the judgments. trec_eval's own
names (`map`, `P_10`, `ndcg_cut.5,10`, `all_trec`) are read too. The formulas are in `src/karat/measures/`, each
written once.

**Parameters that many share.**

- `rel`: a document is relevant from this grade on.
- `gain`: what a grade is worth. `linear`: the grade; `exp2`: 2^grade − 1; `binary`: 1 from grade 1 on; or pairs
  of grade and gain, as in `{1:0.5,2:3}`.
- `discount`: what the gain at rank i is divided by. `log2`: log2(i + 1); `jk(b)`: 1 before rank b, then log_b(i);
  `none`: 1.
- `ideal`: which documents the best list is made of. `judged`: all judged ones; `retrieved`: those that the run
  returned; `depth`: k documents of grade 1; `trec_eval`: all judged ones, sorted as trec_eval sorts, which takes
  gains less than 1 apart for equal.
- `over`: what a sum over relevant documents is divided by. `relevant`: all of them; `retrieved`: those in the
  list; `capped`: all, at most k; `length`: all, at most the list's length; `depth`: k.

An empty denominator gives 0 unless the entry says otherwise. Per-query values are averaged, unless the entry
names another aggregate.
"""

AGGREGATES = {
    "sum": "summed over the queries",
    "geometric": "geometric mean over the queries, values below 0.00001 counting as that",
}


def page() -> str:
    """The whole page: an opening, and one section per family in the register's order."""
    families: dict[str, list[Definition]] = {}
    for definition in REGISTER.values():
        families.setdefault(definition.formula.__module__.rpartition(".")[2], []).append(definition)
    sections = [section(family, members) for family, members in families.items()]
    return "\n".join([OPENING, *sections]).replace("``", "`").rstrip("\n") + "\n"


def section(family: str, members: list[Definition]) -> str:
    """A family's heading and its measures."""
    heading = FAMILIES.get(family, family.capitalize())
    return "\n".join([f"## {heading}\n", *map(entry, members)])


def entry(definition: Definition) -> str:
    """One measure: its name, what it says, its formula's docstring, parameters and sources."""
    sentence, _, rest = (inspect.getdoc(definition.formula) or "").partition("\n")
    lines = [f"### {definition.name}", "", sentence]
    if rest.strip():
        lines += ["", rest.strip()]
    return "\n".join([*lines, "", *facts(definition), ""])


def facts(definition: Definition) -> list[str]:
    """The list under a measure's text."""
    parameters = [f"`{name}`: {values(value)}" for name, value in definition.parameters.items()]
    found = {
        "written": ", ".join(f"`{each}`" for each in written(definition)),
        "parameters": "; ".join(parameters),
        "trec_eval": definition.same_as or "has it not",
        "aggregate": AGGREGATES.get(definition.aggregate, ""),
        "source": definition.source,
    }
    return [f"- {what}: {text}" for what, text in found.items() if text]


def written(definition: Definition) -> list[str]:
    """The shapes in which the name may be written."""
    name = definition.name
    if definition.at == "no":
        return [name]
    at = "10" if definition.at == "depth" else "0.5"
    return [f"{name}@{at}"] if definition.whole else [name, f"{name}@{at}"]


def values(parameter: object) -> str:
    """What a parameter may be, the default first."""
    if isinstance(parameter, OneOf):
        first, *others = parameter.words
        return f"**{first}**, {', '.join(others)}" if others else f"**{first}**"
    assert isinstance(parameter, (int, float, str, tuple))
    return f"**{show(parameter)}**"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
