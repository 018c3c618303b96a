"""Scores of a record's values: what each adds to the statistic of a measurement, by OpenDP's own transformations.

Transformations that treat records one by one are applied to the values that the model allows. In the example ages are
clamped to 18..65, so that somebody of 70 adds 65 to a sum.

>>> import opendp.prelude as dp
>>> from dalenius.measurements.constructor import constructor_of
>>> dp.enable_features("contrib")
>>> ages = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
>>> chain = list(constructor_of(ages >> dp.t.then_clamp((18, 65)) >> dp.t.then_sum()).in_turn())
>>> scores_of((17, 20, 70), chain[:-1], chain[-1], people=3)
{17: 18, 20: 20, 70: 65}
"""

from collections.abc import Sequence
from typing import Any, Final

from dalenius.fields import RecordValue
from dalenius.measurements.constructor import Constructor
from dalenius.measurements.unread_constructor import Unread

_ONE_BY_ONE: Final = (
    "make_cast",
    "make_cast_default",
    "make_cast_inherent",
    "make_clamp",
    "make_find",
    "make_find_bin",
    "make_identity",
    "make_impute_constant",
    "make_index",
    "make_is_equal",
    "make_is_null",
)
"""Transformations that treat every record by itself."""
_AS_THEY_ARE: Final = ("make_metric_bounded", "make_metric_unbounded", "make_ordered_random", "make_unordered")
"""Transformations that change no record."""


def scores_of(
    values: Sequence[RecordValue], chain: Sequence[Constructor], last: Constructor, people: int
) -> dict[RecordValue, Any]:
    """Returns what becomes of each value, by OpenDP's transformations, before records are counted or added up.

    Args:
        values: The values that records may have.
        chain: The transformations before records are counted or added up, the first one first.
        last: The transformation that counts them or adds them up.
        people: How many records there are.

    Raises:
        Unread: For a transformation that treats records together, and values that it does not take.
    """
    first = chain[0] if chain else last
    found = [_typed(value, first) for value in values]
    _check_members(found, first)
    for each in chain:
        if each.name == "make_resize":
            if each.arguments["size"] != people:
                raise Unread(each.name, f"it resizes to {each.arguments['size']} records, and the model has {people}")
        elif each.name in _ONE_BY_ONE:
            found = _applied(each, found)
        elif each.name not in _AS_THEY_ARE:
            raise Unread(each.name, "it does not treat records one by one")
    return dict(zip(values, found, strict=True))


def _applied(each: Constructor, values: list[Any]) -> list[Any]:
    from opendp.mod import OpenDPException

    try:
        return list(each.made(values))
    except (OpenDPException, TypeError, OverflowError):
        raise Unread(each.name, "it does not take all values that the model allows") from None


def _typed(value: RecordValue, first: Constructor) -> Any:
    """Returns a value of the model in the type that a constructor takes; Unread where it has none in that type."""
    atom = first.atom
    if atom == "String":
        return str(value)
    if not isinstance(value, str):
        if atom == "bool" and value in (0, 1):
            return bool(value)
        if atom in ("f32", "f64"):
            return float(value)
        if atom[:1] in ("i", "u") and float(value).is_integer():
            return int(value)
    raise Unread(first.name, f"it takes records of type {atom or 'unknown'}, and the model has others")


def _check_members(values: Sequence[Any], first: Constructor) -> None:
    """Raises Unread for a value outside the domain of a constructor, where its law is not known."""
    element = getattr(first.made.input_domain, "element_domain", None)
    if element is not None and not all(element.member(value) for value in values):
        raise Unread(first.name, "the model has values outside its domain")
