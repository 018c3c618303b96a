"""The same people in several data sets, against enumeration in fractions; IP Props 7 and 8."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest

import dalenius as dl
from dalenius.models import Model
from dalenius.noise import Noise, separate
from dalenius.queries import Query
from tests.cases import in_turn
from tests.reference import channel, noises as reference
from tests.reference.channel import mp
from tests.reference.linked import Rows, apart, chained, relative_entropy, staying
from tests.reference.questions import Together

NOTIONS = (dl.InferentialPrivacy(), dl.InformationPrivacy(), dl.RelativeEntropyPrivacy(), dl.MutualInformationPrivacy())


def shares(random: Random, count: int, zeros: float = 0.15) -> list[float]:
    """Probabilities that doubles hold exactly, some of them 0."""
    while True:
        given = [0 if random.random() < zeros else random.randrange(1, 64) for _ in range(count)]
        if 0 < sum(given) <= 64 * count:
            break
    total = 256
    scaled = [total * each // sum(given) for each in given]
    scaled[given.index(max(given))] += total - sum(scaled)
    return [each / total for each in scaled]


def table(random: Random, people: int = 2, values: int = 2) -> tuple[Model, Rows]:
    rows = list(product(range(values), repeat=people))
    chances = shares(random, len(rows))
    while len({chance > 0 for chance in chances}) < 1:
        chances = shares(random, len(rows))
    model = dl.Table(records=[list(row) for row in rows], probabilities=chances)
    return model, [(row, Fraction(chance)) for row, chance in zip(rows, chances, strict=True)]


def household(random: Random, people: int = 2) -> tuple[Model, Rows]:
    law = shares(random, people + 1)
    rows = [
        (row, Fraction(law[sum(row)]) / len([r for r in product((0, 1), repeat=people) if sum(r) == sum(row)]))
        for row in product((0, 1), repeat=people)
    ]
    return dl.Households(count=1, infected=law), rows


WITHIN = {"table": table, "household": household}


def noises(random: Random, stages: int) -> tuple[Noise, Sequence[channel.Noise]]:
    """Geometric and Laplace noises of random scales."""
    scales = [random.choice([0.5, 0.75, 1.0, 1.5]) for _ in range(stages)]
    laplace = [random.random() < 0.5 for _ in scales]
    parts = [dl.Laplace(scale=s) if own else dl.Geometric(scale=s) for s, own in zip(scales, laplace, strict=True)]
    theirs = [reference.laplace(s) if own else reference.geometric(s) for s, own in zip(scales, laplace, strict=True)]
    return separate(parts), theirs


def questions(stages: int, query: Query | None = None) -> dl.Several:
    asked = query if query is not None else dl.Count()
    return dl.Several(queries=tuple(dl.Stage(stage=str(t), query=asked) for t in range(1, stages + 1)))


def asked(rows: Rows, theirs: Sequence[channel.Noise], person: int) -> Together:
    """Everybody's ones, counted at each stage."""

    def count(stage: int) -> Any:
        return lambda records: sum(process[stage] == 1 for process in records)

    return Together(rows, [(count(stage), noise) for stage, noise in enumerate(theirs)], person)


def assert_holds(found: Mapping[str, dl.Leakage], truth: Mapping[str, Any]) -> None:
    for name, value in truth.items():
        leakage = found[name]
        assert leakage.lower - 1e-15 <= value <= leakage.upper + 1e-15, name
        assert mp.isinf(value) or leakage.upper - leakage.lower < 1e-9, name


def suprema(rows: Rows, theirs: Sequence[channel.Noise], people: int) -> dict[str, Any]:
    return suprema_of([asked(rows, theirs, person) for person in range(people)])


def suprema_of(channels: list[Together]) -> dict[str, Any]:
    return {
        "inferential": max(each.inferential() for each in channels),
        "information": max(each.information() for each in channels),
        "relative_entropy": max(relative_entropy(each) for each in channels),
    }


