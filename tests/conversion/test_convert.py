"""`dalenius convert`.

The bit that attains a conversion: it has the profile between all neighbours, and leaks what is said.

What any private pipeline can leak where only pairs are known: against pipelines and joint laws drawn at random.
"""

import json
from dataclasses import dataclass
from itertools import permutations, product
from math import exp, expm1, log
from pathlib import Path
from random import Random

import numpy as np
import pytest

from dalenius import Pairwise, ZeroConcentrated
from dalenius.arrays import Array, IntArray
from dalenius.conversion import (
    ApproximateProfile,
    Conversion,
    GaussianProfile,
    PrivacyProfile,
    PureProfile,
)
from dalenius.conversion.conditional_law_of_others import Dependence, dependences
from dalenius.conversion.group_linear_program import solve
from dalenius.models import Households, finite_joints
from tests.cases import in_turn
from tests.cli.command import Run, complaint, dalenius
from tests.conversion.laws import PROFILES as GUARANTEED_PROFILES, law_of
from tests.conversion.test_conversion import random_table
from tests.pace import slow
from tests.reference.conversion import Row

HOME = '[model]\nkind = "households"\ncount = 250\ninfected = [0.9, 0.04, 0, 0, 0.06]\n'


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "model.toml"
    path.write_text(HOME, encoding="utf-8")
    return path


@pytest.mark.lengthy
def test_pure_pipelines_have_a_least_epsilon(spec: Path) -> None:
    found = dalenius("convert", spec, "--neighbours", "replace", "--epsilon", "1", "--json").json
    assert set(found) == {"inferential", "information", "neighbours", "curve", "why", "seconds"}
    assert found["inferential"]["epsilon"] == pytest.approx(3.8001661, abs=1e-7)
    assert found["inferential"]["delta"] == 0
    assert found["inferential"]["lower"] <= found["inferential"]["upper"] == found["inferential"]["epsilon"]
    assert found["inferential"]["witness"] == {
        "person": 1,
        "who": "member of a household of 4",
        "secret": 1,
        "against": 0,
    }
    assert found["information"]["epsilon"] < found["inferential"]["epsilon"]
    deltas = [delta for _, delta in found["curve"]]
    assert deltas == sorted(deltas, reverse=True)
    assert deltas[-1] == 0


@pytest.mark.lengthy
def test_a_profile_at_an_epsilon(spec: Path, tmp_path: Path) -> None:
    table = tmp_path / "profile.csv"
    table.write_text("epsilon,delta\n0,0.2\n1,0.01\n", encoding="utf-8")
    given: list[str | Path] = ["convert", spec, "--neighbours", "add_remove", "--at-epsilon", "1"]
    found = dalenius(*given, "--profile", table, "--json").json["inferential"]
    assert found["epsilon"] == 1
    assert found["lower"] <= found["delta"] == found["upper"] < 1
    shown = dalenius(*given, "--profile", table)
    assert shown.code == 0, shown.err
    assert "delta at epsilon 1" in shown.out
    assert "member of a household of 4" in shown.out


@pytest.mark.slow
def test_back_from_a_promise(spec: Path) -> None:
    given: list[str | Path] = ["convert", spec, "--neighbours", "replace", "--promise", "--at-epsilon", "1"]
    found = dalenius(*given, "--json").json
    assert found["promised"] == {"epsilon": 1, "delta": 0}
    assert set(found["largest"]["inferential"]) == {"epsilon"}
    size = found["largest"]["inferential"]["epsilon"]
    there = dalenius("convert", spec, "--neighbours", "replace", "--epsilon", str(size), "--json").json
    assert 1 - 1e-5 < there["inferential"]["upper"] <= 1
    assert "largest guarantees" in dalenius(*given).out


