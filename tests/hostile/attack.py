"""Attacks on carob, and what every answer to one must be: a result or a sentence, in bounded time and space.

An attack is something that nobody should hand over, but somebody will: a damaged file, a record with a list where a
number belongs, a full disk, Ctrl-C. To add cases, write a test in the file of their kind (``test_files.py``,
``test_records.py``, ``test_disks.py``, ``test_signals.py``, ``test_dicts.py``, ``test_frames.py``,
``test_terminals.py``), best as rows of a parametrized one whose ids name the attacks::

    from hostile.attack import asked, attacked

    def test_a_damaged_archive_is_refused(tmp_path):
        (tmp_path / "run.gz").write_bytes(b"\\x1f\\x8b" + b"damage")
        attacked("eval", tmp_path / "qrels", tmp_path / "run.gz").refused("run.gz")   # the command line
        asked(lambda: carob.evaluate({"q": {"a": 1}}, {"q": {1: 2.0}})).refused("q")  # Python

``attacked`` and ``asked`` themselves assert what holds for every attack: no traceback, an exit code that the command
documents, little output, no character that a terminal obeys, an end within the time. What the right answer is, the
test says: ``refused(part, …)`` for a sentence with these parts, ``answered(part, …)`` for a result. A result must
not lose anything in silence, so look at its numbers.

``attacked`` runs the command in this process, which is fast. Where the attack is on the process itself (a signal, a
closed stream, a crash, memory), use ``attacked_apart``, which starts one.
"""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import traceback
import unicodedata
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob.__main__ import main
from carob.output.errors import CarobError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

WITHIN = 60.0
"""Seconds after which an attack counts as a hang: far more than any of them takes, for machines are loaded."""

MOST = 20_000
"""Characters that an answer may have on each stream; an attack that wants a long result says so."""

CODES = {"check": {0, 1, 2}, "gate": {0, 1, 2}, "verify": {0, 1, 2}, "trec-eval": {0, 1, 2, 3, 4, 255}}
"""The exit codes that a command documents, besides 0 and 2 that every command has."""

SOURCES = str(Path(carob.__file__).parents[1])
"""Where the package that is tested lies, for a process that begins in another folder."""

OBEYED = {"Cc", "Cf", "Zl", "Zp"}
"""Unicode's categories of characters that terminals and editors obey: controls, marks of direction, line ends."""


@dataclass(frozen=True)
class Answer:
    """What came back.

    Args:
        code: the exit code; in Python 0 for a result and 2 for one of carob's errors.
        out: standard output, or the result.
        err: standard error, or the error's text.
    """

    code: int
    out: Any
    err: str

    def refused(self, *parts: str) -> Answer:
        """Assert a sentence that has these parts, and no result."""
        assert self.code == 2, self
        assert not self.out, self
        assert self.err.rstrip().endswith((".", "?")), self
        return self.says(*parts)

    def says(self, *parts: str) -> Answer:
        """Assert parts of what was said on standard error."""
        for part in parts:
            assert part in self.err, self
        return self

    def answered(self, *parts: str) -> Answer:
        """Assert a result whose text has these parts."""
        assert self.code == 0, self
        for part in parts:
            assert part in str(self.out), self
        return self


def attacked(*arguments: object, stdin: bytes = b"", within: float = WITHIN, most: int = MOST) -> Answer:
    """Run ``carob`` with these arguments in this process.

    Args:
        arguments: as on the command line; paths are turned into text.
        stdin: what standard input holds.
        within: seconds after which it hangs.
        most: characters that each stream may have.
    """
    words = [os.fspath(each) if isinstance(each, os.PathLike) else str(each) for each in arguments]
    streams = {name: io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for name in ("stdout", "stderr")}
    streams["stdin"] = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("default")  # as a user sees them
        patch.setattr(sys, "argv", ["carob", *words])
        for name, stream in streams.items():
            patch.setattr(sys, name, stream)
        try:
            with limited(within):
                main()
            code: Any = 0
        except SystemExit as end:
            code = end.code
        except BaseException:  # noqa: BLE001 -- the attack has won: say with what
            code = traceback.format_exc()
    if isinstance(code, str):
        pytest.fail(f"carob {' '.join(words)[:200]}\n{code[-3000:]}")
    return looked_at(words, int(code or 0), *(written(streams[each]) for each in ("stdout", "stderr")), most)