def assert_leaks(linked: Model, rows: Rows, stages: int, random: Random, people: int = 2) -> None:
    """Suprema under mixed noises, and the average under geometric ones, which the reference sums exactly."""
    noise, theirs = noises(random, stages)
    release = dl.Release(linked, questions(stages), noise)
    assert_holds(dl.audit(release, NOTIONS[:3]), suprema(rows, theirs, people))
    counted = [reference.geometric(0.75)] * stages
    average = max(asked(rows, counted, person).mutual_information() for person in range(people))
    assert_holds(dl.audit(release.with_noise(dl.Geometric(scale=0.75)), NOTIONS[3:]), {"mutual_information": average})


@pytest.mark.parametrize("stages", [2, pytest.param(3, marks=pytest.mark.slow)])
@in_turn({"kind": WITHIN, "coupling": ["copies", "persistence", "transition", "each step", "independent"]})
def test_what_linked_releases_leak(kind: str, coupling: str, stages: int) -> None:
    random = Random(f"{kind} {coupling} {stages}")
    model, rows = WITHIN[kind](random)
    if coupling == "persistence":
        stay = random.choice([0.0, 0.25, 0.75])
        linked = dl.Linked(stages=stages, within=model, coupling="chain", persistence=stay)
        steps = [[staying(rows, person, Fraction(stay)) for person in range(2)]] * (stages - 1)
        truth = chained(rows, steps)
    elif coupling == "transition":
        matrix = [shares(random, 2) for _ in range(2)]
        linked = dl.Linked(stages=stages, within=model, coupling="chain", transition=matrix)
        asdict = {v: {w: Fraction(p) for w, p in enumerate(row)} for v, row in enumerate(matrix)}
        truth = chained(rows, [[asdict, asdict]] * (stages - 1))
    elif coupling == "each step":
        matrices = [[shares(random, 2) for _ in range(2)] for _ in range(stages - 1)]
        linked = dl.Linked(stages=stages, within=model, coupling="chain", transition=matrices)
        ways = [{v: {w: Fraction(p) for w, p in enumerate(row)} for v, row in enumerate(each)} for each in matrices]
        truth = chained(rows, [[way, way] for way in ways])
    elif coupling == "independent":
        linked = dl.Linked(stages=stages, within=model, coupling="independent")
        truth = apart(rows, stages)
    else:
        linked = dl.Linked(stages=stages, within=model, coupling="copies")
        truth = [(tuple((value,) * stages for value in records), chance) for records, chance in rows]
    assert_leaks(linked, truth, stages, random)


NODES: Any = [
    {"name": "a", "probabilities": [0.5, 0.5]},
    {"name": "b", "parents": ["a"], "probabilities": [[0.9, 0.1], [0.2, 0.8]]},
]


def test_what_is_not_linked_is_refused() -> None:
    home = dl.Households(count=1, infected=[0.5, 0.2, 0.3])
    days = dl.Chain(n=2, transition=[[0.8, 0.2], [0.4, 0.6]], initial=[0.9, 0.1])
    for within in (dl.Network(nodes=NODES), days):
        with pytest.raises(dl.InputError, match=r"^model.within: another law, wanted independent groups of records"):
            dl.Linked(stages=2, within=within, coupling="copies").joints()
    with pytest.raises(dl.InputError, match=r"wanted no transition or persistence beside coupling independent"):
        dl.Linked(stages=2, within=home, coupling="independent", persistence=0.5)
    with pytest.raises(dl.InputError, match=r"one transition, or one for each of the 2 steps \(there are 3\)"):
        dl.Linked(stages=3, within=home, coupling="chain", transition=[[[1.0, 0.0], [0.0, 1.0]]] * 3)
    with pytest.raises(dl.InputError, match=r"a transition of numbers, without intervals"):
        dl.Linked(stages=2, within=home, coupling="chain", transition=[[[0.1, 0.2], [0.8, 0.9]]] * 2)
    three = [[float(i == j) for j in range(3)] for i in range(3)]
    uneven = dl.Linked(stages=3, within=home, coupling="chain", transition=[[[1.0, 0.0], [0.0, 1.0]], three])
    with pytest.raises(dl.InputError, match=r"^model.transition: 3 rows, wanted a row and a column for each of"):
        uneven.joints()


