"""Certificates of the exact sum, which `dalenius audit` prints for a spec whose model is moments.

Take a million records of variance .25 and range 1, and a promise of ε = .1 and δ = .05. `independent_sum` has δ =
.00191609 for intervals, and `local_dependence` .0961599. The sum may go out rounded by 52 thresholds.
"""

from pathlib import Path
from typing import Any

from dalenius.bounds import up_to_digits
from dalenius.cli.output import print_json, print_table, say
from dalenius.errors import DaleniusError, InputError
from dalenius.spec import Spec
from dalenius.spec.results_as_json import PRINTED_DIGITS, number
from dalenius.spec.results_in_words import nats
from dalenius.theorems import (
    INTERVALS_ONLY,
    Certified,
    approximation_of,
    bernoulli_epsilon,
    certify,
    most_thresholds,
)
from dalenius.theorems.moment_model import Moments


def _check_exact(spec: Spec) -> None:
    """Raises InputError unless the query is the exact sum or mean of all records, which is what is certified."""
    query = spec.query
    # Because the theorems are about sums, they say nothing of a median or a histogram.
    if query is not None and query.share_of_total(1) is None:
        raise InputError("query.kind", query.kind, "sum or mean beside model moments")
    # Because the moments are of all records as they are, not of one school's sum, or of a weighted one.
    for key in ("labels", "per_label", "weights"):
        if getattr(query, key, None):
            raise InputError(f"query.{key}", getattr(query, key), f"no {key} beside model moments")
    # Because noise hides by itself, and what is certified here is hidden by the other records alone.
    if spec.noise is not None and not spec.noise.shape.adds_nothing:
        raise InputError("noise.kind", spec.noise.kind, "none beside model moments, or no section [noise]")
    # Because the moments are those given a share of known records, whichever they are, and not given a list of them.
    if spec.adversary.known:
        raise InputError("adversary.known", dict(spec.adversary.known), "model.known_fraction beside model moments")
    if spec.adversary.answers:
        raise InputError("adversary.answers", f"{len(spec.adversary.answers)} of them", "none beside model moments")


def print_certificates(spec: Spec, epsilon: float | None, json: bool, plot: Path | None = None) -> None:
    """Prints every theorem's certificate of the exact sum.

    Args:
        spec: The spec; InputError where its model gives no moments.
        epsilon: The epsilon in nats; None for the notion's, or else that of Theorem 2.
        json: Whether they are printed as JSON, and not as a table.
        plot: Where a picture of them by the number of people goes; None for none.
    """
    moments = spec.model
    if not isinstance(moments, Moments):
        raise InputError("model.kind", moments.kind, "moments: there are certificates for this model only")
    _check_exact(spec)
    chosen = epsilon if epsilon is not None else (spec.notions[0].epsilon if spec.notions else None)
    found = certify(moments, chosen)
    delta = spec.notions[0].promised_delta or 0.0 if spec.notions else 0.0
    # Because a count of equal bits is certified for all events, it needs no rounding.
    rounds = chosen is not None and delta > 0 and moments.probability is None
    grid = _thresholds(moments, chosen, delta) if rounds and chosen is not None else None
    if plot is not None:
        # Because matplotlib takes a second to import, the picture's module is imported where it is asked for.
        from dalenius.reports.plots_of_certificates import certificate_figure

        certificate_figure(moments, chosen, plot)
    least = _at_delta(moments, delta)
    if json:
        rounded = {} if grid is None else {"rounded": {"epsilon": chosen, "delta": delta, "thresholds": grid}}
        at_delta = {} if least is None else {"at_delta": _certified_json(least)}
        print_json({"certificates": [_certified_json(each) for each in found], **at_delta, **rounded})
        return
    columns = ["certificate", "sound", "epsilon (nats)", "delta", "events", "source"]
    print_table("What is certified of the exact sum, without noise", columns, [_row(each) for each in found])
    for hypothesis in moments.hypotheses(fourth=True):
        say(f"rests on: {hypothesis}")
    if any(each.certificate is not None and each.certificate.events == "intervals" for each in found):
        say(f"events: {INTERVALS_ONLY}")
    if least is not None and least.certificate is not None:
        known = least.certificate
        say(f"at delta = {delta:g}: epsilon = {nats(known.epsilon)} for all events ({known.source})")
    if grid is not None:
        said = f"a grid of at most {grid:,} thresholds is" if grid else "no grid is"
        say(f"{said} ({chosen:g}, {delta:g}) for all events")


def _at_delta(moments: Moments, delta: float) -> Certified | None:
    """Returns the least ε that NP Theorem 1 gives at the promised delta; None where it is not about these records."""
    if moments.probability is None or not delta:
        return None
    try:
        return Certified("equal_bits", bernoulli_epsilon(moments.unknown, moments.probability, delta), "")
    except DaleniusError as error:
        return Certified("equal_bits", None, str(error))


def _thresholds(moments: Moments, epsilon: float, delta: float) -> int:
    """Returns the most thresholds of a grid that keeps these; 0 where none does."""
    # Where one neighbourhood has all of the variance, nothing says that the sum is nearly Gaussian.
    try:
        return most_thresholds(approximation_of(moments), epsilon, delta)
    except DaleniusError:
        return 0


def _row(certified: Certified) -> list[str]:
    """Returns a line of the table: a theorem's certificate, or why it has none."""
    certificate = certified.certificate
    # Because independent records have no use for the theorem on dependent ones, nor these for that on independent.
    if certificate is None:
        return [certified.name, "", "", "", "", f"does not apply: {certified.why}"]
    delta, sound = f"{certificate.delta:.6g}", "yes" if certificate.sound else "NO"
    return [certified.name, sound, nats(certificate.epsilon), delta, certificate.events, certificate.source]


def _certified_json(certified: Certified) -> dict[str, Any]:
    """Returns a certificate ready for JSON; applies: whether the theorem does; epsilon and delta hold for `events`."""
    shown: dict[str, Any] = {"certificate": certified.name, "applies": certified.certificate is not None}
    certificate = certified.certificate
    if certificate is None:
        return shown | {"why": certified.why}
    return shown | {
        "sound": certificate.sound,
        "why": certified.why,
        "epsilon": number(certificate.epsilon),
        "delta": number(up_to_digits(certificate.delta, PRINTED_DIGITS)),
        "events": certificate.events,
        "hypotheses": list(certificate.hypotheses),
        "source": certificate.source,
    }
