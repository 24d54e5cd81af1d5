"""The callback in a real fit of Keras, beside its EarlyStopping and ModelCheckpoint."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from adapters.trainings import GRADES, INPUTS, MEASURES, TRAIN, VALIDATE, offline
from carob import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [pytest.mark.thorough, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def keras(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Keras on PyTorch. It writes its settings to a folder, which is the user's own unless told otherwise."""
    pytest.importorskip("torch", reason="needs PyTorch")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KERAS_BACKEND", os.environ.get("KERAS_BACKEND", "torch"))
        patch.setenv("KERAS_HOME", str(tmp_path_factory.mktemp("keras")))
        yield pytest.importorskip("keras", reason="needs Keras, of the extra 'peers'")


def model_of(keras: Any) -> Any:
    keras.utils.set_random_seed(5)
    model = keras.Sequential([keras.layers.Input(INPUTS.shape[1:]), keras.layers.Dense(1)])
    model.compile(keras.optimizers.SGD(0.05), "mse")
    return model


def fitted(keras: Any, model: Any, *callbacks: Any, epochs: int = 3) -> Any:
    y = GRADES[TRAIN][..., None].astype(np.float32)
    return model.fit(INPUTS[TRAIN], y, batch_size=4, epochs=epochs, verbose=0, callbacks=list(callbacks))


def test_a_fit_stops_and_saves_by_what_carob_says(keras: Any, tmp_path: Path) -> None:
    from carob.adapters.keras import ranking_callback

    model = model_of(keras)
    ours = ranking_callback(INPUTS[VALIDATE], GRADES[VALIDATE], MEASURES, batch_size=5, dtype="float64")
    stop = keras.callbacks.EarlyStopping("val_nDCG@5", mode="max", patience=1)
    path = tmp_path / "best.weights.h5"
    best = keras.callbacks.ModelCheckpoint(
        str(path), "val_nDCG@5", mode="max", save_best_only=True, save_weights_only=True
    )
    history = fitted(keras, model, ours, stop, best, epochs=5).history
    found = offline(model.predict(INPUTS[VALIDATE], verbose=0)[..., 0], GRADES[VALIDATE])
    for label, value in found.items():
        assert history[f"val_{label}"][-1] == pytest.approx(value, abs=1e-6), label
    own = {name for name in vars(type(ours)) if not name.startswith("_")}
    assert own & set(dir(keras.callbacks.Callback)) == {"on_epoch_end"}
    assert stop.best == max(history["val_nDCG@5"])
    model.load_weights(path)
    saved = offline(model.predict(INPUTS[VALIDATE], batch_size=5, verbose=0)[..., 0], GRADES[VALIDATE])
    assert best.best == pytest.approx(saved["nDCG@5"], abs=1e-14)


def test_a_model_that_diverges_follows_the_rule_for_nan(keras: Any) -> None:
    from carob.adapters.keras import ranking_callback

    broken = INPUTS[VALIDATE] * np.float32("nan")
    model = model_of(keras)
    with pytest.raises(DataError, match="choose nan_scores='worst' or 'skip'"):
        fitted(keras, model, ranking_callback(broken, GRADES[VALIDATE], "RR"), epochs=1)
    worst = ranking_callback(broken, GRADES[VALIDATE], "RR", nan_scores="worst", dtype="float64")
    values = fitted(keras, model, worst, epochs=1).history["val_RR"]
    assert values == [pytest.approx(offline(-GRADES[VALIDATE], GRADES[VALIDATE], "RR")["RR"], abs=1e-14)]


def test_grades_of_another_shape_are_refused_rather_than_reshaped(keras: Any) -> None:
    """Twelve lists of eight would have been read as eight lists of twelve."""
    from carob.adapters.keras import ranking_callback

    turned = ranking_callback(INPUTS[VALIDATE], GRADES[VALIDATE].T, MEASURES)
    with pytest.raises(DataError, match=r"scores have the shape \[12, 8, 1\] and the grades \[8, 12\]"):
        fitted(keras, model_of(keras), turned, epochs=1)
