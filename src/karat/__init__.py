"""karat measures rankings: it computes scores from relevance judgments and ranked lists."""

from typing import TYPE_CHECKING, Any

from karat._version import __version__
from karat.conventions.policy import Policy
from karat.conventions.profiles import Profile, list_profiles
from karat.evaluation.evaluate import evaluate, evaluate_grades, evaluate_judged_ranking
from karat.evaluation.scores import Scores, ScoresByRun
from karat.inputs import engine, reader
from karat.inputs.qrels import Qrels
from karat.inputs.run import Run
from karat.measures import REGISTER, Measure, list_measures, measure
from karat.output.errors import DataError, DataWarning, KaratError, MeasureError, PolicyError

if TYPE_CHECKING:
    from karat import adapters, compat, tensors
    from karat.comparison.agreement import agreement
    from karat.comparison.agreement_result import Agreement
    from karat.comparison.compare import Comparison, compare
    from karat.diagnosis.check import Check, check
    from karat.diagnosis.difference import Difference, difference
    from karat.diagnosis.explain import explain
    from karat.evaluation.beyond_accuracy import Beyond, beyond_accuracy
    from karat.evaluation.curves import Curve, curve
    from karat.evaluation.ids import evaluate_ids
    from karat.reports import Report, report
    from karat.tensors.meter import Meter
    from karat.testing.gate import gate
    from karat.testing.gate_result import Gate
    from karat.testing.record import record
    from karat.testing.verify import Verification, verify

__all__ = [
    "Agreement",
    "Beyond",
    "Check",
    "Comparison",
    "Curve",
    "DataError",
    "DataWarning",
    "Difference",
    "Gate",
    "KaratError",
    "Measure",
    "MeasureError",
    "Meter",
    "Policy",
    "PolicyError",
    "Profile",
    "Qrels",
    "Report",
    "Run",
    "Scores",
    "ScoresByRun",
    "Verification",
    "__version__",
    "adapters",
    "agreement",
    "beyond_accuracy",
    "check",
    "compare",
    "compat",
    "curve",
    "difference",
    "engine",
    "evaluate",
    "evaluate_grades",
    "evaluate_ids",
    "evaluate_judged_ranking",
    "explain",
    "gate",
    "list_measures",
    "list_profiles",
    "measure",
    "reader",
    "record",
    "report",
    "tensors",
    "verify",
]

# Imported when first asked for: most who import karat do not, and a start is to be quick.
LATER = {
    "adapters": "karat.adapters",
    "compat": "karat.compat",
    "Agreement": "karat.comparison.agreement_result",
    "agreement": "karat.comparison.agreement",
    "Check": "karat.diagnosis.check",
    "check": "karat.diagnosis.check",
    "Beyond": "karat.evaluation.beyond_accuracy",
    "beyond_accuracy": "karat.evaluation.beyond_accuracy",
    "compare": "karat.comparison.compare",
    "Comparison": "karat.comparison.compare",
    "Curve": "karat.evaluation.curves",
    "curve": "karat.evaluation.curves",
    "Difference": "karat.diagnosis.difference",
    "difference": "karat.diagnosis.difference",
    "evaluate_ids": "karat.evaluation.ids",
    "explain": "karat.diagnosis.explain",
    "Report": "karat.reports",
    "report": "karat.reports",
    "tensors": "karat.tensors",
    "Gate": "karat.testing.gate_result",
    "gate": "karat.testing.gate",
    "Meter": "karat.tensors.meter",
    "record": "karat.testing.record",
    "Verification": "karat.testing.verify",
    "verify": "karat.testing.verify",
}


def __dir__() -> list[str]:
    """Returns the public names, including those that are imported later, for completion by the Tab key."""
    return sorted({*__all__, "__doc__", "__file__", "__name__", "__path__"})


def __getattr__(name: str) -> Any:
    """Imports a name in ``LATER`` at its first use, or returns the measure of a name, as in ``karat.nDCG @ 10``."""
    if name in REGISTER:
        return Measure(name)
    if name not in LATER:
        raise AttributeError(f"module 'karat' has no attribute '{name}'")
    from importlib import import_module

    module = import_module(LATER[name])
    value = globals()[name] = module if LATER[name] == f"karat.{name}" else getattr(module, name)
    return value
