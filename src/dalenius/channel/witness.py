"""An enclosed number and where it is attained."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple, final

from dalenius.bounds import UNIT, Enclosure, largest
from dalenius.schema import RecordValue

NEAR: Final = 0.9


@final
@dataclass(frozen=True)
class Witness:
    """Where a leakage is attained: whose record, which of its values (against which), and which output.

    person: number of the first of a class of exchangeable people, 0 for no one in particular; who: the class in words;
    output: one number per coordinate, in the query's unit, and at an end of the answer's range also all beyond it; None
    where the leakage is an average over outputs; answers: the labels of the coordinates, where the query answers per
    label; known: further background knowledge of others' records, by person; what: what the secret is; outputs: the
    distinguishing event, where a set of outputs attains the leakage, as intervals with their ends included; chance:
    the prior probability of the secret, or where it is against another of the secret among the two; None where it is no
    probability, or was not asked for; people: of all of whose records the secret is, where it is not one record.
    log_probability: log of the probability of the output and all that it stands for, where outputs are real numbers of
    those within half a lattice step of it; log_near: log of the probability that an output leaks at least NEAR of the
    leakage. Both over the prior too, and None where not asked for (`dalenius.notions.audit`) or not defined.
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
    """A quantity of a channel, in nats; witness: None where nothing leaks."""

    value: Enclosure
    witness: Witness | None = None


class Movement(NamedTuple):
    """How far outputs change beliefs: the largest log(posterior/prior), the largest log(prior/posterior), and the
    larger of the first and a multiple of the second."""

    raised: Found
    lowered: Found
    most: Found

    @classmethod
    def of(cls, raised: Found, lowered: Found, lowering: float) -> "Movement":
        """lowering: the multiple. The witness is that of raising beliefs wherever that may be the larger."""
        apart = 0.0 if lowering == 1 else 8 * UNIT
        low, high = (lowering * each for each in lowered.value)
        weighed = Enclosure(low * (1 - apart), high * (1 + apart))
        first = raised if raised.value.upper >= weighed.lower else lowered
        return cls(raised, lowered, Found(largest(raised.value, weighed), first.witness))


class Divergence(NamedTuple):
    """The largest D(S | Y=y ‖ S) over the outputs y, and the largest D(S ‖ S | Y=y)."""

    forward: Found
    reverse: Found
