"""Tokens of a provider: which of them are of an analyst, and how the service follows its keys."""

import hashlib
import hmac
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from joserfc.jwk import ECKey, OctKey, OKPKey, RSAKey

from dalenius.curator import SignOn
from dalenius.errors import InputError
from dalenius.server.limits import KEYS_AGAIN, KEYS_SECONDS, OLDEST_KEYS, PROVIDER_BYTES
from dalenius.server.problems import Unreachable
from dalenius.server.provider import Provider
from tests.server.provider import AUDIENCE, CLIENT, Standing, encoded, standing
from tests.server.served import ASK, Served
from tests.server.sign_on import signing_on


@pytest.fixture
def both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Served, Standing]]:
    monkeypatch.setenv("no_proxy", "*")
    with signing_on(tmp_path) as found:
        yield found


def listed(served: Served, token: str) -> Any:
    return served.client.get("/api/v1/data", headers={"Authorization": f"Bearer {token}"})


def test_an_analyst_has_every_data_set_that_names_them(both: tuple[Served, Standing]) -> None:
    served, provider = both
    assert [each["name"] for each in listed(served, provider.token()).json()["data"]] == ["measles", "mumps"]
    ana = provider.token(preferred_username="ana", sub="2")
    assert [each["name"] for each in listed(served, ana).json()["data"]] == ["measles"]
    hidden = served.client.get("/api/v1/data/mumps", headers={"Authorization": f"Bearer {ana}"})
    unknown = served.client.get("/api/v1/data/other", headers={"Authorization": f"Bearer {ana}"})
    assert hidden.status_code == unknown.status_code == 404
    assert hidden.json()["error"]["message"].replace("mumps", "other") == unknown.json()["error"]["message"]


def test_an_answer_counts_against_the_analyst_of_the_claim(both: tuple[Served, Standing]) -> None:
    served, provider = both
    headers = {"Authorization": f"Bearer {provider.token(preferred_username='ana')}"}
    answer = served.client.post("/api/v1/data/measles/ask", json=ASK, headers=headers)
    assert answer.status_code == 200
    assert served.ask().json()["repeated"]  # by the token that the service made for her
    assert served.client.get("/api/v1/ledger", headers=headers).status_code == 403
    assert {line["role"] for line in served.log if line["path"].endswith("/ask")} == {"analyst"}
    assert "preferred_username" not in served.lines.getvalue()


Changed = Callable[[Standing], str]
OTHER = RSAKey.generate_key(2048, {"kid": "first"})


def _now() -> int:
    """The time of the test, which may run a quarter of an hour after its file was read."""
    return int(time.time())


def shared(provider: Standing) -> str:
    """Signed with the public key, which everybody has, taken for a shared one."""
    header = {"alg": "HS256", "kid": provider.key.kid, "typ": "JWT"}
    unsigned = provider.by_hand(header).rpartition(".")[0]
    public = provider.key.as_pem(private=False)
    return f"{unsigned}.{encoded(hmac.digest(public, unsigned.encode(), hashlib.sha256))}"


def own_key(provider: Standing) -> str:
    """Signed with a key that the token itself names."""
    key = RSAKey.generate_key(2048, {"kid": "mine"})
    return provider.token({"jwk": key.as_dict(private=False), "kid": "mine"}, key)


def other_claims(provider: Standing) -> str:
    """The signature of another token."""
    head, _, signature = provider.token().split(".")
    return f"{head}.{encoded(json.dumps(provider.claims(preferred_username='ana')).encode())}.{signature}"


