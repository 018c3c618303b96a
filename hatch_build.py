"""For hatchling: the README that a package index shows, where links into the repository would lead nowhere."""

import re
from pathlib import Path
from typing import Any, Final

from hatchling.metadata.plugin.interface import MetadataHookInterface

HERE: Final = r"(?![a-z]+:)[^)\s]+"
"""The address of what lies in the repository."""
PICTURE: Final = re.compile(rf"!\[([^\]]*)\]\({HERE}\)")
LINK: Final = re.compile(rf"(?<!!)\[([^\]]*)\]\({HERE}\)")


class Readme(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": without_places(text)}


def without_places(text: str) -> str:
    """A picture becomes what it shows, in italics, and a link its words; links elsewhere stay."""
    return LINK.sub(r"\1", PICTURE.sub(r"*\1*", text))
