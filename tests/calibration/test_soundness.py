"""A method that says it is sound keeps its promise: on random models, not by assertion.

Notions and noises written outside the package: no theorem serves them unless they say so, and audits still hold.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from math import inf
from typing import Literal, final

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

import dalenius as dl
from dalenius.arrays import Array, IntArray
from dalenius.bounds import Enclosure
from dalenius.channel import Found, Likelihoods, peak, supremum
from dalenius.laws.integrals.convex_functionals import Functional
from dalenius.laws.integrals.functionals_over_outputs import over_points
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Law
from dalenius.laws.neighbours import Neighbours
from dalenius.laws.sums import Sums
from dalenius.models import Model
from dalenius.noise import Mechanism, Noise
from dalenius.noise.error_law import ErrorLaw
from dalenius.notions import Notion
from dalenius.queries import Query
from tests.conformance.scores import Unfit
from tests.conformance.strategies import models, queries
from tests.conformance.table import PAIR, XOR, truth_of
from tests.pace import draws

PUBLISHED = [method.name for method in dl.METHODS if not method.reads_channel]
EPSILONS = st.sampled_from([0.1, 0.5, 0.8, 1.0, 2.5, 6.0])
KINDS: tuple[Callable[..., Notion], ...] = (
    dl.InferentialPrivacy,
    dl.InferentialPrivacy,
    dl.InferentialPrivacy,
    dl.InformationPrivacy,
    dl.RelativeEntropyPrivacy,
    dl.MutualInformationPrivacy,
    dl.MinEntropyPrivacy,
    dl.DifferentialPrivacy,
    partial(dl.InferentialPrivacy, delta=0.05),
)
NOTIONS: st.SearchStrategy[Notion] = st.builds(
    lambda kind, epsilon: kind(epsilon=epsilon), st.sampled_from(KINDS), EPSILONS
)
NOISES: st.SearchStrategy[Noise] = st.sampled_from([dl.Laplace(), dl.Geometric()])


def keeps_what_it_says(model: Model, query: Query, noise: Noise, notion: Notion) -> None:
    try:
        truth_of(model, query, dl.NoNoise())
    except Unfit:
        assume(False)
    release = dl.Release(model, query, noise)
    epsilon = notion.epsilon
    assert epsilon is not None
    for name in PUBLISHED:
        try:
            found = dl.calibrate(release, notion, name)
        except dl.DaleniusError:
            continue
        if found.sound:
            assert found.leakage.upper <= epsilon * (1 + 1e-9), name


@pytest.mark.lengthy
@draws(200)
@given(model=models(7), query=queries(), noise=NOISES, notion=NOTIONS)
def test_what_is_called_sound_is(model: Model, query: Query, noise: Noise, notion: Notion) -> None:
    keeps_what_it_says(model, query, noise, notion)


@draws(40)
@given(model=models(4), query=queries(per_label=st.just(False)), noise=NOISES, epsilon=EPSILONS)
def test_sound_whatever_else_is_known(model: Model, query: Query, noise: Noise, epsilon: float) -> None:
    keeps_what_it_says(model, query, noise, dl.BayesianPrivacy(epsilon=epsilon))


def test_the_test_can_fail() -> None:
    """What is not sound does exceed its promise somewhere, so that calling it sound would be noticed."""
    rare = 0.01 * 20 / 21
    household = dl.Households(count=1, infected=[0.99, rare, *[0.0] * 18, 0.01 - rare])
    notion = dl.InferentialPrivacy(epsilon=1)
    for name in ("independent", "dependence_coefficient"):
        assert dl.calibrate(dl.Release(household, dl.Count(), dl.Laplace()), notion, name).leakage.lower > 1.3
    assert dl.calibrate(dl.Release(XOR, dl.Sum(), dl.Laplace()), notion, "dependence_coefficient").leakage.lower > 1.4


def test_some_methods_are_tight_somewhere() -> None:
    """A thousandth less noise breaks the promise: of two equal records, or of a chain with nothing to part."""
    fair = dl.Chain(n=8, transition=[[0.5, 0.5], [0.5, 0.5]], initial="stationary")
    notion = dl.InferentialPrivacy(epsilon=1)
    for name, model in (("group", PAIR), ("wasserstein", PAIR), ("markov_quilt", fair)):
        release = dl.Release(model, dl.Sum(), dl.Laplace())
        found = dl.calibrate(release, notion, name)
        less = found.noise.with_scale(found.noise.known_scale() * 0.999)
        assert notion.leakage(release.with_noise(less)).lower > 1


@final
class LoweringPrivacy(Notion):
    """log Pr[S=s] / Pr[S=s | Y=y] <= epsilon."""

    kind: Literal["lowering"] = "lowering"

    def leakage_of(self, channel: dl.Channel) -> dl.Leakage:
        return supremum(self._read, channel.finite(self.kind))

    def _read(self, seen: Likelihoods) -> dl.Leakage:
        loss = np.where(seen.possible, seen.mixture - seen.relative, -np.inf)
        value, (secret, output) = peak(loss, seen.possible, 2 * seen.error)
        return dl.Leakage.of(Found(value, seen.witness(secret=seen.secrets[secret], output=seen.output(output))))


@final
class UntoldMechanism(Mechanism):
    def likelihood(self, law: Law) -> Law:
        return law

    def integral(self, functional: Functional, likelihood: Law) -> Enclosure:
        return over_points(functional, likelihood)

    def neighbour_loss(self, neighbours: Neighbours) -> Enclosure:
        return Enclosure(0.0, self.noise.privacy_loss(neighbours.distances))

    def leaves_exact(self, answers: Sums | None) -> bool:
        return True


@final
class NoError(ErrorLaw):
    def mean_moves(self, indices: IntArray) -> Array:
        return np.zeros(len(indices))


@final
class Untold(Noise):
    """The exact answer, by an author who says no more of it than has to be said."""

    kind: Literal["untold"] = "untold"

    def mechanism(self, lattice: Lattice) -> UntoldMechanism:
        return UntoldMechanism(self, lattice)

    def error(self, step: Fraction) -> NoError:
        return NoError()

    def privacy_loss(self, distances: Sequence[Fraction]) -> float:
        return inf if any(distances) else 0.0

    def group_loss(self, distance: Fraction, axes: int) -> float:
        return inf if distance else 0.0

    def draw(self, answer: Sequence[int], lattice: Lattice) -> tuple[Fraction, ...]:
        return tuple(index * step for index, step in zip(answer, lattice.steps, strict=True))


CHAIN = dl.Chain(n=4, initial="stationary", transition=[[0.8, 0.2], [0.3, 0.7]])
FREE = dl.Independent(probabilities=[0.3, 0.6, 0.5])


def test_a_theorem_proves_nothing_for_a_notion_it_does_not_know() -> None:
    """And where it needs more than any notion has, it refuses; so do theorems about an absent person."""
    release, notion = dl.Release(FREE, dl.Count(), dl.Laplace()), LoweringPrivacy(epsilon=0.5)
    for method in ("independent", "group", "wasserstein", "influence_curve"):
        found = dl.calibrate(release, notion, method)
        assert (found.sound, found.why) == (False, "the theorem says nothing of lowering privacy")
    for method, key in (("optimal", "notion.kind"), ("clamped", "notion.kind"), ("gaussian", "notion.delta")):
        with pytest.raises(dl.InputError, match=key):
            dl.calibrate(release, notion, method)
    absent = dl.Release(dl.Absent(answers=[1, 2, 4]), None, dl.Laplace())
    for method, wanted in (("prior_free", "identifiability"), ("lee_clifton", "rho")):
        with pytest.raises(dl.InputError, match=rf"notion.kind.*{wanted}"):
            dl.calibrate(absent, notion, method)


def test_the_exact_method_serves_every_notion() -> None:
    release, notion = dl.Release(FREE, dl.Count(), dl.Geometric()), LoweringPrivacy(epsilon=0.5)
    found = dl.calibrate(release, notion)
    less = found.noise.with_scale(0.99 * found.noise.known_scale())
    assert found.sound
    assert found.leakage.upper <= 0.5 < notion.leakage(release.with_noise(less)).upper
    with pytest.raises(dl.Refused, match="without noise the answer leaks ∞, promised 0"):
        dl.calibrate(release, notion, "noiseless")


@pytest.mark.parametrize("model", [FREE, CHAIN])
def test_an_audit_of_a_noise_that_says_little_of_itself(model: Model) -> None:
    said, untold = (dl.Release(model, dl.Count(), noise) for noise in (dl.NoNoise(), Untold()))
    wanted, found = dl.audit(said), dl.audit(untold)
    for kind in wanted.keys() - {"differential"}:
        assert found[kind].lower == pytest.approx(wanted[kind].lower)
        assert found[kind].upper == pytest.approx(wanted[kind].upper)
    for notion in (
        dl.BayesianPrivacy(),
        dl.NoiselessPrivacy(delta=0.3),
        dl.NoiselessPrivacy(delta=0.3, known_fraction=0.5),
    ):
        one, other = notion.leakage(said), notion.leakage(untold)
        assert other.lower <= one.upper * (1 + 1e-9)
        assert other.upper >= one.lower * (1 - 1e-9)


def test_no_scale_is_chosen_for_a_noise_that_has_none() -> None:
    for method in ("group", "wasserstein", "exact"):
        with pytest.raises(dl.InputError, match=r"noise.kind.*a noise with a scale: laplace, geometric or gaussian"):
            dl.calibrate(dl.Release(FREE, dl.Count(), Untold()), dl.InferentialPrivacy(epsilon=0.5), method)