REPLACE = ("--neighbours", "replace")
AT = ("--at-epsilon", "1")
ONE_OF = "wanted one of --epsilon, --rho, --gdp, --profile and --event"
SECTIONS = {
    '[adversary]\nknown = { "2" = 1 }\n': (
        "adversary.known: 1 of them, wanted none here: a conversion is for the law of all records"
    ),
    '[[adversary.answers]]\nquery = { kind = "count" }\nvalue = 4\n': (
        "adversary.answers: 1 of them, wanted none here: a conversion is for the law of all records, given no total"
    ),
    "[secrets]\nsize = 2\n": (
        "secrets: the records of every 2 people, wanted one person's record each: the conversion says nothing of groups"
    ),
}
REFUSED = {
    (): "--neighbours: missing, wanted replace or add_remove, as the guarantee was given",
    ("--neighbours", "swap"): "--neighbours: swap, wanted replace or add_remove, as the guarantee was given",
    REPLACE: f"guarantee: missing, {ONE_OF}",
    (*REPLACE, "--rho", "1", "--gdp", "1"): f"guarantee: --rho, --gdp, {ONE_OF}",
    (*REPLACE, "--rho", "1", "--delta", "0.1"): "--delta: 0.1, wanted an --epsilon beside it",
    (*REPLACE, "--rho", "1"): (
        "--at-delta: missing, wanted a delta above 0, or --at-epsilon: no epsilon has delta 0 here"
    ),
    (*REPLACE, "--rho", "1", *AT, "--at-delta", "0.1"): "--at-delta: 0.1, wanted one of --at-epsilon and --at-delta",
    (*REPLACE, "--promise"): "--at-epsilon: missing, wanted the epsilon that is promised",
    (*REPLACE, "--promise", "--rho", "1", *AT): "--promise: --rho, wanted no guarantee: --promise looks for it",
    (*REPLACE, "--epsilon", "-1"): "epsilon: -1.0, wanted a finite number of at least 0",
    (*REPLACE, "--epsilon", "1", "--at-delta", "1"): "--at-delta: 1.0, wanted a number of at least 0 and below 1",
    (*REPLACE, "--epsilon", "1", "--delta", "1"): "delta: 1.0, wanted a probability below 1",
    (*REPLACE, "--profile", "none.csv"): "profile: none.csv, wanted a file that can be read",
}
ZCDP = '{"neighbours": "add_remove", "event": {"kind": "zcdp", "rho": 1}}'
TREE = '{"neighbours": "replace", "event": {"kind": "tree"}}'


def test_what_is_refused(spec: Path, tmp_path: Path, run: Run) -> None:
    for arguments, message in REFUSED.items():
        assert complaint(run("convert", spec, *arguments)).startswith(message)
    event = tmp_path / "event.json"
    for text, more, message in (
        (ZCDP, REPLACE, f"--neighbours: replace, wanted add_remove, as {event} has it"),
        (ZCDP, ("--rho", "1"), f"guarantee: --rho, --event, {ONE_OF}"),
        (TREE, (), "event.kind: tree, wanted one of 'laplace', 'di"),
    ):
        event.write_text(text, encoding="utf-8")
        assert message in complaint(run("convert", spec, "--event", event, *more))
    for section, message in SECTIONS.items():
        spec.write_text(HOME + section, encoding="utf-8")
        assert complaint(run("convert", spec, *REPLACE, "--epsilon", "1")) == message


@pytest.mark.lengthy
def test_a_spec_of_several_questions_is_converted(tmp_path: Path) -> None:
    path = tmp_path / "questions.toml"
    asked = '[[questions]]\nname = "ill"\nquery = { kind = "count" }\nnoise = { kind = "laplace", scale = 2.0 }\n'
    path.write_text(HOME + '[notion]\nkind = "inferential"\nepsilon = 1.0\n' + asked, encoding="utf-8")
    found = dalenius("convert", path, *REPLACE, "--epsilon", "1", "--json")
    assert found.code == 0, found.err
    assert found.json["inferential"]["epsilon"] == pytest.approx(3.8001661, abs=1e-7)


def test_help_says_that_neighbours_are_needed() -> None:
    assert "Needed, unless an" in " ".join(dalenius("convert", "--help").out.split())


