"""Each file of the package has a test file of its name, in the folder of its room; the exceptions only become fewer."""

from __future__ import annotations

from pathlib import Path

import carob

ROOT = Path(carob.__file__).parent
TESTS = Path(__file__).resolve().parents[1]

TESTED_ELSEWHERE = {
    "adapters/boosting.py",
    "adapters/objects.py",
    "adapters/outputs.py",
    "adapters/torchmetrics.py",
    "cli/best.py",
    "cli/check.py",
    "cli/compare.py",
    "cli/correlate.py",
    "cli/eval.py",
    "cli/explain.py",
    "cli/fuse.py",
    "cli/gate.py",
    "cli/help.py",
    "cli/history.py",
    "cli/judge.py",
    "cli/next_judgments.py",
    "cli/people_and_model.py",
    "cli/plan.py",
    "cli/whence.py",
    "several_collections/tables.py",
    "comparison/findings.py",
    "comparison/formats.py",
    "selection/held_out.py",
    "compat/judged.py",
    "conventions/request.py",
    "diagnosis/check/collections.py",
    "diagnosis/check/finding.py",
    "diagnosis/check/inputs.py",
    "diagnosis/check/lenient.py",
    "diagnosis/check/mismatch.py",
    "diagnosis/check/qrels.py",
    "diagnosis/check/run.py",
    "diagnosis/check/text.py",
    "diagnosis/whence/candidates.py",
    "diagnosis/whence/commands.py",
    "diagnosis/whence/mistakes.py",
    "diagnosis/whence/result.py",
    "diagnosis/whence/search.py",
    "diagnosis/whence/values.py",
    "estimation/bounds.py",
    "estimation/effects.py",
    "estimation/fillings.py",
    "estimation/shown_documents.py",
    "evaluation/beyond_accuracy/inputs.py",
    "evaluation/leaderboards.py",
    "evaluation/read_record.py",
    "evaluation/suspects.py",
    "fusion/methods.py",
    "fusion/pooled.py",
    "fusion/profiles.py",
    "fusion/recipe.py",
    "fusion/rules.py",
    "inputs/dicts.py",
    "inputs/digests.py",
    "inputs/errors.py",
    "inputs/files/collections.py",
    "inputs/files/header.py",
    "inputs/files/json.py",
    "inputs/files/paths.py",
    "inputs/files/table.py",
    "inputs/ids.py",
    "inputs/names.py",
    "inputs/qrels.py",
    "inputs/query_files.py",
    "inputs/run.py",
    "inputs/runs/engine_plan.py",
    "inputs/runs/executors.py",
    "inputs/sources.py",
    "inputs/spellings.py",
    "judges/agreement_result.py",
    "judges/correlate_result.py",
    "judges/sheets.py",
    "judging/file_lock.py",
    "judging/offline.py",
    "judging/page.py",
    "judging/prompts.py",
    "judging/session.py",
    "lists/arrays.py",
    "lists/expected.py",
    "lists/recommended.py",
    "lists/rows.py",
    "matching/mismatch.py",
    "measures/precision.py",
    "measures/recommendation.py",
    "measures/unknown_names.py",
    "measures/user_models.py",
    "output/docstrings.py",
    "output/errors.py",
    "output/escaping.py",
    "output/frames.py",
    "output/layout.py",
    "output/parsing.py",
    "output/pictures/critical_difference.py",
    "output/pictures/difference_picture.py",
    "output/pictures/figures.py",
    "output/progress.py",
    "output/taken.py",
    "statistics/collections.py",
    "statistics/correlation_intervals.py",
    "statistics/correlations.py",
    "statistics/mean_ranks.py",
    "statistics/multiple_comparisons.py",
    "statistics/sample_size.py",
    "statistics/selection.py",
    "statistics/signed_ranks.py",
    "statistics/variance_components.py",
    "tensors/ranking.py",
    "testing/baseline.py",
    "testing/gate_result.py",
    "testing/verify.py",
}
"""Files whose tests still have other names. Whoever gives one a test file of its name takes its line away."""


def test_each_file_has_a_test_of_its_name() -> None:
    files = {path.relative_to(ROOT) for path in ROOT.rglob("*.py") if path.name[0] != "_"}
    files = {
        path for path in files if path.parent.name != "formats"
    }  # tests/output/test_formats.py has them all
    lacking = {
        path.as_posix() for path in files if not (TESTS / path.parts[0] / f"test_{path.stem}.py").exists()
    }
    assert lacking - TESTED_ELSEWHERE == set(), "add tests/<package>/test_<file>.py for each"
    assert TESTED_ELSEWHERE - lacking == set(), (
        "these have their test now, or are gone: take their lines away"
    )
