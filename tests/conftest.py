"""Gives the tests their fixtures, and a formula's mutant where one is asked for."""

from __future__ import annotations

import gc
import json
import os
import shutil
import signal
import sys
import warnings
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

# Before anything loads them. Threads that wait for a second core, which another worker holds, burn the first one:
# XGBoost's tests alone took six times the processor's time. And neither need Numba compile what is called twice, which
# took a minute and a half for ranx's fusions of three short lists, nor Java optimise it: its second compiler took as
# much of the processor as Spark's own work.
for name, value in {
    "OMP_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
    "NUMBA_DISABLE_JIT": "1",
    "NUMBA_OPT": "0",
    "SPARK_SUBMIT_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}.items():
    os.environ.setdefault(name, value)

# Nothing that is imported for the tests is garbage: it is neither looked through meanwhile, a quarter of that time, nor
# later, each time when a test or a library that it calls collects garbage, half a second each once all is imported.
gc.disable()

import sharing  # noqa: E402
from carob.__main__ import OBJECTS  # noqa: E402
from carob.measures import REGISTER  # noqa: E402
from partners import versions  # noqa: E402
from toys import BETTER, QRELS, RUN, with_formula  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SHARED = Path(__file__).resolve().parents[2] / "shared"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--mutant", help="multiply this measure's formula by 1.001: some test must fail")
    parser.addoption(
        "--rest-of",
        type=Path,
        help="the tests of an earlier run (.pytest_cache/v/carob/tests): only the tests that it left to do",
    )


def pytest_configure(config: pytest.Config) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # As a shell starts what runs behind it; programs that tests interrupt would inherit it.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    name = config.getoption("--mutant")
    if name:
        definition = REGISTER[name]
        formula = definition.formula
        REGISTER[name] = with_formula(definition, lambda *given, **named: formula(*given, **named) * 1.001)


def pytest_collection_finish() -> None:
    gc.freeze()
    # As seldom as in the command: Python's own thresholds cost some tests a third of their time.
    gc.set_threshold(OBJECTS)
    gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if os.environ.get("CAROB_TESTS") == "quick":
        _keep(lambda item: not any(map(item.get_closest_marker, ("thorough", "long"))), config, items)
    if earlier := config.getoption("--rest-of"):
        _keep(_left_by(json.loads(earlier.read_text()), config.rootpath), config, items)
    if hasattr(config, "workerinput"):
        sharing.first_the_long(items, config.rootpath)


def _keep(wanted: Callable[[pytest.Item], bool], config: pytest.Config, items: list[pytest.Item]) -> None:
    left_out = [item for item in items if not wanted(item)]
    items[:] = [item for item in items if wanted(item)]
    config.hook.pytest_deselected(items=left_out)


def _left_by(earlier: dict[str, list[str]], root: Path) -> Callable[[pytest.Item], bool]:
    """Return whether a run of ``make test`` with these tests left a test to do.

    Where it lacked a library for a tenth of a file's tests, or they ask what is installed, the others may go other ways
    with the library. A file beside the checkout changes only the tests that read it.
    """
    passed = set(earlier["passed"])
    done, lacking = (Counter(map(_file, earlier[each])) for each in ("passed", "lacking"))
    again = {
        file
        for file in done.keys() | lacking.keys()
        if lacking[file] * 9 >= done[file] or "find_spec" in (root / file).read_text(encoding="utf-8")
    }

    def left(item: pytest.Item) -> bool:
        in_part = item.get_closest_marker("long") or hasattr(item.module, "examples")  # type: ignore[attr-defined]
        return bool(in_part) or item.nodeid not in passed or _file(item.nodeid) in again

    return left


def _file(test: str) -> str:
    """Return the file of a test, by the test's id."""
    return test.partition("::")[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    return sharing.scheduler(config, log)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Count the skipped tests by reason: a line for each of a thousand hides what failed.

    The tests are kept for a run beside more libraries, which need not repeat all. List these libraries, too.
    """
    skipped = [(each.nodeid, _reason(each.longrepr)) for each in terminalreporter.stats.get("skipped", [])]
    reasons = Counter(reason for _, reason in skipped)
    if cache := getattr(terminalreporter.config, "cache", None):
        passed = sorted(each.nodeid for each in terminalreporter.stats.get("passed", []))
        lacking = sorted(test for test, reason in skipped if "../shared" not in reason)
        cache.set("carob/tests", {"passed": passed, "lacking": lacking})
    if reasons:
        terminalreporter.section("skipped")
        for reason, count in reasons.most_common():
            terminalreporter.write_line(f"{count:5}  {reason}")
    found = versions()
    terminalreporter.section("libraries that carob is held to")
    here = ", ".join(f"{name} {its}" for name, its in found.items() if its)
    missing = ", ".join(name for name, its in found.items() if not its)
    for line in (f"here: {here or 'none'}", f"not here: {missing or 'none'}"):
        terminalreporter.write_line(line)


def _reason(skip: object) -> str:
    """Return why a test was skipped: pytest keeps it behind file and line."""
    text = str(skip[-1] if isinstance(skip, tuple) else skip).removeprefix("Skipped: ")
    return "needs files beside this checkout, in ../shared" if "shared" in text else text


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the test is in, with ``qrels.txt``, ``one.run`` and ``two.run``."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("qrels.txt", QRELS), ("one.run", RUN), ("two.run", BETTER)):
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.fixture(autouse=True)
def own_measures_go() -> Iterator[None]:
    """What a test, a page or an example enrols is not there for the next."""
    known = set(REGISTER)
    yield
    for name in REGISTER.keys() - known:
        del REGISTER[name]


@pytest.fixture(scope="session")
def report_libraries() -> None:
    """What a report is drawn with; the test is skipped where it is absent."""
    pytest.importorskip("jinja2", reason="carob[report] is not installed")


@pytest.fixture
def shared() -> Callable[..., Path]:
    """The path of a file beside the checkout; the test is skipped where it is absent."""

    def find(*parts: str) -> Path:
        path = SHARED.joinpath(*parts)
        if not path.exists():
            pytest.skip(f"needs the shared file {'/'.join(parts)}, which is not beside this checkout")
        return path

    return find


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A session of Spark in this process, one for all tests, since each takes seconds to start."""
    sql = pytest.importorskip("pyspark.sql", reason="needs PySpark, of the extra 'spark'")
    if shutil.which("java", path=os.environ.get("JAVA_HOME", "") + "/bin") is None is shutil.which("java"):
        pytest.skip("needs Java, on which Spark runs")
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.log.level": "ERROR",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.ui.enabled": "false",
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PySpark's own, which are nothing to carob
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # else its workers are whatever python3 is
        session = sql.SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
        yield session
        session.stop()
