"""What a release whose adversary knows records costs beside others: as much as one whose adversary knows none."""

from fractions import Fraction
from itertools import product
from math import exp, inf, log
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import dalenius as dl
from dalenius.channel import Adversary, KnownAnswer
from dalenius.curator.amounts import NO_GROUPS
from dalenius.curator.cost_of_releases import cost_of

PEOPLE = pd.DataFrame({"home": [1] * 4 + [2] * 4, "ill": [0] * 4 + [1] * 4, "smokes": [1, 0, 1, 0, 1, 1, 1, 1]})
HOMES = {"kind": "households", "by": "home", "types": [{"infected": [0.9375, 0, 0, 0, 0.0625]}]}
ALONE_ALL = {"kind": "independent", "probabilities": [0.5] * 8}
KNOWN = {"adversary": {"known": {"5": 1}}}


def spec(model: Any, column: str, epsilon: float, **more: Any) -> dl.Spec:
    asked = {"query": {"kind": "count"}, "noise": {"kind": "geometric"}}
    notion = {"kind": "inferential", "epsilon": epsilon}
    data = {"name": "d", "value": {"column": column, "equals": 1}}
    return dl.Spec(model=model, **asked, notion=notion, data=data, **more)


def charged(folder: Path, *specs: dl.Spec) -> tuple[float, list[float]]:
    """In nats, of all together; and the noises' scales."""
    folder.mkdir(exist_ok=True)
    done = [dl.release(each, data=PEOPLE, ledger=folder / "ledger", budget=300.0, new_data=True) for each in specs]
    return done[-1].budget.spent, [float(each.published.certificate["noise"]["scale"]) for each in done]


def geometric(scale: float, steps: int) -> Fraction:
    """Pr of that noise, up to a factor that is the same for all."""
    return Fraction(repr(round(exp(-1 / scale), 12))) ** abs(steps)


def leak_of_one_column(scales: list[float]) -> float:
    """Both counts are of the ill, whole homes of four. At outputs y: Pr[y | person ill] / Pr[y | not], and back."""
    homes = {0: Fraction(15, 16), 1: Fraction(1, 16)}
    worst = 0.0
    for out in product(range(-1, 10), repeat=2):
        given = []
        for own in (0, 1):
            answers = [(mass, 4 * (own + other)) for other, mass in homes.items()]
            given.append(
                sum(
                    mass * geometric(scales[0], out[0] - answer) * geometric(scales[1], out[1] - answer)
                    for mass, answer in answers
                )
            )
        worst = max(worst, abs(log(given[0] / given[1])))
    return worst


def leak_of_a_coupling(scales: list[float]) -> float:
    """Smokes are fair and independent, a home is ill where all its four smoke: what both counts say of one's illness
    together, the first of the ill."""
    worst = 0.0
    smoking = {count: Fraction(c, 16) for count, c in enumerate((1, 4, 6, 4, 1))}
    for out in product(range(-2, 12), range(-2, 13)):
        given = []
        for own in (0, 1):
            total = Fraction(0)
            for mine, a in smoking.items():
                if (mine == 4) != own:
                    continue
                for other, b in smoking.items():
                    ill = 4 * (own + (other == 4))
                    total += a * b * geometric(scales[0], out[0] - ill) * geometric(scales[1], out[1] - mine - other)
            given.append(total / (Fraction(1, 16) if own else Fraction(15, 16)))
        worst = max(worst, abs(log(given[0] / given[1])))
    return worst


def test_one_column_under_two_models(tmp_path: Path) -> None:
    specs = [spec(ALONE_ALL, "ill", 1.0, **KNOWN), spec(HOMES, "ill", 1.0)]
    for place, asked in enumerate((specs, specs[::-1])):
        spent, scales = charged(tmp_path / f"{place}", *asked)
        truth = leak_of_one_column(scales)
        assert truth == pytest.approx(5.0, abs=1e-6)
        assert truth - 1e-6 <= spent <= 5.0 + 1e-6


@pytest.mark.parametrize(("epsilon", "truth", "turned"), [(4.0, 17.3645, False), (1.0, 6.5398, True)])
def test_two_columns_that_depend_on_each_other(tmp_path: Path, epsilon: float, truth: float, turned: bool) -> None:
    specs = [spec(HOMES, "ill", 4.0), spec(ALONE_ALL, "smokes", epsilon, **KNOWN)]
    spent, scales = charged(tmp_path, *(specs[::-1] if turned else specs))
    found = leak_of_a_coupling(scales[::-1] if turned else scales)
    assert found == pytest.approx(truth, abs=1e-3)
    assert found <= spent


def counted(model: Any, noise: Any, **adversary: Any) -> Any:
    release = dl.Release(model, dl.Count(), noise, adversary=Adversary(**adversary))
    return cost_of(release, [dl.InferentialPrivacy(epsilon=1.0)], "{}", 1.0)


HOME = dl.Households(count=1, infected=(0.9375, 0.0, 0.0, 0.0, 0.0625))
NOISE = dl.Geometric(scale=2.0)


def test_what_a_debit_holds() -> None:
    chain = dl.Chain(n=5, initial=(0.5, 0.5), transition=((0.9, 0.1), (0.1, 0.9)))
    intervals = dl.Households(count=2, infected=((0.8, 0.9), (0.0, 0.1), (0.1, 0.2)))
    for model, noise, adversary, loss, records in (
        (HOME, NOISE, {"known": {1: 1}}, 0.5, 4),  # all others are certain, to this adversary
        (HOME, dl.Gaussian(scale=2.0), {"known": {1: 1}}, inf, 4),
        (HOME, NOISE, {"answers": (KnownAnswer(query=dl.Count(), value=4),)}, inf, None),
        (intervals, NOISE, {}, 0.5, 2),
        (dl.AnyOf(models=(HOME, dl.Independent(probabilities=(0.5,), n=4))), NOISE, {}, 0.5, 4),
        (chain, NOISE, {"known": {3: 0}}, 0.5, 5),
    ):
        cost = counted(model, noise, **adversary)
        assert cost.differential == pytest.approx(loss)
        assert cost.records == records
        assert cost.group_loss == (inf if records is None else pytest.approx(loss * records))
        assert (cost.together in (None, NO_GROUPS)) == (records is None)
        assert (cost.convert is None) == (cost.identity is None)
        assert cost.convert is None or not adversary


def test_records_that_are_real_numbers_are_alone() -> None:
    records = dl.GaussianRecords(mean=(0.0, 0.0), covariance=((1.0, 0.0), (0.0, 1.0)), bounds=(-1.0, 1.0))
    release = dl.Release(records, dl.Sum(), dl.Laplace(scale=4.0))
    cost = cost_of(release, [dl.InferentialPrivacy(epsilon=1.0)], "{}", 1.0)
    assert (cost.records, cost.together) == (1, NO_GROUPS)
    assert cost.group_loss == pytest.approx(0.5)
    assert cost.differential == pytest.approx(0.5)
