"""The callback in real trainers of Lightning: checkpoints, early stopping, several sets, two processes."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from adapters.trainings import GRADES, INPUTS, MEASURES, TRAIN, VALIDATE, offline
from carob import DataError, Policy

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.thorough, pytest.mark.filterwarnings("ignore")]  # Lightning warns of much
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pl = pytest.importorskip("lightning.pytorch", reason="needs Lightning, of the extra 'peers'")
torch = pytest.importorskip("torch", reason="needs PyTorch")

from carob.adapters.lightning import ranking_callback  # noqa: E402


def loader(part: slice, batch: int = 5) -> Any:
    rows = torch.utils.data.TensorDataset(
        *map(torch.tensor, (INPUTS[part], GRADES[part], np.arange(24)[part]))
    )
    return torch.utils.data.DataLoader(rows, batch_size=batch)


class Model(pl.LightningModule):  # type: ignore[misc, name-defined]
    def __init__(self, broken: int = 0) -> None:
        super().__init__()
        torch.manual_seed(3)
        self.layer = torch.nn.Linear(INPUTS.shape[2], 1)
        self.broken = broken

    def forward(self, inputs: Any) -> Any:
        return self.layer(inputs)[..., 0]

    def training_step(self, batch: Any, number: int) -> Any:
        inputs, grades, _ = batch
        return torch.nn.functional.mse_loss(self(inputs), grades.float())

    def validation_step(self, batch: Any, number: int, dataloader_idx: int = 0) -> dict[str, Any]:
        inputs, grades, ids = batch
        scores = self(inputs)
        if self.broken and self.current_epoch >= self.broken:
            scores = scores * float("nan")
        return {"scores": scores, "relevance": grades, "ids": ids}

    test_step = validation_step

    def configure_optimizers(self) -> Any:
        return torch.optim.SGD(self.parameters(), lr=0.05)


def trainer_of(folder: Path, *callbacks: Any, epochs: int = 3, **named: Any) -> Any:
    quiet = {"logger": False, "enable_progress_bar": False, "enable_model_summary": False}
    checkpoints = any(isinstance(each, pl.callbacks.ModelCheckpoint) for each in callbacks)
    return pl.Trainer(
        accelerator="cpu",
        max_epochs=epochs,
        default_root_dir=folder,
        callbacks=list(callbacks),
        enable_checkpointing=checkpoints,
        log_every_n_steps=1,
        **quiet,
        **named,
    )


def scores_of(model: Any, part: slice) -> Any:
    with torch.no_grad():
        return model(torch.tensor(INPUTS[part])).numpy()


def check_equal(logged: dict[str, Any], wanted: dict[str, float], prefix: str, suffix: str = "") -> None:
    for label, value in wanted.items():
        assert float(logged[f"{prefix}_{label}{suffix}"]) == pytest.approx(value, abs=1e-14), label


def test_a_fit_saves_the_best_model_and_stops_by_what_carob_says(tmp_path: Path) -> None:
    best = pl.callbacks.ModelCheckpoint(tmp_path, monitor="val_nDCG@5", mode="max", filename="best")
    stop = pl.callbacks.EarlyStopping("val_nDCG@5", mode="max", patience=2)
    model = Model()
    trainer = trainer_of(tmp_path, ranking_callback(MEASURES, dtype="float64"), best, stop, epochs=6)
    trainer.fit(model, loader(TRAIN), loader(VALIDATE))
    check_equal(trainer.callback_metrics, offline(scores_of(model, VALIDATE), GRADES[VALIDATE]), "val")
    saved = Model()
    saved.load_state_dict(torch.load(tmp_path / "best.ckpt", weights_only=True)["state_dict"])
    found = offline(scores_of(saved, VALIDATE), GRADES[VALIDATE])["nDCG@5"]
    assert float(best.best_model_score) == float(stop.best_score) == pytest.approx(found, abs=1e-14)


def test_validate_and_test_say_the_same_and_many_sets_are_kept_apart(tmp_path: Path) -> None:
    model = Model()
    trainer = trainer_of(tmp_path, ranking_callback(MEASURES, dtype="float64"))
    parts = [VALIDATE, slice(3, 9)]
    wanted = [offline(scores_of(model, part), GRADES[part]) for part in parts]
    (found,) = trainer.validate(model, loader(VALIDATE), verbose=False)
    check_equal(found, wanted[0], "val")
    for stage, run in (("val", trainer.validate), ("test", trainer.test)):
        both = run(model, [loader(parts[0]), loader(parts[1], batch=2)], verbose=False)
        for number, its in enumerate(wanted):
            check_equal(both[number], its, stage, f"/dataloader_idx_{number}")


def test_batches_of_several_sets_at_once_are_one_set(tmp_path: Path) -> None:
    class Both(Model):
        def validation_step(self, batch: Any, number: int, dataloader_idx: int = 0) -> dict[str, Any]:
            parts = [super(Both, self).validation_step(each, number) for each in batch]
            return {name: torch.cat([part[name] for part in parts]) for name in parts[0]}

    model = Both()
    loaders = pl.utilities.CombinedLoader([loader(slice(0, 6)), loader(slice(6, 12))], "max_size_cycle")
    (found,) = trainer_of(tmp_path, ranking_callback(MEASURES, dtype="float64")).validate(
        model, loaders, verbose=False
    )
    check_equal(found, offline(scores_of(model, slice(0, 12)), GRADES[:12]), "val")


def test_a_diverging_epoch_follows_the_rule_for_nan(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="choose nan_scores='worst' or 'skip'"):
        trainer_of(tmp_path, ranking_callback(MEASURES)).fit(Model(broken=1), loader(TRAIN), loader(VALIDATE))
    for rule, wanted in (
        ("worst", offline(-GRADES[VALIDATE], GRADES[VALIDATE], policy=Policy(ties="pessimistic"))),
        ("skip", dict.fromkeys(MEASURES, float("nan"))),
    ):
        best = pl.callbacks.ModelCheckpoint(tmp_path / rule, monitor="val_AP", mode="max", filename="best")
        callback = ranking_callback(MEASURES, dtype="float64", nan_scores=rule)
        trainer = trainer_of(tmp_path, callback, best)
        trainer.fit(Model(broken=1), loader(TRAIN), loader(VALIDATE))
        assert torch.load(best.best_model_path, weights_only=True)["epoch"] == 0
        for label, value in wanted.items():
            found = float(trainer.callback_metrics[f"val_{label}"])
            assert found == pytest.approx(value, abs=1e-14, nan_ok=True)


def test_nothing_that_lightning_sets_on_a_callback_is_a_method_of_it(tmp_path: Path) -> None:
    """It sets ``log``, which was the name of a method here, so that every fit ended in a traceback."""
    callback = ranking_callback(MEASURES)
    before = set(vars(callback))
    trainer_of(tmp_path, callback).validate(Model(), loader(VALIDATE), verbose=False)
    replaced = set(vars(callback)) - before
    assert replaced & {"log", "log_dict"}
    assert not replaced & set(vars(type(callback)))


def test_the_other_name_of_lightning_will_do(tmp_path: Path) -> None:
    other = pytest.importorskip("pytorch_lightning", reason="needs pytorch-lightning, of the extra 'peers'")

    class Other(other.LightningModule):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.layer = Model().layer

        def validation_step(self, batch: Any, number: int) -> dict[str, Any]:
            return {"scores": self.layer(batch[0])[..., 0], "relevance": batch[1]}

    trainer = other.Trainer(
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        default_root_dir=tmp_path,
        callbacks=[ranking_callback(MEASURES, dtype="float64")],
    )
    (found,) = trainer.validate(Other(), loader(VALIDATE), verbose=False)
    check_equal(found, offline(scores_of(Model(), VALIDATE), GRADES[VALIDATE]), "val")


def test_a_callback_is_pickled_and_has_no_state_in_a_checkpoint() -> None:
    callback = ranking_callback(MEASURES, policy=Policy(empty="skip"), per_query=True)
    again = pickle.loads(pickle.dumps(callback))
    assert type(again) is type(callback)
    assert (again.meter.labels, again.meter.per_query) == (callback.meter.labels, True)
    assert again.meter.policy == callback.meter.policy
    assert callback.state_dict() == {}


def test_a_step_without_scores_is_told_what_to_return(tmp_path: Path) -> None:
    class Silent(Model):
        def validation_step(self, batch: Any, number: int, dataloader_idx: int = 0) -> None:  # type: ignore[override]
            return None

    with pytest.raises(DataError, match="must return a dict with 'scores' and 'relevance'"):
        trainer_of(tmp_path, ranking_callback(MEASURES)).validate(Silent(), loader(VALIDATE), verbose=False)


PROCESSES = """
import json, sys, warnings
from pathlib import Path
sys.path[:] = sys.argv[3:]
import lightning.pytorch as pl
from adapters import test_lightning as tests
from carob import DataWarning
from carob.adapters.lightning import ranking_callback

