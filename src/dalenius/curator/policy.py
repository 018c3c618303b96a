"""What an organisation lets its analysts ask: of which data sets, and in which service; read from one file.

The policy of a hospital names its data set, the people's model, what of them is public, the budget, and how the service
listens. A variable such as `${DATABASE}` in it is filled in, and what it holds is in no message.
"""

import re
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, Final, final

from pydantic import AfterValidator, Field, ValidationError, field_validator

from dalenius.curator.data_set_policy import DataSet, check_model, check_once
from dalenius.errors import InputError, written
from dalenius.fields import Positive
from dalenius.frozen_section import Frozen, first_problem
from dalenius.spec import sections_of
from dalenius.tables.servers import with_variables

NAME: Final = re.compile(r"\*|(\*\.)?[A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\]")

Port = Annotated[int, Field(ge=0, le=65535, strict=True)]
Some = Annotated[int, Field(gt=0, strict=True)]


def _host(name: str) -> str:
    if not NAME.fullmatch(name):
        raise ValueError("a host as a request names it, without scheme and port, or *.example.org for all within")
    return name


Host = Annotated[str, AfterValidator(_host)]


@final
class Service(Frozen):
    """host, port: where it listens, by default for this machine alone; hosts: other names by which it is asked for.
    requests_per_minute: of an analyst; body_bytes: of a request; connections: at once; concurrent: answers of
    a data set that are paid for at once, and threads that answer; timeout: seconds that a request may take.

    processes: in which noises are found, by default as many as there are processors, and two at least; computing:
    seconds of a processor that one may take for an ask, and memory: bytes."""

    host: Annotated[str, Field(min_length=1)] = "127.0.0.1"
    port: Port = 8750
    hosts: tuple[Host, ...] = ()
    requests_per_minute: Some = 120
    body_bytes: Some = 65_536
    connections: Some = 1000
    concurrent: Some = 8
    timeout: Positive = 60.0
    processes: Some | None = None
    computing: Positive = 20.0
    memory: Some = 2**30


@final
class Policy(Frozen):
    """ledger: where spending and answers are recorded, a path beside the policy or a URL; data: the data sets; service:
    how the service listens."""

    ledger: Annotated[str, Field(min_length=1)] = "ledger.sqlite"
    data: Annotated[tuple[DataSet, ...], Field(min_length=1)]
    service: Service = Service()

    @field_validator("data")
    @classmethod
    def _each_once(cls, data: tuple[DataSet, ...]) -> tuple[DataSet, ...]:
        """One table under two names would have two budgets for the same people."""
        check_once([each.name for each in data], "data set")
        for one, other in combinations(data, 2):
            if one.table is not None and one.table == other.table:
                raise ValueError(
                    f"a table of its own for each data set ({one.name!r} and {other.name!r} have the same one)"
                )
        return data

    def data_set(self, name: str) -> DataSet:
        """InputError for a name that is none of the data sets'."""
        for each in self.data:
            if each.name == name:
                return each
        raise InputError("data", name, f"one of the policy's data sets: {', '.join(each.name for each in self.data)}")


def read_policy(path: Path) -> Policy:
    """The policy in a TOML file. Texts may have `${VARIABLE}`, from the environment; files that models read are in the
    policy's folder. InputError names the key, the value and what was wanted; what a variable holds is not shown."""
    return policy_from(sections_of(path, "policy"), path.parent)


def policy_from(sections: Any, folder: Path = Path()) -> Policy:
    """The policy in nested dictionaries."""
    used: dict[str, str] = {}
    filled = _filled(sections, "", used)
    try:
        return _with_models(Policy.model_validate(filled), folder)
    except ValidationError as error:
        raise _hidden(first_problem(error, "", filled), used) from None
    except InputError as error:
        raise _hidden(error, used) from None


def _filled(given: Any, key: str, used: dict[str, str]) -> Any:
    """With the variables' values; key: where it stands in the policy; used: by variable, those that are used.
    InputError for a variable that there is not."""
    if isinstance(given, dict):
        return {name: _filled(each, f"{key}.{name}".removeprefix("."), used) for name, each in given.items()}
    if isinstance(given, list):
        return [_filled(each, f"{key} {row}", used) for row, each in enumerate(given, 1)]
    if not isinstance(given, str):
        return given
    filled, own = with_variables(given, key)
    used |= own
    return filled


def _hidden(error: InputError, used: Mapping[str, str]) -> InputError:
    """The same error, without what the variables hold."""
    # A password in a URL may be in the message as it is, or as JSON or Python would write it.
    value, wanted = (error.value if isinstance(error.value, str) else written(error.value)), error.wanted
    for name, secret in sorted(used.items(), key=lambda each: -len(each[1])):
        if secret:
            for form in (secret, written(secret)[1:-1]):
                value, wanted = value.replace(form, f"${{{name}}}"), wanted.replace(form, f"${{{name}}}")
    return InputError(error.key, value, wanted) if used else error


def _with_models(policy: Policy, folder: Path) -> Policy:
    """Paths of the models' files are relative to the folder. InputError where a model that needs no table to say what
    records can be is of other values than its measure."""
    found = []
    for place, data in enumerate(policy.data, 1):
        measures = []
        for row, measure in enumerate(data.measures, 1):
            model = measure.model.in_folder(folder)
            # A model that reads who lives with whom is looked at when its table is opened.
            if not model.household_columns:
                check_model(model, measure, f"data {place}.measures {row}.model")
            measures.append(measure.altered({"model": model}))
        found.append(data.altered({"measures": tuple(measures)}))
    return policy.altered({"data": tuple(found)})
