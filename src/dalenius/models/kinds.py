"""Which model is of which kind."""

from typing import Final

from dalenius.kinds import Own
from dalenius.models.model import Model

KINDS: Final = Own[Model](
    "dalenius.models",
    {
        "independent": "Independent",
        "table": "Table",
        "groups": "Groups",
        "households": "Households",
        "chain": "Chain",
        "network": "Network",
        "pairwise": "Pairwise",
        "gaussian": "GaussianRecords",
        "moments": "Moments",
        "absent": "Absent",
        "product": "Product",
        "linked": "Linked",
        "any": "Any",
    },
)
