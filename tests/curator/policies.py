"""A policy for a table of households, and who asks under it."""

from pathlib import Path
from typing import Any

import dalenius as dl
from dalenius.curator import Curator, Policy, policy_from

COUNT = dl.Count()
HOMES = (1, 2, 3, 4, 2, 1, 4, 3)


def ask(query: dl.Count = COUNT, **terms: Any) -> dl.Ask:
    """By default for a fifth of a nat."""
    return dl.Ask(measure="ill", query=query, **(terms or {"epsilon": 0.2}))


def people() -> str:
    """A table of twenty people in households of one to four."""
    members = [
        f"h{home},{'xy'[place % 2]},{(home + place) % 3 == 0:d},{10 * home + place}"
        for home, size in enumerate(HOMES)
        for place in range(size)
    ]
    return "\n".join(["home,place,ill,age", *members]) + "\n"


def sections(**data: Any) -> dict[str, Any]:
    """The policy's sections; keys of its only data set may be others."""
    ill = {
        "name": "ill",
        "value": {"column": "ill", "equals": 1},
        "queries": ["count", "sum"],
        "model": {"kind": "households", "by": "home", "epidemic": {"community": 0.1, "household": 0.3}},
    }
    there = {
        "name": "measles",
        "source": {"file": "people.csv", "label": "place"},
        "notion": {"kind": "inferential", "epsilon": 1.0},
        "measures": [ill],
        "analysts": [{"name": "ana", "epsilon": 0.5}, {"name": "bob"}],
    }
    return {"data": [there | data]}


def policy(**data: Any) -> Policy:
    return policy_from(sections(**data))


def curator(folder: Path, **data: Any) -> Curator:
    """Its table is written into the folder, where the ledger is too."""
    (folder / "people.csv").write_text(people(), encoding="utf-8")
    return Curator(policy(**data), folder)


def with_measure(**keys: Any) -> dict[str, Any]:
    """The only measure with other keys, where they are not None."""
    (data,) = sections()["data"]
    (measure,) = data["measures"]
    return {"measures": [{key: value for key, value in (measure | keys).items() if value is not None}]}


def village(**data: Any) -> dl.Spec:
    """What a release asks of the same people, for half a nat."""
    return dl.Spec(
        model=dl.Households(by="home", epidemic={"community": 0.1, "household": 0.3}),
        query=COUNT,
        notion=dl.InformationPrivacy(epsilon=0.5),
        data={"name": "village", "value": "ill"} | data,
    )
