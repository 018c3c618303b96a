"""The check that a policy's model has the values that a measure declares, before anybody pays for an answer."""

from fractions import Fraction

from dalenius.curator.data_set_policy import Measure
from dalenius.errors import InputError
from dalenius.fields import RecordValue
from dalenius.models import Model
from dalenius.tables.true_answer import check_missing_value, check_no_gap


def check_model(model: Model, measure: Measure, key: str) -> None:
    """Raises InputError where the values that records can have differ, or where the model's are not finitely many.

    Every answer would be paid for and then fail. A measure of days from 0 to 10 in steps of 1 beside a model of values
    0 to 9 is refused, as the model says nothing of 10.

    Args:
        model: The model.
        measure: The measure.
        key: The policy's key of the model.
    """
    possible = measure.possible
    declared = None if possible is None else {_shown(each) for each in possible}
    check_no_gap(measure.missing, model)
    for belief in model.joints():
        if not belief.strata():
            raise InputError(key, model.kind, "a model whose records have finitely many values")
        check_missing_value(measure.missing, belief.strata())
        for stratum in belief.strata():
            modelled = {_shown(each) for each in stratum.values}
            if declared is None or declared == modelled:
                continue
            never = declared - modelled
            if never:
                said = "a model whose records can have every value that the measure declares"
                raise InputError(key, f"records that are never {_few(never)}", said)
            said = "a model of the values that the measure declares"
            raise InputError(key, f"records that may be {_few(modelled - declared)}", said)


def _shown(value: RecordValue | Fraction) -> str:
    """Returns a text by which 1 and 1.0 are one value, and the text "1" is another."""
    return repr(value) if isinstance(value, str) else str(Fraction(str(value)))


def _few(values: set[str]) -> str:
    return " or ".join(sorted(values)[:5])
