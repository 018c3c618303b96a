"""An analyst's way: what may be asked, what it costs, the answer, and all that may go wrong."""

import json
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
    found = found or re.search(rf'<(?:input|textarea|select) id="{field}"[^>]*aria-describedby="([^"]*)"[^>]*>', page)
    assert found is not None
    assert 'aria-invalid="true"' in found[0]
    ids = found[1].split()
    texts = [re.search(rf'<p class="[a-z]+" id="{each}">(.*?)</p>', page, re.DOTALL) for each in ids]
    assert all(texts), ids
    return text_of(" ".join(each[1] for each in texts if each))


def test_the_data_set_says_what_may_be_asked_and_what_is_left(ana: Visited) -> None:
    found = text_of(ana.get(DATA).text)
    for said in (
        NAME,
        "Who fell ill between December and March.",
        "nats left",
        "count of ill",
        "mean of days",
        "any kind of sick",
    ):
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
    assert "The odds between two values change at most 1.649-fold, a chance of 1 % stays at or below 1.64 %." in said
    assert "Budget afterwards" in said
    assert ana.debits() == before


def test_the_link_of_a_kind_fills_the_form(ana: Visited) -> None:
    links = re.findall(r'href="([^"]*/ask\?[^"]*)"', ana.get(DATA).text)
    assert len(links) == 7
    found = ana.get(unescape(links[1])).text
    assert '<input type="radio" id="kind-histogram" name="kind" value="histogram" checked>' in found
    assert '{"kind": "several"}</textarea>' in unescape(ana.get(unescape(links[2])).text), "too much to tick"


@pytest.mark.slow
def test_asked_once_however_often_it_is_sent(own: Visited) -> None:
    own.sign_in("ana")
    asked = hidden(own.price(ASK).text, "ask")
    places = {own.send(ASK, {"do": "ask", "ask": asked}).headers["location"] for _ in range(3)}
    assert len(places) == 1
    (place,) = places
    assert own.debits() == 1
    page = own.get(place).text
    value = re.search(r'<p class="big">(-?[\d,]+)</p>', page)
    assert value is not None
    assert re.fullmatch(r"/data/[^/?]+/answers/\d+", place)
    assert "Cost nothing: the same question has its answer already" in text_of(own.price(ASK).text)
    assert own.ask(ASK).headers["location"] == place
    assert own.debits() == 1


@pytest.mark.slow
def test_an_answer_has_its_interval_and_its_certificate(own: Visited) -> None:
    own.sign_in("ana")
    place = own.ask(ASK).headers["location"]
    said = text_of(own.get(place).text)
    assert re.search(r"95 % interval: (at most |at least )?-?[\d,]+", said)
    assert "the odds between two values change at most 1.649-fold" in said
    for wanted in ("Certificate", "Rests on", "who lives with whom is public", "In the ledger entry", "hash"):
        assert wanted in said
    assert "ill: how many records are 1" in text_of(own.get(DATA).text)
    own.ask(ASK, measure="days", query='{"kind": "mean"}', epsilon="0.1")
    assert "one more release of these data since; all together" in text_of(own.get(place).text)
    several = own.ask(ASK, query='{"kind": "count", "per_label": true}', epsilon="0.1").headers["location"]
    table = text_of(own.get(several).text)
    assert all(label in table for label in ("Harbour", "Hill", "Mill"))


def test_an_answer_is_shown_with_the_confidence_that_was_wanted(own: Visited) -> None:
    own.sign_in("ana")
    place = own.ask(ASK).headers["location"]
    wider, again = own.ask(ASK, confidence="0.999"), own.ask(ASK)
    assert wider.status_code == 200
    assert "99.9 % interval" in text_of(wider.text)
    assert "95 % interval" not in text_of(wider.text)
    value = re.search(r'<p class="big">(-?[\d,]+)</p>', wider.text)
    assert value is not None
    assert value[0] in own.get(place).text
    assert again.headers["location"] == place
    assert "95 % interval" in text_of(own.get(place).text)
    assert own.debits() == 1


def test_what_is_wrong_is_said_at_its_field(ana: Visited) -> None:
    for fields, field, said in (
        ({"epsilon": "0,5"}, "epsilon", "with a point, not a comma"),
        ({"epsilon": "-1"}, "epsilon", "-1, wanted a number of at least 1e-06"),
        ({"confidence": "95"}, "confidence", "95.0, wanted a number above 0 and below 1"),
        ({"query": "count"}, "query", "Query: count, wanted JSON"),
        ({"query": '{"kind": "count", "kind": "sum"}'}, "query", "wanted each key once"),
        ({"query": '{"kind": "count", "values": [7]}'}, "query", "wanted a value some record can have"),
        ({"query": '{"kind": "count", "labels": ["Valley"]}'}, "query", "wanted one of the people's labels"),
        ({"query": '{"kind": "histogram", "cells": [[0], [0]]}'}, "query", "wanted cells of at least one"),
        ({"epsilon": "", "noise": '{"kind": "nonsense", "scale": 4}'}, "noise", "nonsense, wanted "),
    ):
        found = ana.price(ASK, **fields)
        assert found.status_code in (403, 422), fields
        assert said in described(found.text, field)
        assert f'<a href="#{field}">' in found.text, "and above the form, with a way to it"
        assert "<title>Error: " in found.text
    for fields, said in (
        ({"epsilon": ""}, "wanted exactly one of epsilon, within, and noise with its scale"),
        ({"epsilon": "", "noise": '{"kind": "laplace", "scale": 0.1}'}, "Laplace noise of scale 0.1 leaks 12.7431"),
        ({"epsilon": "5"}, "budget"),
    ):
        found = ana.price(ASK, **fields)
        assert said in text_of(found.text).split("Your question")[0]
    page = ana.price(ASK, epsilon="x", confidence='"1').text
    assert 'name="confidence" type="text" value="&#34;1"' in page, "nothing has to be written again"


