"""Graphs of people: who is connected to whom, where they are, and how alike they are."""

from dalenius.graphs.affinity import Affinity as Affinity, affinity as affinity
from dalenius.graphs.degrees import degrees as degrees
from dalenius.graphs.edges import Dropped as Dropped, Edges as Edges, clean_edges as clean_edges
from dalenius.graphs.friend_distance import PAPER as PAPER, FriendDistance as FriendDistance
from dalenius.graphs.places import (
    Grid as Grid,
    checked_positions as checked_positions,
    distance_km as distance_km,
    distance_miles as distance_miles,
)
