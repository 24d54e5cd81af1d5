"""``python -m karat``: the command line."""

from karat.cli import main

if __name__ == "__main__":
    main()
