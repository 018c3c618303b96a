"""A household's days: a chain whose records list one value per member, against all paths in fractions."""

from fractions import Fraction
from itertools import pairwise, product
from math import exp, log

import numpy as np
import pytest

import dalenius as dl
from dalenius.channel import record_world
from dalenius.channel.large import long_channel, windowed_chain
from dalenius.errors import InputError
from dalenius.noise import Noise

VALUES = [(0, 0), (0, 1), (1, 0), (1, 1)]
ROWS = [[0.7, 0.1, 0.1, 0.1], [0.2, 0.3, 0.1, 0.4], [0.25, 0.05, 0.5, 0.2], [0.1, 0.2, 0.1, 0.6]]
FIRST = [0.4, 0.3, 0.2, 0.1]
SCALE = 1.5


def days(n: int) -> dl.Chain:
    return dl.Chain(n=n, values=VALUES, members=["ana", "bob"], transition=ROWS, initial=FIRST)


def release(n: int, query: dl.Stage, member: str | None = "bob", noise: Noise | None = None) -> dl.Release:
    return dl.Release(days(n), query, noise or dl.Geometric(scale=SCALE), secrets=dl.Secrets(stage=member))


def laws(n: int, day: int, member: int, only: int | None) -> dict[int, dict[int, Fraction]]:
    """Pr[sum and the member's value of that day], by value and sum; only: whose days are counted, None: everybody's."""
    found: dict[int, dict[int, Fraction]] = {0: {}, 1: {}}
    rows = [[Fraction(str(each)) for each in row] for row in ROWS]
    for path in product(range(4), repeat=n):
        chance = Fraction(str(FIRST[path[0]]))
        for a, b in pairwise(path):
            chance *= rows[a][b]
        total = sum(sum(VALUES[state]) if only is None else VALUES[state][only] for state in path)
        own = found[VALUES[path[day]][member]]
        own[total] = own.get(total, Fraction(0)) + chance
    return found


def inferential(n: int, member: int, only: int | None) -> float:
    """The largest log-ratio over all days and outputs, by geometric noise."""
    largest = 0.0
    for day in range(n):
        both = [
            {total: float(chance / sum(law.values())) for total, chance in law.items()}
            for law in laws(n, day, member, only).values()
        ]
        for output in range(-1, 2 * n + 2):
            zero, one = (
                sum(chance * exp(-abs(output - total) / SCALE) for total, chance in law.items()) for law in both
            )
            largest = max(largest, abs(log(zero / one)))
    return largest


@pytest.mark.parametrize(
    ("query", "only"), [(dl.Stage(query=dl.Sum()), None), (dl.Stage(stage="ana", query=dl.Sum()), 0)]
)
def test_one_member_s_day_is_as_all_paths_say(query: dl.Stage, only: int | None) -> None:
    found = dl.audit(release(5, query))["inferential"]
    assert found.lower <= inferential(5, 1, only) * (1 + 1e-12)
    assert found.upper >= inferential(5, 1, only) * (1 - 1e-12)
    assert found.upper - found.lower < 1e-9


