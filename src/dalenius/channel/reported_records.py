"""The law of what people report: the records that a query tells apart, and each record's own noise.

A query of reports in order needs a law in which people are told apart, and noise on records one of reports. All else,
such as channels, notions and knowledge of records, is as for any law.
"""

from collections.abc import Sequence

from dalenius.arrays import Array
from dalenius.channel.adversary import Adversary
from dalenius.channel.limits import MOST_NAMED, MOST_REPORTS
from dalenius.channel.person import person_number
from dalenius.channel.secrets import Secrets
from dalenius.errors import InputError, TooLarge
from dalenius.fields import RecordValue
from dalenius.joints import Belief, Joint, count_people, finite_law, own_label
from dalenius.noise import Noise
from dalenius.queries import Query


def reported(
    beliefs: Sequence[Belief], query: Query | None, noise: Noise, secrets: Secrets, adversary: Adversary
) -> list[Belief]:
    """Returns the laws of what people report.

    They are the laws of the records where the query tells nobody apart and noise comes after the answer.

    Args:
        beliefs: The laws of the records.
        query: The question.
        noise: The noise.
        secrets: The secrets, which must be single records.
        adversary: What the adversary knows.

    Raises:
        InputError: If people cannot be told apart or cannot report under such a law, or somebody is unknown.
        TooLarge: If more people report in order than the law of their reports has room for.
    """
    apart = None if query is None else query.told_apart
    if apart is None and not noise.shape.on_records:
        return list(beliefs)
    laws = [_law_of(belief, noise) for belief in beliefs]
    _check(secrets, adversary)
    if apart is not None:
        if not (noise.shape.on_records or noise.shape.adds_nothing):
            raise InputError("noise.kind", noise.kind, _WANTED)
        # Because the laws of one model must have the same answers, everybody is named where there are several.
        named = _everybody(laws[0]) if len(laws) > 1 and isinstance(apart, str) else apart
        return [_told_apart(law, named, noise) for law in laws]
    return [_noised(law, noise) for law in laws]


def _everybody(law: Joint) -> tuple[int, ...]:
    people = count_people(law)
    if people > MOST_NAMED:
        size = f"those of {people:,} people under several laws"
        raise TooLarge("reports in order", size, "name fewer people (query.people)", MOST_NAMED)
    return tuple(range(1, people + 1))


def _noised(law: Joint, noise: Noise) -> Joint:
    if not noise.shape.on_records:
        return law
    # So that other releases load nothing of it: imported here.
    from dalenius.joints import ReportedLaw

    return ReportedLaw(law, _Reporting(noise))


_WANTED = "none, or noise on each record (randomized_response, or a kernel with each = true), beside reports in order"


def _law_of(belief: Belief, noise: Noise) -> Joint:
    law = finite_law(belief)
    if law is None:
        key, value = ("noise.kind", noise.kind) if noise.shape.on_records else ("query.kind", "reports")
        raise InputError(key, value, "a model with one law, of records of finitely many values")
    return law


def _check(secrets: Secrets, adversary: Adversary) -> None:
    secrets.check_of_records("reports")
    if adversary.answers:
        raise InputError("adversary.answers", f"{len(adversary.answers)} of them", "none beside reports of records")


def _told_apart(law: Joint, people: Sequence[int | str] | str, noise: Noise) -> Belief:
    """Returns the law of reports in which each of the `people`, or everybody, has a label of their own."""
    if not isinstance(people, str):
        numbers = [person_number(law, person, "query.people") for person in people]
        for number, person in zip(numbers, people, strict=True):
            if numbers.count(number) > 1:
                raise InputError("query.people", person, "each person once")
        own = {number: own_label(person) for number, person in zip(numbers, people, strict=True)}
        _check_size(max(len(own.keys() & set(factor.people)) for factor in law.factors()))
        return _noised(law.apart(own), noise)
    largest = max(factor.size for factor in law.factors())
    # Because a long chain's reports have extreme messages, though not a law that fits.
    if largest > MOST_REPORTS and noise.shape.on_records:
        from dalenius.channel.large.ordered_reports import reports_of_chain

        if (found := reports_of_chain(law, noise)) is not None:
            return found
    _check_size(largest)
    return _noised(law.apart(None), noise)


def _check_size(people: int) -> None:
    if people > MOST_REPORTS:
        size = f"those of {people:,} people who depend on each other"
        raise TooLarge(
            "reports in order", size, "name fewer people (query.people), or shuffle the reports", MOST_REPORTS
        )


class _Reporting:
    """The reports of each universe under a noise on records; each universe's are made once."""

    def __init__(self, noise: Noise) -> None:
        self._noise = noise
        self._known: dict[tuple[RecordValue, ...], tuple[tuple[RecordValue, ...], Array]] = {}

    def __call__(self, values: tuple[RecordValue, ...]) -> tuple[tuple[RecordValue, ...], Array]:
        if values not in self._known:
            found = self._noise.reports(values)
            assert found is not None
            self._known[values] = found.values, found.logs
        return self._known[values]


def bound_noise(noise: Noise, beliefs: Sequence[Belief]) -> Noise:
    """Returns the `noise` for the records of these laws.

    Args:
        noise: The noise, which may depend on the values that records can have.
        beliefs: The laws that the records may have.

    Raises:
        InputError: If the noise does not fit the records.
    """
    return noise.among([stratum.values for belief in beliefs for stratum in belief.strata()])
