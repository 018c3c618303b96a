"""The channel of records with a mixture of normal laws, under one linear query with Laplace or Gaussian noise.

Given x_i the component is k with probability π_k(x_i) ∝ w_k N(x_i; μ_k, σ_k²), and the answer is then normal as in
`channel_of_one_record`. So answers given a secret are a mixture of normal laws, and answers over all secrets another.

Secrets are the values of the given pairs. Bounds over all real numbers are not known here. Nor are averages over
secrets, except mutual information (see `mixture_entropy`) and relative entropies (see `mixture_divergence`).
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import fsum, inf, log
from typing import Final, final

from dalenius.bisection import least_epsilon
from dalenius.bounds import UNIT, Enclosure, largest
from dalenius.channel.channel import Channel, RatioName
from dalenius.channel.leakage import Divergence, Found, Movement, Witness, worst_of
from dalenius.channel.release_settings import ReleaseSettings
from dalenius.channel.secrets import Secrets
from dalenius.channel.world import World
from dalenius.errors import InputError, Meaningless
from dalenius.gaussian import quantities
from dalenius.gaussian.channel import GaussianWorld
from dalenius.gaussian.mixture_divergence import divergences
from dalenius.gaussian.mixture_entropy import information
from dalenius.gaussian.mixture_model import MixtureLaw
from dalenius.gaussian.mixture_posterior import MixtureAtOutput
from dalenius.gaussian.mixture_record import MixtureRecord
from dalenius.gaussian.noisy_mixture import Supremum, hockey_stick, supremum
from dalenius.noise import Answer, Noise
from dalenius.queries import Query

_KNOWN: Final = "differential, inferential, identity, dependent, information, relative_entropy or mutual_information"


@final
class MixtureChannel(Channel):
    """The channel from any of these records, each alone, to one noisy answer."""

    def __init__(self, records: Sequence[MixtureRecord]) -> None:
        self.records = tuple(records)
        for record in self.records:
            noise = record.first.noise
            if not (record.first.is_laplace or noise.shape.gaussian or noise.shape.adds_nothing):
                raise InputError("noise.kind", noise.kind, "laplace, gaussian or none for normal records")

    def singly(self, quantity: str) -> Iterator[Channel]:
        raise Meaningless("notion.kind", quantity, f"one known for the gaussian_mixture model: {_KNOWN}")
        yield self  # so that this is a generator, as everywhere

    def neighbours(self) -> Found:
        return worst_of([quantities.NO_LOSS, *(quantities.record_neighbours(record.first) for record in self.records)])

    def ratio(self) -> Found:
        return self._worst(_ratio)

    def movement(self, lowering: float = 1.0) -> Movement:
        raised = self._worst(lambda record: _prior_ratio(record, True))
        return Movement.of(raised, self._worst(lambda record: _prior_ratio(record, False)), lowering)

    def divergence(self) -> Divergence:
        found = [_divergence(record) for record in self._different]
        worst = (worst_of([quantities.NO_LOSS, *each]) for each in zip(*found, strict=True)) if found else ()
        return Divergence(*worst) if found else Divergence(quantities.NO_LOSS, quantities.NO_LOSS)

    def information(self) -> Found:
        return self._worst(_information)

    def least_delta(self, of: RatioName, epsilon: float, least: float = 0.0, bound: float | None = None) -> Enclosure:
        _check_ratio(of)
        found = Enclosure(0.0, 0.0)
        for record in self._different:
            found = largest(found, _delta(record, epsilon))
        return found

    def least_epsilon(self, of: RatioName, delta: float) -> Found:
        _check_ratio(of)

        def least(record: MixtureRecord) -> Found:
            most = _ratio(record).value.upper if record.first.is_laplace else inf
            # Because an exact answer keeps no delta at any ε.
            if record.exact:
                return Found(quantities.UNBOUNDED, _witness(record))
            value = least_epsilon(lambda epsilon: _delta(record, epsilon), delta, most)
            return Found(value, _witness(record, float(record.pairs[0][0]), float(record.pairs[0][1])))

        return self._worst(least)

    def at(self, output: Sequence[Answer]) -> "MixtureAtOutput":
        return MixtureAtOutput(self._moving, output)

    @property
    def _moving(self) -> list[MixtureRecord]:
        return [record for record in self.records if not record.idle]

    @property
    def _different(self) -> list[MixtureRecord]:
        """The first of each class of records that leak as much."""
        return list({record.alike: record for record in reversed(self._moving)}.values())[::-1]

    def _worst(self, read: Callable[[MixtureRecord], Found]) -> Found:
        return worst_of([quantities.NO_LOSS, *map(read, self._different)])


def _check_ratio(of: RatioName) -> None:
    if of != "ratio":
        raise Meaningless("notion.kind", "information with a delta", "inferential beside a delta, for normal records")


def _ratio(record: MixtureRecord) -> Found:
    """Finds the largest log-ratio of the likelihoods of two secrets, in nats."""
    if record.exact:
        return Found(quantities.UNBOUNDED, _witness(record))
    found = [_found(record, each.largest, each.secret, each.against) for each in record.tests]
    return worst_of([quantities.NO_LOSS, *found])


def _prior_ratio(record: MixtureRecord, raised: bool) -> Found:
    """Finds the largest log-ratio of a secret's likelihood and the mixture over all, or of these the other way."""
    if record.exact:
        return Found(quantities.UNBOUNDED, _witness(record))
    found = [quantities.NO_LOSS]
    for value in record.values:
        ours, theirs = record.given(value), record.mixed
        found.append(_found(record, supremum(*((ours, theirs) if raised else (theirs, ours))), float(value)))
    return worst_of(found)


