"""Sessions: what an answer would cost, the answer, what is left.

Sessions and releases of whatever the user holds of the people.

What an answer costs by how its noise is chosen, and what its certificate says.
"""

import io
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas
import polars
import pytest

import dalenius as dl
from dalenius.curator import Curator, NotAllowed, NotOpen, read_ask
from dalenius.curator.prepared_release import noise_within
from dalenius.errors import InputError, Refused, Unreachable
from dalenius.spec.data_section import Source
from dalenius.tables import People, open_people
from tests.cases import in_turn
from tests.curator.asking import kinds
from tests.curator.policies import COUNT, ask, curator, people, policy, village, with_measure


def test_a_new_ledger_is_said_to_be_one(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "people.csv").write_text(people(), encoding="utf-8")
    ledger = str(tmp_path / "spent.sqlite")
    dl.Session(tmp_path / "people.csv", policy(), "bob", ledger=ledger).ask(ask())
    assert caplog.messages == [f"ledger {ledger} is new: nothing was ever spent in it"]
    dl.Session(tmp_path / "people.csv", policy(), "bob", ledger=ledger)
    assert len(caplog.messages) == 1


def test_the_table_is_read_when_the_answer_is_paid_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[str]] = []
    tally = People.tally

    def watched(people: People) -> Any:
        seen.append(kinds(tmp_path / "ledger.sqlite"))
        return tally(people)

    monkeypatch.setattr(People, "tally", watched)
    session = curator(tmp_path).session("ana", "measles")
    session.estimate(ask())
    assert not seen
    session.ask(ask())
    assert [entries[-1] for entries in seen] == ["debit"]
    session.ask(ask())
    assert len(seen) == 1
    with pytest.raises(Refused):
        session.ask(ask(epsilon=5.0))
    assert len(seen) == 1


def test_an_ask_says_one_thing() -> None:
    for terms, wanted in (
        ({}, "exactly one of epsilon, within, and noise with its scale"),
        ({"epsilon": 0.1, "noise": {"kind": "laplace", "scale": 2}}, "exactly one of epsilon, within, and noise"),
        ({"noise": {"kind": "laplace"}}, "exactly one of epsilon, within, and noise with its scale"),
        ({"epsilon": "1"}, "a number, not a text"),
        ({"epsilon": 0.1, "confidence": 1}, "a number above 0 and below 1"),
        ({"epsilon": 0.1, "who": "me"}, "one of the keys of ask: measure, query"),
    ):
        with pytest.raises(InputError) as caught:
            read_ask({"measure": "ill", "query": {"kind": "count"}} | terms)
        assert wanted in str(caught.value)


def test_only_what_the_policy_allows(tmp_path: Path) -> None:
    analysts = [{"name": "ana", "queries": ["count"]}, {"name": "bob", "measures": ["ill"]}]
    made = curator(tmp_path, analysts=analysts, public=["people"])
    session = made.session("ana", "measles")
    with pytest.raises(NotAllowed, match=r"^query.kind: sum, wanted a kind that may be asked about 'ill': count$"):
        session.estimate(dl.Ask(measure="ill", query=dl.Sum(), epsilon=0.1))
    several = dl.Several(queries=(dl.Count(), dl.Sum()))
    with pytest.raises(NotAllowed, match=r"^query.kind: several, wanted"):
        made.session("bob", "measles").ask(dl.Ask(measure="ill", query=several, epsilon=0.1))
    with pytest.raises(InputError, match=r"^measure: well, wanted one of ill$"):
        session.ask(dl.Ask(measure="well", query=COUNT, epsilon=0.1))
    for labelled in (dl.Count(per_label=True), dl.Count(labels=("x",))):
        with pytest.raises(NotAllowed, match=r"^query: count, wanted no labels"):
            session.estimate(ask(labelled))
    with pytest.raises(NotAllowed, match=r"^analyst: eve, wanted one of the analysts of data set 'measles'$"):
        made.session("eve", "measles")
    with pytest.raises(InputError, match=r"^data: mumps, wanted one of the policy's data sets: measles$"):
        made.session("ana", "mumps")
    assert not (tmp_path / "ledger.sqlite").exists()


def test_what_is_wrong_with_a_table_is_for_its_curator(tmp_path: Path) -> None:
    made = curator(tmp_path)
    (tmp_path / "people.csv").write_text(people().replace(",1,", ",,", 1), encoding="utf-8")
    with pytest.raises(NotOpen) as caught:
        made.session("ana", "measles").ask(ask())
    assert str(caught.value) == "data: measles, wanted a table that is as the policy says: its curator must check it"
    with pytest.raises(InputError, match="is missing"):
        made.check()


def test_a_database_that_does_not_answer_is_said_to_be_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*given: Any, **named: Any) -> Any:
        raise Unreachable("data.url", "postgresql://me:secret@host/people", "a database that answers")

    monkeypatch.setattr("dalenius.curator.opened_table.open_people", refused)
    made = curator(tmp_path)
    with pytest.raises(Unreachable) as caught:
        made.session("ana", "measles").estimate(ask())
    assert str(caught.value).startswith("data: measles, wanted a database that answers")
    monkeypatch.undo()
    assert not made.session("ana", "measles").estimate(ask()).free