PROFILES = (*GUARANTEED_PROFILES, GaussianProfile(0.5))
GRID = np.linspace(0.0, 6.0, 61)


@dataclass(frozen=True, eq=False)
class Attaining:
    """A bit, 1 with a probability that depends on one group: what the program of a question says attains its lower end.

    flagged (2, n): the probability of 1 in each state of the others, where the record has the secret and where not;
    states (n, ..): these, the others' values in order, or, counted, how many have each.
    """

    question: Dependence
    delta: float
    flagged: Array
    profile: PrivacyProfile
    states: IntArray
    counted: bool

    def chance(self, own: bool, state: IntArray) -> float:
        """That of 1 in any state of the others, impossible ones included; own: the record has the secret."""
        # A record that changes is one less in one count and one more in another: half of what the counts differ in.
        apart = np.abs(self.states - state).sum(axis=1) // 2 if self.counted else (self.states != state).sum(axis=1)
        away = np.concatenate([apart + (not own), apart + own])
        return float(self.profile.flags_to(self.flagged.ravel(), int(away.max()))[away, np.arange(len(away))].min())


def state_of(row: Row, place: int, counted: bool) -> IntArray:
    """Of all but one of bits."""
    others = np.delete(np.array(row), place)
    return np.bincount(others, minlength=2) if counted else others


def attaining(made: Conversion, law: dict[Row, float], epsilon: float, counted: bool) -> Attaining:
    """Of the question about which most leaks. All states of the others that occur count, in their order."""
    joint, profile = finite_joints(made.model)[0], made.profile
    found = []
    for each in dependences(joint, made.information):
        solved = solve(each, profile, epsilon, 1)
        flagged = profile.flags_to(solved.flagged, 1)[1]
        states = np.unique([state_of(row, each.person - 1, counted) for row, p in law.items() if p > 0], axis=0)
        both = np.stack([flagged, solved.flagged])
        found.append(Attaining(each, solved.delta.lower, both, profile, states, counted))
    return max(found, key=lambda each: each.delta)


def check(found: Attaining, law: dict[Row, float], epsilon: float, profile: PrivacyProfile) -> None:
    place = found.question.person - 1
    universe = list(product((0, 1), repeat=len(next(iter(law)))))
    flagged = {
        row: found.chance(row[place] == found.question.secret, state_of(row, place, found.counted)) for row in universe
    }
    spare = [(e, profile.delta(e) + 1e-12) for e in GRID.tolist()]
    for one, other in permutations(universe, 2):
        if sum(a != b for a, b in zip(one, other, strict=True)) == 1:
            for e, more in spare:
                assert flagged[one] <= exp(e) * flagged[other] + more
                assert 1 - flagged[one] <= exp(e) * (1 - flagged[other]) + more
    gained = 0.0
    for value, sign in ((found.question.secret, 1.0), (found.question.against, -exp(epsilon))):
        mass = sum(p for row, p in law.items() if value is None or row[place] == value)
        gained += sign * sum(p / mass * flagged[row] for row, p in law.items() if value is None or row[place] == value)
    assert gained == pytest.approx(found.delta, abs=1e-9)


@in_turn({"profile": PROFILES, "information": [False, True]})
def test_it_has_the_profile_and_attains(profile: PrivacyProfile, information: bool) -> None:
    table = random_table(np.random.default_rng(0), (2, 2, 2))
    made = Conversion(table, profile, "replace", information)
    found = attaining(made, law_of(table), 0.6, False)
    lower, upper = made.delta(0.6).value
    assert found.delta == pytest.approx(lower, abs=1e-12)
    assert found.delta == pytest.approx(upper, abs=1e-6)
    check(found, law_of(table), 0.6, profile)


def test_counted_members() -> None:
    infected = (0.9, 0.04, 0.0, 0.0, 0.06)
    law = law_of(Households(count=1, infected=infected))
    for profile in PROFILES:
        made = Conversion(Households(count=3, infected=infected), profile, "replace")
        found = attaining(made, law, 1.0, True)
        check(found, law, 1.0, profile)


