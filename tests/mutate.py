"""Mutation tests of the match and the policy: mutmut changes their code, and some test must fail each time.

Run it as ``make mutants-match``. Mutants that no test needs to notice are listed, with a reason, in ``EQUIVALENT``; the
command leaves with exit code 1 and the other survivors if there are any, and names entries that no survivor needs.

``python tests/mutate.py 'carob.matching.axes.x_condensed*'`` runs only the mutants that match a pattern.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import carob._native
import carob._version

CHECKOUT = Path(__file__).resolve().parents[1]
COPY = CHECKOUT / "build" / "mutants"
COPIED = ("src", "tests", "examples", "docs", "README.md", "CONTRIBUTING.md", "pyproject.toml")
SETTINGS = """
[tool.mutmut]
source_paths = ["src"]
only_mutate = ["src/carob/matching/match.py", "src/carob/matching/axes.py", "src/carob/conventions/policy.py"]
do_not_mutate_patterns = ['^\\s+raise ']  # sentences of errors
also_copy = ["examples", "docs", "README.md", "CONTRIBUTING.md"]
pytest_add_cli_args = ["-p", "no:cacheprovider", "-x", "-q"]
pytest_add_cli_args_test_selection = [
  "tests/matching/test_match.py",
  "tests/matching/test_axes.py",
  "tests/matching/test_ranking.py",
  "tests/conventions/test_policy.py",
]
track_dependencies = false
use_git_change_detection = false
"""

EQUIVALENT: dict[str, str] = {
    r"strict=(None|False)|zip\([\w., ]+, \)": "The lists always have the same length; strict= only guards a mistake.",
    r"np\.zeros\(.*, (None)?\)|\], (None)?\)|counts\)\)\), (None)?\)": "NumPy's default type holds the same numbers.",
    r"np\.(arg)?sort\([\w\[\], :]+, \)": "The last axis is NumPy's default.",
    r"\.astype\(None\)": "NumPy's default is a double.",
    r"policy, (None|\"XXgradesXX\"|\"GRADES\")\)": "Such lists have no ties and lack no query, so no error names them.",
    r'"UTF-8"': "Python knows the codec by both names.",
    r"turns\[:, members\] = ": "Rotations in the other direction, or from another start, are the same set.",
    r"cast\(": "A cast is for mypy only.",
    r"listing\(run\.held, None": "Lines of other queries are read for nothing.",
    r"fromkeys\(lines\.get\(query, \(\)\), 1\)": "Every row gets its grade from the match.",
    r"np\.full\(len\(found\.rank\), -2\)": "Any negative number means no judged document.",
    r"argsort\(grade\[members\], kind=": "Documents with equal grades are interchangeable.",
    r"count \* count (>= 8|> 9) \* size": "Both ways of drawing are uniform; the limit is a matter of speed.",
    r"max\(rows, \*drawn, 1\)": "A list with ties has at least one row.",
    r"\(rows\.scores is None\) and False": "A column that is None stays None, wherever it is taken.",
    r"bincount\(rows\.list_of_row\[tied\], \)": "Lists without ties, which minlength adds, are left out anyway.",
    r"prepend=1\.0\) == 0\) & ~starts": "The first row is always the first of a list.",
    r"and False else with_groups": "Without subtopics there are no groups to add.",
}
"""Changes that cannot change a value, as a pattern of the changed line, with the reason."""


def mutmut(*arguments: str) -> str:
    """Returns the output of mutmut with these arguments, run in the copy."""
    command = [sys.executable, "-m", "mutmut", *arguments]
    done = subprocess.run(command, cwd=COPY, capture_output=True, text=True, check=False)
    if done.returncode and arguments[0] == "run":
        sys.exit(f"mutmut could not run:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


def changed(name: str) -> str:
    """Returns the changed line of a mutant, or "removed: …" with the line that it lacks."""
    lines = mutmut("show", name).splitlines()
    added = [line[1:].strip() for line in lines if re.match(r"\+(?!\+\+)", line)]
    removed = [line[1:].strip() for line in lines if re.match(r"-(?!--)", line)]
    return " ".join(added or ["removed:", *removed])


def options() -> argparse.Namespace:
    """Returns the patterns of mutants to run, and the number of processes."""
    parser = argparse.ArgumentParser(description="Runs mutmut on the match and the policy.")
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="mutants to run, such as 'carob.matching.axes.x_arranged*'"
    )
    parser.add_argument("--max-children", type=int, default=os.cpu_count() or 1, help="processes at a time")
    return parser.parse_args()


def main() -> int:
    """Copies the checkout, runs mutmut there, and reports the survivors that no reason explains."""
    chosen = options()
    shutil.rmtree(COPY, ignore_errors=True)
    COPY.mkdir(parents=True)
    for name in COPIED:
        source = CHECKOUT / name
        if source.is_dir():
            shutil.copytree(source, COPY / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, COPY / name)
    for built in (carob._native.__file__, carob._version.__file__):
        shutil.copy(built, COPY / "src" / "carob")
    with (COPY / "pyproject.toml").open("a", encoding="utf-8") as file:
        file.write(SETTINGS)
    mutmut("run", "--max-children", str(chosen.max_children), *chosen.names)
    survivors = re.findall(r"^\s*(\S+): (survived|no tests)$", mutmut("results"), re.MULTILINE)
    lines = {name: changed(name) for name, _ in survivors}
    unexplained = {
        name: line
        for name, line in lines.items()
        if not any(re.search(pattern, line) for pattern in EQUIVALENT)
    }
    unused = [
        pattern
        for pattern in EQUIVALENT
        if not chosen.names and not any(re.search(pattern, line) for line in lines.values())
    ]
    sys.stdout.write(
        f"{len(survivors)} mutants survived, {len(survivors) - len(unexplained)} with a reason\n"
    )
    sys.stdout.write("".join(f"survived: {name}: {line}\n" for name, line in unexplained.items()))
    sys.stdout.write("".join(f"no survivor needs: {pattern}\n" for pattern in unused))
    return 1 if unexplained or unused else 0


if __name__ == "__main__":
    sys.exit(main())
