"""How much noise a promise needs. A new method is one file here and an instance in `METHODS`.

What is offered is imported where it is first asked for: an audit needs no method. `__init__.pyi` lists it.
"""

# Files whose name is also that of what they offer, which would else hide it; every command has what they import.
from dalenius.calibration.accuracy import accuracy as accuracy
from dalenius.calibration.precision import precision as precision


def __getattr__(name: str) -> object:
    from lazy_loader import attach_stub

    found, listed, names = attach_stub(__name__, __file__)
    globals().update(__getattr__=found, __dir__=listed, __all__=names)
    return names if name == "__all__" else found(name)


def __dir__() -> list[str]:
    __getattr__("__all__")
    return sorted(__all__)  # noqa: F821 - found in the line above