def test_the_same_people_saved_again_have_no_new_budget(tmp_path: Path) -> None:
    """Under another version too, when the same question is another request."""
    before = curator(tmp_path).session("bob", "measles").ask(ask())
    head, *rows = people().splitlines()
    (tmp_path / "people.csv").write_text("\n".join([head, *reversed(rows)]) + "\n", encoding="utf-8")
    assert Curator(policy(), tmp_path).session("bob", "measles").ask(ask()).entry == before.entry
    done = Curator(policy(version="April"), tmp_path).session("bob", "measles").ask(ask())
    assert not done.repeated
    assert done.budget.spent > 2 * before.budget.spent
    assert done.budget.initial == before.budget.initial


NEVER: dict[str, tuple[dict[str, Any], str]] = {
    "labels that the model has not": (
        {"model": {"kind": "independent", "n": 20, "probabilities": [0.3]}},
        "data: 0 people without a label, wanted 20, as many as the model has",
    ),
    "values that the model has not": (
        {
            "value": "age",
            "model": {"kind": "households", "by": "home", "epidemic": {"community": 0.1, "household": 0.3}},
        },
        "data.value: age, wanted a value the model's records can have in every row: 0, 1 (19 of 20 rows have another",
    ),
}


def test_what_can_never_be_answered_is_said_when_the_policy_is_checked(tmp_path: Path) -> None:
    """By the curator, who may look at values."""
    few = {"model": {"kind": "independent", "n": 19, "probabilities": [0.2]}}
    steps = {"value": "age", "lower": 0, "upper": 2, "step": 1}
    for measure, wanted in (
        *NEVER.values(),
        (few, "measure 'ill' model: of 19 people, wanted 20, as many as the table has"),
        (steps, "measure 'ill' model: records that are never 2, wanted a model whose"),
    ):
        with pytest.raises(InputError, match=f"^{re.escape(wanted)}"):
            curator(tmp_path, **with_measure(**measure)).check()


def test_what_labels_show_is_refused_before_it_is_paid_for(tmp_path: Path) -> None:
    measure, _ = NEVER["labels that the model has not"]
    session = curator(tmp_path, **with_measure(**measure)).session("ana", "measles")
    for call in (session.estimate, session.ask):
        with pytest.raises(NotOpen):
            call(ask())
    assert not (tmp_path / "ledger.sqlite").exists()


def test_people_by_data_set(tmp_path: Path) -> None:
    frame = pandas.read_csv(io.StringIO(people()))
    session = dl.Session({"measles": frame}, policy(), "ana", ledger=str(tmp_path / "ledger.sqlite"))
    assert session.estimate(ask()).free is False
    with pytest.raises(InputError, match=r"^data: mumps, wanted one of the policy's data sets: measles$"):
        dl.Session({"mumps": frame}, policy(), "ana", ledger=str(tmp_path / "ledger.sqlite"))
    with pytest.raises(InputError, match=r"^analyst: missing, wanted one of ana, bob$"):
        dl.Session(frame, policy(), ledger=str(tmp_path / "ledger.sqlite"))
    with pytest.raises(InputError, match=r"^data"):
        dl.Session(object(), policy(), "ana", ledger=str(tmp_path / "ledger.sqlite"))


def test_a_frame_has_a_way_to_a_release(tmp_path: Path) -> None:
    frame, spec, ledger = pandas.read_csv(io.StringIO(people())), village(), tmp_path / "ledger.sqlite"
    quoted = dl.quote(spec, data=frame, ledger=ledger, budget=1.0)
    done = dl.release(spec, data=frame, ledger=ledger, budget=1.0)
    assert done.budget == quoted.budget
    assert dl.release(spec, data=polars.from_pandas(frame), ledger=str(ledger)).repeated
    with pytest.raises(InputError, match=r"^budget: 2.0, wanted 1.0, what data set \"village\" was given"):
        dl.release(spec, data=frame, ledger=ledger, budget=2.0)
    with pytest.raises(InputError, match=r"^ledger: missing, wanted where spending is recorded"):
        dl.release(spec, data=frame)


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
        interval = noise.with_scale(scale).error(Fraction(1)).interval(Fraction(0), confidence)
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
    # An interval of a count ends at 0, and an answer may be below it.
    assert low <= max(float(done.published.answers[0]), 0.0)
    assert float(done.published.answers[0]) < high
    for rest in ("who lives with whom is public", "how many people there are is public"):
        assert rest in certificate["hypotheses"]


def test_an_answer_that_is_of_no_use_is_advised_against_before(tmp_path: Path) -> None:
    session = curator(tmp_path).session("ana", "measles")
    advised = session.estimate(ask(epsilon=0.01)).advised
    assert advised is not None
    assert "the model alone says 0 to 9, which is narrower" in advised
    assert not (tmp_path / "ledger.sqlite").exists()
    loose = curator(tmp_path, notion={"kind": "inferential", "epsilon": 5.0}).session("bob", "measles")
    assert loose.estimate(ask(noise=dl.Geometric(scale=1.0))).advised is None
