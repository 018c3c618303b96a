"""A proxy before a service that loses answers: the service did what was asked, and the client never hears of it."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread
from urllib.parse import urlsplit


class LossyProxy:
    """target: the service's address, or None for one that is down; lost: how many answers to asks are still lost."""

    def __init__(self, target: str | None, lost: int = 0) -> None:
        self.target, self.lost, self.seen = target, lost, list[bytes]()
        self._door = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._door.getsockname()[1]}"

    def serve(self) -> None:
        with suppress(OSError):  # of the door that is closed
            while True:
                caller, _ = self._door.accept()
                with caller, suppress(OSError):
                    self._pass_on(caller)

    def close(self) -> None:
        self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()

    def _pass_on(self, caller: socket.socket) -> None:
        """One request of each connection, whole, and its whole answer, or none of it."""
        head, _, body = _until(caller, b"\r\n\r\n").partition(b"\r\n\r\n")
        length = next((int(line[15:]) for line in head.lower().split(b"\r\n") if line[:15] == b"content-length:"), 0)
        while len(body) < length:
            body += caller.recv(65536)
        if self.target is None:
            return
        place = urlsplit(self.target)
        with socket.create_connection((place.hostname, place.port or 80), timeout=60) as service:
            lines = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"connection:")]
            service.sendall(b"\r\n".join([*lines, b"Connection: close"]) + b"\r\n\r\n" + body)
            answer = _until(service, None)
        self.seen.append(head)
        if self.lost and b"/ask " in head.split(b"\r\n")[0]:
            self.lost -= 1
            return
        caller.sendall(answer)


def _until(source: socket.socket, end: bytes | None) -> bytes:
    """Everything up to the end that was read, or until nothing more comes."""
    found = b""
    while end is None or end not in found:
        if not (piece := source.recv(65536)):
            break
        found += piece
    return found


@contextmanager
def lossy(target: str | None, lost: int = 0) -> Iterator[LossyProxy]:
    proxy = LossyProxy(target, lost)
    thread = Thread(target=proxy.serve, daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        proxy.close()
        thread.join(5)
