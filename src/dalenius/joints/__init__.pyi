"""What the room offers, and from which file; `__init__` reads it."""

from .blocks import tabled as tabled
from .chain import MarkovChain as MarkovChain
from .factors import Factor as Factor
from .groups import product_of_groups as product_of_groups
from .joint import Belief as Belief, Joint as Joint, Stratum as Stratum, Subject as Subject
from .product import product_of as product_of
