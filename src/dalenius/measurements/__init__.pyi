"""What the room offers, and from which file; `__init__` reads it."""

from .conversion_by_map import conversion_of as conversion_of
from .measurement_file import read_measurement as read_measurement
from .release_of_measurement import release_of as release_of
from .unread_constructor import Unread as Unread
