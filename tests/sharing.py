"""Says how processes share the tests: a file to each at a time, the long ones first, Spark in one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

__all__ = ["first_the_long", "scheduler"]

# Tests whose ids have one of these words go to one process, because what they use begins with seconds of work:
# a session of Spark starts and takes half a gigabyte.
TOGETHER = {"Spark": ("spark", "engines", "inputs/test_engine", "inputs/test_executors")}
# Above four seconds of processor time. One that comes last keeps a single core busy, so these come first, the longest
# first. With them stand those that wait more than they compute, for a page or a server.
LONG = (
    "tests/inputs/test_engine.py",
    "tests/inputs/test_executors.py",
    "tests/test_site.py",
    "tests/test_docs.py",
    "tests/test_bench.py",
    "tests/test_forms.py",
    "tests/reports/test_in_browser.py",
    "tests/reports/test_accessibility.py",
    "tests/matching/test_signs.py",
    "tests/tensors/test_batch.py",
    "tests/test_threads.py",
    "tests/comparison/test_significance.py",
    "tests/fusion/test_tune.py",
    "tests/test_conformance.py",
    "tests/laws/test_every_measure.py",
    "tests/judging/test_killed.py",
    "tests/judging/test_in_browser.py",
    "tests/test_typed.py",
    "tests/peers/test_ir_measures.py",
    "tests/adapters/test_spark.py",
    "tests/peers/test_sklearn.py",
    "tests/hostile/test_signals.py",
    "tests/peers/test_ranx.py",
    "tests/peers/test_several_collections.py",
    "tests/tensors/test_evaluator.py",
    "tests/evaluation/test_values.py",
    "tests/judging/test_server.py",
    "tests/reports/test_page.py",
    "tests/laws/test_relevant_rows.py",
    "tests/adapters/test_lightning.py",
    "tests/fusion/test_fused_source.py",
    "tests/estimation/test_fillings.py",
    "tests/tensors/test_expected.py",
    "tests/peers/test_lightgbm.py",
    "tests/laws/test_parameters.py",
    "tests/peers/test_xgboost.py",
    "tests/hostile/test_judging.py",
    "tests/compat/test_dependents.py",
    "tests/peers/test_torchmetrics.py",
    "tests/cli/test_schema.py",
    "tests/adapters/test_pyterrier.py",
    "tests/native/test_native.py",
    "tests/compat/test_pytrec_eval.py",
    "tests/peers/test_spark.py",
    "tests/lists/test_padded.py",
    "tests/estimation/test_sampled_documents.py",
    "tests/estimation/test_people_and_judge.py",
    "tests/cli/test_main.py",
    "tests/fusion/test_fuse.py",
    "tests/estimation/test_next_judgments.py",
    "tests/hostile/test_files.py",
    "tests/judges/test_correlate.py",
    "tests/test_extending.py",
    "tests/house/test_house.py",
    "tests/inputs/test_damage.py",
    "tests/inputs/test_batches.py",
    "tests/inputs/test_frames.py",
    "tests/inputs/test_inputs.py",
    "tests/inputs/test_logs.py",
    "tests/output/test_layout.py",
    "tests/output/test_results.py",
    "tests/diagnosis/test_checking.py",
    "tests/diagnosis/test_difference.py",
    "tests/judges/test_agreement.py",
    "tests/diagnosis/test_explain.py",
    "tests/hostile/test_disks.py",
    "tests/reports/test_command.py",
)


def first_the_long(items: list[pytest.Item], root: Path) -> None:
    """Sort tests by when their file should begin; the others keep their order."""
    place = {root / file: number for number, file in enumerate(LONG)}
    items.sort(key=lambda item: place.get(item.path, len(place)))


def scheduler(config: pytest.Config, log: Any) -> Any:
    """Return pytest-xdist's own scheduler by file that also keeps some tests together, or None for its choice."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class ByFile(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            for name, words in TOGETHER.items():
                if any(word in nodeid for word in words):
                    return name
            return str(super()._split_scope(nodeid))

    config.option.loadscopereorder = False  # by the number of tests: the longest files have the fewest
    return ByFile(config, log)
