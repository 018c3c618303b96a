"""Whether a model's records can have the values that a measure declares, and no others."""

from fractions import Fraction
from typing import Final

from dalenius.curator.policy.measure import Measure
from dalenius.errors import InputError
from dalenius.models import Model
from dalenius.schema import RecordValue

SHOWN: Final = 5


def check_model(model: Model, measure: Measure, key: str) -> None:
    """InputError where they differ, or where the model's records are not of finitely many values. key: of the model."""
    possible = measure.possible
    declared = None if possible is None else {_shown(each) for each in possible}
    for belief in model.joints():
        if not belief.strata():
            raise InputError(key, model.kind, "a model whose records have finitely many values")
        for stratum in belief.strata():
            modelled = {_shown(each) for each in stratum.values}
            if declared is not None and declared - modelled:
                said = "a model whose records can have every value that the measure declares"
                raise InputError(key, f"records that are never {_few(declared - modelled)}", said)
            if declared is not None and modelled - declared:
                said = "a model of the values that the measure declares"
                raise InputError(key, f"records that may be {_few(modelled - declared)}", said)


def _shown(value: RecordValue | Fraction) -> str:
    """1 and 1.0 are one value, and the text "1" is another."""
    return repr(value) if isinstance(value, str) else str(Fraction(str(value)))


def _few(values: set[str]) -> str:
    return " or ".join(sorted(values)[:SHOWN])
