"""An analyst's way: what may be asked, what it costs, the answer, and all that may go wrong."""

import re
from collections.abc import Iterator
from html import unescape

import pytest

from tests.server.web.visited import NAME, Visited, hidden, text_of

DATA = "/data/Measles%2C%20winter"
ASK = f"{DATA}/ask"


@pytest.fixture
def ana(pages: Visited) -> Iterator[Visited]:
    pages.sign_in("ana")
    yield pages
    pages.client.cookies.clear()


def described(page: str, field: str) -> str:
    """What is said of a field, by its aria-describedby."""
    found = re.search(rf'<(?:input|textarea|select)[^>]* id="{field}"[^>]*aria-describedby="([^"]*)"[^>]*>', page)
    assert found is not None
    assert 'aria-invalid="true"' in found[0]
    ids = found[1].split()
    texts = [re.search(rf'<p class="[a-z]+" id="{each}">(.*?)</p>', page, re.DOTALL) for each in ids]
    assert all(texts), ids
    return text_of(" ".join(each[1] for each in texts if each))


def test_the_data_set_says_what_may_be_asked_and_what_is_left(ana: Visited) -> None:
    found = text_of(ana.get(DATA).text)
    for said in (NAME, "Who fell ill between December and March.", "nats left", "count of ill", "mean of days"):
        assert said in found
    assert "the odds between two values change at most 7.39-fold" in found, "e squared, rounded up"
    assert "0 to 5, in steps of 1" in found


def test_the_price_is_free_and_says_what_one_wants_to_know(ana: Visited) -> None:
    before = ana.debits()
    found = ana.price(ASK)
    assert found.status_code == 200
    said = text_of(found.text)
    for wanted in ("Cost, alone 0.5 nats", "Cost, beside others at most", "Expected error ±", "95 % interval ±"):
        assert wanted in said
    assert "likely of a person they think at most 1.64 % likely afterwards" in said
    assert "Budget afterwards" in said
    assert ana.debits() == before


@pytest.mark.slow
def test_asked_once_however_often_it_is_sent(own: Visited) -> None:
    own.sign_in("ana")
    key = hidden(own.price(ASK).text, "key")
    places = {own.send(ASK, {"do": "ask", "key": key}).headers["location"] for _ in range(3)}
    assert len(places) == 1
    (place,) = places
    assert own.debits() == 1
    page = own.get(place).text
    value = re.search(r'<p class="big">(-?[\d,]+)</p>', page)
    assert value is not None
    assert re.fullmatch(r"/data/[^/?]+/answers/\d+", place)
    assert 'dalenius_debits_total{outcome="answered"} 1.0' in own.get("/metrics").text
    assert "Cost nothing: the same question has its answer already" in text_of(own.price(ASK).text)
    assert own.ask(ASK).headers["location"] == place
    assert own.debits() == 1


@pytest.mark.slow
def test_an_answer_has_its_interval_its_odds_and_its_certificate(own: Visited) -> None:
    own.sign_in("ana")
    place = own.ask(ASK).headers["location"]
    said = text_of(own.get(place).text)
    assert re.search(r"95 % interval: (at most |at least )?-?[\d,]+", said)
    assert "By this answer alone: the odds between two values change at most 1.649-fold" in said
    for wanted in ("Certificate", "Rests on", "who lives with whom is public", "In the ledger entry", "hash"):
        assert wanted in said
    history = text_of(own.get(f"{DATA}/answers").text)
    assert "ill: how many records are 1" in history
    assert "By all answers" not in said, "there are no others"
    second = own.ask(ASK, measure="days", kind="mean", epsilon="0.1").headers["location"]
    assert "By all answers of these data so far: the odds between two values" in text_of(own.get(second).text)
    several = own.ask(ASK, per_label="yes", epsilon="0.1").headers["location"]
    table = text_of(own.get(several).text)
    assert all(label in table for label in ("Harbour", "Hill", "Mill"))


