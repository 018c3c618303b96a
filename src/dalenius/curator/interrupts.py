"""Ctrl-C stays what it is, whichever library it comes out of."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def interruptible() -> Iterator[None]:
    """KeyboardInterrupt for what DuckDB and pydantic make of it: they call Python from their own languages."""
    try:
        yield
    except Exception as error:
        if _is_interrupt(error):
            raise KeyboardInterrupt from None
        raise


def _is_interrupt(error: Exception) -> bool:
    if isinstance(error, RuntimeError) and str(error) == "Query interrupted":
        return True
    return type(error).__name__ == "PydanticSerializationError" and "KeyboardInterrupt" in str(error)
