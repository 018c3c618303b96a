"""`dalenius compare`: every method for the same promise."""

from dalenius.calibration import Compared
from dalenius.calibration import compare as compare_methods
from dalenius.cli.options import AsJson, DataFile, SpecFile
from dalenius.cli.output import nats, print_json, print_table, working
from dalenius.spec import bound, read_spec
from dalenius.spec.results import compared_json


def compare(spec: SpecFile, json: AsJson = False, data: DataFile = None) -> None:
    """What every method would add, whether it is sound, and what it really achieves."""
    with working("comparing"):
        read = bound(read_spec(spec), spec.parent, data)[0]
        release, notion = read.calibrated(), read.promise()
        results = compare_methods(release, notion)
    if json:
        print_json({"methods": [compared_json(result) for result in results]})
        return
    columns = ["method", "sound", "noise", "scale", "expected error", "achieved (nats)", "seconds", "why"]
    title = f"{notion.kind} privacy, promised {notion.epsilon:g} nats"
    print_table(title, columns, [_row(result) for result in results])


def _row(result: Compared) -> list[str]:
    calibration = result.calibration
    if calibration is None:
        return [result.method, "", "", "", "", "", f"{result.seconds:.2f}", f"does not apply: {result.why}"]
    return [
        result.method,
        "yes" if calibration.sound else "NO",
        calibration.noise.kind,
        f"{calibration.noise.scale or 0:.6g}",
        f"{calibration.expected_error:.6g}",
        nats(calibration.leakage.epsilon),
        f"{result.seconds:.2f}",
        result.why,
    ]
