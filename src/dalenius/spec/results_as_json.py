"""Results as the public JSON of the commands: stable keys, infinities as the text "inf"."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from math import ceil, exp, floor, inf, isinf, isnan
from typing import TYPE_CHECKING, Any, Final

from dalenius.bounds import Enclosure, down_to_digits, near_to_digits, up_to_digits
from dalenius.channel import LawPosterior, Posterior, Standing, SubjectTail, Update
from dalenius.errors import InputError
from dalenius.laws.leakage_tail import probability
from dalenius.noise import Noise, number_of
from dalenius.notions import Leakage, Notion, Witness, in_words, leakage_in_words
from dalenius.spec.results_in_words import is_bound

if TYPE_CHECKING:
    from dalenius.calibration import Accuracy, Calibration, Compared, Kept

PRINTED_DIGITS: Final = 10
"""Significant digits of printed numbers, because the last bits of a double differ between processors."""


def leakage_json(leakage: Leakage, notion: Notion | None = None) -> dict[str, Any]:
    """Returns the JSON of a `leakage`.

    It has epsilon (a point of the enclosure), lower and upper, rounded outwards, whether they are bounds only,
    witness and the notion's companions. With the `notion` it also has the meaning in words, where that is of chances
    or odds.
    """
    said = None if notion is None else leakage_in_words(notion, leakage)
    value = Enclosure(leakage.lower, leakage.upper)
    shown = {
        **enclosure_json(value, "epsilon"),
        "is_bound": is_bound(value),
        **_said(said),
        "witness": None if leakage.witness is None else witness_json(leakage.witness),
    }
    for name, each in leakage.companions.items():
        shown |= {name: enclosure_json(each, name)[name], f"{name}_is_bound": is_bound(each)}
    return shown


def _said(words: str | None) -> dict[str, str]:
    """Returns the words as an entry of JSON; none where nothing can be said."""
    return {} if words is None else {"in_words": words}


def promises_json(promises: Sequence[Notion]) -> dict[str, Any]:
    """Returns the words of the first of `promises`; where there are several, each with its notion."""
    if len(promises) == 1:
        return _said(in_words(promises[0]))
    return {"promises": [{"notion": notion_json(notion), **_said(in_words(notion))} for notion in promises]}


def notion_json(notion: Notion) -> dict[str, Any]:
    """Returns the `notion` as it was given, with its epsilon."""
    return {**notion.model_dump(mode="json"), "epsilon": notion.epsilon}


def enclosure_json(value: Enclosure, name: str, ends: str = "") -> dict[str, Any]:
    """Returns a point of the enclosure `value` under `name`, and its ends, rounded outwards to reliable digits.

    `ends` is put before the names of the ends.
    """
    lower, middle, upper = printed(value)
    return {name: number(middle), f"{ends}lower": number(lower), f"{ends}upper": number(upper)}


def printed(value: Enclosure) -> tuple[float, float, float]:
    """Returns lower end, middle and upper end of the enclosure `value`, as they are printed.

    Each has PRINTED_DIGITS digits, or fewer where the enclosure is narrow and still leaves them open: its ends are
    then roundings themselves, and as good as their place on a grid of the upper end's digits.

    >>> printed(Enclosure(1 / 3, 1 / 3 + 1e-9)), printed(Enclosure(0.1, 0.2))
    ((0.3333333, 0.3333333, 0.3333334), (0.1, 0.15, 0.2000000001))
    """
    size, width = max(abs(value.lower), abs(value.upper)), value.upper - value.lower
    digits = next((digits for digits, most in _FEWER if width > most * size), PRINTED_DIGITS)
    # Because enclosures wider than this are not due to rounding alone.
    if not width < 1e-7 or digits == PRINTED_DIGITS:
        ends = down_to_digits(value.lower, PRINTED_DIGITS), up_to_digits(value.upper, PRINTED_DIGITS)
        return ends[0], min(max(near_to_digits(value.middle, PRINTED_DIGITS), ends[0]), ends[1]), ends[1]
    # Because the same number of digits is another grid next to a power of ten: that of a little more.
    grid = Decimal(1).scaleb(Decimal(size * (1 + 1e-6)).adjusted() - digits + 1)
    lower, upper = floor(Fraction(value.lower) / Fraction(grid)), ceil(Fraction(value.upper) / Fraction(grid))
    middle = round(Fraction(value.middle) / Fraction(grid))
    low, mid, high = (float(n * grid) for n in (lower, min(max(middle, lower), upper), upper))
    return low, mid, high


_FEWER: Final = ((1, 1e-3), (4, 1e-6), (7, 1e-9))
"""Numbers of digits, and the relative width of an enclosure above which they are that few."""


def witness_json(witness: Witness) -> dict[str, Any]:
    """Returns only the parts of a `witness` that the notion sets; a single output is a number, several are a list."""
    shown: dict[str, Any] = {"person": witness.person, "who": witness.who}
    # Because a group may be everybody, at most twenty of its people are listed.
    if 0 < len(witness.people) <= 20:
        shown["people"] = list(witness.people)
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
    # Because a single count's answer has no name.
    if witness.answers != ("",):
        shown["answers"] = list(witness.answers)
    if witness.known:
        shown["known"] = {str(person): value for person, value in witness.known.items()}
    return shown


def _chance_json(logs: Enclosure | None, name: str) -> dict[str, Any]:
    """Returns a probability given as a log: a number where it is known closely, else its two ends.

    It has its log too where it lies below the doubles. Empty where the event is not known.
    """
    if logs is None:
        return {}
    value = probability(logs)
    lower, middle, upper = printed(value)
    # The case of a number known to a factor only, as for a window's tail: both ends, and no middle that looks exact.
    if not (logs.lower == logs.upper == -inf or logs.upper - logs.lower <= 1e-6):
        return {f"{name}_lower": number(lower), f"{name}_upper": number(upper)}
    # Because a probability below e^-690 is no double of full precision.
    if -inf < logs.upper < -690.0:
        return {name: number(middle), f"log_{name}": _shown_number(logs.middle)}
    return {name: number(middle)}


def tail_json(tail: SubjectTail) -> dict[str, Any]:
    """Returns the person of a `tail`, and the law of an output's loss about them, in nats."""
    law = tail.law
    found = {name: law.quantile(delta) for name, delta in QUANTILES.items()}
    found |= {"mean": law.mean(), "maximal_leakage": tail.maximal_leakage}
    shown = {"person": tail.witness.person, "who": tail.witness.who}
    return shown | {name: enclosure_json(value, "epsilon") for name, value in found.items()}


