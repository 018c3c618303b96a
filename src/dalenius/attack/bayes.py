"""The best that an adversary can do with a release: guesses by Bayes' rule, and the outputs that attain the audit.

Take a fair bit that goes out as it is with probability e/(1 + e). The best guess of it is right with probability 0.7311
instead of 0.5. On average 0.1109 nats of it leak, and 1 at either output.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, isfinite
from typing import Final, TypeVar, final, overload

import numpy as np

from dalenius.attack.tradeoff import RATE, worst_pairs
from dalenius.bounds import UNIT, Enclosure, near_to_digits
from dalenius.channel import Channel, Found, Release, Update, Witness, checked
from dalenius.errors import InputError, Meaningless, TooLarge
from dalenius.laws.integrals.convex_functionals import Vulnerability
from dalenius.noise import Answer
from dalenius.tabular import Cell, Tabular, between, cell, ends

_What = TypeVar("_What")


@final
@dataclass(frozen=True)
class Attained:
    """An output that attains what the audit encloses, and what it really does to beliefs, in nats.

    Where the noise is Gaussian and the bound is infinite, no output attains it.

    Attributes:
        reached: What the witness's output does, by Bayes' rule at that output alone, in nats.
        bound: The most that any output does, in nats.
        witness: The person, the values and the output.
    """

    reached: Enclosure
    bound: Enclosure
    witness: Witness


@final
@dataclass(frozen=True)
class PairTest:
    """The likelihood-ratio test of one value of a secret against another, both as likely.

    Attributes:
        advantage: The largest difference of true positives and false alarms, for the pair of the witness.
        true_positives: The share of true positives at a rate RATE (1 %) of false alarms, for the pair that is easiest
            to tell apart there.
        witness: The person and the pair of values that the advantage is about.
    """

    advantage: Enclosure
    true_positives: Enclosure
    witness: Witness


@final
@dataclass(frozen=True)
class BayesAttack:
    """The attack by Bayes' rule on one class of people: what it finds out about any one of them.

    A number is None where it is not known for such secrets.

    Attributes:
        law: The number of the model's law that the attack is under, from 1.
        person: The number of a person of the class, from 1.
        who: What that person is called.
        what: What the secret is: a record, unless the spec names other secrets.
        success: The probability that the likeliest value given the output is the true one, one minus the Bayes risk.
        prior_success: The same probability without the output.
        leaked: I(S; Y), the expected log of posterior over prior, in nats.
        odds: The output that moves the odds of two values most (the inferential leakage).
        raised: The output that raises the probability of a value most (the information leakage).
        test: The best test of two values against each other, both as likely.

    Example:
        >>> from dalenius import Count, Geometric, Table
        >>> bit = Table(records=((0,), (1,)), probabilities=(0.5, 0.5))
        >>> (attack,) = bayes_attacks(Release(bit, Count(), Geometric(scale=1.0)))  # a BayesAttack
        >>> attack.prior_success, round(attack.success.upper, 4), round(attack.odds.reached.upper, 4)
        (0.5, 0.7311, 1.0)
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
        """Whether no number of the attack is known."""
        return all(each is None for each in (self.success, self.leaked, self.odds, self.raised, self.test))

    @property
    def order(self) -> tuple[float, float, int, int]:
        """A key to sort attacks by: the largest bound on the odds first, then the most leaked, then law and person."""
        bound = 0.0 if self.odds is None else self.odds.bound.middle
        leaked = 0.0 if self.leaked is None else self.leaked.middle
        return -near_to_digits(bound, 6), -near_to_digits(leaked, 6), self.law, self.person


@final
@dataclass(frozen=True, repr=False)
class BayesAttacks(Tabular, Sequence[BayesAttack]):
    """The attacks on all classes of people, the worst first: a sequence, which shows as a table.

    Attributes:
        attacks: The attacks.
    """

    attacks: tuple[BayesAttack, ...]

    @overload
    def __getitem__(self, place: int) -> BayesAttack: ...
    @overload
    def __getitem__(self, place: slice) -> "BayesAttacks": ...
    def __getitem__(self, place: int | slice) -> "BayesAttack | BayesAttacks":
        return BayesAttacks(self.attacks[place]) if isinstance(place, slice) else self.attacks[place]

    def __len__(self) -> int:
        return len(self.attacks)

    @property
    def caption(self) -> str:
        """The title of the table."""
        return "How often an attacker by Bayes' rule is right, and what is leaked, in nats"

    def records(self) -> list[dict[str, Cell]]:
        """Return a row for each class of people.

        The columns are law, person, who, prior_success and the ends of success (probabilities), leaked and odds (nats).
        """
        return [
            {
                "law": each.law,
                "person": each.person,
                "who": each.who,
                "prior_success": each.prior_success,
                **ends("success", each.success),
                **ends("leaked", each.leaked),
                **ends("odds", None if each.odds is None else each.odds.bound),
            }
            for each in self.attacks
        ]

    def shown(self) -> list[dict[str, str]]:
        """Return the rows as people read them: ends that agree as one number."""
        return [
            {
                "about whom": cell(row["who"]),
                "right before": cell(row["prior_success"]),
                "right after": between(row, "success"),
                "leaked": between(row, "leaked"),
                "odds": between(row, "odds"),
            }
            for row in self.records()
        ]


