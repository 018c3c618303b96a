"""Numbers of twice the digits, against mpmath; and the law about the mean of a million records that rests on them."""

from typing import Any

import numpy as np
from mpmath import mp

from dalenius.joints.chain_window_plan import chain_window
from dalenius.joints.doubled_precision import Doubled, complex_matrices, exponential, turned_pairs
from dalenius.joints.extended_precision import ROUNDING
from dalenius.joints.repeating_chain import RepeatingChain
from dalenius.joints.tilted_steps import product, tilted_steps
from tests.large.test_long_windows import REPELLING

SMALL = 64 * ROUNDING**2
"""Rounded numbers of twice the digits, about."""


def exactly(number: Doubled, place: Any) -> Any:
    parts = [number.hi[place], number.lo[place]]
    return mp.fsum(mp.mpf(float(part)) + mp.mpf(float(part - np.longdouble(float(part)))) for part in parts)


def test_exponentials_and_turns_have_twice_the_digits() -> None:
    numbers, steps, points = np.array([0.3, -5.25, -40.0, 1e-5, 0.0]), np.array([0, 1, 7, 500, 999, -3]), 1000
    found, (re, im) = exponential(Doubled.of(numbers)), turned_pairs(steps, points)
    with mp.workdps(60):
        for place, number in enumerate(numbers.tolist()):
            assert abs(exactly(found, place) / mp.exp(mp.mpf(number)) - 1) < 1024 * SMALL
        for place, step in enumerate(steps.tolist()):
            angle = 2 * mp.pi * step / points
            assert abs(exactly(re, place) - mp.cos(angle)) < 1024 * SMALL
            assert abs(exactly(im, place) - mp.sin(angle)) < 1024 * SMALL


def chain(n: int) -> RepeatingChain:
    possible = np.ones((n, 2), dtype=np.bool_)
    return RepeatingChain(n, np.array([0.8, 0.2]), np.array([REPELLING]), np.array([[0, 1]]), 0, 1, possible)


def test_a_million_steps_lose_no_digit_of_extended_numbers() -> None:
    n, points, turn, tilt = 1_000_000, 3072, 5, 2.0**-9
    tilted = tilted_steps(chain(n), np.array([tilt]), 200)
    assert tilted.doubled is not None
    waves = turned_pairs(np.array([[0], [turn]]) * np.array([0, 1]), points)
    (step,) = tilted.doubled
    doubled = complex_matrices(*(step[:, None].times(each[None, :, None, :]) for each in waves))
    steps = np.zeros((1, 2, 2, 2), dtype=np.clongdouble)
    found = product([steps], [doubled], 0, n - 1)[0]
    with mp.workdps(60):
        raw = mp.matrix(
            [
                [mp.mpf(p) * mp.exp(tilt * s) * mp.expj(2 * mp.pi * turn * s / points) for s, p in enumerate(row)]
                for row in REPELLING
            ]
        )
        plain = mp.matrix([[mp.mpf(p) * mp.exp(tilt * s) for s, p in enumerate(row)] for row in REPELLING])
        turned, still = raw ** (n - 1), plain ** (n - 1)
        for one in range(2):
            for other in range(2):
                # Because Perron vectors and factors stand on both, and cancel.
                truth, own = turned[one, other] / still[one, other], found[1, one, other] / found[0, one, other]
                assert abs(mp.mpc(complex(own)) - truth) < 1e-15
                shown = exactly_complex(found[1, one, other]) / exactly_complex(found[0, one, other])
                assert abs(shown - truth) < 20 * ROUNDING * abs(truth)


def exactly_complex(number: Any) -> Any:
    parts = [
        mp.mpf(float(part)) + mp.mpf(float(part - np.longdouble(float(part)))) for part in (number.real, number.imag)
    ]
    return mp.mpc(*parts)


def test_the_law_about_the_mean_of_a_million_records() -> None:
    window = chain_window(chain(1_000_000), 0.0)
    assert window is not None
    for row in (0, window.places.between[0], len(window.places) - 1):
        law = window.law(row)
        assert law.error < 1e-12
        assert law.floor is None
        assert float(window.drift[row]) < 1e-13
        # All masses add up to one, given either value.
        np.testing.assert_allclose(np.exp(law.log_mass()).sum(axis=1), 1.0, rtol=1e-12)
