"""What `dalenius audit` prints where the model gives only moments of the records."""

from typing import Any

from dalenius.bounds import up_to_digits
from dalenius.certificates import INTERVALS_ONLY, Certified, approximation_of, certify, most_thresholds
from dalenius.certificates.exact_sum import certified_grid, check_exact, moments_of
from dalenius.certificates.model import Moments
from dalenius.cli.output import print_json, print_table, say
from dalenius.errors import DaleniusError
from dalenius.spec import Spec
from dalenius.spec.results import DIGITS, number
from dalenius.spec.words import nats


def print_certificates(spec: Spec, epsilon: float | None, json: bool) -> None:
    """Every theorem's certificate of the exact sum; epsilon: by default the notion's, else that of Theorem 2. The
    spec's model gives moments."""
    moments = moments_of(spec)
    check_exact(spec)
    chosen = epsilon if epsilon is not None else (spec.notions[0].epsilon if spec.notions else None)
    found = certify(moments, chosen)
    delta = spec.notions[0].promised_delta or 0.0 if spec.notions else 0.0
    if spec.rounding is not None:
        certified_grid(spec, moments)
    grid = _thresholds(moments, chosen, delta) if chosen is not None and delta > 0 else None
    if json:
        rounded = {} if grid is None else {"rounded": {"epsilon": chosen, "delta": delta, "thresholds": grid}}
        print_json({"certificates": [certified_json(each) for each in found], **rounded})
        return
    columns = ["certificate", "sound", "epsilon (nats)", "delta", "events", "why, or source"]
    print_table("What is certified of the exact sum, without noise", columns, [_row(each) for each in found])
    for hypothesis in moments.hypotheses(fourth=True):
        say(f"rests on: {hypothesis}")
    say(f"events: {INTERVALS_ONLY}")
    if grid is not None:
        said = f"a grid of at most {grid:,} thresholds is" if grid else "no grid is"
        say(f"{said} ({chosen:g}, {delta:g}) for all events")


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
    reason = certificate.why or certificate.source
    return [certified.name, sound, nats(certificate.epsilon), f"{certificate.delta:.6g}", certificate.events, reason]


def certified_json(certified: Certified) -> dict[str, Any]:
    """applies: whether the theorem applies; epsilon and delta hold for `events`."""
    shown: dict[str, Any] = {"certificate": certified.name, "applies": certified.certificate is not None}
    certificate = certified.certificate
    if certificate is None:
        return shown | {"why": certified.why}
    return shown | {
        "sound": certificate.sound,
        "why": certificate.why,
        "epsilon": number(certificate.epsilon),
        "delta": number(up_to_digits(certificate.delta, DIGITS)),
        "events": certificate.events,
        "hypotheses": list(certificate.hypotheses),
        "source": certificate.source,
    }
