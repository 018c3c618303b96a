"""The channel of all records of a long chain or a large network: suprema from limits at ±∞ and a bound (Theory §20).

Quantities that are attained at an output are enclosed: the lower end is the leakage of the limits, and the upper end
that of any likelihoods that differ by at most `Outermost.most`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp
from typing import NoReturn, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import IntArray
from dalenius.bounds import Enclosure
from dalenius.channel.channel import Channel, ChannelAtOutput
from dalenius.channel.large.output_limits import Ends, Outermost
from dalenius.channel.large.secret_values import SecretValues
from dalenius.channel.large.suprema import Suprema
from dalenius.channel.leakage import Divergence, Found, Movement, Witness
from dalenius.channel.likelihoods import Likelihoods
from dalenius.channel.sensitivity import Spread
from dalenius.errors import Meaningless
from dalenius.fields import RecordValue
from dalenius.joints import Joint, Subject
from dalenius.laws.lattice import Lattice
from dalenius.noise import Answer, Noise

Named: TypeAlias = tuple[RecordValue, ...]


@final
@dataclass(frozen=True, eq=False)
class LongRecords(Channel):
    """The channel of all records of one part of a law, from limits and bounds.

    Averages over outputs need the records' own laws, which would take long: the information is only bounded, and all
    others are Meaningless.

    Args:
        joint: The law, of chains and networks.
        part: One of them.
        outermost: Its limits and bounds under the noise.
        places: The places in it of the records that are secrets (records,), from 0, in order.
        secrets: The values of the secrets.
        noise: The noise that is added to this part of the answer.
        lattice: The lattice of the answers.
        spreads: The spread of a record, by stratum.
        outputs: The answers at and beyond which nothing changes; None where they are not known.
        name: The answer's name.
    """

    joint: Joint
    part: Ends
    outermost: Outermost
    places: IntArray
    secrets: SecretValues
    noise: Noise
    lattice: Lattice
    spreads: Sequence[Spread]
    outputs: tuple[Named, Named] | None
    name: str

    @cached_property
    def _suprema(self) -> Suprema:
        """The limits and the bound of the records that are secrets, with the limits' error."""
        part, places = self.part, self.places
        found = self.outermost
        ends, most = found.ends[:, places], found.most[places]
        error = found.error + self.joint.subject_of(part.people[0], single=True).class_error
        whole = Suprema(part.log_marginals[places], part.possible[places], ends, most, error)
        if not self.secrets.of_stages:
            return whole
        return whole.mixed(self.secrets.places[part.stratum[places]], self.secrets.most)

    @property
    def _against(self) -> NDArray[np.bool_]:
        """The pairs of values of each secret that must not be distinguished (records, k, k)."""
        return self.secrets.against(self.part.stratum[self.places], self._suprema.prior.shape[1])

    def neighbours(self) -> Found:
        """Returns the log-ratio of data sets that differ in one record, in nats, over strata, without any law."""
        # Because strata may move the answer by different amounts, as wards of which only some are counted.
        mechanism = self.noise.mechanism(self.lattice)
        found = [
            (each, mechanism.neighbour_loss(each.neighbours)) for each in self.spreads if each.neighbours is not None
        ]
        spread, value = max(found, key=lambda each: each[1].upper)
        most, least = spread.values
        place = int(np.argmax([self.spreads[kind] is spread for kind in self.part.stratum[self.places].tolist()]))
        return Found(value, self._witness(place, secret=most, against=least))

    def ratio(self) -> Found:
        """Encloses log W(y|s)/W(y|s') over all records, pairs and outputs, in nats.

        The lower end is that at ±∞, the upper is `Outermost.most`.
        """
        return self._named(*self._suprema.ratio(self._against), "secret", "against")

    def movement(self, lowering: float = 1.0) -> Movement:
        """Encloses the largest log of posterior over prior, and of prior over posterior, in nats.

        It follows from the same two bounds and each record's prior; `lowering` as in the base.
        """
        raised, lowered = (self._named(*each, "secret") for each in self._suprema.movement())
        return Movement.of(raised, lowered, lowering)

    def divergence(self) -> Divergence:
        """Encloses both relative entropies at one output, in nats; an output at ±∞ attains the lower ends."""
        return Divergence(*(self._named(*each) for each in self._suprema.divergence()))

    def _named(self, value: Enclosure, where: tuple[int, ...] | None, *names: str) -> Found:
        """Returns the value with its witness: the record, the values of these names, and the end that attains it."""
        if where is None:
            return Found(value)
        place, *states, end = where
        values = self.secrets.values[int(self.part.stratum[self.places[place]])]
        named = {name: values[state] for name, state in zip(names, states, strict=True)}
        return Found(value, self._witness(place, output=self.outputs and self.outputs[end], **named))

    def information(self) -> Found:
        """Bounds the mean over outputs of a number that is at most `divergence`."""
        return Found(Enclosure(0.0, self.divergence().forward.value.upper))

    def at(self, output: Sequence[Answer]) -> ChannelAtOutput:
        """Raises Meaningless: the posterior at one output in the middle needs the law of all others' sum."""
        self._unknown("posterior")

    def finite(self, quantity: str) -> Likelihoods:
        self._unknown(quantity)

    def singly(self, quantity: str) -> Iterator[Channel]:
        self._unknown(quantity)

    def _unknown(self, quantity: str) -> NoReturn:
        """Raises Meaningless, with the number of records and the quantities that are known of so many."""
        records = f"{len(self.places):,} records of {self.part.what} of {len(self.part):,}"
        wanted = (
            "fewer records (secrets.people) for all but what is attained at one output: differential, inferential, "
        )
        raise Meaningless(quantity, records, f"{wanted}information and relative entropy privacy without delta")

    def _witness(self, place: int, **where: object) -> Witness:
        """Returns the witness about the record at that place among the secrets, in the joint law's numbering."""
        subject = self.secrets.subject(self.joint.subject_of(self.part.people[int(self.places[place])], single=True))
        said = {"answers": (self.name,), "chance": self._chance(subject, where)} | where
        return Witness(subject.person, subject.who, **said)  # type: ignore[arg-type]

    @staticmethod
    def _chance(subject: Subject, where: Mapping[str, object]) -> float | None:
        """Returns the prior probability of the secret, as a witness of one record's channel has it."""
        logs = dict(zip(subject.secrets, subject.log_prior.tolist(), strict=True))
        own, other = (logs.get(where.get(key)) for key in ("secret", "against"))  # type: ignore[call-overload]
        # Because neighbours may differ in a value that the model gives probability 0: such a witness has no prior
        # chance.
        if own is None or ("against" in where and other is None):
            return None
        if other is None:
            return exp(min(own, 0.0))
        # Because e^700 is nearly the largest double: among the two values alone, one so much rarer than the other has
        # 0.
        return 1 / (1 + exp(other - own)) if other - own < 700 else 0.0
