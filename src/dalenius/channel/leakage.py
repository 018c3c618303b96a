"""A leakage: the largest of enclosed numbers, with its witness, and how likely that is.

The witness is the first place that may have the leakage.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import exp, expm1, inf, isinf
from typing import Final, Generic, NamedTuple, TypeAlias, TypeVar, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array
from dalenius.bounds import UNIT, ZERO, Enclosure, around, either, from_below, largest
from dalenius.fields import RecordValue
from dalenius.laws.leakage_tail import Tail

What = TypeVar("What")


@final
class Largest(Generic[What]):
    """The largest of many enclosed numbers, and the first item that may attain it.

    Any enclosure that overlaps the largest lower end may be the largest. Rounding decides which one seems so,
    differently on every processor. Overlap is not transitive: it is tested against the largest of all, not one after
    the other. Kept are the items whose upper end exceeds all before, as only these can be the first in the end.

    Here the second may be the largest as well as the third, and so is the one that is named:

    >>> found = Largest[str]()
    >>> for low, high, who in ((0.1, 0.2, "ann"), (0.9, 1.1, "bob"), (1.0, 1.2, "cyd")):
    ...     found.add(Enclosure(low, high), who)
    >>> found.first, found.lower, found.upper
    ('bob', 1.0, 1.2)
    """

    def __init__(self) -> None:
        self.lower = self.upper = 0.0
        self._contenders: list[tuple[float, What]] = []

    def add(self, value: Enclosure, what: What) -> None:
        """Adds the next item `what` with its enclosed `value`, in the order that decides."""
        self.lower, self.upper = max(self.lower, value.lower), max(self.upper, value.upper)
        # Because an item below all ends before it cannot be the first that may be the largest.
        if not self._contenders or value.upper > self._contenders[-1][0]:
            self._contenders.append((value.upper, what))
        self._contenders = [each for each in self._contenders if each[0] >= self.lower]

    @property
    def first(self) -> What | None:
        """The first item that may attain the largest; None where nothing was added."""
        return self._contenders[0][1] if self._contenders else None


def peak(values: Array, possible: Array | NDArray[np.bool_], error: Array | float) -> tuple[Enclosure, tuple[int, ...]]:
    """Returns the largest of values ± error over the outputs that can occur, and the first place that may have it.

    It is at least 0. The first is in the order of the axes, each from its lowest index.

    Args:
        values: Numbers (.., outputs), of any unit.
        possible: The mask of outputs that can occur; it is broadcast.
        error: How far each number may be off; one for all, or one for each.
    """
    shown = np.where(possible, values, -inf)
    most = float(np.max(shown))
    # The case of a mass that could not be resolved: any output may be the worst, and the first is named.
    if np.max(error) == inf:
        top, tied = Enclosure(0.0, inf), np.broadcast_to(possible > 0, shown.shape)
    # Because every output on a window has an error of its own.
    elif np.ndim(error):
        low, high = float(np.max(shown - error)), shown + error
        top, tied = Enclosure(low, float(np.max(high))), high >= low
    else:
        top, tied = around(most, float(error)), shown >= (most if isinf(most) else most - 2 * float(error))
    place = tuple(int(i) for i in np.unravel_index(int(np.argmax(tied)), shown.shape))
    return top.clipped(0.0), place


def pair_at(logs: Array, possible: Array | NDArray[np.bool_], error: float, least: float) -> tuple[int, int, int]:
    """Returns the first secret, the first other one, and the first output at which their log-ratio reaches `least`.

    There log W(y|s) - log W(y|s') + 2·error reaches it, as it does somewhere; pairs are in the order of the secrets.
    (0, 1) and the first output that can occur, should roundings find none.

    Args:
        logs: log W(y|s) (secrets, outputs), up to a common term for each output.
        possible: The mask of outputs that can occur (outputs,).
        error: How far each log may be off, in nats.
        least: The log-ratio to reach, in nats.
    """
    shown = np.where(possible, logs, 0.0)
    lowest = np.min(shown, axis=0)
    for secret, own in enumerate(shown):
        there = possible & (own > -inf)
        with np.errstate(invalid="ignore"):
            # Because the least likely value passes over nearly all secrets, it comes first.
            if not np.any(there & (own - lowest + 2 * error >= least)):
                continue
            reached = there & (own - shown + 2 * error >= least)
        # Because a secret is not compared with itself.
        reached[secret] = False
        if reached.any():
            against = int(np.argmax(reached.any(axis=1)))
            return secret, against, int(np.argmax(reached[against]))
    return 0, 1, int(np.argmax(possible))


NEAR: Final = 0.9


@final
@dataclass(frozen=True)
class Witness:
    """The place where a leakage is attained: whose record, which of its values (against which), and which output.

    Attributes:
        person: The number of the first of a class of exchangeable people, 0 for no one in particular.
        who: The class in words.
        secret: The value of the secret.
        against: The other value, where two are compared.
        output: One number or word per coordinate, in the query's unit; at an end of the answer's range it stands also
            for all beyond. None where the leakage is an average over outputs.
        answers: The labels of the coordinates, where the query answers per label.
        known: Further background knowledge: others' records, by person.
        what: The secret in words.
        outputs: The distinguishing event, where a set of outputs attains the leakage: intervals with their ends
            included.
        chance: The prior probability of the secret; where it is against another, that of the secret among the two.
            None where it is no probability, or was not asked for.
        log_probability: The log of the probability of the output and of all outputs that it stands for; where outputs
            are real numbers, of those within half a lattice step of it. None where not asked for (`audit`) or not
            defined.
        log_near: The log of the probability that an output leaks at least NEAR (0.9) of the leakage. Both are over
            the prior too; None where not asked for or not defined.
        people: The numbers of the people whose records are the secret, where it is not one record.

    Example:
        Two days alike with .9, counted with Laplace noise of scale 2:

        >>> import dalenius as dl
        >>> days = dl.Chain(n=2, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]])
        >>> release = dl.Release(days, dl.Count(), dl.Laplace(scale=2.0))
        >>> witness = dl.InferentialPrivacy().leakage(release).witness
        >>> witness.person, witness.secret, witness.against, witness.output
        (1, 0, 1, (0.0,))
    """

    person: int
    who: str
    secret: RecordValue | None = None
    against: RecordValue | None = None
    output: tuple[RecordValue, ...] | None = None
    answers: tuple[str, ...] = ("",)
    known: Mapping[int, RecordValue] = field(default_factory=dict)
    what: str = "record"
    outputs: tuple[tuple[float, float], ...] | None = None
    chance: float | None = field(default=None, compare=False)
    log_probability: Enclosure | None = None
    log_near: Enclosure | None = None
    people: tuple[int, ...] = ()


class Found(NamedTuple):
    """A quantity of a channel, in nats; its witness is None where nothing leaks."""

    value: Enclosure
    witness: Witness | None = None


_Profile: TypeAlias = Callable[[float], Enclosure]
"""Encloses δ(ε) of one ordered pair, for ε >= 0."""


class TestedPair(NamedTuple):
    """Two secrets that tests tell apart: their privacy profile, that of the pair reversed, and whose they are."""

    forward: _Profile
    backward: _Profile
    witness: Witness


class Movement(NamedTuple):
    """How far outputs change beliefs: log-ratios of posterior and prior, in nats.

    Attributes:
        raised: The largest log(posterior/prior).
        lowered: The largest log(prior/posterior).
        most: The larger of the first and a multiple of the second.
    """

    raised: Found
    lowered: Found
    most: Found

    @classmethod
    def of(cls, raised: Found, lowered: Found, lowering: float) -> "Movement":
        """Makes a movement from its two log-ratios `raised` and `lowered`, in nats; `lowering` is the multiple.

        The witness is that of raising beliefs wherever that may be the larger.
        """
        if lowering == 0:
            return cls(raised, lowered, raised)
        # Because a product is rounded, except a product with 1.
        off = 0.0 if lowering == 1 else 8 * UNIT
        low, high = (lowering * each for each in lowered.value)
        weighed = Enclosure(low * (1 - off), high * (1 + off))
        first = raised if raised.value.upper >= weighed.lower else lowered
        return cls(raised, lowered, Found(largest(raised.value, weighed), first.witness))


class Divergence(NamedTuple):
    """The largest D(S | Y=y ‖ S) over the outputs y, and the largest D(S ‖ S | Y=y), in nats."""

    forward: Found
    reverse: Found


@final
@dataclass(frozen=True, repr=False)
class Leakage:
    """The leakage of a release, lower <= truth <= upper, in nats, and where it is attained.

    It is a number of the model and the noise alone, never of the data.

    Attributes:
        lower: The lower end, in nats.
        upper: The upper end, in nats; a promise is compared with it.
        witness: The place where the leakage is attained; None where nothing leaks, or no place is known.
        companions: Further numbers of the same notion, by name.

    Example:
        Two days alike with .9, counted with Laplace noise of scale 2:

        >>> import dalenius as dl
        >>> days = dl.Chain(n=2, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]])
        >>> release = dl.Release(days, dl.Count(), dl.Laplace(scale=2.0))
        >>> dl.InferentialPrivacy().leakage(release)
        Leakage(0.897003 nats about records 1 and 2 of a chain of 2)
    """

    lower: float
    upper: float
    witness: Witness | None
    companions: dict[str, Enclosure] = field(default_factory=dict)

    @classmethod
    def of(cls, found: Found, **companions: Enclosure) -> "Leakage":
        """Makes a leakage from a quantity of a channel.

        Args:
            found: The quantity, in nats, and its witness.
            companions: Further numbers of the same notion, by name.
        """
        return cls(found.value.lower, found.value.upper, found.witness, companions)

    @property
    def epsilon(self) -> float:
        """A point inside the enclosure, in nats."""
        return Enclosure(self.lower, self.upper).middle

    def __repr__(self) -> str:
        """Writes, for a session, both ends where they differ, about whom, and the companions."""
        who = "" if self.witness is None else f" about {self.witness.who}"
        more = "".join(f"; {name} {either(value)}" for name, value in self.companions.items())
        value = Enclosure(self.lower, self.upper)
        nats = from_below(value, "{:.6g} nats".format) if value.half_open else f"{either(value)} nats"
        return f"Leakage({nats}{who}{more})"

    @property
    def nothing(self) -> bool:
        """Whether the leakage is indistinguishable from 0."""
        return self.lower == 0 and self.upper < 1e-9


NO_LEAK: Final = Found(Enclosure(0.0, 0.0))
"""The leakage of a channel whose secrets do not move the output."""
NOTHING: Final = Leakage(0.0, 0.0, None)
"""The leakage of a release whose answer no record can move."""


def worst(leakages: Iterable[Leakage]) -> Leakage:
    """Returns the largest of `leakages`; each companion is maximised separately.

    Its witness is that of the first person whose leakage may be the largest (see `Largest`; for one person, the first
    in the order given).
    """
    found = list(leakages)
    names = dict.fromkeys(name for leakage in found for name in leakage.companions)
    companions = {name: _largest([each.companions.get(name, ZERO) for each in found]) for name in names}
    total = worst_of(Found(Enclosure(each.lower, each.upper), each.witness) for each in found)
    return Leakage(total.value.lower, total.value.upper, total.witness, companions)


def worst_of(found: Iterable[Found]) -> Found:
    """Returns the largest of the quantities `found`, with a witness as of `worst`."""
    every = list(found)
    witnessed = [(each.value, each.witness) for each in every if each.witness is not None]
    first = Largest[Witness]()
    # Because a shortcut may list the channel of the largest group first, channels are sorted by person.
    for value, witness in sorted(witnessed, key=lambda each: each[1].person):
        first.add(value, witness)
    return Found(_largest([each.value for each in every]), first.first)


def _largest(values: list[Enclosure]) -> Enclosure:
    """Takes the largest of both ends separately."""
    found = ZERO
    for value in values:
        found = largest(found, value)
    return found


@final
@dataclass(frozen=True)
class SubjectTail:
    """The probabilities of outputs that leak much about one subject.

    Attributes:
        law: The law of the largest log W(y|s)/W(y) at the output y.
        maximal_leakage: The log of the sum over y of max_s W(y|s), the most an output helps anybody guess any
            function of the secret (Issa, Wagner and Kamath 2020).
        witness: The subject whose tail it is.
    """

    law: Tail
    maximal_leakage: Enclosure
    witness: Witness


def largest_tail(tails: Iterable[SubjectTail]) -> SubjectTail | None:
    """Returns the one of `tails` with the largest quantile at 1 - 1e-6; None for none.

    It is that of the first person where several may be.
    """
    first = Largest[SubjectTail]()
    for each in sorted(tails, key=lambda each: each.witness.person):
        first.add(each.law.quantile(1e-6), each)
    return first.first


def is_close(value: Enclosure) -> bool:
    """Says whether the value is known well enough, to 1e-9 nats or 5e-9 of it, for no law of the full answer."""
    return value.upper < inf and value.upper - value.lower <= max(1e-9, 5e-9 * value.upper)


def delta_of_log_ratio(upper: float, epsilon: float) -> float:
    """Returns (e^upper - e^epsilon)/(e^upper + 1), rounded up: the most δ of laws that are e^{±upper} apart.

    A test gains most where likelihoods are exactly so far apart (Kairouz, Oh and Viswanath 2015, Theorem 8).

    >>> round(delta_of_log_ratio(1.0, 0.0), 6)  # (e - 1)/(e + 1)
    0.462117
    """
    # The case of an output that rules a value out: a test may be right for certain.
    if upper == inf:
        return 1.0
    return min(-expm1(epsilon - upper) / (1 + exp(-upper)) * (1 + 64 * UNIT), 1.0) if upper > epsilon else 0.0


def share_above(upper: float, epsilon: float) -> float:
    """Returns the share 1 - e^(epsilon - upper) of its likelihood that an output adds at most, a probability.

    The output's log-ratio is at most `upper`.

    >>> round(share_above(1.0, 0.5), 6)  # 1 - e^-0.5
    0.393469
    """
    return min(-expm1(epsilon - upper) * (1 + 64 * UNIT), 1.0) if upper > epsilon else 0.0