def bayes_attacks(release: Release) -> BayesAttacks:
    """Attack everybody's secret by Bayes' rule, with knowledge of the model and the noise.

    Args:
        release: The release under attack, with a noise of known scale.

    Returns:
        One attack for each law of the model and each class of people about whom the answers may say something, the
        worst first.

    Raises:
        InputError: For something that is no release, or a noise without a scale.
        Meaningless: Where no guess can be made by Bayes' rule, for want of a joint law of all records.

    Example:
        >>> from dalenius import Count, Geometric, Table
        >>> bit = Table(records=((0,), (1,)), probabilities=(0.5, 0.5))
        >>> found = bayes_attacks(Release(bit, Count(), Geometric(scale=1.0)))
        >>> [(each.who, round(each.success.upper, 4), round(each.leaked.upper, 4)) for each in found]
        [('a record of the table', 0.7311, 0.1109)]
    """
    names, steps = checked(release).names, release.lattice.steps
    # Because a long chain has one channel for all its records, each class of people gets a channel of its own here.
    found = [
        bayes_attack(channel, names, steps, law)
        for law, world in enumerate(release.worlds, 1)
        for together in world.channels(release.noise)
        for channel in together.singly("attack")
    ]
    known = sorted((each for each in found if each is not None), key=lambda each: each.order)
    # Because no posterior can be computed if only pairs of records are known, nothing is reported about anybody.
    if any(each.is_empty for each in known):
        raise Meaningless("model.kind", release.model.kind, "a model with a joint law of all records, to guess by")
    return BayesAttacks(tuple(known))


def bayes_attack(channel: Channel, names: Sequence[str], steps: Sequence[Fraction], law: int = 1) -> BayesAttack | None:
    """Attack the secrets of one channel: the best guess, what leaks in nats, and the outputs that attain it.

    Args:
        channel: The channel from one class's secrets to the answers.
        names: The names of all coordinates of the answer.
        steps: The steps of the answer's lattice, one for each coordinate, in the query's own unit.
        law: The number of the model's law, from 1.

    Returns:
        The attack; None where nothing leaks.
    """
    ratio = _known(channel.ratio) or _NOTHING
    movement = _known(channel.movement)
    raised = _NOTHING if movement is None else movement.raised
    information = _known(channel.information)
    witness = ratio.witness or raised.witness or (None if information is None else information.witness)
    # If nobody's record moves the answers, there is nobody to say it about.
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


# A number that such secrets do not have is given as no leakage, about nobody.
_NOTHING: Final = Found(Enclosure(0.0, 0.0))


def _known(read: Callable[[], _What]) -> _What | None:
    """Returns a number; None where such secrets have no such number, or it is too large to be had."""
    try:
        return read()
    except (Meaningless, TooLarge):
        return None


def _guesses(channel: Channel) -> tuple[Enclosure, float]:
    """Returns how likely the best guess is right, given the output and without it.

    A guess that ignores the output is one too, so that the first is never below the second.
    """
    finite = channel.finite("success")
    guesses = finite.log_prior if finite.subject.guesses is None else finite.subject.guesses
    blind = min(exp(float(np.max(guesses))), 1.0)
    value = finite.integral(Vulnerability(guesses))
    return Enclosure(max(value.lower, blind * (1 - 8 * UNIT)), min(max(value.upper, blind), 1.0)), blind


def _attained(
    channel: Channel, found: Found, read: Callable[[Update], Enclosure], names: Sequence[str], steps: Sequence[Fraction]
) -> Attained | None:
    """Returns the effect of the witness's own output; None where no one output is known to attain the bound."""
    witness = found.witness
    if witness is None or witness.output is None:
        return None
    # If the channel refuses the output, as one that cannot occur, the bound stands without one that attains it.
    try:
        posterior = channel.at(_all_coordinates(witness, names, steps))
    except InputError:
        return None
    own = next((update for update in posterior.updates if update.person == witness.person), posterior.updates[0])
    return Attained(read(own), found.value, witness)


def _all_coordinates(witness: Witness, names: Sequence[str], steps: Sequence[Fraction]) -> list[Answer]:
    """Returns all coordinates of an answer whose part is the witness's output; the others are not looked at."""
    assert witness.output is not None
    output: Sequence[Answer] = witness.output
    # Because a person moves the count of their own district only, any number does for the others.
    if len(output) < len(names):
        own = dict(zip(witness.answers, output, strict=True))
        output = [own.get(name, 0) for name in names]
    return [_exact(value, step) for value, step in zip(output, steps, strict=True)]


def _exact(value: Answer, step: Fraction) -> Answer:
    """Returns the lattice's own number where the value is that but for its rounding to a double."""
    # Nothing was rounded of a word, an exact fraction, or an output at the end of everything.
    if not isinstance(value, float) or not isfinite(value):
        return value
    nearest = round(Fraction(value) / step) * step
    return nearest if abs(nearest - Fraction(value)) <= abs(nearest) * Fraction(UNIT) else value


def _test(channel: Channel) -> PairTest | None:
    """Returns the best test of two of the channel's secrets; None where it has no two that must not be told apart."""
    (value, pair), (share, _) = worst_pairs(channel.tradeoffs(), [None, RATE])
    return None if pair is None else PairTest(value, share, pair.witness)
