"""A started command of the image, on ports of this machine that are free."""

import re
import signal
import socket
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

import httpx

PATIENCE = 60.0


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


@dataclass
class Started:
    """url: where it says that it listens; out and log: the files of what it prints."""

    process: subprocess.Popen[bytes]
    url: str
    log: Path

    def client(self) -> httpx.Client:
        port = self.url.rpartition(":")[2]
        return httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30, trust_env=False)

    def stop(self, within: float) -> int:
        """Tells it to stop, as systemd and containers do; the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(within)


@contextmanager
def started(words: list[str], environment: Mapping[str, str], folder: Path, room: Path) -> Iterator[Started]:
    """The command, once it listens; killed where the block has not stopped it."""
    out, log = room / "out", room / "log"
    with out.open("wb") as said, log.open("wb") as wrong:
        process = subprocess.Popen(words, env=dict(environment), cwd=folder, stdout=said, stderr=wrong, umask=0o077)
    try:
        yield Started(process, _listening(process, out, log), log)
    finally:
        process.kill()
        process.wait()


def _listening(process: subprocess.Popen[bytes], out: Path, log: Path) -> str:
    until = monotonic() + PATIENCE
    while monotonic() < until and process.poll() is None:
        if (found := re.search(r"^listening on (\S+)\n", out.read_text(), re.MULTILINE)) is not None:
            return found[1]
        sleep(0.05)
    raise AssertionError(log.read_text())