def _found(record: MixtureRecord, value: Supremum, secret: float, against: float | None = None) -> Found:
    output = None if value.place is None else (value.place,)
    return quantities.at_least_0(value.value, _witness(record, secret, against, output))


def _witness(
    record: MixtureRecord, secret: float | None = None, against: float | None = None, output: tuple[float] | None = None
) -> Witness:
    return quantities.witness_of(record.first, secret, against, output)


def _delta(record: MixtureRecord, epsilon: float) -> Enclosure:
    """Returns δ(ε) between the secrets."""
    if record.exact:
        return Enclosure(1.0, 1.0)
    found = Enclosure(0.0, 0.0)
    for each in record.tests:
        if each.largest.value.upper > epsilon:
            found = largest(found, hockey_stick(each.ours, each.theirs, epsilon))
    return found


def _divergence(record: MixtureRecord) -> Divergence:
    """Encloses D(X | Y=y ‖ X) and D(X ‖ X | Y=y), each for the output where it is largest, in nats."""
    if record.exact:
        return Divergence(*[Found(quantities.UNBOUNDED, _witness(record))] * 2)
    if not record.first.is_laplace:
        return Divergence(*(Found(each, _witness(record)) for each in _of_far_outputs(record)))
    pairs = zip(record.weights, record.parts, strict=True)
    mean = float(sum((weight * part.centre[0] for weight, part in pairs), Fraction(0)))
    found = divergences(record.joints, record.mixed.scale)
    most = inf, inf
    # Because the search comes close but for very little noise, or very much; these bounds take as long as it does.
    if any(value.upper > value.lower * 1.01 for value, _ in found):
        most = _of_component(record)
    results = []
    for (value, place), bound in zip(found, most, strict=True):
        output = None if place is None else (mean + place,)
        value = Enclosure(value.lower, max(min(value.upper, bound), value.lower))
        results.append(quantities.at_least_0(value, _witness(record, output=output)))
    return Divergence(*results)


def _of_component(record: MixtureRecord) -> tuple[float, float]:
    """Bounds both divergences by those of record and component together.

    They are what an output says of the component, and of the record in it. The first is at most the largest log-ratio
    of a component's density and all, and an eighth of the square by which that varies (Hoeffding 1963).
    """
    mixed, weights = record.mixed, [float(each) for each in record.weights]
    within = [quantities.divergence_of(part).value.upper for part in record.parts]
    raised = [supremum(each, mixed).value.upper - float(each.log_weights[0]) for each in mixed.each]
    lowered = [supremum(mixed, each).value.upper + float(each.log_weights[0]) for each in mixed.each]
    most = (max(raised) + max(lowered)) ** 2 / 8
    forward = min(max(raised), most) + max(within)
    mean = fsum(weight * each for weight, each in zip(weights, lowered, strict=True))
    reverse = min(mean, most) + fsum(weight * each for weight, each in zip(weights, within, strict=True))
    off = 64 * UNIT * (1 + max(map(abs, (*raised, *lowered, *within)))) + 4 * mixed.doubt
    return forward + off, reverse + off


