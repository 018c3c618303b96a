"""Measurements of the real library, as releases of ours: what it draws has the law that we read."""

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

import dalenius as dl
from dalenius.channel import Release
from dalenius.errors import InputError
from dalenius.measurements import Unread, conversion_of
from dalenius.noise import Noise
from tests.measurements.made import BIT, INTS, READ, REALS, TEXTS, UNREAD, dp
from tests.reference import leakages
from tests.reference.reported import channels, randomized_response

HOMES = dl.Households(count=3, infected=(0.9, 0.04, 0.0, 0.0, 0.06))
DATA = [0, 1, 0, 0, 1, 1, 1, 1, 0, 0, 0, 1]
DRAWS = 3000
CLOSE = 2.2 / DRAWS**0.5
"""A Kolmogorov distance beyond which the law is another, by chance once in 8,000."""


def exact(release: Release) -> list[float]:
    """Of the twelve records in DATA."""
    (law,) = (belief for belief in release.model.joints())
    values = [value for stratum in law.strata() for value in stratum.values]
    rows = [[float(score) for score in release.scores.exact[values.index(each)]] for each in DATA]
    return [sum(column) for column in zip(*rows, strict=True)]


def cumulative(noise: Noise, worse: float) -> Any:
    """Of the noise, by scipy; worse: a factor of its scale."""
    scale = noise.known_scale() * worse
    match noise.kind:
        case "geometric":
            return stats.dlaplace(1 / scale).cdf
        case "laplace":
            return stats.laplace(scale=scale).cdf
        case "gaussian":
            return stats.norm(scale=scale).cdf
        case _:
            k = np.arange(-400, 401)
            chances = np.exp(-(k**2) / (2 * scale**2))
            return lambda at: np.interp(at, k, np.cumsum(chances / chances.sum()))


