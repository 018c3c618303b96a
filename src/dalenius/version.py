"""The version of the installed package."""

from importlib.metadata import version
from typing import Final

__version__: Final = version("dalenius")
