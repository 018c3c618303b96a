"""Joint laws of everybody's records: anything that can average a product of per-record factors."""

from dalenius.joints.chain.chain import MarkovChain as MarkovChain
from dalenius.joints.chain.ends import ChainEnds as ChainEnds
from dalenius.joints.chain.pairs import ChainPairs as ChainPairs, pairs_of as pairs_of
from dalenius.joints.collections.classes import (
    Collection as Collection,
    everybody as everybody,
    located as located,
    of_size as of_size,
    whole_groups as whole_groups,
)
from dalenius.joints.collections.functions import Function as Function, function_of as function_of
from dalenius.joints.collections.watched import Watched as Watched
from dalenius.joints.credal.block import CredalBlock as CredalBlock
from dalenius.joints.credal.groups import CredalGroups as CredalGroups, groups_of as groups_of
from dalenius.joints.factors import Factor as Factor
from dalenius.joints.gaussian import GaussianLaw as GaussianLaw
from dalenius.joints.groups.block import tabled as tabled
from dalenius.joints.groups.groups import product_of_groups as product_of_groups
from dalenius.joints.joint import Belief as Belief, Joint as Joint, Stratum as Stratum, Subject as Subject
from dalenius.joints.outermost import Ends as Ends, Outermost as Outermost
from dalenius.joints.pairwise.law import Around as Around, PairwiseLaw as PairwiseLaw
from dalenius.joints.product import product_of as product_of
