"""A release that is charged far above what it leaks alone says so, and what would cost less."""

from itertools import product
from math import exp, log
from pathlib import Path

import pytest

import dalenius as dl
from dalenius.curator.cost_of_releases import Entry
from dalenius.curator.price_quote import Quote, saving_together


def entry(leakage: float, group_loss: float) -> Entry:
    return Entry("spec", "inferential", leakage, group_loss)


def test_what_is_charged_far_above_its_leakage_is_said() -> None:
    said = saving_together(entry(0.0103, 7.45))
    assert said is not None
    assert said.startswith("beside other releases this counts up to 7.45 nats, though alone it leaks 0.0103: ")
    assert "one query of kind several" in said


@pytest.mark.parametrize(("leakage", "group_loss"), [(1.0, 4.0), (0.0, 1.0), (0.01, float("inf")), (0.01, 0.01)])
def test_nothing_is_said_of_others(leakage: float, group_loss: float) -> None:
    assert saving_together(entry(leakage, group_loss)) is None


def test_several_at_once_leak_less_than_their_charges() -> None:
    people, noise = dl.Independent(n=6, probabilities=[0.3]), dl.Laplace(scale=1.0)
    three = dl.Release(people, dl.Several(queries=[dl.Min(), dl.Min(), dl.Min()]), noise)
    single = dl.Release(people, dl.Min(), noise)
    charged = 3 * noise.group_loss(single.worlds.group_sensitivity[0], 1)
    assert dl.InferentialPrivacy().leakage(three).upper < 0.5 * charged


RATE = 9 / 7
"""Nats that one answer says of somebody whose record alone decides it: the noise's scale is 7/9."""
MINIMA = """model = {{ kind = "independent", n = 7, probabilities = [0.3] }}
query = {query}
noise = {{ kind = "laplace", scale = {scale} }}
notion = {{ kind = "inferential", epsilon = 5.0 }}
data = {{ file = "p.csv", value = "ill" }}
"""


def minima_leak(count: int) -> float:
    """By the 2^6 others of a person, far out where every output is above every answer: the least is 1 where all are
    ill."""
    at_limit = {0: 0.0, 1: 0.0}
    for others in product((0, 1), repeat=6):
        chance = 0.3 ** sum(others) * 0.7 ** (6 - sum(others))
        for own in at_limit:
            at_limit[own] += chance * exp(count * RATE * min(own, *others))
    return log(at_limit[1] / at_limit[0])


def quoted(folder: Path, query: str) -> Quote:
    (folder / "p.csv").write_text("ill\n1\n0\n0\n1\n0\n0\n0\n", encoding="utf-8")
    (folder / "min.toml").write_text(MINIMA.format(query=query, scale=1 / RATE), encoding="utf-8")
    return dl.quote(folder / "min.toml")


def test_three_minima_of_independent_people_say_that_one_release_costs_less(tmp_path: Path) -> None:
    one = quoted(tmp_path, '{ kind = "min" }')
    assert one.cost is not None
    # Of each as it is charged beside others, and as it leaks alone.
    assert one.cost.group_loss == pytest.approx(RATE, rel=1e-9)
    assert one.cost.leakage == pytest.approx(minima_leak(1), rel=1e-9)
    assert one.advised is not None
    assert f"counts up to {RATE:.6g} nats, though alone it leaks {minima_leak(1):.6g}: " in one.advised
    # The advice is followed: three at once leak a hundredth of what three charges come to.
    three = quoted(tmp_path, '{ kind = "several", queries = [{ kind = "min" }, { kind = "min" }, { kind = "min" }] }')
    assert three.cost is not None
    assert three.cost.leakage == pytest.approx(minima_leak(3), rel=1e-9)
    assert three.cost.leakage < 0.01 * 3 * one.cost.group_loss


def test_extremes_of_a_chain_say_it_too(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("ill\n" + "1\n0\n" * 10, encoding="utf-8")
    spec = tmp_path / "max.toml"
    chain = 'model = { kind = "chain", n = 20, transition = [[0.6, 0.4], [0.3, 0.7]], initial = "stationary" }\n'
    rest = 'notion = { kind = "inferential", epsilon = 9.0 }\ndata = { file = "p.csv", value = "ill" }\n'
    noise = 'noise = { kind = "laplace", scale = 0.5 }\n'
    costs = {}
    for kind in ("max", "min"):
        spec.write_text(f'{chain}query = {{ kind = "{kind}" }}\n{noise}{rest}', encoding="utf-8")
        found = dl.quote(spec)
        assert found.cost is not None
        costs[kind] = found.cost
        assert found.advised is not None
        assert "in one query of kind several" in found.advised
    both = 'query = { kind = "several", queries = [{ kind = "max" }, { kind = "min" }] }\n'
    spec.write_text(chain + both + noise + rest, encoding="utf-8")
    together = dl.quote(spec).cost
    assert together is not None
    charged = sum(each.group_loss for each in costs.values())
    assert max(each.leakage for each in costs.values()) <= together.leakage < 0.1 * charged
