"""`dalenius policy`: a policy checked whole, and who may ask what under it."""

from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import typer

from dalenius.cli.options import AsJson, Plugins
from dalenius.cli.output import advise, print_json, print_table, say, working
from dalenius.curator import Analyst, Budget, Curator, DataSet, read_policy
from dalenius.curator.recorded_shown import spent_in_words
from dalenius.notions import in_words
from dalenius.spec.results import notion_json

Action: TypeAlias = Literal["check"]


def policy(
    action: Annotated[
        Action,
        typer.Argument(
            help="check: read it whole, open its tables, say who may ask what.", show_default=False, metavar="ACTION"
        ),
    ],
    file: Annotated[Path, typer.Argument(help="The policy, a TOML file.", show_default=False, metavar="POLICY")],
    json: AsJson = False,
    plugin: Plugins = None,
) -> None:
    """Whether a policy and its tables fit together, and who may ask what under it."""
    assert action == "check"
    read = read_policy(file)
    curator = Curator(read, file.parent)
    try:
        with working("opening tables"):
            curator.check()
        new = list(curator.new_beside_others())
        budgets = {data.name: curator.budget(data.name) for data in read.data}
    finally:
        curator.close()
    if json:
        print_json({"checked": True, "data_sets": [_json(data, budgets[data.name]) for data in read.data]})
        return
    for data in read.data:
        _print(data, budgets[data.name])
    for said in new:
        advise(said)


def _json(data: DataSet, budget: Budget) -> dict[str, Any]:
    return {
        "data": data.name,
        "notion": notion_json(data.notion),
        "method": data.method,
        "accept_unsound": data.accept_unsound,
        "public": list(data.public),
        "budget": budget.as_json(),
        "analysts": [
            {"analyst": analyst.name, "epsilon": analyst.epsilon, "measures": list(_measures(data, analyst))}
            for analyst in data.analysts
        ],
    }


def _measures(data: DataSet, analyst: Analyst) -> list[dict[str, Any]]:
    return [
        {
            "measure": measure.name,
            "description": measure.description,
            "models": [model.kind for model in measure.every_model],
            "queries": kinds if (kinds := data.kinds_for(analyst, measure)) is None else list(kinds),
        }
        for measure in data.measures_of(analyst)
    ]


def _print(data: DataSet, budget: Budget) -> None:
    promise = in_words(data.notion)
    title = f"{data.name}: {data.notion.kind} privacy, {spent_in_words(budget)}"
    rows = [
        [
            analyst.name,
            f"{data.epsilon if analyst.epsilon is None else analyst.epsilon:g}",
            found["measure"],
            "any" if found["queries"] is None else ", ".join(found["queries"]) or "none",
            " or ".join(dict.fromkeys(found["models"])),
        ]
        for analyst in data.analysts
        for found in _measures(data, analyst)
    ]
    print_table(title, ["analyst", "nats at most", "may ask about", "queries", "model"], rows)
    if promise is not None:
        say(f"promised of everything that is ever answered: {promise}")
