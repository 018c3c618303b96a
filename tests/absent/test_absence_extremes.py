"""Who is absent, where somebody is next to impossible or certain, and where answers lie hundreds of scales apart."""

import warnings

import numpy as np
import pytest

from dalenius.absent.posterior_prior_ratios import largest_lowering, largest_raise, largest_suspicion, posterior_of
from dalenius.absent.prior_on_absent_person import prior_of_list
from tests.conformance.comparison import assert_contains
from tests.reference.channel import mp


def truths(answers: list[float], whose: list[int], prior: list[float], scale: float) -> list[mp.mpf]:
    """The largest ln(posterior/prior), its inverse, and -ln(1 - posterior), by adding up at every answer."""
    with mp.workdps(700):
        total = mp.fsum(mp.mpf(p) for p in prior)
        up, down, nats = mp.mpf(0), mp.mpf(0), mp.mpf(0)
        for seen in answers:
            far = [abs(mp.mpf(answers[k]) - mp.mpf(seen)) for k in whose]
            weights = [mp.exp(-d / mp.mpf(scale)) if scale else mp.mpf(d == 0) for d in far]
            masses = [mp.mpf(p) * w for p, w in zip(prior, weights, strict=True)]
            mixed = mp.fsum(masses) / total
            for i, (mass, weight) in enumerate(zip(masses, weights, strict=True)):
                others = mp.fsum(masses[:i] + masses[i + 1 :])
                up = max(up, mp.log(weight / mixed) if weight else mp.mpf(0))
                down = max(down, mp.log(mixed / weight) if weight else mp.inf)
                nats = max(nats, mp.log1p(mass / others) if others else mp.inf if mass else mp.mpf(0))
        return [+up, +down, +nats]


def check(answers: list[float], whose: list[int], prior: list[float], scale: float) -> None:
    offsets = np.array(answers) - answers[0]
    belief = prior_of_list(np.array(prior), np.array(whose), len(answers))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = [each(belief, offsets, scale).value for each in (largest_raise, largest_lowering, largest_suspicion)]
        posterior_of(found[2])
    for value, truth in zip(found, truths(answers, whose, prior, scale), strict=True):
        assert_contains(value, truth)


@pytest.mark.parametrize(
    ("answers", "prior"),
    [
        ([-799.0, 109.0], [1.293e-05, 0.99998707]),
        ([0.0, 0.5], [1.0, 3e-323]),
        ([0.0, 800.0, 1600.0], [5e-324, 1.0, 1e-320]),
    ],
)
def test_beyond_what_doubles_reach(answers: list[float], prior: list[float]) -> None:
    for scale in (0.0, 1.0, 0.7, 1e-3, 50.0):
        check(answers, list(range(len(answers))), prior, scale)
