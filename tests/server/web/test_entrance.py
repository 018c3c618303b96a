"""Who gets in, how they stay, and how they leave."""

from starlette.testclient import TestClient

from tests.server.web.visited import Visited, text_of

PLACES = ("/", "/ledger", "/data/mumps", "/data/mumps/ask", "/data/mumps/answers/1")


def test_nobody_sees_anything_before_signing_in(own: Visited) -> None:
    for place in PLACES:
        found = own.get(place)
        assert (found.status_code, found.headers["location"]) == (303, "/login")


def test_everybody_begins_where_their_work_is(own: Visited) -> None:
    for who, where in (("ana", "/data/Measles%2C%20winter"), ("olga", "/ledger"), ("otto", "/ledger")):
        assert own.sign_in(who).headers["location"] == "/"
        assert own.get("/").headers["location"] == where


def test_the_cookie_is_random_and_of_this_site_alone(own: Visited) -> None:
    cookies = []
    for _ in range(2):
        cookie = next(
            each for each in own.sign_in("ana").headers.get_list("set-cookie") if each.startswith("dalenius=")
        )
        name, *attributes = cookie.split("; ")
        assert {each.lower() for each in attributes} == {"httponly", "path=/", "samesite=strict"}
        assert len(name) >= 50
        assert own.tokens["ana"] not in cookie
        cookies.append(name)
    assert cookies[0] != cookies[1]


def test_over_https_the_cookies_are_of_this_host_and_for_https_alone(own: Visited) -> None:
    """A browser takes a `__Host-` cookie with these terms only: neither another host nor plain HTTP can set one."""
    own.client = TestClient(own.app, base_url="https://localhost")
    form = own.get("/login").headers.get_list("set-cookie")
    set_ = [*form, *own.sign_in("ana").headers.get_list("set-cookie")]
    assert [each.partition("=")[0] for each in set_] == [
        f"__Host-dalenius{each}" for each in ("-before", "", "-before")
    ]
    assert all("; Secure" in each and "; Path=/" in each and "Domain" not in each for each in set_)
    assert own.get("/").headers["location"] != "/login"
    own.client.cookies.clear()
    own.client.cookies.set("dalenius", "chosen")
    assert own.get("/").headers["location"] == "/login"


def test_a_cookie_from_before_is_no_visit(own: Visited) -> None:
    """Whoever puts a cookie into somebody's browser is not signed in by their signing in."""
    own.client.cookies.set("dalenius", "chosen")
    own.sign_in("ana")
    own.client.cookies.clear()
    own.client.cookies.set("dalenius", "chosen")
    assert own.get("/ledger").headers["location"] == "/login?ended=1"


def test_a_wrong_token_is_refused_at_its_field(own: Visited) -> None:
    for token in ("dal_nonsense", "dal_" + "a" * 12 + "_" + "b" * 43, "x" * 3000, "ä", "' OR 1=1 --"):
        found = own.send("/login", {"token": token})
        assert found.status_code == 401
        assert "This is no valid token" in text_of(found.text)
        assert 'aria-describedby="token-hint token-fault" aria-invalid="true"' in found.text
        assert token not in found.text
        assert own.get("/").headers["location"] == "/login"
    assert own.send("/login", {"token": f"  {own.tokens['ana']}\n"}).status_code == 303, "blanks do no harm"


def test_a_form_of_signing_in_is_ours(own: Visited) -> None:
    token = own.tokens["ana"]
    assert own.client.post("/login", data={"token": token}).status_code == 403
    assert own.client.post("/login", data={"token": token, "csrf": "0" * 64}).status_code == 403
    elsewhere = own.client.post("/login", data={"token": token}, headers={"Sec-Fetch-Site": "cross-site"})
    assert elsewhere.status_code == 403
    assert "another site" in text_of(elsewhere.text)
    assert own.get("/").headers["location"] == "/login"


def test_signing_out_ends_the_visit(own: Visited) -> None:
    own.sign_in("olga")
    cookie = own.client.cookies["dalenius"]
    assert own.client.post("/logout", data={"csrf": "x"}).status_code == 403
    assert own.get("/ledger").status_code == 200
    found = own.send("/logout", {}, page="/ledger")
    assert (found.status_code, found.headers["location"]) == (303, "/login")
    own.client.cookies.set("dalenius", cookie)
    assert own.get("/ledger").headers["location"] == "/login?ended=1"
    assert "Your visit has ended" in text_of(own.get("/login?ended=1").text)


def test_a_revoked_token_ends_its_visits(own: Visited) -> None:
    own.sign_in("olga")
    assert own.get("/ledger").status_code == 200
    (found,) = (each for each in own.made.all() if each.name == "olga")
    own.made.revoke(found.id)
    assert own.get("/ledger").status_code == 303


def test_somebody_whom_the_policy_does_not_know_is_told(own: Visited) -> None:
    own.sign_in("zoe")
    found = own.client.get("/")
    assert found.status_code == 403
    assert "zoe" in text_of(found.text)


def test_too_many_tries_are_stopped(own: Visited) -> None:
    own.app.state.serving.rates = type(own.app.state.serving.rates)(3)
    tries = [own.send("/login", {"token": f"dal_{n}"}).status_code for n in range(5)]
    assert tries == [401, 401, 401, 429, 429]


def test_every_page_says_that_nothing_comes_from_elsewhere(own: Visited) -> None:
    own.sign_in("ana")
    for place in ("/login", "/data/Measles%2C%20winter", "/data/none", "/ledger"):
        headers = own.get(place).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["content-security-policy"].startswith("default-src 'self';")
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["cache-control"] == "no-store"


def test_no_token_and_no_field_is_in_the_log(own: Visited) -> None:
    own.sign_in("ana")
    own.price("/data/Measles%2C%20winter/ask", query='{"kind": "count", "values": [7777]}')
    log = own.log.getvalue()
    assert own.tokens["ana"] not in log
    assert "7777" not in log
    assert own.client.cookies["dalenius"] not in log
