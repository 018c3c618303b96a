"""What is asked about one record under laws of a set: what leaks there is no more than what may leak over all laws."""

from collections.abc import Iterator, Sequence

from dalenius.conversion.dependence import Dependence, dependences
from dalenius.conversion.long_rows import long_rows
from dalenius.conversion.unlisted import Stretched, Worst
from dalenius.conversion.wide_networks import wide_networks
from dalenius.joints import Joint
from dalenius.schema import RecordValue


def asked_under(
    laws: Sequence[Joint], person: int, secret: RecordValue, against: RecordValue | None
) -> list[Dependence]:
    """The question under each of the laws that has it, where no records but a few around that one are looked at, if
    they are many."""
    found = []
    for law in laws:
        found += [each for each in dependences(law, against is None) if each.person == person]
        for group, place in _around(law, person, against is None):
            values = group.values(place)
            if secret in values and (against is None or against in values):
                one, other = values.index(secret), 0 if against is None else values.index(against)
                found += group.asked(Worst(place, one, other, 0.0))
    return [each for each in found if (each.person, each.secret, each.against) == (person, secret, against)]


def _around(law: Joint, person: int, information: bool) -> Iterator[tuple[Stretched, int]]:
    """The groups too large to list, and the record's place there."""
    for row in long_rows(law, information):
        if 0 <= person - row.person < len(row.path.chances):
            yield row, person - row.person
    for network in wide_networks(law, information):
        if person in network.numbers:
            yield network, network.numbers.index(person)
