"""The channel of who is absent: W(τ|i) = noise(τ - q(D∖i)) (Theory §6).

Under Laplace and geometric noise, and none, what is read at single outputs needs no table of likelihoods (see
`laws.absence`): a million people with a million different answers take a fraction of a second.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.channel.finite.channel import Channel, counted
from dalenius.channel.sensitivity.sensitivity import Spread
from dalenius.errors import InputError, TooLarge
from dalenius.joints import Subject
from dalenius.laws.absence.prior import KnownPrior
from dalenius.laws.absence.ratios import Moved, lowered, raised, suspected
from dalenius.laws.law import Law
from dalenius.models import Missing
from dalenius.noise import Gaussian, Geometric, Laplace, Noise, NoNoise

MOST_CELLS: Final = 1 << 24
"""Classes of people times lattice points between their answers."""


@final
@dataclass(frozen=True)
class AbsentChannel:
    """What the answer and its noise say of who is absent. InputError for geometric noise off the answers' lattice."""

    missing: Missing
    noise: Noise
    name: str = ""

    def __post_init__(self) -> None:
        if self.missing.lattice is None and not isinstance(self.noise, Laplace | NoNoise) and self.missing.span > 0:
            wanted = "laplace: the answers lie on no lattice that is known"
            raise InputError("noise.kind", self.noise.kind, wanted)

    @property
    def quick(self) -> bool:
        """Whether the noise is one whose ratios need no table."""
        return isinstance(self.noise, Laplace | Geometric | NoNoise)

    @property
    def scale(self) -> float:
        """b; 0 without noise."""
        return 0.0 if isinstance(self.noise, NoNoise) else self.noise.known_scale()

    @cached_property
    def raised(self) -> Moved:
        """The largest ln(posterior/prior) of anybody."""
        return raised(self.missing.prior, self.missing.offsets, self.scale)

    @cached_property
    def lowered(self) -> Moved:
        """The largest ln(prior/posterior) of anybody."""
        return lowered(self.missing.prior, self.missing.offsets, self.scale)

    @cached_property
    def suspected(self) -> Moved:
        """The largest -ln(1 - posterior) of anybody."""
        return suspected(self.missing.prior, self.missing.offsets, self.scale)

    @property
    def tabled(self) -> bool:
        """Whether there is a `table`."""
        missing = self.missing
        return isinstance(missing.prior, KnownPrior) and missing.lattice is not None and self._cells <= MOST_CELLS

    def table(self) -> Channel:
        """All likelihoods, a secret per class of people who cannot be told apart. InputError where no single prior is
        known, or no lattice; TooLarge for many classes on a long one."""
        missing, prior = self.missing, self.missing.prior
        if not isinstance(prior, KnownPrior):
            shown = f"min {float(prior.least):g}, max {float(prior.greatest):g}"
            raise InputError("model.prior", shown, "uniform or a list here: bounds serve identifiability and rho")
        if missing.lattice is None:
            raise InputError("model.answers", "on no known lattice", "whole numbers, or few different answers, here")
        if self._cells > MOST_CELLS:
            size = f"{len(missing.offsets):,} different answers on {self._points:,} lattice points"
            raise TooLarge("the likelihoods of every answer", size, "ask for identifiability, rho or information")
        log_prior = np.log(prior.masses / prior.total)
        secrets = tuple(int(number) or missing.answer(place) for place, number in enumerate(missing.firsts))
        people = int(missing.people.sum())
        guesses = np.log(prior.likeliest / prior.total)
        with np.errstate(divide="ignore"):
            others = np.log(prior.rest / prior.total)
        subject = Subject(
            0, people, 0, secrets, log_prior, people, "whoever is absent", 0.0, "absent person", guesses, others
        )  # fmt: skip
        likelihood = counted(self.noise.likelihood(self._law(), missing.lattice), subject)
        span = (Fraction(missing.span),)
        spread = Spread((secrets[0], secrets[-1]), span, span)
        # Two answers further apart are easier to tell apart by noise that falls on both sides.
        ends = (
            ((len(secrets) - 1, 0),)
            if len(secrets) > 1 and isinstance(self.noise, Gaussian | Geometric | Laplace)
            else None
        )
        return Channel(subject, likelihood, missing.lattice, self.noise, spread, (self.name,), ends)

    @property
    def _points(self) -> int:
        step = self.missing.lattice.steps[0] if self.missing.lattice is not None else Fraction(1)
        return round(self.missing.span / float(step)) + 1

    @property
    def _cells(self) -> int:
        return self._points * len(self.missing.offsets)

    def _law(self) -> Law:
        """A point mass for each class."""
        missing = self.missing
        assert missing.lattice is not None
        step = missing.lattice.steps[0]
        places = np.rint((missing.offsets - missing.offsets[0]) / float(step)).astype(np.int64)
        relative = np.full((len(places), self._points), -np.inf)
        relative[np.arange(len(places)), places] = 0.0
        start = round((missing.everybody.base + Fraction(float(missing.offsets[0]))) / step)
        return Law((start,), np.zeros(self._points), relative, missing.prior.error + 4 * UNIT)
