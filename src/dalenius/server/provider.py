"""The provider of OpenID Connect: where it is asked, and its keys, which are fetched and kept.

Its document of discovery says where the keys are. They are fetched with the first token, and again after ten minutes,
or at once for a token whose key is unknown: so the service follows when the provider changes its keys. Tokens of
invented keys make it fetch at most once in ten seconds.
"""

from collections.abc import Callable, Mapping
from threading import Lock
from time import monotonic
from typing import Any, Final, final
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener

from joserfc.errors import JoseError
from joserfc.jwk import ECKey, Key, KeySet, OKPKey, RSAKey

from dalenius.curator import SignOn, is_private
from dalenius.server.json_values import NotJson, parsed
from dalenius.server.limits import KEYS_AGAIN, KEYS_SECONDS, OLDEST_KEYS, PROVIDER_BYTES, PROVIDER_SECONDS
from dalenius.server.problems import Unreachable

# Public keys only: with a key that both sides share (`oct`) a published key could be taken for a shared one.
_KINDS: Final[Mapping[str, type[RSAKey] | type[ECKey] | type[OKPKey]]] = {"RSA": RSAKey, "EC": ECKey, "OKP": OKPKey}
_SMALLEST_RSA: Final = 2048
_WELL_KNOWN: Final = "/.well-known/openid-configuration"


class _NoRedirects(HTTPRedirectHandler):
    """Follows nowhere: the keys and the secret belong to the addresses that the provider itself names."""

    def redirect_request(self, *_: Any) -> None:
        """Makes a redirect an error."""


Fetch = Callable[[str, bytes | None, Mapping[str, str]], tuple[int, dict[str, Any]]]


def fetched(url: str, form: bytes | None, headers: Mapping[str, str]) -> tuple[int, dict[str, Any]]:
    """Returns status and JSON of what `url` answers; Unreachable where it is none, too long, too late, or elsewhere.

    Args:
        url: The address.
        form: The body to send; None to get.
        headers: Beside those of every request.
    """
    if not is_private(url):
        raise Unreachable(f"the provider names an address without HTTPS: {url}")
    request = Request(url, form, {"Accept": "application/json", **headers})
    begun = monotonic()
    try:
        with build_opener(_NoRedirects).open(request, timeout=PROVIDER_SECONDS) as answer:
            status, raw = answer.status, _read(answer, begun)
    except HTTPError as error:
        with error:
            status, raw = error.code, b"{}"
    except OSError as error:
        raise Unreachable(f"{url} does not answer ({type(error).__name__})") from None
    try:
        return status, parsed(raw)
    except NotJson:
        raise Unreachable(f"{url} answers what is no object of JSON") from None


def _read(answer: Any, begun: float) -> bytes:
    """Returns the body; Unreachable where it is longer or slower than is allowed."""
    found = b""
    while piece := answer.read1(65_536):
        found += piece
        if len(found) > PROVIDER_BYTES or monotonic() - begun > PROVIDER_SECONDS:
            raise Unreachable(f"the provider's answer is too long ({PROVIDER_BYTES.said}) or too slow")
    return found


@final
class Provider:
    """A provider, its addresses and keys. Safe for threads."""

    def __init__(self, policy: SignOn, clock: Callable[[], float] = monotonic, fetch: Fetch = fetched) -> None:
        self.policy = policy
        self._clock, self._fetch, self._lock = clock, fetch, Lock()
        self._document: dict[str, Any] = {}
        self._keys: KeySet | None = None
        self._read = self._tried = float("-inf")

    def keys(self, kid: str | None) -> KeySet:
        """Returns the keys that sign, fetched anew where they are old or lack `kid`; Unreachable without any."""
        with self._lock:
            now = self._clock()
            known = self._keys is not None and (kid is None or any(key.kid == kid for key in self._keys))
            if (not known or now - self._read >= KEYS_SECONDS) and now - self._tried >= KEYS_AGAIN:
                self._tried = now
                try:
                    self._refresh()
                    self._read = now
                except Unreachable:
                    # Because a provider may be away for a while, keys that are not too old go on.
                    if self._keys is None:
                        raise
            if self._keys is None or now - self._read > OLDEST_KEYS:
                raise Unreachable("the provider's keys cannot be fetched")
            return self._keys

    def address(self, name: str) -> str:
        """Returns the address `name` of the document of discovery, as `token_endpoint`; Unreachable without it."""
        self.keys(None)
        found = self._document.get(name)
        if not isinstance(found, str) or not is_private(found):
            raise Unreachable(f"the provider names no {name} with HTTPS")
        return found

    def says(self, name: str) -> bool:
        """Says whether the document of discovery has `name` as true."""
        return self._document.get(name) is True

    def exchanged(self, form: Mapping[str, str], headers: Mapping[str, str]) -> tuple[int, dict[str, Any]]:
        """Returns status and answer of the address where a code is exchanged for tokens.

        Args:
            form: The fields that are sent, the code among them.
            headers: The headers that are sent, beside the type of the form.
        """
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        return self._fetch(self.address("token_endpoint"), urlencode(form).encode(), {**headers, **kind})

    def _refresh(self) -> None:
        """Fetches document and keys; Unreachable, and nothing changed, where one of them is not as it must be."""
        document = self._got(self.policy.issuer.rstrip("/") + _WELL_KNOWN)
        # Because another issuer's keys would sign for this one.
        if document.get("issuer") != self.policy.issuer:
            raise Unreachable("the provider calls itself by another issuer than the policy")
        place = document.get("jwks_uri")
        if not isinstance(place, str):
            raise Unreachable("the provider names no address of its keys")
        listed = self._got(place).get("keys")
        found = map(_key, listed) if isinstance(listed, list) else ()
        keys: list[Key] = [key for key in found if key is not None]
        if not keys:
            raise Unreachable("the provider has no key that signs")
        self._document, self._keys = document, KeySet(keys)

    def _got(self, url: str) -> dict[str, Any]:
        status, found = self._fetch(url, None, {})
        if status != 200:
            raise Unreachable(f"{url} answers with status {status}")
        return found


def _key(given: Any) -> Key | None:
    """Returns a public key that signs; None for any other, which is passed over (RFC 7517 §5)."""
    if not isinstance(given, dict) or given.get("use", "sig") != "sig" or given.get("kty") not in _KINDS:
        return None
    try:
        key = _KINDS[given["kty"]].import_key(given)
        public = key.public_key
    except (JoseError, ValueError, TypeError, KeyError):
        return None
    return None if getattr(public, "key_size", _SMALLEST_RSA) < _SMALLEST_RSA and given["kty"] == "RSA" else key