STICKY = ((0.8, 0.2), (0.2, 0.8))
STAR = Pairwise(n=4, values=(0, 1), given=STICKY, edges=((1, 2), (1, 3)))
TREE_OF_PAIRS = STAR.markov()


def likelihood(random: Random, bits: int, epsilon: float) -> dict[tuple[int, ...], float]:
    """Of one output of a pipeline of that pure ε: within e^ε of each other where one record differs."""
    kind = random.randrange(3)
    if kind == 0:
        which = random.randrange(bits)
        return {x: exp(epsilon * x[which]) for x in product((0, 1), repeat=bits)}
    signs = [random.choice((-1, 0, 1)) for _ in range(bits)]
    least = random.randint(-bits, bits) if kind == 2 else -bits
    return {
        x: exp(epsilon * max(sum(s * b for s, b in zip(signs, x, strict=True)), least))
        for x in product((0, 1), repeat=bits)
    }


def test_no_pipeline_leaks_more_under_any_joint_law() -> None:
    found = Conversion(STAR, PureProfile(0.5), "replace").epsilon(0.0)
    assert found.person == 1
    random, most = Random(5), 0.0
    for _ in range(600):
        # Pr[both ones | s] of two neighbours whose chances are .2 or .8
        both = {0: random.uniform(0.0, 0.2), 1: random.uniform(0.6, 0.8)}
        if random.random() < 0.5:
            both = {0: random.choice((0.0, 0.2)), 1: random.choice((0.6, 0.8))}
        mean = {}
        output = likelihood(random, 3, 0.5)
        for s, chance in ((0, 0.2), (1, 0.8)):
            law = {
                (1, 1): both[s],
                (1, 0): chance - both[s],
                (0, 1): chance - both[s],
                (0, 0): 1 - 2 * chance + both[s],
            }
            mean[s] = sum(mass * output[s, *rest] for rest, mass in law.items())
        most = max(most, abs(log(mean[1] / mean[0])))
    assert found.value.lower <= most <= found.value.upper < 1.5
    # The joint law in which both neighbours follow the record as one is nearly as bad as can be.
    assert found.value.upper <= 1.3 * most


@pytest.mark.parametrize(
    ("profile", "information"),
    [(PureProfile(0.5), False), (ApproximateProfile(0.3, 1e-3), False), slow((ZeroConcentrated(0.02), True))],
)
def test_the_markov_tree_is_one_of_the_laws(profile: PrivacyProfile, information: bool) -> None:
    some = Conversion(STAR, profile, "replace", information).delta(0.4).value
    law = Conversion(TREE_OF_PAIRS, profile, "replace", information).delta(0.4).value
    assert some.lower == 0
    assert law.lower <= some.upper <= 1


def test_one_neighbour_leaks_what_its_law_says() -> None:
    pair = Pairwise(n=2, values=(0, 1), given=STICKY, edges=((1, 2),))
    for nats in (0.1, 1.0, 3.0):
        exact = Conversion(pair.markov(), PureProfile(nats), "replace").epsilon(0.0).value
        found = Conversion(pair, PureProfile(nats), "replace").epsilon(0.0).value
        assert exact.lower <= found.upper == pytest.approx(exact.upper, rel=1e-9)
        assert found.upper < 2 * nats
        told = Conversion(pair, PureProfile(nats), "replace", information=True).epsilon(0.0).value
        assert told.upper == pytest.approx(-log(0.5 + 0.5 * exp(-found.upper)), rel=1e-9)


