"""Which query is of which kind."""

from typing import Final

from dalenius.kinds import Own
from dalenius.queries.query import Query

KINDS: Final = Own[Query](
    "dalenius.queries",
    {
        "count": "Count",
        "sum": "Sum",
        "mean": "Mean",
        "variance": "Variance",
        "median": "Median",
        "max": "Max",
        "min": "Min",
        "histogram": "Histogram",
        "several": "Several",
        "stage": "Stage",
    },
)
