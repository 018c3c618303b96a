"""What the wing offers; `__init__` reads it."""

from . import graphs as graphs, learning as learning
