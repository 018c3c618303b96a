"""The installed command on a terminal of its own, so many columns wide."""

import os
import re
import struct
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.cli.command import COMMAND, Done

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def on_terminal(
    columns: int, *arguments: str | Path, environment: Mapping[str, str] = os.environ, encoding: str = "utf-8"
) -> Done:
    """What it shows there, in this encoding, without escape codes; standard error is a pipe."""
    import fcntl  # not on Windows
    import pty
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    own = {key: value for key, value in environment.items() if key != "COLUMNS"} | {"TERM": "xterm"}
    with subprocess.Popen(
        [COMMAND, *map(str, arguments)], stdin=theirs, stdout=theirs, stderr=subprocess.PIPE, env=own
    ) as process:
        os.close(theirs)
        out = b"".join(iter(lambda: _read(ours), b""))
        os.close(ours)
        assert process.stderr is not None
        err = process.stderr.read().decode(encoding)
    return Done(process.returncode, ESCAPES.sub("", out.decode(encoding)).replace("\r\n", "\n"), err)


def _read(end: int) -> bytes:
    try:
        return os.read(end, 65536)
    except OSError:  # how Linux says that the other end is closed
        return b""
