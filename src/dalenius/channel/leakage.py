"""The leakage of a release, and its witness: of whom, and at which output."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, final

from dalenius.bounds import Enclosure, largest
from dalenius.channel.peak import Largest
from dalenius.channel.witness import Found, Witness
from dalenius.tabular import either


@final
@dataclass(frozen=True, repr=False)
class Leakage:
    """lower <= truth <= upper, in nats, and where it is attained; companions: further numbers of the same notion."""

    lower: float
    upper: float
    witness: Witness | None
    companions: dict[str, Enclosure] = field(default_factory=dict)

    @classmethod
    def of(cls, found: Found, **companions: Enclosure) -> "Leakage":
        return cls(found.value.lower, found.value.upper, found.witness, companions)

    @property
    def epsilon(self) -> float:
        """A point inside the enclosure."""
        return Enclosure(self.lower, self.upper).middle

    def __repr__(self) -> str:
        who = "" if self.witness is None else f" about {self.witness.who}"
        more = "".join(f"; {name} {either(value)}" for name, value in self.companions.items())
        return f"Leakage({either(Enclosure(self.lower, self.upper))} nats{who}{more})"

    @property
    def nothing(self) -> bool:
        """Whether it is indistinguishable from 0."""
        return self.lower == 0 and self.upper < 1e-9


NOTHING: Final = Leakage(0.0, 0.0, None)
"""Where no record can move the answer."""


def worst(leakages: Iterable[Leakage]) -> Leakage:
    """The largest leakage, with the witness of the first person whose leakage may be that (see `Largest`; for one
    person, the first in the order given); each companion is maximised separately."""
    found = list(leakages)
    names = dict.fromkeys(name for leakage in found for name in leakage.companions)
    companions = {name: _largest([each.companions.get(name, NONE) for each in found]) for name in names}
    total = worst_of(Found(Enclosure(each.lower, each.upper), each.witness) for each in found)
    return Leakage(total.value.lower, total.value.upper, total.witness, companions)


def worst_of(found: Iterable[Found]) -> Found:
    """The same for single quantities."""
    every = list(found)
    seen = [(each.value, each.witness) for each in every if each.witness is not None]
    first = Largest[Witness]()
    for value, witness in sorted(seen, key=lambda each: each[1].person):
        first.add(value, witness)
    return Found(_largest([each.value for each in every]), first.first)


def _largest(values: list[Enclosure]) -> Enclosure:
    found = NONE
    for value in values:
        found = largest(found, value)
    return found


NONE = Enclosure(0.0, 0.0)
