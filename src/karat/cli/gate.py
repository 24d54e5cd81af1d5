"""``karat gate`` and ``karat verify``: whether it has got worse, and whether the numbers are still the same."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from karat.cli.options import (
    Inputs,
    exclude_option,
    input_options,
    paths_of,
    policy_of,
    policy_options,
    refuse_two_readers,
    request_options,
)
from karat.cli.terminal import coloured, say, text_columns
from karat.measures.grammar import NUMBER
from karat.output.errors import DataError

__all__ = ["gate_command", "verify_command"]


@click.command("gate")
@click.argument("qrels")
@click.argument("run")
@click.option("--baseline", metavar="FILE", help="an earlier run, or what --record or -q --format json wrote")
@click.option("--baseline-run", metavar="NAME", help="which run of such a file, where it holds several")
@click.option(
    "--max-drop",
    "drops",
    multiple=True,
    metavar="nDCG@10=0.005",
    help="how far a mean may fall; may be repeated",
)
@click.option("--min", "floors", multiple=True, metavar="nDCG@10=0.6", help="what a mean must reach; no test")
@click.option("-m", "--measure", "measures", multiple=True, hidden=True)
@click.option("--alpha", type=click.FloatRange(0, 1, True, True), default=0.05, show_default=True)
@click.option(
    "--worst", type=click.IntRange(0), default=5, show_default=True, help="queries listed a measure"
)
@click.option("--format", "layout", type=click.Choice(("text", "json", "markdown")), default="text")
@click.option("--junit", metavar="OUT.XML", help="write JUnit's XML as well")
@click.option(
    "--github/--no-github", default=None, help="annotations on standard error  [default: in GitHub Actions]"
)
@request_options
@input_options
@exclude_option
@policy_options
def gate_command(
    qrels: str,
    run: str,
    baseline: str | None,
    baseline_run: str | None,
    drops: tuple[str, ...],
    floors: tuple[str, ...],
    measures: tuple[str, ...],
    alpha: float,
    worst: int,
    layout: str,
    junit: str | None,
    github: bool | None,
    profile: str | None,
    lenient: bool,
    **axes: Any,
) -> None:
    """Fail where RUN fell behind a baseline by more than is tolerated and by more than chance.

    \b
        karat gate qrels.txt new.run --baseline old.run --max-drop nDCG@10=0.005

    Exit code 0: passed; 1: failed; 2: it could not be decided, such as a file that cannot be read.
    """
    from karat.output.files import refuse_overwriting, write_whole
    from karat.testing.gate import gate

    if measures:
        raise click.UsageError(
            f"A gate's measures stand with their limits: --max-drop {measures[0]}=0.005, or --min {measures[0]}=0.6."
        )
    inputs, policy = Inputs.taken(axes), policy_of(axes, lenient=lenient)
    refuse_two_readers(qrels, run, baseline, inputs.exclude)
    gated = [each.rpartition("=")[0] for each in (*drops, *floors) if each.count("=")]
    if junit is not None:
        refuse_overwriting(junit, paths_of(qrels, run, baseline, inputs.exclude))
    found = gate(
        inputs.qrels(qrels, policy, profile, gated or None),
        inputs.run(run),
        None if baseline is None else baseline_in(baseline, inputs),
        limits(drops, "--max-drop"),
        limits(floors, "--min"),
        alpha=alpha,
        worst=worst,
        baseline_run=baseline_run,
        policy=policy,
        profile=profile,
    )
    if junit is not None:
        write_whole(junit, found.to_junit())
    if layout == "text":
        say(coloured("gate", found.to_text(text_columns())))
    else:
        say(found.to_json() if layout == "json" else found.to_markdown())
    if os.environ.get("GITHUB_ACTIONS") == "true" if github is None else github:
        # The runner reads commands from both streams; standard output stays what --format says.
        sys.stderr.write(found.to_github().encode("utf-8", "backslashreplace").decode())
    if not found.passed:
        sys.exit(1)


def baseline_in(argument: str, inputs: Inputs) -> Any:
    """The record at a path, or the run."""
    from karat.testing.baseline import record_of

    return record_of(argument) or inputs.run(argument)


def limits(options: tuple[str, ...], option: str) -> Any:
    """MEASURE=NUMBER as a mapping; a number alone, which stands for the default measure, as it is.

    Raises:
        DataError: what is no number, or a measure twice.
    """
    found: dict[str, float] = {}
    for each in options:
        measure, equals, number = each.rpartition("=")
        if not NUMBER.fullmatch(number.strip()):
            raise DataError(f"{option} {each}: expected MEASURE=NUMBER, such as nDCG@10=0.005.")
        value = float(number)
        if not equals and option == "--max-drop" and len(options) == 1:
            return value
        if not measure or measure in found:
            fault = "is given twice" if measure in found else "needs a measure, such as nDCG@10=0.005"
            raise DataError(f"{option} {each} {fault}.")
        found[measure] = value
    return found or None


@click.command("verify")
@click.argument("path", metavar="RECORD")
@click.option("--qrels", metavar="FILE", help="the judgments, where they are no longer at the path recorded")
@click.option("--run", "runs", multiple=True, metavar="NAME=FILE", help="the same for a run; may be repeated")
@click.option(
    "--tolerance", type=click.FloatRange(0), default=1e-12, show_default=True, help="between values"
)
@click.option(
    "--anywhere", is_flag=True, help="let the record name any file, not only those below its folder"
)
@click.option("--format", "layout", type=click.Choice(("text", "json")), default="text", show_default=True)
def verify_command(
    path: str, qrels: str | None, runs: tuple[str, ...], tolerance: float, layout: str, *, anywhere: bool
) -> None:
    """Make a record's scores again and say what differs.

    RECORD is what 'karat eval --record' or 'karat compare --record' wrote. Exit code 0: all is as recorded; 1: an
    input, the policy or a value differs; 2: something cannot be read.
    """
    from karat.inputs.run import refuse_alike
    from karat.testing.read_record import read
    from karat.testing.verify import verify

    names = read(path).names if runs else []
    handed = [named(each, names) for each in runs]
    refuse_alike([name for name, _ in handed])
    found = verify(path, qrels, dict(handed), tolerance=tolerance, anywhere=anywhere)
    say(found.to_json() if layout == "json" else coloured("verify", found.to_text()))
    if not found.equal:
        sys.exit(1)


def named(option: str, names: list[str]) -> tuple[str, str]:
    """NAME=FILE as name and file; a name may have a '=' in it.

    Raises:
        DataError: no run of that name.
    """
    for name in sorted(names, key=len, reverse=True):
        if option.startswith(f"{name}="):
            return name, option[len(name) + 1 :]
    raise DataError(f"--run {option}: expected NAME=FILE, with NAME one of: {', '.join(names)}.")
