"""Signing in on the pages at a provider, with the authorization code flow and PKCE."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from joserfc.jwk import RSAKey

from dalenius.server.browser_sessions import Visits
from dalenius.server.limits import SIGN_ON_SECONDS, SIGN_ONS
from dalenius.server.sign_on_pages import SignOns
from dalenius.server.tokens import Role, Token, Tokens
from tests.server.provider import CLIENT, Standing
from tests.server.served import Served
from tests.server.sign_on import signing_on


@pytest.fixture
def both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Served, Standing]]:
    monkeypatch.setenv("no_proxy", "*")
    with signing_on(tmp_path) as found:
        found[0].client.follow_redirects = False
        yield found


def back(served: Served, provider: Standing) -> str:
    """Begins a sign-on, and signs in at the provider: where the browser is sent back to."""
    away = served.client.get("/sign-on")
    assert away.status_code == 303
    assert away.headers["location"].startswith(f"{provider.issuer}/authorize?")
    (set_cookie,) = away.headers.get_list("set-cookie")
    assert "SameSite=lax" in set_cookie
    assert "HttpOnly" in set_cookie
    return provider.authorize(away.headers["location"])


def test_the_way_in_and_out(both: tuple[Served, Standing]) -> None:
    served, provider = both
    assert 'href="/sign-on"' in served.client.get("/login").text
    arrived = served.client.get(back(served, provider))
    assert arrived.status_code == 200  # no redirect: a strict cookie would not go with it
    assert '<meta http-equiv="refresh" content="0; url=/">' in arrived.text
    assert any("dalenius=" in each and "SameSite=strict" in each for each in arrived.headers.get_list("set-cookie"))
    assert served.client.get("/").headers["location"] == "/data/measles"
    page = served.client.get("/data/mumps").text
    assert "bob, analyst" in page
    assert "Ask measles" in page
    csrf = page.partition('name="csrf" value="')[2].partition('"')[0]
    assert served.client.post("/logout", data={"csrf": csrf}).headers["location"] == "/login"
    assert served.client.get("/data/mumps").headers["location"] == "/login"


def test_a_person_of_one_data_set_sees_one(both: tuple[Served, Standing]) -> None:
    served, provider = both
    provider.person = {"sub": "2", "preferred_username": "ana"}
    served.client.get(back(served, provider))
    assert "Ask measles" not in served.client.get("/data/measles").text
    assert served.client.get("/data/mumps").status_code == 404


def test_words_are_new_each_time_and_the_verifier_stays_here(both: tuple[Served, Standing]) -> None:
    served, _ = both
    one, other = (dict(parse_qsl(urlsplit(served.client.get("/sign-on").headers["location"]).query)) for _ in range(2))
    for name in ("state", "nonce", "code_challenge"):
        assert len(one[name]) == 43
        assert one[name] != other[name]
    assert "code_verifier" not in one


def test_a_code_is_of_the_browser_that_asked_for_it(both: tuple[Served, Standing]) -> None:
    served, provider = both
    place = back(served, provider)
    served.client.cookies.clear()
    assert served.client.get(place).status_code == 403  # another browser, without the cookie
    mine = back(served, provider)
    state = mine.rpartition("state=")[2]
    theirs = place.rpartition("state=")[0] + f"state={state}"
    assert served.client.get(theirs).status_code == 403  # a code with another challenge
    assert served.client.get(mine).status_code == 403  # and what the browser had is used


def test_a_state_of_somebody_else_ends_the_sign_on(both: tuple[Served, Standing]) -> None:
    served, provider = both
    place = back(served, provider)
    assert served.client.get(place.rpartition("state=")[0] + "state=another").status_code == 403
    assert served.client.get(place).status_code == 403
    assert "/token" not in provider.asked


def test_a_code_counts_once(both: tuple[Served, Standing]) -> None:
    served, provider = both
    place = back(served, provider)
    assert served.client.get(place).status_code == 200
    assert served.client.get(place).status_code == 403


@pytest.mark.parametrize(
    "wrong",
    [
        {"nonce": "another"},
        {"nonce": None},
        {"aud": "another-client"},
        {"aud": [CLIENT, "another-client"]},
        {"azp": "another-client"},
        {"iss": "https://other.example.org"},
        {"exp": 1},
        {"preferred_username": "eve"},
    ],
    ids=str,
)
def test_an_id_token_that_is_not_of_this_sign_on_is_refused(
    both: tuple[Served, Standing], wrong: dict[str, Any]
) -> None:
    served, provider = both
    provider.id_claims = wrong
    assert served.client.get(back(served, provider)).status_code == 403
    assert served.client.get("/").headers["location"] == "/login"


def test_several_audiences_name_the_client(both: tuple[Served, Standing]) -> None:
    served, provider = both
    provider.id_claims = {"aud": [CLIENT, "another-client"], "azp": CLIENT}
    assert served.client.get(back(served, provider)).status_code == 200


def test_an_id_token_signed_by_another_key_is_refused(both: tuple[Served, Standing]) -> None:
    served, provider = both
    provider.key = RSAKey.generate_key(2048, {"kid": "first"})  # which is not published
    assert served.client.get(back(served, provider)).status_code == 403


def test_what_the_provider_refuses_is_a_page(both: tuple[Served, Standing]) -> None:
    served, provider = both
    state = back(served, provider).rpartition("state=")[2]
    refused = served.client.get(f"/sign-on/back?error=access_denied&state={state}")
    assert refused.status_code == 403
    assert "<html" in refused.text
    assert served.client.get("/sign-on/back").status_code == 403


def test_a_code_of_another_issuer_is_not_sent_on(both: tuple[Served, Standing]) -> None:
    served, provider = both
    assert served.client.get(back(served, provider) + "&iss=https://other.example.org").status_code == 403
    assert "/token" not in provider.asked
    assert served.client.get(back(served, provider) + f"&iss={provider.issuer}").status_code == 200


def test_an_issuer_that_always_says_who_it_is_must_say_so(both: tuple[Served, Standing]) -> None:
    served, provider = both
    provider.document["authorization_response_iss_parameter_supported"] = True
    assert served.client.get(back(served, provider)).status_code == 403


def test_a_client_with_a_secret_shows_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")
    with signing_on(tmp_path, secret="open sesame") as (served, provider):
        provider.secret = "open%20sesame"  # as RFC 6749 §2.3.1 writes it
        assert served.client.get(back_of(served, provider)).status_code == 200
        provider.secret = "another"
        assert served.client.get(back_of(served, provider)).status_code == 403


def back_of(served: Served, provider: Standing) -> str:
    served.client.follow_redirects = False
    return back(served, provider)


def test_without_a_client_there_is_no_such_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")
    with signing_on(tmp_path, client=None, address=None) as (served, provider):
        assert "/sign-on" not in served.client.get("/login").text
        assert served.client.get("/sign-on").status_code == 404
        answer = served.client.get("/api/v1/data", headers={"Authorization": f"Bearer {provider.token()}"})
        assert answer.status_code == 200


def test_a_provider_that_is_away_is_said_on_a_page(both: tuple[Served, Standing]) -> None:
    served, provider = both
    provider.broken["/.well-known/openid-configuration"] = (500, b"{}")
    answer = served.client.get("/sign-on")
    assert answer.status_code == 503
    assert "cannot be reached" in answer.text


def test_who_is_too_long_at_the_provider_begins_again() -> None:
    now = 0.0
    away = SignOns(lambda: now)
    late, _ = away.begin()
    now = SIGN_ON_SECONDS + 1.0
    assert away.end(late) is None
    for _ in range(3):
        text, started = away.begin()
        assert away.end(text) == started
        assert away.end(text) is None


def test_the_oldest_begins_again_where_there_are_too_many() -> None:
    away = SignOns(lambda: 0.0)
    first, second = away.begin()[0], away.begin()[0]
    for _ in range(SIGN_ONS - 1):
        away.begin()
    assert away.end(first) is None
    assert away.end(second) is not None


def test_a_visit_ends_with_the_rights_that_it_began_with(tmp_path: Path) -> None:
    from time import time

    visits = Visits(Tokens(tmp_path / "tokens"))
    going = Token("0" * 12, Role.analyst, "bob", "*", 0.0, time() + 60, signed_on=("measles",))
    ended = Token("0" * 12, Role.analyst, "bob", "*", 0.0, time() - 1, signed_on=("measles",))
    assert visits.find(visits.begin_for(going)) is not None
    assert visits.find(visits.begin_for(ended)) is None
