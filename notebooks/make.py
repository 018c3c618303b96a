"""Makes the notebooks from the pages: `python notebooks/make.py` writes them beside this file.

A page's prose becomes cells of text. Its Python becomes cells of code, with the output that the page shows; its console
commands become `!` lines; a file that the page shows becomes a cell that writes it.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).resolve().parent
PAGES: Final = {
    "first_report.ipynb": "docs/tutorial/first_report.md",
    "converting.ipynb": "docs/explanation/converting.md",
}
"""By notebook the page that it is made from, whose code the tests run."""
_FENCE: Final = re.compile(r"^```(\w*)\n(.*?)^```\n?", re.MULTILINE | re.DOTALL)
_LINK: Final = re.compile(r"\]\((?!https?:|#)([^)\s]+)\)")


def cells_of(text: str, folder: str) -> Iterator[dict[str, Any]]:
    """The page's cells, in order; folder: where the page stands, for its links."""
    end = 0
    waiting: dict[str, Any] | None = None
    for block in _FENCE.finditer(text):
        between, tag, inner = text[end : block.start()], block[1], block[2]
        end = block.end()
        # Output stands right below the code that prints it.
        if waiting is not None and tag == "text" and not between.strip():
            waiting["outputs"] = [{"name": "stdout", "output_type": "stream", "text": _lines(inner)}]
            continue
        if between.strip():
            yield _text(between, folder)
        waiting = _code(tag, inner)
        yield waiting if waiting is not None else _text(block[0], folder)
    if text[end:].strip():
        yield _text(text[end:], folder)


def _text(text: str, folder: str) -> dict[str, Any]:
    moved = _LINK.sub(lambda link: f"](../{_resolved(folder, link[1])})", text.strip())
    return {"cell_type": "markdown", "metadata": {}, "source": _lines(moved)}


def _resolved(folder: str, target: str) -> str:
    """A link of a page, from the repository's root."""
    parts = folder.split("/")
    for part in target.split("/"):
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


def _code(tag: str, inner: str) -> dict[str, Any] | None:
    """A cell of code; None for what is only shown, such as another system's commands."""
    first, _, rest = inner.partition("\n")
    outputs: list[dict[str, Any]] = []
    if first.startswith("# file: "):
        inner = f"%%writefile {first.removeprefix('# file: ').strip()}\n{rest}"
    elif tag == "console":
        lines = inner.splitlines(keepends=True)
        typed, printed = _typed(lines)
        inner = "".join(typed)
        outputs = [{"name": "stdout", "output_type": "stream", "text": printed}] if printed else []
    elif tag != "python":
        return None
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": outputs,
        "source": _lines(inner.rstrip("\n")),
    }


def _typed(lines: list[str]) -> tuple[list[str], list[str]]:
    """The commands of a console block, and what they print; a backslash continues a command."""
    typed: list[str] = []
    printed: list[str] = []
    for line in lines:
        if line.startswith("$ "):
            typed.append("!" + line[2:])
        elif typed and typed[-1].endswith("\\\n"):
            typed.append(line)
        else:
            printed.append(line)
    return typed, printed


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def notebook_of(page: str) -> str:
    """The notebook of a page, as text; page: its path from the repository's root."""
    text = (HERE.parent / page).read_text(encoding="utf-8")
    found = list(cells_of(text, str(Path(page).parent)))
    cells = [{"id": f"cell-{number}", **cell} for number, cell in enumerate(found)]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    made = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(made, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


if __name__ == "__main__":
    for name, page in PAGES.items():
        (HERE / name).write_text(notebook_of(page), encoding="utf-8")
