"""What the room offers, and from which file; `__init__` reads it."""

from .count import Count as Count
from .histogram import Histogram as Histogram
from .max import Max as Max
from .mean import Mean as Mean
from .median import Median as Median
from .min import Min as Min
from .query import (
    QUERIES as QUERIES,
    AnyQuery as AnyQuery,
    Column as Column,
    Kind as Kind,
    Query as Query,
    Scores as Scores,
)
from .several import Several as Several
from .stage import Stage as Stage
from .sum import Sum as Sum
from .universe import Sensitivities as Sensitivities, Universe as Universe
from .variance import Variance as Variance
