"""Noise before the answer, by its definition: every record with every report, in fractions."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod

from tests.reference import noises
from tests.reference.channel import Channel, Law, Real, Score, Vector, answer_of, log_ratio, mp, real
from tests.reference.joints import Joint, Value

Response = Mapping[Value, Mapping[Value, Fraction]]
"""The probability of each report given each value of a record."""


def randomized_response(values: Sequence[Value], keep: Fraction) -> Response:
    others = max(len(values) - 1, 1)
    return {own: {told: keep if told == own else (1 - keep) / others for told in values} for own in values}


def told(records: Sequence[Value], responses: Sequence[Response]) -> Iterator[tuple[tuple[Value, ...], Fraction]]:
    """Every list of reports that can be, with its probability given the records."""
    for reports in product(*(response[own] for response, own in zip(responses, records, strict=True))):
        chance = prod(
            (response[own][report] for response, own, report in zip(responses, records, reports, strict=True)),
            start=Fraction(1),
        )
        if chance:
            yield reports, chance


def channels(joint: Joint, responses: Sequence[Response], score: Score) -> list[Channel]:
    """Everybody's: the secret is a record, and the answer is made of the reports."""
    laws = {records: _law(records, responses, score) for records in joint}
    return [channel_of(joint, laws, person) for person in range(len(responses))]


def _law(records: Sequence[Value], responses: Sequence[Response], score: Score) -> Law:
    found: Law = {}
    for reports, chance in told(records, responses):
        answer = answer_of(reports, score)
        found[answer] = found.get(answer, Fraction(0)) + chance
    return found


def channel_of(joint: Joint, laws: Mapping[tuple[Value, ...], Law], person: int) -> Channel:
    """One person's, by the law of what goes out given everybody's records."""
    prior: dict[Value, Fraction] = {}
    mixed: dict[Value, dict[Vector, Fraction]] = {}
    for records, chance in joint.items():
        if chance:
            own = records[person]
            prior[own] = prior.get(own, Fraction(0)) + chance
            law = mixed.setdefault(own, {})
            for answer, given in laws[records].items():
                law[answer] = law.get(answer, Fraction(0)) + chance * given
    found: dict[Value, Law] = {}
    for own, mixture in mixed.items():
        found[own] = {answer: p / prior[own] for answer, p in mixture.items()}
    return Channel(prior, found, noises.NONE)


def differential(universes: Sequence[Sequence[Value]], responses: Sequence[Response], score: Score) -> Real:
    """No model: the worst log-ratio of an answer of reports given two data sets that differ in one record."""
    laws = {records: _law(records, responses, score) for records in product(*universes)}
    worst = mp.zero
    for records, law in laws.items():
        for person, values in enumerate(universes):
            for value in values:
                other = laws[(*records[:person], value, *records[person + 1 :])]
                for answer in law.keys() | other.keys():
                    one, two = (real(each.get(answer, Fraction(0))) for each in (law, other))
                    worst = max(worst, log_ratio(one, two))
    return worst
