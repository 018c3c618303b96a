"""The posterior of every person at outputs of every noise, against Bayes' rule in fractions and 60 digits."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

import pytest

from dalenius.bounds import Enclosure
from dalenius.channel import Release, Update, posterior
from dalenius.models import Chain, Households, Independent, Model, Table
from dalenius.noise import Kernel, Noise
from dalenius.notions import InferentialPrivacy, InformationPrivacy
from dalenius.optimum.clamped_noise import Clamped
from dalenius.queries import Count, Histogram, Max, Query, Sum
from tests.cases import in_turn
from tests.conformance.comparison import assert_agrees
from tests.conformance.scores import Unfit
from tests.conformance.shared import exact_truth, shared_truth
from tests.conformance.table import MODELS, NOISES, OFFICE_RULES, PAIR, QUERIES, XOR, examples, fits, truth_of
from tests.conformance.truth import Truth
from tests.pace import covering, one_in
from tests.reference.channel import Channel, Real, mp, real
from tests.reference.joints import Value
from tests.reference.tail import gain

ROWS = tuple((0.5 + 0.04 * row, 0.2, 0.3 - 0.04 * row) if row < 7 else (0.0, 0.25, 0.75) for row in range(12))
EVERYWHERE: dict[str, Noise] = {name: examples(NOISES)[name] for name in ("laplace", "geometric", "none")}
ELSEWHERE = OFFICE_RULES | {"noisy max", "discrete gaussian"}
"""Noises whose outputs the reference names otherwise, or that serve one answer or several only: tested elsewhere."""
MORE: dict[str, Noise] = {
    **{name: noise for name, noise in examples(NOISES).items() if name not in ELSEWHERE},
    "kernel": Kernel(answers=tuple(range(12)), probabilities=ROWS),
    "clamped far out": Clamped(scale=0.8, lower=-2, upper=7),
    "clamped without noise": Clamped(scale=0, lower=1, upper=2),
}
SMALL: dict[str, tuple[Model, Query]] = {
    "pair": (PAIR, Count()),
    "exclusive or": (XOR, Count()),
    "households": (Households(count=2, infected=[0.9, 0.04, 0.0, 0.06]), Count()),
    "chain": (Chain(n=4, transition=[[0.8, 0.2], [0.4, 0.6]], initial="stationary"), Count()),
    "values": (Independent(values=[0, 1, 3], probabilities=[[0.2, 0.3, 0.5], [0.0, 1e-12, 1 - 1e-12]]), Sum()),
    "two cells": (Table(records=[[0, 1], [1, 2], [2, 2]], probabilities=[0.5, 0.3, 0.2]), Histogram(cells=[[0], [1]])),
    "the most": (Table(records=[[0, 1], [1, 2], [2, 2]], probabilities=[0.5, 0.3, 0.2]), Max()),
}
LEVEL = mp.mpf("1e-9")
NEXT_TO_NOTHING = mp.mpf("2e-12")
"""As wide as what an output leaks, and how much it moves the odds, may be where that is almost 0."""


def outputs(truth: Truth, noise: Noise) -> Iterator[tuple[tuple[Fraction, ...], tuple[Fraction, ...]]]:
    """Some outputs, as the reference names them and as they are released."""
    channel = truth.channels[0]
    if channel.noise.finite and channel.noise.additive:
        yield from ((each, each) for each in channel.candidates)
    elif channel.noise.finite:
        lower = Fraction(str(getattr(noise, "lower", 0)))
        steps = (Fraction(1),) * truth.axes if isinstance(noise, Kernel) else truth.asked[0].steps
        for columns in channel.candidates:
            yield columns, tuple(lower + column * step for column, step in zip(columns, steps, strict=True))
    else:
        for each in product(*(_along(axis, truth, i) for i, axis in enumerate(channel.axes))):
            yield each, each


def some(truth: Truth, noise: Noise, most: int) -> list[tuple[tuple[Fraction, ...], tuple[Fraction, ...]]]:
    """So many of them, from all over."""
    found = list(outputs(truth, noise))
    return found[:: max(1, len(found) // most)]


def _along(axis: list[Fraction], truth: Truth, coordinate: int) -> list[Fraction]:
    step = truth.asked[0].steps[coordinate]
    found = [axis[0] - 3 * step, axis[0], axis[-1], axis[-1] + 2 * step]
    if truth.reference_noise.density:
        found += [axis[0] + step / 4, (axis[0] + axis[-1]) / 2 + step * Fraction(3, 7), axis[-1] + Fraction(1, 3)]
    return sorted(set(found))


def named(value: Value | int | float | str) -> Value:
    return value if isinstance(value, str) else Fraction(str(float(value)))


def after(channel: Channel, output: Sequence[Real]) -> tuple[dict[Value, Real], dict[Value, Real], Real]:
    """Posteriors, posterior over prior, and W(y)."""
    likelihoods = channel.likelihoods(output)
    mixed = channel.mixture(likelihoods)
    ratios = {secret: value / mixed for secret, value in likelihoods.items()}
    posteriors = {secret: ratio * channel.weights[secret] for secret, ratio in ratios.items()}
    return posteriors, ratios, mixed


def leak(channel: Channel, output: Sequence[Real]) -> Real:
    return gain(channel, channel.likelihoods(output))


def check_update(update: Update, channel: Channel, output: Sequence[Fraction]) -> None:
    posteriors, ratios, _ = after(channel, output)
    assert {named(each.value) for each in update.values} == {named(value) for value in posteriors}
    by_name = {named(value): number for value, number in posteriors.items()}
    priors = {named(value): number for value, number in channel.prior.items()}
    for each in update.values:
        truth = by_name[named(each.value)]
        assert each.prior == pytest.approx(float(priors[named(each.value)]), rel=1e-12)
        assert mp.mpf(each.posterior.lower) <= truth * (1 + mp.mpf("1e-15")) + mp.mpf("1e-320")
        assert mp.mpf(each.posterior.upper) >= truth * (1 - mp.mpf("1e-15"))
        assert each.posterior.upper - each.posterior.lower <= 1e-9
    assert sum(each.posterior.middle for each in update.values) == pytest.approx(1, abs=1e-9)
    assert_agrees(update.leaks, max(mp.log(max(ratios.values())), mp.zero), width=NEXT_TO_NOTHING)
    least = min(ratios.values())
    odds = mp.inf if least == 0 and len(ratios) > 1 else mp.log(max(ratios.values()) / least)
    assert_agrees(update.odds, odds, width=NEXT_TO_NOTHING)


def check(release: Release, truth: Truth, output: Sequence[Fraction], released: Sequence[Fraction]) -> None:
    found = posterior(release, released)
    assert len(found.laws) == len(truth.people)
    for block, people in zip(found.laws, truth.people, strict=True):
        if block.likelihood is None:
            assert any(channel.mixture(channel.likelihoods(output)) == 0 for channel in people)
            continue
        for update in block.people:
            check_update(update, people[update.person - 1], output)


def table() -> list[tuple[str, str, str]]:
    found = []
    for model, query in product(examples(MODELS), examples(QUERIES)):
        try:
            truth = exact_truth(model, query)
        except Unfit:
            continue
        if truth.axes <= 2:
            found += [(model, query, noise) for noise in EVERYWHERE if fits(query, noise)]
    return found


@pytest.mark.parametrize(("model", "query", "noise"), covering(table()))
def test_every_model_and_query(model: str, query: str, noise: str) -> None:
    asked = examples(MODELS)[model], examples(QUERIES)[query], EVERYWHERE[noise]
    truth, release = shared_truth(model, query, noise), Release(*asked)
    for output, released in some(truth, asked[2], 4):
        check(release, truth, output, released)


def cases() -> list[tuple[str, str]]:
    return [(name, noise) for name, noise in product(SMALL, MORE) if not (noise == "gaussian" and name == "two cells")]


@pytest.mark.parametrize(("name", "noise"), covering(cases()))
def test_every_noise(name: str, noise: str) -> None:
    asked = *SMALL[name], MORE[noise]
    truth, release = truth_of(*asked), Release(*asked)
    for output, released in some(truth, asked[2], 6):
        check(release, truth, output, released)


@pytest.mark.parametrize(("name", "noise"), covering([case for case in cases() if case[0] != "values"]))
def test_likelihood(name: str, noise: str) -> None:
    """Where every coordinate is moved by somebody it is the whole output's."""
    asked = *SMALL[name], MORE[noise]
    truth, release = truth_of(*asked), Release(*asked)
    for output, released in some(truth, asked[2], 4):
        (block,) = posterior(release, released).laws
        assert block.likelihood is not None
        channel = truth.people[0][0]
        value = mp.log(channel.mixture(channel.likelihoods(output)))
        assert block.likelihood.lower - 1e-15 <= value <= block.likelihood.upper + 1e-15
        assert block.likelihood.upper - block.likelihood.lower < 1e-9


