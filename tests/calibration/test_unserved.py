"""Notions and noises written outside the package: no theorem serves them unless they say so, and audits still hold."""

from collections.abc import Sequence
from fractions import Fraction
from math import inf
from typing import Literal, final

import numpy as np
import pytest

import dalenius as dl
from dalenius.bounds import Enclosure
from dalenius.channel import Found, Likelihoods, peak, supremum
from dalenius.laws.integrals.functionals import Functional
from dalenius.laws.integrals.outputs import over_points
from dalenius.laws.lattice import Lattice, Sums
from dalenius.laws.law import Array, IntArray, Law
from dalenius.laws.matrix import Neighbours
from dalenius.models import Model
from dalenius.noise import Noise
from dalenius.notions import Notion


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
class Untold(Noise):
    """The exact answer, by an author who says no more of it than has to be said."""

    kind: Literal["untold"] = "untold"

    def likelihood(self, law: Law, lattice: Lattice) -> Law:
        return law

    def integral(self, functional: Functional, likelihood: Law, lattice: Lattice) -> Enclosure:
        return over_points(functional, likelihood)

    def privacy_loss(self, distances: Sequence[Fraction]) -> float:
        return inf if any(distances) else 0.0

    def group_loss(self, distance: Fraction, axes: int) -> float:
        return inf if distance else 0.0

    def neighbour_loss(self, neighbours: Neighbours, lattice: Lattice) -> Enclosure:
        return Enclosure(0.0, self.privacy_loss(neighbours.distances))

    def leaves_exact(self, answers: Sums | None, step: Fraction) -> bool:
        return True

    def mean_moves(self, indices: IntArray, step: Fraction) -> Array:
        return np.zeros(len(indices))

    @property
    def outcome(self) -> str:
        return "answer"

    def expected_error(self, lattice: Lattice) -> float:
        return 0.0

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
