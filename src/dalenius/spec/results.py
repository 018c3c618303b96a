"""Results as the public JSON of the commands: stable keys, infinities as the text "inf"."""

from fractions import Fraction
from math import inf, isinf, isnan
from typing import Any

from dalenius.bounds import Enclosure
from dalenius.calibration import Calibration, Compared
from dalenius.certificates import Certified
from dalenius.noise import Noise
from dalenius.notions import Leakage, Witness


def leakage_json(leakage: Leakage) -> dict[str, Any]:
    """epsilon (a point of the enclosure), lower, upper, witness and the notion's companions."""
    shown: dict[str, Any] = {
        "epsilon": number(leakage.epsilon),
        "lower": number(leakage.lower),
        "upper": number(leakage.upper),
        "witness": None if leakage.witness is None else witness_json(leakage.witness),
    }
    return shown | {name: number(value.middle) for name, value in leakage.companions.items()}


def witness_json(witness: Witness) -> dict[str, Any]:
    """Only what the notion speaks of; a single output is a number, several are a list."""
    shown: dict[str, Any] = {"person": witness.person, "who": witness.who}
    if witness.secret is not None:
        shown["secret"] = witness.secret
    if witness.against is not None:
        shown["against"] = witness.against
    if witness.output is not None:
        output = [value if isinstance(value, int | str) else number(value) for value in witness.output]
        shown["output"] = output[0] if len(output) == 1 else output
    if witness.outputs is not None:
        shown["outputs"] = [[number(low), number(high)] for low, high in witness.outputs]
    if witness.answers != ("",):
        shown["answers"] = list(witness.answers)
    if witness.known:
        shown["known"] = {str(person): value for person, value in witness.known.items()}
    return shown


def delta_json(delta: Enclosure) -> dict[str, Any]:
    return {"delta": number(delta.middle), "delta_lower": number(delta.lower), "delta_upper": number(delta.upper)}


def calibration_json(calibration: Calibration) -> dict[str, Any]:
    return {
        "method": calibration.method,
        "sound": calibration.sound,
        "why": calibration.why,
        "noise": _noise_json(calibration.noise),
        "expected_error": number(calibration.expected_error),
        "leakage": leakage_json(calibration.leakage),
        "differential": _differential(calibration),
        **({"details": dict(calibration.details)} if calibration.details else {}),
    }


def _noise_json(noise: Noise) -> dict[str, Any]:
    """All that a [noise] section needs to draw it; scale 0 where nothing is added."""
    shown = noise.model_dump(mode="json", exclude_none=True)
    return shown | {"scale": 0.0 if noise.kind == "none" else noise.scale}


def _differential(calibration: Calibration | None) -> float | str | None:
    """What the noise lets through of one record to whoever knows all others, at most; null where it has no meaning."""
    return None if calibration is None or calibration.differential is None else number(calibration.differential)


def compared_json(compared: Compared, least: float | None = None) -> dict[str, Any]:
    """least: what no mechanism's expected error is below."""
    shown = {"method": compared.method, "applies": compared.calibration is not None, "why": compared.why}
    calibration = compared.calibration
    return shown | {
        "sound": None if calibration is None else calibration.sound,
        "scale": None if calibration is None else _noise_json(calibration.noise)["scale"],
        "expected_error": None if calibration is None else number(calibration.expected_error),
        "of_least": None if calibration is None or not least else number(calibration.expected_error / least),
        "achieved": None if calibration is None else number(calibration.leakage.epsilon),
        "differential": _differential(calibration),
        "seconds": compared.seconds,
    }


def certified_json(certified: Certified) -> dict[str, Any]:
    """applies: whether the theorem says anything; epsilon and delta hold for `events`."""
    shown: dict[str, Any] = {"certificate": certified.name, "applies": certified.certificate is not None}
    certificate = certified.certificate
    if certificate is None:
        return shown | {"why": certified.why}
    return shown | {
        "sound": certificate.sound,
        "why": certificate.why,
        "epsilon": number(certificate.epsilon),
        "delta": number(certificate.delta),
        "events": certificate.events,
        "hypotheses": list(certificate.hypotheses),
        "source": certificate.source,
    }


def answer_json(answer: Fraction | str) -> int | float | str:
    if isinstance(answer, str):
        return answer
    return int(answer) if answer.denominator == 1 else float(answer)


def number(value: float) -> float | str | None:
    """JSON has no infinity, and no word for what is no number."""
    if isnan(value):
        return None
    return float(value) if not isinf(value) else ("inf" if value == inf else "-inf")
