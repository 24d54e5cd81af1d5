"""The command ``carob fuse``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from carob.cli.options import Given, options, present, refuse_few
from carob.cli.terminal import say
from carob.inputs.errors import sentences
from carob.inputs.run import is_like_path
from carob.output.errors import DataError
from carob.output.language import plural
from carob.output.parsing import is_number, json_or_none, number_of

if TYPE_CHECKING:
    from carob.fusion.fuse import FusedRun

FORMS_OF_WEIGHTS = "0.3,0.7 or bm25=0.3,dense=0.7"
TUNED = ("method", "norm", "profile")
"""The settings that a file of ``--save-weights`` contains in addition to the weights."""


@click.command("fuse")
@click.argument("files", nargs=-1, metavar="[NAME=]RUN [NAME=]RUN...")
@options("fuse")
def fuse_command(
    files: tuple[str, ...],
    output: str | None,
    explained: tuple[str, str] | None,
    kept: int | None,
    tune: str | None,
    qrels: str | None,
    save_weights: str | None,
    weights: str | None,
    bounds: tuple[str, ...],
    given: Given,
    **choices: Any,
) -> None:
    """Fuse runs into one, as search engines do for hybrid search.

    \b
        carob fuse bm25.run dense.run -o fused.run
        carob fuse bm25.run dense.run --method sum --weights 0.3,0.7 -o out.run
        carob fuse bm25.run dense.run --profile qdrant -o fused.run
        carob fuse bm25.run dense.run --explain q12 doc7
        carob fuse bm25.run dense.run --tune nDCG@10 --qrels qrels.txt

    With --tune, the weights with the highest mean on the judged queries are chosen. Cross-validation estimates the mean
    of tuned weights on other queries, and their gain over the best single list.
    """
    from carob.fusion.fuse import fuse

    refuse_few(files, 2, "Pass at least two RUNs.")
    if output is None and explained is None and tune is None:
        raise click.UsageError("Pass -o FILE for the fused run, --explain QUERY DOCUMENT, or --tune MEASURE.")
    if (tune is None) != (qrels is None):
        raise click.UsageError("--tune and --qrels must be used together: pass both or neither.")
    if tune is None and save_weights is not None:
        raise click.UsageError("--save-weights needs --tune.")
    runs = given.runs(files)
    if tune is not None:
        if output is not None or explained is not None or weights is not None:
            raise click.UsageError(
                "--tune chooses weights: leave out -o, --explain and --weights. Save the weights with --save-weights, "
                "and pass them to carob fuse --weights."
            )
        choices |= {"depth": kept, "bounds": bounds or None}
        tuning(runs, tune, str(qrels), save_weights, given, choices)
        return
    choices |= {"profile": given.profile, "depth": kept, "bounds": bounds_in(bounds)}
    if weights is not None:
        choices |= weights_in(weights, choices)
    found = fuse(runs, policy=given.policy, **present(choices))
    write(found, output)
    if explained is not None:
        given.answer(found.explain(*explained))


def tuning(
    runs: list[Any], measure: str, qrels: str, saved: str | None, given: Given, choices: dict[str, Any]
) -> None:
    """Tunes the weights, shows how much they improve the scores, and saves them."""
    from carob.fusion.tune import tune_fusion

    for name in ("absent", "name", "bounds", "depth"):
        if choices.pop(name, None) is not None:
            more = " Specify the depth in the measure, as in nDCG@10." if name == "depth" else ""
            raise click.UsageError(f"--{name} cannot be used with --tune: leave it out.{more}")
    found = tune_fusion(given.qrels(qrels), runs, measure, **given.conventions, **present(choices))
    if saved is not None:
        found.save(saved)
    given.answer(found)


def write(found: FusedRun, output: str | None) -> None:
    """Writes the fused run to a file or to standard output, and reports that it did."""
    if output == "-":
        say(found.text.decode("utf-8", "surrogateescape"), data=True)
    elif output is not None:
        found.save(output)
        queries = plural(found.made.lists.query_count, "query", "queries")
        click.echo(f"{output}: {queries}, {found.recipe.described()}.", err=True)


def weights_in(text: str, choices: dict[str, Any]) -> dict[str, Any]:
    """Parses weights separated by commas, in the order of the runs or by name, or reads a file of weights.

    Args:
        text: the weights, or the file of ``--save-weights``.
        choices: the method, norm and profile given to the command, if any.

    Returns:
        Arguments of ``carob.fuse``: ``weights`` and, from a file, the method, norm and profile with which they were
        tuned.

    Raises:
        DataError: the text contains anything other than numbers, the file does not exist or contains no weights, or the
            weights were tuned with another method, norm or profile.
    """
    parts = text.split(",")
    if not os.path.isfile(text):
        if any(is_number(part.rpartition("=")[2]) for part in parts):
            return {"weights": weights_written(parts)}
        if not is_like_path(text):
            raise DataError(
                f"'{text}' in --weights is neither an existing file nor a list of numbers: pass a file written by "
                f"--save-weights, or write numbers as in {FORMS_OF_WEIGHTS}."
            )
    with sentences(text), open(text, "rb") as file:
        content = json_or_none(file.read(), file=text)
    weights = content.get("weights") if isinstance(content, dict) else None
    if not isinstance(weights, dict):
        raise DataError(
            "the file contains no weights.", file=text, remedy="Pass a file written by --save-weights."
        )
    if "method" not in content:
        return {"weights": weights}
    from carob.fusion.recipe import is_within

    tuned = {name: content.get(name) for name in TUNED}
    for name, own in tuned.items():
        given = choices[name]
        if own is not None and not isinstance(own, str):
            raise DataError(
                f"its '{name}' is not text.", file=text, remedy="Pass a file written by --save-weights."
            )
        if given is not None and not is_within(given, own):
            raise DataError(
                f"its weights were tuned with {name} {own or 'none'}, but --{name} is {given}.",
                file=text,
                remedy=f"Leave out --{name}, or tune again.",
            )
    return {"weights": weights, **tuned}


def weights_written(parts: list[str]) -> list[float] | dict[str, float]:
    """Returns weights that were given one by one, in the order of the runs or by run name.

    Raises:
        DataError: a weight is not a number, only some weights have names, or two have the same name.
    """
    pairs = [part.rpartition("=") for part in parts]
    numbers = [number_in(number, "--weights", FORMS_OF_WEIGHTS) for _, _, number in pairs]
    names = [name.strip() for name, equals, _ in pairs if equals]
    if not names:
        return numbers
    if len(set(names)) < len(parts):
        fault = (
            "specifies a run twice"
            if len(names) == len(parts)
            else "specifies names for only some of the weights"
        )
        raise DataError(
            f"--weights {','.join(parts)} {fault}: write exactly one weight for each run, as in {FORMS_OF_WEIGHTS}."
        )
    return dict(zip(names, numbers, strict=True))


def bounds_in(given: tuple[str, ...]) -> dict[str, tuple[float | None, float | None]] | None:
    """Parses bounds of scores, for example ``dense=-1:1`` or ``bm25=0:``.

    Raises:
        DataError: the text has another form.
    """
    found: dict[str, tuple[float | None, float | None]] = {}
    for each in given:
        name, equals, ends = each.rpartition("=")
        low, colon, high = ends.partition(":")
        if not equals or not colon:
            raise DataError(f"--bounds {each} is not of the form dense=-1:1 or bm25=0: (no upper bound).")
        found[name] = tuple(  # type: ignore[assignment]
            number_in(end, "--bounds", "dense=-1:1") if end.strip() else None for end in (low, high)
        )
    return found or None


def number_in(text: str, option: str, example: str) -> float:
    """Converts a text to a number.

    Raises:
        DataError: the text is not a number.
    """
    number = number_of(text)
    if number is None:
        raise DataError(f"'{text}' in {option} is not a number: write it as in {example}.")
    return number