QUANTILES: Final = {"median": 0.5, "q99": 0.01, "q999999": 1e-6}
"""The probability with which an output may leak more, by the quantile's name."""


def delta_json(delta: Enclosure) -> dict[str, Any]:
    """Returns the δ in `delta` and its ends, rounded outwards; a probability."""
    return enclosure_json(delta, "delta", "delta_")


def accuracy_json(found: "Accuracy") -> dict[str, Any]:
    """Returns the JSON of the accuracy `found`.

    It has beta: of the largest error of an answer; sum: of the sum of all, null where that is not known.
    """
    total = None if found.total is None else enclosure_json(found.total, "beta")
    return {"within": found.within, **enclosure_json(found.beta, "beta"), "sum": total}


def calibration_json(calibration: "Calibration") -> dict[str, Any]:
    """Returns the JSON of a `calibration`.

    `leakage` is the first promise's; where there are several, `promises` has each with its leakage.
    """
    first = calibration.promises[0].notion if calibration.promises else None
    return {
        "method": calibration.method,
        "sound": calibration.sound,
        "why": calibration.why,
        "noise": noise_json(calibration.noise),
        "expected_error": _error(calibration),
        "leakage": leakage_json(calibration.leakage, first),
        **_kept_json(calibration.promises),
        **_companion_losses(calibration),
        **({"details": _to_digits(dict(calibration.details))} if calibration.details else {}),
    }


