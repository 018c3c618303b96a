"""What the room offers, and from which file; `__init__` reads it."""

from .affinity import Affinity as Affinity, affinity as affinity
from .degrees import degrees as degrees
from .edges import Dropped as Dropped, Edges as Edges, clean_edges as clean_edges
from .friend_distance import PAPER as PAPER, FriendDistance as FriendDistance
from .places import (
    Grid as Grid,
    checked_positions as checked_positions,
    distance_km as distance_km,
    distance_miles as distance_miles,
)
