"""carob measures rankings: it computes scores from relevance judgments and ranked lists."""

import sys
from typing import TYPE_CHECKING, Any

from carob._version import __version__ as __version__

if TYPE_CHECKING:
    from carob import adapters as adapters
    from carob import compat as compat
    from carob import tensors as tensors
    from carob.comparison.compare import Comparison as Comparison
    from carob.comparison.compare import compare as compare
    from carob.comparison.compare import estimate as estimate
    from carob.comparison.design import Design as Design
    from carob.comparison.design import HoldOut as HoldOut
    from carob.comparison.design import Resampling as Resampling
    from carob.comparison.design import Test as Test
    from carob.comparison.design import UnjudgedLimits as UnjudgedLimits
    from carob.conventions.policy import Policy as Policy
    from carob.conventions.profiles import Profile as Profile
    from carob.conventions.profiles import list_profiles as list_profiles
    from carob.diagnosis.check import Check as Check
    from carob.diagnosis.check import check as check
    from carob.diagnosis.check.collections import check_collections as check_collections
    from carob.diagnosis.check.pool import PoolCheck as PoolCheck
    from carob.diagnosis.check.pool import check_pool as check_pool
    from carob.diagnosis.difference import Difference as Difference
    from carob.diagnosis.difference import difference as difference
    from carob.diagnosis.explain import explain as explain
    from carob.diagnosis.whence import Whence as Whence
    from carob.diagnosis.whence import whence as whence
    from carob.estimation.unjudged_bounds import UnjudgedBounds as UnjudgedBounds
    from carob.estimation.unjudged_bounds import unjudged_bounds as unjudged_bounds
    from carob.evaluation.beyond_accuracy import Beyond as Beyond
    from carob.evaluation.beyond_accuracy import BeyondByRun as BeyondByRun
    from carob.evaluation.beyond_accuracy import beyond_accuracy as beyond_accuracy
    from carob.evaluation.collections import CollectionsScores as CollectionsScores
    from carob.evaluation.collections import evaluate_collections as evaluate_collections
    from carob.evaluation.curves import Curve as Curve
    from carob.evaluation.curves import curve as curve
    from carob.evaluation.evaluate import evaluate as evaluate
    from carob.evaluation.evaluate import evaluate_grades as evaluate_grades
    from carob.evaluation.evaluate import evaluate_judged_ranking as evaluate_judged_ranking
    from carob.evaluation.ids import evaluate_ids as evaluate_ids
    from carob.evaluation.leaderboards import Leaderboard as Leaderboard
    from carob.evaluation.leaderboards import read_leaderboard as read_leaderboard
    from carob.evaluation.score_files import read_scores as read_scores
    from carob.evaluation.scores import Scores as Scores
    from carob.evaluation.scores import ScoresByRun as ScoresByRun
    from carob.fusion.fuse import FusedDocument as FusedDocument
    from carob.fusion.fuse import FusedRun as FusedRun
    from carob.fusion.fuse import fuse as fuse
    from carob.fusion.tune import TunedFusion as TunedFusion
    from carob.fusion.tune import tune_fusion as tune_fusion
    from carob.inputs import engine as engine
    from carob.inputs import reader as reader
    from carob.inputs.qrels import Qrels as Qrels
    from carob.inputs.run import Run as Run
    from carob.judges.agreement import agreement as agreement
    from carob.judges.agreement_result import Agreement as Agreement
    from carob.judges.correlate import correlate as correlate
    from carob.judges.correlate_result import Correlations as Correlations
    from carob.measures import Measure as Measure
    from carob.measures import list_measures as list_measures
    from carob.measures import measure as measure
    from carob.measures.by_name import *  # noqa: F403 - the names of all measures
    from carob.output.errors import ArgumentError as ArgumentError
    from carob.output.errors import CarobError as CarobError
    from carob.output.errors import DataError as DataError
    from carob.output.errors import DataWarning as DataWarning
    from carob.output.errors import MeasureError as MeasureError
    from carob.output.errors import PolicyError as PolicyError
    from carob.planning.next_judgments import Next as Next
    from carob.planning.next_judgments import next_judgments as next_judgments
    from carob.planning.plan import Plan as Plan
    from carob.planning.plan import VarianceComponents as VarianceComponents
    from carob.planning.plan import plan as plan
    from carob.planning.plan import variance_components as variance_components
    from carob.reports import Report as Report
    from carob.reports import report as report
    from carob.selection.best import Best as Best
    from carob.selection.best import best as best
    from carob.several_collections.collections import compare_collections as compare_collections
    from carob.several_collections.tables import CollectionsComparison as CollectionsComparison
    from carob.tensors.meter import Meter as Meter
    from carob.testing.gate import gate as gate
    from carob.testing.gate_result import Gate as Gate
    from carob.testing.record import record as record
    from carob.testing.verify import Verification as Verification
    from carob.testing.verify import verify as verify
    from carob.writing.write_run import WrittenRun as WrittenRun
    from carob.writing.write_run import write_run as write_run

