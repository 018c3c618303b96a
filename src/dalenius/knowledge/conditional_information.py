"""Mutual information given other people's records, I(X_i; Y | X_K), by enumeration of their values.

With K everybody else it is I(X_i; Y | X_(i)) (IP Prop 2, IDP Prop 4). Given x_(i) only X_i is uncertain, and the answer
is a function of it. If the answer is a sum and the noise depends on output less answer only, the others' records shift
the output. Then records of other groups may be left out.

Take two independent fair bits, counted without noise: I(X_1; Y) is 0.347 nats and I(X_1; Y | X_2) all of 0.693. For two
equal bits I(X_1; Y | X_2) is 0: an adversary who knows the one knows the other, whatever goes out.
"""

from collections.abc import Iterator, Sequence
from math import exp, prod

from dalenius.bounds import UNIT, Enclosure
from dalenius.channel import Release
from dalenius.channel.leakage import NO_LEAK, NOTHING, Leakage, Witness, worst, worst_of
from dalenius.channel.record_world import RecordWorld
from dalenius.errors import TooLarge
from dalenius.fields import RecordValue
from dalenius.joints import Joint, count_outcomes, factor_strata, one_group, people_of
from dalenius.joints.joint import each_given
from dalenius.knowledge.limits import MOST_GIVEN_PAIRS, MOST_GIVEN_VALUES, MOST_OTHERS


def _each_given(joint: Joint, people: Sequence[int]) -> Iterator[tuple[tuple[RecordValue, ...], Enclosure, Joint]]:
    """Yields every combination of values of these people's records that can occur, in the order of the model's list.

    Each comes with its probability and the law of all records given it. TooLarge for more than 1,024 of them.
    """
    # A whole household of ten in notion.given has 1024 states.
    ways = prod(len(joint.subject_of(person).secrets) for person in people)
    if ways > MOST_GIVEN_VALUES:
        what, size = "the values of the records that are given", f"{ways:,} combinations"
        raise TooLarge(what, size, "name fewer people", MOST_GIVEN_VALUES)
    for values, log, law in each_given(joint, tuple(people)):
        off = exp(log) * (64 + 8 * len(people) + 8 * abs(log)) * UNIT
        yield values, Enclosure(max(exp(log) - off, 0.0), min(exp(log) + off, 1.0)), law


def information_given(release: Release, world: RecordWorld, people: Sequence[int]) -> Leakage:
    """Finds the largest I(X_i; Y | X_K) over everybody i whose record is a secret, in nats.

    Args:
        release: The model, the query and the noise.
        world: The law that is asked about.
        people: K, the numbers of the people whose records are given.

    Raises:
        TooLarge: If there are too many combinations of values, or of these and people.
    """
    named = release.secrets.numbers(world.joint)
    subjects = [each for each in sorted(people_of(world.joint) if named is None else named) if each not in people]
    every = list(_each_given(world.joint, people))
    if len(every) * len(subjects) > MOST_GIVEN_PAIRS:
        size = f"{len(every):,} combinations of values times {len(subjects):,} people"
        instead = "name the people asked about in secrets.people, or fewer"
        raise TooLarge("the information given records", size, instead, MOST_GIVEN_PAIRS)
    found: dict[int, list[tuple[Enclosure, Enclosure]]] = {person: [] for person in subjects}
    for _, weight, law in every:
        inside = release.worlds.given(law)
        values = {channel.subject.person: channel.information().value for channel in inside.complete(release.noise)}
        for person in subjects:
            own = values.get(law.subject_of(person).person)
            # Somebody of a group that the answer does not ask: it tells nothing about them.
            if own is not None:
                found[person].append((weight, own))
    # The information is an average, and no output attains it: a witness says whose record leaks most, and given whose.
    given = f"given the {'record' if len(people) == 1 else 'records'} of {', '.join(map(str, people))}"
    who = {person: f"{world.joint.subject_of(person).who}; {given}" for person in subjects}
    return worst([NOTHING, *(_mean(found[person], Witness(person, who[person])) for person in subjects)])


def information_given_others(release: Release) -> Leakage:
    """Finds the largest I(X_i; Y | X_(i)) of `release` over everybody i whose record is a secret, in nats.

    TooLarge where there is too much to enumerate.
    """
    return worst([NOTHING, *(found for world in release.worlds.plain for found in _of_world(release, world))])


def _of_world(release: Release, world: RecordWorld) -> Iterator[Leakage]:
    """Yields the information by person, for one law; from one group of each type where others only shift the output."""
    joint, shifts = world.joint, world.scores.additive and release.noise.shape.additive
    parts = [one_group(joint, group) for group in range(len(factor_strata(joint)))] if shifts else [joint]
    subjects = [_one_of_each(release, joint, part) for part in parts]
    # A hundred households are one type: what is counted is a type's assignments, once for each secret in it.
    rows = sum(
        len(people) * count_outcomes(part.factors()) for part, people in zip(parts, subjects, strict=True) if people
    )
    if rows > MOST_OTHERS:
        size = f"{float(min(rows, 2**1000)):.2g} assignments of records"
        wanted = "name the people asked about in secrets.people, or fewer"
        raise TooLarge("the information given everybody else's record", size, wanted, MOST_OTHERS)
    everybody = world.secrets.altered({"people": None})
    for part, people in zip(parts, subjects, strict=True):
        for person in people:
            found, known = list[tuple[Enclosure, Enclosure]](), dict[tuple[object, ...], Enclosure]()
            for values, weight, law in _each_given(joint, [other for other in people_of(part) if other != person]):
                subject = law.subject_of(person)
                # Others' records have added so much: taken off, many assignments have one law.
                key = subject.secrets, subject.log_prior.tobytes(), None if shifts else values
                if key not in known:
                    own = next(at for at, factor in enumerate(law.factors()) if person in factor.people)
                    own_group = one_group(law, own) if shifts else law
                    inside = RecordWorld(own_group, world.scores, everybody, None).complete(release.noise)
                    known[key] = worst_of([NO_LEAK, *(channel.information() for channel in inside)]).value
                found.append((weight, known[key]))
            yield _mean(found, Witness(person, f"{joint.subject_of(person).who}; given everybody else's record"))


def _one_of_each(release: Release, joint: Joint, part: Joint) -> list[int]:
    """Returns the first person of each class of people of a part whose records are secrets.

    If a class is one only up to an error, everybody in it is returned.
    """
    firsts, found = release.secrets.firsts(joint), dict[int, int]()
    for person in people_of(part):
        if firsts is None or joint.subject_of(person).person in firsts:
            subject = part.subject_of(person)
            found.setdefault(person if subject.class_error else subject.person, person)
    return list(found.values())


def _mean(found: Sequence[tuple[Enclosure, Enclosure]], witness: Witness) -> Leakage:
    """Returns the average of these numbers, each with its weight, in nats."""
    lower = sum(weight.lower * own.lower for weight, own in found)
    # More than what values add whose probability is no double.
    upper = sum(weight.upper * own.upper + 1e-300 for weight, own in found)
    # A sum of so many positive terms, each a product.
    off = (len(found) + 4) * UNIT
    return Leakage(lower * (1 - off), upper * (1 + off), witness)