def _kept_json(promises: "Sequence[Kept]") -> dict[str, Any]:
    """Returns each promise with its leakage, where there are several; the calibration itself has that of one."""
    if len(promises) < 2:
        return {}
    each = [
        {
            "notion": notion_json(kept.notion),
            **_said(in_words(kept.notion)),
            "leakage": leakage_json(kept.leakage, kept.notion),
        }
        for kept in promises
    ]
    return {"promises": each}


def _to_digits(found: Any, digits: int = PRINTED_DIGITS) -> Any:
    """Rounds numbers as they are printed, wherever they are; lower bounds are rounded down."""
    # Because details of a method may be nested: a program's, layer by layer.
    if isinstance(found, dict):
        down = {"lower_bound": bound_json(found["lower_bound"])} if "lower_bound" in found else {}
        return {key: _to_digits(value, FEW_SHOWN if key in _SOLVED else digits) for key, value in found.items()} | down
    return near_to_digits(found, digits) if isinstance(found, float) else found


_SOLVED: Final = ("achieved", "error_given_answer")
FEW_SHOWN: Final = 6
"""Significant digits of results that a solver computed, because its last digits differ between processors."""


def _error(calibration: "Calibration") -> float | str | None:
    return _shown_number(calibration.expected_error, FEW_SHOWN if calibration.solved else PRINTED_DIGITS)


def noise_json(noise: Noise) -> dict[str, Any]:
    """Returns all that a [noise] section needs to draw `noise`; scale 0 where nothing is added."""
    shown = noise.self_contained().model_dump(mode="json", exclude_none=True)
    return shown | {"scale": 0.0 if noise.shape.adds_nothing else noise.scale}


def _companion_losses(calibration: "Calibration | None") -> dict[str, Any]:
    """Returns the largest loss about one record to adversaries who know all others, or any of them.

    They are null where undefined.
    """
    found = None if calibration is None else calibration.differential_ends
    known = None if calibration is None else calibration.bayesian
    return {
        "differential": None if found is None else number(up_to_digits(found.upper, PRINTED_DIGITS)),
        "differential_is_bound": None if found is None else is_bound(found),
        "bayesian": None if known is None else number(printed(known)[2]),
        "bayesian_is_bound": None if known is None else is_bound(known),
    }


def bound_json(bound: float | None) -> float | None:
    """Returns a lower `bound` on any mechanism's error, rounded down."""
    return None if bound is None else down_to_digits(bound, FEW_SHOWN)


def compared_json(compared: "Compared", least: float | None = None) -> dict[str, Any]:
    """Returns the JSON of one method's outcome `compared`.

    least: a lower bound on any mechanism's expected error. It has achieved, in_words: of the first promise; promises:
    the leakage by each, where there are several.
    """
    said = {"method": compared.method, "applies": compared.calibration is not None, "why": compared.why}
    found = compared.calibration
    # So that a method that does not apply has the same keys.
    made = dict.fromkeys(_MADE) if found is None else _made_json(found, bound_json(least))
    return said | made | {**_companion_losses(found), "seconds": compared.seconds}


_MADE: Final = ("sound", "scale", "expected_error", "of_least", "achieved", "achieved_is_bound", "in_words")


def _made_json(found: "Calibration", least: float | None) -> dict[str, Any]:
    """Returns the parts of a method that applies; least: as it is shown.

    The last digits of a linear program differ between processors.
    """
    promises = found.promises
    each = [{"notion": kept.notion.kind, **_achieved(kept.leakage)} for kept in promises]
    return {
        "sound": found.sound,
        "scale": noise_json(found.noise)["scale"],
        "expected_error": _error(found),
        "of_least": _shown_number(found.expected_error / least, FEW_SHOWN) if least else None,
        **_achieved(found.leakage),
        "in_words": leakage_in_words(promises[0].notion, found.leakage) if promises else None,
        **({"promises": each} if len(promises) > 1 else {}),
    }


