"""The command ``carob curve``."""

from __future__ import annotations

import re
import sys
from typing import Any

import click

from carob._dataclasses import replace
from carob.cli.explain import Explaining, grades_of_queries
from carob.cli.options import Given, options, weights_in
from carob.cli.terminal import terminal_width
from carob.measures.grammar import is_number
from carob.output.errors import DataError


@click.command("curve", cls=Explaining)
@click.argument("files", nargs=-1, metavar="[QRELS RUN]")
@options("curve")
def curve_command(
    files: tuple[str, ...],
    at: str | None,
    grades: tuple[str, ...],
    judged: tuple[str, ...],
    judged_ranking: str | None,
    weights: str | None,
    given: Given,
    **shown: Any,
) -> None:
    """Compute measures at every depth, precision at every recall level, or recall by the share of documents read.

    Each value is the mean over the queries. Pass the queries as QRELS and RUN, or as lists of grades on the command
    line:

    \b
        carob curve qrels.txt bm25.run -m P -m R --at 5,10,20
        carob curve qrels.txt bm25.run -m R --at 10%,50%,100%
        carob curve -m 'CG DCG nDCG' --grades 3,2,0,1 --grades 0,1,2
    """
    from carob.evaluation.curves import curve

    files = given.with_judgments(files)
    if bool(files) + bool(grades) + (judged_ranking is not None) != 1 or len(files) not in (0, 2):
        raise click.UsageError(
            "Use QRELS and RUN, or one table of retrieved_ids and reference_ids, or --judged-ranking, or --grades."
        )
    asked = given.measures or ["CG", "DCG", "nDCG"]
    found = curve(
        asked,
        given.qrels(files[0], asked) if files else None,
        given.run(files[1]) if files else None,
        **grades_of_queries(grades, judged, given.words),
        judged_ranking=None if judged_ranking is None else given.qrels(judged_ranking, asked),
        at=None if at is None else places_in(at),
        weights=weights_in(weights),
        **given.conventions,
    )
    given.answer(replace(found, **shown), terminal_width() if sys.stdout.isatty() else None, "values")


def places_in(text: str) -> list[float | str]:
    """Parses depths, recall levels or shares in per cent, separated by commas or spaces.

    Raises:
        DataError: the text contains anything other than numbers.
    """
    parts = re.split(r"[\s,]+", text.strip())
    for part in parts:
        if not is_number(part.removesuffix("%")):
            raise DataError(
                f"'{part}' in --at is not a number: write depths or recall levels, as in 1,5,10, or percentages of "
                "the documents, as in 5%,50%,100%."
            )
    return [part if part.endswith("%") else float(part) for part in parts]
