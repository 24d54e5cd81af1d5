"""``compute_metrics`` in a real Trainer of transformers, which keeps the best checkpoint and stops by it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from adapters.trainings import GRADES, INPUTS, MEASURES, TRAIN, VALIDATE, offline
from carob import DataError
from carob.adapters.transformers import ranking_metrics

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.thorough, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def transformers() -> Any:
    pytest.importorskip("accelerate", reason="needs accelerate, of the extra 'peers'")
    return pytest.importorskip("transformers", reason="needs transformers, of the extra 'peers'")


def trainer_of(folder: Path, compute_metrics: Any, epochs: int = 3, **named: Any) -> Any:
    """A trainer whose lists have six to eight documents: it fills up the labels of each batch with -100."""
    import torch
    from transformers import EarlyStoppingCallback, Trainer, TrainingArguments

    class Scorer(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            torch.manual_seed(2)
            self.layer = torch.nn.Linear(INPUTS.shape[2], 1)

        def forward(self, inputs: Any, labels: Any) -> Any:
            scores = self.layer(inputs)
            there = labels != -100
            return {"loss": ((scores[..., 0] - labels) ** 2)[there].mean(), "scores": scores}

    def rows(part: slice) -> list[dict[str, Any]]:
        return [
            {"inputs": inputs[:size], "labels": grades[:size]}
            for inputs, grades, size in zip(INPUTS[part], GRADES[part], [6, 7, 8, 8] * 3)
        ]

    def filled(batch: list[dict[str, Any]]) -> dict[str, Any]:
        padded = torch.nn.utils.rnn.pad_sequence
        inputs = padded([torch.tensor(each["inputs"]) for each in batch], batch_first=True)
        labels = [torch.tensor(each["labels"]) for each in batch]
        return {"inputs": inputs, "labels": padded(labels, batch_first=True, padding_value=-100)}

    settings = TrainingArguments(
        output_dir=str(folder),
        num_train_epochs=epochs,
        per_device_train_batch_size=4,
        per_device_eval_batch_size=2,
        learning_rate=0.05,
        eval_strategy="epoch",
        save_strategy="epoch",
        metric_for_best_model="nDCG@5",
        load_best_model_at_end=True,
        report_to=[],
        disable_tqdm=True,
        use_cpu=True,
        **named,
    )
    return Trainer(
        Scorer(),
        settings,
        data_collator=filled,
        train_dataset=rows(TRAIN),
        eval_dataset=rows(VALIDATE),
        compute_metrics=compute_metrics,
        callbacks=[EarlyStoppingCallback(2)],
    )


def test_the_best_checkpoint_is_kept_by_what_carob_says(transformers: Any, tmp_path: Path) -> None:
    trainer = trainer_of(tmp_path, ranking_metrics(MEASURES, dtype="float64"))
    trainer.train()
    seen = [each["eval_nDCG@5"] for each in trainer.state.log_history if "eval_nDCG@5" in each]
    assert len(seen) == 3
    found = trainer.predict(trainer.eval_dataset)
    sizes = [6, 7, 8, 8] * 3
    scores = [each[:size, 0] for each, size in zip(found.predictions, sizes)]
    wanted = offline(scores, [each[:size] for each, size in zip(GRADES[VALIDATE], sizes)])
    for label, value in wanted.items():
        assert found.metrics[f"test_{label}"] == pytest.approx(value, abs=1e-14), label
    assert trainer.state.best_metric == max(seen) == pytest.approx(wanted["nDCG@5"], abs=1e-14)


def test_batches_one_at_a_time_are_refused(transformers: Any, tmp_path: Path) -> None:
    trainer = trainer_of(tmp_path, ranking_metrics(MEASURES), batch_eval_metrics=True)
    with pytest.raises(DataError, match=r"batch_eval_metrics=True\) passes one batch at a time"):
        trainer.evaluate()


def test_predictions_that_are_no_lists_are_refused_and_nan_has_a_rule() -> None:
    metrics = ranking_metrics("RR", nan_scores="worst")
    with pytest.raises(DataError, match=r"scores have the shape \[4, 2\] and the grades \[4\]"):
        metrics((np.ones((4, 2)), np.ones(4)))
    assert metrics((np.array([[np.nan, 1.0], [2.0, 1.0]]), np.array([[1, 0], [1, 0]]))) == {"RR": 0.75}
