"""The command `policy`: whether a policy and its tables fit together, and who may ask what."""

from typing import Annotated, Literal

from dalenius.cli.ledger import spent_in_words
from dalenius.cli.options import (
    AsJson,
    Plugins,
    PolicyFile,
    argument,
)
from dalenius.cli.output import advise, print_json, print_table, say, working
from dalenius.curator import (
    Budget,
    Curator,
    DataSet,
    read_policy,
)
from dalenius.notions import in_words


def policy(
    action: Annotated[
        Literal["check"], argument("check: read the whole policy, open its tables, say who may ask what.", "ACTION")
    ],
    file: PolicyFile,
    json: AsJson = False,
    plugin: Plugins = None,
) -> None:
    """Check that a policy and its tables fit together, and show who may ask what."""
    assert action == "check"
    read = read_policy(file)
    curator = Curator(read, file.parent)
    try:
        with working("opening tables"):
            curator.check()
        new = [*curator.advice_on_new_names(), *curator.advice_on_tables()]
        budgets = {data.name: curator.budget(data.name) for data in read.data}
    finally:
        curator.close()
    if json:
        found = [{"data": each.name, "budget": budgets[each.name].as_json()} for each in read.data]
        print_json({"checked": True, "data_sets": found, "advice": new})
        return
    for data in read.data:
        _print_policy(data, budgets[data.name])
    for said in new:
        advise(said)


def _print_policy(data: DataSet, budget: Budget) -> None:
    """Prints a row for each analyst and measure of one data set, and the promise in words."""
    promise = in_words(data.notion)
    title = f"{data.name}: {data.notion.called} privacy, {spent_in_words(budget)}"
    rows = []
    for analyst in data.analysts:
        most = f"{data.epsilon if analyst.epsilon is None else analyst.epsilon:g}"
        for measure in data.measures_of(analyst):
            kinds = data.kinds_for(analyst, measure)
            queries = "any" if kinds is None else ", ".join(kinds) or "none"
            rows.append([analyst.name, most, measure.name, queries, measure.model.kind])
        for learned in data.learned_by(analyst):
            model = learned.dependence.method if learned.model is None else learned.model.kind
            rows.append([analyst.name, most, learned.name, learned.query.kind, model])
    print_table(title, ["analyst", "nats at most", "may ask about", "queries", "model"], rows)
    if promise is not None:
        say(f"promised for all answers together: {promise}")
