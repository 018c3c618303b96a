"""What the room offers, and from which file; `__init__` reads it."""

from .chain.chain import MarkovChain as MarkovChain
from .chain.ends import ChainEnds as ChainEnds
from .chain.pairs import ChainPairs as ChainPairs, pairs_of as pairs_of
from .collections.classes import (
    Collection as Collection,
    everybody as everybody,
    located as located,
    of_size as of_size,
    whole_groups as whole_groups,
)
from .collections.functions import Function as Function, function_of as function_of
from .collections.watched import Watched as Watched
from .credal.block import CredalBlock as CredalBlock
from .credal.groups import CredalGroups as CredalGroups
from .factors import Factor as Factor
from .gaussian import GaussianLaw as GaussianLaw
from .groups.block import tabled as tabled
from .groups.groups import product_of_groups as product_of_groups
from .joint import Belief as Belief, Joint as Joint, Stratum as Stratum, Subject as Subject
from .outermost import Ends as Ends, Outermost as Outermost
from .pairwise.law import Around as Around, PairwiseLaw as PairwiseLaw
from .product import product_of as product_of
