"""What the API says of itself is so: of requests that follow its description, and of requests that do not
(schemathesis)."""

from typing import Any, Final

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance

from tests.server.served import Served

EXAMPLES: Final = 10
"""Of each route, of each sort of request, for each of two tokens."""
ROUTES: Final = 11
PATIENCE: Final = settings(
    max_examples=EXAMPLES, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
)


@pytest.mark.slow
@pytest.mark.parametrize("mode", list(GenerationMode))
def test_every_route_is_as_described(standing: Served, mode: GenerationMode) -> None:
    host = standing.client.base_url.netloc.decode()
    schema = schemathesis.openapi.from_asgi("/openapi.json", standing.client.app, headers={"host": host})
    operations = [each.ok() for each in schema.get_all_operations()]  # type: ignore[union-attr]
    assert len(operations) == ROUTES
    for operation in operations:
        if mode is GenerationMode.NEGATIVE and not (operation.body or operation.query or operation.path_parameters):
            continue

        @PATIENCE
        @given(case=operation.as_strategy(generation_mode=mode))
        def check(case: Any) -> None:
            if mode is GenerationMode.POSITIVE and "name" in case.path_parameters:
                case.path_parameters["name"] = "measles"  # no other is drawn by chance
                if isinstance(case.body, dict):
                    case.body["measure"] = "ill"
            for who in ("ana@measles", "olga"):
                # What of an ask is refused a schema cannot say: which kinds there are, that exactly one key is given.
                case.call_and_validate(
                    headers={**standing.headers(who), "host": host}, excluded_checks=[positive_data_acceptance]
                )

        check()
