"""The reference's answers about one release: every person's channel in fractions, every number at 60 digits."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from itertools import chain
from typing import TypeAlias

from dalenius.noise import Noise
from dalenius.queries import Query
from tests.conformance.scores import Asked, Reader, asked
from tests.conformance.worlds import World
from tests.reference import leakages
from tests.reference.bayesian import Attained, Knowing, bayesian, given
from tests.reference.channel import (
    Channel,
    Combined,
    Noise as ReferenceNoise,
    Real,
    Vector,
    answer_of,
    channel,
    channels,
    mp,
    real,
)
from tests.reference.joints import Value
from tests.reference.leakages import Leakage
from tests.reference.noiseless import worst_known
from tests.reference.noises import geometric

Measure: TypeAlias = Callable[[Channel], Leakage]
NoiseReader: TypeAlias = Callable[[Noise, Fraction], ReferenceNoise]
"""What a noise's class means on a lattice of that step."""


class Truth:
    """worlds: what the model means; read, read_noise: what the query's and the noise's classes mean."""

    def __init__(self, worlds: list[World], query: Query, read: Reader, noise: Noise, read_noise: NoiseReader) -> None:
        self.worlds = worlds
        self.noise = noise
        self._read_noise = read_noise
        self._noises: dict[Fraction, ReferenceNoise] = {}
        self.asked: list[Asked] = [asked(read(query, world.people), world.people) for world in worlds]
        self._found: dict[object, Real] = {}

    @property
    def axes(self) -> int:
        return len(self.asked[0].steps)

    @property
    def summable(self) -> bool:
        """Whether the reference can sum over all outputs."""
        return all(self.noise_of(each).summable(each.steps) for each in self.asked)

    @property
    def sums(self) -> bool:
        """Whether the reference can do so without quadrature."""
        return self.summable and not self.reference_noise.density

    def under(self, noise: Noise, read_noise: NoiseReader) -> "Truth":
        """The same answers under another noise: their laws, which do not hang on it, are shared."""
        other = Truth.__new__(Truth)
        other.worlds, other.asked, other.noise, other._read_noise = self.worlds, self.asked, noise, read_noise
        other._found, other._noises = {}, {}
        other.people = [
            [replace(channel, noise=other.noise_of(each)) for channel in own]
            for own, each in zip(self.people, self.asked, strict=True)
        ]
        return other

    @cached_property
    def people(self) -> list[list[Channel]]:
        """By world and record."""
        return [
            channels(world.joint, each.score, len(world.people), self.noise_of(each))
            for world, each in zip(self.worlds, self.asked, strict=True)
        ]

    @cached_property
    def answers(self) -> set[Vector]:
        """Every exact answer that can be."""
        pairs = zip(self.worlds, self.asked, strict=True)
        return {answer_of(row, each.score) for world, each in pairs for row, chance in world.joint.items() if chance}

    @cached_property
    def channels(self) -> list[Channel]:
        """Everybody's, each distinct one once."""
        distinct: list[Channel] = []
        for each in chain.from_iterable(self.people):
            if each not in distinct:
                distinct.append(each)
        return distinct

    def noise_of(self, each: Asked) -> ReferenceNoise:
        """What the noise means to the reference in that world."""
        step = each.steps[0]
        if step not in self._noises:
            self._noises[step] = self._read_noise(self.noise, step)
        return self._noises[step]

    def worst(self, measure: Measure, key: object = None) -> Real:
        """The largest over everybody; computed once per key (by default, the measure itself)."""
        key = measure if key is None else key
        if key not in self._found:
            self._found[key] = max(measure(each).value for each in self.channels)
        return self._found[key]

    def delta(self, epsilon: float) -> Real:
        return self.worst(partial(leakages.delta, epsilon=epsilon, closed=True), ("delta", epsilon))

    def raising(self, epsilon: float) -> Real:
        return self.worst(partial(leakages.raising, epsilon=epsilon, closed=True), ("raising", epsilon))

    def moving(self, epsilon: float) -> Real:
        return self.worst(partial(leakages.moving, epsilon=epsilon, closed=True), ("moving", epsilon))

    def differential(self) -> Real:
        return max(
            leakages.differential(each.score, [person.values for person in world.people], self.noise_of(each)).value
            for world, each in zip(self.worlds, self.asked, strict=True)
        )

    @cached_property
    def bayesian(self) -> Attained:
        """The worst over everything that may be known of others."""
        found = [bayesian(told) for told in known_to_some(self)]
        return max(found, key=lambda each: each.leakage.value)

    def noiseless(self, epsilon: float, fraction: float) -> Real:
        """The worst δ(ε) over what may be known of so large a fraction of the records."""
        measure = partial(leakages.delta, epsilon=epsilon, closed=True)
        key = "noiseless", epsilon, fraction
        if key not in self._found:
            self._found[key] = max(
                worst_known(told, int(fraction * len(told.people)), measure) for told in known_to_some(self)
            )
        return self._found[key]

    def information_given(self, known: Sequence[int] | None = None) -> Real:
        """Σ Pr[x_K] I(X_i; Y | X_K = x_K), the largest over everybody outside K; known: K, by place from 0, or None
        where it is everybody else."""
        key = "information given", None if known is None else tuple(known)
        if key not in self._found:
            self._found[key] = max(
                mp.fsum(_information_given(told, person, set(told.people) - {person} if known is None else known))
                for told in known_to_some(self)
                for person in told.people
                if person not in (known or ()) or len(told.people) == 1
            )
        return self._found[key]

    def told(self, person: int, known: dict[int, Value], output: tuple[Fraction, ...]) -> dict[Value, Real]:
        """How likely each of a person's values makes an output, given what is known of others; in the first world."""
        law = given(self.worlds[0].joint, known)
        return channel(law, self.asked[0].score, person, self.reference_noise).likelihoods(output)

    @property
    def reference_noise(self) -> ReferenceNoise:
        return self.noise_of(self.asked[0])

    @property
    def few(self) -> bool:
        """Whether the reference goes through everything that may be known in a second or so."""
        sizes = [len(world.joint) * 2 ** len(world.people) * len(world.people) for world in self.worlds]
        return bool(sum(sizes) <= (1024 if self.axes == 1 else 200))

    def refined(self, measure: Measure, parts: int, key: object) -> Real:
        """Laplace as geometric noise on a lattice so many times finer: never below the truth, which it nears as
        1/parts² (the likelihoods are the same functions of the output, looked at more and more closely)."""
        key = "refined", key, parts
        if key not in self._found:
            self._found[key] = max(measure(each).value for each in finer(self, parts))
        return self._found[key]

    @property
    def quick(self) -> bool:
        """Whether the reference's quadrature (mutual information under Laplace noise) takes less than a second."""
        knots = sum(len(each.axes[0]) * len(each.laws) for each in self.channels)
        return not self.reference_noise.kinked or (self.axes == 1 and knots <= 8)

    @property
    def one_sum(self) -> bool:
        """Whether the answer is what the tilted sweep computes: one coordinate, and that a sum."""
        return self.axes == 1 and not any(isinstance(each.score, Combined) for each in self.asked)

    @cached_property
    def even(self) -> bool:
        """Whether every secret's law lives on a full stretch of its lattice, no point much rarer than its neighbours:
        the tilted sweep is asked for tightness there only."""
        if not self.one_sum:
            return False
        step = self.asked[0].steps[0]
        return all(
            len(law) == (max(law)[0] - min(law)[0]) / step + 1 and min(law.values()) > Fraction(1, 1000)
            for each in self.channels
            for law in each.laws.values()
        )


@lru_cache(maxsize=4)
def known_to_some(truth: Truth) -> list[Knowing]:
    """By world. They are many: those of the last truths are kept."""
    pairs = zip(truth.worlds, truth.asked, strict=True)
    return [Knowing(world.joint, each.score, truth.noise_of(each)) for world, each in pairs]


@lru_cache(maxsize=2)
def finer(truth: Truth, parts: int) -> list[Channel]:
    """Everybody's channel, its noise on a lattice so many times finer. They are large: those of the last are kept."""
    (step,) = {step for each in truth.asked for step in each.steps}
    noise = geometric(Fraction(truth.noise.known_scale()), step / parts)
    return [Channel(each.prior, each.laws, noise) for each in truth.channels]


def _information_given(told: Knowing, person: int, known: Collection[int]) -> Iterator[Real]:
    for values in {tuple(row[at] for at in known) for row in told.joint}:
        others = dict(zip(known, values, strict=True))
        mass = sum(p for row, p in told.joint.items() if all(row[at] == value for at, value in others.items()))
        yield real(Fraction(mass)) * leakages.mutual_information(told.channel(person, others)).value


def exact(value: float) -> Real:
    """A float, digit for digit."""
    return mp.mpf(value)