def test_by_hand() -> None:
    """Whoever has no neighbour leaks what the pipeline may; adding or removing a record is two steps."""
    alone = Pairwise(n=2, values=(0, 1), prior=(0.9, 0.1))
    assert Conversion(alone, PureProfile(0.5), "replace").epsilon(0.0).value.upper == pytest.approx(0.5)
    assert Conversion(alone, PureProfile(0.5), "add_remove").epsilon(0.0).value.upper == pytest.approx(1.0)
    most = -expm1(-0.5) / (1 + exp(-0.5))
    assert Conversion(alone, PureProfile(0.5), "replace").delta(0.0).value.upper == pytest.approx(most)
    group = Conversion(STAR, ApproximateProfile(0.2, 1e-4), "replace").delta(0.6).value.upper
    assert group <= 1e-4 * (1 + exp(0.2) + exp(0.4)) * (1 + 1e-6)
    assert group >= 1e-4


def test_further_records_count_fully() -> None:
    path = Pairwise(n=4, values=(0, 1), given=STICKY, edges=((1, 2), (2, 3), (3, 4)))
    pair = Pairwise(n=2, values=(0, 1), given=STICKY, edges=((1, 2),))
    end, middle = (Conversion(each, PureProfile(0.2), "replace").epsilon(0.0).value.upper for each in (pair, path))
    every = Conversion(path.model_copy(update={"others": "anything"}), PureProfile(0.2), "replace").epsilon(0.0).value
    assert max(end + 0.4, middle + 0.2) == pytest.approx(every.upper, rel=1e-9)
    assert every.upper <= 4 * 0.2 * (1 + 1e-12)
    # Past some nats nothing is left to be said of neighbours.
    assert Conversion(path, PureProfile(200.0), "replace").epsilon(0.0).value.upper == pytest.approx(600)


def test_eleven_friends_leak_less_than_all_at_once() -> None:
    star = Pairwise(n=12, values=(0, 1), given=((0.99, 0.01), (0.9, 0.1)), edges=tuple((1, i) for i in range(2, 13)))
    for nats in (0.05, 0.5, 2.0):
        found = Conversion(star, PureProfile(nats), "replace").epsilon(0.0).value.upper
        exact = Conversion(star.markov(), PureProfile(nats), "replace").epsilon(0.0).value.lower
        assert exact <= found < 12 * nats


@pytest.mark.lengthy
def test_a_household_that_counts_twice_is_told(spec: Path, tmp_path: Path) -> None:
    chances = {"sensitivities": [0, 1, 2, 3, 4], "sampling_probs": [0.6, 0.2, 0.1, 0.06, 0.04]}
    mixture = {"kind": "mixture_of_gaussians", "standard_deviation": 4.0, **chances}
    single = {**mixture, "sensitivities": [0, 1], "sampling_probs": [0.9, 0.1]}
    alone = tmp_path / "alone.toml"
    alone.write_text('[model]\nkind = "independent"\nn = 250\nprobabilities = [0.1]\n', encoding="utf-8")
    for model, event, told in ((spec, mixture, True), (spec, single, False), (alone, mixture, False)):
        file = tmp_path / "event.json"
        file.write_text(json.dumps({"neighbours": "add_remove", "event": event}), encoding="utf-8")
        done = dalenius("convert", model, "--event", file, "--at-epsilon", "1", "--json")
        assert ("already counts a household of 4" in done.err) == told, done.err
        assert ("advice" in done.json) == told
        assert done.err.count("\n") == told


@pytest.mark.lengthy
def test_a_delta_below_the_groups_own_has_one_sentence_and_no_number(tmp_path: Path, run: Run) -> None:
    homes = tmp_path / "homes.toml"
    model = 'model = { kind = "households", count = 2, infected = [0.8, 0.1, 0.06, 0.04] }\n'
    homes.write_text(model, encoding="utf-8")
    given = ("--neighbours", "add_remove", "--epsilon", "2", "--delta", "1e-5")
    said = run("convert", homes, *given, "--at-delta", "1e-5").out
    assert "inferential: no epsilon up to 650 nats comes down to a delta of 1e-05" in said
    assert "more than 650" in said
    assert "e+12" not in said
    assert "not resolved below" not in said
    larger = run("convert", homes, *given, "--at-delta", "1e-3").out
    assert "no epsilon up to" not in larger
