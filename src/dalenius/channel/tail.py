"""How likely the worst is: the law of what an output leaks about one subject."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, final

from dalenius.bounds import Enclosure
from dalenius.channel.peak import Largest
from dalenius.channel.witness import Witness
from dalenius.laws.tails.tail import Tail

RARE: Final = 1e-6


@final
@dataclass(frozen=True)
class SubjectTail:
    """law: of the largest log W(y|s)/W(y) at the output y; maximal_leakage: log of the sum over y of max_s W(y|s), the
    most an output helps anybody guess any function of the secret (Issa, Wagner and Kamath 2020); witness: of whom."""

    law: Tail
    maximal_leakage: Enclosure
    witness: Witness


def largest_tail(tails: Iterable[SubjectTail]) -> SubjectTail | None:
    """The one with the largest quantile at 1 - RARE, that of the first person where several may be; None of none."""
    first = Largest[SubjectTail]()
    for each in sorted(tails, key=lambda each: each.witness.person):
        first.add(each.law.quantile(RARE), each)
    return first.first