def _achieved(leakage: Leakage) -> dict[str, Any]:
    """Returns a point of the enclosure, in nats, and whether only bounds of it are known."""
    shown = leakage_json(leakage)
    return {"achieved": shown["epsilon"], "achieved_is_bound": shown["is_bound"]}


def posterior_json(found: Posterior) -> dict[str, Any]:
    """Returns the block of the law under which the answers of `found` may leak most.

    `blocks` has all laws where there are several.
    """
    shown: dict[str, Any] = {"answers": [_answer(each) for each in found.answers]}
    if any(found.names):
        shown["labels"] = list(found.names)
    shown |= {"laws": len(found.laws), **_block_json(found.worst)}
    return shown if len(found.laws) == 1 else shown | {"blocks": [_block_json(each) for each in found.laws]}


def _block_json(block: LawPosterior) -> dict[str, Any]:
    """Returns the JSON of one law. likelihood is null where the law rules the answers out."""
    return {
        "law": block.law,
        "people": [_update_json(each) for each in block.people],
        "stands": None if block.stands is None else _standing_json(block.stands),
        "likelihood": None if block.likelihood is None else enclosure_json(block.likelihood, "log"),
    }


def _update_json(update: Update) -> dict[str, Any]:
    """Returns the JSON of one class of people: chances before and after, the leakage about it, the odds."""
    shown: dict[str, Any] = {"person": update.person, "people": update.people, "who": update.who}
    shown["values"] = [
        {"value": each.value, "prior": _shown_number(each.prior), **enclosure_json(each.posterior, *_POSTERIOR)}
        for each in update.values
    ]
    for name, moments in (("prior", update.prior), ("posterior", update.posterior)):
        if moments is not None:
            shown[name] = {"mean": _shown_number(moments.mean), "deviation": _shown_number(moments.deviation)}
    shown |= enclosure_json(update.leaks, "leaks", "leaks_")
    shown["factor"] = _shown_number(factor(update.leaks.middle))
    shown["raised"] = _shown_number(update.raised) if isinstance(update.raised, float) else update.raised
    return shown | enclosure_json(Enclosure(*map(factor, update.odds)), "odds_ratio", "odds_ratio_")


_POSTERIOR: Final = ("posterior", "posterior_")


def _standing_json(stands: Standing) -> dict[str, Any]:
    """Returns the probabilities of answers that leak as much, and of answers below and above these."""
    sides = [
        None if each is None else {name: enclosure_json(value, "probability") for name, value in each._asdict().items()}
        for each in stands.sides
    ]
    leaks = None if stands.leaks is None else enclosure_json(stands.leaks, "probability")
    return {"person": stands.person, "leaks": leaks, "answers": sides}


def factor(nats: float) -> float:
    """Returns e^nats, infinite past the doubles."""
    return exp(nats) if nats < 709 else inf


def _answer(answer: int | float | Fraction | str) -> int | float | str:
    """Returns a number where the answer is one."""
    try:
        return answer_json(number_of(answer))
    except InputError:
        return str(answer)


def answer_json(answer: Fraction | str) -> int | float | str:
    """Returns a whole `answer` as an integer, any other number as a double, a word as it is."""
    if isinstance(answer, str):
        return answer
    return int(answer) if answer.denominator == 1 else float(answer)


def _shown_number(value: float, digits: int = PRINTED_DIGITS) -> float | str | None:
    """Returns the nearest number of so many digits."""
    return number(near_to_digits(value, digits))


def number(value: float) -> float | str | None:
    """Returns the number `value`; infinities as texts and NaN as null, because JSON has neither.

    >>> number(inf), number(-inf), number(float("nan")), number(0.5)
    ('inf', '-inf', None, 0.5)
    """
    if isnan(value):
        return None
    return float(value) if not isinf(value) else ("inf" if value == inf else "-inf")
