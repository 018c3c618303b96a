"""What is asked of the records. A new query is one file here and its name in `KINDS`."""

from dalenius.queries.count import Count as Count
from dalenius.queries.histogram import Histogram as Histogram
from dalenius.queries.max import Max as Max
from dalenius.queries.mean import Mean as Mean
from dalenius.queries.median import Median as Median
from dalenius.queries.min import Min as Min
from dalenius.queries.query import (
    QUERIES as QUERIES,
    AnyQuery as AnyQuery,
    Column as Column,
    Kind as Kind,
    Query as Query,
    Scores as Scores,
)
from dalenius.queries.several import Several as Several
from dalenius.queries.stage import Stage as Stage
from dalenius.queries.sum import Sum as Sum
from dalenius.queries.universe import Sensitivities as Sensitivities, Universe as Universe
from dalenius.queries.variance import Variance as Variance

KINDS: tuple[type[Query], ...] = (Count, Sum, Mean, Variance, Median, Max, Min, Histogram, Several, Stage)
