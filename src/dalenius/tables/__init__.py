"""The user's table of people, read through Ibis: the engine counts, only counts and row numbers come back."""

from dalenius.tables.people import People as People, open_people as open_people
from dalenius.tables.rows import Rows as Rows, rows_of as rows_of
from dalenius.tables.source import Condition as Condition, Source as Source, data_name as data_name, stem as stem
from dalenius.tables.tallied import tallied as tallied
