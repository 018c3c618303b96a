"""Groups that move some of the answers of their part only: their suprema name no output of the others."""

import pytest

import dalenius as dl
from dalenius.channel.large import own_group_suprema


def test_an_audit_says_how_likely_an_output_is_where_all_answers_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    homes = [
        dl.HouseholdType(members={"north": 1, "south": 1}, count=3, infected=[0.5, 0.2, 0.3]),
        dl.HouseholdType(members={"south": 1, "west": 1}, count=3, infected=[0.9, 0.05, 0.05]),
    ]
    release = dl.Release(dl.Households(types=homes), dl.Count(per_label=True), dl.Geometric(scale=1.0))
    notions = ["inferential", "information"]
    known = dl.audit(release, notions, how_likely=True)
    monkeypatch.setattr(own_group_suprema, "_HEAVY", 0)
    found = dl.audit(dl.Release(release.model, release.query, release.noise), notions, how_likely=True)
    for kind in notions:
        assert found[kind].lower == pytest.approx(known[kind].lower, rel=1e-9)
        assert found[kind].upper == pytest.approx(known[kind].upper, rel=1e-9)
        witness = found[kind].witness
        assert witness is not None
        assert witness.output is not None
        assert len(witness.output) == 2
        assert witness.log_probability is not None
        assert witness.log_probability.upper == 0.0
