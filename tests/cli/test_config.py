"""A project's ``carob.toml``: which options it sets, what is said about them, and what it cannot do."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

import carob
from carob.cli.config import GATE, KEYS, SECTIONS
from carob.cli.options import nearest
from carob.conventions.policy import CHOICES
from carob.output.formats import format_names
from toys import BETTER, QRELS, RUN, command

TIED = RUN.replace("2.0", "1.0")


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a folder, in which the commands run."""
    (tmp_path / "below").mkdir()
    for name, text in (("qrels", QRELS), ("tied.run", TIED), ("old.run", BETTER)):
        (tmp_path / name).write_text(text)
        (tmp_path / "below" / name).write_text(text)
    monkeypatch.chdir(tmp_path / "below")
    return tmp_path


GRADES = ("--grade-words", "Good=1,Bad=0")


def configured(text: str) -> None:
    """Write the file above the working directory."""
    Path("..", "carob.toml").write_text(text, encoding="utf-8")


def printed(capfd: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> tuple[str, str]:
    """What a command writes to standard output and standard error."""
    capfd.readouterr()
    assert command(*arguments) == status, capfd.readouterr()
    return capfd.readouterr()


def test_measures_and_policy_are_defaults_and_said_below_the_table(capfd: pytest.CaptureFixture[str]) -> None:
    configured('measures = ["RR", "P@1"]\n[policy]\nties = "input"\n')
    out, error = printed(capfd, "eval", "qrels", "tied.run")
    assert out.splitlines() == [
        "run       RR     P@1",
        "tied  0.7500  0.5000",
        "2 queries · ties touch 1 query (RR 0.7500–1.0000) · policy ties input",
        f"from {Path('..', 'carob.toml')}: measure RR P@1 · ties input",
    ]
    assert error == ""


def test_an_argument_wins_and_is_not_said(capfd: pytest.CaptureFixture[str]) -> None:
    configured('measures = ["RR"]\n[policy]\nties = "input"\n')
    out, _ = printed(capfd, "eval", "qrels", "tied.run", "-m", "P@1", "--ties", "trec")
    assert "P@1" in out.splitlines()[0]
    assert "carob.toml" not in out


def test_no_config_leaves_the_file_alone(capfd: pytest.CaptureFixture[str]) -> None:
    without = printed(capfd, "eval", "qrels", "tied.run")
    configured("this is no TOML")
    assert printed(capfd, "eval", "qrels", "tied.run", "--no-config") == without
    _, error = printed(capfd, "eval", "qrels", "tied.run", status=2)
    assert "this is not a TOML file" in error
    assert "pass --no-config" in error


@pytest.mark.parametrize("layout", ["csv", "tsv", "json", *format_names(), "text"])
def test_every_format_says_it_somewhere(layout: str, capfd: pytest.CaptureFixture[str]) -> None:
    configured('[policy]\nties = "input"\n')
    out, error = printed(capfd, "eval", "qrels", "tied.run", "-m", "RR", "--format", layout)
    assert "carob.toml" in (error if layout in ("csv", "tsv", "latex", "json", "html") else out)
    if layout == "json":
        assert json.loads(out)["policy"]["ties"] == "input"
        assert [json.loads(line)["kind"] for line in error.splitlines()] == ["Note"]


def test_an_error_says_it_too(capfd: pytest.CaptureFixture[str]) -> None:
    configured('measures = ["nGCD@10"]\n')
    _, error = printed(capfd, "eval", "qrels", "tied.run", status=2)
    assert error.startswith(f"carob: note: from {Path('..', 'carob.toml')}: measure nGCD@10\ncarob: ")


def test_columns_are_those_of_tables(capfd: pytest.CaptureFixture[str]) -> None:
    configured('[columns.run]\nquery = "no"\ndocument = "page"\nscore = "points"\n')
    Path("odd.csv").write_text("no,page,points\nq1,a,1\nq1,b,2\nq2,c,1\n")
    out, _ = printed(capfd, "eval", "qrels", "odd.csv", "-m", "RR")
    assert out.splitlines()[1:] == [
        "odd  0.7500",
        "2 queries · policy trec",
        f"from {Path('..', 'carob.toml')}: run-columns query=no,document=page,score=points",
    ]


def test_columns_may_be_those_of_one_run(capfd: pytest.CaptureFixture[str]) -> None:
    configured('[columns.run]\nquery = "no"\n[columns.run.b]\nquery = "question"\n')
    Path("a.csv").write_text("no,document,score\nq1,a,1\nq1,b,2\nq2,c,1\n")
    Path("b.csv").write_text("question,document,score\nq1,a,2\nq1,b,1\nq2,c,1\n")
    out, _ = printed(capfd, "eval", "qrels", "a.csv", "b.csv", "-m", "RR")
    assert out.splitlines()[1:3] == ["a    0.7500", "b    1.0000"]
    assert "run-columns query=no b:query=question" in out
    for call in (
        ("eval", "qrels", "a.csv"),
        ("run", "a.csv", "-o", "a.run"),
        ("fuse", "a.csv", "c=a.csv", "-o", "f.run"),
    ):
        printed(capfd, *call)  # without the run b
    assert "not one of the runs" not in "".join(printed(capfd, "check", "qrels", "a.csv", status=1))
    _, error = printed(capfd, "eval", "qrels", "a.csv", "--run-columns", "b:query=question", status=2)
    assert "not one of the runs" in error


def test_a_gate_takes_baseline_and_limits_from_it(capfd: pytest.CaptureFixture[str]) -> None:
    configured(
        '[gate]\nbaseline = "old.run"\nmax-drop = {RR = 0.1}\nmin = {"P@1" = 0.2}\ndecide-by = "mean"\nalpha = 0.1\n'
    )
    out, _ = printed(capfd, "gate", "qrels", "tied.run", status=1)
    assert out.startswith("gate FAILED: tied against old, 1 of 2 checks failed; decided by mean\n")
    assert "alpha 0.1" in out
    assert "max-drop RR=0.1 · min P@1=0.2" in out.replace("\n  ", " ")
    assert "decide-by mean" in out.replace("\n  ", " ")


def test_compare_takes_no_baseline_from_it(capfd: pytest.CaptureFixture[str]) -> None:
    configured('[gate]\nbaseline = "old.run"\n')
    out, error = printed(capfd, "compare", "qrels", "tied.run", "old.run", "-m", "RR")
    assert "carob.toml" not in out + error


def test_commands_that_recompute_or_name_their_own_conventions_do_not_read_it(
    capfd: pytest.CaptureFixture[str],
) -> None:
    printed(capfd, "eval", "qrels", "tied.run", "-m", "RR", "--record", "record.json")
    configured('measures = ["P@1"]\nprofile = "sklearn"\n[policy]\nties = "input"\ndepth = 1\n')
    lines = {
        "verify": ["verify", "record.json"],
        "difference": ["difference", "trec_eval-9", "sklearn", "AP", "qrels", "tied.run"],
        "whence": ["whence", "0.75", "qrels", "tied.run", "-m", "RR"],
        "trec-eval": ["trec-eval", "-m", "map", "qrels", "tied.run"],
    }
    for name, line in lines.items():
        escape = ["--no-config"] if name in ("difference", "whence") else []
        assert printed(capfd, *line) == printed(capfd, *line, *escape)


def test_python_does_not_read_it() -> None:
    configured('measures = ["P@1"]\n[policy]\nties = "input"\n')
    scores = carob.evaluate("qrels", "tied.run")
    assert scores.policy.ties == "trec"
    assert scores.labels != ("P@1",)


FAULTS = {
    'mesures = ["RR"]': "unknown setting 'mesures'. Did you mean measures?",
    'out = "x"': "unknown setting 'out'. The settings are: measures, profile, policy, columns, gate.",
    '[policy]\ntie = "input"': "[policy] unknown setting 'tie'. Did you mean ties or ",
    '[policy]\nties = "none"': "'ties' must be one of trec, ",
    "[policy]\nties = 1": "'ties' must be one of trec, ",
    "[policy]\ndepth = -1": "'depth' must be a whole number",
    "[policy]\ndepth = true": "'depth' must be a whole number",
    'measures = "RR"': "'measures' must be a list of names",
    'profile = "own.toml"': "'profile' must be one of ",
    "policy = 1": "'policy' must be a table",
    '[columns]\nrun = "query=x"': "'columns.run' must be a table of column names",
    '[columns.run]\nquery = "x,document=y"': "'columns.run' must be a table of column names without commas",
    '[columns.run]\nfile = "x"': "--run-columns: 'file=x' does not specify a column",
    '[gate]\njunit = "out.xml"': "[gate] unknown setting 'junit'.",
    "[gate]\nmax-drop = 0.1": "'max-drop' must be a table of measures and numbers",
    '[gate]\nmin = {RR = "0.1"}': "'min' must be a table of measures and numbers",
    '[gate]\ndecide-by = "luck"': "'decide-by' must be one of mean, significance, non-inferiority",
    "[gate]\nalpha = 5": "'alpha' must be a number between 0 and 1",
    '[gate]\nbaseline = "/etc/passwd"': "'baseline' must be the path of a file in the folder that contains carob.toml",
    '[gate]\nbaseline = "../old.run"': "'baseline' must be the path of a file in the folder that contains carob.toml",
    "[gate]\nbaseline = 1": "'baseline' must be the path of a file in the folder that contains carob.toml",
    '[gate]\nbaseline = "below"': "'baseline' must be a file, not a folder or pipe",
}
"""Files that are refused, and the sentence."""


@pytest.mark.parametrize("text", FAULTS)
def test_what_is_wrong_is_named_with_the_file(text: str, capfd: pytest.CaptureFixture[str]) -> None:
    configured(text)
    _, error = printed(capfd, "gate", "qrels", "tied.run", "--min", "RR=0.1", status=2)
    assert FAULTS[text] in error
    assert str(Path("..", "carob.toml")) in error or "carob.toml" in error


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other pipes and links")
def test_a_file_of_a_repository_opens_no_pipe_and_leads_nowhere_else(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(project / "pipe")
    (project / "link").symlink_to(project.parent / "elsewhere")
    for name in ("pipe", "link"):
        configured(f'[gate]\nbaseline = "{name}"\nmax-drop = {{RR = 0.1}}\n')
        _, error = printed(capfd, "gate", "qrels", "tied.run", status=2)
        assert "'baseline' must be" in error
    (project / "carob.toml").unlink()
    os.mkfifo(project / "carob.toml")  # which would be waited for
    assert printed(capfd, "eval", "qrels", "tied.run", "-m", "RR")[0]


def test_no_setting_names_an_output_or_code() -> None:
    """The options that write, import or read other files are not among the settings."""
    settings = {*KEYS, *(each for its in SECTIONS.values() for each in its)}
    writing = {
        "output",
        "record",
        "junit",
        "figure",
        "save-weights",
        "ledger",
        "offline",
        "prompts",
        "import",
        "exclude",
    }
    assert settings.isdisjoint(writing)
    assert {*SECTIONS["policy"]} == {*CHOICES, "depth"} - {"malformed"}
    assert GATE == ("baseline", "max-drop", "min", "decide-by", "alpha")


def test_the_nearest_file_counts_and_a_repository_ends_the_search(project: Path) -> None:
    deep = project / "below" / "deeper"
    deep.mkdir()
    (project / "carob.toml").write_text("")
    assert nearest(str(deep)) == str(project / "carob.toml")
    (project / "below" / "carob.toml").write_text("")
    assert nearest(str(deep)) == str(project / "below" / "carob.toml")
    (deep / ".git").mkdir()
    assert nearest(str(deep)) is None
    (deep / "carob.toml").write_text("")
    assert nearest(str(deep)) == str(deep / "carob.toml")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps the working directory of a process")
def test_a_working_directory_that_is_gone_has_no_file(
    project: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = project / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    out, error = printed(capfd, "eval", str(project / "qrels"), str(project / "tied.run"), "-m", "RR")
    monkeypatch.chdir(project)
    assert "0.7500" in out
    assert error == ""


def test_an_empty_list_of_measures_sets_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    configured("measures = []\n")
    out, error = printed(capfd, "eval", "qrels", "tied.run")
    assert "carob.toml" not in out + error


def test_without_a_file_nothing_of_it_is_imported() -> None:
    import subprocess

    code = (
        "import sys; sys.argv = ['carob', 'eval', 'qrels', 'tied.run', '-m', 'RR']\n"
        "from carob.cli import main\nmain()\nassert 'carob.cli.config' not in sys.modules\n"
    )
    ran: Any = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize(
    "columns",
    [
        '[columns.run]\nquery = "no"\ndocument = "page"\nscore = "points"\n[columns.qrels]\nquery = "no"\n',
        '[columns.run]\nquery = "no"\ndocument = "page"\ndistance = "points"\n',
    ],
)
def test_columns_of_all_runs_leave_files_alone_that_have_none_of_them(
    columns: str, capfd: pytest.CaptureFixture[str]
) -> None:
    configured(columns)
    Path("usual.csv").write_text("query,document,score\nq1,a,1\nq1,b,2\nq2,c,1\n")
    Path("nested.json").write_text('{"q1": {"a": 1, "b": 2}, "q2": {"c": 1}}')
    Path("values.csv").write_text("query,run,RR\nq1,mine,1\nq2,mine,0.5\n")
    commands = [
        ("check", "qrels", "old.run", "usual.csv"),
        ("gate", "qrels", "old.run", "--baseline", "tied.run"),
    ]
    commands += [("eval", "qrels", run, "-m", "RR") for run in ("old.run", "usual.csv", "nested.json")]
    for each in [*commands, ("eval", "values.csv")]:
        status = command(*each, "--no-config")
        without, named = (printed(capfd, *each, *more, status=status)[0] for more in (["--no-config"], []))
        assert named.startswith(without), each


TREC: dict[str, list[tuple[str, ...]]] = {
    "run": [("eval", "qrels", "-"), ("check", "qrels", "-"), ("eval", "qrels", "old.*")],
    "qrels": [("eval", "-", "old.run"), ("check", "-", "old.run"), ("eval", "words", "old.run", *GRADES)],
}
"""Commands that read TREC text, some from standard input, as a run or as qrels."""


@pytest.mark.parametrize("kind", TREC)
def test_the_query_of_all_rows_leaves_trec_text_alone(
    kind: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    configured(f'[columns.{kind}]\nquery = ":=q1"\n')
    Path("words").write_text("q1 0 a Good\nq1 0 b Bad\nq2 0 c Good\n")
    for each in [*TREC[kind], ("eval", "qrels", "old.run"), ("check", "qrels", "old.run")]:
        said = []
        for more in (["--no-config"], []):
            with Path("old.run" if kind == "run" else "qrels").open(encoding="utf-8") as piped:
                monkeypatch.setattr("sys.stdin", piped)
                said.append(printed(capfd, *each, *more, status=each[0] == "check")[0])
        assert said[1].startswith(said[0]), each
        assert said[0], each
    _, error = printed(capfd, "eval", "qrels", "old.run", f"--{kind}-columns", "document=x", status=2)
    assert "Leave the column names out" in error


def test_the_query_of_all_rows_is_that_of_a_table(capfd: pytest.CaptureFixture[str]) -> None:
    configured('[columns.run]\nquery = ":=q1"\n[columns.qrels]\nquery = ":=q1"\n')
    Path("one.csv").write_text("id,label,score\na,1,1\nb,0,2\n")
    out, _ = printed(capfd, "eval", "one.csv", "one.csv", "-m", "RR")
    assert out.splitlines()[1:3] == ["one  0.5000", "1 query · policy trec"]


def test_columns_of_all_runs_are_refused_where_only_some_are_there(capfd: pytest.CaptureFixture[str]) -> None:
    configured('[columns.run]\nquery = "no"\nscore = "points"\n')
    Path("other.csv").write_text("no,document,score\nq1,a,1\nq1,b,2\nq2,c,1\n")
    assert "no column 'points' for the score" in printed(capfd, "eval", "qrels", "other.csv", status=2)[1]
    _, error = printed(capfd, "eval", "qrels", "old.run", "--run-columns", "query=no", status=2)
    assert "no line names the columns" in error  # of this run, the caller says that it has columns
