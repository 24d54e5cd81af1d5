"""Tests what the package promises outside its code: one version, a compiler for all, complete archives."""

import ast
import email
import importlib.metadata
import re
import runpy
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

import carob
import carob._native
import compiler

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CHECKOUT = Path(__file__).resolve().parents[1]
posix_only = pytest.mark.skipif(
    sys.platform == "win32", reason="the stand-ins for compilers are shell scripts"
)


@pytest.fixture(scope="module")
def pyproject() -> dict:
    return tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture
def machine(tmp_path: Path) -> "Machine":
    return Machine(tmp_path)


class Machine:
    """A PATH on which lies only what a test puts there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "bin"
        self.folder.mkdir()
        self.environ = {"PATH": str(self.folder)}

    def install(self, name: str, status: int) -> str:
        """Put a compiler there that takes a C++20 program (status 0) or does not."""
        program = self.folder / name
        program.write_text(f"#!/bin/sh\nexit {status}\n", encoding="utf-8")
        program.chmod(0o755)
        return str(program)


def test_a_bare_machine_has_no_compiler(machine: Machine) -> None:
    assert compiler.find_compiler(machine.environ, platform="linux") is None
    assert compiler.find_compiler({}, platform="linux") is None


@posix_only
@pytest.mark.parametrize("name", ["c++", "g++", "clang++"])
def test_a_compiler_on_the_path_is_found(machine: Machine, name: str) -> None:
    expected = machine.install(name, status=0)
    assert compiler.find_compiler(machine.environ, platform="linux") == expected
    assert compiler.definitions(machine.folder, machine.environ) == {}


@posix_only
def test_a_compiler_that_cannot_do_cpp20_is_passed_over(machine: Machine, tmp_path: Path) -> None:
    """CMake would take the first one on the PATH, so it is told of the second."""
    machine.install("c++", status=1)
    assert compiler.find_compiler(machine.environ, platform="linux") is None
    able = machine.install("clang++", status=0)
    assert compiler.definitions(tmp_path, machine.environ) == {"CMAKE_CXX_COMPILER": able}


def test_cxx_is_taken_at_its_word(machine: Machine) -> None:
    environ = machine.environ | {"CXX": "ccache my-compiler"}
    assert compiler.find_compiler(environ, platform="linux") == "ccache my-compiler"
    assert compiler.definitions(machine.folder, environ) == {}
    assert compiler.find_compiler(machine.environ | {"CXX": ""}, platform="linux") is None


@posix_only
def test_visual_studio_is_asked_for_on_windows_only(machine: Machine) -> None:
    cl = machine.install("cl", status=1)
    assert compiler.find_compiler(machine.environ, platform="win32") == cl
    assert compiler.find_compiler(machine.environ, platform="darwin") is None


@posix_only
def test_zig_stands_in_for_what_is_missing(machine: Machine, tmp_path: Path) -> None:
    told = compiler.definitions(tmp_path / "tools", machine.environ)
    tools = {"CMAKE_CXX_COMPILER", "CMAKE_AR", "CMAKE_RANLIB"}
    assert tools <= told.keys()
    for variable in tools:
        script = Path(told[variable]).read_text(encoding="utf-8")
        assert f'"{sys.executable}" -m ziglang ' in script
    # Without this, the wheel would run on the builder's processor and newer ones only.
    assert "-mcpu=baseline" in Path(told["CMAKE_CXX_COMPILER"]).read_text(encoding="utf-8")


@posix_only
def test_a_tool_of_zig_hands_on_its_arguments(tmp_path: Path) -> None:
    """A stand-in for Python prints what it is given, blanks within an argument included."""
    echo = tmp_path / "a python"
    echo.write_text('#!/bin/sh\nprintf "[%s]" "$@"\n', encoding="utf-8")
    echo.chmod(0o755)
    told = compiler.write_zig_tools(tmp_path / "tools", python=str(echo), platform="linux")
    printed = subprocess.run([told["CMAKE_AR"], "qc", "a b.a"], capture_output=True, text=True, check=True)
    assert printed.stdout == "[-m][ziglang][ar][qc][a b.a]"


def test_the_scripts_for_windows_name_python_and_pass_everything(tmp_path: Path) -> None:
    told = compiler.write_zig_tools(tmp_path, python="C:/Program Files/python.exe", platform="win32")
    assert Path(told["CMAKE_AR"]).suffix == ".cmd"
    expected = '@"C:/Program Files/python.exe" -m ziglang ar %*\n'
    assert Path(told["CMAKE_AR"]).read_text(encoding="utf-8") == expected


def test_the_version_is_the_one_in_pyproject(pyproject: dict) -> None:
    assert carob.__version__ == pyproject["project"]["version"], "Install carob again: its version changed."


@posix_only
def test_make_asks_for_a_compiler_only_where_there_is_none(machine: Machine) -> None:
    def asked(word: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, compiler.__file__, word]
        return subprocess.run(command, env=machine.environ, capture_output=True, text=True, check=False)

    assert "zig.txt" in asked("requirements").stdout
    assert asked("present").returncode == 1
    machine.install("c++", status=0)
    assert "tools.txt" in asked("requirements").stdout
    assert "zig.txt" not in asked("requirements").stdout
    assert asked("present").returncode == 0


def test_tools_that_compile_or_publish_are_held_to_their_hashes() -> None:
    """pip checks hashes only where every line has one."""
    lists = [*(CHECKOUT / "build_backend").glob("*.in"), *(CHECKOUT / ".github" / "tools").glob("*.in")]
    if not (CHECKOUT / ".github").is_dir():
        pytest.skip("the source archive holds nothing of the repository's own machinery")
    assert len(lists) == 5
    for source in lists:
        locked = source.with_suffix(".txt").read_text(encoding="utf-8")
        for wanted in source.read_text(encoding="utf-8").split():
            name = re.match(r"[\w-]+", wanted)[0]
            assert re.search(rf"^{name}==\S+ .*\n    --hash=sha256:", locked, re.MULTILINE), name


def test_actions_are_pinned_by_commit() -> None:
    """A tag can be moved to other code; a commit cannot."""
    workflows = list((CHECKOUT / ".github" / "workflows").glob("*.yml"))
    if not workflows:
        pytest.skip("the source archive holds nothing of the repository's own machinery")
    used = [
        each
        for path in workflows
        for each in re.findall(r"uses: (\S+)(.*)", path.read_text(encoding="utf-8"))
    ]
    assert used
    for action, comment in used:
        assert re.search(r"@[0-9a-f]{40}$", action), action
        assert re.match(r" # v\d", comment), f"{action} does not say which version that is"


def test_what_the_build_asks_pip_for_is_what_make_takes(pyproject: dict) -> None:
    """`pip install .` and `make` must not compile with tools of different versions."""
    tools = (CHECKOUT / "build_backend" / "tools.in").read_text(encoding="utf-8").split()
    wanted = {each.partition(";")[0] for each in pyproject["build-system"]["requires"]}
    assert wanted <= set(tools)
    # So that an older Python comes as far as the backend, which says what it needs.
    assert all("; python_version >= '3.10'" in each for each in pyproject["build-system"]["requires"])
    assert (CHECKOUT / "build_backend" / "zig.in").read_text(encoding="utf-8").strip() == compiler.ZIG_PACKAGE


@pytest.mark.skipif(sys.implementation.name != "cpython", reason="the stable ABI is CPython's")
def test_the_kernel_uses_the_stable_abi_where_its_wheel_says_so() -> None:
    """A wheel tagged abi3 with a kernel for one version would install on the next one, and fail to import."""
    stable = sys.version_info >= (3, 12) and not sysconfig.get_config_var("Py_GIL_DISABLED")
    own_version = sysconfig.get_config_var("EXT_SUFFIX")
    name = Path(carob._native.__file__).name
    if stable:
        assert name in ("_native.abi3.so", "_native.pyd")
    else:
        assert name == f"_native{own_version}"


def test_starting_does_not_ask_for_the_metadata() -> None:
    """importlib.metadata takes longer to import than carob's own modules take together."""
    code = "import sys; before = set(sys.modules); import carob._version; print(*set(sys.modules) - before)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "carob._version" in loaded.split()
    assert "importlib.metadata" not in loaded.split()


