"""How the service listens, and what it takes."""

from typing import Annotated, final

from pydantic import Field

from dalenius.schema import Frozen, Positive

Port = Annotated[int, Field(ge=0, le=65535, strict=True)]
Some = Annotated[int, Field(gt=0, strict=True)]


@final
class Service(Frozen):
    """host, port: where it listens, by default for this machine alone. requests_per_minute: of one token; body_bytes:
    of a request; concurrent: asks that are answered at once; timeout: seconds that a request may take."""

    host: Annotated[str, Field(min_length=1)] = "127.0.0.1"
    port: Port = 8750
    requests_per_minute: Some = 120
    body_bytes: Some = 65_536
    concurrent: Some = 8
    timeout: Positive = 60.0
