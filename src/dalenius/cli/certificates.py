"""What `dalenius audit` prints where the model gives only moments of the records."""

from dalenius.certificates import INTERVALS_ONLY, Certified, approximation_of, certify, most_thresholds
from dalenius.cli.output import print_json, print_table, say
from dalenius.errors import DaleniusError
from dalenius.models import Moments
from dalenius.spec import Spec, certified_grid, check_exact
from dalenius.spec.results import certified_json
from dalenius.spec.words import nats


def print_certificates(spec: Spec, moments: Moments, epsilon: float | None, json: bool) -> None:
    """Every theorem's certificate of the exact sum; epsilon: by default the notion's, else that of Theorem 2."""
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
