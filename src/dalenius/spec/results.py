"""Results as the public JSON of the commands: stable keys, infinities as the text "inf"."""

from decimal import Decimal
from fractions import Fraction
from math import ceil, floor, inf, isinf, isnan
from typing import Any, Final

from dalenius.bounds import Enclosure, down_to_digits, near_to_digits, up_to_digits
from dalenius.calibration import Calibration, Compared
from dalenius.certificates import Certified
from dalenius.channel import SubjectTail
from dalenius.laws.tails.tail import probability
from dalenius.noise import Noise
from dalenius.notions import Leakage, Witness

DIGITS: Final = 10
"""Significant digits of what is printed: the last bits of a double differ from one processor to the next."""


def leakage_json(leakage: Leakage) -> dict[str, Any]:
    """epsilon (a point of the enclosure), lower and upper, rounded outwards, witness and the notion's companions."""
    shown = {
        **_enclosure_json(Enclosure(leakage.lower, leakage.upper), "epsilon"),
        "witness": None if leakage.witness is None else _witness_json(leakage.witness),
    }
    return shown | {name: _enclosure_json(value, name)[name] for name, value in leakage.companions.items()}


def _enclosure_json(value: Enclosure, name: str, ends: str = "") -> dict[str, Any]:
    """A point of the enclosure under that name, and its ends, rounded outwards to the digits that are reliable."""
    lower, middle, upper = printed(value)
    return {name: number(middle), f"{ends}lower": number(lower), f"{ends}upper": number(upper)}


def printed(value: Enclosure) -> tuple[float, float, float]:
    """Lower end, middle and upper end. DIGITS of each, or fewer where the enclosure is narrow and still leaves them
    open: its ends are then roundings themselves, and as good as their place on a grid of the upper end's digits."""
    size, width = max(abs(value.lower), abs(value.upper)), value.upper - value.lower
    digits = next((digits for digits, most in FEWER if width > most * size), DIGITS)
    if not width < ROUNDINGS or digits == DIGITS:
        ends = down_to_digits(value.lower, DIGITS), up_to_digits(value.upper, DIGITS)
        return ends[0], min(max(near_to_digits(value.middle, DIGITS), ends[0]), ends[1]), ends[1]
    # Next to a power of ten the same number of digits is not the same grid: it is that of a little more.
    grid = Decimal(1).scaleb(Decimal(size * (1 + 1e-6)).adjusted() - digits + 1)
    lower, upper = floor(Fraction(value.lower) / Fraction(grid)), ceil(Fraction(value.upper) / Fraction(grid))
    middle = round(Fraction(value.middle) / Fraction(grid))
    low, mid, high = (float(n * grid) for n in (lower, min(max(middle, lower), upper), upper))
    return low, mid, high


FEWER: Final = ((1, 1e-3), (4, 1e-6), (7, 1e-9))
"""Digits shown, and the relative width of an enclosure above which they are that few."""
ROUNDINGS: Final = 1e-7
"""Enclosures wider than this are not due to rounding alone."""


def _witness_json(witness: Witness) -> dict[str, Any]:
    """Only the parts that the notion sets; a single output is a number, several are a list."""
    shown: dict[str, Any] = {"person": witness.person, "who": witness.who}
    if witness.secret is not None:
        shown["secret"] = witness.secret
    if witness.against is not None:
        shown["against"] = witness.against
    if witness.output is not None:
        output = [value if isinstance(value, int | str) else _shown_number(value) for value in witness.output]
        shown["output"] = output[0] if len(output) == 1 else output
    if witness.outputs is not None:
        shown["outputs"] = [[_shown_number(low), _shown_number(high)] for low, high in witness.outputs]
    shown |= _chance_json(witness.log_probability, "probability") | _chance_json(witness.log_near, "near")
    if witness.answers != ("",):
        shown["answers"] = list(witness.answers)
    if witness.known:
        shown["known"] = {str(person): value for person, value in witness.known.items()}
    return shown


def _chance_json(logs: Enclosure | None, name: str) -> dict[str, Any]:
    """A probability given as a log: the number where it is known to TIGHT, else its two ends; its log too where it lies
    below the doubles. Nothing where it is not known what it is of."""
    if logs is None:
        return {}
    value = probability(logs)
    lower, middle, upper = printed(value)
    if not (logs.lower == logs.upper == -inf or logs.upper - logs.lower <= TIGHT):
        return {f"{name}_lower": number(lower), f"{name}_upper": number(upper)}
    if -inf < logs.upper < DEEPEST:
        return {name: number(middle), f"log_{name}": _shown_number(logs.middle)}
    return {name: number(middle)}


