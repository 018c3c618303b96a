"""A head that means one thing to a proxy and another to the service is refused, and the connection closed.

HEAD is answered wherever GET is, without the body.
"""

import json
import socket
from collections.abc import Iterator
from threading import Thread
from time import sleep

import pytest
import uvicorn

from dalenius.server.limits import HEAD_BYTES
from dalenius.server.process import Connection
from dalenius.server.request_head import refusal_of
from tests.server.served import Served, serving

GET = b"GET /login HTTP/1.1\r\nHost: localhost\r\n"
LAST = GET + b"Connection: close\r\n\r\n"
HIDDEN = b"GET /hidden HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Of the service behind the connections that it is run with."""
    with serving(tmp_path_factory.mktemp("served")) as served, socket.create_server(("127.0.0.1", 0)) as door:
        config = uvicorn.Config(served.client.app, http=Connection, ws="none", lifespan="off", log_config=None)
        server = uvicorn.Server(config)
        thread = Thread(target=lambda: server.run([door]))
        thread.start()
        while not server.started:
            sleep(0.01)
        said(door.getsockname()[1], LAST)  # the first page takes longest
        yield door.getsockname()[1]
        server.should_exit = True
        thread.join()


def said(port: int, *pieces: bytes) -> bytes:
    """All that comes back until the service ends the connection, or says nothing for a while."""
    found = b""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as one:
        try:
            for piece in pieces:
                one.sendall(piece)
                sleep(0.02)
            while got := one.recv(65_536):
                found += got
        except OSError:
            pass
    return found


def posted(*fields: str, body: bytes = b"0\r\n\r\n", version: str = "1.1") -> bytes:
    lines = (f"POST /health HTTP/{version}", "Host: localhost", *fields, "", "")
    return "\r\n".join(lines).encode() + body + HIDDEN


@pytest.mark.parametrize(
    "sent",
    [
        posted("Content-Length: 5", "Transfer-Encoding: chunked"),
        posted("Transfer-Encoding: chunked", "Content-Length: 5"),
        posted("transfer-encoding:chunked", "CONTENT-LENGTH:5"),
        posted("Transfer-Encoding: chunked", "Transfer-Encoding: chunked"),
        posted("Transfer-Encoding: identity", "Content-Length: 5"),
        posted("Transfer-Encoding: chunked", version="1.0"),
        posted("Content-Length: 5", "Content-Length: 5"),
        posted("Content-Length: 5", "Content-Length: 6"),
        posted("Content-Length: 5, 5"),
        posted("Content-Length: +5"),
        posted("Content-Length: 0x5"),
        posted("Content-Length: -1"),
        posted("Content-Length:"),
        posted("Content-Length : 5"),
        posted("Content-Length: 5", " Transfer-Encoding: chunked"),
        posted("X-Folded: a", "\tb", "Content-Length: 5"),
        posted("Host: elsewhere", "Content-Length: 5"),
        posted("Content-Length: 5").replace(b"\r\n", b"\n"),
        posted("X: a\nTransfer-Encoding: chunked", "Content-Length: 5"),
        posted("X: a\rContent-Length: 5"),
        posted("X: \x00"),
    ],
)
def test_a_head_that_could_mean_two_things_is_refused_and_closed(port: int, sent: bytes) -> None:
    for pieces in ((sent,), (sent[:40], sent[40:]), (GET + b"\r\n" + sent,)):
        found = said(port, *pieces)
        answers = found.split(b"HTTP/1.1 ")[1:]
        assert len(answers) == (2 if pieces[0].startswith(GET) else 1), found
        assert answers[-1].startswith((b"400", b"501"))
        assert b"connection: close" in answers[-1].lower()
        assert set(json.loads(answers[-1].partition(b"\r\n\r\n")[2])) == {"error"}


def test_another_version_is_refused(port: int) -> None:
    assert said(port, posted("Content-Length: 5", version="2.0")).startswith(b"HTTP/1.1 505")


def long_head(size: int) -> bytes:
    """A head of so many bytes."""
    return GET + b"X: " + b"a" * (size - len(GET) - 7) + b"\r\n\r\n"


@pytest.mark.parametrize("size", [HEAD_BYTES + 1, 40_000, 200_000])
def test_a_head_that_is_too_long_is_refused_however_it_comes(port: int, size: int) -> None:
    whole = long_head(size)
    unended = whole.removesuffix(b"\r\n\r\n") + b"aaaa"
    for pieces in ((whole,), (whole[:9000], whole[9000:]), (unended,), (GET + b"\r\n" + whole,)):
        found = said(port, *pieces)
        if size < 100_000:  # of more the system may drop the answer with what was not read
            assert b"HTTP/1.1 431" in found
            assert b"at most 16384 bytes are wanted" in found
        assert found.count(b"HTTP/1.1 200") == (1 if pieces[0].startswith(GET + b"\r\n") else 0)


def test_a_head_of_what_is_documented_is_answered(port: int) -> None:
    assert len(long_head(HEAD_BYTES)) == HEAD_BYTES == 16 * 1024
    assert said(port, long_head(HEAD_BYTES) + LAST).count(b"HTTP/1.1 200") == 2


def test_requests_one_after_the_other_are_answered(port: int) -> None:
    plain = GET + b"\r\n"
    assert said(port, plain * 3 + LAST).count(b"HTTP/1.1 200") == 4
    chunked = posted("Transfer-Encoding: chunked", body=b"2\r\nab\r\n0\r\n\r\n").removesuffix(HIDDEN)
    assert said(port, chunked + LAST).count(b"HTTP/1.1 ") == 2


def test_a_head_that_is_not_whole_is_waited_for() -> None:
    for end in range(len(GET)):
        assert refusal_of(GET[:end]) is None


def test_head_has_the_status_and_headers_of_get(standing: Served) -> None:
    served, own = standing, ("", "/measles", "/measles/budget", "/measles/history?limit=1", "/none")
    paths: list[tuple[str, str | None]] = [(f"/api/v1/data{each}", "ana@measles") for each in own]
    paths += [(each, None) for each in ("/health", "/openapi.json", "/login", "/nowhere", "/api/v1/data")]
    paths += [("/api/v1/ledger", "olga")]
    for path, who in paths:
        get, head = served.get(path, who), served.client.head(path, headers=served.headers(who))
        assert head.status_code == get.status_code, path
        assert head.content == b""
        for name in get.headers.keys() | head.headers.keys():
            assert name in ("x-request-id", "set-cookie") or get.headers[name] == head.headers[name], (path, name)
        assert served.log[-1]["method"] == "HEAD"
        assert served.log[-1]["path"] == served.log[-2]["path"]


def test_head_of_what_only_post_serves_is_another_method(served: Served) -> None:
    done = served.client.head("/api/v1/data/measles/ask", headers=served.headers("ana@measles"))
    assert (done.status_code, done.headers["allow"]) == (405, "POST")
    assert served.client.delete("/health").headers["allow"] == "GET, HEAD"
    assert served.spent() == 0


def test_head_over_a_socket_has_no_body(port: int) -> None:
    found = said(port, GET.replace(b"GET", b"HEAD") + b"\r\n" + LAST)
    first, second = found.split(b"HTTP/1.1 200")[1:]
    assert first.endswith(b"\r\n\r\n")
    assert b"content-length: " in first
    assert b"Sign in" in second
