"""What is asked of the records. A new query is one file here and its name in `KINDS`."""

from dalenius.queries.count import Count
from dalenius.queries.histogram import Histogram
from dalenius.queries.max import Max
from dalenius.queries.mean import Mean
from dalenius.queries.median import Median
from dalenius.queries.min import Min
from dalenius.queries.query import AnyQuery, Column, Kind, Query, Scores
from dalenius.queries.several import Several
from dalenius.queries.sum import Sum
from dalenius.queries.universe import Sensitivities, Universe
from dalenius.queries.variance import Variance

KINDS: tuple[type[Query], ...] = (Count, Sum, Mean, Variance, Median, Max, Min, Histogram, Several)

__all__ = [
    "KINDS",
    "AnyQuery",
    "Column",
    "Count",
    "Histogram",
    "Kind",
    "Max",
    "Mean",
    "Median",
    "Min",
    "Query",
    "Scores",
    "Sensitivities",
    "Several",
    "Sum",
    "Universe",
    "Variance",
]