TIGHT: Final = 1e-6
DEEPEST: Final = -690.0
"""A log of a probability below which it is no double of full precision."""


def tail_json(tail: SubjectTail) -> dict[str, Any]:
    """About whom, and the law of what an output leaks about them, in nats."""
    law = tail.law
    found = {name: law.quantile(delta) for name, delta in QUANTILES.items()}
    found |= {"mean": law.mean(), "maximal_leakage": tail.maximal_leakage}
    shown = {"person": tail.witness.person, "who": tail.witness.who}
    return shown | {name: _enclosure_json(value, "epsilon") for name, value in found.items()}


QUANTILES: Final = {"median": 0.5, "q99": 0.01, "q999999": 1e-6}
"""By name, the probability with which an output may leak more."""


def delta_json(delta: Enclosure) -> dict[str, Any]:
    return _enclosure_json(delta, "delta", "delta_")


def calibration_json(calibration: Calibration) -> dict[str, Any]:
    return {
        "method": calibration.method,
        "sound": calibration.sound,
        "why": calibration.why,
        "noise": _noise_json(calibration.noise),
        "expected_error": _error(calibration),
        "leakage": leakage_json(calibration.leakage),
        "differential": _differential(calibration),
        **({"details": _rounded(dict(calibration.details))} if calibration.details else {}),
    }


def _rounded(found: Any, digits: int = DIGITS) -> Any:
    """Details as they are printed; lower bounds are rounded down."""
    if isinstance(found, dict):
        down = {"lower_bound": bound_json(found["lower_bound"])} if "lower_bound" in found else {}
        return {key: _rounded(value, FEW if key in SOLVED else digits) for key, value in found.items()} | down
    return near_to_digits(found, digits) if isinstance(found, float) else found


SOLVED: Final = ("achieved", "error_given_answer")
FEW: Final = 6
"""Significant digits of results that a solver computed."""


def _error(calibration: Calibration) -> float | str | None:
    return _shown_number(calibration.expected_error, FEW if calibration.solved else DIGITS)


def _noise_json(noise: Noise) -> dict[str, Any]:
    """All that a [noise] section needs to draw it; scale 0 where nothing is added."""
    shown = noise.model_dump(mode="json", exclude_none=True)
    return shown | {"scale": 0.0 if noise.adds_nothing else noise.scale}


def _differential(calibration: Calibration | None) -> float | str | None:
    """The most the noise leaks about one record to an adversary who knows all others; null where undefined."""
    found = None if calibration is None else calibration.differential
    return None if found is None else number(up_to_digits(found, DIGITS))


def bound_json(bound: float | None) -> float | None:
    """A lower bound on any mechanism's error, rounded down."""
    return None if bound is None else down_to_digits(bound, FEW)


def compared_json(compared: Compared, least: float | None = None) -> dict[str, Any]:
    """least: a lower bound on any mechanism's expected error."""
    said = {"method": compared.method, "applies": compared.calibration is not None, "why": compared.why}
    calibration = compared.calibration
    return said | {
        "sound": None if calibration is None else calibration.sound,
        "scale": None if calibration is None else _noise_json(calibration.noise)["scale"],
        "expected_error": None if calibration is None else _error(calibration),
        "of_least": None
        if calibration is None or not least
        else _shown_number(calibration.expected_error / least, FEW),
        "achieved": None if calibration is None else leakage_json(calibration.leakage)["epsilon"],
        "differential": _differential(calibration),
        "seconds": compared.seconds,
    }


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


def answer_json(answer: Fraction | str) -> int | float | str:
    if isinstance(answer, str):
        return answer
    return int(answer) if answer.denominator == 1 else float(answer)


def _shown_number(value: float, digits: int = DIGITS) -> float | str | None:
    """The nearest of so many digits."""
    return number(near_to_digits(value, digits))


def number(value: float) -> float | str | None:
    """Infinities as texts and NaN as null, since JSON has neither."""
    if isnan(value):
        return None
    return float(value) if not isinf(value) else ("inf" if value == inf else "-inf")
