"""Streams of very many steps: as far as they are alike they cost the time in which they settle."""

from math import inf, nextafter

import pytest

import dalenius as dl
from dalenius.composition.streams import contraction, losses
from dalenius.composition.streams.contraction import Contraction

STEPS = ([[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.1, 0.1, 0.8]], [[0.9, 0.1], [0.2, 0.8]], [[0.0, 1.0], [0.3, 0.7]])


@pytest.mark.parametrize("transition", STEPS)
def test_what_has_settled_is_what_every_step_says(
    transition: list[list[float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    ends = Contraction.ends

    def counted(self: Contraction, which: int, lower: float, upper: float) -> tuple[float, float]:
        asked.append(which)
        return ends(self, which, lower, upper)

    monkeypatch.setattr(contraction.Contraction, "ends", counted)
    # The third quarter of the stream promises less.
    epsilons = [0.1] * 2000 + [0.3] * 1000 + [0.1] * 1000
    stream = dl.stream(dl.Chain(n=4000, transition=transition, initial="stationary"), epsilons)
    found = losses.backward_losses(stream.over, stream.epsilons)
    assert len(asked) < 1000
    kernels = stream.over.backward
    assert kernels is not None
    only = contraction.contraction(kernels.logs, stream.over.possible[:1], kernels.error)
    low = high = epsilons[0]
    for step, epsilon in enumerate(epsilons[1:], 1):
        low, high = ends(only, 0, low, high)
        low, high = max(epsilon, nextafter(epsilon + low, -inf)), nextafter(epsilon + high, inf)
        assert low - 1e-15 <= found.lower[step] <= low
        assert high <= found.upper[step] <= high + 1e-15
