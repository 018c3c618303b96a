"""The likelihoods W(y|s) of every secret and output of a channel with finitely many secrets (Theory §1)."""

import abc
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import exp
from typing import Any, Self

import numpy as np

from dalenius.arrays import Array
from dalenius.bounds import UNIT, Enclosure
from dalenius.channel.leakage import Witness
from dalenius.channel.sensitivity import Spread
from dalenius.fields import RecordValue
from dalenius.joints import Subject
from dalenius.laws.integrals.convex_functionals import (
    Functional,
)
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Law, Window, log_mix
from dalenius.laws.leakage_of_one_output import PointwiseLoss
from dalenius.laws.leakage_tail import Tail
from dalenius.laws.output_chances import NOTHING_KNOWN, Outputs
from dalenius.noise import Mechanism


@dataclass(frozen=True)
class Likelihoods(abc.ABC):
    """One subject's secrets, and the probability of every output given each.

    made: computes `likelihood`, when it is first asked for. names, axes: of the coordinates of the output, and which
    of the whole answer's they are. pairs: the pairs of secrets, as indices, that must not be distinguished; None for
    all. limits: computes the law at the outputs at infinity alone, where that takes less than `made`.

    One record under Laplace noise of scale 1 has two outputs that decide, the answers 0 and 1, each with all beyond
    it:

    >>> import dalenius as dl
    >>> one = dl.Chain(n=1, initial=[0.5, 0.5], transition=[[0.5, 0.5], [0.5, 0.5]])
    >>> (channel,) = dl.Release(one, dl.Count(), dl.Laplace(scale=1.0)).all_channels()
    >>> finite = channel.finite("an example")
    >>> finite.relative.tolist(), finite.output(0)
    ([[0.0, -1.0], [-1.0, 0.0]], (0.0,))
    """

    subject: Subject
    made: Callable[[], Law]
    mechanism: Mechanism
    spread: Spread
    names: tuple[str, ...] = ("",)
    pairs: tuple[tuple[int, int], ...] | None = None
    axes: tuple[int, ...] = (0,)
    limits: Callable[[], Law | None] = lambda: None

    @cached_property
    def likelihood(self) -> Law:
        """The law of log W(y|s) up to a factor common to all s, on a box of lattice points.

        Every supremum of a convex function of the posterior is attained there (Result 3.1: the box's ends stand for
        ±∞).
        """
        return self.made()

    @property
    def lattice(self) -> Lattice:
        """The lattice of the exact answers."""
        return self.mechanism.lattice

    @property
    def inside(self) -> Window:
        """The known part of the likelihoods: by default all, with nothing outside."""
        law = self.likelihood
        return Window(law, (0.0,) * law.secrets, (law.start[0], law.start[0] + law.box[0] - 1))

    @property
    def secrets(self) -> tuple[RecordValue, ...]:
        return self.subject.secrets

    @property
    def log_prior(self) -> Array:
        return self.subject.log_prior

    @cached_property
    def relative(self) -> Array:
        """The array of log W(y|s), flat: (secrets, outputs), up to a common term per output.

        An output that a secret cannot have has -inf. The outermost points may stand for outputs at ±∞. Under noise
        with light tails such a point has -inf too, because outputs become ever rarer there. Sums do not read it.
        """
        return self.likelihood.relative.reshape(len(self.secrets), -1)

    @cached_property
    def possible(self) -> Array:
        """The mask of outputs that can occur at all (outputs,)."""
        return np.asarray(np.max(self.relative, axis=0) > -np.inf)

    @cached_property
    def mixture(self) -> Array:
        """The array of log W(y), on the scale of `relative`; 0 where the output cannot occur."""
        mixed = log_mix(self.log_prior, self.relative)
        return np.where(self.possible, mixed, 0.0)

    @property
    def error(self) -> float:
        """A bound of |computed - true| of every log W(y|s); infinite where a mass could not be resolved."""
        return float("inf") if self.likelihood.floor is not None else self.likelihood.error

    def output(self, place: int) -> tuple[RecordValue, ...]:
        """Returns the output at the flat index `place`: in the query's own unit, or by its name."""
        # The case of outputs at infinity, which have names and no lattice point.
        if self.likelihood.points is not None:
            return self.mechanism.coordinates(tuple(np.atleast_1d(self.likelihood.points[place]).tolist()))
        index = np.unravel_index(place, self.likelihood.box)
        shifted = [int(i) + s for i, s in zip(index, self.likelihood.start, strict=True)]
        return self.mechanism.output(shifted)

    @cached_property
    def far_out(self) -> Law | None:
        """The likelihoods at infinity alone, where these are known without all others."""
        limits = self.limits()
        return None if limits is None else with_class_error(limits, self.subject)

    def integral(self, functional: Functional) -> Enclosure:
        """Encloses the sum of a `functional` of the likelihoods over all outputs.

        It is at most the functional's own bound. Both ends are sound, because the sum counts its own errors.
        """
        found = self.mechanism.integral(functional, self.likelihood if self.far_out is None else self.far_out)
        return Enclosure(found.lower, max(min(found.upper, functional.most), found.lower))

    @cached_property
    def outputs(self) -> Outputs:
        """All outputs with their probabilities."""
        law = self.likelihood
        if law.line is not None:
            # Because each output on a line is computed when it is read, and counts this subject's error then.
            law = replace(law, line=law.line.counting(_own_error(law, self.subject)))
        return self.mechanism.outputs_of(law)

    def tail_of(self, loss: PointwiseLoss) -> Tail:
        """Returns the law of the `loss` of an output: a probability for each number of nats, over prior and noise."""
        return self.outputs.tail(loss)

    def log_near(self, output: tuple[RecordValue, ...]) -> Enclosure:
        """Encloses log Pr[Y = output]; within half a lattice step where outputs are real; at an end also all beyond."""
        # The case of a group that moves some of the answers: the others may be anything.
        if len(output) < len(self.names):
            return NOTHING_KNOWN
        # The case of several answers whose outputs are one axis: a single output of these is not looked up.
        if self.likelihood.points is not None and self.likelihood.points.ndim > 1:
            return NOTHING_KNOWN
        index = self.mechanism.index(output)
        shifted = [i - start for i, start in zip(index, self._start, strict=True)]
        found = self.outputs.log_near(shifted, self.log_prior)
        return Enclosure(min(found.lower, 0.0), min(found.upper, 0.0))

    @property
    def _start(self) -> tuple[int, ...]:
        line = self.likelihood.line
        return self.likelihood.start if line is None else line.hull.start

    def seeing(self, likelihood: Law) -> Self:
        """Returns the channel evaluated at the outputs of another `likelihood`."""
        return replace(self, made=partial(with_class_error, likelihood, self.subject), limits=lambda: None)

    def witness(self, **where: object) -> Witness:
        """Makes a witness about this channel's subject; `where` has further fields of it."""
        subject, chance = self.subject, self._chance(where.get("secret"), where.get("against"))
        said = {"answers": self.names, "what": subject.what, "chance": chance, "people": subject.members} | where
        return Witness(subject.person, subject.who, **said)  # type: ignore[arg-type]

    def _chance(self, secret: Any, against: Any) -> float | None:
        """Returns the prior probability of the secret, among the two where it is against another.

        None where one of them has none: neighbours may differ in values that are impossible here.
        """
        known = {None, *self.secrets}
        # Because one value of neighbours may be outside this person's possible ones under the model.
        if secret is None or secret not in known or against not in known:
            return None
        own = float(self.log_prior[self.secrets.index(secret)])
        if against is None:
            return exp(min(own, 0.0))
        log_odds = float(self.log_prior[self.secrets.index(against)]) - own
        return 1 / (1 + exp(log_odds)) if log_odds < 700 else 0.0


def with_class_error(likelihood: Law, subject: Subject) -> Law:
    """Returns the law `likelihood` with its error increased by that of the probabilities of the `subject`'s secrets.

    A log of size d resolves d roundings. `subject.class_error`, the error of treating the class as exchangeable, is
    added.
    """
    own, answers, line = _own_error(likelihood, subject), likelihood.answers, likelihood.line
    answers = None if answers is None else replace(answers, error=answers.error + own)
    # Because numbers read from the line itself count their own roundings.
    line = line.counting(subject.class_error) if line is not None and subject.class_error else line
    return replace(likelihood, error=likelihood.error + own, answers=answers, line=line)


def _own_error(likelihood: Law, subject: Subject) -> float:
    """Returns, in nats, the roundings of logs as deep as these, and the error of treating a class as exchangeable."""
    deepest = float(np.max(np.abs(likelihood.relative), where=np.isfinite(likelihood.relative), initial=0.0))
    rounding = (64 + 4 * deepest + 4 * float(np.max(np.abs(subject.log_prior)))) * UNIT
    return rounding + subject.class_error