folder, out = Path(sys.argv[1]), Path(sys.argv[2])
said = {}
for name, per_query, ids in (("once", True, True), ("plain", False, False)):
    model = tests.Model()
    step = model.validation_step
    model.validation_step = lambda *given: {
        key: each for key, each in step(*given).items() if ids or key != "ids"
    }
    trainer = pl.Trainer(
        accelerator="cpu", devices=2, strategy="ddp_fork", logger=False, enable_checkpointing=False,
        enable_progress_bar=False, enable_model_summary=False, default_root_dir=folder,
        callbacks=[ranking_callback(tests.MEASURES, dtype="float64", per_query=per_query)],
    )
    warned = folder / f"{name}.txt"
    def note(message, category, *rest, **named):
        if category is DataWarning:
            warned.open("a").write(f"{message}\\n")
    warnings.showwarning = note
    warnings.simplefilter("always")
    said[name] = trainer.validate(model, tests.loader(slice(12, 23)), verbose=False)[0]
    said[f"{name} warned"] = warned.read_text() if warned.exists() else ""
out.write_text(json.dumps(said))
"""


def two_processes(tmp_path: Path) -> dict[str, Any]:
    script, out = tmp_path / "processes.py", tmp_path / "said.json"
    script.write_text(PROCESSES)
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path), str(out), *sys.path],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert out.exists(), done.stderr[-2000:]
    found: dict[str, Any] = json.loads(out.read_text())
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="needs processes that fork")
def test_two_processes_count_a_query_that_the_sampler_repeats_once_or_say_that_it_counts_twice(
    tmp_path: Path,
) -> None:
    part = slice(12, 23)  # eleven queries: the sampler repeats one
    said = two_processes(tmp_path)
    check_equal(said["once"], offline(scores_of(Model(), part), GRADES[part]), "val")
    scores, twice = scores_of(Model(), part), [*range(12, 23), 12]
    wanted = offline(np.concatenate([scores, scores[:1]]), GRADES[twice])
    check_equal(said["plain"], wanted, "val")
    assert said["plain warned"].startswith(
        "The sampler repeats 1 item of the data so that all processes have"
    )
    assert not said["once warned"]