DISCRETE = ("geometric", "none", "kernel", "clamped", "clamped far out", "clamped without noise", "relocation")


def every_output(channel: Channel, noise: Noise, truth: Truth) -> list[tuple[Fraction, ...]]:
    if channel.noise.finite:
        return channel.candidates
    reach = 40 if truth.axes == 1 else 14
    steps = truth.asked[0].steps
    return list(
        product(
            *(
                [axis[0] + k * step for k in range(-reach, int((axis[-1] - axis[0]) / step) + reach + 1)]
                for axis, step in zip(channel.axes, steps, strict=True)
            )
        )
    )


@pytest.mark.parametrize(("noise", "name"), covering(product(DISCRETE, ["households", "values", "two cells"])))
def test_where_answers_stand_among_points(name: str, noise: str) -> None:
    asked = *SMALL[name], MORE[noise]
    truth, release = truth_of(*asked), Release(*asked)
    everything: dict[int, list[tuple[tuple[Fraction, ...], Real, Real]]] = {}
    left = 0.0 if noise != "geometric" else 1e-12 if truth.axes == 1 else 1e-4
    for output, released in some(truth, asked[2], 4):
        (block,) = posterior(release, released).laws
        assert block.stands is not None
        assert block.most is not None
        person = block.stands.person
        assert person == block.most.person
        channel = truth.people[0][person - 1]
        if person not in everything:
            points = every_output(channel, asked[2], truth)
            everything[person] = [(point, leak(channel, point), after(channel, point)[2]) for point in points]
        own = leak(channel, output)
        level = own - 2 * LEVEL * max(1, own)
        agrees(block.stands.leaks, mp.fsum(mass for _, much, mass in everything[person] if much >= level), left)
        for axis, sides in enumerate(block.stands.sides):
            assert sides is not None
            for side, compare in ((sides.at_most, Fraction.__le__), (sides.at_least, Fraction.__ge__)):
                masses = (mass for point, _, mass in everything[person] if compare(point[axis], output[axis]))
                agrees(side, mp.fsum(masses), left)


