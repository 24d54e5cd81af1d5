"""Help, lists and unknown commands; the Tab key completes what can be typed, and costs a plain start nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import carob
from carob.cli import COMMANDS, Commands, commands
from carob.cli.help import kind_of, listed, unknown_command
from cli.printed import run
from strategies import first


def completed(*words: str) -> list[str]:
    """What bash is told, kind and text, for the last of these words."""
    environment = {**os.environ, "_CAROB_COMPLETE": "bash_complete"}
    environment |= {"COMP_WORDS": " ".join(["carob", *words]), "COMP_CWORD": str(len(words))}
    done = subprocess.run(
        [sys.executable, "-c", "from carob.cli import main; main([])"],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    ("words", "some"),
    first(
        [
            (["com"], ["plain,compare"]),
            (["eval", "examples/"], ["file,examples/"]),
            (["eval", "-m", "ndc"], ["plain,nDCG", "plain,nDCGrel"]),
            (["eval", "-m", "nDCG@2"], ["plain,nDCG@20"]),
            (["eval", "--profile", "ran"], ["plain,ranx"]),
            (["eval", "--profile", "ranx", "-m", "hit"], ["plain,hits", "plain,hit_rate"]),
            (["eval", "--run-columns", "query=a,sc"], ["plain,query=a,score="]),
            (["eval", "--qrels-columns", "sub"], ["plain,subtopic="]),
            (["eval", "--weights", "w"], ["file,w"]),
            (["compare", "--test", "t"], ["plain,t", "plain,tukey"]),
            (["report", "q", "r", "-o", "x"], ["file,x"]),
            (["explain", "ER"], ["plain,ERR", "plain,ERRIA"]),
            (["difference", "sk"], ["plain,sklearn"]),
            (["measures", "nDCGr"], ["plain,nDCGrel"]),
            (["profiles", "lens"], ["plain,lenskit"]),
            (["help", "ev"], ["plain,eval"]),
            (["trec-eval", "q"], ["file,q"]),
        ],
        6,
    ),
)
def test_the_tab_key_completes(words: list[str], some: list[str]) -> None:
    assert completed(*words) == some


def test_every_argument_of_every_command_completes() -> None:
    group = commands.make_context("carob", [], resilient_parsing=True)
    assert isinstance(commands, Commands)
    for name in COMMANDS:
        command = commands.get_command(group, name)
        assert command is not None
        for parameter in command.params:
            if parameter.param_type_name == "argument":
                assert kind_of(command, parameter) is not None, (name, parameter.name)


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes_measures_and_files(tmp_path: Path) -> None:
    (tmp_path / "judgments.txt").write_text("")
    (tmp_path / "carob").write_text(
        f"#!{sys.executable}\nimport sys\nfrom carob.cli import main\nmain(sys.argv[1:])\n"
    )
    (tmp_path / "carob").chmod(0o755)
    script = """
source <(_CAROB_COMPLETE=bash_source carob)
COMP_WORDS=(carob eval -m nDCGr) COMP_CWORD=3
compopt() { echo "compopt $*"; }
_carob_completion carob nDCGr -m
echo "${COMPREPLY[@]}"
COMP_WORDS=(carob eval judg) COMP_CWORD=2 COMPREPLY=()
_carob_completion carob judg eval
echo "${COMPREPLY[@]}"
"""
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    environment["PYTHONPATH"] = str(Path(carob.__file__).parents[1])
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, cwd=tmp_path, env=environment, check=False
    )
    assert done.stdout.split() == ["nDCGrel", "compopt", "-o", "default"], done.stderr


def test_a_plain_start_imports_no_completion() -> None:
    code = """
import sys
from carob.cli import main
try:
    main(["eval", "--help"])
finally:
    print("carob.cli.help" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "Usage:" in done.stdout
    assert done.stdout.splitlines()[-1] == "False"


def test_help_is_a_command_too() -> None:
    code = "from carob.cli import main\nmain(['help', 'eval'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Usage: carob eval [OPTIONS] QRELS")


def test_measures_and_profiles_are_listed(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert "Bpref" in run(capfd, "measures")
    assert "trec_eval: map" in run(capfd, "measures", "AP")
    assert "note-004" in run(capfd, "profiles")


def test_an_unknown_command_is_told_what_was_meant(folder: Path) -> None:
    assert (folder / "one.run").exists()
    every = "'carob help' lists all commands."
    for name, said in {
        "Kappa": f"There is no command 'Kappa'. Did you mean agreement? {every}",
        "gat": f"There is no command 'gat'. Did you mean gate? {every}",
        "zzzz": f"There is no command 'zzzz'. {every}",
        "one.run": "'one.run' is a file, not a command. To score a run, use 'carob eval QRELS RUN'.",
    }.items():
        assert unknown_command(name, [*COMMANDS]) == said


def test_a_list_is_wrapped_on_a_terminal_and_whole_elsewhere() -> None:
    entries = {"AP": "the `mean` of **precision** values", "nDCG": "gain"}
    assert listed(entries, None) == "AP    the `mean` of **precision** values\nnDCG  gain\n"
    assert listed(entries, 22) == "AP    the mean of\n      precision values\nnDCG  gain\n"
