"""Which release of the package this is."""

from importlib.metadata import version
from typing import Final

__version__: Final = version("dalenius")
