"""What several releases spend: the least sound rule, named; the sum of group losses wherever data for another lack."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import inf
from pathlib import Path
from typing import Any

import pytest

import dalenius as dl
from dalenius import Count, Geometric, Households, InformationPrivacy, Refused, Release
from dalenius.composition import compose
from dalenius.curator.amounts import NO_GROUPS, DebitSums, as_nats
from dalenius.curator.cost_of_releases import Entry, Spent, spent_after
from dalenius.models import Model
from dalenius.notions import Notion
from tests.curator.asking import Released, release_once

HOME = Households(count=2, infected=(0.9, 0.04, 0.0, 0.0, 0.06))
PROMISE = InformationPrivacy(epsilon=3.0)


def released(path: Path, scale: float, model: Model = HOME, promise: Notion = PROMISE, budget: float = 9.0) -> Released:
    release = Release(model, Count(), Geometric(scale=scale))
    return release_once(release, promise, (1,), path, budget, f'{{"scale": {scale}}}')


def entry(
    loss: float, records: int = 4, identity: str | None = "one", implied: str = "inferential", **more: object
) -> Entry:
    known = {"differential": loss, "pure": inf, "gaussian": 0.0, "records": records, "identity": identity}
    known |= {"together": NO_GROUPS if records == 1 else "home"}
    made = {"convert": lambda profile, delta: 3 * profile.pure} | known | {"implied_by": (implied,)} | more
    group_loss = made.pop("group_loss", records * loss)
    return Entry("{}", "information", loss, group_loss, **made)  # type: ignore[arg-type]


def body(of: Entry, fingerprint: str = "bytes") -> dict[str, object]:
    return of.as_body() | {"fingerprint": fingerprint}


def spent_by(before: Sequence[Mapping[str, Any]], cost: Entry, state: str, delta: float = 0.0) -> Spent:
    """As `spent_after`, of debits whose bodies say of what state their records were."""
    found, last = DebitSums(), body(cost, state)
    for each in (*before, last):
        found = found.with_debit(each)
    return spent_after(found, last, delta, cost.convert)


def test_three_releases_spend_the_converted_sum_and_never_less_than_the_joint_channel(tmp_path: Path) -> None:
    done = [released(tmp_path / "ledger", 8.0, budget=1.4).budget for _ in range(3)]
    assert [each.route for each in done] == ["alone", "conversion", "conversion"]
    converted = dl.Conversion(HOME, dl.PureProfile(3 / 8), "replace").epsilon(0.0).value
    assert converted.lower <= done[-1].spent <= converted.upper + 4 * 3e-9  # three losses, each rounded up
    assert done[-1].spent <= 1.4 < 3 * 4 / 8  # which the sum of the group losses would have passed
    with pytest.raises(Refused, match="after 3 earlier of the same data, would spend"):
        released(tmp_path / "ledger", 8.0, budget=1.4)
    releases = [Release(HOME, Count(), Geometric(scale=8.0))] * 2
    for notion in (dl.InferentialPrivacy(), InformationPrivacy()):
        assert compose(releases, notion, "joint").bound.upper <= done[1].spent * (1 + 1e-9)


def test_households_of_another_frozen_version_may_be_of_other_people() -> None:
    """A household of four whose two changes cancel loses less than four neighbours: not if it is others by now."""
    cost = entry(0.25, group_loss=0.5)
    versions = [body(cost) | {"version": name, "frozen": True} for name in ("2026-01", "2026-01", "2026-02")]
    same = DebitSums().with_debit(versions[0]).with_debit(versions[1])
    assert as_nats(same.group) == 2 * 0.5
    assert as_nats(same.with_debit(versions[2]).group) == 3 * 4 * 0.25
    alone = [each | {"together": NO_GROUPS, "records": 1} for each in versions]
    sums = DebitSums().with_debit(alone[0]).with_debit(alone[2])
    assert as_nats(sums.group) == 2 * 0.5


def test_the_exact_answer_where_it_keeps_the_promise_and_never_twice(tmp_path: Path) -> None:
    release = Release(dl.Independent(n=9, probabilities=(0.5,)), Count(), Geometric())
    promise = dl.MutualInformationPrivacy(epsilon=1)
    done = release_once(release, promise, (4,), tmp_path / "ledger", 5.0, allow_exact=True)
    assert (done.calibration.noise, done.answers) == (dl.NoNoise(), (Fraction(4),))
    said = r"would spend inf of a budget of 5 nats: inf requested, 4\.\d+ left, inf too much$"
    with pytest.raises(Refused, match=said):
        release_once(release, promise, (4,), tmp_path / "ledger", 5.0, allow_exact=True)


def test_a_scale_of_one_s_own_is_kept_where_it_keeps_the_promise(tmp_path: Path) -> None:
    for noise in (Geometric(scale=9.0), dl.Laplace(scale=9.0)):
        done = release_once(Release(HOME, Count(), noise), PROMISE, (2,), tmp_path / noise.kind, 9.0)
        assert (done.calibration.noise, done.calibration.method) == (noise, "given")
        assert 0 <= done.budget.spent - done.calibration.leakage.upper < 1e-9  # rounded up to a nano-nat
        assert isinstance(done.answers[0], Fraction)
        assert abs(done.answers[0] - 2) <= 60 * 9
        assert done.answers[0].denominator == 1 or noise.kind == "laplace"


def test_models_that_hold_mappings_are_converted_too(tmp_path: Path) -> None:
    pair = {"members": {"adult": 1, "child": 1}, "infected": [0.9, 0.04, 0.06], "count": 2}
    done = [released(tmp_path / "ledger", 8.0, Households(types=[pair])).budget for _ in range(2)]
    assert [each.route for each in done] == ["alone", "conversion"]


def test_promises_of_one_record_add(tmp_path: Path) -> None:
    done = [
        released(tmp_path / "ledger", scale, promise=dl.DifferentialPrivacy(epsilon=1.0)) for scale in (8.0, 4.0, 2.0)
    ]
    assert [each.budget.route for each in done] == ["alone", "record", "record"]
    assert 0.875 <= done[-1].budget.spent <= 0.875 + 1e-8
    releases = [Release(HOME, Count(), Geometric(scale=scale)) for scale in (8.0, 4.0)]
    joint = compose(releases, dl.DifferentialPrivacy(), "joint").bound
    assert joint.upper <= done[1].budget.spent <= joint.upper * (1 + 1e-6)


def test_groups_of_one_model_are_any_people_to_another() -> None:
    """A question that asks one member of each household at most loses no more for a household than for a member; who
    lives with whom according to another column may all be such members."""

    def one_each(together: str | None, identity: str) -> Entry:
        found = entry(0.1, identity=identity, together=together)
        return replace(found, group_loss=0.1, convert=None)

    def spent(first: Entry, second: Entry) -> float:
        return spent_by([body(first)], second, "bytes").nats

    assert spent(one_each("home", "one"), one_each("home", "two")) == pytest.approx(0.2, abs=1e-8)
    assert spent(one_each("home", "one"), one_each("class", "two")) == pytest.approx(0.8, abs=1e-8)
    assert spent(one_each(None, "one"), one_each(None, "two")) == inf
    assert spent(one_each(None, "one"), one_each("home", "one")) == inf
    three = [body(one_each("home", "one")), body(one_each("home", "two")), body(one_each("class", "two"))]
    assert spent_by(three, one_each("home", "one"), "bytes").nats == pytest.approx(1.6, abs=2e-8)
    assert spent(one_each("home", "one"), one_each("alone", "two")) == pytest.approx(0.2, abs=1e-8)


def test_beside_a_promise_about_beliefs_they_do_not() -> None:
    before = [body(entry(0.1, implied="record")), body(entry(0.2, implied="record"))]
    assert spent_by(before, entry(0.3, implied="record"), "other bytes").nats == pytest.approx(0.6, abs=1e-8)
    other = entry(0.3, identity="two", implied="record", records=2)
    assert spent_by(before, other, "bytes").route == "record"
    assert spent_by(before, entry(0.3), "bytes").nats == pytest.approx(1.8, abs=1e-8)  # converted
    assert spent_by(before, entry(0.3), "other bytes").nats == pytest.approx(2.4, abs=1e-8)  # whole groups
    unknown = replace(entry(0.3, implied="record", differential=inf), group_loss=1.2)
    assert spent_by(before, unknown, "bytes").route == "group"


def test_gaussian_noise_on_one_record_adds_at_a_delta() -> None:
    def noised(mu: float) -> Entry:
        more = {
            "together": "home",
            "differential": inf,
            "gaussian": mu,
            "pure": 0.0,
            "delta": 1e-6,
            "keeps_delta": True,
        }
        return Entry("{}", "differential", 1.0, inf, records=4, identity="one", implied_by=("record",), **more)  # type: ignore[arg-type]

    found = spent_by([body(noised(0.03))], noised(0.04), "bytes", 1e-6)
    assert (found.route, found.delta) == ("record", 1e-6)
    own = dl.GaussianProfile(0.05)
    assert own.delta(found.nats) <= 1e-6 < own.delta(found.nats * (1 - 1e-6))
    assert spent_by([body(noised(0.03))], noised(0.04), "bytes", 0.0).nats == inf


def test_another_model_adds_groups_of_the_largest_size(tmp_path: Path) -> None:
    """Records that are independent under one model belong to households under another: what is asked under the other
    counts for four."""
    released(tmp_path / "ledger", 8.0, dl.Independent(probabilities=(0.1,), n=8))
    second = released(tmp_path / "ledger", 8.0).budget
    assert second.route == "group"
    assert 4 / 8 + 4 / 8 <= second.spent <= 1 + 1e-8


def test_where_a_debit_lacks_what_the_conversion_needs_groups_add() -> None:
    assert spent_by([body(entry(0.25))], entry(0.25), "bytes").route == "conversion"
    for first, fingerprint in (
        (entry(0.25), "others"),
        (entry(0.25, identity=None), "bytes"),
        (entry(0.25, identity="two"), "bytes"),
        (entry(0.25, implied="group"), "bytes"),
        (entry(0.25, implied="nothing"), "bytes"),
    ):
        found = spent_by([body(first, fingerprint)], entry(0.25), "bytes")
        assert found.route == "group"
        assert found.nats == pytest.approx(2.0)
