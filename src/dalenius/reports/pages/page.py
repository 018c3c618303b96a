"""One self-contained HTML page that explains a release to whoever signs it: no scripts, nothing from elsewhere."""

from pathlib import Path
from typing import Final

from dalenius.drawing import check_place, write_whole
from dalenius.errors import InputError
from dalenius.reports.pages.judged import Judged, exposed
from dalenius.reports.pages.people import who
from dalenius.reports.pages.published import assumed, promised, published, rests
from dalenius.reports.pages.revealed import revealed, tail
from dalenius.reports.pages.section import Section, clean

TEMPLATE: Final = "page.html.j2"


def sections(judged: Judged) -> tuple[Section, ...]:
    """In the order in which they are read."""
    classes = exposed(judged)
    return (
        published(judged),
        assumed(judged),
        promised(judged),
        revealed(judged, classes),
        tail(judged, classes),
        who(judged, classes),
        rests(judged),
    )


def page(judged: Judged) -> str:
    """The HTML."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("dalenius.reports", "pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return clean(environment.get_template(TEMPLATE).render(sections=sections(judged)))


def check_page(path: Path, key: str = "--out") -> None:
    """InputError for a file that is no page, and for one that could not be written."""
    if path.suffix != ".html":
        raise InputError(key, str(path), "a file ending in .html")
    check_place(path)


def write_page(judged: Judged, path: Path) -> None:
    """Writes the page, whole or not at all."""
    check_page(path)
    text = page(judged)
    write_whole(path, lambda draft: _write(draft, text))


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
