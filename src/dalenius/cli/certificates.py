"""What `dalenius audit` prints, and `dalenius release` refuses, where only moments of the records are known."""

from dalenius.certificates import Certified, approximation_of, certify, most_thresholds
from dalenius.cli.output import nats, print_json, print_table
from dalenius.errors import DaleniusError, InputError, Refused
from dalenius.models import Any as AnyOf
from dalenius.models import Model, Moments, Product
from dalenius.queries import Mean, Sum
from dalenius.spec import Spec
from dalenius.spec.results import certified_json

ONLY = (
    "intervals only: of other events a Kolmogorov distance says nothing (docs/errata.md, E6). Round the answer to a "
    "grid, and it holds for all (dalenius.certificates.rounding)"
)


def print_certificates(spec: Spec, moments: Moments, epsilon: float | None, json: bool) -> None:
    """Every theorem's certificate of the exact sum; epsilon: by default the notion's, else that of Theorem 2."""
    _check(spec)
    chosen = epsilon if epsilon is not None else (spec.notion.epsilon if spec.notion is not None else None)
    found = certify(moments, chosen)
    delta = getattr(spec.notion, "delta", 0.0)
    grid = _thresholds(moments, chosen, delta) if chosen is not None and delta > 0 else None
    if json:
        rounded = {} if grid is None else {"rounded": {"epsilon": chosen, "delta": delta, "thresholds": grid}}
        print_json({"certificates": [certified_json(each) for each in found], **rounded})
        return
    columns = ["certificate", "sound", "epsilon (nats)", "delta", "events", "why, or source"]
    print_table("What is certified of the exact sum, without noise", columns, [_row(each) for each in found])
    for hypothesis in moments.hypotheses(fourth=True):
        print(f"rests on: {hypothesis}")
    print(f"events: {ONLY}")
    if grid is not None:
        said = f"a grid of at most {grid:,} thresholds is" if grid else "no grid is"
        print(f"{said} ({chosen:g}, {delta:g}) for all events")


def refuse_moments(model: Model) -> None:
    """Refused where moments are all that is known of some records."""
    nested = model.parts if isinstance(model, Product) else model.models if isinstance(model, AnyOf) else ()
    if isinstance(model, Moments):
        raise Refused(f"model moments certifies {ONLY}; nothing is released on moments alone")
    for each in nested:
        refuse_moments(each)


def _check(spec: Spec) -> None:
    """InputError where it is not the exact sum or mean of all records that goes out."""
    query = spec.query
    if query is not None and not isinstance(query, Sum | Mean):
        raise InputError("query.kind", query.kind, "sum or mean beside model moments")
    for key in ("labels", "per_label", "weights"):
        if getattr(query, key, None):
            raise InputError(f"query.{key}", getattr(query, key), f"no {key} beside model moments")
    if spec.noise is not None and spec.noise.kind != "none":
        raise InputError("noise.kind", spec.noise.kind, "none beside model moments, or no section [noise]")
    if spec.adversary.known:
        raise InputError("adversary.known", dict(spec.adversary.known), "model.known_fraction beside model moments")


def _thresholds(moments: Moments, epsilon: float, delta: float) -> int:
    try:
        return most_thresholds(approximation_of(moments), epsilon, delta)
    except DaleniusError:
        return 0


def _row(certified: Certified) -> list[str]:
    certificate = certified.certificate
    if certificate is None:
        return [certified.name, "", "", "", "", f"does not apply: {certified.why}"]
    sound = "yes" if certificate.sound else "NO"
    told = certificate.why or certificate.source
    return [certified.name, sound, nats(certificate.epsilon), f"{certificate.delta:.6g}", certificate.events, told]
