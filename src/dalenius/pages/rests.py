"""What the page rests on: how the noise was found, the engines, versions and the spec.

Not the fingerprint of the data: whoever knows all of them but one value would find that value by it.
"""

from hashlib import sha256
from importlib.metadata import version
from typing import Final

from dalenius.pages.judged import Judged
from dalenius.pages.numbers import sentence
from dalenius.pages.section import Section, Table
from dalenius.spec import canonical

PACKAGES: Final = ("dalenius", "numpy", "scipy")


def rests(judged: Judged) -> Section:
    found = judged.calibration
    sound = "sound" if found.sound else "NOT SOUND"
    chosen = f"the noise was chosen by method {found.method}; {sound}: {found.why}"
    plain = [
        sentence(found.why if judged.given else chosen),
        "Every number is computed from the law of the records and the noise, not sampled, and rounded to the side that "
        "says more leaks.",
    ]
    rows = [("version of " + name, version(name)) for name in PACKAGES]
    rows.append(("engine", ", ".join(dict.fromkeys(engine for engine, _ in judged.release.engines())) or "none"))
    rows.append(("SHA-256 of the question", sha256(canonical(judged.spec).encode()).hexdigest()))
    if judged.people is not None:
        rows.append(("data set", judged.people.name))
    table = Table("Versions and fingerprints", ("what", "which"), tuple(rows))
    return Section("rests", "What this page rests on", tuple(plain), tables=(table,), text=judged.text)
