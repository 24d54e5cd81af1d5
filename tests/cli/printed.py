"""Runs a command in this process, and returns what it prints or says as it refuses."""

import pytest

from carob.cli import main


def run(capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command prints."""
    main(list(arguments))
    return capfd.readouterr().out


def refused(capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command says that ends with the exit status of errors and prints nothing."""
    with pytest.raises(SystemExit) as end:
        main(list(arguments))
    assert end.value.code == 2
    out, err = capfd.readouterr()
    assert out == ""
    return err
