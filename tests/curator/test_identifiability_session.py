"""Sessions about who is absent: every answer in the ledger, noise for the present belief, refused when it is spent."""

import json
from collections.abc import Callable
from fractions import Fraction
from math import inf, log
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import dalenius as dl
from dalenius.composition import AbsenceBelief
from dalenius.curator import History, Recorded
from dalenius.curator.budgets import Outdated, Request
from dalenius.curator.cost_of_releases import Entry
from dalenius.curator.identifiability_session import IdentifiabilitySession
from dalenius.errors import DaleniusError
from dalenius.queries import AnyQuery
from tests.reference import belief as reference

PEOPLE = pd.DataFrame(
    {
        "name": list("abcdefghij"),
        "given": [20, 35, 35, 50, 60, 60, 80, 100, 120, 500],
        "age": [30.5, 41, 22, 18, 77, 65, 54, 33, 41, 29],
    }
)
JON = {"column": "name", "equals": "j"}
GIVEN = dl.Sum(lower=0, upper=100)
ASKED: list[tuple[AnyQuery, str | dict[str, object]]] = [
    (GIVEN, "given"),
    (dl.Mean(), "age"),
    (dl.Min(), "age"),
    (dl.Max(), "age"),
    (dl.Median(), "given"),
    (dl.Variance(), "age"),
    (dl.Count(), {"column": "age", "at_least": 40}),
]

Begin = Callable[..., IdentifiabilitySession]


@pytest.fixture
def begin(tmp_path: Path) -> Begin:
    def session(alpha: float = 0.5, beta: float = 1.0, absent: object = JON, **more: object) -> IdentifiabilitySession:
        place = tmp_path / "ledger.sqlite"
        given = {"absent": absent, "name": "gifts", "ledger": place, **more}
        return IdentifiabilitySession(PEOPLE, alpha, beta, **given)  # type: ignore[arg-type]

    return session


@pytest.mark.lengthy
def test_every_query_is_answered_and_the_belief_is_bayes_rule(begin: Begin) -> None:
    session = begin()
    posterior = [reference.number(Fraction(1, 10))] * 10
    for query, value in ASKED:
        terms = session.estimate(query, value)
        done = session.ask(query, value)
        (answer,) = done.published.answers
        assert isinstance(answer, Fraction)
        assert not done.repeated
        if not terms.noise.shape.adds_nothing:
            answers = [terms.answers.index_of(i) for i in range(10)]
            scale = Fraction(terms.answers.drawn_scale(terms.noise.known_scale()))
            posterior = reference.posterior(posterior, answers, answer / terms.answers.step, scale)
    assert session.belief.posterior == pytest.approx(np.array([float(p) for p in posterior]), rel=1e-12)
    again = begin()  # another process: all it knows is in the ledger
    assert again.belief.posterior == pytest.approx(session.belief.posterior, rel=1e-14)
    assert again.used == pytest.approx(session.used)


@pytest.mark.lengthy
def test_the_promise_is_kept_until_it_is_spent(begin: Begin) -> None:
    session = begin()
    for number in range(40):
        try:
            session.ask(dl.Sum(lower=0, upper=100 - number), "given", share=0.3)
        except dl.Refused:
            break
        belief = session.belief
        assert belief.raised.upper <= log(2) * (1 + 1e-12)
        assert belief.lowered.upper <= log(2) * (1 + 1e-12)
    session.ask(GIVEN, "given", share=None)  # what is left
    assert session.budget().remaining == 0
    assert session.used <= 1


def test_less_than_is_left_is_refused_and_nothing_is_paid(begin: Begin) -> None:
    session = begin()
    session.ask(GIVEN, "given", share=0.9)
    entries = session.ledger.history().as_json()["entries"]
    if session.used > 0.5:
        with pytest.raises(
            dl.Refused, match=r"a share of 0\.5 of the promised \(0\.5, 1\) is asked for, and 0\.\d+ is"
        ):
            session.ask(dl.Max(), "age", share=0.5)
        assert session.ledger.history().as_json()["entries"] == entries
    with pytest.raises(dl.InputError, match=r"^share: 1\.5, wanted a number above 0, at most 1$"):
        session.ask(dl.Max(), "age", share=1.5)


def test_the_same_question_gets_the_same_answer_for_nothing(begin: Begin) -> None:
    first = begin().ask(GIVEN, "given")
    again = begin().ask(GIVEN, "given")
    assert again.repeated
    assert again.published.answers == first.published.answers
    assert not begin().ask(GIVEN, "given", share=0.2).repeated


def test_an_answer_that_is_the_same_for_everybody_is_exact_and_free(begin: Begin) -> None:
    session = begin()
    done = session.ask(dl.Median(), "given")
    assert done.published.answers == (Fraction(60),)
    assert done.budget.spent == 0
    assert done.published.certificate["noise"] == {"kind": "none", "scale": 0.0}


def test_it_goes_out_when_nothing_is_left(begin: Begin) -> None:
    session = begin()
    for number in range(60):
        left = 1 - session.used
        if left < 1e-6:
            break
        session.ask(dl.Sum(lower=0, upper=100 - number), "given", share=None)
    assert session.ask(dl.Median(), "given").published.answers == (Fraction(60),)


@pytest.mark.lengthy
def test_rows_of_the_ledger_add_up_to_what_may_have_been_used(begin: Begin) -> None:
    session, most = begin(), 0.0
    for query, value in ASKED:
        done = session.ask(query, value)
        most = max(most, done.published.certificate["share"]["after"])
        assert done.budget.spent == pytest.approx(most * log(2), abs=1e-8)
        assert done.budget.route in ("alone", "absence")


