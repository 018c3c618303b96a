"""Suprema over sets of laws: no law is above, and what is not worth a closer look is bounded all the same."""

import numpy as np
from hypothesis import given, strategies as st

from dalenius.laws.box import Box
from dalenius.ratios.intervals.quotients import Quotients
from dalenius.ratios.intervals.supremum import supremum
from tests.pace import draws
from tests.ratios.laws_inside import drawn_from


def case(seed: int) -> tuple[Box, Quotients, np.random.Generator]:
    """A random set, and random problems over it."""
    rng = np.random.default_rng(seed)
    size, count = int(rng.integers(2, 7)), int(rng.integers(1, 12))
    law, width = rng.dirichlet(np.ones(size)), rng.choice([0.02, 0.1, 0.3])
    below, loss = rng.random((2, count, size))
    above, gain = below * rng.random((count, size)), loss * np.exp(rng.normal(size=(count, size)))
    return Box(law * (1 - width), np.minimum(law * (1 + width) + 0.01, 1)), Quotients(above, below, gain, loss), rng


@given(st.integers(0, 2**32 - 1), st.sampled_from([-0.5, -1e-3, 1e-3, 0.5]))
@draws(30)
def test_worth(seed: int, further: float) -> None:
    box, problems, rng = case(seed)
    laws = np.concatenate([drawn_from(box, rng, 200), box.vertices()])
    highest = float(problems.values(laws).max())
    found = supremum(box, problems)
    assert highest - 1e-9 <= found.lower <= found.upper <= found.lower + 1e-5
    worth = found.upper + further
    again = supremum(box, problems, None, worth)
    assert highest <= again.upper
    if further < 0 or worth <= 1e-4:
        assert (again.lower, again.upper) == (found.lower, found.upper)
    else:
        assert again.lower <= found.upper
        assert again.upper < worth
