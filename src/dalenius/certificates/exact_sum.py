"""A spec whose model is moments: the exact sum or mean, and the grid on which it may be released."""

from fractions import Fraction

from dalenius.certificates import Rounding, rounding
from dalenius.certificates.model import Moments
from dalenius.errors import InputError
from dalenius.spec.spec import Spec
from dalenius.tables import People


def moments_of(spec: Spec) -> Moments:
    """The spec's model. InputError where it is another."""
    if not isinstance(spec.model, Moments):
        raise InputError("model.kind", spec.model.kind, "moments, of which alone there are certificates")
    return spec.model


def check_exact(spec: Spec) -> None:
    """InputError unless the query is the exact sum or mean of all records, which is what is certified."""
    query = spec.query
    if query is not None and query.share_of_total(1) is None:
        raise InputError("query.kind", query.kind, "sum or mean beside model moments")
    for key in ("labels", "per_label", "weights"):
        if getattr(query, key, None):
            raise InputError(f"query.{key}", getattr(query, key), f"no {key} beside model moments")
    if spec.noise is not None and not spec.noise.adds_nothing:
        raise InputError("noise.kind", spec.noise.kind, "none beside model moments, or no section [noise]")
    if spec.adversary.known:
        raise InputError("adversary.known", dict(spec.adversary.known), "model.known_fraction beside model moments")
    if spec.adversary.answers:
        raise InputError("adversary.answers", f"{len(spec.adversary.answers)} of them", "none beside model moments")


def certified_grid(spec: Spec, moments: Moments) -> Rounding:
    """The finest grid over the spec's [rounding] that keeps its promise of an ε and a δ. InputError where none does."""
    check_exact(spec)
    notion = spec.promise()
    if notion.promised_delta is None:
        raise InputError("notion.kind", notion.kind, "noiseless, or inferential with a delta, beside model moments")
    if notion.promised_delta == 0:
        raise InputError("notion.delta", 0.0, "a number above 0 and below 1 beside model moments")
    if (known := notion.background_fraction or 0.0) > moments.known_fraction:
        wanted = f"at most model.known_fraction = {moments.known_fraction:g}, which the moments are about"
        raise InputError("notion.known_fraction", known, wanted)
    if spec.rounding is None:
        raise InputError("rounding", "missing", "a section [rounding] with lower and upper")
    return rounding(moments, notion.epsilon or 0.0, notion.promised_delta, spec.rounding.lower, spec.rounding.upper)


def exact_answer(spec: Spec, moments: Moments, people: People) -> Fraction:
    """The table's sum or mean of values clipped to the query's bounds, whose distance must not exceed the range.

    InputError where it does, or the table has not as many people as the model.
    """
    query = spec.query
    bounds = None if query is None else query.value_bounds
    share = None if query is None else query.share_of_total(moments.n)
    if bounds is None or share is None:
        raise InputError("query", "no bounds", "a sum or mean with lower and upper, the public range of a value")
    lower, upper = (Fraction(str(end)) for end in bounds)
    if upper - lower > Fraction(str(moments.range)):
        raise InputError("model.range", moments.range, f"at least upper - lower of the query, {float(upper - lower):g}")
    if people.count() != moments.n:
        raise InputError("data", f"{people.count()} people", f"{moments.n}, as many as the model has")
    total = Fraction(0)
    for (_, value), count in people.tally().items():
        if isinstance(value, str):
            raise InputError("data.value", value, "a number in every row")
        total += count * min(max(value, lower), upper)
    return total * share
