"""The small print of a page: its title, the facts under it, notes and footers."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from karat._version import __version__
from karat.comparison.findings import FAMILY_WISE, NOT_OF_MEANS
from karat.comparison.verdict import SHORT_NAMES, TEST_NAMES, counted
from karat.evaluation.score_tables import footers, plural
from karat.evaluation.scores import Scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karat.comparison import Comparison, Settings
    from karat.reports.closeups import Closeup
    from karat.reports.gathering import Inputs

__all__ = [
    "facts_of",
    "footers_of",
    "interval_words",
    "p_name",
    "portable",
    "queries_note",
    "title_of",
]


def title_of(comparison: Comparison) -> str:
    """What is compared on what."""
    name = os.path.basename(comparison.qrels_name)
    where = f" on {name}" if name and not name.startswith("<") else ""
    return f"{len(comparison.names)} runs{where}"


def facts_of(comparison: Comparison, inputs: Inputs) -> list[str]:
    """How much there is of everything."""
    facts = [
        counted(comparison),
        plural(len(comparison.names), "run", "runs"),
    ]
    if inputs.qrels is not None:
        grades = inputs.qrels.judgments.grades
        facts.append(
            f"{len(grades):,} judgments, {int((grades >= 1).sum()):,} of them relevant (grade 1 or more)"
        )
    baseline = comparison.settings.baseline
    if baseline is not None:
        facts.append(f"baseline: {comparison.names[baseline]}")
    facts.append(f"primary measure: {comparison.primary.measure}")
    given = [name for name, run in inputs.runs.items() if isinstance(run, Scores)]
    if given:
        facts.append(f"given as scores, without lists: {', '.join(given)}")
    return [*facts, f"karat {__version__}"]


def p_name(settings: Settings) -> str:
    """What the p of the table of pairs is called."""
    word = SHORT_NAMES.get(settings.test) or SHORT_NAMES.get(settings.correction)
    return f"the corrected p ({word})" if word else "p"


def interval_words(settings: Settings) -> str:
    """How to read the points and lines of the first picture."""
    alone = f"its {settings.confidence * 100:g} % interval"
    if settings.test in NOT_OF_MEANS:
        name = TEST_NAMES[settings.test]
        return (
            f"The line is {alone}, looked at alone. A point is filled where the {name} finds a significant difference; "
            "it does not test the mean, so the two may disagree."
        )
    if settings.comparisons == 1:
        return f"The line is {alone}. A point is filled where the difference is significant."
    joint = f"the interval corrected for {settings.comparisons} comparisons"
    word = SHORT_NAMES.get(settings.test) or SHORT_NAMES.get(settings.correction)
    if settings.correction == "none" and settings.test not in FAMILY_WISE:
        return f"The line is {alone}, looked at alone: nothing is corrected. A point is filled where it leaves out 0."
    return (
        f"The thick line is {alone}, looked at alone; the thin one is {joint}{f' ({word})' if word else ''}. A point "
        "is filled where the thin line leaves out 0: a significant difference."
    )


def portable(words: Sequence[str]) -> list[str]:
    """The words of a command without the folders of whoever typed them: a page is sent to others.

    A path stays as it was given if it is relative; an absolute one becomes relative to the folder in which the
    command ran, or its last part if it lies elsewhere.
    """
    return [f"{before}{equals}{near(path)}" for before, equals, path in map(parted, words)]


def parted(word: str) -> tuple[str, str, str]:
    """What stands before the path of ``name=path`` or ``--option=path``, and the path."""
    before, equals, after = word.partition("=")
    return (before, equals, after) if equals and os.path.isabs(after) else ("", "", word)


def near(path: str) -> str:
    """A path that names no folder above the one in which the command ran."""
    if not os.path.isabs(path):
        return path
    here = os.path.join(os.path.realpath(os.getcwd()), "")
    whole = os.path.realpath(path)
    return (
        os.path.relpath(whole, here)
        if whole.startswith(here)
        else os.path.basename(path.rstrip(os.sep)) or path
    )


def queries_note(comparison: Comparison, closeups: Sequence[Closeup]) -> str:
    """What the table of queries shows."""
    count = len(comparison.queries)
    if not closeups:
        return "No ranked lists: only scores were given."
    if len(closeups) == count:
        return "Choose a query to see what A and B rank first, with grades, and how the value comes about."
    return (
        f"Of {count:,} queries {len(closeups)} can be opened, those that are underlined: the largest gains and losses, "
        "the hardest, the easiest, those on which the runs differ most, and some between."
    )


def footers_of(comparison: Comparison) -> list[str]:
    """What was decided for the runs' scores; said once where it is the same."""
    return footers(comparison.scores)
