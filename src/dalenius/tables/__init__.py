"""The user's table of people, read through Ibis: the engine counts, only integer counts come back."""

from dalenius.tables.people import People, open_people
from dalenius.tables.source import Condition, Source, data_name, stem
from dalenius.tables.tallied import tallied

__all__ = ["Condition", "People", "Source", "data_name", "open_people", "stem", "tallied"]
