"""What a page is made of: sections of sentences, tables and pictures. Texts are plain; the template escapes them."""

from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True)
class Table:
    """caption: what it shows; columns: their names; rows: as wide as these, the first cell the row's name."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@final
@dataclass(frozen=True)
class Picture:
    """svg: a whole `svg` element, its texts escaped; caption: what its lines mean."""

    svg: str
    caption: str


@final
@dataclass(frozen=True)
class Confidential:
    """What is for the curator alone, in a frame of its own that says so."""

    plain: tuple[str, ...]
    table: Table


@final
@dataclass(frozen=True)
class Section:
    """key: its anchor; plain: sentences for everybody; points: a list of them; notes: what only some will read; text:
    something as it was written; confidential: what must not be published with the rest."""

    key: str
    title: str
    plain: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    pictures: tuple[Picture, ...] = ()
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()
    text: str | None = None
    confidential: Confidential | None = None
