"""Names in a policy: of data sets, measures and analysts, each in one form.

>>> _name("Zoe\u0308") == _name("Zo\u00eb")
True
"""

from collections.abc import Sequence
from typing import Annotated
from unicodedata import normalize

from pydantic import AfterValidator

from dalenius.curator.limits import LONGEST_NAME


def _name(value: str) -> str:
    # One form of what looks the same, lest a name typed on another keyboard be another analyst.
    name = normalize("NFC", value)
    if not name or not name.isprintable() or name != name.strip() or len(name) > LONGEST_NAME or "/" in name:
        raise ValueError(
            f"a name of 1 to {LONGEST_NAME} printable characters, without / and without blanks at its ends"
        )
    return name


Name = Annotated[str, AfterValidator(_name)]


def check_once(names: Sequence[str], what: str) -> None:
    """Raises ValueError where one of the `names`, each of a `what`, is there twice."""
    for place, name in enumerate(names):
        if name in names[:place]:
            raise ValueError(f"each {what} once ({name!r} is there twice)")
