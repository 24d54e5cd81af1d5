"""Replaces Pyserini's ``python -m pyserini.eval.trec_eval`` with carob's trec_eval, which does not need Java.

``python -m carob.compat.pyserini`` accepts the same arguments and prints the same lines. In addition to trec_eval's
arguments, it supports ``-m judged.5,10`` (the share of the first documents that are judged, over all queries together),
``-remove-unjudged``, and MS MARCO runs, whose lines consist of a query, a document and a rank.

There are two differences. Ids are text, whereas Pyserini uses pandas, which reads 7 and 007 as the same number. The
judgments must be a file, whereas Pyserini also accepts the name of a data set and downloads its judgments.

Source: ``pyserini/eval/trec_eval.py`` of castorini/pyserini at 0f3e6bc (source read but not run).
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from typing import TYPE_CHECKING

from carob.compat.requests import Refusal
from carob.compat.trec_eval import output, request_of, write
from carob.inputs.decompression import unpacked
from carob.output.errors import CarobError, DataError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["trec_eval"]

REMOVE = "-remove-unjudged"
JUDGED = "judged."


def trec_eval(args: Sequence[str], query_id: str | None = None) -> float:
    """Evaluates a run like Pyserini's function of the same name, and prints the lines.

    Args:
        args: the program's name and the arguments, as in ``sys.argv``; the last two are the judgments and the run.
        query_id: the query whose value is returned (needs ``-q``); None for the mean.

    Returns:
        The value of the last measure that trec_eval prints.

    Raises:
        DataError: a file is unreadable or missing. The message is trec_eval's.

    Example:
        >>> from pathlib import Path
        >>> from tempfile import mkdtemp
        >>> from carob.compat.pyserini import trec_eval
        >>> folder = Path(mkdtemp())
        >>> _ = (folder / "qrels").write_text("q1 0 d1 1\\n"), (folder / "run").write_text("q1 d2 1\\nq1 d1 2\\n")
        >>> arguments = ["", "-m", "judged.2", "-m", "recip_rank", f"{folder}/qrels", f"{folder}/run"]
        >>> trec_eval(arguments)  # doctest: +NORMALIZE_WHITESPACE
        recip_rank              all 0.5000
        judged_2                all 0.5000
        0.5
    """
    try:
        content, judged = evaluated([*args[1:]])
    except Refusal as refusal:
        raise DataError(refusal.text.strip()) from None
    print(content + judged, end="")  # noqa: T201
    found = {each[1]: float(each[2]) for each in (line.split("\t") for line in content.splitlines())}
    wanted = query_id or "all"
    if wanted not in found:
        raise DataError(f"trec_eval printed no value for '{wanted}': pass -q, and a query of the judgments.")
    return found[wanted]


def evaluated(arguments: list[str]) -> tuple[str, str]:
    """Returns trec_eval's lines, and the lines of ``judged``.

    Raises:
        DataError: a file is missing or cannot be read.
        Refusal: trec_eval refuses the arguments or the files.
    """
    own, depths, remove = pyserini_options(arguments)
    if len(own) < 2:
        return text_of(own), ""
    qrels, run = own[-2:]
    for each, what in ((qrels, "judgments"), (run, "run")):
        if not os.path.exists(each):
            hint = (
                ""
                if what == "run"
                else " Only Pyserini itself can look up names of data sets: pass the file."
            )
            raise DataError(f"There is no file '{each}' of {what}.{hint}")
    short = is_msmarco(run)
    if not (depths or remove or short):
        return text_of(own), ""
    pairs = {(each[0], each[2]) for each in line_fields(qrels) if len(each) > 2}
    lines = [each for each in run_lines(run, short=short) if not remove or (each[0], each[2]) in pairs]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, os.path.basename(run))
        with open(path, "wb") as file:
            file.writelines(b"\t".join(each) + b"\n" for each in lines)
        content = text_of([*own[:-1], path])
    shares = [(f"judged_{depth}", share_of(lines, pairs, depth)) for depth in depths]
    return content, "".join(f"{name:22}\tall\t{share:.4f}\n" for name, share in shares)


def pyserini_options(arguments: list[str]) -> tuple[list[str], list[int], bool]:
    """Returns the arguments for trec_eval, the depths of ``judged``, and whether to remove unjudged documents.

    Raises:
        DataError: a depth is not a whole number above 0.
    """
    own: list[str] = []
    depths: list[int] = []
    for each in arguments:
        if each.startswith(JUDGED) and own[-1:] == ["-m"]:
            own.pop()
            texts = each.removeprefix(JUDGED).split(",")
            if not all(text.isdecimal() and int(text) for text in texts):
                raise DataError(f"'{each}' is not a measure: write depths after a dot, such as judged.5,10.")
            depths += map(int, texts)
        elif each != REMOVE:
            own.append(each)
    return own, depths, REMOVE in arguments


def text_of(arguments: list[str]) -> str:
    """Returns the output of trec_eval 9, which is the version that Pyserini calls."""
    return b"".join(output(request_of(["--compat", "9", *arguments]))).decode("utf-8", "replace")


def line_fields(path: str) -> Iterator[list[bytes]]:
    """Yields the fields of each line that is not blank."""
    with unpacked(path) as file:
        yield from filter(None, map(bytes.split, file))


def is_msmarco(path: str) -> bool:
    """Returns whether the first line of a run has no Q0, which is how Pyserini recognises MS MARCO runs."""
    with unpacked(path) as file:
        return b"Q0" not in file.readline()


def run_lines(path: str, *, short: bool) -> Iterator[list[bytes]]:
    """Yields the lines of a run. Short lines, as in MS MARCO runs, get the score 1 / rank.

    Raises:
        DataError: a line has fewer than three fields, or a rank is not a number.
    """
    for number, fields in enumerate(line_fields(path), 1):
        if short:
            try:
                query, document, rank = fields
                fields = [query, b"Q0", document, rank, repr(1 / float(rank)).encode(), b"TEMPRUN"]
            except (ValueError, ZeroDivisionError):
                raise DataError(
                    "this is not a query, a document and a rank above 0.", file=path, line=number
                ) from None
        elif len(fields) < 3:
            raise DataError("this line has no document.", file=path, line=number)
        yield fields


def share_of(lines: list[list[bytes]], pairs: set[tuple[bytes, bytes]], depth: int) -> float:
    """Returns the share of judged documents in the first lines of each query, over all queries together."""
    seen: dict[bytes, int] = {}
    judged = total = 0
    for query, _, document, *_ in lines:
        seen[query] = seen.get(query, 0) + 1
        if seen[query] <= depth:
            total += 1
            judged += (query, document) in pairs
    return judged / total if total else 0.0


def command() -> int:
    """Runs the command, and returns trec_eval's exit status, or 1 for missing files."""
    try:
        write(sys.stdout, "".join(evaluated(sys.argv[1:])).encode())
    except Refusal as refusal:
        write(sys.stderr, os.fsencode(refusal.text))
        return refusal.code
    except CarobError as error:
        write(sys.stderr, f"{error}\n".encode())
        return 1
    return 0


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):
        sys.exit(command())
