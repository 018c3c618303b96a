"""The command `test-program`: what a program leaks at least, as runs on drawn data sets show.

Two records that are always equal, and a program that adds Laplace noise of scale 1 to their sum: its guarantee of
--epsilon 1 converts to 2 nats. A few thousand runs show that it leaks more than 1.5, and none that it leaks more than
2. A program that forgets the noise is exposed at once, and the command ends with 1.
"""

from typing import Annotated, Any

from dalenius.attack.black_box import Compared, ProgramTest, test_program as tested
from dalenius.attack.drawn_data_sets import drawn_data_sets, law_of
from dalenius.attack.external_program import ExternalProgram
from dalenius.bounds import down_to_digits
from dalenius.cli.options import (
    AsJson,
    DataFile,
    Encoding,
    Memory,
    Plugins,
    ProgressLines,
    Quiet,
    SpecFile,
    argument,
    number_option,
    option,
)
from dalenius.cli.output import print_json, say, working
from dalenius.cli.reading import bound
from dalenius.conversion import ApproximateProfile, PrivacyProfile, PureProfile
from dalenius.errors import InputError
from dalenius.spec import read_model
from dalenius.spec.results_as_json import PRINTED_DIGITS, number

_RUNS = 2000
_LIMIT = 10.0
_CONFIDENCE = 0.95
_COMPARED: dict[str, Compared] = {"replace": "replace", "add_remove": "add_remove", "group": "group"}


def test_program(
    spec: SpecFile,
    command: Annotated[list[str] | None, argument("The program and its arguments, after --.", "[-- CMD ARGS]")] = None,
    epsilon: Annotated[float | None, number_option("The program is said to be epsilon-private.")] = None,
    delta: Annotated[float | None, number_option("With --epsilon: it is said to be (epsilon, delta)-private.")] = None,
    neighbours: Annotated[
        str | None, option("With --epsilon: what that compares: replace, add_remove, or group (a whole household).")
    ] = None,
    at_delta: Annotated[float | None, number_option("The delta beside which the leakage is meant [0].")] = None,
    person: Annotated[int, option("The number of the person whose record is the secret [1].")] = 1,
    runs: Annotated[int, option(f"How often the program runs [{_RUNS}].")] = _RUNS,
    limit: Annotated[float | None, number_option(f"The seconds that one run may take [{_LIMIT:g}].")] = None,
    confidence: Annotated[
        float | None, number_option(f"The probability with which the bound holds [{_CONFIDENCE}].")
    ] = None,
    seed: Annotated[int | None, option("The seed of the data sets; by default another one each time.")] = None,
    json: AsJson = False,
    data: DataFile = None,
    encoding: Encoding = None,
    plugin: Plugins = None,
    quiet: Quiet = False,
    progress: ProgressLines = False,
    memory: Memory = None,
) -> int:
    """Run a program on data sets drawn from the model, and bound what it leaks from below."""
    said = _guarantee(epsilon, delta)
    compared = _compared(neighbours, said)
    program = ExternalProgram(tuple(command or ()), (), _LIMIT if limit is None else limit)
    with working("running the program"):
        model = bound(read_model(spec).in_encoding(encoding), spec.parent, data)[0].model
        law = law_of(tuple(model.joints()))
        secret = law.subject_of(person).secrets[0]
        found = tested(
            ExternalProgram(program.command, drawn_data_sets(law, person, secret).groups, program.limit),
            model,
            person=person,
            runs=runs,
            confidence=_CONFIDENCE if confidence is None else confidence,
            guarantee=said,
            neighbours=compared,
            delta=at_delta or 0.0,
            seed=seed,
        )
    if json:
        print_json(_as_json(found))
    else:
        _print(found)
    return int(found.exposed)


def _guarantee(epsilon: float | None, delta: float | None) -> PrivacyProfile | None:
    """Returns the profile of the guarantee; None where there is none."""
    if epsilon is None:
        if delta is not None:
            raise InputError("--delta", delta, "an --epsilon beside it")
        return None
    return ApproximateProfile(epsilon, delta) if delta else PureProfile(epsilon)


def _compared(neighbours: str | None, said: PrivacyProfile | None) -> Compared:
    """Returns what the guarantee compares; InputError where it has one and does not say."""
    # Because a guarantee for add_remove that is read as one for replace would allow too little, none is assumed.
    if neighbours not in _COMPARED and (neighbours is not None or said is not None):
        raise InputError("--neighbours", neighbours or "missing", f"one of {', '.join(_COMPARED)}")
    return _COMPARED[neighbours or "replace"]


def _print(found: ProgramTest) -> None:
    """Prints the bound, what it was seen at, and whether the guarantee is broken."""
    lower = f"{found.lower:.4g}"
    sure = f"with {found.confidence * 100:g} % confidence"
    value, against = found.values
    about = f"person {found.person}: record = {value} against {against}"
    if found.upper is None:
        say(f"{about}: the program leaks at least {lower} nats ({sure})")
    elif found.exposed:
        say(f"{about}: the program leaks at least {lower} nats ({sure}), more than the {found.upper:.4g} that its")
        say("guarantee converts to: it does not have this guarantee")
    else:
        allowed = f"{found.upper:.4g} (what its guarantee converts to)"
        say(f"{about}: the program leaks between {lower} ({sure}) and {allowed} nats")
    one, other = (f"{each.lower:.4g} to {each.upper:.4g}" for each in found.chances)
    say(f"{found.event}: in {one} of the outputs given {value}, in {other} given {against}; {found.runs:,} runs")


def _as_json(found: ProgramTest) -> dict[str, Any]:
    one, other = found.chances
    return {
        "person": found.person,
        "secret": found.values[0],
        "against": found.values[1],
        "lower": down_to_digits(found.lower, PRINTED_DIGITS),
        "upper": None if found.upper is None else number(found.upper),
        "exposed": found.exposed,
        "confidence": found.confidence,
        "runs": found.runs,
        "event": found.event,
        "chances": [[one.lower, one.upper], [other.lower, other.upper]],
    }
