"""How the service listens, and what it takes."""

import re
from typing import Annotated, Final, final

from pydantic import AfterValidator, Field

from dalenius.schema import Frozen, Positive

NAME: Final = re.compile(r"\*|(\*\.)?[A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\]")

Port = Annotated[int, Field(ge=0, le=65535, strict=True)]
Some = Annotated[int, Field(gt=0, strict=True)]


def _host(name: str) -> str:
    if not NAME.fullmatch(name):
        raise ValueError("a host as a request names it, without scheme and port, or *.example.org for all within")
    return name


Host = Annotated[str, AfterValidator(_host)]


@final
class Service(Frozen):
    """host, port: where it listens, by default for this machine alone; hosts: other names by which it is asked for.
    requests_per_minute: of one token; body_bytes: of a request; connections: at once; concurrent: asks that are
    answered at once; timeout: seconds that a request may take.

    processes: in which noises are found, by default as many as there are processors, and two at least; computing:
    seconds of a processor that one may take for an ask, and memory: bytes."""

    host: Annotated[str, Field(min_length=1)] = "127.0.0.1"
    port: Port = 8750
    hosts: tuple[Host, ...] = ()
    requests_per_minute: Some = 120
    body_bytes: Some = 65_536
    connections: Some = 1000
    concurrent: Some = 8
    timeout: Positive = 60.0
    processes: Some | None = None
    computing: Positive = 20.0
    memory: Some = 2**30
