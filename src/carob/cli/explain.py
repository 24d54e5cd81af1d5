"""The commands ``carob explain`` and ``carob difference``."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, Any

import click

from carob.cli.options import Given, options
from carob.cli.terminal import terminal_width
from carob.measures.grammar import is_number
from carob.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Mapping

UNJUDGED = ("-", "?", "·")
GRADES = re.compile(r"[\d.,;，、；?·+-]+")


class Explaining(click.Command):
    """A command that also accepts grades separated by spaces, as in ``--grades 2 1 0``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parses the arguments after joining each list of grades with commas."""
        return super().parse_args(ctx, joined_grades(args))


def joined_grades(words: list[str]) -> list[str]:
    """Joins the grades after ``--grades`` or ``--judged`` into one argument."""
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
@options("explain")
def explain_command(
    measure: str,
    files: tuple[str, ...],
    query: str | None,
    grades: str | None,
    judged: str | None,
    judged_ranking: str | None,
    rows: int,
    given: Given,
    **options: Any,
) -> None:
    """Show how the value of MEASURE for one query is computed, rank by rank.

    Pass the ranked list as grades on the command line, or as files:

    \b
        carob explain nDCG@5 --grades 3,2,0,1 --judged 3,3,2,1,0
        carob explain AP qrels.txt bm25.run --query 301
    """
    from carob.diagnosis.explain import explain

    if files and grades is not None:
        raise click.UsageError(
            f"--grades replaces QRELS and RUN, but '{files[0]}' was passed too: pass either grades, as in --grades "
            "3,2,0, or files."
        )
    files = given.with_judgments(files)
    if len(files) not in (0, 2):
        raise click.UsageError(
            "Pass QRELS, RUN and --query, or --judged-ranking and --query, or only --grades. A single table of "
            "retrieved_ids and reference_ids can replace both QRELS and RUN."
        )
    explanation = explain(
        measure,
        given.qrels(files[0], measure) if files else None,
        given.run(files[1]) if files else None,
        query,
        grades=None if grades is None else grades_in(grades, given.words),
        judged=None if judged is None else grades_in(judged, given.words),
        judged_ranking=None if judged_ranking is None else given.qrels(judged_ranking, measure),
        rows=rows or None,
        **given.conventions,
        **options,
    )
    given.answer(explanation, terminal_width() if sys.stdout.isatty() else None)


def grades_of_queries(
    grades: tuple[str, ...], judged: tuple[str, ...], words: Mapping[str, float] | None
) -> dict[str, Any]:
    """Parses the typed grades of several queries, and all grades judged for these queries, into function arguments.

    Raises:
        DataError: the text contains something other than grades.
    """
    if judged and len(judged) != len(grades):
        raise click.UsageError(
            f"--judged was passed for {len(judged)} queries, but --grades for {len(grades)}: repeat both options the "
            "same number of times."
        )
    return {
        "grades": [grades_in(each, words) for each in grades] or None,
        "judged": [grades_in(each, words) for each in judged] or None,
    }


def grades_in(text: str, words: Mapping[str, float] | None = None) -> list[float | None]:
    """Parses typed grades, separated by commas or spaces, with ``-`` or ``?`` for an unjudged document.

    Removes brackets around the grades, as Python and JSON print them.

    Raises:
        DataError: the text contains something other than grades.
    """
    return [grade_in(part, words or {}) for part in re.split(r"[\s,;，、；]+", text.strip("[]() ")) if part]


def grade_in(part: str, words: Mapping[str, float]) -> float | None:
    """Parses one grade, or returns None for an unjudged document."""
    if part in UNJUDGED:
        return None
    if part in words:
        return words[part]
    if is_number(part):
        return float(part)
    raise DataError(
        f"'{part}' is not a grade: write numbers in rank order, and - or ? for an unjudged document, as in 3,2,-,1."
        " Words for grades need their numbers, as in --grade-words Good=2,Fair=1,Bad=0."
    )


@click.command("difference", cls=Explaining)
@click.argument("profile_a", metavar="A")
@click.argument("profile_b", metavar="B")
@click.argument("measure")
@click.argument("files", nargs=-1, metavar="[QRELS] [RUN]")
@options("difference")
def difference_command(
    profile_a: str,
    profile_b: str,
    measure: str,
    files: tuple[str, ...],
    grades: tuple[str, ...],
    judged: tuple[str, ...],
    judged_ranking: str | None,
    given: Given,
) -> None:
    """Explain, one change at a time, why two profiles or two sets of judgments give different scores.

    \b
        carob difference trec_eval-10 sklearn nDCG@10 qrels.txt bm25.run
        carob difference note-000 note-001 NDCG@3 --grades 3,2,3
        carob difference people.qrels model.qrels nDCG@10 bm25.run

    A and B are two profiles or two judgment files. After two profiles, pass QRELS and RUN, or grades. After two
    judgment files, pass RUN. 'carob profiles' lists the profiles, and the profile 'carob' stands for carob's own
    conventions. Policy options apply to both A and B.
    """
    direct = bool(grades) or judged_ranking is not None
    rejudging = not direct and len(files) == 1 and is_file(profile_a) and is_file(profile_b)
    if not rejudging:
        files = given.with_judgments(files)
    kinds = bool(files) + bool(grades) + (judged_ranking is not None)
    if kinds != 1 or len(files) not in ((0, 1) if rejudging else (0, 2)):
        raise click.UsageError(
            "Pass two profiles, a measure, and QRELS and RUN, --grades or --judged-ranking; or pass two QRELS, a "
            "measure and a RUN."
        )
    from carob.diagnosis.difference import difference, rejudged

    if rejudging:
        one, other = (given.qrels(each, measure) for each in (profile_a, profile_b))
        given.answer(rejudged(one, other, measure, given.run(files[0]), **given.conventions))
        return
    if given.profile is not None:
        raise click.UsageError(
            "--profile can be used only if A and B are sets of judgments. To compare two profiles, pass "
            "their names as A and B."
        )
    found = difference(
        profile_a,
        profile_b,
        measure,
        given.qrels(files[0], measure, profile_a) if files else None,
        given.run(files[1]) if files else None,
        **grades_of_queries(grades, judged, given.words),
        judged_ranking=None if judged_ranking is None else given.qrels(judged_ranking, measure, profile_a),
        policy=given.policy,
    )
    given.answer(found.on_command_line())


def is_file(name: str) -> bool:
    """Returns whether an argument is a judgment file rather than a profile."""
    return name == "-" or os.path.exists(name)
