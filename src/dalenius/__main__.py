"""The command `dalenius`, also as `python -m dalenius`: Ctrl-C is heard from its first line on.

Imported is what every Python has imported before. What is left are the interpreter's own start and the script's first
lines, of which Ctrl-C makes what Python makes of it (docs/reference/commands.md).
"""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType


def main() -> None:
    """Runs the command. As long as it is imported, which takes most of a second, Ctrl-C ends the process at once:
    nothing has begun, and an exception might be lost in somebody else's import."""
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
