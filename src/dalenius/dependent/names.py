"""Names of what multiplies the noise, where scikit-learn need not be there."""

from typing import Final

METHODS: Final = (
    "independent",
    "group",
    "comonotone",
    "exact",
    "dependence_coefficient",
    "dependence_coefficient_closed",
)
