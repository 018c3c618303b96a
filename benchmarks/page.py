"""docs/research/benchmarks.md, rewritten from what was measured."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from benchmarks.section import Section
from dalenius.plotting import write_atomically

WIDTH: Final = 120
HEAD: Final = """# Benchmarks

What Dalenius costs at size, and how sharp its answers are there. Every number below was measured by

```console
$ make bench
```

and written here by `.venv-bench/bin/python -m benchmarks --write`. Each case runs in a fresh process, so that its peak
memory is its own, with the imports (about 85 MiB) counted; times leave the imports out. Cases under ten seconds show
the median of three runs, longer ones a single run.
"""


def write_page(docs: Path, machine: Mapping[str, str], sections: Sequence[Section]) -> None:
    """Rewrite the page, the figures and their numbers in the folder of documents."""
    figures = docs / "figures"
    figures.mkdir(parents=True, exist_ok=True)
    for section in sections:
        if section.draw is not None:
            section.draw(figures)
    text = "\n".join(_lines(machine, sections))
    page = docs / "research" / "benchmarks.md"
    page.parent.mkdir(exist_ok=True)
    write_atomically(page, lambda draft: _save(draft, text))


def _save(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def _lines(machine: Mapping[str, str], sections: Sequence[Section]) -> Iterator[str]:
    yield HEAD
    yield from _table(("machine", ""), list(machine.items()))
    for section in sections:
        yield from ("", f"## {section.title}", "", textwrap.fill(section.about, WIDTH), "")
        yield from _table(section.columns, section.rows)
        points = [*section.notes, *(str(target) for target in section.targets)]
        yield from ("", *(f"* {point}" for point in points))
        if section.figure is not None:
            table = Path(section.figure).with_suffix(".csv")
            yield from (
                "",
                f"![{section.title}](../figures/{section.figure})",
                "",
                f"Its numbers: [{table}](../figures/{table})",
            )
    yield ""


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield _row(columns)
    yield _row(["---"] * len(columns))
    yield from (_row(row) for row in rows)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
