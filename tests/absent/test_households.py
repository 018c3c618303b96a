"""Who is absent among people who live together: a whole household, or one member, against the definition."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import log
from pathlib import Path
from random import Random

import mpmath
import numpy as np
import pandas as pd
import pytest

import dalenius as dl
from dalenius import Absent, DifferentialIdentifiability, InputError
from dalenius.absent.rounded_answers import rounded
from dalenius.absent.who_is_absent_channel import absences
from dalenius.composition import Accountant, prior_belief
from dalenius.curator.absence_answers import AnswersSoFar
from dalenius.households_left_out import Candidates, candidates_of, without_households
from dalenius.tally import tally_of_people
from tests.cli.command import Run, complaint
from tests.curator.absence_games import ASKED, Values
from tests.pace import many
from tests.reference import belief as reference

COUNT = len(ASKED)


def _table(random: Random) -> tuple[list[Fraction], list[int], list[float]]:
    """Everybody's values and households, with three or more people outside of each, and a prior by household."""
    sizes = [random.randint(1, 3) for _ in range(random.randint(3, 4))] + [3]
    homes = [home for home, size in enumerate(sizes) for _ in range(size)]
    mixed = list(range(len(homes)))
    random.shuffle(mixed)
    first = {home: number for number, home in enumerate(dict.fromkeys(homes[place] for place in mixed))}
    values = [Fraction(random.randint(-6, 9), random.choice((1, 2))) for _ in homes]
    weights = [random.randint(1, 9) for _ in sizes]
    return values, [first[homes[place]] for place in mixed], [weight / sum(weights) for weight in weights]


def _sets(homes: Sequence[int], prior: Sequence[float], whole: Fraction) -> dict[tuple[int, ...], Fraction]:
    """The probability of each set of people to be the absent ones."""
    found: dict[tuple[int, ...], Fraction] = {}
    for home, chance in enumerate(prior):
        members = tuple(person for person, own in enumerate(homes) if own == home)
        exact = Fraction(chance)
        for those, share in ((members, whole), *(((each,), (1 - whole) / len(members)) for each in members)):
            if share:
                found[those] = found.get(those, Fraction(0)) + exact * share
    return found


def _answers(values: Values, sets: Sequence[tuple[int, ...]], query: Callable[[Values], Fraction]) -> list[Fraction]:
    return [query([value for person, value in enumerate(values) if person not in gone]) for gone in sets]


def _named(candidates: Candidates) -> list[tuple[int, ...]]:
    return [
        tuple(np.flatnonzero(candidates.homes == home).tolist()) if row < 0 else (int(row),)
        for home, row in zip(candidates.home.tolist(), candidates.row.tolist(), strict=True)
    ]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("whole", [Fraction(0), Fraction(1, 4), Fraction(1)])
def test_every_query_is_asked_without_each_set(seed: int, whole: Fraction) -> None:
    values, homes, prior = _table(Random(seed))
    candidates = candidates_of(np.array(homes), float(whole))
    sets = _named(candidates)
    expected = _sets(homes, prior, whole)
    assert sorted(sets) == sorted(expected)
    assert candidates.prior(np.array(prior)) == pytest.approx(np.array([float(expected[each]) for each in sets]))
    tally = tally_of_people([int(v) if v.denominator == 1 else float(v) for v in values])
    for query, exact in ASKED:
        found = without_households(tally, candidates, query.left_out).left_out
        assert found.whose is not None
        answers = [float(found.base + Fraction(float(found.offsets[place]))) for place in found.whose]
        assert answers == pytest.approx([float(each) for each in _answers(values, sets, exact)], rel=1e-14, abs=1e-14)


@pytest.mark.parametrize("games", [40, pytest.param(many(2_000), marks=pytest.mark.slow)])
def test_adaptive_answers_keep_the_promise_for_sets_and_for_people(games: int) -> None:
    """Also for the event that a given person is absent, alone or with others, and with all of the promise used."""
    for seed in range(games):
        random = Random(seed)
        values, homes, prior = _table(random)
        whole = random.choice((Fraction(0), Fraction(1, 2), Fraction(1)))
        candidates = candidates_of(np.array(homes), float(whole))
        sets, tally = _named(candidates), tally_of_people([float(value) for value in values])
        chances = candidates.prior(np.array(prior))
        first = [reference.number(Fraction(float(each))) for each in chances]
        alpha, beta = random.uniform(0.1, 0.9), random.uniform(0.1, 0.9) * (1 / float(chances.max()) - 1)
        so_far, posterior = AnswersSoFar(Accountant(alpha, beta, prior_belief(chances))), first
        for left in (2, 1):
            answers = rounded(without_households(tally, candidates, random.choice(ASKED)[0].left_out).left_out)
            room = 1 - so_far.used
            if room < 1e-6:
                break
            noise = so_far.noise(answers, so_far.target(None if left == 1 else room / left))
            if noise.shape.adds_nothing:
                continue
            exact, scale = [answers.index_of(i) for i in range(len(sets))], answers.drawn_scale(noise.known_scale())
            output = random.choice(exact)
            posterior = reference.posterior(posterior, exact, output, Fraction(scale))
            belief = so_far.accountant.belief.after(answers.steps, output, scale)
            so_far = AnswersSoFar(Accountant(alpha, beta, belief))
            events = [[place] for place in range(len(sets))]
            events += [[at for at, gone in enumerate(sets) if person in gone] for person in range(len(homes))]
            for event in events:
                ratio = mpmath.fsum(posterior[at] for at in event) / mpmath.fsum(first[at] for at in event)
                assert (1 - alpha) * (1 - 1e-12) <= ratio <= (1 + beta) * (1 + 1e-12), seed


