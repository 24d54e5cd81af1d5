"""``karat`` and ``python -m karat``: trec_eval's own face, or karat's command line."""

import sys

__all__ = ["main"]


def main() -> None:
    """Hand the arguments to the face they ask for; trec_eval's needs none of the command line's libraries."""
    if sys.argv[1:2] == ["trec-eval"]:
        from karat.compat.trec_eval import main as trec_eval

        sys.exit(trec_eval(sys.argv[2:]))
    from karat.cli import main as command_line

    command_line()


if __name__ == "__main__":
    main()