def test_every_dependency_has_its_line(pyproject: dict) -> None:
    """docs/dependencies.md says what each is for; a dependency without a line has no reason to be here."""
    table = (CHECKOUT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    project = pyproject["project"]
    declared = [*pyproject["build-system"]["requires"], *project["dependencies"], compiler.ZIG_PACKAGE]
    declared += [each for extra in project["optional-dependencies"].values() for each in extra]
    names = {re.match(r"[\w.-]+", each)[0] for each in declared} - {"carob"}
    assert names
    for name in sorted(names):
        assert f"| {name} |" in table, name


def test_all_reads_every_format_that_the_page_of_files_names(pyproject: dict) -> None:
    """``pip install carob[all]`` brings a library for each kind of file; what needs none is read by carob itself."""
    from carob.inputs import ENDINGS, PACKED
    from carob.inputs.files.libraries import READS

    extras = pyproject["project"]["optional-dependencies"]
    named = re.fullmatch(r"carob\[(.*)\]", extras["all"][0])
    assert named
    brought = {re.match(r"[\w.-]+", each)[0] for extra in named[1].split(",") for each in extras[extra]}
    for kind, libraries in READS.items():
        assert brought & {library.name for library in libraries}, kind
    assert "h5py" in brought
    page = (CHECKOUT / "docs" / "files.md").read_text(encoding="utf-8")
    table = page.partition("## File formats")[2].partition("carob finds columns")[0]
    endings = set(re.findall(r"`(\.[a-z0-9]+)`", table))
    assert endings
    assert endings <= {*ENDINGS, *PACKED}
    assert {*ENDINGS} - endings == {".pq", ".ipc", ".fvecs", ".bvecs"} - endings


def test_the_tools_follow_the_oldest_python(pyproject: dict) -> None:
    """The linter and the classifiers follow requires-python; mypy takes its own Python's, as NumPy's stubs need."""
    oldest = pyproject["project"]["requires-python"].removeprefix(">=")
    assert pyproject["tool"]["ruff"]["target-version"] == "py" + oldest.replace(".", "")
    assert "python_version" not in pyproject["tool"]["mypy"]
    listed = [each for each in pyproject["project"]["classifiers"] if re.search(r":: 3\.\d+$", each)]
    assert listed[0].endswith(oldest)


def test_an_older_python_is_told_the_version_that_it_needs() -> None:
    """Before the backend's own imports, which Python 3.9 cannot do."""
    backend = CHECKOUT / "build_backend" / "carob_build.py"
    program = f"import runpy, sys; sys.version_info = (3, 9, 18); runpy.run_path({str(backend)!r})"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ran.stderr == "carob needs Python 3.10 or newer, and this is Python 3.9.\n"
    assert ran.returncode == 1


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """A wheel of the checkout, built without compiling the kernel."""
    pytest.importorskip("scikit_build_core", reason="builds the wheel")
    pytest.importorskip("pip", reason="builds the wheel")
    folder = tmp_path_factory.mktemp("wheel")
    build = ["-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    settings = [f"--config-settings=wheel.{each}" for each in ("cmake=false", "py-api=py3")]
    line = [sys.executable, *build, *settings, "--wheel-dir", str(folder), str(CHECKOUT)]
    built = subprocess.run(line, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    (path,) = folder.glob("*.whl")
    return zipfile.ZipFile(path)


def licences(wheel: zipfile.ZipFile) -> dict[str, str]:
    """The texts of licences that a wheel carries, by name."""
    pattern = re.compile(r"carob-[^/]*\.dist-info/licenses/(.*)")
    return {
        found[1]: wheel.read(name).decode() for name in wheel.namelist() if (found := pattern.fullmatch(name))
    }


@pytest.mark.long
def test_a_wheel_holds_the_terms_of_all_that_is_compiled_or_bundled_in_it(wheel: zipfile.ZipFile) -> None:
    found = licences(wheel)
    others = {f"licenses/{name}.txt" for name in ("llvm", "nanobind", "robin_map", "vega")}
    assert {*found} == {"LICENSE", "NOTICE"} | others
    assert "Apache License" in found["LICENSE"]
    assert found["NOTICE"].startswith("carob\nCopyright 2026 The carob developers\n")
    for name in others:
        assert f"({name})" in found["NOTICE"], name
    nanobind = pytest.importorskip("nanobind", reason="its own text is at hand then")
    own = Path(nanobind.__file__).parent / "ext" / "robin_map" / "include" / "tsl" / "robin_map.h"
    assert re.search(r"Copyright \(c\) .*", own.read_text())[0] in found["licenses/robin_map.txt"]
    (installed,) = (each for each in importlib.metadata.files("nanobind") or [] if each.name == "LICENSE")
    assert installed.read_text() == found["licenses/nanobind.txt"]


def is_text(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def statements(code: bytes) -> str:
    """All that runs, with the numbers of its lines."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef):
            node.body = [each for each in node.body if not is_text(each)]
    return ast.dump(tree, include_attributes=True)


@pytest.mark.long
def test_a_wheel_for_a_release_is_smaller_and_has_the_same_files(
    wheel: zipfile.ZipFile, tmp_path: Path
) -> None:
    pytest.importorskip("zopfli", reason="compresses the wheels of a release")
    kept = ("/lists/", "/_native.pyi", "/RECORD")
    files = {name: wheel.read(name) for name in wheel.namelist() if any(part in name for part in kept)}
    path = tmp_path / "some.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            made.writestr(name, content)
    before = path.stat().st_size
    smaller = runpy.run_path(str(CHECKOUT / "build_backend" / "smaller.py"))
    smaller["make_smaller"](path)
    assert path.stat().st_size < 0.98 * before
    with zipfile.ZipFile(path) as made:
        found = {name: made.read(name) for name in made.namelist()}
    assert [*found] == [*files]
    assert [*tmp_path.iterdir()] == [path]
    (record,) = (name for name in files if name.endswith("/RECORD"))
    code = {name for name in files if name.endswith(".py")}
    assert {name for name in files if found[name] != files[name]} - code == {"carob/_native.pyi", record}
    for name in code:  # with the numbers of lines, as in tracebacks
        assert statements(found[name]) == statements(files[name]), name
        assert not any(map(is_text, ast.parse(found[name]).body[1:])), name
    lines = dict(line.split(",", 1) for line in found[record].decode().splitlines())
    for name in {*files} - {record}:
        assert lines[name] == f"sha256={smaller['digest'](found[name])},{len(found[name])}"
    before_tree, after_tree = (ast.parse(each["carob/_native.pyi"]) for each in (files, found))
    names = [
        [getattr(node, "name", None) for node in tree.body if hasattr(node, "name")]
        for tree in (before_tree, after_tree)
    ]
    assert names[0] == names[1]
    assert '"""' not in found["carob/_native.pyi"].decode()


@pytest.mark.thorough
def test_the_terms_of_the_drawing_library_name_each_part_of_it(wheel: zipfile.ZipFile) -> None:
    vega, text = (
        runpy.run_path(str(CHECKOUT / "build_backend" / "vega.py")),
        licences(wheel)["licenses/vega.txt"],
    )
    for names, owner in vega["LIBRARIES"].items():
        holder, _, terms = owner.rpartition(", ")
        section = re.split(r"\n(?=[\w -]+\n-+\n)", text)
        (its,) = [each for each in section if each.startswith(terms.replace("BSD-3", "BSD 3"))]
        assert names in its, names
        assert holder.split(" and ")[0] in its, holder


@pytest.mark.thorough
def test_the_metadata_of_a_wheel_are_whole(wheel: zipfile.ZipFile) -> None:
    (name,) = (each for each in wheel.namelist() if each.endswith(".dist-info/METADATA"))
    found = email.message_from_string(wheel.read(name).decode())
    assert found["License-Expression"] == "Apache-2.0 AND BSD-3-Clause AND ISC AND MIT"
    assert len(found.get_all("License-File")) == 6
    assert found["Description-Content-Type"] == "text/markdown"
    assert found["Summary"]
    assert not any(
        "License ::" in each for each in found.get_all("Classifier")
    )  # an expression excludes them


def test_once_the_address_is_settled_all_others_follow_it(pyproject: dict) -> None:
    urls = pyproject["project"].get("urls", {})
    if not urls:
        pytest.skip("the repository's address is not settled")
    assert {"Repository", "Documentation", "Issues", "Changelog"} <= {*urls}
    assert all(each.startswith(urls["Repository"]) for each in urls.values())
