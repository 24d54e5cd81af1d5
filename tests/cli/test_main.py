"""Both ways to trec_eval's face, and the module's own."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from carob.cli import main
from strategies import first

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def arguments(tmp_path: Path) -> list[str]:
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    (tmp_path / "run").write_text("q Q0 a 1 1 t\n")
    return ["trec-eval", "-m", "map", str(tmp_path / "qrels"), str(tmp_path / "run")]


def test_trec_evals_face_by_either_door(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 0
    expected = "map                   \tall\t1.0000\n"
    assert capfd.readouterr().out == expected
    done = subprocess.run(
        [sys.executable, "-m", "carob", *arguments], capture_output=True, text=True, check=True
    )
    assert done.stdout == expected


def test_trec_evals_face_starts_without_the_command_lines_libraries(arguments: list[str]) -> None:
    code = """
import sys, carob.__main__ as entry
sys.argv = ["carob", *sys.argv[1:]]
try:
    entry.main()
finally:
    print("click" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "False"


@pytest.mark.thorough
def test_a_reader_that_stops_reading_ends_it_quietly(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("".join(f"{n} 0 a 1\n" for n in range(2000)))
    (tmp_path / "run").write_text("".join(f"{n} Q0 a 1 1 t\n" for n in range(2000)))
    for command in (["trec-eval", "-q", "-m", "all_trec"], ["eval", "-q", "-m", "all_trec"]):
        arguments = [sys.executable, "-m", "carob", *command, str(tmp_path / "qrels"), str(tmp_path / "run")]
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.readline()
            process.stdout.close()
            assert process.stderr.read() == b""
            assert process.wait() != 0


def loaded(*arguments: str) -> tuple[str, set[str]]:
    """The output of a command, and the modules that it imported."""
    code = """
import sys, carob.__main__ as entry
sys.argv = ["carob", *sys.argv[1:]]
try:
    entry.main()
finally:
    print(*sys.modules, file=sys.stderr)
"""
    ran = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    return ran.stdout, set(ran.stderr.split())


def test_evaluating_trec_text_imports_no_reader_of_tables(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    (tmp_path / "run").write_text("q Q0 a 1 1 t\n")
    printed, modules = loaded("eval", str(tmp_path / "qrels"), str(tmp_path / "run"))
    assert "1 query" in printed
    assert not modules & {"csv", "subprocess", "carob.inputs.query_files", "carob.inputs.files.libraries"}


@pytest.mark.parametrize("command", ["eval", "compare", "check", "trec-eval"])
def test_files_are_read_before_numpy_is_imported(tmp_path: Path, command: str) -> None:
    """Another thread imports it meanwhile. Here that thread never starts, so the kernel would be seen to wait."""
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    for name in ("x", "y"):
        (tmp_path / name).write_text("q Q0 a 1 1 t\n")
    code = """
import sys, threading, carob._native as native
start, threading.Thread.start = threading.Thread.start, lambda thread: None
read = native.read_judgments
def watched(*arguments, **options):
    print("read_judgments", "numpy" in sys.modules, file=sys.stderr)
    threading.Thread.start = start
    return read(*arguments, **options)
native.read_judgments = watched
import carob.__main__ as entry
sys.argv = ["carob", *sys.argv[1:]]
entry.main()
"""
    runs = ["x", "y"] if command == "compare" else ["x"]
    files = [str(tmp_path / each) for each in ("qrels", *runs)]
    ran = subprocess.run([sys.executable, "-c", code, command, *files], capture_output=True, text=True)
    assert ran.stderr.splitlines()[:1] == ["read_judgments False"], ran.stderr


def test_several_threads_may_use_numpy_first() -> None:
    code = """
import threading
from carob._numpy import begin_import, np
found, go = [], threading.Barrier(8)
def use(number):
    go.wait()
    found.append(np.linalg.norm(np.array([3.0, 4.0])) if number else begin_import())
threads = [threading.Thread(target=use, args=(number,)) for number in range(8)]
for each in threads:
    each.start()
for each in threads:
    each.join()
import numpy
print(found.count(5.0), np.ndarray is numpy.ndarray)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (ran.stdout, ran.stderr) == ("7 True\n", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only POSIX forks")
def test_a_fork_waits_for_the_import_of_numpy() -> None:
    code = """
import os
from carob._numpy import begin_import
begin_import()
child = os.fork()
if child == 0:
    import numpy
    os._exit(0)
print(os.waitpid(child, 0)[1])
"""
    # From 3.12 on, Python warns of every thread at a fork, such as those of NumPy's OpenBLAS.
    python = [sys.executable, "-W", "ignore::DeprecationWarning"]
    ran = subprocess.run([*python, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert (ran.stdout, ran.stderr) == ("0\n", "")


@pytest.mark.parametrize("fault", ["no thread", "no numpy"])
def test_an_import_of_numpy_that_fails_beside_the_kernel_is_silent(fault: str) -> None:
    code = """
import sys, threading
def refuse(thread):
    raise RuntimeError("can't start new thread")
class Finder:
    def find_spec(name, *_):
        if name == "numpy":
            raise ImportError("libopenblas is missing")
if sys.argv[1] == "no thread":
    threading.Thread.start = refuse
else:
    sys.meta_path.insert(0, Finder)
from carob._numpy import begin_import, np
begin_import()
for each in threading.enumerate()[1:]:
    each.join()
try:
    print(np.pi)
except ImportError as error:
    print(error)
"""
    ran = subprocess.run([sys.executable, "-c", code, fault], capture_output=True, text=True, check=True)
    said = str(math.pi) if fault == "no thread" else "libopenblas is missing"
    assert (ran.stdout, ran.stderr) == (f"{said}\n", "")


def test_scoring_imports_nothing_that_only_others_need(tmp_path: Path) -> None:
    """A start is a tenth of a second, of which each of these took one to ten milliseconds."""
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    (tmp_path / "run").write_text("q Q0 a 1 1 t\n")
    printed, modules = loaded("eval", str(tmp_path / "qrels"), str(tmp_path / "run"))
    assert "policy trec" in printed
    dear = {
        "difflib",
        "glob",
        "hashlib",
        "html",
        "scipy",
        "rich",
        "narwhals",
        "polars",
        "pandas",
        "string",
        "tempfile",
    }
    dear |= {
        "tomllib",
        "carob.inputs.runs.batches",
        "carob.inputs.runs.engine",
        "carob.inputs.files.json",
        "carob.inputs.nested_rows",
    }
    assert not dear & modules


@pytest.mark.parametrize("arguments", [["--version"], ["--help"]])
def test_the_version_and_the_list_of_commands_load_no_numbers(arguments: list[str]) -> None:
    printed, modules = loaded(*arguments)
    assert printed
    assert "carob" in modules
    assert not {"numpy", "carob._native", "carob.measures", "carob.output.document"} & modules
    assert ("click" in modules) == (arguments == ["--help"])


@pytest.mark.parametrize(
    "arguments", [["eval", "--help"], ["compare", "--help"], ["help", "eval"], ["measures"], ["profiles"]]
)
def test_help_and_lists_load_no_numbers(arguments: list[str]) -> None:
    printed, modules = loaded(*arguments)
    assert printed
    assert "numpy" not in modules


ENDING = """
import atexit, sys
from carob.__main__ import command
sys.argv = ["carob", *sys.argv[1:]]
atexit.register(print, "registered")
{before}
command()
"""


@pytest.mark.parametrize(
    ("arguments", "code"), [(["--version"], 0), (["profiles"], 0), (["eval", "none"], 2), (["trec-eval"], 1)]
)
def test_a_command_ends_without_deleting_objects(arguments: list[str], code: int) -> None:
    """What others registered for the exit is done, and the exit code and the whole output arrive."""
    done = subprocess.run(
        [sys.executable, "-c", ENDING.format(before=""), *arguments], capture_output=True, text=True
    )
    assert done.returncode == code
    assert done.stdout.splitlines()[-1] == "registered"
    assert len(done.stdout.splitlines()) > 1 or done.stderr


@pytest.mark.parametrize(
    ("before", "at_once"),
    [
        ("pass", True),
        ("import threading; threading.Thread(target=threading.Event().wait, args=(1,)).start()", False),
        ("sys.setprofile(lambda *given: None)", False),
        ("sys.settrace(lambda *given: None)", False),
    ],
)
def test_python_ends_a_command_that_is_profiled_or_has_threads(before: str, at_once: bool) -> None:
    code = ENDING.format(before=f"import os; os._exit = lambda code: print('at once')\n{before}")
    done = subprocess.run(
        [sys.executable, "-c", code, "--version"], capture_output=True, text=True, check=True
    )
    assert "registered" in done.stdout
    assert ("at once" in done.stdout) == at_once


@pytest.mark.parametrize(
    ("arguments", "threads"), [(["eval"], "1"), (["eval", "--people=p"], None), (["report"], None)]
)
def test_only_commands_without_matrices_limit_the_threads_of_blas(
    arguments: list[str], threads: str | None
) -> None:
    code = """
import os, sys
from carob import __main__ as entry
sys.argv = ["carob", *sys.argv[1:]]
entry.main = lambda: print(os.environ.get("OPENBLAS_NUM_THREADS"))
entry.command()
"""
    clean = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    for given, expected in (({}, threads), ({"OPENBLAS_NUM_THREADS": "3"}, "3")):
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments],
            capture_output=True,
            text=True,
            check=True,
            env={**clean, **given},
        )
        assert done.stdout == f"{expected}\n"


LACKING = {
    "the kernel": """
import carob._native as native
def read_judgments(*arguments, **options):
    raise MemoryError("std::bad_alloc")
native.read_judgments = read_judgments
""",
    "NumPy": """
class Lacking:
    def find_spec(self, name, *rest):
        if name == "numpy":
            raise ImportError("libscipy_openblas64_.so: failed to map segment from shared object")
sys.meta_path.insert(0, Lacking())
""",
    "NumPy, whose second import says something else": """
class Lacking:
    first = True
    def find_spec(self, name, *rest):
        if name == "numpy" and self.first:
            self.first = False
            raise MemoryError
        if name == "numpy":
            raise ImportError("cannot load module more than once per process")
sys.meta_path.insert(0, Lacking())
""",
    "a thread": """
import carob._native as native
def read_judgments(*arguments, **options):
    raise RuntimeError("can't start new thread")
native.read_judgments = read_judgments
""",
    "the system": """
import errno, carob._native as native
def read_judgments(*arguments, **options):
    raise TypeError("could not export") from OSError(errno.ENOMEM, "…")
native.read_judgments = read_judgments
""",
    "the command line's library": """
class Lacking:
    def find_spec(self, name, *rest):
        if name in ("click", "carob.output.errors", "carob._native"):
            raise MemoryError
sys.meta_path.insert(0, Lacking())
""",
}
if sys.platform == "linux":
    LACKING["the process"] = """
import resource
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize() + 2**24
resource.setrlimit(resource.RLIMIT_AS, (size, size))
"""


def after(change: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command in a process that something was changed in."""
    code = f"""
import sys, carob.__main__ as entry
sys.argv = ["carob", *sys.argv[1:]]
{change}
entry.main()
"""
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True)


@pytest.mark.parametrize("command", ["eval", "trec-eval"])
@pytest.mark.parametrize("where", first(LACKING, 2))
def test_a_lack_of_memory_is_one_sentence(arguments: list[str], command: str, where: str) -> None:
    ran = after(LACKING[where], command, *arguments[-2:])
    assert ran.stderr.startswith("carob: There is not enough memory: raise the limit"), ran.stderr
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (2, "", 1)


def test_a_lack_of_memory_is_json_where_other_errors_are(arguments: list[str]) -> None:
    ran = after(LACKING["the kernel"], "eval", "--format", "json", *arguments[-2:])
    assert json.loads(ran.stderr)["kind"] == "MemoryError"
    assert ran.returncode == 2


def test_an_error_of_carobs_own_keeps_its_traceback(arguments: list[str]) -> None:
    """A fault of carob's must not look as if the machine were to blame."""
    ran = after(LACKING["a thread"].replace("can't start new thread", "a fault"), "eval", *arguments[-2:])
    assert ran.stderr.endswith("RuntimeError: a fault\n")
    assert ran.returncode == 2