def _of_far_outputs(record: MixtureRecord) -> tuple[Enclosure, Enclosure]:
    """Encloses both divergences under Gaussian noise or none, by components that are left as outputs go to ±∞.

    Those are the widest ones that are farthest out. The posterior's mean in one that the record moves has no bound.
    """
    mixed, found = record.mixed, [Enclosure(0.0, inf)] * 2
    widest = max(mixed.variances)
    means = [mean for mean, variance in zip(mixed.means, mixed.variances, strict=True) if variance == widest]
    for end in (min(means), max(means)):
        left = [
            any(part.shift)
            for part, mean, variance in zip(record.parts, mixed.means, mixed.variances, strict=True)
            if variance == widest and mean == end
        ]
        found = [
            quantities.UNBOUNDED if unbounded else each
            for each, unbounded in zip(found, (any(left), all(left)), strict=True)
        ]
    return found[0], found[1]


def _information(record: MixtureRecord) -> Found:
    """Encloses I(X; Y) in nats: by lattice sums, and by Σ w_k I_k, within I(K; Y) of it above, and H(K | X) below."""
    weights = [float(each) for each in record.weights]
    parts = [quantities.information_of(part).value for part in record.parts]
    low = fsum(weight * each.lower for weight, each in zip(weights, parts, strict=True))
    high = fsum(weight * each.upper for weight, each in zip(weights, parts, strict=True))
    if low == inf:
        return Found(quantities.UNBOUNDED, _witness(record))
    entropy = -fsum(weight * log(weight) for weight in weights)
    said = entropy
    if not record.first.is_laplace:
        mixed = record.mixed
        mean = fsum(weight * float(each) for weight, each in zip(weights, mixed.means, strict=True))
        whole = fsum(
            weight * (float(variance) + (float(each) - mean) ** 2)
            for weight, each, variance in zip(weights, mixed.means, mixed.variances, strict=True)
        )
        # Because no law of the mixture's variance has more entropy than the normal one.
        logs = [log(float(each)) for each in mixed.variances]
        loss = log(whole) - fsum(weight * each for weight, each in zip(weights, logs, strict=True))
        said = min(said, loss / 2 + 64 * UNIT * (1 + abs(log(whole)) + max(map(abs, logs))))
    error = 64 * (UNIT + record.doubt) * (1 + high + entropy)
    bounds = Enclosure(max(0.0, low - entropy - error), high + said + error)
    summed = information(record.joints, record.mixed.scale)
    if summed is not None:
        off = 64 * record.doubt * (1 + entropy)
        bounds = Enclosure(max(bounds.lower, summed.lower - off), min(bounds.upper, summed.upper + off))
    return quantities.at_least_0(bounds, _witness(record))


@final
class MixtureWorld(World):
    """The world of a mixture of normal laws under a linear query with one answer.

    What is known of the query alone is that of the normal law with the same moments. All records are one group: the
    component is drawn for all of them.
    """

    def __init__(self, records: MixtureLaw, query: Query, secrets: Secrets) -> None:
        self.records = records
        self._alike = GaussianWorld(records.moments, query, secrets)
        self._each = [GaussianWorld(each, query, secrets) for each in records.components]
        if len(self._alike.names) > 1:
            raise InputError("query", query.kind, "one answer at a time with model gaussian_mixture")

    @classmethod
    def of(cls, belief: MixtureLaw, question: ReleaseSettings) -> "MixtureWorld":
        return cls(belief, question.known_query, question.secrets)

    @property
    def names(self) -> tuple[str, ...]:
        return self._alike.names

    def channels(self, noise: Noise) -> Iterator[Channel]:
        """Yields one channel under `noise` for all people whose records are secrets."""
        each = [world.records_under(noise) for world in self._each]
        law = self.records
        yield MixtureChannel([MixtureRecord(law.weights, parts, law.doubt) for parts in zip(*each, strict=True)])

    @property
    def engines(self) -> list[tuple[str, str]]:
        return [("search on the line", "records whose law is a mixture of normal laws")]

    @property
    def reach(self) -> Fraction:
        return self._alike.reach

    @property
    def sensitivity(self) -> Fraction:
        return self._alike.sensitivity

    @property
    def group_sensitivity(self) -> tuple[Fraction, int]:
        if self.group_size > 1:
            wanted = "records that are independent of each other: the component is drawn for all of them"
            raise InputError("model.components", f"groups of {self.group_size} records", wanted)
        return self.sensitivity, 1

    @property
    def group_size(self) -> int:
        return len(self.records.components[0].people) if len(self.records.components) > 1 else self._alike.group_size
