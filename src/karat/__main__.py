"""``karat`` and ``python -m karat``: trec_eval's own face, or karat's command line."""

import os
import sys
import threading

__all__ = ["main"]


def main() -> None:
    """Hand the arguments to the face they ask for, and end quietly when the reader or the user has had enough."""
    try:
        face(sys.argv[1:])
    except KeyboardInterrupt:
        sys.stderr.write("karat: interrupted\n")
        if threading.active_count() > 1:
            # Python's own end waits for threads, which may be in the midst of minutes of work.
            sys.stderr.flush()
            os._exit(130)
        sys.exit(130)
    except BrokenPipeError:
        # Python flushes standard output once more at its end, which must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)


def face(arguments: list[str]) -> None:
    """trec_eval's face needs none of the command line's libraries."""
    if arguments[:1] == ["trec-eval"]:
        from karat.compat.trec_eval import main as trec_eval

        sys.exit(trec_eval(arguments[1:]))
    from karat.cli import main as command_line

    command_line(arguments)


if __name__ == "__main__":
    main()
