"""Measurements of the library OpenDP: what they leak, read from their constructors or bounded by their maps.

Each name is imported where it is first asked for; `__init__.pyi` lists them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
