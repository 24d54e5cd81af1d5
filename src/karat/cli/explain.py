"""``karat explain`` and ``karat difference``: why a number is what it is, and why two differ."""

from __future__ import annotations

import os
import re
import sys
from typing import Any

import click

from karat.cli.options import (
    Inputs,
    exclude_option,
    input_options,
    language_in,
    language_option,
    policy_of,
    policy_options,
    refuse_two_readers,
    request_options,
)
from karat.cli.terminal import coloured, say, terminal_width, text_columns
from karat.measures.grammar import NUMBER
from karat.output.errors import DataError

__all__ = ["difference_command", "explain_command"]

EXPLAIN_FORMATS = ("text", "markdown", "latex", "html")
UNJUDGED = ("-", "?", "·")
GRADES = re.compile(r"[\d.,;，、；?·+-]+")


class Explaining(click.Command):
    """A command that takes grades also where blanks stand between them, ``--grades 2 1 0``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments, each list of grades joined with commas."""
        return super().parse_args(ctx, joined_grades(args))


def joined_grades(words: list[str]) -> list[str]:
    """The words of a command line with the grades that follow ``--grades`` or ``--judged`` as one word."""
    found: list[str] = []
    grades = False
    for word in words:
        if grades and GRADES.fullmatch(word) and found[-1] not in ("--grades", "--judged"):
            found[-1] += f",{word}"
            continue
        grades = word in ("--grades", "--judged") or word.startswith(("--grades=", "--judged="))
        grades = grades or (found[-1:] in (["--grades"], ["--judged"]))
        found.append(word)
    return found


@click.command("explain", cls=Explaining)
@click.argument("measure")
@click.argument("files", nargs=-1, metavar="[QRELS RUN]")
@click.option("--query", metavar="Q", help="the query of QRELS and RUN to explain")
@click.option(
    "--grades", metavar="3,2,-,1", help="instead of files, grades in rank order; - or ? is unjudged"
)
@click.option("--judged", metavar="3,3,2,1", help="with --grades, all grades of the query's judgments")
@click.option(
    "--judged-ranking", metavar="FILE", help="instead of QRELS and RUN, judged documents in rank order"
)
@request_options
@click.option("--format", "form", type=click.Choice(EXPLAIN_FORMATS), default="text", show_default=True)
@click.option("--rows", type=click.IntRange(0), default=40, show_default=True, help="ranks shown; 0: all")
@click.option("--digits", type=click.IntRange(0, 17), default=6, show_default=True, help="decimals")
@input_options
@exclude_option
@language_option
@policy_options
def explain_command(
    measure: str,
    files: tuple[str, ...],
    query: str | None,
    grades: str | None,
    judged: str | None,
    judged_ranking: str | None,
    profile: str | None,
    form: str,
    rows: int,
    digits: int,
    lenient: bool,
    lang: str | None,
    **axes: Any,
) -> None:
    """Show how MEASURE comes to its value for one query, rank by rank.

    From grades on the command line, or from TREC files:

    \b
        karat explain nDCG@5 --grades 3,2,0,1 --judged 3,3,2,1,0
        karat explain AP qrels.txt bm25.run --query 301
    """
    from karat.diagnosis.explain import explain

    if files and grades is not None:
        raise click.UsageError(
            f"--grades takes the place of QRELS and RUN, and '{files[0]}' is no grade: give grades, as in "
            "--grades 3,2,0, or files."
        )
    if len(files) not in (0, 2):
        raise click.UsageError(
            "Give QRELS and RUN with --query, or --grades, or --judged-ranking with --query."
        )
    inputs, policy = Inputs.taken(axes), policy_of(axes, lenient=lenient)
    refuse_two_readers(*files, inputs.exclude)
    explanation = explain(
        measure,
        inputs.qrels(files[0], policy, profile, measure) if files else None,
        inputs.run(files[1]) if files else None,
        query,
        grades=None if grades is None else grades_in(grades),
        judged=None if judged is None else grades_in(judged),
        judged_ranking=judged_ranking,
        policy=policy,
        profile=profile,
        rows=rows or None,
        digits=digits,
        lang=language_in(lang),
    )
    if form == "text":
        text = explanation.to_text(terminal_width()) if sys.stdout.isatty() else explanation.to_text()
        say(coloured("explain", text))
    else:
        say(getattr(explanation, f"to_{form}")())


def grades_in(text: str) -> list[float | None]:
    """Grades as people type them: separated by commas or blanks, ``-`` or ``?`` for an unjudged document.

    Raises:
        DataError: something else.
    """
    return [grade_in(part) for part in re.split(r"[\s,;，、；]+", text) if part]


def grade_in(part: str) -> float | None:
    """One grade; None for an unjudged document."""
    if part in UNJUDGED:
        return None
    if NUMBER.fullmatch(part):
        return float(part)
    raise DataError(
        f"'{part}' is not a grade: write numbers in rank order, and - or ? for an unjudged document, as in 3,2,-,1."
    )


@click.command("difference")
@click.argument("profile_a", metavar="A")
@click.argument("profile_b", metavar="B")
@click.argument("measure")
@click.argument("qrels", metavar="[QRELS]")
@click.argument("run", required=False, metavar="RUN")
@request_options
@click.option("--format", "layout", type=click.Choice(("text", "json")), default="text", show_default=True)
@input_options
@exclude_option
@policy_options
def difference_command(
    profile_a: str,
    profile_b: str,
    measure: str,
    qrels: str,
    run: str | None,
    profile: str | None,
    layout: str,
    lenient: bool,
    **axes: Any,
) -> None:
    """Say why two profiles, or two judgments, give different numbers: one change at a time from A to B.

    \b
        karat difference trec_eval-10 sklearn nDCG@10 qrels.txt bm25.run
        karat difference people.qrels model.qrels nDCG@10 bm25.run

    A and B are names that 'karat profiles' lists, or 'karat' for karat's own conventions, and then QRELS and RUN
    follow; or two files of judgments, and RUN follows. Options of the policy go on top of both.
    """
    from karat.diagnosis.difference import difference

    inputs, policy = Inputs.taken(axes), policy_of(axes, lenient=lenient)
    if run is None:
        if not (is_file(profile_a) and is_file(profile_b)):
            raise click.UsageError(
                "Give two profiles, a measure, QRELS and RUN; or two QRELS, a measure and RUN."
            )
        from karat.diagnosis.difference import rejudged

        refuse_two_readers(profile_a, profile_b, qrels, inputs.exclude)
        one, other = (inputs.qrels(each, policy, profile, measure) for each in (profile_a, profile_b))
        changed = rejudged(one, other, measure, inputs.run(qrels), policy=policy, profile=profile)
        say(
            changed.to_json() if layout == "json" else coloured("difference", changed.to_text(text_columns()))
        )
        return
    if profile is not None:
        raise click.UsageError("--profile is of two judgments: name two profiles in the first two places.")
    refuse_two_readers(qrels, run, inputs.exclude)
    judged = inputs.qrels(qrels, policy, profile_a, measure)
    found = difference(
        profile_a, profile_b, measure, judged, inputs.run(run), policy=policy
    ).on_command_line()
    say(found.to_json() if layout == "json" else coloured("difference", found.to_text(text_columns())))


def is_file(name: str) -> bool:
    """Whether this names judgments and no profile."""
    return name == "-" or os.path.exists(name)
