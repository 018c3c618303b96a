"""Privacy guarantees for people whose data depend on each other.

The classes here are the sections of a spec file: the same fields, the same checks. Each is imported where it is first
asked for; `__init__.pyi` lists them.
"""


def __getattr__(name: str) -> object:
    """Returns the public name, imported now. lazy_loader raises AttributeError for a name that does not exist."""
    # Because the command does not need it: looked for at the first name, not when the package is imported.
    from lazy_loader import attach_stub

    found, listed, names = attach_stub(__name__, __file__)
    globals().update(__getattr__=found, __dir__=listed, __all__=names)
    return names if name == "__all__" else found(name)


def __dir__() -> list[str]:
    __getattr__("__all__")
    return sorted(__all__)  # noqa: F821 - found in the line above
