"""Limits in bytes follow the budget in use, and refusals name one that is enough."""

import re
from collections.abc import Callable

import pytest

import dalenius as dl
from dalenius.errors import TooLarge
from dalenius.joints.factor import group_rows
from dalenius.knowledge.any_records import known_sets

DAYS = dl.Chain(n=15, transition=[[0.8, 0.2], [0.4, 0.6]], initial=[0.5, 0.5])
RELEASE = dl.Release(DAYS, dl.Count(), dl.Laplace(scale=2.0))


def all_known_sets() -> object:
    short = dl.Release(dl.Chain(n=9, transition=DAYS.transition, initial=DAYS.initial), dl.Count(), dl.Laplace())
    return known_sets(short.worlds.joints[0], short.scores)


def all_assignments() -> object:
    return group_rows(next(iter(RELEASE.worlds.joints[0].factors())))


@pytest.mark.parametrize("work", [all_known_sets, all_assignments])
def test_a_budget_that_a_refusal_names_is_enough(work: Callable[[], object]) -> None:
    with dl.memory("1M"), pytest.raises(TooLarge, match="or allow --memory") as refused:
        work()
    budget = re.findall(r"--memory (\S+)", str(refused.value))[0]
    with dl.memory(budget):
        work()
    assert work() is not None
