"""The command ``carob next``, which chooses the documents that people should judge next."""

from __future__ import annotations

from typing import Any

import click

from carob.cli.options import Given, options, present, refuse_few
from carob.cli.terminal import answer
from carob.output.language import plural


@click.command("next")
@click.argument("files", nargs=-1, metavar="[QRELS] [NAME=]RUN...")
@options("next")
def next_command(
    files: tuple[str, ...],
    people: str | None,
    judge: str | None,
    output: str | None,
    given: Given,
    **options: Any,
) -> None:
    """Choose the documents that people should judge next, and predict how precise the estimates will then be.

    By default, the documents are a random sample. A document is more likely to be drawn if its grade can change the
    difference between the runs more. Fill in the grades in the file, for example with 'carob judge'. From these grades,
    'carob compare --people' estimates the differences with intervals:

    \b
        carob next qrels.txt bm25.run dense.run --budget 100 -o next.csv
        carob next --judge model.txt bm25.run dense.run -o next.csv
        carob compare --people next.csv --judge model.txt bm25.run dense.run

    QRELS contains people's judgments so far. With --judge, omit QRELS, or pass it with --people.
    """
    from carob.planning.next_judgments import next_judgments

    if people is not None and judge is None:
        raise click.UsageError(
            "--people needs --judge: if you have no judge, pass people's judgments as QRELS."
        )
    if len(given.measures or ()) > 1:
        raise click.UsageError("Pass one measure: the documents are chosen for a single measure.")
    if judge is None:
        files = given.with_judgments(files)
        refuse_few(files, 2, "Pass a QRELS file and at least one RUN.")
        people, files = files[0], files[1:]
    elif not files:
        raise click.UsageError("Pass at least one RUN after --judge.")
    wanted = given.measures[0] if given.measures else "DCG@10"
    found = next_judgments(
        None if people is None else given.qrels(people, [wanted]),
        given.runs(files),
        wanted,
        judge=None if judge is None else given.qrels(judge, [wanted]),
        **given.conventions,
        **present(options),
    )
    if output == "-":
        answer(found, "csv")
        return
    if output is not None:
        found.save(output)
        click.echo(f"{output}: {plural(len(found.chosen), 'document')} to judge.", err=True)
    given.answer(found)
