"""Privacy guarantees for people whose data depend on each other.

The classes here are the sections of a spec file: the same fields, the same checks. Each is imported where it is first
asked for; `__init__.pyi` lists them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
