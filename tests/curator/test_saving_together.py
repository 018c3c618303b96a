"""A release that is charged far above what it leaks alone says so, and what would cost less."""

import pytest

import dalenius as dl
from dalenius.curator.cost_of_releases import Entry
from dalenius.curator.release_from_spec import saving_together


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
