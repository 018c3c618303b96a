"""The channel of who is absent as a table: one secret per class of people with the same answer."""

from fractions import Fraction
from typing import Final

import numpy as np

from dalenius.absent.model import Missing
from dalenius.absent.prior import KnownPrior
from dalenius.bounds import UNIT
from dalenius.channel.finite.channel import FiniteChannel
from dalenius.channel.finite.likelihoods import counted
from dalenius.channel.sensitivity import Spread
from dalenius.errors import Meaningless, TooLarge
from dalenius.joints import Subject
from dalenius.laws.law import Law
from dalenius.noise import Noise

MOST_CELLS: Final = 1 << 24
"""Classes of people times lattice points between their answers."""


def tabled(missing: Missing, noise: Noise, name: str) -> FiniteChannel:
    """All likelihoods. Meaningless where no single prior, or no lattice, is known; TooLarge for many classes on a long
    lattice."""
    prior = known_prior(missing)
    if missing.lattice is None:
        raise Meaningless("model.answers", "on no known lattice", "whole numbers, or few different answers, here")
    if _points(missing) * len(missing.offsets) > MOST_CELLS:
        size = f"{len(missing.offsets):,} different answers on {_points(missing):,} lattice points"
        raise TooLarge("the likelihoods of every answer", size, "ask for identifiability, rho or information")
    subject = subject_of(missing, prior)
    secrets = subject.secrets
    likelihood = counted(noise.likelihood(_law(missing), missing.lattice), subject)
    span = (Fraction(missing.span),)
    spread = Spread((secrets[0], secrets[-1]), span, span)
    # Under log-concave noise the two outermost answers are distinguished best.
    ends = ((len(secrets) - 1, 0),) if len(secrets) > 1 and noise.log_concave else None
    return FiniteChannel(subject, lambda: likelihood, missing.lattice, noise, spread, (name,), ends)


def known_prior(missing: Missing) -> KnownPrior:
    """The prior on who is absent. Meaningless where only bounds on it are known."""
    prior = missing.prior
    if not isinstance(prior, KnownPrior):
        shown = f"min {float(prior.least):g}, max {float(prior.greatest):g}"
        raise Meaningless("model.prior", shown, "uniform or a list here: bounds serve identifiability and rho")
    return prior


def subject_of(missing: Missing, prior: KnownPrior) -> Subject:
    """The secret who is absent, one value per class."""
    log_prior = np.log(prior.masses / prior.total)
    secrets = tuple(int(number) or missing.answer(place) for place, number in enumerate(missing.firsts))
    people = int(missing.people.sum())
    guesses = np.log(prior.likeliest / prior.total)
    with np.errstate(divide="ignore"):
        others = np.log(prior.rest / prior.total)
    return Subject(
        0, people, 0, secrets, log_prior, people, "whoever is absent", 0.0, "absent person", guesses, others
    )  # fmt: skip


def _points(missing: Missing) -> int:
    step = missing.lattice.steps[0] if missing.lattice is not None else Fraction(1)
    return round(missing.span / float(step)) + 1


def _law(missing: Missing) -> Law:
    """A point mass for each class."""
    assert missing.lattice is not None
    step = missing.lattice.steps[0]
    places = np.rint((missing.offsets - missing.offsets[0]) / float(step)).astype(np.int64)
    relative = np.full((len(places), _points(missing)), -np.inf)
    relative[np.arange(len(places)), places] = 0.0
    start = round((missing.everybody.base + Fraction(float(missing.offsets[0]))) / step)
    return Law((start,), np.zeros(_points(missing)), relative, missing.prior.error + 4 * UNIT)