@pytest.mark.parametrize("seed", range(6))
def test_the_audit_of_a_table_is_that_of_its_candidates(seed: int, tmp_path: Path) -> None:
    values, homes, prior = _table(Random(seed))
    whole = (0.0, 0.5, 1.0)[seed % 3]
    pd.DataFrame({"v": [float(value) for value in values], "home": homes}).to_csv(tmp_path / "t.csv", index=False)
    beta = 0.5 * (1 / max(prior) - 1)
    spec = dl.read_spec(
        {
            "model": {"kind": "absent", "by": "home", "whole": whole, "prior": prior},
            "query": {"kind": "sum"},
            "noise": {"kind": "laplace", "scale": 4.0},
            "notion": {"kind": "identifiability", "alpha": 0.5, "beta": beta},
            "data": {"file": str(tmp_path / "t.csv"), "value": "v"},
        }
    )
    from dalenius.tables.binding import bound_to_table

    release = bound_to_table(spec, tmp_path)[0].audited()
    (missing,) = absences(release)
    expected = _sets(homes, prior, Fraction(whole))
    answers = _answers(values, list(expected), ASKED[0][1])
    first = [reference.number(each) for each in expected.values()]
    low, high = reference.worst(first, first, answers, Fraction(4), sorted(answers))
    found = spec.promise().leakage(release)
    assert found.companions["raised"].upper == pytest.approx(float(mpmath.log(high)), rel=1e-9)
    assert found.companions["lowered"].upper == pytest.approx(float(-mpmath.log(low)), rel=1e-9)
    assert missing.everybody.total == len(expected)


PEOPLE = pd.DataFrame({"home": ["a", "a", "b", "c", "c", "c"], "given": [5, 7, 12, 1, 2, 9]})


def _session(tmp_path: Path, gone: list[int], **more: object) -> dl.IdentifiabilitySession:
    people = PEOPLE.assign(gone=[int(row in gone) for row in range(6)])
    place = {"absent": "gone", "by": "home", "name": "homes", "ledger": tmp_path / "l.sqlite", **more}
    return dl.IdentifiabilitySession(people, 0.5, 0.8, **place)  # type: ignore[arg-type]


def test_a_session_of_households(tmp_path: Path) -> None:
    session = _session(tmp_path, [3, 4, 5])
    terms = session.estimate(dl.Sum(), "given")
    assert [terms.answers.index_of(i) for i in range(3)] == [24, 24, 24]  # every household gave 12
    assert session.ask(dl.Sum(), "given").published.answers == (Fraction(24),)
    done = session.ask(dl.Count(), {"column": "given", "at_least": 2}, share=0.5)
    assert done.published.certificate["candidates"] == 3
    assert "who lives with whom is public" in done.published.certificate["hypotheses"]
    assert session.belief.raised.upper <= log(1.8)
    other = _session(tmp_path, [2], whole=0.5, name="members", ledger=tmp_path / "m.sqlite")
    assert other.belief.people == 3 + 5  # the only member of b is the household
    assert other.ask(dl.Mean(), "given").published.certificate["candidates"] == 8


@pytest.mark.parametrize(
    ("gone", "whole", "said"),
    [
        ([3, 4], None, "data.absent: 2 rows, wanted all rows of one household: who is absent"),
        ([3, 4], 0.5, "data.absent: 2 rows, wanted all rows of one household, or one row: who is absent"),
        ([0, 1], 0.0, "data.absent: 2 rows, wanted one row: who is absent"),
        ([], None, "data.absent: 0 rows, wanted all rows of one household"),
    ],
)
def test_who_is_absent_is_a_candidate(gone: list[int], whole: float | None, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        _session(tmp_path, gone, whole=whole)


def test_what_no_households_can_be_absent_with_is_refused() -> None:
    for fields, said in (
        ({"whole": 0.5}, "by, the column of households, beside whole"),
        ({"by": "home", "answers": (1, 2)}, "no answers beside by"),
        ({"by": "home", "prior": {"max": 0.5}}, "a prior that is uniform or a probability per household"),
    ):
        with pytest.raises(InputError, match=said):
            Absent(**fields)
    assert Absent(by="home", whole=0.25).words.startswith("one household is absent from the table, with 25 %, or else")


def test_the_commands_take_households(tmp_path: Path, run: Run) -> None:
    (tmp_path / "people.csv").write_text("home,given\na,5\na,7\nb,9\nc,1\nc,2\nc,4\n", encoding="utf-8")
    spec = tmp_path / "spec.toml"
    text = (
        '[model]\nkind = "absent"\nby = "home"\n[query]\nkind = "sum"\n'
        '[notion]\nkind = "identifiability"\nalpha = 0.5\nbeta = 1\n[data]\nfile = "people.csv"\nvalue = "given"\n'
    )
    spec.write_text(text, encoding="utf-8")
    found = run("calibrate", spec, "--json").json
    direct = dl.Release(Absent(answers=(16, 19, 21)), None, dl.Geometric())
    exact = dl.calibrate(direct, DifferentialIdentifiability(alpha=0.5, beta=1.0))
    assert found["noise"]["scale"] == pytest.approx(exact.noise.scale, rel=1e-9)
    assert run("calibrate", spec, "--method", "optimal", "--json").json["expected_error"] < found["expected_error"]
    listed = text.replace('by = "home"\n', 'by = "home"\nprior = [0.5, 0.5]\n')
    spec.write_text(listed, encoding="utf-8")
    said = complaint(run("calibrate", spec))
    assert "model.prior: 2 probabilities, wanted a probability for each of the 3 households" in said
