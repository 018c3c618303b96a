"""The best that an adversary can do with a release: guesses by Bayes' rule, and the outputs that attain the audit.

A fair bit that goes out as it is with probability e/(1 + e) is guessed with probability 0.7311 instead of 0.5; 0.1109
nats of it leak on average, and 1 at either output.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, isfinite
from typing import Final, TypeVar, final

import numpy as np

from dalenius.attack.tradeoff import RATE, worst_pairs
from dalenius.bounds import UNIT, Enclosure, near_to_digits
from dalenius.channel import Channel, Found, Release, Update, Witness, checked
from dalenius.errors import InputError, Meaningless, TooLarge
from dalenius.laws.integrals.convex_functionals import Vulnerability
from dalenius.noise import Answer

_What = TypeVar("_What")


@final
@dataclass(frozen=True)
class Attained:
    """What one output really does to beliefs, in nats, and the largest that any output does, which the audit encloses.

    reached: by Bayes' rule at the witness's output alone. bound: of all outputs. Where the noise is Gaussian and the
    bound is infinite, no output attains it.
    """

    reached: Enclosure
    bound: Enclosure
    witness: Witness


@final
@dataclass(frozen=True)
class PairTest:
    """The likelihood-ratio test of one value of a secret against another, both as likely.

    advantage: the largest difference of true positives and false alarms, of the pair of the witness; true_positives: at
    RATE of false alarms, of the pair that is easiest to tell apart there.
    """

    advantage: Enclosure
    true_positives: Enclosure
    witness: Witness


@final
@dataclass(frozen=True)
class BayesAttack:
    """The attack on one class of people: what it finds out of any one of them. None: not known for such secrets.

    law: which of the model's laws it is under, from 1.

    success: the probability that the likeliest value given the output is the true one, one minus the Bayes risk;
    prior_success: the same without the output. leaked: I(S; Y), the expected log of posterior over prior, in nats.
    odds: the output that moves the odds of two values most (the inferential leakage), and raised: the one that raises
    the probability of a value most (the information leakage).
    """

    law: int
    person: int
    who: str
    what: str
    success: Enclosure | None
    prior_success: float | None
    leaked: Enclosure | None
    odds: Attained | None
    raised: Attained | None
    test: PairTest | None

    @property
    def is_empty(self) -> bool:
        """Whether nothing of it is known."""
        return all(each is None for each in (self.success, self.leaked, self.odds, self.raised, self.test))

    @property
    def order(self) -> tuple[float, float, int, int]:
        """Whom it finds out most about first: by the odds' bound, then by what leaks; of equals the first."""
        bound = 0.0 if self.odds is None else self.odds.bound.middle
        leaked = 0.0 if self.leaked is None else self.leaked.middle
        return -near_to_digits(bound, 6), -near_to_digits(leaked, 6), self.law, self.person


def bayes_attacks(release: Release) -> tuple[BayesAttack, ...]:
    """One attack for each law of the model and each class of people of whom the answers may say something, the worst
    first.

    Meaningless where no guess can be made by Bayes' rule, for want of a law of all records.
    """
    names, steps = checked(release).names, release.lattice.steps
    # A long chain has one channel for all its records: each class of people is attacked with a channel of its own.
    found = [
        bayes_attack(channel, names, steps, law)
        for law, world in enumerate(release.worlds, 1)
        for together in world.channels(release.noise)
        for channel in together.singly("attack")
    ]
    known = sorted((each for each in found if each is not None), key=lambda each: each.order)
    # Records of which only pairs are known: no posterior can be computed, so nothing is reported of anybody.
    if any(each.is_empty for each in known):
        raise Meaningless("model.kind", release.model.kind, "a model with a joint law of all records, to guess by")
    return tuple(known)