def test_what_is_wrong_is_said_at_its_field(ana: Visited) -> None:
    several, noise = {"kind": "several"}, {"by": "noise", "noise": "laplace"}
    for fields, field, said in (
        ({"epsilon": ""}, "epsilon", "say how much privacy to spend: a number above 0"),
        ({"epsilon": "0,5"}, "epsilon", "with a point, not a comma"),
        ({"epsilon": "-1"}, "epsilon", "“-1” was given; wanted: a finite number above 0"),
        ({"confidence": "100"}, "confidence", "“100” is not a number of per cent above 0 and below 100"),
        ({"values": "1,,2"}, "values", "none of them blank"),
        ({"values": "7"}, "values", "“7” was given; wanted: a value some record can have"),
        ({"labels": "Valley"}, "labels", "“Valley” was given; wanted: one of the people's labels"),
        ({"values": "1" * 5000}, "values", "at most 4000 characters"),
        (several | {"q1-kind": ""}, "q1-kind", "choose what is asked"),
        (several | {"q1-kind": "several"}, "q1-kind", "“several” is none of the kinds that this form can ask"),
        (several | {"q1-kind": "count", "q1-values": "7"}, "q1-values", "wanted: a value some record can have"),
        (several | {"q1-kind": "histogram", "q1-cells": "0\n0"}, "q1-cells", "wanted: cells of at least one"),
        (noise, "scale", "say how much noise to add: a number above 0, such as 4"),
        (noise | {"noise": "", "scale": "4"}, "noise", "choose a kind: a scale is one of some noise"),
        (noise | {"scale": "0.1"}, "scale", "Laplace noise of scale 0.1 leaks 12.7431 nats (inferential), the promise"),
        (noise | {"noise": "nonsense", "scale": "4"}, "noise", "“nonsense” was given; wanted: "),
    ):
        found = ana.price(ASK, **fields)
        assert found.status_code in (403, 422)
        assert said in described(found.text, field)
        assert f'<a href="#{field}">' in found.text, "and above the form, with a way to it"
        assert "<title>Error: " in found.text
    page = ana.price(ASK, epsilon="x", confidence='"1', values=",").text
    for field in ("epsilon", "confidence", "values"):
        assert "is not" in described(page, field), "all that is wrong is said at once"
    assert 'name="confidence" value="&#34;1"' in page, "nothing has to be written again"


def test_one_s_own_noise(own: Visited) -> None:
    own.sign_in("ana")
    found = text_of(own.price(ASK, by="noise", noise="laplace", scale="4").text)
    assert "Noise laplace" in found
    place = own.ask(ASK, by="noise", noise="geometric", scale="6").headers["location"]
    assert '"kind": "geometric"' in unescape(own.get(place).text)
    assert '"scale": 6.0' in unescape(own.get(place).text)
    found = text_of(own.price(ASK, by="within", within="40", noise="geometric").text)
    assert "Noise geometric" in found
    chosen = own.price(ASK, epsilon="0.5", noise="gaussian")
    assert "Noise gaussian" in text_of(chosen.text) or chosen.status_code == 422


def test_an_answer_that_the_model_does_not_expect_says_so(own: Visited, monkeypatch: pytest.MonkeyPatch) -> None:
    own.sign_in("ana")
    monkeypatch.setattr("dalenius.noise.Geometric.draw", lambda *_: (900,))
    place = own.ask(ASK, by="noise", noise="geometric", scale="6").headers["location"]
    assert "The model does not expect this answer" in text_of(own.get(place).text)
    monkeypatch.setattr("dalenius.noise.Geometric.draw", lambda *_: (9,))
    place = own.ask(ASK, by="noise", noise="geometric", scale="7").headers["location"]
    assert "The model does not expect" not in text_of(own.get(place).text)


def test_too_much_is_said_with_what_is_left(ana: Visited) -> None:
    found = ana.price(ASK, epsilon="5")
    assert found.status_code in (402, 403)
    assert "budget" in described(found.text, "epsilon") or "cap" in described(found.text, "epsilon")
    assert "nats" in described(found.text, "epsilon")


def test_what_is_shown_is_never_markup(ana: Visited) -> None:
    bad = "<script>alert(1)</script>"
    for fields in ({"epsilon": bad}, {"values": bad}, {"measure": bad}, {"kind": bad}, {"labels": f'"{bad}"'}):
        assert bad not in ana.price(ASK, **fields).text
    assert bad not in ana.get(f"{ASK}?measure={bad}&kind={bad}").text
    assert bad not in ana.get(f"/data/{bad}").text


