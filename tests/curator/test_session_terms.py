"""What an answer costs by how its noise is chosen, and what its certificate says."""

from fractions import Fraction
from pathlib import Path

import pytest

import dalenius as dl
from dalenius.curator import Ledger
from dalenius.curator.noised import noise_within
from dalenius.errors import Refused
from dalenius.tables import Source, open_people
from tests.cases import in_turn
from tests.curator.policies import COUNT, ask, curator


@pytest.mark.slow
def test_unsound_noise_is_refused_unless_it_is_accepted(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="method independent is not sound here"):
        curator(tmp_path, method="independent").session("ana", "measles").estimate(ask())
    accepted = curator(tmp_path, method="independent", accept_unsound=True).session("bob", "measles")
    quoted = accepted.estimate(ask())
    assert quoted.cost is not None
    assert quoted.cost.leakage > 0.2
    assert accepted.ask(ask()).published.certificate["sound"] is False


def test_what_noise_costs_is_what_it_leaks(tmp_path: Path) -> None:
    session = curator(tmp_path).session("bob", "measles")
    quoted = session.estimate(ask(noise=dl.Geometric(scale=20.0)))
    assert quoted.cost is not None
    model = dl.Households(by="home", epidemic={"community": 0.1, "household": 0.3})
    release = dl.Release(_bound(model, tmp_path), COUNT, dl.Geometric(scale=20.0))
    assert quoted.cost.leakage == dl.InferentialPrivacy().leakage(release).upper
    with pytest.raises(Refused, match=r"the promise is 1"):
        session.estimate(ask(noise=dl.Geometric(scale=0.1)))


def _bound(model: dl.Households, folder: Path) -> dl.Households:
    return model.with_compositions(
        open_people(Source(file="people.csv", value="ill", household="home", label="place"), folder).compositions()
    )


def test_noise_is_as_large_as_the_precision_allows(tmp_path: Path) -> None:
    session = curator(tmp_path).session("bob", "measles")
    quoted = session.estimate(ask(dl.Count(per_label=True), within=17.5))
    assert quoted.half_widths == {"x": 17.0, "y": 17.0}
    assert quoted.cost is not None
    least = session.estimate(ask(dl.Count(per_label=True), epsilon=quoted.cost.leakage * 1.01))
    assert 17.0 in least.half_widths.values()
    assert session.ask(ask(dl.Count(per_label=True), within=17.5)).published.certificate["confidence"] == 0.95


@in_turn(
    {
        "noise": [dl.Laplace(), dl.Gaussian(), dl.Geometric()],
        "within, confidence": [(3.0, 0.95), (17.5, 0.5), (1e6, 0.999)],
    }
)
def test_and_no_larger(noise: dl.Laplace, within: float, confidence: float) -> None:
    release = dl.Release(dl.Independent(probabilities=[0.5] * 3), COUNT, noise)
    found = noise_within(release, within, confidence)
    assert found.scale is not None
    for scale, fits in ((found.scale, True), (found.scale * (1 + 2e-8), False)):
        interval = noise.with_scale(scale).interval(Fraction(0), confidence, Fraction(1))
        assert interval is not None
        # The lattice that Laplace and Gaussian noise is drawn on is 512 times finer than the scale, or more.
        assert (interval.upper <= within) is fits or (not fits and interval.upper > within * (1 - 1 / 256))


def test_a_certificate_says_what_the_promise_rests_on(tmp_path: Path) -> None:
    made = curator(tmp_path, public=["labels"])
    done = made.session("ana", "measles").ask(ask(epsilon=0.25))
    certificate = done.published.certificate
    assert certificate["data"] == "measles"
    assert certificate["people"] is None
    assert certificate["leakage"].get("witness") is None
    assert "household of" not in str(done.published.words)
    assert certificate["measure"] == "ill"
    assert certificate["query"]["kind"] == "count"
    assert certificate["model"]["by"] == "home"
    assert certificate["noise"]["scale"] > 0
    assert certificate["spending"]["route"] == "alone"
    # e^0.25 = 1.28403, and a chance of one half becomes at most 1.28403/2.28403.
    assert certificate["risk"]["times"] == "1.285"
    assert certificate["risk"]["guess"] == "56.3 %"
    ((low, high),) = certificate["interval"]
    assert low < float(done.published.answers[0]) < high
    for rest in ("who lives with whom is public", "how many people there are is public"):
        assert rest in certificate["hypotheses"]
    digits = {str(link.body.get("fingerprint", "")) for link in Ledger(tmp_path / "ledger.sqlite").history().links} - {
        ""
    }
    assert len(digits) == 1
    assert not any(each in str(dict(certificate)) + str(done.published.words) for each in digits)


def test_an_answer_that_is_of_no_use_is_advised_against_before(tmp_path: Path) -> None:
    session = curator(tmp_path).session("ana", "measles")
    advised = session.estimate(ask(epsilon=0.01)).advised
    assert advised is not None
    assert "the model alone says 0 to 9, which is narrower" in advised
    assert not (tmp_path / "ledger.sqlite").exists()
    loose = curator(tmp_path, notion={"kind": "inferential", "epsilon": 5.0}).session("bob", "measles")
    assert loose.estimate(ask(noise=dl.Geometric(scale=1.0))).advised is None