@pytest.mark.lengthy
def test_windows_say_of_a_member_s_day_what_the_law_of_all_sums_says(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = release(150, dl.Stage(query=dl.Sum()))
    exact = dl.audit(dl.Release(asked.model, asked.query, asked.noise, secrets=asked.secrets))
    for name in ("MANY_CELLS", "LONG_ENOUGH"):
        monkeypatch.setattr(windowed_chain, name, 0)
    long = release(150, dl.Stage(query=dl.Sum()))
    assert {engine for engine, _ in long.worlds.engines()} == {"window"}
    found = dl.audit(long)
    for notion in ("inferential", "information", "mutual_information", "min_entropy", "relative_entropy"):
        assert found[notion].lower <= exact[notion].upper + 1e-9
        assert found[notion].upper >= exact[notion].lower - 1e-9
        assert found[notion].upper - found[notion].lower < 1e-6


@pytest.mark.lengthy
@pytest.mark.parametrize("query", [dl.Stage(query=dl.Sum()), dl.Stage(stage="ana", query=dl.Sum())])
def test_windows_under_gaussian_noise_say_what_the_law_of_all_sums_says(
    query: dl.Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    notions = [dl.InformationPrivacy(delta=1e-3), dl.MutualInformationPrivacy()]
    exact = [notion.leakage(release(20, query, noise=dl.Gaussian(scale=4.0))) for notion in notions]
    served_by_windows(monkeypatch)
    long = release(20, query, noise=dl.Gaussian(scale=4.0))
    for notion, truth in zip(notions, exact, strict=True):
        found = notion.leakage(long)
        assert truth.lower - 1e-9 <= found.lower <= found.upper <= truth.upper + 1e-9
    assert long.worlds.engines()[0][0] == "window"


def test_suprema_under_gaussian_noise_come_from_the_law_where_no_limit_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where some day is impossible after another."""
    rows = [[0.8, 0.2, 0.0, 0.0], *ROWS[1:]]
    model = dl.Chain(n=20, values=VALUES, members=["ana", "bob"], transition=rows, initial=FIRST)

    def leakage() -> dl.Leakage:
        secrets = dl.Secrets(stage="bob")
        asked = dl.Release(model, dl.Stage(stage="ana", query=dl.Sum()), dl.Gaussian(scale=4.0), secrets=secrets)
        return dl.InformationPrivacy().leakage(asked)

    exact = leakage()
    served_by_windows(monkeypatch)
    found = leakage()
    assert exact.lower - 1e-9 <= found.lower <= found.upper <= exact.upper + 1e-9 < np.inf


def served_by_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_world, "FEW_PEOPLE", 0)
    for name in ("MANY_CELLS", "LONG_ENOUGH"):
        monkeypatch.setattr(windowed_chain, name, 0)


@pytest.mark.parametrize(
    ("query", "only"), [(dl.Stage(query=dl.Sum()), None), (dl.Stage(stage="ana", query=dl.Sum()), 0)]
)
def test_limits_and_bounds_of_a_member_s_day_enclose_what_all_paths_say(
    query: dl.Stage, only: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_world, "FEW_PEOPLE", 0)
    monkeypatch.setattr(long_channel, "LONG_FROM", 1)
    for member in (0, 1):
        asked = release(5, query, ("ana", "bob")[member])
        found = dl.InferentialPrivacy().leakage(asked)
        assert asked.worlds.engines()[0][0] == "recursion"
        assert 0 < found.lower <= inferential(5, member, only) <= found.upper < np.inf
        assert dl.InformationPrivacy().leakage(asked).upper <= found.upper


@pytest.mark.lengthy
def test_three_thousand_days_leak_of_one_what_three_hundred_do() -> None:
    few, many = (dl.audit(release(n, dl.Stage(query=dl.Sum()))) for n in (300, 3000))
    for notion in ("inferential", "information"):
        assert many[notion].upper - many[notion].lower < 1e-6
        assert many[notion].lower <= few[notion].upper + 1e-6
        assert many[notion].upper >= few[notion].lower - 1e-6


def test_a_member_s_day_leaks_no_more_than_the_whole_day() -> None:
    one = dl.audit(release(6, dl.Stage(query=dl.Sum())))["inferential"]
    whole = dl.audit(release(6, dl.Stage(query=dl.Sum()), None))["inferential"]
    assert one.upper <= whole.upper + 1e-12


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"values": [(0, 0), (0,)], "members": None}, "one value per member"),
        ({"values": [0, 1]}, "values that list a value for each of the members"),
        ({"members": ["ana", "ana"]}, "members with different names"),
        ({"members": ["ana"]}, "one value per member, 1 in all"),
    ],
)
def test_values_that_do_not_fit_the_members_are_refused(given: dict[str, object], said: str) -> None:
    two = {"transition": [[0.5, 0.5], [0.5, 0.5]], "initial": [0.5, 0.5], "values": [(0, 0), (1, 1)]}
    with pytest.raises((InputError, ValueError), match=said):
        dl.Chain(**{"n": 3, "members": ["ana", "bob"]} | two | given)


def test_an_unknown_member_is_refused() -> None:
    with pytest.raises(InputError, match=r"secrets.stage: carl, wanted one of the model's stages \['ana', 'bob'\]"):
        dl.audit(release(4, dl.Stage(query=dl.Sum()), "carl"))
    with pytest.raises(InputError, match=r"query.stage: carl, wanted one of the model's stages"):
        dl.audit(release(4, dl.Stage(stage="carl", query=dl.Sum())))


def test_the_sum_of_a_day_without_stages_is_refused() -> None:
    plain = dl.Chain(n=3, transition=[[0.5, 0.5], [0.5, 0.5]], initial=[0.5, 0.5])
    with pytest.raises(InputError, match=r"query.kind: stage, wanted a model with stages"):
        dl.audit(dl.Release(plain, dl.Stage(query=dl.Sum()), dl.Laplace(scale=1.0)))
    assert np.isfinite(inferential(3, 0, None))
