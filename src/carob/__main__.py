"""The entry point of ``carob`` and ``python -m carob``, which runs carob's or trec_eval's command line."""

import atexit
import contextlib
import errno
import gc
import os
import sys
import threading
from typing import TextIO

from carob._numpy import numpy_failure
from carob._version import __version__

__all__ = ["command", "main"]

OBJECTS = 100_000
"""The number of new objects after which Python searches for unused cycles. It is larger than the number of objects
created at start-up, because all of those stay in use."""
WITHOUT_MATRICES = frozenset(
    (
        "check",
        "compare",
        "curve",
        "difference",
        "eval",
        "explain",
        "gate",
        "run",
        "trec-eval",
        "verify",
        "whence",
    )
)
"""The commands that do not multiply matrices large enough for several threads, unless people's judgments are given."""
SHORTAGES = ("failed to map segment", "annot allocate memory", "can't start new thread")
"""Messages of the C library, the system and Python about a lack of memory, for errors without a class of their own."""
OUT_OF_MEMORY = (
    "There is not enough memory: raise the limit of the process (ulimit -v, or the limit of the container), or pass"
    " fewer runs at a time."
)


def command() -> None:
    """Runs ``main`` and ends the process without deleting every object, which would take 20 ms.

    Functions registered with ``atexit`` are called first. If a profiler, a debugger or another thread is running,
    Python ends the process as usual.
    """
    gc.set_threshold(OBJECTS)
    if WITHOUT_MATRICES.intersection(sys.argv[1:2]) and not any(
        each.startswith("--people") for each in sys.argv
    ):
        # OpenBLAS starts a thread per core when NumPy is imported, and the threads wait busily for work.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    code: object = None
    try:
        main()
    except SystemExit as end:
        code = end.code
    if (
        not isinstance(code, (int, type(None)))
        or sys.gettrace()
        or sys.getprofile()
        or threading.active_count() > 1
    ):
        sys.exit(code)  # type: ignore[arg-type]
    atexit._run_exitfuncs()  # noqa: SLF001 -- nothing public calls them
    for stream in filter(None, (sys.stdout, sys.stderr)):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code or 0)


def main() -> None:
    """Runs the command line. Exits without a traceback if the output is closed or the user interrupts it."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 -- open until the process ends
    if sys.stdout is None:
        sys.stderr.write("carob: Standard output is closed: redirect it to a file, or to /dev/null.\n")
        sys.exit(2)
    try:
        answered()
    finally:
        # Python 3.12 and later exit with status 120 if the rest of standard error cannot be written.
        try:
            sys.stderr.flush()
        except OSError:
            let_go(sys.stderr)


def answered() -> None:
    """Runs the command line, and converts interruptions, write failures and out-of-memory errors to exit codes."""
    try:
        try:
            face(sys.argv[1:])
        finally:
            sys.stdout.flush()
    except KeyboardInterrupt:
        sys.stderr.write("carob: interrupted\n")
        if threading.active_count() > 1:
            # A normal exit from Python waits for threads, which may have minutes of work left.
            sys.stderr.flush()
            os._exit(130)
        sys.exit(130)
    except BrokenPipeError:
        let_go(sys.stdout)
        sys.exit(141)
    except Exception as error:  # noqa: BLE001 -- whatever it is, its status is 2
        if lacks_memory(error) or lacks_memory(numpy_failure()):
            as_json = False
            with contextlib.suppress(MemoryError):
                from carob.output.errors import asks_for_json

                as_json = asks_for_json(sys.argv[1:])
            fields = f'{{"kind": "MemoryError", "message": "{OUT_OF_MEMORY}"}}'
            sys.stderr.write(f"{fields}\n" if as_json else f"carob: {OUT_OF_MEMORY}\n")
            sys.exit(2)
        if not isinstance(error, OSError):
            import traceback

            traceback.print_exc()
            sys.exit(2)  # Python's own status, 1, would mean that the answer is no
        let_go(sys.stdout)
        said = f"Cannot write the output: {error.strerror or error}."
        if error.errno in (errno.EMFILE, errno.ENFILE):
            said = "Too many files are open: raise the limit of the process (ulimit -n), or pass fewer runs at a time."
        with contextlib.suppress(OSError):
            sys.stderr.write(f"carob: {said}\n")
        sys.exit(2)


def lacks_memory(error: BaseException | None) -> bool:
    """Returns whether memory ran out, which a library's import may report as a different failure."""
    while error is not None:
        if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
            return True
        if any(words in str(error) for words in SHORTAGES):
            return True
        error = error.__cause__ or error.__context__
    return False


def let_go(stream: TextIO) -> None:
    """Redirects a stream to the null device so that Python's flush at exit does not fail."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def face(arguments: list[str]) -> None:
    """Runs carob's command line. Printing the version and running trec_eval's command line do not load click."""
    if arguments == ["--version"]:
        sys.stdout.write(f"{__version__}\n")
        return
    if arguments[:1] == ["trec-eval"]:
        from carob.compat.trec_eval import main as trec_eval

        sys.exit(trec_eval(arguments[1:]))
    from carob.cli import main as command_line

    command_line(arguments)


if __name__ == "__main__":
    command()
