"""Options are the same in every command, and where a command lacks one there is a reason."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import click
import pytest

from carob.cli import COMMANDS, commands
from carob.output.formats import format_names
from toys import QRELS, RUN, command

READING = (
    *("check", "eval", "compare", "report", "explain", "difference", "agreement", "plan", "next", "best"),
    *("correlate", "gate", "verify"),
)

RECORDED = "the record says it"
NO_NUMBERS = "a check says what each choice would change"
GAPS: dict[str, dict[str, str]] = {
    "profile": {"check": NO_NUMBERS, "verify": RECORDED},
    "import": {},
    "qrels-columns": {},
    "run-columns": {},
    "folders": {},
    "exclude": {"check": "it looks at a run as its file has it"},
    "lenient": {"check": NO_NUMBERS, "verify": RECORDED},
    "depth": {"check": NO_NUMBERS, "verify": RECORDED},
    "ties": {"check": NO_NUMBERS, "verify": RECORDED},
    "missing": {"check": NO_NUMBERS, "verify": RECORDED},
    "format": {"report": "the page is HTML"},
    "measure": {
        "explain": "one measure, an argument",
        "difference": "one measure, an argument",
        "verify": RECORDED,
    },
    "baseline": dict.fromkeys(
        ("check", "eval", "explain", "difference", "agreement", "correlate", "next", "verify"),
        "it compares no runs",
    ),
    "alpha": dict.fromkeys(("check", "eval", "explain", "difference", "next", "verify"), "it makes no test"),
    "weights": {
        **dict.fromkeys(("check", "explain", "difference"), "it shows queries, not their mean"),
        **dict.fromkeys(
            ("report", "agreement", "correlate", "gate", "plan", "next", "best"),
            "not yet: its numbers take every query alike",
        ),
        "verify": RECORDED,
    },
    "record": {
        **dict.fromkeys(("check", "report", "explain", "difference", "agreement", "gate"), "not yet"),
        **dict.fromkeys(("plan", "next", "best", "correlate"), "not yet: a record stores scores"),
        "verify": "it reads one",
    },
    "lang": dict.fromkeys(
        (
            "check",
            "compare",
            "report",
            "difference",
            "agreement",
            "gate",
            "verify",
            "plan",
            "next",
            "best",
            "correlate",
        ),
        "no Chinese yet",
    ),
}
FORMATS = ("text", "json", *format_names())


def options_of(name: str) -> dict[str, click.Option]:
    """The options of a command by their long names, without dashes."""
    command = commands.get_command(click.Context(commands), name)  # type: ignore[attr-defined]
    return {
        each.opts[-1].removeprefix("--"): each for each in command.params if isinstance(each, click.Option)
    }


@pytest.mark.parametrize("option", GAPS)
def test_every_command_has_an_option_or_a_reason(option: str) -> None:
    lacking = {name for name in READING if option not in options_of(name)}
    assert lacking == set(GAPS[option])


def test_options_of_one_name_are_the_same_everywhere() -> None:
    kinds: dict[str, dict[str, str]] = {}
    for name in READING:
        for option, each in options_of(name).items():
            said = kinds.setdefault(option, {})
            said[f"{each.type.name} {each.multiple} {each.is_flag}"] = name
    # A gate's baseline may be a record; --names and others exist once. "check --pool" checks a pool, and the others'
    # --pool chooses one. "explain" explains one list of grades, and the others take several.
    assert {option for option, said in kinds.items() if len(said) > 1} == {"pool", "grades", "judged"}


def test_every_result_has_every_format() -> None:
    lacking = {
        (name, each)
        for name in READING
        if "format" in options_of(name)
        for each in FORMATS
        if each not in options_of(name)["format"].type.choices  # type: ignore[attr-defined]
    }
    assert lacking == set()


def test_help_fits_into_80_columns_and_every_option_is_explained() -> None:
    for name in COMMANDS:
        command = commands.get_command(click.Context(commands), name)  # type: ignore[attr-defined]
        text = command.get_help(click.Context(command, info_name=f"carob {name}", terminal_width=80))
        assert max(map(len, text.splitlines())) <= 80, name
        for each in command.params:
            if isinstance(each, click.Option) and not each.hidden:
                assert each.help, (name, each.name)
                assert each.help[0] != " "
                assert not each.help.endswith("."), (name, each.name)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_no_number_is_one_for_python_alone(name: str) -> None:
    """Python also reads ``1_0`` and the digits of other scripts."""
    for each in commands.get_command(click.Context(commands), name).params:
        if isinstance(each.type, (click.types.IntParamType, click.types.FloatParamType)):
            for text in ("0_1", "\u0660", "0.0_1"):
                with pytest.raises(click.BadParameter, match="is not a number"):
                    each.type.convert(text, each, None)


def on_input(path: Path, *arguments: str, piped: bool = False) -> subprocess.CompletedProcess[str]:
    """Runs a command with a file as its standard input, or with the file's content in a pipe."""
    words = [sys.executable, "-m", "carob", *arguments]
    if piped:
        return subprocess.run(words, input=path.read_text(), capture_output=True, text=True)
    with path.open() as file:
        return subprocess.run(words, stdin=file, capture_output=True, text=True)


@pytest.mark.long
@pytest.mark.skipif(not Path("/dev/stdin").exists(), reason="the system has no path of standard input")
def test_a_dash_reads_whatever_dev_stdin_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [{"query": "q1", "document": each, "score": -place} for place, each in enumerate("ba")]
    Path("qrels").write_text(QRELS)
    Path("run.run").write_text(RUN)
    Path("golden.json").write_text('{"q1": {"a": 1}, "q2": {"c": 1}}')
    Path("rows.json").write_text(json.dumps(rows))
    Path("table.tsv").write_text("query\tdocument\tscore\nq1\tb\t2\nq1\ta\t1\n")
    Path("scores.csv").write_text("query,run,RR\nq1,mine,0.5\nq2,mine,1\n")
    assert command("eval", "qrels", "run.run", "-m", "RR", "--record", "record.json") == 0
    for name, words in {
        "rows.json": ["eval", "qrels", "x=-", "-m", "RR"],
        "table.tsv": ["eval", "qrels", "x=-", "-m", "RR"],
        "golden.json": ["eval", "-", "run.run", "-m", "RR"],
        "scores.csv": ["gate", "record.json", "--baseline", "-", "--max-drop", "RR=0.1"],
        "record.json": ["verify", "-"],
        "run.run": ["eval", "qrels", "x=-", "-m", "RR"],
    }.items():
        ours = on_input(Path(name), *words)
        theirs = on_input(
            Path(name), *(each[:-1] + "/dev/stdin" if each[-1:] == "-" else each for each in words)
        )
        assert (ours.returncode, ours.stdout, ours.stderr) == (0, theirs.stdout, ""), name
    assert on_input(Path("record.json"), "verify", "-", piped=True).returncode == 0
    twice = on_input(Path("rows.json"), "compare", "qrels", "a=-", "b=-")
    assert (twice.returncode, "can be read only once" in twice.stderr) == (2, True)
    recorded = on_input(Path("rows.json"), "eval", "qrels", "-", "--record", "again.json")
    assert (recorded.returncode, Path("again.json").exists()) == (2, False)
    named = on_input(Path("run.run"), "run", "-", "--tag", "-", "-o", "tagged.run")
    assert (named.returncode, Path("tagged.run").read_text().split()[5]) == (0, "-")