def attacked_apart(
    *arguments: object,
    stdin: bytes | int | None = b"",
    within: float = WITHIN,
    most: int = MOST,
    memory: int | None = None,
    shell: str | None = None,
) -> Answer:
    """Run ``carob`` with these arguments in a process of its own.

    Args:
        arguments: as on the command line.
        stdin: what standard input holds, or a file descriptor.
        within: seconds after which it hangs.
        most: characters that each stream may have.
        memory: bytes of address space that the process may have.
        shell: what follows the arguments in a shell's words, such as ``> /dev/full``.
    """
    words = [os.fspath(each) if isinstance(each, os.PathLike) else str(each) for each in arguments]
    line = [sys.executable, "-m", "carob", *words]
    if shell is not None:
        line = ["sh", "-c", f'exec "$0" "$@" {shell}', *line]
    limit = None if memory is None else (lambda: at_most(memory))
    given: dict[str, Any] = {"input": stdin} if isinstance(stdin, bytes) else {"stdin": stdin}
    try:
        done = subprocess.run(
            line,
            capture_output=True,
            timeout=within,
            check=False,
            preexec_fn=limit,
            env={**os.environ, "PYTHONPATH": SOURCES},
            **given,
        )
    except subprocess.TimeoutExpired:
        pytest.fail(f"carob {' '.join(words)[:200]}: no end within {within} seconds")
    assert done.returncode >= 0, f"killed by {signal.Signals(-done.returncode).name}: {done.stderr!r}"
    texts = (each.decode("utf-8", "backslashreplace") for each in (done.stdout, done.stderr))
    return looked_at(words, done.returncode, *texts, most)


def asked(call: Callable[[], Any], *, within: float = WITHIN) -> Answer:
    """Call Python: a result, or one of carob's errors.

    Args:
        call: what calls carob.
        within: seconds after which it hangs.
    """
    try:
        with limited(within):
            result = call()
    except CarobError as error:
        sentence = str(error)
        assert len(sentence) < MOST, sentence[:MOST]
        assert not obeyed(sentence), obeyed(sentence)
        return Answer(2, None, sentence)
    return Answer(0, result, "")


def looked_at(words: list[str], code: int, out: str, err: str, most: int) -> Answer:
    """Assert what holds for the answer to any attack."""
    answer = Answer(code, out, err)
    assert "Traceback" not in err, err[-3000:]
    assert code in CODES.get(words[0] if words else "", set()) | {0, 2, 130}, answer
    for text in (out, err):
        assert len(text) <= most, f"{len(text)} characters: {text[:500]!r}"
        assert not obeyed(text), f"{obeyed(text)!r} in {text[:2000]!r}"
    assert code == 0 or err or words[:1] in (["check"], ["gate"], ["verify"]), answer
    return answer


def obeyed(text: str) -> set[str]:
    """Characters that a terminal would obey, but for the end of a line and the tab."""
    return {each for each in text if each not in "\n\t" and unicodedata.category(each) in OBEYED}


def written(stream: io.TextIOWrapper) -> str:
    """What was written to a stream of this process."""
    stream.flush()
    held: Any = stream.buffer
    content: bytes = held.getvalue()
    return content.decode("utf-8", "backslashreplace")


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Fail where something does not end in time; on systems without alarms it is not limited."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def late(*_: object) -> None:
        raise TimeoutError(f"no end within {seconds} seconds")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def at_most(memory: int) -> None:
    """Let this process have so many bytes of address space."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