REFUSED: dict[str, Changed] = {
    "unsigned": lambda provider: provider.by_hand({"alg": "none"}),
    "unsigned in capitals": lambda provider: provider.by_hand({"alg": "NONE", "kid": "first"}),
    "no signature": lambda provider: provider.token().rpartition(".")[0] + ".",
    "public key as a secret": shared,
    "a secret of its own": lambda provider: provider.token({"alg": "HS256"}, OctKey.generate_key(256)),
    "another key": lambda provider: provider.token(key=OTHER),
    "a key that it names": own_key,
    "another curve": lambda provider: provider.token({"alg": "ES256"}, ECKey.generate_key("P-256")),
    "another signature": other_claims,
    "unknown key": lambda provider: provider.token({"kid": "nobody's"}),
    "wrong audience": lambda provider: provider.token(aud="elsewhere"),
    "audience of the pages": lambda provider: provider.token(aud=CLIENT),
    "no audience": lambda provider: provider.token(aud=None),
    "audience of a longer name": lambda provider: provider.token(aud=[f"{AUDIENCE}2"]),
    "wrong issuer": lambda provider: provider.token(iss=f"{provider.issuer}/"),
    "no issuer": lambda provider: provider.token(iss=None),
    "expired": lambda provider: provider.token(iat=_now() - 900, exp=_now() - 120),
    "never expires": lambda provider: provider.token(exp=None),
    "expiry in words": lambda provider: provider.token(exp="tomorrow"),
    "not yet valid": lambda provider: provider.token(nbf=_now() + 600),
    "of the future": lambda provider: provider.token(iat=_now() + 600, exp=_now() + 900),
    "no subject": lambda provider: provider.token(sub=None),
    "nobody of the policy": lambda provider: provider.token(preferred_username="eve"),
    "no claim": lambda provider: provider.token(preferred_username=None),
    "a claim that is a list": lambda provider: provider.token(preferred_username=["ana"]),
    "bound to a key": lambda provider: provider.token(cnf={"jkt": "0"}),
    "a token of logging out": lambda provider: provider.token({"typ": "logout+jwt"}),
    "critical header": lambda provider: provider.by_hand({"alg": "RS256", "kid": "first", "crit": ["exp"], "exp": 1}),
    "nonsense": lambda provider: "a.b.c",
    "no token": lambda provider: "",
}


@pytest.mark.parametrize("name", REFUSED)
def test_no_other_token_is_let_in(both: tuple[Served, Standing], name: str) -> None:
    served, provider = both
    assert listed(served, provider.token()).status_code == 200
    answer = listed(served, REFUSED[name](provider))
    assert answer.status_code == 401
    assert answer.json() == listed(served, "dal_unknown").json()