def test_no_other_data_set_and_no_other_role(ana: Visited) -> None:
    assert ana.get("/data/mumps").status_code == 404
    assert text_of(ana.get("/data/mumps").text) == text_of(ana.get("/data/none").text)
    for place in ("/ledger", "/exposed", "/promises"):
        assert ana.get(place).status_code == 403
    ana.sign_in("olga")
    assert ana.get(DATA).status_code == 403
    assert ana.get(ASK).status_code == 403


def test_a_kind_that_may_not_be_asked_is_refused_however_it_is_sent(pages: Visited) -> None:
    pages.sign_in("bob")
    found = pages.price(ASK, kind="histogram", cells="0\n1")
    assert found.status_code == 403
    assert "a kind that may be asked" in text_of(found.text)
    found = pages.price(ASK, measure="days", kind="count")
    assert found.status_code == 422
    assert "“days” was given; wanted: one of ill" in described(found.text, "measure")
    assert pages.price(ASK, kind="nonsense").status_code == 422


@pytest.mark.slow
def test_what_others_spend_between_price_and_ask_is_counted(own: Visited) -> None:
    own.sign_in("ana")
    key = hidden(own.price(ASK, epsilon="1.2").text, "key")
    cookie = own.client.cookies["dalenius"]
    own.client.cookies.clear()
    own.sign_in("bob")
    own.ask(ASK, epsilon="1.1")
    own.client.cookies.clear()
    own.client.cookies.set("dalenius", cookie)
    found = own.send(ASK, {"do": "ask", "key": key})
    assert found.status_code == 402
    assert "nats" in described(found.text, "epsilon")
    assert 'value="1.2"' in found.text, "the form is as it was"
    assert own.debits() == 1


def test_what_fails_on_the_data_is_paid_for_and_says_nothing(own: Visited, monkeypatch: pytest.MonkeyPatch) -> None:
    own.sign_in("ana")

    def fail(*_: object) -> None:
        raise ValueError("row 17 holds a secret")

    monkeypatch.setattr("dalenius.curator.policy.Opened.answer", fail)
    key = hidden(own.price(ASK).text, "key")
    for _ in range(2):
        found = own.send(ASK, {"do": "ask", "key": key})
        assert found.status_code == 502
        assert "it is paid for" in text_of(found.text)
        assert "secret" not in found.text
    assert own.debits() == 1
    assert "failed, though it was paid for" in text_of(own.get(f"{DATA}/answers").text)
    assert "secret" not in own.log.getvalue()


def test_nothing_is_asked_without_the_form(own: Visited) -> None:
    own.sign_in("ana")
    key = hidden(own.price(ASK).text, "key")
    assert own.client.post(ASK, data={"do": "ask", "key": key}).status_code == 403
    assert own.client.post(ASK, data={"do": "ask", "key": key, "csrf": "x"}).status_code == 403
    assert own.send(ASK, {"do": "ask", "key": "made-up"}).status_code == 409
    assert own.send(ASK, {"do": "ask"}).status_code == 409
    assert own.debits() == 0
    csrf = hidden(own.get(ASK).text, "csrf")
    own.client.cookies.clear()
    own.sign_in("bob")
    assert own.send(ASK, {"do": "ask", "key": key}).status_code == 409, "the price was another's"
    assert own.client.post(ASK, data={"do": "ask", "key": key, "csrf": csrf}).status_code == 403
    assert own.debits() == 0


def test_what_is_no_form_is_refused(ana: Visited) -> None:
    csrf = hidden(ana.get(ASK).text, "csrf")
    many = {f"x{n}": "1" for n in range(200)}
    assert ana.client.post(ASK, data=many | {"csrf": csrf}).status_code in (400, 403)
    assert ana.client.post(ASK, json={"csrf": csrf}).status_code == 403
    assert ana.client.post(ASK, files={"csrf": ("a", b"x")}).status_code in (400, 403)
    assert ana.client.post(ASK, data={"csrf": csrf, "values": "\0"}).status_code == 400
    assert ana.client.post(ASK, content=b"\xff" * 100_000).status_code == 413
    assert ana.client.delete(ASK).status_code == 405
