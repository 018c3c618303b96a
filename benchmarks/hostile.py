"""How long others wait for a service that one of its analysts tries to stop."""

from typing import Final

from benchmarks.measuring import measured, span
from benchmarks.section import Section, Target

CLIENTS: Final = 50
SECONDS: Final = 50.0
PAUSE: Final = 15.0
MOST: Final = 2.0


def run() -> Section:
    found = measured("benchmarks.hostile_cases:waited", clients=CLIENTS, seconds=SECONDS, pause=PAUSE).result
    names = {"alone": "nobody else", "beside": "one hostile analyst"}
    rows = tuple(
        (
            name,
            f"{found[key]['requests']}",
            span(found[key]["median"]),
            span(found[key]["p99"]),
            str(found[key]["refused"]),
        )
        for key, name in names.items()
    )
    told = ", ".join(f"{count} with {status}" for status, count in found["hostile"].items() if status != "0")
    return Section(
        title="One hostile analyst among fifty",
        about=f"`dalenius serve` as it is run, and {CLIENTS} clients over HTTP, each of which asks something new, the "
        f"same again, or what is left, every {PAUSE:g} s on average: seconds from a request to its answer, a refusal "
        "for want of a place counted on. Then beside one analyst who sends estimates that need minutes and gigabytes, "
        f"each another, on eight connections without a pause. Twice each for {SECONDS:g} s, in turn.",
        columns=("beside", "requests", "median", "p99", "refused"),
        rows=rows,
        notes=(f"The hostile analyst was answered {told}.",),
        targets=(
            Target("p99 beside the hostile analyst", MOST, found["beside"]["p99"] / found["alone"]["p99"], "× alone"),
        ),
    )