MODULES = {
    "carob": "adapters compat tensors",
    "carob.judges.agreement": "agreement",
    "carob.judges.agreement_result": "Agreement",
    "carob.selection.best": "Best best",
    "carob.several_collections.tables": "CollectionsComparison",
    "carob.several_collections.collections": "compare_collections",
    "carob.comparison.compare": "Comparison compare estimate",
    "carob.judges.correlate": "correlate",
    "carob.judges.correlate_result": "Correlations",
    "carob.comparison.design": "Design HoldOut Resampling Test UnjudgedLimits",
    "carob.evaluation.collections": "CollectionsScores evaluate_collections",
    "carob.planning.plan": "Plan VarianceComponents plan variance_components",
    "carob.conventions.policy": "Policy",
    "carob.conventions.profiles": "Profile list_profiles",
    "carob.diagnosis.check": "Check check",
    "carob.diagnosis.check.collections": "check_collections",
    "carob.diagnosis.check.pool": "PoolCheck check_pool",
    "carob.diagnosis.difference": "Difference difference",
    "carob.diagnosis.explain": "explain",
    "carob.diagnosis.whence": "Whence whence",
    "carob.planning.next_judgments": "Next next_judgments",
    "carob.estimation.unjudged_bounds": "UnjudgedBounds unjudged_bounds",
    "carob.evaluation.beyond_accuracy": "Beyond BeyondByRun beyond_accuracy",
    "carob.evaluation.curves": "Curve curve",
    "carob.evaluation.evaluate": "evaluate evaluate_grades evaluate_judged_ranking",
    "carob.evaluation.ids": "evaluate_ids",
    "carob.evaluation.leaderboards": "Leaderboard read_leaderboard",
    "carob.evaluation.score_files": "read_scores",
    "carob.evaluation.scores": "Scores ScoresByRun",
    "carob.fusion.fuse": "FusedDocument FusedRun fuse",
    "carob.fusion.tune": "TunedFusion tune_fusion",
    "carob.inputs": "engine reader",
    "carob.inputs.qrels": "Qrels",
    "carob.inputs.run": "Run",
    "carob.measures": "Measure list_measures measure",
    "carob.output.errors": "ArgumentError DataError DataWarning CarobError MeasureError PolicyError",
    "carob.reports": "Report report",
    "carob.tensors.meter": "Meter",
    "carob.testing.gate": "gate",
    "carob.testing.gate_result": "Gate",
    "carob.testing.record": "record",
    "carob.testing.verify": "Verification verify",
    "carob.writing.write_run": "WrittenRun write_run",
}
"""The modules of the public names. Each is imported when one of its names is first used, so carob starts quickly."""
LATER = {name: module for module, names in MODULES.items() for name in names.split()}
__all__ = sorted(["__version__", *LATER])


def __dir__() -> list[str]:
    """Returns the public names, including names that are imported later, for Tab completion."""
    return sorted({*__all__, "__doc__", "__file__", "__name__", "__path__"})


def later_name(name: str) -> Any:
    """Imports a public name or package at its first use, or returns a measure by name, as in ``carob.nDCG @ 10``."""
    from importlib import import_module

    if name in LATER and LATER[name] != "carob":
        value = globals()[name] = getattr(import_module(LATER[name]), name)
        if "carob._numpy" in sys.modules:
            import_module("numpy")  # import now rather than during the first call, which a user may time
        return value
    if name not in LATER and not name.startswith("_"):
        from carob.measures import REGISTER, Measure

        if name in REGISTER:
            return Measure(name)
    try:
        return import_module(f"carob.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"carob.{name}":
            raise
        raise AttributeError(f"module 'carob' has no attribute '{name}'") from None


if not TYPE_CHECKING:  # otherwise, a type checker would accept every name
    __getattr__ = later_name
