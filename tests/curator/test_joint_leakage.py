"""What is charged is never below what all answers leak together, whatever is known, promised or asked again.

Random policies on tables of five to eight people: known records, a delta, Gaussian noise, several promises, raised
versions. The leakage is enumerated by `joint`; a curator who charges nine tenths is found out.
"""

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from math import e, log
from pathlib import Path
from random import Random
from typing import Any, Final

import pandas as pd
import pytest

import dalenius as dl
from dalenius.curator import Budget, Curator, policy_from
from tests.curator.joint import Answer, Law, delta_at, in_homes, independent, leakage
from tests.pace import slow

ROUNDING: Final = 1e-7
# Of an integral with a kink, on the grid of `joint`.
GRID: Final = 2e-6
DELTA: Final = 0.02
# Nats that nothing below comes near: what is charged is looked at, and nothing refused.
PLENTY: Final = 300.0


@dataclass(frozen=True)
class Town:
    """A few people, the law of their records, and the model's section."""

    table: pd.DataFrame
    law: Law
    model: Mapping[str, Any]


def town(draws: Random) -> Town:
    """Independent people, or homes of one to four."""
    sizes = draws.choice([[1, 4], [2, 3], [3, 3], [2, 2, 2], [1, 2, 4], [4, 4], [2, 2, 2, 2], [2, 2, 4]])
    people = sum(sizes)
    homes = [home for home, size in enumerate(sizes) for _ in range(size)]
    table = pd.DataFrame({"home": homes, "ill": [draws.randrange(2) for _ in homes]})
    if draws.random() < 0.35:
        chances = [draws.choice([0.1, 0.3, 0.5, 0.8])] * people
        return Town(table, independent(chances), {"kind": "independent", "n": people, "probabilities": chances[:1]})
    laws: dict[int, list[float]] = {}
    for size in dict.fromkeys(sizes):
        parts = [draws.choice([1, 2, 5, 20, 60]) for _ in range(size + 1)]
        laws[size] = [part / sum(parts) for part in parts]
    types = [{"infected": each} for each in laws.values()]
    return Town(table, in_homes([laws[size] for size in sizes]), {"kind": "households", "by": "home", "types": types})


@dataclass(frozen=True)
class Asked:
    """One question: its section, its noise's section, and the answer that it is to the enumeration."""

    query: Mapping[str, Any]
    noise: Mapping[str, Any]
    answer: Answer


def question(draws: Random, people: int, delta: float) -> Asked:
    """A count of the ill or of the well, or the share of the ill; scales are counted in people."""
    kind = draws.choice(["ill", "well", "mean"])
    usual = ["geometric"] * (kind != "mean")
    noise = draws.choice(["gaussian", *usual] if delta else ["laplace", *usual])
    scale = round(draws.uniform(0.8, 6.0) * (2 if noise == "gaussian" else 1), 3)
    if kind == "mean":
        share = Answer(1 / people, 0.0, noise, scale / people)
        return Asked({"kind": "mean"}, {"kind": noise, "scale": scale / people}, share)
    values, weight, start = ([1], 1.0, 0.0) if kind == "ill" else ([0], -1.0, float(people))
    return Asked(
        {"kind": "count", "values": values}, {"kind": noise, "scale": scale}, Answer(weight, start, noise, scale)
    )


@dataclass(frozen=True)
class Course:
    """What was asked of a town, and what was charged for all of it. known: what every adversary was said to know."""

    town: Town
    answers: list[Answer]
    budget: Budget
    known: Mapping[int, int]

    def is_enough(self, charge: float) -> bool:
        """Whether all answers together leak no more than so many nats, to whoever knows what the promise says; and of
        several, as no adversary is left out then, to whoever knows nobody."""
        for known in [self.known] if self.budget.route == "alone" else [{}, self.known]:
            if self.budget.spent_delta:
                if delta_at(charge, self.town.law, self.answers, known) > self.budget.spent_delta + GRID:
                    return False
            elif leakage(self.town.law, self.answers, known) > charge + ROUNDING:
                return False
        return True


def course(seed: int, folder: Path) -> Course:
    """Up to three answers, by an owner's specs or by analysts under a policy whose version is raised."""
    draws = Random(seed)
    where, delta = town(draws), draws.choice([0.0, DELTA])
    # Integrals of two answers are exact enough on a grid, and of three too large.
    asked = [question(draws, len(where.table), delta) for _ in range(draws.randint(1, 2 if delta else 3))]
    folder.mkdir()
    if draws.random() < 0.5:
        return _by_specs(draws, where, asked, delta, folder)
    return _by_policy(draws, where, asked, delta, folder)


