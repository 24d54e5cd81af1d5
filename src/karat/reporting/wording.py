"""The small print of a page: its title, the facts under it, notes and footers."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from karat._version import __version__
from karat.boards import footers, plural
from karat.comparison.verdict import counted
from karat.comparison.wording import SHORT_NAMES
from karat.scores import Scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karat.comparison import Comparison, Settings
    from karat.reporting.closeups import Closeup
    from karat.reporting.gathering import Inputs

__all__ = ["facts_of", "footers_of", "p_name", "queries_note", "title_of"]


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


def queries_note(comparison: Comparison, closeups: Sequence[Closeup]) -> str:
    """What the table of queries shows."""
    count = len(comparison.queries)
    if not closeups:
        return "No ranked lists: only scores were given."
    if len(closeups) == count:
        return "Choose a query to see what A and B rank first, with grades, and how the value comes about."
    return (
        f"Of {count:,} queries {len(closeups)} can be opened: those with the largest gains and losses, the hardest, "
        "the easiest, those on which the runs differ most, and some between."
    )


def footers_of(comparison: Comparison) -> list[str]:
    """What was decided for the runs' scores; said once where it is the same."""
    return footers(comparison.scores)
