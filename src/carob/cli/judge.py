"""The command ``carob judge``: the judging page, served or as a file, prompts for a model, and collected judgments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from carob.cli.options import options
from carob.cli.terminal import say
from carob.output.language import plural

if TYPE_CHECKING:
    from carob.judging.server import Site
    from carob.judging.session import JudgingSheet, Session

TEXTS = ("queries", "documents", "guidelines")
DIVIDED = ("judge", "judges", "shared")
MODES: dict[str, tuple[str, ...]] = {
    "serve": (*TEXTS, *DIVIDED, "output", "port", "browser"),
    "offline": (*TEXTS, *DIVIDED),
    "prompts": (*TEXTS, "template"),
    "collect": ("output", "disagreement", "lenient"),
}
"""The options of each use of the command, in addition to ``--grades``."""


@click.command("judge")
@click.argument("files", nargs=-1, metavar="PAIRS [FILE]...", required=True)
@options("judge")
def judge_command(
    files: tuple[str, ...], offline: str | None, prompts: str | None, collect: bool, **given: Any
) -> None:
    """Judge documents with the keyboard on a page in your browser, or collect judgments made elsewhere.

    PAIRS is a table (CSV, TSV or JSON lines) with columns for queries and documents, such as the one that 'carob next'
    writes. The page shows neither runs nor ranks. Each judgment is saved to disk before the page moves on, and other
    commands can read the file at any time:

    \b
        carob judge next.csv --queries q.tsv --documents d.tsv -o judged.csv
        carob compare --people judged.csv --judge model.txt bm25.run dense.run

    For judges without Python, --offline writes the page as one file. --collect merges the files that this page saves,
    tables, qrels, and a model's answers:

    \b
        carob judge next.csv --queries q.tsv --documents d.tsv --offline a.html
        carob judge next.csv --queries q.tsv --documents d.tsv --prompts p.jsonl
        carob judge --collect next.csv saved.json answers.jsonl -o judged.csv
    """
    if sum(map(bool, (offline, prompts, collect))) > 1:
        raise click.UsageError("--offline, --prompts and --collect cannot be combined: pass one of them.")
    mode = "offline" if offline else "prompts" if prompts else "collect" if collect else "serve"
    refuse_idle(mode, given)
    if collect:
        collect_judgments(files, **given)
        return
    if len(files) > 1:
        raise click.UsageError("Pass one table of pairs, or --collect to merge files of judgments.")
    if offline or prompts:
        from carob.judging.server import refuse_absent

        if offline:
            refuse_absent(["jinja2"])
        sheet = sheet_of(files[0], given)
        write_page(sheet, offline) if offline else write_prompts(sheet, prompts, given["template"])
    else:
        serve_page(files[0], given)


def refuse_idle(mode: str, given: dict[str, Any]) -> None:
    """Rejects options that do not apply to this use of the command, and reports missing options.

    Raises:
        click.UsageError: an option does not apply, or a required option is missing.
    """
    for name, value in given.items():
        asked = value is not None and (name != "lenient" or value)
        if asked and name != "grades" and name not in MODES[mode]:
            uses = [
                "the page" if each == "serve" else f"--{each}" for each, its in MODES.items() if name in its
            ]
            rest = "" if mode == "serve" else f", or leave out --{mode}"
            raise click.UsageError(f"--{name} can only be used with {' or '.join(uses)}: leave it out{rest}.")
    needed = [
        name for name in ("queries", "documents", "output") if name in MODES[mode] and given[name] is None
    ]
    if needed:
        raise click.UsageError(f"Pass {' and '.join(f'--{name}' for name in needed)}.")
    if given["shared"] is not None and given["judges"] is None:
        raise click.UsageError("--shared needs --judges, the names of all judges.")
    if given["judges"] is not None and given["judge"] is None:
        raise click.UsageError("--judges needs --judge, the name of the person who judges here.")


def sheet_of(path: str, given: dict[str, Any]) -> JudgingSheet:
    """Reads the pairs and their texts."""
    from carob.inputs.sources import source_of
    from carob.judging.journal import one_line
    from carob.judging.session import JudgingSheet
    from carob.judging.task import assigned, labels_of_grades, read_task

    judge, rules = one_line(given["judge"] or ""), given["guidelines"]
    names = [one_line(each) for each in given["judges"].split(",")] if given["judges"] else []
    task = read_task(path)
    return JudgingSheet.read(
        task,
        assigned(task, judge, names, given["shared"] or 0.0),
        given["queries"],
        given["documents"],
        grades=labels_of_grades(given["grades"]),
        guidelines="" if rules is None else source_of(rules).content().decode("utf-8-sig", "replace"),
        judge=judge,
    )


def write_page(sheet: JudgingSheet, path: str) -> None:
    """Writes the offline page."""
    from carob.judging.offline import offline_page
    from carob.output.files import write_whole

    html = offline_page(sheet)
    write_whole(path, html)
    size = len(html.encode()) / 1e6
    count = plural(len(sheet.order), "document")
    click.echo(f"{path}: {count} to judge{f', {size:.0f} MB' if size >= 1 else ''}.", err=True)


def write_prompts(sheet: JudgingSheet, path: str | None, template: str | None) -> None:
    """Writes the prompts for a model."""
    from carob.inputs.sources import source_of
    from carob.judging.prompts import prompts_of
    from carob.output.files import write_whole

    own = None if template is None else source_of(template).content().decode("utf-8-sig", "replace")
    text = prompts_of(sheet, own)
    if path == "-":
        say(text, data=True)
        return
    assert path is not None
    write_whole(path, text)
    click.echo(f"{path}: {plural(len(sheet.order), 'prompt')}.", err=True)


def collect_judgments(files: tuple[str, ...], **given: Any) -> None:
    """Merges files of judgments into one."""
    import os

    from carob.judging.collect import collected
    from carob.judging.task import labels_of_grades, read_task
    from carob.output.errors import DataError
    from carob.output.files import write_whole

    if len(files) < 2:
        raise click.UsageError("Pass the table of pairs and at least one file of judgments.")
    output = given["output"]
    if output != "-" and os.path.isfile(output):
        raise DataError(
            "this file already exists, and may contain judgments.", file=output, remedy="Pass another file."
        )
    task = read_task(files[0])
    found = collected(task, files[1:], labels_of_grades(given["grades"]), lenient=bool(given["lenient"]))
    judgments = found.merged(given["disagreement"] or "refuse")
    content = found.content("judgments.csv" if output == "-" else output, judgments)
    if output == "-":
        say(content.decode(), data=True)
    else:
        write_whole(output, content)
    twice = sum(sum(place in its for its in found.by_judge.values()) > 1 for place in judgments)
    name = "Collected" if output == "-" else output
    said = f"{name}: {len(judgments)} of {plural(len(task.open), 'document')} judged"
    if len(found.by_judge) > 1:
        said += f" by {len(found.by_judge)} judges, {twice} by several, {len(found.different)} with different grades"
    click.echo(f"{said}.", err=True)
    if found.failed:
        answers = plural(len(found.failed), "answer")
        click.echo(f"{answers} without a clear grade were left out: {', '.join(found.failed)}.", err=True)


def serve_page(path: str, given: dict[str, Any]) -> None:
    """Serves the page until Ctrl-C."""
    from carob.judging.journal import Journal
    from carob.judging.server import NEEDED, refuse_absent, serve
    from carob.judging.session import Session

    if given["output"] == "-":
        raise click.UsageError("The page needs a file of judgments, not standard output: pass -o FILE.")
    refuse_absent(NEEDED)
    sheet = sheet_of(path, given)
    with Journal(given["output"], sheet.task, sheet.judge) as journal:
        session = Session(sheet, journal)
        if journal.repaired:
            click.echo(f"{given['output']}: {journal.repaired}", err=True)

        def started(site: Site) -> None:
            click.echo(
                f"{progress(session, given['output'])} Open this page in a browser, and press Ctrl-C here to stop:",
                err=True,
            )
            say(f"{site.address}\n")
            if given["browser"] is not False:
                import threading
                import webbrowser

                # The call to open a text-mode browser returns only when the browser is closed.
                threading.Thread(target=webbrowser.open, args=[site.address_once], daemon=True).start()

        serve(session, given["port"] or 0, started)
        click.echo(f"\n{progress(session, given['output'])}", err=True)


def progress(session: Session, path: str) -> str:
    """Returns a sentence that says how many documents are judged."""
    return f"{path}: {session.judged} of {plural(len(session.sheet.order), 'document')} judged."
