"""Runs the command `dalenius`, also as `python -m dalenius`, so that Ctrl-C is heard from its first line on.

This file imports only modules that every Python has already imported. Before its first line run the interpreter's own
start and the lines of the script; there Ctrl-C does what Python makes of it (docs/reference/commands.md).
"""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType


def main() -> None:
    """Runs the command.

    Ctrl-C ends the process at once while the command is imported, which takes most of a second. Nothing has begun
    then, and an exception might be lost in somebody else's import.
    """
    try:
        import signal

        signal.signal(signal.SIGINT, _stop)
        import gc

        gc.set_threshold(
            10_000
        )  # of hundreds of modules and classes, which are made first, next to nothing is given back
        from dalenius.cli.main import main as command
    except KeyboardInterrupt:
        _stop()
    command()


def _stop(number: int = 0, frame: "FrameType | None" = None) -> None:
    os.write(2, b"dalenius: stopped\n")
    os._exit(130)


if __name__ == "__main__":
    main()
