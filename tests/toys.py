"""Holds the judgments and the run that commands are tried on where any would do, and runs a command here."""

import copy
from typing import Any

from carob.cli import main

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 c 1\n"
RUN = "q1 Q0 b 1 2.0 t\nq1 Q0 a 2 1.0 t\nq2 Q0 c 1 1.0 t\n"
BETTER = "q1 Q0 b 2 0.5 t\nq1 Q0 a 1 1.0 t\nq2 Q0 c 1 1.0 t\n"


def command(*arguments: str) -> int:
    """Runs the command in this process, and returns its exit status."""
    try:
        main(list(arguments))
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


def with_formula(definition: Any, formula: Any) -> Any:
    """A measure's definition with another formula."""
    other = copy.copy(definition)
    object.__setattr__(other, "formula", formula)
    return other