def test_what_independent_stages_leak_adds_up() -> None:
    """IP Prop 8, for any number of households; of one stage's value nothing is said by the others."""
    home = dl.Households(count=25, infected=[0.9, 0.04, 0.0, 0.0, 0.06])
    linked = dl.Linked(stages=2, within=home, coupling="independent")
    noise = dl.Laplace(scale=2.0)
    once = dl.audit(dl.Release(home, dl.Count(), noise), NOTIONS[:2])
    twice = dl.audit(dl.Release(linked, questions(2), separate([noise] * 2)), NOTIONS[:2])
    for kind in ("inferential", "information"):
        assert twice[kind].epsilon == pytest.approx(2 * once[kind].epsilon, rel=1e-9)
    first = dl.Release(linked, questions(2), separate([noise] * 2), secrets=dl.Secrets(stage="1"))
    assert dl.audit(first, NOTIONS[:1])["inferential"].epsilon == pytest.approx(once["inferential"].epsilon, rel=1e-9)


def test_households_whose_processes_do_not_fit_are_refused() -> None:
    home = dl.Households(count=3, infected=[0.2] * 5 + [0.0] * 15)
    with pytest.raises(dl.TooLarge, match=r"the processes of a group: a table of 2.7e\+18 .* \(limit joints.entries"):
        dl.Linked(stages=3, within=home, coupling="independent").joints()


def test_a_large_household_is_copied_and_a_chain_of_its_stages_refused() -> None:
    home = dl.Households(count=2, infected=[0.5] + [0.5 / 30] * 30)
    copies = dl.Linked(stages=2, within=home, coupling="copies")
    noises = separate([dl.Laplace(scale=2.0)] * 2)
    twice = dl.audit(dl.Release(copies, questions(2), noises), NOTIONS[:1])["inferential"]
    once = dl.audit(dl.Release(home, dl.Count(), dl.Laplace(scale=1.0)), NOTIONS[:1])["inferential"]
    assert twice.epsilon == pytest.approx(once.epsilon, rel=1e-9)
    with pytest.raises(dl.TooLarge, match=r"the processes of a group: a table of 3.5e\+19 entries"):
        dl.Linked(stages=2, within=home, coupling="chain", persistence=0.5).joints()


def test_chained_stages_of_any_number_of_people_are_bounded_from_both_sides() -> None:
    """What each household adds bounds it (Result 9.6): the ends agree."""
    noise = separate([dl.Laplace(scale=1.0), dl.Geometric(scale=2.0)])
    few, many = (
        dl.Release(
            dl.Linked(
                stages=2,
                within=dl.Households(count=count, infected=[0.9, 0.04, 0.0, 0.0, 0.06]),
                coupling="chain",
                persistence=0.7,
            ),
            questions(2),
            noise,
        )
        for count in (3, 10_000)
    )
    assert {engine for engine, _ in many.worlds.engines()} == {"bounds"}
    found, exact = dl.audit(many, NOTIONS[:2]), dl.audit(few, NOTIONS[:2])
    for kind in ("inferential", "information"):
        assert found[kind].upper - found[kind].lower < 1e-8
        assert found[kind].epsilon == pytest.approx(exact[kind].epsilon, abs=1e-8)


def test_what_somebody_knows_is_a_process() -> None:
    """The others' processes are known one by one, as texts."""
    model = dl.Households(count=1, infected=[0.5, 0.2, 0.3])
    for coupling, known in (({"coupling": "copies"}, "1, 1"), ({"coupling": "chain", "persistence": 0.5}, "1, 0")):
        linked = dl.Linked(stages=2, within=model, **coupling)
        told = dl.Release(linked, questions(2), dl.Laplace(scale=1.0), adversary=dl.Adversary(known={"2": known}))
        found = dl.audit(told, NOTIONS[:1])["inferential"]
        # One person alone, each of whose two answers has a sensitivity of 1.
        assert found.epsilon == pytest.approx(2.0, abs=1e-9)
