"""What is asked of the records. A new query is one file here and its name in `AnyQuery`."""

import sys

from dalenius.queries.count import Count
from dalenius.queries.histogram import Histogram
from dalenius.queries.max import Max
from dalenius.queries.mean import Mean
from dalenius.queries.median import Median
from dalenius.queries.min import Min
from dalenius.queries.query import Column, Kind, Query, Scores
from dalenius.queries.several import Several
from dalenius.queries.sum import Sum
from dalenius.queries.universe import Sensitivities, Universe
from dalenius.queries.variance import Variance

AnyQuery = Count | Sum | Mean | Variance | Median | Max | Min | Histogram | Several

# Where pydantic looks for the name when it builds the class, on first use.
vars(sys.modules[Several.__module__])["AnyQuery"] = AnyQuery

__all__ = [
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