def test_one_s_own_noise(own: Visited) -> None:
    own.sign_in("ana")
    noise = {"kind": "geometric", "scale": 6}
    assert "Noise geometric, scale 6" in text_of(own.price(ASK, epsilon="", noise=json.dumps(noise)).text)
    place = own.ask(ASK, epsilon="", noise=json.dumps(noise)).headers["location"]
    shown = unescape(own.get(place).text)
    assert '"kind": "geometric"' in shown
    assert '"scale": 6.0' in shown
    assert "geometric" in text_of(own.price(ASK, epsilon="", within="40", noise='{"kind": "geometric"}').text)


def test_an_answer_that_the_model_does_not_expect_says_so(own: Visited, monkeypatch: pytest.MonkeyPatch) -> None:
    own.sign_in("ana")
    for drawn, scale in ((900, 6), (9, 7)):
        monkeypatch.setattr("dalenius.noise.Geometric.draw", lambda *_, drawn=drawn: (drawn,))
        noise = f'{{"kind": "geometric", "scale": {scale}}}'
        place = own.ask(ASK, epsilon="", noise=noise).headers["location"]
        assert ("The model does not expect this answer" in text_of(own.get(place).text)) == (drawn == 900)


def test_what_is_shown_is_never_markup(ana: Visited) -> None:
    bad = "<script>alert(1)</script>"
    for fields in ({"epsilon": bad}, {"query": bad}, {"measure": bad}, {"noise": f'{{"kind": "{bad}"}}'}):
        assert bad not in ana.price(ASK, **fields).text
    assert bad not in ana.get(f"{ASK}?measure={bad}&query={bad}").text
    assert bad not in ana.get(f"/data/{bad}").text


def test_no_other_data_set_and_no_other_role(ana: Visited) -> None:
    assert ana.get("/data/mumps").status_code == 404
    assert text_of(ana.get("/data/mumps").text) == text_of(ana.get("/data/none").text)
    assert ana.get("/ledger").status_code == 403
    ana.sign_in("olga")
    assert ana.get(DATA).status_code == 403
    assert ana.get(ASK).status_code == 403


def test_a_kind_that_may_not_be_asked_is_refused_however_it_is_sent(pages: Visited) -> None:
    pages.sign_in("bob")
    histogram = '{"kind": "histogram", "cells": [[0], [1]]}'
    found = pages.price(ASK, query=histogram)
    assert found.status_code == 403
    assert "a kind that may be asked" in described(found.text, "query")
    asked = json.dumps({"measure": "ill", "query": json.loads(histogram), "epsilon": 0.1})
    assert pages.send(ASK, {"do": "ask", "ask": asked}).status_code == 403
    found = pages.price(ASK, measure="days")
    assert found.status_code == 422
    assert "days, wanted one of ill" in described(found.text, "measure")
    assert pages.price(ASK, query='{"kind": "nonsense"}').status_code == 422


def test_nothing_is_asked_without_the_form(own: Visited) -> None:
    own.sign_in("ana")
    asked = hidden(own.price(ASK).text, "ask")
    assert own.client.post(ASK, data={"do": "ask", "ask": asked}).status_code == 403
    assert own.client.post(ASK, data={"do": "ask", "ask": asked, "csrf": "x"}).status_code == 403
    for broken in ("made-up", "", "[]", '{"measure": "ill"}'):
        assert own.send(ASK, {"do": "ask", "ask": broken}).status_code == 409
    csrf = hidden(own.get(ASK).text, "csrf")
    own.client.cookies.clear()
    own.sign_in("bob")
    assert own.client.post(ASK, data={"do": "ask", "ask": asked, "csrf": csrf}).status_code == 403
    assert own.debits() == 0


def test_what_is_no_form_is_refused(ana: Visited) -> None:
    csrf = hidden(ana.get(ASK).text, "csrf")
    many = {f"x{n}": "1" for n in range(600)}
    assert ana.client.post(ASK, data=many | {"csrf": csrf}).status_code == 400
    assert ana.client.post(ASK, json={"csrf": csrf}).status_code == 403
    assert ana.client.post(ASK, files={"csrf": ("a", b"x")}).status_code in (400, 403)
    assert ana.client.post(ASK, data={"csrf": csrf, "query": "\0"}).status_code == 400
    assert ana.client.post(ASK, content=b"\xff" * 1000).status_code == 400
    assert ana.client.post(ASK, content=b"\xff" * 100_000).status_code == 413
    assert ana.client.delete(ASK).status_code == 405
