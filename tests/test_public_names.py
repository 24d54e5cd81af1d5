"""What ``import carob`` gives, the Tab key completes, and a type checker knows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

import carob
from carob.conventions.policy import CHOICES


def test_tab_completes_the_public_names_and_no_others() -> None:
    public = {name for name in dir(carob) if not name.startswith("__")}
    assert public == {name for name in carob.__all__ if not name.startswith("__")}
    assert {"compare", "explain", "Meter", "adapters"} <= public


def test_every_public_name_is_there() -> None:
    for name in carob.__all__:
        assert getattr(carob, name) is not None


PLAIN = """
import carob, sys
assert "carob.adapters" not in sys.modules and "carob.compat" not in sys.modules
assert carob.adapters.torchmetrics.retrieval_metric
assert carob.adapters.boosting.lightgbm_feval
assert carob.compat.pytrec_eval.RelevanceEvaluator
assert "boosting" in dir(carob.adapters)
try:
    carob.adapters.pandas
except AttributeError as error:
    print(error)
"""


def test_adapters_are_there_after_a_plain_import() -> None:
    done = subprocess.run([sys.executable, "-c", PLAIN], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("carob.adapters has no 'pandas'. Its names are: boosting, keras, lightning")


def test_each_axis_of_the_policy_states_its_words_as_a_type() -> None:
    hints = get_type_hints(carob.Policy)
    assert {axis: get_args(hints[axis]) for axis in CHOICES} == CHOICES


def test_a_type_checker_refuses_an_axis_that_there_is_not(tmp_path: Path) -> None:
    api = pytest.importorskip("mypy.api", reason="needs mypy")
    script = tmp_path / "script.py"
    script.write_text('import carob\ncarob.Policy(ties="optimistic")\ncarob.Policy(ties="sideways")\n')
    source = Path(carob.__file__).parents[1]
    path = (
        {} if source.name == "site-packages" else {"MYPYPATH": str(source)}
    )  # mypy finds and refuses installed ones
    arguments = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", str(script)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False, env={"PATH": "", **path})
    assert api
    assert "script.py:3: error" in done.stdout, done.stdout
    assert "script.py:2" not in done.stdout
