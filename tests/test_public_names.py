"""What ``import carob`` gives, the Tab key completes, and a type checker knows."""

from __future__ import annotations

import inspect
import subprocess
import sys
from typing import get_args, get_type_hints

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
    assert done.stdout.startswith(
        "carob.adapters has no 'pandas'. Its names are: boosting, ir_measures, keras"
    )


def test_each_axis_of_the_policy_states_its_words_as_a_type() -> None:
    hints = get_type_hints(carob.Policy)
    assert {axis: get_args(hints[axis]) for axis in CHOICES} == CHOICES


MOST = 14
MADE_BY_CAROB = {"Agreement", "Best", "Comparison", "Correlations", "Next", "Scores", "TunedFusion"}
"""Results with more fields, which only carob makes."""


def test_no_public_function_has_more_than_14_parameters() -> None:
    public = {name: getattr(carob, name) for name in carob.__all__ if not name.endswith("Warning")}
    public |= {f"tensors.{name}": getattr(carob.tensors, name) for name in carob.tensors.__all__}
    for package in (carob.adapters, carob.compat):
        for module in package.__all__:
            functions = inspect.getmembers(getattr(package, module), inspect.isfunction)
            public |= {f"{module}.{name}": each for name, each in functions}
    for name, each in list(public.items()):
        if inspect.isclass(each):
            public |= {
                f"{name}.{method}": own for method, own in inspect.getmembers(each, inspect.isfunction)
            }
    many = {
        name
        for name, each in public.items()
        if callable(each) and "._" not in name and len(inspect.signature(each).parameters) > MOST
    }
    # Not yet: what is resampled to find the best run would be an object.
    assert many <= MADE_BY_CAROB | {"best"}


def test_the_init_of_a_dataclass_has_no_text_of_another() -> None:
    assert carob.Resampling.__init__.__doc__ is None
    assert carob.Policy.__init__.__doc__ is None
