"""The pages are true: their commands and Python run as printed, their links and make targets exist."""

from __future__ import annotations

import ast
import contextlib
import doctest
import gc
import importlib.util
import io
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from markdown_it import MarkdownIt

import carob
from carob.conventions.profiles import profile_named
from carob.conventions.reference import mathematics
from cases import OF_LISTS

if TYPE_CHECKING:
    from collections.abc import Callable

CHECKOUT = Path(__file__).parents[1]
ENGLISH, CHINESE = CHECKOUT / "README.md", CHECKOUT / "README.zh-CN.md"
NOTES = CHECKOUT / "docs" / "notes.md"
DECIDE = CHECKOUT / "docs" / "decide.md"
FUSE = CHECKOUT / "docs" / "fuse.md"
EVAL, PEERS = CHECKOUT / "docs" / "eval.md", CHECKOUT / "docs" / "peers.md"
IN_BOTH = [(page, page.with_suffix(".zh-CN.md")) for page in (ENGLISH, NOTES, DECIDE, FUSE, EVAL, PEERS)]
PAGES = [ENGLISH, CHINESE, CHECKOUT / "CONTRIBUTING.md", *sorted((CHECKOUT / "docs").glob("*.md"))]
MAKEFILE = (CHECKOUT / "Makefile").read_text(encoding="utf-8")

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
QUOTED = re.compile(
    r"`((?:src|tests|examples)/[\w./]+)`[^`]*?\n\n```python\n(.*?)^```", re.MULTILINE | re.DOTALL
)
CAROB = re.compile(r"(?:^|\|\s*)(?:\.venv/bin/)?(?:carob|python3? -m carob)\s", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block, its line in the page, and the output that the page shows right under it."""

    language: str
    text: str
    line: int
    output: str | None


def blocks(page: str) -> list[Block]:
    found, fences = [], list(FENCE.finditer(page))
    for fence, after in zip(fences, [*fences[1:], None]):
        shown = after and after[1] == "text" and not page[fence.end() : after.start()].strip()
        line = page.count("\n", 0, fence.start()) + 1
        found.append(Block(fence[1], fence[2], line, after[2] if after and shown else None))
    return found


def recipe(target: str) -> str:
    """The commands that the Makefile has under a target, with its variables in their place."""
    variables = dict(re.findall(r"^(\w+)\s*:?=\s*(.*)$", MAKEFILE, re.MULTILINE))
    lines = re.search(rf"^{target}:.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)
    assert lines, f"the Makefile has no commands under '{target}'"
    text = re.sub(r"^\t", "", lines[1], flags=re.MULTILINE)
    while "$(" in text:
        text = re.sub(r"\$\((\w+)\)", lambda each: variables[each[1]], text)
    return text


class Reader:
    """Someone who follows a page from its top, in a copy of the checkout's examples."""

    def __init__(self, folder: Path) -> None:
        shutil.copytree(CHECKOUT / "examples", folder / "examples")
        self.folder, self.names = folder, {"__name__": "__main__"}
        programs = folder / "programs"
        programs.mkdir()
        for name, arguments in {"carob": "-m carob ", "python": "", "python3": ""}.items():
            program = programs / name
            program.write_bytes(f'#!/bin/sh\nexec "{sys.executable}" {arguments}"$@"\n'.encode())
            program.chmod(0o755)
        inherited = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
        self.environment = inherited | {
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "PYTHONIOENCODING": "utf-8",
            "LC_ALL": "C",
        }

    def run(self, block: Block) -> str | None:
        """What the block prints; None for one that no test can run, such as an installation."""
        if block.language == "python":
            return self.run_python(block.text)
        if block.language != "sh" or (
            "carob report" in block.text and not importlib.util.find_spec("vl_convert")
        ):
            return None  # a report needs carob[report]
        if "--offline" in block.text and not importlib.util.find_spec("jinja2"):
            return None  # the judging page needs carob[judge]
        text = recipe("eval") if block.text.split("#")[0].strip() == "make eval" else block.text
        return self.run_shell(text) if CAROB.search(text) else None

    def run_shell(self, text: str) -> str:
        shell = shutil.which("sh")
        if shell is None:
            pytest.skip("no 'sh' on this machine to run the page's commands")
        text = re.sub(r"\.venv/bin/", "", text)
        done = subprocess.run(
            [shell, "-c", text],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        return done.stdout.decode("utf-8").replace("\r\n", "\n")

    def run_python(self, text: str) -> str:
        printed, home = io.StringIO(), Path.cwd()
        os.chdir(self.folder)
        try:
            with contextlib.redirect_stdout(printed):
                exec(compile(text, "<page>", "exec"), self.names)
        finally:
            os.chdir(home)
        return printed.getvalue()


def problems(page: str, folder: Path) -> list[str]:
    """Every block whose output is not what the page shows, or that fails though the page shows no output."""
    found, reader = [], Reader(folder)
    quoted = {code for _, code in QUOTED.findall(page)}
    for block in blocks(page):
        if block.text in quoted:
            continue
        try:
            printed = reader.run(block)
        except Exception as error:  # noqa: BLE001 - whatever a page's code raises is the finding
            found.append(f"line {block.line} raises {type(error).__name__}: {error}")
            continue
        if printed is None:
            continue
        if block.output is None:
            if re.search(r"^(carob: |Error: |Traceback|sh: )", printed, re.MULTILINE):
                found.append(f"line {block.line} fails:\n{printed}")
        elif printed.rstrip("\n") != block.output.rstrip("\n"):
            found.append(f"line {block.line} prints\n{printed}and not what stands under it:\n{block.output}")
    return found


# Libraries that a page's Python imports and that carob itself does not need.
NEEDS = {
    "engines.md": ("pyspark", "duckdb"),
    "files.md": ("polars",),
    "frames.md": ("polars",),
    "spark.md": ("pyspark",),
}


# What needs an extra of carob's, as a page shows it.
EXTRAS = {
    "report": r"^(?:\$ )?carob report (?!--collections)",
    "judge": r"^(?:\$ )?carob judge (?!--collect)",
    "files": r"^import polars|^carob .*\.parquet",
    "plots": r"to_figure\(",
    "spark": r"^(?:from|import) pyspark",
}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_an_extra_is_named_before_what_needs_it(page: Path) -> None:
    """At the latest in the block or the paragraph that needs it."""
    text = page.read_text(encoding="utf-8")
    for extra, needing in EXTRAS.items():
        first = re.search(needing, text, re.MULTILINE)
        if first is not None:
            assert f"[{extra}]" in text[: text.index("\n\n", first.start())], (extra, first[0])


# A Chinese page shows the commands and outputs of the English one, which another test holds it to: once is enough.
RUN = [page for page in PAGES if page not in [chinese for _, chinese in IN_BOTH]]
# Those that `make test` runs, too: each command takes a fifth of a second or more.
SHORT = {"README.md", "CONTRIBUTING.md", "eval.md", "notes.md", "extending.md", "frames.md", "tensors.md"}


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=[pytest.mark.long] * (page.name not in SHORT)) for page in RUN],
    ids=[page.name for page in RUN],
)
def test_what_a_page_shows_is_what_happens(
    page: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    for library in NEEDS.get(page.name, ()):
        if not importlib.util.find_spec(library):
            pytest.skip(f"the page's Python needs {library}, which is not installed")
        if library == "pyspark":
            request.getfixturevalue("spark")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # PySpark's tuning leaves pools of threads open
        assert problems(page.read_text(encoding="utf-8"), tmp_path) == []
        gc.collect()


SMALL = """\
```sh
printf 'q 0 a 1\\n' > qrels.txt
printf 'q Q0 b 1 2 t\\nq Q0 a 2 1 t\\n' > a.run
carob eval qrels.txt a.run -m RR
```
```text
run      RR
a    0.5000
1 query · policy trec
```

```python
print(1 / 2)
```

```text
0.5
```
"""


def test_a_true_page_has_no_problem(tmp_path: Path) -> None:
    assert problems(SMALL, tmp_path) == []


@pytest.mark.parametrize(
    ("true", "false"),
    [("0.5000", "0.5001"), ("1 query ·", "2 queries ·"), ("\n0.5\n", "\n0.6\n"), ("-m RR", "-m RRR")],
)
def test_a_wrong_number_in_a_page_is_found(true: str, false: str, tmp_path: Path) -> None:
    assert SMALL.count(true) == 1
    assert len(problems(SMALL.replace(true, false), tmp_path)) == 1


def test_both_readmes_print_something_that_is_checked() -> None:
    for page in (ENGLISH, CHINESE):
        shown = [block for block in blocks(page.read_text(encoding="utf-8")) if block.output is not None]
        languages = [block.language for block in shown]
        assert any("make eval" in each.text for each in shown[:2])
        assert languages.count("sh") >= 3
        assert languages.count("python") >= 1


def test_the_first_page_stays_short() -> None:
    """What is longer belongs to a page of docs/. The repository's address is not counted."""
    module = loaded("write_address")
    for page in (ENGLISH, CHINESE):
        assert module.quoted(page.name, None).count("\n") <= 200


@pytest.mark.parametrize("index", ["README.md", "README.zh-CN.md"])
def test_the_list_of_pages_has_each_page(index: str) -> None:
    """And the first page leads to the list. The Chinese list has the Chinese pages in place of the English ones."""
    assert f"](docs/{index})" in (CHECKOUT / index).read_text(encoding="utf-8")
    text = (CHECKOUT / "docs" / index).read_text(encoding="utf-8")
    listed = {*re.findall(r"\]\(([\w.-]+\.md)\)", text), index}
    pages = {page.name for page in (CHECKOUT / "docs").glob("*.md")}
    in_chinese = {page for page in pages if ".zh-CN" in page}
    if index in in_chinese:
        pages -= {page.replace(".zh-CN", "") for page in in_chinese} - {"README.md"}
    assert listed == pages


@pytest.mark.parametrize(
    ("english", "chinese"), IN_BOTH, ids=["README", "notes", "decide", "fuse", "eval", "peers"]
)
def test_both_languages_show_the_same_commands(english: Path, chinese: Path) -> None:
    """And the same output, but for what the Chinese page asks for in Chinese."""
    one, other = (blocks(page.read_text(encoding="utf-8")) for page in (english, chinese))
    for first, second in zip(one, other, strict=True):
        lines, same = (
            [line.split("  #")[0].replace(" --lang zh", "") for line in each.text.splitlines()]
            for each in (first, second)
        )
        if first.language == second.language == "text":
            continue  # the output of the block before
        assert (first.language, lines) == (second.language, same)
        assert first.output == second.output or "--lang zh" in second.text, second.line


@pytest.mark.parametrize("page", IN_BOTH[1], ids=lambda page: page.name)
def test_the_table_of_the_notes_is_what_their_profiles_say(page: Path) -> None:
    rows = re.findall(r"^\| \[(note-\d+)\].*?\|(.*)\|$", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert [name for name, _ in rows] == [f"note-00{number}" for number in range(5)]
    for name, cells in rows:
        shown = dict(
            zip(("MAP", "DCG", "NDCG"), (cell.strip(" `") for cell in cells.split("|")), strict=True)
        )
        meant = {label: cell for label, cell in shown.items() if cell != "–"}
        assert meant == {label: str(profile_named(name).read(label)[0][1]) for label in meant}


def test_the_experiment_of_the_notes_ends_as_shown(shared: Callable[..., Path], tmp_path: Path) -> None:
    """The file is not the project's to ship, so the page shows a console that no other test runs."""
    shown = next(block for block in blocks(NOTES.read_text(encoding="utf-8")) if block.language == "console")
    command, output = shown.text.removeprefix("$ ").split("\n", 1)
    reader = Reader(tmp_path)
    file = shared("data", "microblog2014", "qrels.microblog2014.txt")
    shutil.copy(file, tmp_path)
    assert file.name in command
    assert reader.run_shell(command) == output


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_make_targets_in_a_page_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    code = "\n".join([*re.findall(r"`([^`\n]+)`", text), *(block.text for block in blocks(text))])
    targets = set(re.findall(r"^\s*make ([a-z][a-z-]*)", code, re.MULTILINE))
    assert targets <= set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_in_a_page_lead_somewhere(page: Path) -> None:
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, heading = target.partition("#")
        if re.match(r"[a-z]+:", path):
            continue
        file = page.parent / path if path else page
        assert file.exists(), f"{page.name} links to {target}, which does not exist"
        if heading:
            headings = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
            assert heading in map(anchor, headings), f"{page.name} links to {target}: no such heading"


def anchor(heading: str) -> str:
    """A heading's address, as code hosts make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


PATH = re.compile(r"`((?:src|tests|docs|native|bench|examples|build_backend)/[\w./-]*\w/?)`")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_a_page_names_exist(page: Path) -> None:
    named = PATH.findall(page.read_text(encoding="utf-8"))
    assert not [path for path in named if not (CHECKOUT / path).exists()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_code_that_a_page_quotes_stands_in_the_file_it_names(page: Path) -> None:
    for path, code in QUOTED.findall(page.read_text(encoding="utf-8")):
        text = (CHECKOUT / path).read_text(encoding="utf-8")
        assert code in text or formula(code) in map(formula, definitions(text)), path


def definitions(text: str) -> list[str]:
    return [ast.unparse(node) for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]


def formula(code: str) -> str | None:
    """A function without what its docstring says after the first sentence; None if the code is not a function."""
    try:
        function = ast.parse(code).body[0]
    except SyntaxError:
        return None
    if not isinstance(function, ast.FunctionDef):
        return None
    sentence = (ast.get_docstring(function) or "").partition("\n")[0]
    function.body = function.body[1:]
    return f"{sentence}\n{ast.unparse(function)}"


def test_contributing_quotes_a_formula_and_its_cases() -> None:
    quoted = [path for path, _ in QUOTED.findall((CHECKOUT / "CONTRIBUTING.md").read_text(encoding="utf-8"))]
    assert quoted == ["src/carob/measures/precision.py", "tests/cases.py"]


def documented() -> list[str]:
    found = [each.name for each in pkgutil.walk_packages(carob.__path__, "carob.")]
    return ["carob", *(name for name in found if not name.endswith(("__main__", "_native", "_version")))]


@pytest.mark.parametrize("name", documented())
def test_examples_in_docstrings_are_what_happens(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_renders_its_blocks_as_blocks(page: Path) -> None:
    tokens = MarkdownIt("commonmark").parse(page.read_text("utf-8"))
    fences = [token for token in tokens if token.type == "fence"]
    inline = [token.content for token in tokens if token.type == "inline"]
    assert len(fences) == page.read_text("utf-8").count("\n```") / 2
    assert not [text for text in inline if "``" in text]


def test_the_page_of_measures_shows_every_formula_as_code_and_as_mathematics() -> None:
    tokens = MarkdownIt("commonmark").parse((CHECKOUT / "docs" / "measures.md").read_text("utf-8"))
    fences = [(token.info, token.content) for token in tokens if token.type == "fence"]
    code = [text for info, text in fences if info == "text"]
    assert len(code) == len(OF_LISTS)
    assert all("r." in each or "(" in each for each in code)
    shown = [text.rstrip("\n") for info, text in fences if info == "math"]
    assert sorted(shown) == sorted(filter(None, map(mathematics, OF_LISTS.values())))


def test_files_that_the_pages_name_are_there() -> None:
    named = {
        path
        for page in [*CHECKOUT.glob("*.md"), *(CHECKOUT / "docs").glob("*.md")]
        for path in re.findall(
            r"`((?:src|tests|docs|bench|native|build_backend)/[\w./-]+)`", page.read_text("utf-8")
        )
    }
    assert named
    assert not [path for path in sorted(named) if not (CHECKOUT / path).exists()]


def loaded(script: str) -> Any:
    """A script of docs/ as a module."""
    specification = importlib.util.spec_from_file_location(script, CHECKOUT / "docs" / f"{script}.py")
    assert specification
    assert specification.loader
    module = importlib.util.module_from_spec(specification)
    sys.modules[script] = module  # where dataclasses look their module up
    specification.loader.exec_module(module)
    return module


def peer_rows(page: Path) -> list[list[str]]:
    """The answers in the table of small questions: per row the cells behind the question."""
    table = re.search(
        r"^\| \| carob \| trec_eval 10 .*\n.*\n((?:\|.*\n)+)", page.read_text("utf-8"), re.MULTILINE
    )
    assert table
    return [[cell.strip() for cell in row.strip("|\n").split("|")][1:] for row in table[1].splitlines()]


def test_small_questions_get_the_answers_that_the_page_of_peers_shows() -> None:
    """The peers are asked where they are installed; carob always is."""
    script, shown = loaded("compare_peers"), peer_rows(PEERS)
    columns = ["carob", "trec_eval 10", "pytrec_eval", "ir_measures", "ranx"]
    here = ["carob"] + [each for each in columns[2:] if importlib.util.find_spec(each)]
    for question, row in zip(script.QUESTIONS, shown, strict=True):
        for peer in here:
            assert script.answer(script.PEERS[peer], question) == row[columns.index(peer)], (
                question.text,
                peer,
            )


def test_both_pages_of_peers_show_the_same_answers() -> None:
    chinese = [
        [each.replace("退出码", "exit code") for each in row]
        for row in peer_rows(PEERS.with_suffix(".zh-CN.md"))
    ]
    assert chinese == peer_rows(PEERS)


@pytest.mark.long
def test_the_page_of_measures_is_what_its_script_writes() -> None:
    module = loaded("write_measures")
    written = module.PAGE.read_text(encoding="utf-8")
    assert written == module.page(), "run 'python docs/write_measures.py' and commit docs/measures.md"
    assert module.STUB.read_text(encoding="utf-8") == module.declarations(), (
        "the same, for measures/by_name.pyi"
    )
    assert re.findall(r"^### (\w+)$", written, re.MULTILINE) == list(OF_LISTS)
    for parameter in ("gain", "discount", "ideal", "over"):
        explained = re.search(rf"^- `{parameter}`: ((?:.+\n)+?)(?=- |\n)", written, re.MULTILINE)
        assert explained
        assert not [word for word in module.words(parameter) if f"`{word}`" not in explained[1]], parameter


def test_the_changelog_names_this_version() -> None:
    text = (CHECKOUT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## {re.escape(carob.__version__)}\b", text, re.MULTILINE)


SPEED = re.compile(r"<!-- speed:begin.*?<!-- speed:end -->", re.DOTALL)
FIGURE = re.compile(r"([\d.,]+) (s|MB)")
TIMED = ("261 MB", "1,737", "300,000")
"""A number that only one row of each table of speed names."""
TIMED_IN = ("README.md", "README.zh-CN.md", "docs/how-it-works.md")


def timed(page: str) -> dict[str, list[tuple[str, str]]]:
    """Returns the figures of each row in a page's tables of speed, by the input in the row's first cell."""
    text = (CHECKOUT / page).read_text(encoding="utf-8")
    rows = [
        line.split("|", 2) for block in SPEED.findall(text) for line in block.splitlines() if line[:1] == "|"
    ]
    return {first: FIGURE.findall(rest) for _, first, rest in rows}


@pytest.mark.parametrize("number", TIMED)
def test_pages_agree_on_the_time_and_memory_of_one_input(number: str) -> None:
    found = [[its[:2] for name, its in timed(page).items() if number in name and its] for page in TIMED_IN]
    assert found[0] == found[1] == found[2]
    assert [len(rows) for rows in found] == [1, 1, 1]


def test_both_readmes_show_the_same_figures() -> None:
    english, chinese = (list(timed(page).values()) for page in TIMED_IN[:2])
    assert english == chinese
    assert sum(map(len, english)) > 20


def test_the_repositorys_address_stands_in_one_place() -> None:
    """Pages quote the one of pyproject.toml, and say nothing while it has none."""
    module = loaded("write_address")
    for page in module.QUOTES:
        assert module.quoted(page, module.address()) == (CHECKOUT / page).read_text(encoding="utf-8"), (
            "run 'python docs/write_address.py' and commit the pages"
        )
        text = module.quoted(page, "https://example.org/carob.git")
        assert text.count("https://example.org/carob.git") == 1
    assert "git clone https://example.org/carob.git" in module.quoted(
        "README.md", "https://example.org/carob.git"
    )
