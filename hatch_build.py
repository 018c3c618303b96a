"""Writes the README that a package index shows. Hatchling calls it.

A reader of the index has no checkout: commands of a checkout are left out, and links into the repository become words.
"""

import re
from pathlib import Path
from typing import Any, Final

from hatchling.metadata.plugin.interface import MetadataHookInterface

HERE: Final = r"(?![a-z]+:)[^)\s]+"
"""The address of a file in the repository."""
PICTURE: Final = re.compile(rf"!\[([^\]]*)\]\({HERE}\)")
LINK: Final = re.compile(rf"(?<!!)\[([^\]]*)\]\({HERE}\)")
CHECKOUT: Final = re.compile(r"^In a checkout, .*?\n\n", re.DOTALL | re.MULTILINE)
"""The paragraph for somebody with a checkout."""
INSTALLED: Final = """\
`dalenius --help` lists the commands, `help(dalenius)` in Python the names. The source distribution
has the documentation in its folder docs; docs/tutorial/first_report.md goes from here to a signed
report in twenty minutes.

"""


class Readme(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": without_places(installed(text))}


def installed(text: str) -> str:
    """Returns the README for somebody without a checkout. ValueError where it has no paragraph about one."""
    found, times = CHECKOUT.subn(INSTALLED, text)
    if times != 1:
        raise ValueError('README.md: wanted one paragraph that begins with "In a checkout, "')
    return found


def without_places(text: str) -> str:
    """Turns a picture into its words in italics, and a link into the repository into its words."""
    return LINK.sub(r"\1", PICTURE.sub(r"*\1*", text))
