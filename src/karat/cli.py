"""The command line: arguments to calls, results to standard output; no arithmetic."""

from __future__ import annotations

import re
import sys
from typing import Any

import click

from karat._version import __version__
from karat.errors import DataError, KaratError
from karat.policy import CHOICES

__all__ = ["main"]

FORMATS = ("text", "json", "csv", "tsv", "markdown", "latex")
EXPLAIN_FORMATS = ("text", "markdown", "latex", "html")
UNJUDGED = ("-", "?", "·")


def main(arguments: list[str] | None = None) -> None:
    """Run ``karat`` and leave with its exit code: 0, or 2 with one sentence on standard error."""
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        commands.main(arguments, prog_name="karat", standalone_mode=False)
    except KaratError as error:
        fail(str(error), 2)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.Abort:
        raise KeyboardInterrupt from None


def fail(sentence: str, code: int) -> None:
    """Say what is wrong on standard error and leave."""
    sys.stderr.write(f"karat: {sentence.encode('utf-8', 'replace').decode()}\n")
    sys.exit(code)


def terminal_width() -> int:
    """The terminal's columns; 80 where there is none."""
    import shutil

    return shutil.get_terminal_size().columns


def say(text: str) -> None:
    """Write to standard output; ids that are not UTF-8 leave as the bytes that they were."""
    out = getattr(sys.stdout, "buffer", None)
    if out is None:
        sys.stdout.write(text)
        return
    try:
        content = text.encode(sys.stdout.encoding, "surrogateescape")
    except UnicodeEncodeError:
        content = text.encode("utf-8", "surrogateescape")
    sys.stdout.flush()
    out.write(content)
    out.flush()


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(version)s")
def commands() -> None:
    """Measure rankings: relevance judgments and ranked lists in, numbers out."""


def policy_options(command: Any) -> Any:
    """Give a command one option per axis of the policy."""
    helps = {
        "ties": "order of documents with equal scores",
        "scores": "width in which scores are compared",
        "duplicates": "a document twice in a list or in a query's judgments",
        "missing": "a judged query that the run lacks",
        "empty": "a query without relevant documents",
        "judgments": "which are known: all, or those of retrieved documents",
        "unjudged": "documents without a judgment",
        "negative": "negative grades",
    }
    for axis, text in reversed(helps.items()):
        command = click.option(f"--{axis}", type=click.Choice(CHOICES[axis]), help=text)(command)
    command = click.option("--depth", type=click.IntRange(0), help="look at the first DEPTH documents only")(
        command
    )
    return click.option("--lenient", is_flag=True, help="skip lines that cannot be read, and count them")(
        command
    )


def policy_of(profile: str | None, axes: dict[str, Any], *, lenient: bool) -> Any:
    """The profile's policy with the axes that were given on the command line."""
    from karat.profiles import profile_named

    changed = {axis: value for axis, value in axes.items() if value is not None}
    if lenient:
        changed["malformed"] = "skip"
    return profile_named(profile).policy.changed(**changed)


