"""Names that a policy gives: of data sets, measures and analysts."""

from collections.abc import Sequence
from typing import Annotated, Final
from unicodedata import normalize

from pydantic import AfterValidator

LONGEST: Final = 100


def _name(value: str) -> str:
    # One form of what looks the same, lest a name typed on another keyboard be another analyst.
    name = normalize("NFC", value)
    if not name or not name.isprintable() or name != name.strip() or len(name) > LONGEST or "/" in name:
        raise ValueError(f"a name of 1 to {LONGEST} printable characters, without / and without blanks around it")
    return name


Name = Annotated[str, AfterValidator(_name)]


def check_once(names: Sequence[str], what: str) -> None:
    """ValueError where one of them is there twice."""
    for place, name in enumerate(names):
        if name in names[:place]:
            raise ValueError(f"each {what} once ({name!r} is there twice)")
