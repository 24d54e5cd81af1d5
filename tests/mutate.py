"""Mutation tests: mutmut changes the code of a target, and some test must fail each time.

Run it as ``make mutants-match`` or ``make mutants-types``; ``TARGETS`` has what each of them mutates. Mutants that no
test needs to notice are listed, with a reason, in ``EQUIVALENT`` and in the target; the command leaves with exit code 1
and the other survivors if there are any. Where every mutant ran, it also names reasons that no survivor needs.

``python tests/mutate.py match 'carob.matching.axes.x_condensed*'`` runs only the mutants that match a pattern, and
``python tests/mutate.py types --seed 2`` draws other mutants.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import carob._native
import carob._version

CHECKOUT = Path(__file__).resolve().parents[1]
COPY = CHECKOUT / "build" / "mutants"
COPIED = ("src", "tests", "examples", "docs", "README.md", "CONTRIBUTING.md", "pyproject.toml")
SETTINGS = """
[tool.mutmut]
source_paths = ["src"]
only_mutate = {files}
do_not_mutate_patterns = ['^\\s+raise ']  # sentences of errors
also_copy = ["examples", "docs", "README.md", "CONTRIBUTING.md"]
pytest_add_cli_args = ["-p", "no:cacheprovider", "-x", "-q"]
pytest_add_cli_args_test_selection = {tests}
track_dependencies = false
process_isolation = "forkserver"  # Polars and DuckDB have threads, which a fork would wait for
use_git_change_detection = false
"""


class Target(NamedTuple):
    """What is mutated together.

    Args:
        files: the files to mutate, below ``src/carob``.
        tests: the files, below ``tests``, some of whose tests must notice.
        equivalent: the changes that cannot change a value, beside those of ``EQUIVALENT``.
        draw: the number of mutants to draw at random; None for all.
        only: the names of the functions to mutate, as a pattern.
    """

    files: list[str]
    tests: list[str]
    equivalent: dict[str, str]
    draw: int | None = None
    only: str = ""


EQUIVALENT: dict[str, str] = {
    r"strict=(None|False)|zip\([\w., ]+, \)": "The lists always have the same length; strict= only guards a mistake.",
    r'cast\((None|"XX[^"]*XX"|"[A-Z\[\], |]*"|"[a-z\[\], |]*"), ': "A cast is for mypy only.",
}
"""Changes that cannot change a value in any target, as a pattern of the changed line, with the reason."""

OF_MATCH = {
    r"np\.zeros\(.*, (None)?\)|\], (None)?\)|counts\)\)\), (None)?\)": "NumPy's default type holds the same numbers.",
    r"np\.(arg)?sort\([\w\[\], :]+, \)": "The last axis is NumPy's default.",
    r"\.astype\(None\)": "NumPy's default is a double.",
    r"np\.full\(len\(found\.rank\), -2\)": "Any negative number means no judged document.",
    r"policy, (None|\"XXgradesXX\"|\"GRADES\")\)": "Such lists have no ties and lack no query, so no error names them.",
    r'"UTF-8"': "Python knows the codec by both names.",
    r"turns\[:, members\] = ": "Rotations in the other direction, or from another start, are the same set.",
    r"listing\(run\.held, None": "Lines of other queries are read for nothing.",
    r"fromkeys\(lines\.get\(query, \(\)\), 1\)": "Every row gets its grade from the match.",
    r"argsort\(grade\[members\], kind=": "Documents with equal grades are interchangeable.",
    r"count \* count (>= 8|> 9) \* size": "Both ways of drawing are uniform; the limit is a matter of speed.",
    r"max\(rows, \*drawn, 1\)": "A list with ties has at least one row.",
    r"\(rows\.scores is None\) and False": "A column that is None stays None, wherever it is taken.",
    r"bincount\(rows\.list_of_row\[tied\], \)": "Lists without ties, which minlength adds, are left out anyway.",
    r"prepend=1\.0\) == 0\) & ~starts": "The first row is always the first of a list.",
    r"and False else with_groups": "Without subtopics there are no groups to add.",
}
"""The same of the target ``match``."""

OF_TYPES = {
    r"start = file\.read\(": "A longer start of a file has the same first line.",
    r"[<>]=? (least|greatest) [-+] ROUNDING": "No value lies just at the limit of rounding errors.",
    r'sentences\((None|"XXqrelsXX"|"QRELS"), "qrels"\)': "An error in a mapping names no file.",
    r'label\.partition\("@"\)': "A label has one @ at most.",
    r"sizes = rows\.length if|searchsorted\(ends, before \+ most, ": "Parts with other bounds have the same values.",
    r"lists = Flat\(rows, every_rank=every, (best=None)?\)|best\.setdefault\(.*, \)|policy, None, bounds=": (
        "Without its cache, a list is ranked once more."
    ),
    r"first\.ids if \(same\) and False": "The ids of runs are in byte order, and are sorted once more.",
    r"overlapping\(scores\[1\]\)": "What all runs share is a fact about the second run as well.",
    r"additive \| alone": "The means over all orders replace those over rotations.",
    r"own if \(self\.own is self\.whole\) and False": "The same rows once more take time only.",
}
"""The same of the target ``types``."""

TARGETS = {
    "match": Target(
        ["matching/match.py", "matching/axes.py", "conventions/policy.py"],
        [
            "matching/test_match.py",
            "matching/test_axes.py",
            "matching/test_ranking.py",
            "conventions/test_policy.py",
        ],
        OF_MATCH,
    ),
    "types": Target(
        [
            "inputs/samples.py",
            "inputs/qrels.py",
            "evaluation/evidence.py",
            "evaluation/score_tables.py",
            "evaluation/values.py",
            "statistics/estimates.py",
            "output/results.py",
            "output/document.py",
            "output/formats/html.py",
            "output/formats/latex.py",
            "output/formats/markdown.py",
        ],
        [
            "inputs/test_samples.py",
            "inputs/test_frames.py",
            "evaluation/test_evidence.py",
            "evaluation/test_scores.py",
            "evaluation/test_score_tables.py",
            "evaluation/test_values.py",
            "evaluation/test_suspects.py",
            "evaluation/test_groups.py",
            "evaluation/test_score_files.py",
            "evaluation/test_evaluate.py",
            "evaluation/test_notes.py",
            "matching/test_axes.py",
            "inputs/test_nested.py",
            "cli/test_cli.py",
            "testing/test_record.py",
            "testing/test_verify.py",
            "evaluation/test_read_record.py",
            "statistics/test_estimates.py",
            "output/test_results.py",
            "output/test_document.py",
            "output/test_formats.py",
            "output/test_layout.py",
        ],
        OF_TYPES,
        draw=300,
        only=r"carob\.(?!inputs\.qrels\.(?!xǁQrelsǁ(in_mapping|in_frame|in_lists|complete|known|drawn)_))",
    ),
}


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


def bared(source: str) -> str:
    """Returns code whose decorated methods only call a bare one with their body, since mutmut leaves them out."""
    lines = source.splitlines(keepends=True)
    methods = [
        each
        for kind in ast.walk(ast.parse(source))
        if isinstance(kind, ast.ClassDef)
        for each in kind.body
        if isinstance(each, ast.FunctionDef) and each.decorator_list and each.args.args[0].arg == "self"
    ]
    for each in sorted(methods, key=lambda method: -method.lineno):
        first, body = each.lineno - 1, each.body[0].lineno - 1
        named = [f"{own.arg}={own.arg}" for own in (*each.args.args[1:], *each.args.kwonlyargs)]
        call = f"        return self.{each.name}_bare({', '.join(named)})\n\n"
        bare = lines[first].replace(f"def {each.name}(", f"def {each.name}_bare(")
        lines[first:body] = [*lines[first:body], call, bare, *lines[first + 1 : body]]
    return "".join(lines)


def drawn(target: Target, seed: int) -> list[str]:
    """Returns the names of mutants of a target, drawn at random."""
    from mutmut.mutation.file_mutation import mutate_file_contents
    from mutmut.utils.format_utils import get_mutant_name

    os.chdir(COPY)
    every = [
        get_mutant_name(Path(name), mutant)
        for name in (f"src/carob/{each}" for each in target.files)
        for mutant in mutate_file_contents(name, Path(name).read_text(encoding="utf-8")).mutant_names
    ]
    mutants = [each for each in every if re.match(target.only, each)]
    sys.stdout.write(f"{target.draw} of {len(mutants)} mutants\n")
    return random.Random(seed).sample(mutants, target.draw or len(mutants))


def options() -> argparse.Namespace:
    """Returns the target, the patterns of mutants to run, and the number of processes."""
    parser = argparse.ArgumentParser(description="Runs mutmut on a part of carob.")
    parser.add_argument("target", choices=TARGETS, help="what to mutate")
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="mutants to run, such as 'carob.matching.axes.x_arranged*'"
    )
    parser.add_argument("--seed", type=int, default=1, help="the seed of the draw, of a target with one")
    parser.add_argument("--max-children", type=int, default=os.cpu_count() or 1, help="processes at a time")
    return parser.parse_args()


def main() -> int:
    """Copies the checkout, runs mutmut there, and reports the survivors that no reason explains."""
    chosen = options()
    target = TARGETS[chosen.target]
    equivalent = EQUIVALENT | target.equivalent
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
    for file in (COPY / "src" / "carob" / each for each in target.files):
        file.write_text(bared(file.read_text(encoding="utf-8")), encoding="utf-8")
    settings = SETTINGS.format(
        files=[f"src/carob/{each}" for each in target.files], tests=[f"tests/{each}" for each in target.tests]
    )
    with (COPY / "pyproject.toml").open("a", encoding="utf-8") as file:
        file.write(settings)
    names = chosen.names or (drawn(target, chosen.seed) if target.draw else [])
    mutmut("run", "--max-children", str(chosen.max_children), *names)
    survivors = re.findall(r"^\s*(\S+): (survived|no tests)$", mutmut("results"), re.MULTILINE)
    lines = {name: changed(name) for name, _ in survivors}
    unexplained = {
        name: line
        for name, line in lines.items()
        if not any(re.search(pattern, line) for pattern in equivalent)
    }
    unused = [
        pattern
        for pattern in equivalent
        if not names and not any(re.search(pattern, line) for line in lines.values())
    ]
    sys.stdout.write(
        f"{len(survivors)} mutants survived, {len(survivors) - len(unexplained)} with a reason\n"
    )
    sys.stdout.write("".join(f"survived: {name}: {line}\n" for name, line in unexplained.items()))
    sys.stdout.write("".join(f"no survivor needs: {pattern}\n" for pattern in unused))
    return 1 if unexplained or unused else 0


if __name__ == "__main__":
    sys.exit(main())
