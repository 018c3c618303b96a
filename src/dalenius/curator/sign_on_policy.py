"""The policy of signing on at a provider of OpenID Connect: whose signatures are believed, and who an analyst is.

With `issuer = "https://login.example.org"`, `audience = "dalenius"` and `claim = "email"`, a token that this issuer has
signed for this audience is of the analyst whom the policy calls by the token's email.
"""

from typing import Annotated, Final, final
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, model_validator

from dalenius.frozen_section import Frozen

_LOCAL: Final = ("127.0.0.1", "::1", "localhost")


def is_private(url: str) -> bool:
    """Says whether nobody on the way to a `url` reads what is sent: HTTPS, or this machine alone.

    >>> is_private("https://login.example.org/a"), is_private("http://localhost:80"), is_private("http://example.org")
    (True, True, False)
    """
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return False
    return bool(host) and (parts.scheme == "https" or (parts.scheme == "http" and host in _LOCAL))


def _private(url: str) -> str:
    if not is_private(url) or any(sign in url for sign in "?#@") or not url.isprintable() or " " in url:
        raise ValueError("a URL with https:// (http:// on this machine alone), without user, ? and #")
    return url


Url = Annotated[str, AfterValidator(_private)]
Name = Annotated[str, Field(min_length=1, max_length=200)]


@final
class SignOn(Frozen):
    """How analysts sign on at a provider of OpenID Connect.

    Args:
        issuer: The provider's URL, exactly as its tokens have it in `iss`.
        audience: What an access token must have in `aud`.
        claim: The claim whose text is the name of an analyst, such as `email` or `preferred_username`.
        client: The id under which the pages are registered at the provider. By default the pages have no such sign-in.
        secret: The client's secret; by default it has none.
        address: The URL of the service as browsers have it, without a path; `client` needs it.
        skew: Seconds by which the clocks of provider and service may differ, 60 by default, at most 300.
    """

    issuer: Url
    audience: Name
    claim: Name
    client: Name | None = None
    secret: Name | None = None
    address: Url | None = None
    skew: Annotated[int, Field(ge=0, le=300, strict=True)] = 60

    @model_validator(mode="after")
    def _whole(self) -> "SignOn":
        """Refuses a client that browsers cannot come back to, and what is of no use without a client."""
        if (self.client is None) != (self.address is None):
            raise ValueError("client and address together, for sign-in on the pages, or none of them")
        if self.secret is not None and self.client is None:
            raise ValueError("a secret only with the client whose secret it is")
        if self.address is not None and urlsplit(self.address).path not in ("", "/"):
            raise ValueError("an address without a path, as https://counts.example.org")
        return self

    @property
    def returns_to(self) -> str:
        """The URL to which the provider sends browsers back; it is registered there."""
        return f"{(self.address or '').rstrip('/')}/sign-on/back"
