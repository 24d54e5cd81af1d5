"""karat measures rankings: it computes scores from relevance judgments and ranked lists."""

import sys
from typing import TYPE_CHECKING, Any

from karat._version import __version__ as __version__

if TYPE_CHECKING:
    from karat import adapters as adapters
    from karat import compat as compat
    from karat import tensors as tensors
    from karat.comparison.agreement import agreement as agreement
    from karat.comparison.agreement_result import Agreement as Agreement
    from karat.comparison.best import Best as Best
    from karat.comparison.best import best as best
    from karat.comparison.collection_tables import CollectionsComparison as CollectionsComparison
    from karat.comparison.collections import compare_collections as compare_collections
    from karat.comparison.compare import Comparison as Comparison
    from karat.comparison.compare import compare as compare
    from karat.comparison.correlate import correlate as correlate
    from karat.comparison.correlate_result import Correlations as Correlations
    from karat.comparison.estimate import estimate as estimate
    from karat.comparison.plan import Plan as Plan
    from karat.comparison.plan import plan as plan
    from karat.conventions.policy import Policy as Policy
    from karat.conventions.profiles import Profile as Profile
    from karat.conventions.profiles import list_profiles as list_profiles
    from karat.diagnosis.check import Check as Check
    from karat.diagnosis.check import check as check
    from karat.diagnosis.difference import Difference as Difference
    from karat.diagnosis.difference import difference as difference
    from karat.diagnosis.explain import explain as explain
    from karat.estimation.next_judgments import Next as Next
    from karat.estimation.next_judgments import next_judgments as next_judgments
    from karat.estimation.unjudged_bounds import UnjudgedBounds as UnjudgedBounds
    from karat.estimation.unjudged_bounds import unjudged_bounds as unjudged_bounds
    from karat.evaluation.beyond_accuracy import Beyond as Beyond
    from karat.evaluation.beyond_accuracy import beyond_accuracy as beyond_accuracy
    from karat.evaluation.curves import Curve as Curve
    from karat.evaluation.curves import curve as curve
    from karat.evaluation.evaluate import evaluate as evaluate
    from karat.evaluation.evaluate import evaluate_grades as evaluate_grades
    from karat.evaluation.evaluate import evaluate_judged_ranking as evaluate_judged_ranking
    from karat.evaluation.ids import evaluate_ids as evaluate_ids
    from karat.evaluation.leaderboards import Leaderboard as Leaderboard
    from karat.evaluation.leaderboards import read_leaderboard as read_leaderboard
    from karat.evaluation.score_files import read_scores as read_scores
    from karat.evaluation.scores import Scores as Scores
    from karat.evaluation.scores import ScoresByRun as ScoresByRun
    from karat.inputs import engine as engine
    from karat.inputs import reader as reader
    from karat.inputs.qrels import Qrels as Qrels
    from karat.inputs.run import Run as Run
    from karat.measures import Measure as Measure
    from karat.measures import list_measures as list_measures
    from karat.measures import measure as measure
    from karat.output.errors import DataError as DataError
    from karat.output.errors import DataWarning as DataWarning
    from karat.output.errors import KaratError as KaratError
    from karat.output.errors import MeasureError as MeasureError
    from karat.output.errors import PolicyError as PolicyError
    from karat.reports import Report as Report
    from karat.reports import report as report
    from karat.tensors.meter import Meter as Meter
    from karat.testing.gate import gate as gate
    from karat.testing.gate_result import Gate as Gate
    from karat.testing.record import record as record
    from karat.testing.verify import Verification as Verification
    from karat.testing.verify import verify as verify

MODULES = {
    "karat": "adapters compat tensors",
    "karat.comparison.agreement": "agreement",
    "karat.comparison.agreement_result": "Agreement",
    "karat.comparison.best": "Best best",
    "karat.comparison.collection_tables": "CollectionsComparison",
    "karat.comparison.collections": "compare_collections",
    "karat.comparison.compare": "Comparison compare",
    "karat.comparison.correlate": "correlate",
    "karat.comparison.correlate_result": "Correlations",
    "karat.comparison.estimate": "estimate",
    "karat.comparison.plan": "Plan plan",
    "karat.conventions.policy": "Policy",
    "karat.conventions.profiles": "Profile list_profiles",
    "karat.diagnosis.check": "Check check",
    "karat.diagnosis.difference": "Difference difference",
    "karat.diagnosis.explain": "explain",
    "karat.estimation.next_judgments": "Next next_judgments",
    "karat.estimation.unjudged_bounds": "UnjudgedBounds unjudged_bounds",
    "karat.evaluation.beyond_accuracy": "Beyond beyond_accuracy",
    "karat.evaluation.curves": "Curve curve",
    "karat.evaluation.evaluate": "evaluate evaluate_grades evaluate_judged_ranking",
    "karat.evaluation.ids": "evaluate_ids",
    "karat.evaluation.leaderboards": "Leaderboard read_leaderboard",
    "karat.evaluation.score_files": "read_scores",
    "karat.evaluation.scores": "Scores ScoresByRun",
    "karat.inputs": "engine reader",
    "karat.inputs.qrels": "Qrels",
    "karat.inputs.run": "Run",
    "karat.measures": "Measure list_measures measure",
    "karat.output.errors": "DataError DataWarning KaratError MeasureError PolicyError",
    "karat.reports": "Report report",
    "karat.tensors.meter": "Meter",
    "karat.testing.gate": "gate",
    "karat.testing.gate_result": "Gate",
    "karat.testing.record": "record",
    "karat.testing.verify": "Verification verify",
}
"""The modules of the public names. Each is imported when one of its names is first used: karat starts quickly."""
LATER = {name: module for module, names in MODULES.items() for name in names.split()}
__all__ = sorted(["__version__", *LATER])


def __dir__() -> list[str]:
    """Returns the public names, including those that are imported later, for completion by the Tab key."""
    return sorted({*__all__, "__doc__", "__file__", "__name__", "__path__"})


def __getattr__(name: str) -> Any:
    """Imports a public name or a package at its first use, or returns a measure by name, as in ``karat.nDCG @ 10``."""
    from importlib import import_module

    if name in LATER and LATER[name] != "karat":
        value = globals()[name] = getattr(import_module(LATER[name]), name)
        if "karat._numpy" in sys.modules:
            import_module("numpy")  # rather than in the first call, which somebody may time
        return value
    if name not in LATER and not name.startswith("_"):
        from karat.measures import REGISTER, Measure

        if name in REGISTER:
            return Measure(name)
    try:
        return import_module(f"karat.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"karat.{name}":
            raise
        raise AttributeError(f"module 'karat' has no attribute '{name}'") from None
