"""A model's outputs are lists of scores in the shape of the grades, and another shape is refused."""

from __future__ import annotations

import numpy as np
import pytest

from carob import DataError
from carob.adapters.outputs import as_lists

GRADES = np.array([[1, 0, 2], [0, 1, 0]])
SCORES = np.arange(6.0).reshape(2, 3)


def test_a_last_axis_of_size_1_is_left_out() -> None:
    assert as_lists(SCORES[..., np.newaxis], GRADES).tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    assert as_lists(SCORES, GRADES) is SCORES
    alone = np.ones((2, 1))
    assert as_lists(alone, np.ones((2, 1))) is alone


@pytest.mark.parametrize("shape", [(3, 2), (6,), (2, 3, 2), (1, 2, 3)])
def test_another_shape_is_refused_rather_than_reshaped(shape: tuple[int, ...]) -> None:
    with pytest.raises(DataError, match=r".") as caught:
        as_lists(np.ones(shape), GRADES)
    assert str(caught.value) == (
        f"The model's scores have the shape {list(shape)} and the grades [2, 3]. "
        "Pass both as [query, document]; the scores may have one more axis of size 1."
    )
