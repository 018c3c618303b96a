"""The whole of what a curator promises, one file, with what it takes from the environment; how the service listens."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, final
from urllib.parse import quote

from pydantic import AfterValidator, Field, ValidationError, field_validator

from dalenius.curator.data_set import DataSet, check_model, check_once
from dalenius.errors import InputError, written
from dalenius.schema import Frozen, Positive, first_problem
from dalenius.spec import sections_of

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
    requests_per_minute: of one token; body_bytes: of a request; connections: at once; concurrent: asks that are
    answered at once; timeout: seconds that a request may take.

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


def _address(address: str) -> str:
    scheme, url, rest = address.partition("://")
    known = not url or scheme == "postgresql" or (scheme == "sqlite" and rest.startswith("/"))
    if not address.strip() or "\0" in address or not known:
        raise ValueError("a path, or a URL that starts with sqlite:/// or postgresql://")
    return address


@final
class Policy(Frozen):
    """ledger: where spending and answers are recorded, a path beside the policy or a URL; data: the data sets; service:
    how the service listens."""

    ledger: Annotated[str, AfterValidator(_address)] = "ledger.sqlite"
    data: Annotated[tuple[DataSet, ...], Field(min_length=1)]
    service: Service = Service()

    @field_validator("data")
    @classmethod
    def _each_once(cls, data: tuple[DataSet, ...]) -> tuple[DataSet, ...]:
        check_once([each.name for each in data], "data set")
        known: dict[tuple[str, str | None], str] = {}
        for each in data:
            other = known.setdefault(each.table, each.name) if each.source.held is not None else each.name
            if other != each.name:
                raise ValueError(
                    f"a table of its own for each data set ({other!r} and {each.name!r} have the same one)"
                )
        return data

    def data_set(self, name: str) -> DataSet:
        """InputError for a name that is none of the data sets'."""
        for each in self.data:
            if each.name == name:
                return each
        raise InputError("data", name, f"one of the policy's data sets: {', '.join(each.name for each in self.data)}")


VARIABLE: Final = re.compile(r"\$\{([^}]*)\}")


def read_policy(path: Path) -> Policy:
    """The policy in a TOML file. Texts may have `${VARIABLE}`, from the environment; files that models read are in the
    policy's folder. InputError names the key, the value and what was wanted; what a variable holds is not shown."""
    return policy_from(sections_of(path, "policy"), path.parent)


def policy_from(sections: Any, folder: Path = Path(), environment: Mapping[str, str] | None = None) -> Policy:
    """The policy in nested dictionaries."""
    environment = os.environ if environment is None else environment
    held: dict[str, str] = {}
    filled = _filled(sections, "", environment, held)
    try:
        policy = _in_folder(Policy.model_validate(filled), folder)
        _check_models(policy)
        return policy
    except ValidationError as error:
        raise _hidden(first_problem(error, "", filled), held) from None
    except InputError as error:
        raise _hidden(error, held) from None


def _filled(given: Any, key: str, environment: Mapping[str, str], held: dict[str, str]) -> Any:
    """With the variables' values; held: by variable, those that are used."""
    if isinstance(given, dict):
        return {
            name: _filled(each, f"{key}.{name}".removeprefix("."), environment, held) for name, each in given.items()
        }
    if isinstance(given, list):
        return [_filled(each, f"{key} {row}", environment, held) for row, each in enumerate(given, 1)]
    if not isinstance(given, str):
        return given

    def value(found: re.Match[str]) -> str:
        name = found[1]
        if name not in environment:
            raise InputError(key, found[0], f"a variable {name} in the environment")
        # Within a URL a password may hold what separates the URL's parts.
        held[name] = quote(environment[name], safe="") if "://" in given else environment[name]
        return held[name]

    return VARIABLE.sub(value, given)


def _hidden(error: InputError, held: Mapping[str, str]) -> InputError:
    """The same error, without what the variables hold."""
    value, wanted = (error.value if isinstance(error.value, str) else written(error.value)), error.wanted
    for name, secret in sorted(held.items(), key=lambda each: -len(each[1])):
        if secret:
            for form in (secret, written(secret)[1:-1]):
                value, wanted = value.replace(form, f"${{{name}}}"), wanted.replace(form, f"${{{name}}}")
    return InputError(error.key, value, wanted) if held else error


def _in_folder(policy: Policy, folder: Path) -> Policy:
    """Paths of the models' files are relative to the folder."""
    found = []
    for data in policy.data:
        measures = []
        for measure in data.measures:
            models = tuple(model.in_folder(folder) for model in measure.every_model)
            several = {"models": models} if measure.models is not None else {"model": models[0]}
            measures.append(measure.altered(several))
        found.append(data.altered({"measures": tuple(measures)}))
    return policy.altered({"data": tuple(found)})


def _check_models(policy: Policy) -> None:
    """Of those that need no table to say what records can be."""
    for place, data in enumerate(policy.data, 1):
        for row, measure in enumerate(data.measures, 1):
            for number, model in enumerate(measure.every_model, 1):
                which = "model" if measure.models is None else f"models row {number}"
                if not model.household_columns:
                    check_model(model, measure, f"data {place}.measures {row}.{which}")
