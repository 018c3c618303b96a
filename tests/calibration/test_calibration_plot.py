"""The picture of a calibration: a mark for each promise, and a line at what was promised."""

from dataclasses import replace

import matplotlib.pyplot as plt
import pytest

import dalenius as dl

HOMES = dl.Households(count=2, infected=[0.9, 0.05, 0.05])
PROMISES = [dl.InferentialPrivacy(epsilon=0.5), dl.DifferentialPrivacy(epsilon=1.0)]


def test_a_calibration_draws_leakages_and_promises() -> None:
    found = dl.calibrate(dl.Release(HOMES, "count", "geometric"), PROMISES)
    own = plt.subplots()[1]
    assert found.plot(own) is own
    axes = found.plot()
    assert [label.get_text() for label in axes.get_yticklabels()] == ["inferential", "differential"]
    lines = [line for line in axes.lines if line.get_linestyle() == "--"]
    assert [list(line.get_xdata()) for line in lines] == [[0.5, 0.5], [1.0, 1.0]]  # type: ignore[arg-type]
    assert axes.get_xlim()[1] > 1.0
    assert axes.get_xlabel() == "leakage (nats)"
    plt.close("all")


def test_a_calibration_without_promises_is_not_drawn() -> None:
    found = dl.calibrate(dl.Release(HOMES, "count", "geometric"), PROMISES[0])
    with pytest.raises(dl.InputError, match=r"^promises: none, wanted a calibration that says what it promises$"):
        replace(found, promises=()).plot()
