"""For hatchling: the README that a package index shows. There is no checkout beside it, so its first commands are
pip's, and links into the repository would lead nowhere."""

import re
from pathlib import Path
from typing import Any, Final

from hatchling.metadata.plugin.interface import MetadataHookInterface

HERE: Final = r"(?![a-z]+:)[^)\s]+"
"""The address of what lies in the repository."""
PICTURE: Final = re.compile(rf"!\[([^\]]*)\]\({HERE}\)")
LINK: Final = re.compile(rf"(?<!!)\[([^\]]*)\]\({HERE}\)")
MAKE: Final = re.compile(r"^    make demo .*?(?=^```toml)", re.DOTALL | re.MULTILINE)
"""The commands of a checkout, and what is said of them."""
PIP: Final = """\
    pip install dalenius
    dalenius example outbreak     # a table of people in households, with its specs

Python 3.11 or newer is all it needs; `dalenius --help` lists the commands, `help(dalenius)` in Python the names. The
documentation is in the source distribution, in its folder docs: docs/tutorial/first_report.md goes from here to a
signed report in twenty minutes.

"""


class Readme(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": without_places(installed(text))}


def installed(text: str) -> str:
    """With the commands of somebody who has the package and no checkout. ValueError where the README has no others."""
    found, times = MAKE.subn(PIP, text)
    if times != 1:
        raise ValueError("README.md: wanted one block that begins with make demo and ends before the first spec")
    return found


def without_places(text: str) -> str:
    """A picture becomes what it shows, in italics, and a link its words; links elsewhere stay."""
    return LINK.sub(r"\1", PICTURE.sub(r"*\1*", text))
