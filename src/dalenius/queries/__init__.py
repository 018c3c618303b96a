"""What is asked of the records. A new query is one file here and its name in `AnyQuery`."""

from dalenius.queries.count import Count
from dalenius.queries.mean import Mean
from dalenius.queries.query import Column, Kind, Query, Scores
from dalenius.queries.sum import Sum

AnyQuery = Count | Sum | Mean

__all__ = ["AnyQuery", "Column", "Count", "Kind", "Mean", "Query", "Scores", "Sum"]
