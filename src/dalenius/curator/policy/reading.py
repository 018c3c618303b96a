"""A policy from a file, with what it takes from the environment."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from pydantic import ValidationError

from dalenius.curator.policy.policy import Policy
from dalenius.curator.policy.values import check_model
from dalenius.errors import InputError, written
from dalenius.schema import first_problem
from dalenius.spec import sections_of

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
