"""The fenced blocks of a Markdown page, and the comparison of what they promise with what came out."""

import re
from collections.abc import Iterator
from typing import NamedTuple


class Block(NamedTuple):
    """A fenced block; `line` is that of its first inner line, `follows`: only blank lines part it from the last."""

    tag: str
    text: str
    line: int
    follows: bool


FENCE = re.compile(r"(?P<indent> *)(?P<ticks>`{3,})(?P<tag>[^`]*)$")


def blocks_of(page: str) -> Iterator[Block]:
    """Every fenced block in order, without its indentation."""
    lines = enumerate(page.splitlines(), start=1)
    follows = False
    for number, line in lines:
        fence = FENCE.match(line)
        if fence is None:
            follows = follows and not line.strip()
            continue
        yield Block(fence["tag"].strip(), _until_closed(lines, fence, number), number + 1, follows)
        follows = True


def _until_closed(lines: Iterator[tuple[int, str]], fence: re.Match[str], opened: int) -> str:
    inner: list[str] = []
    for _, line in lines:
        if line.strip() == fence["ticks"]:
            return "".join(f"{text}\n" for text in inner)
        inner.append(line.removeprefix(fence["indent"]))
    raise ValueError(f"line {opened}: the block is never closed")


class Command(NamedTuple):
    """One `$ ` line of a console block, the exit code it announces, and the output written below it, if any."""

    line: int
    shell: str
    exit_code: int
    expected: str


def commands_of(block: Block) -> list[Command]:
    """The commands of a console block; a line ending in a backslash goes on in the next."""
    commands: list[Command] = []
    for number, line in enumerate(block.text.splitlines(keepends=True), start=block.line):
        if line.startswith("$ "):
            commands.append(Command(number, line[2:], 0, ""))
        elif not commands:
            raise ValueError(f"line {number}: output before the first `$ ` of its block")
        elif commands[-1].shell.endswith("\\\n"):
            commands[-1] = commands[-1]._replace(shell=commands[-1].shell + line)
        else:
            commands[-1] = commands[-1]._replace(expected=commands[-1].expected + line)
    return [command._replace(exit_code=_announced(command.shell)) for command in commands]


def _announced(shell: str) -> int:
    announced = re.search(r"# exit (\d+)\s*$", shell)
    return int(announced[1]) if announced else 0


def agrees(expected: str, printed: str) -> bool:
    """Line by line, blanks at the ends apart. A line `...` stands for any lines, `…` in a line for anything in it."""
    pattern = "".join(map(_line_pattern, _tidy(expected)))
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in _tidy(printed))) is not None


def _line_pattern(line: str) -> str:
    if line.strip() == "...":
        return r"(?:.*\n)*?"
    return ".*".join(map(re.escape, line.split("…"))) + r"\n"


def _tidy(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip("\n").splitlines()]