def _by_specs(draws: Random, where: Town, asked: list[Asked], delta: float, folder: Path) -> Course:
    # Because people are numbered by their homes' sizes, somebody is known in a town of homes of one size.
    knows = where.table.groupby("home").size().nunique() == 1 and draws.random() < 0.7
    person = draws.randrange(len(where.table))
    known = {person: int(where.table["ill"][person])} if knows else {}
    notion = {"kind": "inferential", "epsilon": PLENTY, **({"delta": delta} if delta else {})}
    several = [notion, {**notion, "kind": "information"}]
    promised: dict[str, Any] = {"promises": several} if draws.random() < 0.4 else {"notion": notion}
    if knows:
        promised["adversary"] = {"known": {str(person + 1): known[person]}}
    done = None
    for each in asked:
        sections = {
            "model": where.model,
            "query": each.query,
            "noise": each.noise,
            "data": {"name": "d", "value": "ill"},
        }
        sections |= promised
        done = dl.release(sections, data=where.table, ledger=folder / "ledger", budget=PLENTY, confidence=0.5)
    assert done is not None
    return Course(where, [each.answer for each in asked], done.budget, known)


def _by_policy(draws: Random, where: Town, asked: list[Asked], delta: float, folder: Path) -> Course:
    """The last question is asked again under each version: it is paid for and drawn anew."""
    frozen, versions = draws.random() < 0.5, draws.choice([("1",), ("1", "2")])
    asked = asked[: (1 if delta else 2)] if len(versions) > 1 else asked
    answers, spent = [], None
    for version in versions:
        measure = {"name": "ill", "value": {"column": "ill", "equals": 1}, "model": where.model}
        data = {
            "name": "d",
            "source": {"file": "none.csv"},
            "notion": {"kind": "inferential", "epsilon": PLENTY, **({"delta": delta} if delta else {})},
            "measures": [measure],
            "analysts": [{"name": "ana"}],
            "frozen": frozen,
            "version": version,
        }
        with closing(Curator(policy_from({"data": [data]}), folder, {"d": where.table})) as made:
            for each in asked:
                done = made.session("ana", "d").ask(
                    dl.curator.read_ask({"measure": "ill", "query": each.query, "noise": each.noise})
                )
                assert not done.repeated
                answers.append(each.answer)
                spent = done.budget
    assert spent is not None
    return Course(where, answers, spent, {})


def courses(count: int, folder: Path) -> Iterator[tuple[int, Course]]:
    for seed in range(count):
        yield seed, course(seed, folder / f"{seed}")


@pytest.mark.lengthy
@pytest.mark.parametrize("policies", [16, slow(500)])
def test_what_is_charged_is_never_below_what_leaks(policies: int, tmp_path: Path) -> None:
    """And nine tenths of it are: some course of several answers, with a delta and without, leaks more than that."""
    caught = dict.fromkeys((False, True), 0)
    for seed, found in courses(policies, tmp_path):
        assert found.budget.spent < PLENTY, seed
        assert found.is_enough(found.budget.spent), seed
        if len(found.answers) > 1:
            caught[found.budget.spent_delta > 0] += not found.is_enough(0.9 * found.budget.spent)
    assert caught[False] > 0
    assert caught[True] > 0


def test_the_enumeration_is_that_of_the_definition() -> None:
    """Two people who are ill together or not at all, each with chance one half; a count with Laplace noise."""
    law, count = in_homes([[0.5, 0.0, 0.5]]), Answer(1.0, 0.0, "laplace", 2.0)
    assert leakage(law, [count]) == pytest.approx(1.0)
    assert leakage(law, [count, count]) == pytest.approx(2.0)
    assert leakage(independent([0.5, 0.5]), [count]) == pytest.approx(0.5)
    assert leakage(law, [count], {0: 1}) == 0.0
    uneven = in_homes([[0.2, 0.2, 0.6]])
    ratio = (0.6 * e**0.5 / 0.7 + 0.1 / 0.7) / (0.1 * e**0.0 / 0.3 + 0.2 * e**-0.5 / 0.3)
    assert leakage(uneven, [Answer(1.0, 0.0, "laplace", 2.0)]) == pytest.approx(log(ratio), abs=0.1)
    normal = Answer(1.0, 0.0, "gaussian", 1.0)
    # Two normal laws one apart: Phi(1/2 - epsilon) - e^epsilon Phi(-1/2 - epsilon).
    assert delta_at(0.0, independent([0.5]), [normal]) == pytest.approx(0.38292492, abs=1e-4)
    assert delta_at(1.0, independent([0.5]), [normal]) == pytest.approx(0.12693674, abs=1e-4)