def agrees(found: Enclosure | None, truth: Real, left: float = 0.0) -> None:
    """left: what the reference leaves out."""
    assert found is not None
    assert found.lower - left - 1e-15 <= truth <= found.upper + left + 1e-15
    assert found.upper - found.lower <= 1e-9


@pytest.mark.parametrize(
    ("noise", "name"), one_in(6, product(["laplace", "gaussian"], ["exclusive or", "households", "values"]))
)
def test_where_answers_stand_on_the_line(name: str, noise: str) -> None:
    asked = *SMALL[name], MORE[noise]
    truth, release = truth_of(*asked), Release(*asked)
    with mp.workdps(20):
        for released in (Fraction(-1, 2), Fraction(7, 3)):
            check_on_the_line(release, truth, released)


def check_on_the_line(release: Release, truth: Truth, released: Fraction) -> None:
    (block,) = posterior(release, [released]).laws
    assert block.stands is not None
    channel = truth.people[0][block.stands.person - 1]
    leaks = next(each for each in block.people if each.person == block.stands.person).leaks
    assert leaks.lower <= leak(channel, [released]) <= leaks.upper <= leaks.lower + LEVEL
    # Along a line the chance to leak as much hangs on the level itself, which is the least that this output may leak.
    level = real(leaks.lower - 1e-9 * max(1.0, leaks.lower))
    agrees(block.stands.leaks, channel.noise.probability(channel, lambda found: gain(channel, found) - level), 1e-15)
    (sides,) = block.stands.sides
    assert sides is not None
    end = real(channel.axes[0][-1]) + 60
    cuts = [real(released), *(knot for knot in map(real, channel.axes[0]) if knot > released), end]
    above = mp.quad(lambda y: channel.mixture(channel.likelihoods([y])), cuts)
    agrees(sides.at_least, above, 1e-10)
    assert sides.at_least.middle + sides.at_most.middle == pytest.approx(1, abs=1e-12)


@in_turn(
    {
        "noise": ["laplace", "geometric", "none", "clamped", "kernel", "relocation"],
        "name": ["pair", "households", "two cells"],
    }
)
def test_the_largest_over_outputs_is_what_audit_says(name: str, noise: str) -> None:
    release = Release(*SMALL[name], MORE[noise])
    for notion in (InformationPrivacy(), InferentialPrivacy()):
        leakage = notion.leakage(release)
        assert leakage.witness is not None
        assert leakage.witness.output is not None
        (block,) = posterior(release, leakage.witness.output).laws
        (own,) = [each for each in block.people if each.person == leakage.witness.person]
        value = own.leaks if isinstance(notion, InformationPrivacy) else own.odds
        assert value.lower <= leakage.upper
        assert value.upper >= leakage.lower
        assert value.middle == pytest.approx(leakage.epsilon, abs=1e-9)
