"""What the room offers, and from which file; `__init__` reads it."""

from .meaning import Meaning as Meaning, meaning as meaning
from .moved_odds import Moved as Moved