@pytest.mark.parametrize(
    ("key", "algorithm"),
    [
        (ECKey.generate_key("P-256", {"kid": "first"}), "ES256"),
        (OKPKey.generate_key("Ed25519", {"kid": "first"}), "Ed25519"),
        (RSAKey.generate_key(2048, {"kid": "first"}), "PS256"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_other_kinds_of_keys_sign_too(both: tuple[Served, Standing], key: Any, algorithm: str) -> None:
    served, provider = both
    provider.key, provider.algorithm = key, algorithm
    provider.publish()
    assert listed(served, provider.token()).status_code == 200


def test_clocks_may_differ_by_the_skew(both: tuple[Served, Standing]) -> None:
    served, provider = both
    now = int(time.time())
    assert listed(served, provider.token(iat=now - 400, exp=now - 40)).status_code == 200
    assert listed(served, provider.token(iat=now - 400, exp=now - 80)).status_code == 401
    assert listed(served, provider.token(nbf=now + 40)).status_code == 200
    assert listed(served, provider.token(nbf=now + 90)).status_code == 401


def test_an_email_must_be_verified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")
    with signing_on(tmp_path, claim="email") as (served, provider):
        assert listed(served, provider.token(email="ana")).status_code == 401
        assert listed(served, provider.token(email="ana", email_verified="true")).status_code == 401
        assert listed(served, provider.token(email="ana", email_verified=True)).status_code == 200


def test_a_provider_that_is_away_is_not_the_fault_of_the_token(both: tuple[Served, Standing]) -> None:
    served, provider = both
    provider.broken["/keys"] = (500, b"{}")
    answer = listed(served, provider.token())
    assert answer.status_code == 503
    assert provider.issuer not in answer.text
    assert served.get("/api/v1/data", "ana@measles").status_code == 200  # the service's own tokens go on


class Clocked:
    """A provider with a clock that a test moves."""

    def __init__(self, there: Standing, **section: Any) -> None:
        self.now, self.there = 1000.0, there
        policy = SignOn(issuer=there.issuer, audience=AUDIENCE, claim="sub", **section)
        self.provider = Provider(policy, lambda: self.now)

    def kids(self, wanted: str | None = None) -> set[str | None]:
        return {key.kid for key in self.provider.keys(wanted)}

    @property
    def fetches(self) -> int:
        return self.there.asked.count("/keys")


@pytest.fixture
def clocked(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clocked]:
    monkeypatch.setenv("no_proxy", "*")
    with standing() as there:
        yield Clocked(there)


def test_keys_are_fetched_once_and_again_when_they_change(clocked: Clocked) -> None:
    assert clocked.kids("first") == {"first"}
    clocked.now += KEYS_AGAIN + 1
    assert clocked.kids("first") == {"first"}
    assert clocked.fetches == 1
    clocked.there.rotate()
    assert clocked.kids("second") == {"second"}
    assert clocked.fetches == 2


def test_a_withdrawn_key_ends_within_ten_minutes(clocked: Clocked) -> None:
    assert clocked.kids("first") == {"first"}
    clocked.there.rotate()
    clocked.now += KEYS_SECONDS - 1
    assert clocked.kids("first") == {"first"}
    clocked.now += 1
    assert clocked.kids("first") == {"second"}


def test_invented_keys_do_not_make_it_fetch_each_time(clocked: Clocked) -> None:
    for kid in map(str, range(50)):
        clocked.kids(kid)
    assert clocked.fetches == 1
    clocked.now += KEYS_AGAIN
    clocked.kids("another")
    assert clocked.fetches == 2


def test_old_keys_go_on_for_an_hour_and_no_longer(clocked: Clocked) -> None:
    clocked.kids()
    clocked.there.broken["/keys"] = (503, b"")
    clocked.now += OLDEST_KEYS
    assert clocked.kids("first") == {"first"}
    clocked.now += 1
    with pytest.raises(Unreachable):
        clocked.kids("first")


@pytest.mark.parametrize(
    ("path", "status", "body"),
    [
        (
            "/.well-known/openid-configuration",
            200,
            b'{"issuer": "https://other.example.org", "jwks_uri": "https://other.example.org/keys"}',
        ),
        ("/.well-known/openid-configuration", 404, b"{}"),
        ("/.well-known/openid-configuration", 302, b"/keys"),
        ("/keys", 200, b"no json"),
        ("/keys", 200, b'{"keys": []}'),
        ("/keys", 200, b'{"keys": "first"}'),
        ("/keys", 200, b'{"keys": [{"kty": "oct", "k": "c2VjcmV0", "kid": "first"}]}'),
        ("/keys", 200, b'{"keys": [{"kty": "RSA", "n": "AQAB", "e": "AQAB", "kid": "first"}]}'),
        ("/keys", 200, b" " * (PROVIDER_BYTES + 1)),
    ],
)
def test_a_provider_that_says_something_else_is_not_believed(
    clocked: Clocked, path: str, status: int, body: bytes
) -> None:
    clocked.there.broken[path] = (status, body)
    with pytest.raises(Unreachable):
        clocked.kids("first")


def test_a_provider_of_another_name_is_not_believed(clocked: Clocked) -> None:
    clocked.there.document["issuer"] = f"{clocked.there.issuer}/"
    with pytest.raises(Unreachable, match="another issuer"):
        clocked.kids("first")
    assert clocked.fetches == 0


def test_keys_without_https_are_not_fetched(clocked: Clocked) -> None:
    clocked.there.document["jwks_uri"] = "http://keys.example.org/"
    with pytest.raises(Unreachable, match="HTTPS"):
        clocked.kids("first")


def test_keys_that_do_not_sign_are_passed_over(clocked: Clocked) -> None:
    public = clocked.there.published[0]
    small = RSAKey.generate_key(2048, {"kid": "wrong"}).as_dict(private=False) | {"use": "enc"}
    clocked.there.published = [{"kty": "AKP", "kid": "new"}, "text", small, public]  # type: ignore[list-item]
    assert clocked.kids("first") == {"first"}


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ({"issuer": "http://login.example.org"}, "https"),
        ({"issuer": "https://login.example.org?a=b"}, "without user"),
        ({"issuer": "file:///etc/passwd"}, "https"),
        ({"client": "pages"}, "together"),
        ({"address": "https://counts.example.org"}, "together"),
        ({"secret": "secret"}, "client"),
        ({"client": "pages", "address": "https://counts.example.org/a"}, "path"),
        ({"skew": 301}, "300"),
    ],
)
def test_a_section_that_is_not_safe_is_refused(section: dict[str, Any], said: str) -> None:
    whole = {"issuer": "https://login.example.org", "audience": "counts", "claim": "sub"} | section
    with pytest.raises((InputError, ValueError), match=said):
        SignOn(**whole)
