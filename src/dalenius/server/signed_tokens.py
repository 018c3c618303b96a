"""Signed tokens: JSON Web Tokens of the policy's provider, and the analysts whom they are of.

A token that says `"alg": "none"` is refused, and so is one that is signed with the public key as a shared one. Only
algorithms with a private and a public key are accepted, and only the provider's own keys, whatever key a token names.
"""

from collections.abc import Callable, Mapping
from hashlib import sha256
from time import time
from typing import Any, Final, final

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jws import JWSRegistry, extract_compact

from dalenius.curator import DataSet, SignOn
from dalenius.server.limits import SIGNED_ON_SECONDS
from dalenius.server.provider import Provider
from dalenius.server.tokens import ALL_DATA_SETS, Role, Token

ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "Ed25519")
# Because a logout token, or one bound to a key that we do not ask for, is no proof of who asks (RFC 8725 §3.11).
_TYPES: Final = (None, "jwt", "at+jwt", "application/at+jwt")
# Headers with chains of certificates are longer than what the library expects.
_LONGEST_HEADER: Final = 8192


class NotSigned(Exception):
    """The signal that a text is no token of the provider for this service, whatever is wrong with it."""


@final
class SignedTokens:
    """The provider's tokens, checked, and their analysts."""

    def __init__(self, provider: Provider, data: tuple[DataSet, ...], clock: Callable[[], float] = time) -> None:
        """Takes the provider, the policy's data sets, and a clock in seconds since 1970."""
        self.provider, self._data, self._clock = provider, data, clock

    @property
    def policy(self) -> SignOn:
        """The section of the policy."""
        return self.provider.policy

    def find(self, text: str) -> Token | None:
        """Returns the rights of an access token, `text`; None where it is not valid, or of no analyst of the policy.

        Unreachable where the provider's keys are wanted and cannot be had.
        """
        try:
            claims = self.claims(text, self.policy.audience)
        except NotSigned:
            return None
        # A token that is bound to a key (RFC 7800) belongs to the client that proves to have it, which a bearer does
        # not.
        return None if "cnf" in claims else self.analyst(claims, float(claims["exp"]) + self.policy.skew)

    def claims(self, text: str, audience: str) -> Mapping[str, Any]:
        """Returns what a token says, once its signature, times and audience are checked; NotSigned else.

        Args:
            text: The token, as it came.
            audience: The audience that the token must name.
        """
        registry = JWSRegistry(algorithms=ALGORITHMS)
        registry.max_header_length = _LONGEST_HEADER
        checked = jwt.JWTClaimsRegistry(
            now=int(self._clock()),
            leeway=self.policy.skew,
            iss={"essential": True, "value": self.policy.issuer},
            aud={"essential": True, "value": audience},
            exp={"essential": True},
            iat={"essential": True},
            sub={"essential": True},
        )
        try:
            header = extract_compact(text.encode(), registry=registry).headers()
            # Before any key is fetched, so that nonsense costs the provider nothing.
            registry.get_alg(str(header.get("alg")))
            kid, kind = header.get("kid"), header.get("typ")
            if not isinstance(kid, str | None) or (kind if kind is None else str(kind).lower()) not in _TYPES:
                raise NotSigned
            token = jwt.decode(text, self.provider.keys(kid), registry=registry, algorithms=ALGORITHMS)
            checked.validate(token.claims)
        except (JoseError, ValueError, TypeError, KeyError, RecursionError):
            raise NotSigned from None
        return token.claims

    def analyst(self, claims: Mapping[str, Any], until: float) -> Token | None:
        """Returns the rights of the analyst whom the claims name; None for nobody of the policy; until: their end."""
        name = claims.get(self.policy.claim)
        # Because anybody may write somebody else's address into an account until it is verified.
        if not isinstance(name, str) or (self.policy.claim == "email" and claims.get("email_verified") is not True):
            return None
        own = tuple(each.name for each in self._data if any(one.name == name for one in each.analysts))
        if not own:
            return None
        id = sha256(f"{claims['iss']}\0{claims['sub']}".encode(errors="surrogatepass")).hexdigest()[:12]
        return Token(id, Role.analyst, name, own[0] if len(own) == 1 else ALL_DATA_SETS, 0.0, until, signed_on=own)

    def visitor(self, text: str, nonce: str) -> Token | None:
        """Returns the rights of a browser's visit by its ID token (OpenID Connect Core §3.1.3.7); None for nobody.

        Args:
            text: The ID token.
            nonce: The text that this sign-on asked the provider to write into the token.
        """
        client = str(self.policy.client)
        try:
            claims = self.claims(text, client)
        except NotSigned:
            return None
        several = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
        if claims.get("nonce") != nonce or claims.get("azp", None if several else client) != client:
            return None
        return self.analyst(claims, self._clock() + SIGNED_ON_SECONDS)
