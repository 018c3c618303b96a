"""A stand-in of a provider of OpenID Connect: discovery, keys that change, authorization with PKCE, codes, tokens.

It is a server on the loopback address. A test may break each part of it.
"""

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import ECKey, OKPKey, RSAKey

CLIENT: Final = "dalenius-pages"
AUDIENCE: Final = "dalenius-api"
ADDRESS: Final = "http://localhost"


def encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


@dataclass
class Standing:
    """person: who signs in; broken: what each address answers instead; asked: the addresses that were asked."""

    issuer: str = ""
    address: str = ADDRESS
    key: RSAKey | ECKey | OKPKey = field(default_factory=lambda: RSAKey.generate_key(2048, {"kid": "first"}))
    algorithm: str = "RS256"
    published: list[dict[str, Any]] = field(default_factory=list)
    person: dict[str, Any] = field(default_factory=lambda: {"sub": "1", "preferred_username": "bob"})
    secret: str | None = None
    document: dict[str, Any] = field(default_factory=dict)
    broken: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    id_claims: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.publish()

    def publish(self) -> None:
        self.published = [self.key.as_dict(private=False)]

    def rotate(self, kid: str = "second") -> None:
        """Signs with a new key from now on, and publishes it alone."""
        self.key = RSAKey.generate_key(2048, {"kid": kid})
        self.publish()

    def claims(self, **changed: Any) -> dict[str, Any]:
        """An access token's; a claim that is None is left out."""
        now = int(time.time())
        whole = {"iss": self.issuer, "aud": AUDIENCE, "iat": now, "exp": now + 300, **self.person, **changed}
        return {name: value for name, value in whole.items() if value is not None}

    def token(self, header: dict[str, Any] | None = None, key: Any = None, **changed: Any) -> str:
        """A signed token, by default with the key that is published."""
        head = {"alg": self.algorithm, "kid": self.key.kid, "typ": "at+jwt"} | (header or {})
        head = {name: value for name, value in head.items() if value is not None}
        return jwt.encode(head, self.claims(**changed), key or self.key, algorithms=[head["alg"]])

    def by_hand(self, header: dict[str, Any], signature: bytes = b"", **changed: Any) -> str:
        """A token as an attacker puts it together."""
        parts = [encoded(json.dumps(part).encode()) for part in (header, self.claims(**changed))]
        return ".".join([*parts, encoded(signature)])

    def answer(self, path: str) -> dict[str, Any] | None:
        if path == "/.well-known/openid-configuration":
            return {
                "issuer": self.issuer,
                "jwks_uri": f"{self.issuer}/keys",
                "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token",
            } | self.document
        return {"keys": self.published} if path == "/keys" else None

    def authorize(self, url: str) -> str:
        """The person signs in: where their browser is sent back to."""
        asked = dict(parse_qsl(urlsplit(url).query))
        assert asked["response_type"] == "code"
        assert asked["client_id"] == CLIENT
        assert asked["redirect_uri"] == f"{self.address}/sign-on/back"
        assert asked["code_challenge_method"] == "S256"
        assert "openid" in asked["scope"].split()
        code = secrets.token_urlsafe(8)
        self.codes[code] = asked
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"

    def exchange(self, form: dict[str, str], authorization: str | None) -> tuple[int, dict[str, Any]]:
        """Tokens for a code, once, to the client that shows what the challenge was made of."""
        asked = self.codes.pop(form.get("code", ""), None)
        if self.secret is not None:
            both = base64.b64encode(f"{CLIENT}:{self.secret}".encode()).decode()
            if authorization != f"Basic {both}":
                return 401, {"error": "invalid_client"}
        if asked is None or form["redirect_uri"] != asked["redirect_uri"] or form["client_id"] != CLIENT:
            return 400, {"error": "invalid_grant"}
        if encoded(hashlib.sha256(form["code_verifier"].encode()).digest()) != asked["code_challenge"]:
            return 400, {"error": "invalid_grant"}
        said = {"aud": CLIENT, "nonce": asked["nonce"]} | self.id_claims
        return 200, {"token_type": "Bearer", "access_token": "opaque", "id_token": self.token({"typ": "JWT"}, **said)}


@contextmanager
def standing() -> Iterator[Standing]:
    """A provider, as long as the block lasts."""
    found = Standing()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path.startswith("/authorize?"):
                self._ask()
                return
            self._send(200, found.answer(self.path))

        def do_POST(self) -> None:
            form = dict(parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))
            self._send(*found.exchange(form, self.headers.get("Authorization")))

        def _ask(self) -> None:
            """A page on which the person agrees."""
            place = found.authorize(self.path)
            raw = f'<!DOCTYPE html><title>Provider</title><a href="{escape(place)}">It is me</a>'.encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def _send(self, status: int, answer: dict[str, Any] | None) -> None:
            found.asked.append(self.path)
            raw = json.dumps(answer).encode()
            status, raw = found.broken.get(self.path, (404 if answer is None else status, raw))
            self.send_response(status)
            if status in (301, 302, 307):
                self.send_header("Location", raw.decode())
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_: Any) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        found.issuer = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield found
        finally:
            server.shutdown()
            thread.join()
