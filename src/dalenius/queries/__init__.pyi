"""The names that the room offers, and their files; `__init__` reads it."""

from .query import (
    QUERIES as QUERIES,
    AnyQuery as AnyQuery,
    Column as Column,
    Kind as Kind,
    Query as Query,
    Scores as Scores,
)
from .rank import Max as Max, Median as Median, Min as Min
from .reports import Reports as Reports
from .several import Several as Several
from .stage import Stage as Stage
from .sums import Count as Count, Histogram as Histogram, Mean as Mean, Sum as Sum, Variance as Variance
from .universe import Sensitivities as Sensitivities, Universe as Universe
