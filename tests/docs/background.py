"""Services that a page starts: a command that ends in `&` goes on until the page does, and is then told to stop."""

import signal
import subprocess
from pathlib import Path
from time import monotonic, sleep
from typing import Final, final

from tests.docs.blocks import agrees

PATIENCE: Final = 60.0
"""Seconds within which a service says what the page says it does, and within which it stops."""


@final
class Services:
    """Those of one page, whose output is kept in `room`."""

    def __init__(self, room: Path) -> None:
        self._room = room
        self._running: list[tuple[str, subprocess.Popen[bytes]]] = []

    def start(self, shell: str, expected: str, here: Path, environment: dict[str, str]) -> None:
        """Once it has printed what is expected; AssertionError where it ends or does not. It has no shell around it,
        which would not pass a signal on."""
        said = self._room / f"service{len(self._running)}"
        command = f"exec {shell.rstrip().removesuffix('&')}"
        with said.open("wb") as out:
            process = subprocess.Popen(
                ["bash", "-c", command],
                cwd=here,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.DEVNULL,
            )
        self._running.append((shell, process))
        until = monotonic() + PATIENCE
        while not agrees(expected, printed := said.read_text(encoding="utf-8")):
            assert process.poll() is None, f"$ {shell}\nended with {process.returncode}: {printed}"
            assert monotonic() < until, f"$ {shell}\nsaid {printed!r}, the page {expected!r}"
            sleep(0.05)

    def stop(self) -> None:
        """All of them; AssertionError for one that does not stop as it should."""
        while self._running:
            shell, process = self._running.pop()
            process.send_signal(signal.SIGTERM)
            try:
                code = process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                raise AssertionError(f"$ {shell}\ndoes not stop") from None
            assert code == 0, f"$ {shell}\nstopped with {code}"

    def kill(self) -> None:
        """What is left, where something else went wrong."""
        for _, process in self._running:
            process.kill()
            process.wait()
        self._running.clear()
