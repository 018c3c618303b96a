"""A client returns what a session returns, and raises what a session raises, in the service's words."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

import dalenius as dl
from dalenius.client.connection import Clock
from dalenius.curator import Failed, NotAllowed, Overspent
from dalenius.errors import DaleniusError, InputError, Refused, Unreachable
from tests.curator.asking import kinds
from tests.curator.policies import ask
from tests.server.served import Served, serving

Handler = Callable[[httpx.Request], httpx.Response]
PER_LABEL = dl.Ask(measure="ill", query=dl.Count(per_label=True), epsilon=0.2)
OFFER = {
    **{"name": "measles", "description": "", "notion": {"kind": "inferential", "epsilon": 1.0}, "in_words": ""},
    **{"measures": [], "analyst": {"name": "ana", "cap": None}},
}


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path) as found:
        yield found


def client(served: Served, who: str = "ana@measles", **more: Any) -> dl.Client:
    def passed_on(request: httpx.Request) -> httpx.Response:
        found = served.client.request(
            request.method, str(request.url), content=request.content, headers=dict(request.headers)
        )
        return httpx.Response(found.status_code, content=found.content, headers=dict(found.headers))

    return scripted(passed_on, token=served.tokens[who], **more)


def scripted(handler: Handler, token: str = "dal_x", **more: Any) -> dl.Client:
    return dl.Client("http://localhost", token, transport=httpx.MockTransport(handler), **more)


def test_results_are_those_of_a_session(served: Served) -> None:
    asking, session = client(served), served.curator.session("ana", "measles")
    price = asking.estimate(PER_LABEL)
    expected = session.estimate(PER_LABEL)
    assert expected.cost is not None
    assert expected.calibration is not None
    assert price.cost is not None
    assert price.calibration is not None
    assert price.cost.leakage == pytest.approx(expected.cost.leakage, abs=2e-9)
    assert (price.half_widths, price.budget, price.own) == (expected.half_widths, expected.budget, expected.own)
    assert price.calibration.noise == expected.calibration.noise
    assert (price.calibration.why, price.risk) == (expected.calibration.why, expected.risk)
    done = asking.ask(PER_LABEL)
    again = session.ask(PER_LABEL)
    assert done.repeated is False
    assert (done.published, done.entry, done.hash) == (again.published, again.entry, again.hash)
    assert (done.budget, done.own) == (again.budget, again.own)
    assert repr(client(served).ask(PER_LABEL)) == repr(again)
    assert asking.budget() == session.budget()
    (told,), (paid,) = asking.history(), session.history()
    assert (told.number, told.recorded, told.failed) == (paid.number, paid.recorded, paid.failed)
    assert list(asking.history().records()) == list(session.history().records())
    assert asking.estimate(PER_LABEL).free


def test_what_is_offered(served: Served) -> None:
    found = client(served).data
    assert (found.name, found.analyst, found.cap, found.takes_keys) == ("measles", "ana", 0.5, True)
    assert found.notion == dl.InferentialPrivacy(epsilon=1.0)
    (measure,) = client(served).measures
    assert (measure.name, measure.queries, measure.models) == ("ill", ("count", "sum"), ("households",))
    assert "Data set measles: what ana may ask" in repr(found)


def test_history_is_read_page_by_page(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dalenius.client.client._PAGE", 2)
    asking = client(served, "bob@measles")
    for epsilon in (0.01, 0.02, 0.03, 0.04, 0.05):
        asking.ask(ask(epsilon=epsilon))
    found = asking.history()
    assert len(found) == len({row["entry"] for row in found.records()}) == 5
    assert [each.number for each in found] == sorted(each.number for each in found)


def test_refusals_are_the_session_s_with_the_service_s_line(served: Served) -> None:
    asking, session = client(served), served.curator.session("ana", "measles")
    for wrong, kind in (
        (ask(epsilon=0.6), Overspent),
        (dl.Ask(measure="age", query=dl.Count(), epsilon=0.1), InputError),
        (dl.Ask(measure="ill", query=dl.Max(), epsilon=0.1), NotAllowed),
        (ask(within=1e300), InputError),
    ):
        with pytest.raises(kind) as theirs:
            session.ask(wrong)
        with pytest.raises(kind) as ours:
            asking.ask(wrong)
        assert str(ours.value) == str(theirs.value)
        assert type(ours.value) is type(theirs.value)
        kept = ("requested", "remaining", "difference", "whose", "key", "wanted")
        one, other = ([getattr(error.value, each, None) for each in kept] for error in (ours, theirs))
        assert one == other
    calls: list[Callable[[dl.Client], Any]] = [
        dl.Client.budget,
        dl.Client.history,
        lambda of: of.data,
        lambda of: of.ask(ask()),
    ]
    for call in calls:
        with pytest.raises(InputError, match="token: of an owner or auditor, wanted a token of an analyst"):
            call(client(served, "olga", data="measles"))
    with pytest.raises(Refused, match="a token of an analyst is wanted"):
        client(served, "olga", data="measles").estimate(ask())
    with pytest.raises(InputError, match="a data set that this token is of"):
        client(served, data="mumps").budget()
    with pytest.raises(InputError, match="a token of this service that is valid is wanted"):
        scripted(lambda request: _passed(served, request), token="dal_wrong").budget()


def _passed(served: Served, request: httpx.Request) -> httpx.Response:
    found = served.client.get(str(request.url), headers=dict(request.headers))
    return httpx.Response(found.status_code, content=found.content, headers=dict(found.headers))


def test_a_question_that_failed_is_not_sent_again(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> Any:
        raise ValueError

    monkeypatch.setattr("dalenius.curator.purchases._drawing", lambda *_: broken)
    slept: list[float] = []
    with pytest.raises(Failed, match="it is paid for, and the same request fails again"):
        client(served, clock=Clock(sleep=slept.append)).ask(ask())
    assert slept == []
    assert kinds(served.folder / "ledger.sqlite").count("debit") == 1


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_retry_after_is_obeyed(status: int) -> None:
    slept, answers = list[float](), [status, status, 200]

    def handler(_: httpx.Request) -> httpx.Response:
        found = answers.pop(0)
        return httpx.Response(found, headers={"Retry-After": "17"}, json={"data": [{"name": "measles"}]})

    asking = scripted(handler, clock=Clock(sleep=slept.append))
    with pytest.raises(IndexError):  # of the next request, which this one led to
        asking.budget()
    assert slept == [17.0, 17.0]


def test_pauses_grow_and_end(monkeypatch: pytest.MonkeyPatch) -> None:
    slept = list[float]()

    def handler(_: httpx.Request) -> httpx.Response:
        raise httpx.ReadError("gone")

    clock = Clock(now=lambda: sum(slept), sleep=slept.append, jitter=lambda: 1.0)
    with pytest.raises(Unreachable, match=r"^url: http://localhost, wanted an address at which .* answers \(gone\)$"):
        scripted(handler, patience=100.0, clock=clock).budget()
    assert slept == [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]


def test_an_ask_is_not_sent_again_to_a_service_without_keys() -> None:
    """An older service would take the same ask of a later version of the table for another question."""
    asked = list[str]()

    def handler(request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            return httpx.Response(200, json=OFFER)
        asked.append(request.url.path)
        raise httpx.ReadError("gone")

    with pytest.raises(Unreachable):
        scripted(handler, data="measles", clock=Clock(sleep=lambda _: None)).ask(ask())
    assert len(asked) == 1

    def refused(request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            return httpx.Response(200, json=OFFER)
        asked.append(request.url.path)
        return httpx.Response(504, text="gateway")

    with pytest.raises(Unreachable, match="status 504 of something else"):
        scripted(refused, data="measles", clock=Clock(sleep=lambda _: None)).ask(ask())
    assert len(asked) == 2


def test_before_it_is_sent_an_ask_may_be_tried_again() -> None:
    tried = list[int]()

    def handler(request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            return httpx.Response(200, json=OFFER)
        tried.append(1)
        if len(tried) < 3:
            raise httpx.ConnectError("refused")
        return httpx.Response(403, json={"error": {"message": "no"}})

    with pytest.raises(Refused, match=r"^no$"):
        scripted(handler, data="measles", clock=Clock(sleep=lambda _: None)).ask(ask())
    assert len(tried) == 3


def test_a_certificate_that_is_not_trusted_is_no_matter_of_time() -> None:
    slept = list[float]()

    def handler(_: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("[SSL: CERTIFICATE_VERIFY_FAILED] self-signed certificate")

    with pytest.raises(Unreachable, match="CERTIFICATE_VERIFY_FAILED"):
        scripted(handler, clock=Clock(sleep=slept.append)).budget()
    assert slept == []


def test_a_line_of_the_service_steers_no_terminal() -> None:
    wrong = {"error": {"message": "no\x1b[2Jthing", "id": "7"}}
    with pytest.raises(DaleniusError) as found:
        scripted(lambda _: httpx.Response(500, json=wrong)).budget()
    assert str(found.value) == r"no\x1b[2Jthing (request 7)"


def test_a_token_of_two_data_sets_wants_a_name() -> None:
    with pytest.raises(InputError, match=r"^data: missing, wanted one of a, b$"):
        scripted(lambda _: httpx.Response(200, json={"data": [{"name": "a"}, {"name": "b"}]})).budget()


@pytest.mark.parametrize(
    ("url", "token", "message"),
    [
        ("statistics.example.org", "dal_x", "url: statistics.example.org, wanted an address, such as https://"),
        ("ftp://example.org", "dal_x", "url: ftp://example.org, wanted an address"),
        ("http://ana:secret@example.org", "dal_x", "url: http://***@example.org, wanted an address"),
        ("http://example.org:x", "dal_x", "url: http://example.org:x, wanted an address"),
        ("https://example.org", "dal_x y", r"token: \*\*\*, wanted the text of a token, in one piece"),
        ("https://example.org", "", r"token: \*\*\*, wanted"),
    ],
)
def test_what_is_no_address_or_token(url: str, token: str, message: str) -> None:
    with pytest.raises(InputError, match=f"^{message.replace('***@', '[*]{3}@')}"):
        dl.Client(url, token)


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "httpx", None)
    with pytest.raises(InputError, match=r"wanted a package of the extra client: pip install 'dalenius\[client\]'"):
        dl.Client("https://example.org", "dal_x")