def _draw(session: IdentifiabilitySession, query: AnyQuery) -> Recorded:
    return session.ask(query, "given")


def test_a_price_from_before_another_answer_is_not_paid(begin: Begin) -> None:
    """Noise for the belief of a moment ago would be too little (E5)."""
    session = begin()
    before = session.ledger.history()
    session.ask(GIVEN, "given")
    request = session._table.request("late", session._promise.epsilon or 0.0, len(before.debited("gifts")))
    entry = Entry("late", "identifiability", 0.01, inf, implied_by=("absence",))
    with pytest.raises(Outdated, match='data set "gifts": other answers were paid for meanwhile; ask again'):
        session.ledger.release(request, entry, lambda: pytest.fail("nothing is drawn"))


def test_an_answer_that_was_paid_for_and_lost_is_kept_free(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    session = begin()
    terms = session.estimate(GIVEN, "given")
    with monkeypatch.context() as patch:
        patch.setattr("dalenius.noise.Geometric.draw", _killed)
        with pytest.raises(DaleniusError):
            session.ask(dl.Sum(lower=0, upper=100), "given")
    # The noise too large to be drawn is refused before it is paid for: here nothing was.
    assert session.used == 0
    patched = _Once()
    monkeypatch.setattr("dalenius.noise.Geometric.draw", patched.draw)
    with pytest.raises(DaleniusError):
        session.ask(dl.Sum(lower=0, upper=100), "given")
    monkeypatch.undo()
    theta, scale = 80.0, terms.noise.known_scale()
    assert session.used == pytest.approx(theta / scale / log(2), rel=1e-6)
    assert session.belief.answers == 0
    other = session.estimate(dl.Sum(lower=0, upper=99), "given", share=0.1)
    assert other.before == pytest.approx(session.used)


def _killed(*_: object) -> None:
    raise DaleniusError("killed")


class _Once:
    """Draws the first time, and then no more."""

    def __init__(self) -> None:
        self.times = 0

    def draw(self, *given: object) -> tuple[Fraction, ...]:
        self.times += 1
        if self.times > 1:
            raise DaleniusError("killed")
        return (Fraction(0),)


REFUSED: dict[str, tuple[dict[str, object], str]] = {
    "nobody": ({"absent": {"column": "name", "equals": "z"}}, "data.absent: 0 rows, wanted one row that says who"),
    "two": ({"absent": {"column": "given", "equals": 35}}, "data.absent: 2 rows, wanted one row that says who"),
    "amounts": ({"absent": "given"}, r"data.absent: given, wanted yes \(1\) for who is absent and no"),
    "beta": ({"beta": 9.5}, r"notion.beta: 9.5, wanted less than 1/P_max - 1 = 9"),
    "prior": ({"prior": (0.5, 0.5)}, "model.prior: 2 probabilities, wanted a probability for each of the 10 people"),
    "present": ({"prior": (1 / 9,) * 9 + (0.0,)}, "model.prior: 0 for who is absent, wanted a prior above 0"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_no_session_can_begin_with_is_refused(name: str, begin: Begin) -> None:
    changes, said = REFUSED[name]
    with pytest.raises(dl.InputError, match=said):
        begin(**changes)


def test_another_promise_or_another_absent_person_is_refused(begin: Begin) -> None:
    begin().ask(GIVEN, "given")
    with pytest.raises(dl.Refused, match='data set "gifts" has one notion for all answers'):
        begin(alpha=0.4).ask(dl.Max(), "age")
    with pytest.raises(dl.Refused, match="has one model for all answers"):
        begin(prior=tuple([0.1] * 10)).ask(dl.Max(), "age")
    with pytest.raises(dl.Refused, match="its table, or who is absent from it, is not that of the answers"):
        begin(absent={"column": "name", "equals": "a"}).ask(dl.Max(), "age")


def test_releases_of_records_and_answers_about_absence_share_no_data_set(begin: Begin) -> None:
    session = begin()
    session.ask(GIVEN, "given")
    plain = Request("gifts", session._table.fingerprint, "a count", log(2))
    with pytest.raises(dl.Refused, match="would spend inf of a budget"):
        session.ledger.release(plain, Entry("a count", "inferential", 0.1, 0.1), lambda: pytest.fail("not drawn"))


def test_the_ledger_and_the_certificate_do_not_say_who_is_absent(begin: Begin) -> None:
    done = begin(absent={"column": "name", "equals": "j"}).ask(GIVEN, "given")
    written = json.dumps([dict(link.body) for link in begin().ledger.history().links])
    assert "equals" not in written
    assert "absent" in written  # the model's kind, and no key of [data]
    read = json.loads(begin().ledger.history().debited("gifts")[0].body["spec"])
    assert read["data"] == {"value": "given"}
    assert "name" not in json.dumps(dict(done.published.certificate))


def test_a_belief_of_the_prior_is_kept(begin: Begin) -> None:
    prior = (0.05,) * 8 + (0.2, 0.4)
    session = begin(beta=1.2, prior=prior)
    assert isinstance(session.belief, AbsenceBelief)
    assert session.belief.posterior == pytest.approx(np.array(prior))
    session.ask(GIVEN, "given", share=None)
    assert session.belief.raised.upper <= log(2.2) * (1 + 1e-12)
    assert isinstance(session.ledger.history(), History)