def bayes_attack(channel: Channel, names: Sequence[str], steps: Sequence[Fraction], law: int = 1) -> BayesAttack | None:
    """The attack on the secrets of one channel: the best guess, what leaks in nats, and the outputs that attain it.

    names, steps: of all coordinates of the answer, and of its lattice. law: its number, from 1. None where nothing
    leaks.
    """
    ratio = _known(channel.ratio) or _NOTHING
    movement = _known(channel.movement)
    raised = _NOTHING if movement is None else movement.raised
    information = _known(channel.information)
    witness = ratio.witness or raised.witness or (None if information is None else information.witness)
    # Nobody's record moves the answers: there is nobody to say it about.
    if witness is None:
        return None
    success, blind = _known(lambda: _guesses(channel)) or (None, None)
    return BayesAttack(
        law=law,
        person=witness.person,
        who=witness.who,
        what=witness.what,
        success=success,
        prior_success=blind,
        leaked=None if information is None else information.value,
        odds=_attained(channel, ratio, lambda update: update.odds, names, steps),
        raised=_attained(channel, raised, lambda update: update.leaks, names, steps),
        test=_known(lambda: _test(channel)),
    )


# What stands for a number that such secrets do not have: it leaks nothing, about nobody.
_NOTHING: Final = Found(Enclosure(0.0, 0.0))


def _known(read: Callable[[], _What]) -> _What | None:
    """None where such secrets have no such number, or it is too large to be had."""
    try:
        return read()
    except (Meaningless, TooLarge):
        return None


def _guesses(channel: Channel) -> tuple[Enclosure, float]:
    """How likely the best guess is right, given the output and without it: a guess that ignores the output is one too,
    so that the first is never below the second."""
    finite = channel.finite("success")
    guesses = finite.log_prior if finite.subject.guesses is None else finite.subject.guesses
    blind = min(exp(float(np.max(guesses))), 1.0)
    value = finite.integral(Vulnerability(guesses))
    return Enclosure(max(value.lower, blind * (1 - 8 * UNIT)), min(max(value.upper, blind), 1.0)), blind


def _attained(
    channel: Channel, found: Found, read: Callable[[Update], Enclosure], names: Sequence[str], steps: Sequence[Fraction]
) -> Attained | None:
    """What the witness's own output does; None where the bound is attained at no one output that is known."""
    witness = found.witness
    if witness is None or witness.output is None:
        return None
    # Where the channel refuses the output, as one that cannot occur, the bound stands without one that attains it.
    try:
        posterior = channel.at(_all_coordinates(witness, names, steps))
    except InputError:
        return None
    own = next((update for update in posterior.updates if update.person == witness.person), posterior.updates[0])
    return Attained(read(own), found.value, witness)


def _all_coordinates(witness: Witness, names: Sequence[str], steps: Sequence[Fraction]) -> list[Answer]:
    """All coordinates of an answer whose part is the witness's output; the others are not looked at."""
    assert witness.output is not None
    output: Sequence[Answer] = witness.output
    # Counts by district: a person moves that of their own only, and any number does for the others.
    if len(output) < len(names):
        own = dict(zip(witness.answers, output, strict=True))
        output = [own.get(name, 0) for name in names]
    return [_exact(value, step) for value, step in zip(output, steps, strict=True)]


def _exact(value: Answer, step: Fraction) -> Answer:
    """The lattice's own number where the value is that but for its rounding to a double."""
    # A word, an exact fraction, or an output at the end of everything: nothing was rounded.
    if not isinstance(value, float) or not isfinite(value):
        return value
    nearest = round(Fraction(value) / step) * step
    return nearest if abs(nearest - Fraction(value)) <= abs(nearest) * Fraction(UNIT) else value


def _test(channel: Channel) -> PairTest | None:
    """The best test of two of the channel's secrets; None where it has no two that must not be told from each other."""
    (value, pair), (share, _) = worst_pairs(channel.tradeoffs(), [None, RATE])
    return None if pair is None else PairTest(value, share, pair.witness)
