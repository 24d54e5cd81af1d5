"""The command ``carob whence``."""

from __future__ import annotations

import re

import click

from carob._dataclasses import replace
from carob.cli.explain import Explaining, grades_of_queries
from carob.cli.options import Given, options

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*%?", re.IGNORECASE)


@click.command("whence", cls=Explaining)
@click.argument("words", nargs=-1, required=True, metavar="NUMBER… [QRELS RUN]")
@options("whence")
def whence_command(
    words: tuple[str, ...],
    query: tuple[str, ...],
    grades: tuple[str, ...],
    judged: tuple[str, ...],
    top: int,
    given: Given,
) -> None:
    """Find the conventions of tools, and the known mistakes, that produce NUMBER.

    NUMBER is the score of a ranked list: pass the grades of the list, or files and a query. Without --query, the number
    is the mean over all queries.

    \b
        carob whence 0.3333 --grades 0,0,1,0,2 --judged 2,1,1
        carob whence 0.767 qrels.txt bm25.run --query 301 -m nDCG@10

    Two numbers rule out more explanations than one: repeat --grades or --query to pass the list for each number.
    """
    from carob.diagnosis.whence import whence

    numbers = [word for word in words if NUMBER.fullmatch(word)]
    files = given.with_judgments(tuple(word for word in words if not NUMBER.fullmatch(word)))
    if not numbers:
        raise click.UsageError(
            f"'{words[0]}' is not a number: as the first argument, pass the number to explain, such as 0.613."
        )
    if bool(files) == bool(grades) or len(files) not in (0, 2):
        raise click.UsageError("After the numbers, pass QRELS and RUN, or --grades.")
    found = whence(
        numbers,
        given.measures,
        given.qrels(files[0]) if files else None,
        given.run(files[1]) if files else None,
        query or None,
        **grades_of_queries(grades, judged, given.words),
        policy=given.policy,
    )
    given.answer(replace(found, shown=top))