@commands.command("eval")
@click.argument("files", nargs=-1, metavar="QRELS RUN...")
@click.option("--judged-ranking", metavar="FILE", help="score 'query Q0 document grade' lines in rank order")
@click.option(
    "-m", "--measure", "measures", multiple=True, help="AP, P@10, 'nDCG(gain=exp2)@10', map, all_trec …"
)
@click.option("-q", "--per-query", is_flag=True, help="also a row per query")
@click.option("--tie-bounds", is_flag=True, help="each mean also under the worst and the best order of ties")
@click.option("--profile", help="read names and decide as that tool does, e.g. trec_eval-9")
@click.option("--format", "layout", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option("--digits", type=click.IntRange(0, 17), help="decimals in tables")
@policy_options
def evaluate_command(
    files: tuple[str, ...],
    judged_ranking: str | None,
    measures: tuple[str, ...],
    per_query: bool,
    profile: str | None,
    layout: str,
    tie_bounds: bool,
    digits: int | None,
    lenient: bool,
    **axes: Any,
) -> None:
    """Score runs against relevance judgments.

    QRELS and RUN are TREC files, plain or compressed; '-' is standard input. One row a run.
    """
    if tie_bounds and per_query:
        raise click.UsageError("--tie-bounds speaks of means: leave out --per-query.")
    policy = policy_of(profile, axes, lenient=lenient)
    asked = list(measures) or None
    if judged_ranking is not None:
        if files:
            raise click.UsageError(
                "--judged-ranking takes the place of QRELS and RUN: give one or the other."
            )
        from karat.evaluate import evaluate_judged_ranking

        scores = [evaluate_judged_ranking(judged_ranking, asked, policy=policy, profile=profile)]
    elif len(files) < 2:
        raise click.UsageError("Give a QRELS file and at least one RUN.")
    else:
        scores = evaluate_all(files[0], files[1:], asked, policy, profile)
    show(scores, layout, per_query=per_query, digits=digits, tie_bounds=tie_bounds)


def evaluate_all(
    qrels: str, runs: tuple[str, ...], asked: list[str] | None, policy: Any, profile: str | None
) -> Any:
    """Score every run against the same judgments, read once."""
    from karat.evaluate import conventions, evaluate, labelled
    from karat.progress import watched
    from karat.tables import Qrels, Run

    labelled(asked, conventions(profile, policy)[0])
    if (qrels, *runs).count("-") > 1:
        raise DataError("Standard input ('-') can be read once: give files for the others.")
    judged = Qrels.of(qrels, policy)
    ranked = [Run.of(run) for run in runs]
    names = [run.name for run in ranked]
    names = list(runs) if len(set(names)) < len(names) else names
    with watched(sum(run.source.size or 0 for run in ranked if run.source)) as progress:
        return [
            evaluate(judged, Run(name, run.source), asked, policy=policy, profile=profile, progress=progress)
            for name, run in zip(names, ranked, strict=True)
        ]


def show(scores: Any, layout: str, *, per_query: bool, digits: int | None, tie_bounds: bool) -> None:
    """Print the scores of all runs in the format asked for."""
    from karat.scores import board, footer, to_json

    if layout == "json":
        say(to_json(scores, per_query=per_query))
        return
    columns = terminal_width() if layout == "text" and sys.stdout.isatty() else None
    say(board(scores, layout, per_query=per_query, digits=digits, columns=columns, tie_bounds=tie_bounds))
    if layout in ("csv", "tsv", "latex"):
        return
    lines = {footer(each): each.name for each in scores}
    prefix = len(lines) > 1
    say("\n" if layout == "markdown" else "")
    for line, name in lines.items():
        say(f"{name}: {line}\n" if prefix else f"{line}\n")


@commands.command("explain")
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
@click.option("--profile", help="read the name and decide as that tool does, e.g. note-004")
@click.option("--format", "form", type=click.Choice(EXPLAIN_FORMATS), default="text", show_default=True)
@click.option("--rows", type=click.IntRange(0), default=40, show_default=True, help="ranks shown; 0: all")
@click.option("--digits", type=click.IntRange(0, 17), default=6, show_default=True, help="decimals")
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
    **axes: Any,
) -> None:
    """Show how MEASURE comes to its value for one query, rank by rank.

    From grades on the command line, or from TREC files:

    \b
        karat explain nDCG@5 --grades 3,2,0,1 --judged 3,3,2,1,0
        karat explain AP qrels.txt bm25.run --query 301
    """
    from karat.explain import explain

    if len(files) not in (0, 2):
        raise click.UsageError(
            "Give QRELS and RUN with --query, or --grades, or --judged-ranking with --query."
        )
    qrels, run = files or (None, None)
    if qrels == run == "-":
        raise DataError("Standard input ('-') can be read once: give a file for the other.")
    explanation = explain(
        measure,
        qrels,
        run,
        query,
        grades=None if grades is None else grades_in(grades),
        judged=None if judged is None else grades_in(judged),
        judged_ranking=judged_ranking,
        policy=policy_of(profile, axes, lenient=lenient),
        profile=profile,
        rows=rows or None,
        digits=digits,
    )
    if form == "text" and sys.stdout.isatty():
        say(explanation.to_text(terminal_width()))
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
    try:
        return None if part in UNJUDGED else float(part)
    except ValueError:
        raise DataError(
            f"'{part}' is not a grade: write numbers in rank order, and - or ? for an unjudged document, as in "
            "3,2,-,1."
        ) from None


@commands.command("measures")
@click.argument("names", nargs=-1, metavar="[NAME]...")
def measures_command(names: tuple[str, ...]) -> None:
    """List the measures, or say what some of them mean."""
    from karat.measures import REGISTER, parse_measures

    if not names:
        space = max(map(len, REGISTER))
        say("".join(f"{name:{space}}  {each.sentence}\n" for name, each in REGISTER.items()))
    for each in parse_measures(names):
        definition = each.definition
        say(f"{each}\n\n    {(definition.formula.__doc__ or '').strip()}\n\n")
        say(f"    source: {definition.source}\n    trec_eval: {definition.same_as or 'has it not'}\n\n")


@commands.command("profiles")
@click.argument("names", nargs=-1, metavar="[NAME]...")
def profiles_command(names: tuple[str, ...]) -> None:
    """List the named conventions of other tools, or say what some of them change."""
    from karat.profiles import profile_named, profiles

    if not names:
        space = max(map(len, profiles()))
        say("".join(f"{name:{space}}  {source}\n" for name, source in profiles().items()))
    say("\n".join(profile_named(name).describe() for name in names))


@commands.command("difference")
@click.argument("profile_a", metavar="PROFILE_A")
@click.argument("profile_b", metavar="PROFILE_B")
@click.argument("measure")
@click.argument("qrels")
@click.argument("run")
@click.option("--format", "layout", type=click.Choice(("text", "json")), default="text", show_default=True)
def difference_command(
    profile_a: str, profile_b: str, measure: str, qrels: str, run: str, layout: str
) -> None:
    """Say why two profiles give different numbers: one axis at a time from A to B.

    PROFILE_A and PROFILE_B are names that 'karat profiles' lists, or 'karat' for karat's own conventions.
    """
    from karat.differences import difference

    if qrels == run == "-":
        raise DataError("Standard input ('-') can be read once: give a file for the other.")
    found = difference(profile_a, profile_b, measure, qrels, run)
    say(found.to_json() if layout == "json" else str(found))


@commands.command(
    "trec-eval",
    add_help_option=False,
    short_help="Behave exactly as trec_eval.",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def trec_eval_command(arguments: tuple[str, ...]) -> None:
    """Behave exactly as trec_eval: its arguments, its output, its exit codes."""
    from karat.compat.trec_eval import main as trec_eval

    sys.exit(trec_eval(list(arguments)))
