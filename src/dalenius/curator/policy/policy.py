"""The whole of what a curator promises, as one file."""

from typing import Annotated, Final, final

from pydantic import AfterValidator, Field, field_validator

from dalenius.curator.policy.data_set import DataSet
from dalenius.curator.policy.named import check_once
from dalenius.curator.policy.service import Service
from dalenius.errors import InputError
from dalenius.schema import Frozen

LEDGERS: Final = ("sqlite", "postgresql")


def _address(address: str) -> str:
    scheme, url, rest = address.partition("://")
    if not address.strip() or "\0" in address:
        raise ValueError("a path, or a URL that starts with sqlite:/// or postgresql://")
    if url and (scheme not in LEDGERS or (scheme == "sqlite" and not rest.startswith("/"))):
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