def draws(name: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    data: list[Any] = DATA
    if name == "texts":
        data = [str(each) for each in DATA]
    elif name.startswith(("real", "mean")):
        data = [float(each) for each in DATA]
    return np.array([np.ravel(READ[name](data)) for _ in range(DRAWS)], dtype=np.float64)


@pytest.mark.parametrize("name", [*READ])
def test_the_library_draws_the_law_that_is_read(name: str) -> None:
    release = Release.of(HOMES, READ[name])
    answers, noises = exact(release), release.noise.by_coordinate(len(release.names))
    drawn = draws(name)
    # A cell that nobody can be in, such as that of sevens, is no answer of ours: it is noise alone.
    kept = drawn if drawn.shape[1] == len(answers) else drawn[:, : len(answers)]
    for column, answer, noise in zip(kept.T, answers, noises, strict=True):
        for worse, is_it in ((1.0, True), (1.6, False)):
            at = np.unique(column)
            seen = np.searchsorted(np.sort(column), at, side="right") / DRAWS
            assert (np.max(np.abs(seen - cumulative(noise, worse)(at - answer))) < CLOSE) == is_it


def test_what_is_read_is_the_release_by_hand() -> None:
    homes = dl.Households(count=250, infected=(0.9, 0.04, 0.0, 0.0, 0.06))
    found = dl.InferentialPrivacy().leakage(Release.of(homes, READ["bits, laplace"]))
    assert found.upper == pytest.approx(1.861652, abs=1e-6)
    by_map = conversion_of(homes, READ["bits, laplace"]).epsilon(0.0).value
    assert by_map.upper == pytest.approx(3.800166, abs=1e-6)
    kinds = {name: (made.query.kind, made.noise.kind) for name, made in ((n, Release.of(HOMES, READ[n])) for n in READ)}
    assert kinds == {
        "bits, laplace": ("count", "geometric"),
        "bits, gaussian": ("count", "discrete_gaussian"),
        "bits by change": ("count", "geometric"),
        "equal": ("count", "geometric"),
        "texts": ("count", "geometric"),
        "real bits, laplace": ("count", "laplace"),
        "real bits, gaussian": ("count", "gaussian"),
        "mean": ("mean", "laplace"),
        "mean of resized": ("mean", "gaussian"),
        "cells": ("histogram", "geometric"),
        "a cell and the rest, gaussian": ("histogram", "discrete_gaussian"),
        "everybody": ("count", "geometric"),
        "restated": ("count", "discrete_gaussian"),
        "two": ("several", "separate"),
    }


def test_a_clamped_sum_is_a_sum() -> None:
    ages = dl.Independent(values=(3, 20, 70), probabilities=((0.2, 0.5, 0.3),) * 2)
    made = INTS >> dp.t.then_clamp((18, 65)) >> dp.t.then_sum() >> dp.m.then_laplace(scale=20.0)
    found = Release.of(ages, made)
    assert found.query == dl.Sum(lower=18.0, upper=65.0)
    assert dl.InferentialPrivacy().leakage(found).upper == pytest.approx(47 / 20)
    twice = INTS >> dp.t.then_clamp((0, 10)) >> dp.t.then_clamp((5, 99)) >> dp.t.then_sum()
    with pytest.raises(Unread, match=r"make_clamp, .* it changes values, and not to 0 and 1"):
        Release.of(ages, twice >> dp.m.then_laplace(scale=20.0))


def test_randomised_response_of_one_record_is_its_matrix() -> None:
    alone = dl.Independent(probabilities=(0.3,))
    found = Release.of(alone, dp.m.make_randomized_response_bool(0.75))
    assert dl.InferentialPrivacy().leakage(found).upper == pytest.approx(np.log(3))
    three = dl.Independent(values=(0, 1, 2), probabilities=((0.2, 0.5, 0.3),))
    found = Release.of(three, dp.m.make_randomized_response([0, 1, 2], 0.75))
    assert dl.InferentialPrivacy().leakage(found).upper == pytest.approx(np.log(6))


def test_randomised_response_of_many_people_is_their_reports_in_order() -> None:
    homes = dl.Households(count=2, infected=(0.8, 0.1, 0.1))
    home = {(0, 0): Fraction(4, 5), (0, 1): Fraction(1, 20), (1, 0): Fraction(1, 20), (1, 1): Fraction(1, 10)}
    everybody = {one + other: p * q for one, p in home.items() for other, q in home.items()}
    response = randomized_response((0, 1), Fraction(3, 4))
    # The sum of these scores is the list of all reports.
    told = channels(everybody, [response] * 4, lambda person, value: tuple(value * (own == person) for own in range(4)))
    truth = max(float(leakages.inferential(own).value) for own in told)
    found = Release.of(homes, dp.m.make_randomized_response_bool(0.75))
    assert (found.query, found.noise.kind) == (dl.Reports(), "randomized_response")
    leakage = dl.InferentialPrivacy().leakage(found)
    assert leakage.lower - 1e-9 <= truth <= leakage.upper + 1e-9


@pytest.mark.parametrize("categories", [("well", "ill", "dead"), (0, 1, 2), (2, 0, 1, 5)])
def test_the_library_draws_the_reports_that_are_read(categories: tuple[Any, ...]) -> None:
    values = categories[:3]
    people = dl.Independent(values=values, probabilities=((0.2, 0.5, 0.3),) * 2)
    made = dp.m.make_randomized_response(list(categories), 0.6)
    reports = Release.of(people, made).noise.reports(values)
    assert reports is not None
    for value, row in zip(values, reports.rows, strict=True):
        drawn = Counter(made(value) for _ in range(DRAWS))
        seen, chances = [drawn[each] for each in reports.values], np.array(row, dtype=float)
        assert stats.chisquare(seen, DRAWS * chances).pvalue > 1e-9
        assert stats.chisquare(seen, DRAWS * (0.5 * chances + 0.5 / len(chances))).pvalue < 1e-9


@pytest.mark.parametrize("name", [*UNREAD])
def test_a_constructor_that_is_not_read_is_named(name: str) -> None:
    made, why = UNREAD[name]
    with pytest.raises(Unread) as caught:
        Release.of(HOMES, made)
    assert str(caught.value) == (
        f"measurement: {name}, wanted constructors that are read: {why}; its map bounds what it leaks"
    )


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (dp.m.make_randomized_response([1, 2], 0.75), "the model's records have values that are not among its numbers"),
        (dp.c.make_composition([dp.m.make_randomized_response_bool(0.75)] * 2),
         "everybody's reports are read alone, and not beside other answers"),
        (dp.m.make_laplace(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale=1.0), "its input is no data set"),
        (TEXTS >> dp.t.then_count_by_categories(categories=["a"], null_category=False) >> dp.m.then_laplace(scale=1.0),
         "no value of the model is in its categories"),
        (REALS >> dp.t.then_clamp((0.1, 1.0)) >> dp.t.then_sum() >> dp.m.then_laplace(scale=1e-4),
         "sums of doubles are rounded, by up to 2e-14"),
    ],
)  # fmt: skip
def test_what_is_not_read_says_why(made: Any, message: str) -> None:
    with pytest.raises(Unread, match=message):
        Release.of(HOMES, made)


def test_the_number_of_records_must_be_the_models() -> None:
    twenty = dl.Households(count=5, infected=(0.9, 0.04, 0.0, 0.0, 0.06))
    with pytest.raises(InputError, match="measurement: 12 records, wanted the 20 that the model has"):
        Release.of(twenty, READ["bits by change"])


@pytest.mark.parametrize("given", ["m.json", SUM := INTS >> BIT >> dp.t.then_sum()])
def test_other_things_than_measurements_are_refused(given: Any) -> None:
    with pytest.raises(InputError, match=f"measurement: {type(given).__name__}, wanted a Measurement of OpenDP"):
        Release.of(HOMES, given)
