"""Derivations: chooses the steps of a formula to show, their order and their letters."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from karat.lists.notation import Line, Mathematics, Sheet, Writer, is_by_name, is_own, letters
from karat.lists.traced import Step, Traced, first_sentence

MOST_PARTS = 6
"""The maximum number of letters and names in an expression that is written inside another."""
MOST_INSIDE = 9
"""The maximum number of letters and names in equations, which show no numbers."""
INDICES_OF_SUMS = "dgijklm"
SHORT = ("spread", "depth", "length", "horizon", "kept", "possible")
"""Methods of ``Lists`` whose results never get a letter in equations."""


@dataclass(frozen=True)
class Derivation:
    """The steps of a formula from the ranked list to the value.

    Args:
        given: numbers of the query that the numbers of its documents depend on.
        sheets: the lists, the run's list first.
        rest: the other numbers of the query, the value last.
        value: the measure's value.
        words: the meaning of each method of ``Lists``, in order of first use.
        mathematics: each step as a line of aligned equations in LaTeX, in reading order.
    """

    given: tuple[Line, ...]
    sheets: tuple[Sheet, ...]
    rest: tuple[Line, ...]
    value: float
    words: dict[str, str]
    mathematics: tuple[str, ...] = ()


def derive(last: Step) -> Derivation:
    """Returns the derivation that ends in a step."""
    steps = sources_of(last)
    folded = folded_steps(steps, last)
    shown = [step for step in steps if step not in folded and not is_by_name(step)]
    first = given_first(steps)
    given = [step for step in shown if step in first]
    rest = [step for step in shown if step.kind == "Queries" and step not in first]
    lists = lists_of(steps)
    columns = [[step for step in shown if step.kind == "Rows" and step.place is each] for each in lists]
    lettered = [*given, *(step for each in columns for step in each), *rest]
    writer = Writer(lists, folded, lettered)
    return Derivation(
        tuple(map(writer.line, given)),
        tuple(writer.sheet(each, inside) for each, inside in zip(lists, columns, strict=True)),
        tuple(map(writer.line, rest)),
        float(last.numbers[0]),
        words_of(shown),
        tuple(map(Mathematics(folded, writer.letters).line_of, lettered)),
    )


def equations(last: Step, taken: str = "") -> tuple[str, ...]:
    """Returns a formula as a few LaTeX equations. The last equation is the value, without a left side.

    Only a step that is long or used twice has a letter and an equation.

    Args:
        last: the value.
        taken: letters that mean something else.
    """
    steps = sources_of(last)
    used = Counter(source for step in steps for source in step.sources)
    parts: dict[Step, int] = {}
    folded = {last}
    for step in steps:
        parts[step] = max(1, sum(parts[each] if each in folded else 1 for each in step.sources))
        if step.word in SHORT or (used[step] == 1 and parts[step] <= MOST_INSIDE):
            folded.add(step)
    lettered = [step for step in steps if step not in folded and not is_by_name(step)]
    free = (each for each in letters() if each not in INDICES_OF_SUMS + taken)
    writer = Mathematics(folded, dict(zip(lettered, free)))
    return (*map(writer.line_of, lettered), writer.value(last))


# ---------------------------------------------------------------- which steps


def sources_of(last: Step) -> list[Step]:
    """Returns a step and all steps that it depends on, each after the steps that it depends on."""
    found: dict[Step, None] = {}

    def visit(step: Step) -> None:
        if step not in found:
            for source in step.sources:
                visit(source)
            found[step] = None

    visit(last)
    return list(found)


def folded_steps(steps: list[Step], last: Step) -> set[Step]:
    """Returns the steps that are written inside the steps that use them.

    These steps are: short arithmetic that is used once, in other arithmetic or in a number of the query; a number of
    the query that is given to all its documents; and arithmetic on ranks and grades only.
    """
    users: dict[Step, list[Step]] = {step: [] for step in steps}
    for step in steps:
        for source in step.sources:
            users[source].append(step)
    folded: set[Step] = set()
    parts: dict[Step, int] = {}
    for step in steps:
        for source in step.sources:
            if source is not last and (source.word == "spread" or fits(source, step, users[source], parts)):
                folded.add(source)
        parts[step] = sum(parts[each] if each in folded else 1 for each in step.sources)
    return folded


def fits(step: Step, user: Step, users: list[Step], parts: dict[Step, int]) -> bool:
    """Returns whether a step is short enough to be written inside the step that uses it."""
    if not step.is_arithmetic or step.kind != user.kind:
        return False
    if all(is_by_name(source) for source in step.sources):
        return True
    inside = user.is_arithmetic or user.kind == "Queries"
    return inside and len(users) == 1 and parts[step] <= MOST_PARTS


def given_first(steps: list[Step]) -> set[Step]:
    """Returns the numbers of the query that the numbers of its documents depend on, but not the reverse."""
    of_documents = {step for step in steps if step.kind == "Rows"}
    after: set[Step] = set()
    for step in steps:
        if step in of_documents or any(source in after for source in step.sources):
            after.add(step)
    used: set[Step] = set()
    for step in reversed(steps):
        if step in of_documents or step in used:
            used.update(step.sources)
    return used - after


def lists_of(steps: list[Step]) -> list[Traced]:
    """Returns the lists with a number per document, the run's list first."""
    found = dict.fromkeys(step.place for step in steps if step.kind == "Rows")
    own = [each for each in found if is_own(each)] or [run_of(steps)]
    return [*own, *(each for each in found if each not in own)]


def run_of(steps: list[Step]) -> Traced:
    """Returns the run's list, cut at the depth."""
    every = [each for step in steps for each in step.place.ancestry if is_own(each)]
    return max(every, key=lambda each: len(each.ancestry))


def words_of(steps: list[Step]) -> dict[str, str]:
    """Returns the meaning of each method of ``Lists`` that computed a step."""
    words = dict.fromkeys(step.word for step in steps if not step.is_arithmetic)
    meanings = {word: first_sentence(word) for word in words}
    return {word: meaning for word, meaning in meanings.items() if meaning}
