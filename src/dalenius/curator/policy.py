"""A policy, read from one file: what an organisation lets its analysts ask, about which data sets, in which service.

The policy of a hospital names its data set, the people's model, what is public about them, the budget, and how the
service listens. A variable such as `${DATABASE}` in it is filled in, and its value is in no message.
"""

import re
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, Final, final

from pydantic import AfterValidator, Field, ValidationError, field_validator

from dalenius.curator.data_set_policy import DataSet
from dalenius.curator.modelled_values import check_model
from dalenius.curator.policy_names import check_once
from dalenius.curator.sign_on_policy import SignOn
from dalenius.errors import InputError, written
from dalenius.fields import LARGEST_PORT, Positive
from dalenius.frozen_section import Frozen, first_problem
from dalenius.spec import sections_of
from dalenius.tables.servers import with_variables

NAME: Final = re.compile(r"\*|(\*\.)?[A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\]")

Port = Annotated[int, Field(ge=0, le=LARGEST_PORT, strict=True)]
Some = Annotated[int, Field(gt=0, strict=True)]


def _host(name: str) -> str:
    if not NAME.fullmatch(name):
        raise ValueError("a host name without scheme and port, or *.example.org for all names within")
    return name


Host = Annotated[str, AfterValidator(_host)]


@final
class Service(Frozen):
    """How the service listens, and what a request may use.

    Args:
        host: The address at which it listens; by default this machine alone.
        port: The port at which it listens, 8750 by default.
        hosts: Other names by which it is asked for; by default none.
        requests_per_minute: Requests of one analyst in a minute, 120 by default.
        body_bytes: Bytes of a request, 65,536 by default.
        connections: Connections at once, 1000 by default.
        concurrent: Answers of a data set that are paid for at once, and threads that answer; 8 by default.
        timeout: Seconds that a request may take, 60 by default.
        processes: Processes that find noises. None, the default, means as many as there are processors, at least two.
        computing: Seconds of a processor that a process may take for an ask, 20 by default.
        memory: Bytes that a process may take for an ask, 1 GiB by default.
        sign_on: How analysts sign on at a provider of OpenID Connect; by default only tokens of the service are taken.
    """

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
    sign_on: SignOn | None = None


@final
class Policy(Frozen):
    """The rules by which analysts may ask: data sets, their budgets, and the ledger that records answers.

    Args:
        ledger: Where spending and answers are recorded: a path relative to the policy's folder, or a URL. By default
            `ledger.sqlite`.
        data: The data sets, at least one, each with a name and a table of its own. Each has its budget, its measures
            and its analysts.
        service: How the service listens; by default for this machine alone.

    Raises:
        InputError: For two data sets of one name, or with the same table.

    Example:
        >>> homes = {"kind": "households", "by": "home", "epidemic": {"community": 0.06, "household": 0.35}}
        >>> ill = {"name": "ill", "value": {"column": "ill", "equals": 1}, "model": homes}
        >>> town = {"name": "town", "source": {"file": "people.csv"}, "measures": [ill], "analysts": [{"name": "ana"}]}
        >>> policy = Policy(data=[{**town, "notion": {"kind": "inferential", "epsilon": 1.0}}])
        >>> policy.data_set("town").epsilon, policy.ledger
        (1.0, 'ledger.sqlite')
    """

    ledger: Annotated[str, Field(min_length=1)] = "ledger.sqlite"
    data: Annotated[tuple[DataSet, ...], Field(min_length=1)]
    service: Service = Service()

    @field_validator("data")
    @classmethod
    def _each_once(cls, data: tuple[DataSet, ...]) -> tuple[DataSet, ...]:
        """Refuse one table under two names, which would have two budgets for the same people."""
        check_once([each.name for each in data], "data set")
        for one, other in combinations(data, 2):
            if one.table is not None and one.table == other.table:
                raise ValueError(
                    f"a different table for each data set ({one.name!r} and {other.name!r} have the same one)"
                )
        return data

    def data_set(self, name: str) -> DataSet:
        """Look up a data set.

        Args:
            name: The data set's name.

        Returns:
            The data set of that name.

        Raises:
            InputError: For a name that no data set has.
        """
        for each in self.data:
            if each.name == name:
                return each
        raise InputError("data", name, f"one of the policy's data sets: {', '.join(each.name for each in self.data)}")


def read_policy(path: Path | str) -> Policy:
    """Read a policy from a TOML or JSON file.

    Texts in it may have `${VARIABLE}`, taken from the environment.

    Args:
        path: The file. Files that models read are relative to its folder.

    Returns:
        The policy.

    Raises:
        InputError: For a file that is no policy; it names the key, the value and what was wanted. The value of a
            variable is not shown.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> homes = 'model = {kind = "households", by = "home", epidemic = {community = 0.06, household = 0.35}}'
        >>> ill = f'measures = [{{name = "ill", value = {{column = "ill", equals = 1}}, {homes}}}]'
        >>> town = f'name = "town"\\nsource.file = "people.csv"\\nanalysts = [{{name = "ana"}}]\\n{ill}'
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder, "policy.toml")
        ...     _ = path.write_text(f'[[data]]\\nnotion = {{kind = "inferential", epsilon = 1}}\\n{town}')
        ...     [each.name for each in read_policy(path).data]
        ['town']
    """
    file = Path(path)
    return policy_from(sections_of(file, "policy"), file.parent)


def policy_from(sections: Any, folder: Path = Path()) -> Policy:
    """Makes a policy of nested dictionaries, `sections`; folder: that of the files that models read."""
    used: dict[str, str] = {}
    filled = _filled(sections, "", used)
    try:
        return _with_models(Policy.model_validate(filled), folder)
    except ValidationError as error:
        raise _hidden(first_problem(error, "", filled), used) from None
    except InputError as error:
        raise _hidden(error, used) from None


def _filled(given: Any, key: str, used: dict[str, str]) -> Any:
    """Fill in the variables' values. InputError for a variable that does not exist.

    `key` says where `given` stands in the policy; `used` collects the values by variable.
    """
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
    """Hide the variables' values in an error."""
    # Because a password in a URL may be in the message as it is, or as JSON or Python would write it.
    value, wanted = (error.value if isinstance(error.value, str) else written(error.value)), error.wanted
    for name, secret in sorted(used.items(), key=lambda each: -len(each[1])):
        if secret:
            for form in (secret, written(secret)[1:-1]):
                value, wanted = value.replace(form, f"${{{name}}}"), wanted.replace(form, f"${{{name}}}")
    return InputError(error.key, value, wanted) if used else error


def _with_models(policy: Policy, folder: Path) -> Policy:
    """Read the models' files, whose paths are relative to the folder.

    InputError is raised where a model has other values than its measure, if it needs no table to know its values.
    """
    found = []
    for place, data in enumerate(policy.data, 1):
        measures = []
        for row, measure in enumerate(data.measures, 1):
            model = measure.model.in_folder(folder)
            # Because a model that reads who lives with whom is checked when its table is opened.
            if not model.household_columns:
                check_model(model, measure, f"data {place}.measures {row}.model")
            measures.append(measure.altered({"model": model}))
        learned = tuple(each.in_folder(folder) for each in data.learned)
        found.append(data.altered({"measures": tuple(measures), "learned": learned}))
    return policy.altered({"data": tuple(found)})
