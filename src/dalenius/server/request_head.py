"""Checks the head of a request before it is read, so that it means one thing to a proxy and to us.

A request with both `Content-Length` and `Transfer-Encoding` ends in two places, and what is between them is a second
request to one of the two readers (RFC 9112 §6.1). It is refused, and the connection closed:

>>> refusal_of(b"POST / HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 4\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n")
(400, 'one of Content-Length and Transfer-Encoding is wanted, not both')
>>> refusal_of(b"GET / HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n") is None
True
"""

import re
from typing import Final, TypeAlias, final

import h11

from dalenius.server.limits import HEAD_BYTES

Refusal: TypeAlias = tuple[int, str]

_END: Final = re.compile(rb"\n\r?\n")
_VERSIONS: Final = (b"HTTP/1.1", b"HTTP/1.0")
# Fields that say where a body ends, or whom a request is for: readers differ about which of two counts.
_ONCE: Final = (b"content-length", b"transfer-encoding", b"host", b"content-type")
_TOO_LONG: Final[Refusal] = (431, f"the head of the request is too long: at most {HEAD_BYTES} bytes are wanted")


def refusal_of(received: bytes) -> Refusal | None:
    """Returns a status and why, where what was `received` is no head that is answered; else, or not yet whole, None."""
    end = _END.search(received)
    if (len(received) if end is None else end.end()) > HEAD_BYTES:
        return _TOO_LONG
    return None if end is None else _refusal_of_head(received[: end.end()])


def _refusal_of_head(head: bytes) -> Refusal | None:
    """Returns the refusal of a whole head; None where it is answered."""
    if head.count(b"\n") != head.count(b"\r\n"):
        return 400, "lines that end in CR LF are wanted"
    first, *lines = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    version = first.rpartition(b" ")[2]
    if version.startswith(b"HTTP/") and version not in _VERSIONS:
        return 505, "HTTP/1.1 is wanted"
    if any(line.startswith((b" ", b"\t")) for line in lines):
        return 400, "each header field on one line is wanted (RFC 9112 §5.2)"
    names = [line.partition(b":")[0].strip().lower() for line in lines]
    for name in _ONCE:
        if names.count(name) > 1:
            return 400, f"{name.decode().title()} once is wanted"
    if b"transfer-encoding" not in names:
        return _of_length(lines, names)
    if b"content-length" in names:
        return 400, "one of Content-Length and Transfer-Encoding is wanted, not both"
    return None if version == b"HTTP/1.1" else (400, "no Transfer-Encoding is wanted in HTTP/1.0")


def _of_length(lines: list[bytes], names: list[bytes]) -> Refusal | None:
    """Returns the refusal of the body's length: `4, 4` is a list, and `+4` or `0x4` is no length."""
    if b"content-length" not in names:
        return None
    said = lines[names.index(b"content-length")].partition(b":")[2].strip(b" \t")
    return None if said.isdigit() else (400, "a Content-Length of digits is wanted")


@final
class StrictReader(h11.Connection):
    """A reader of requests as h11 is, which checks their heads first; refused: why the last one was not read."""

    def __init__(self) -> None:
        super().__init__(h11.SERVER, HEAD_BYTES)
        self.refused: Refusal = (400, "this is no request of HTTP/1.1")

    def next_event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        """Returns the next event; RemoteProtocolError where a request is refused, or is none."""
        if self.their_state is h11.IDLE and (found := refusal_of(self.trailing_data[0])) is not None:
            self.refused = found
            raise h11.RemoteProtocolError(found[1], error_status_hint=found[0])
        try:
            return super().next_event()
        except h11.RemoteProtocolError as error:
            self.refused = error.error_status_hint, self.refused[1]
            raise
