"""Small specs of every kind of model, query, noise and promise, and tables: what the mutations begin with.

Each command takes a fraction of a second on each, so that thousands of mutants take minutes.
"""

from typing import Final

NOISE: Final = '[noise]\nkind = "geometric"\nscale = 1.5\n'
SMOOTH: Final = '[noise]\nkind = "laplace"\nscale = 1.5\n'
NOTION: Final = '[notion]\nkind = "information"\nepsilon = 1.0\n'
COUNT: Final = '[query]\nkind = "count"\n'
DATA: Final = '[data]\nfile = "people.csv"\nvalue = { column = "ill", equals = "yes" }\nlabel = "place"\n'
HOMES: Final = '[model]\nkind = "households"\nby = "home"\nepidemic = { community = 0.1, household = 0.3 }\n'

MODELS: Final = {
    "independent": '[model]\nkind = "independent"\nprobabilities = [0.3, 0.5, 0.2]\nlabels = ["a", "b", "b"]\n',
    "alike": '[model]\nkind = "independent"\nn = 4\nvalues = [0, 1, 2]\nprobabilities = [0.5, 0.25, 0.25]\n',
    "table": '[model]\nkind = "table"\nrecords = [[0, 0], [1, 1]]\nprobabilities = [0.9, 0.1]\n',
    "groups": '[model]\nkind = "groups"\n[[model.types]]\ncount = 3\nrecords = [[0, 1], [1, 0]]\n'
    "probabilities = [0.5, 0.5]\n",
    "households": '[model]\nkind = "households"\n[[model.types]]\ncount = 2\ninfected = [0.9, 0.04, 0.06]\n'
    "members = { north = 1, south = 1 }\n[[model.types]]\ncount = 2\ninfected = [0.8, 0.2]\nmembers = { north = 1 }\n",
    "chain": '[model]\nkind = "chain"\nn = 5\ninitial = "stationary"\ntransition = [[0.8, 0.2], [0.3, 0.7]]\n',
    "credal": '[model]\nkind = "chain"\nn = 2\ninitial = [0.5, 0.5]\n'
    "transition = [[[0.7, 0.8], [0.2, 0.3]], [0.3, 0.7]]\n",
    "network": '[model]\nkind = "network"\n[[model.nodes]]\nname = "a"\nprobabilities = [0.9, 0.1]\n[[model.nodes]]\n'
    'name = "b"\nparents = ["a"]\nprobabilities = [[0.9, 0.1], [0.5, 0.5]]\n',
    "pedigree": '[model]\nkind = "pedigree"\nallele_frequency = 0.1\n'
    'people = [["a", "", ""], ["b", "", ""], ["c", "a", "b"]]\n',
    "pairwise": '[model]\nkind = "pairwise"\nn = 3\nvalues = [0, 1]\nedges = [[1, 2], [2, 3]]\n'
    "given = [[0.7, 0.3], [0.3, 0.7]]\n",
    "gaussian_mixture": '[model]\nkind = "gaussian_mixture"\n[[model.components]]\nweight = 0.4\nmean = [0.0]\n'
    "covariance = [[1.0]]\n[[model.components]]\nweight = 0.6\nmean = [2.0]\ncovariance = [[0.25]]\n",
    "gaussian": '[model]\nkind = "gaussian"\nmean = [0.0, 1.0]\ncovariance = [[1.0, 0.5], [0.5, 1.0]]\n'
    "bounds = [-1, 1]\n",
    "moments": '[model]\nkind = "moments"\nn = 100\nvariance = 0.2\nrange = 1.0\nneighbourhood = 2\n',
    "sampled": '[model]\nkind = "sampled"\nsample = { rate = 0.5, of = "households" }\n'
    'population = { kind = "households", count = 3, infected = [0.9, 0.04, 0.06] }\n',
    "size": '[sample]\nsize = 2\n[model]\nkind = "independent"\nprobabilities = [0.3, 0.5, 0.2]\n'
    'labels = ["a", "b", "b"]\n',
    "product": '[model]\nkind = "product"\n[[model.parts]]\nkind = "independent"\nprobabilities = [0.3]\n'
    '[[model.parts]]\nkind = "table"\nrecords = [[0, 0], [1, 1]]\nprobabilities = [0.9, 0.1]\n',
    "linked": '[model]\nkind = "linked"\nstages = ["spring", "autumn"]\ncoupling = "chain"\npersistence = 0.8\n'
    'within = { kind = "households", count = 3, infected = [0.9, 0.04, 0.06] }\n',
    "any": '[model]\nkind = "any"\n[[model.models]]\nkind = "independent"\nprobabilities = [0.3, 0.5]\n'
    '[[model.models]]\nkind = "independent"\nprobabilities = [0.4, 0.4]\n',
}

QUERIES: Final = (
    COUNT,
    '[query]\nkind = "sum"\nlower = 0\nupper = 1\n',
    '[query]\nkind = "mean"\nlower = 0\nupper = 1\n',
    '[query]\nkind = "max"\n',
    '[query]\nkind = "histogram"\ncells = [[0], [1]]\n',
    '[query]\nkind = "count"\nper_label = true\n',
    '[query]\nkind = "several"\nqueries = [{ kind = "count" }, { kind = "max" }]\nnames = ["ill", "worst"]\n',
    '[query]\nkind = "stage"\nstage = "autumn"\nquery = { kind = "count" }\n',
)
NOISES: Final = (
    NOISE,
    SMOOTH,
    '[noise]\nkind = "gaussian"\nscale = 2.0\n',
    '[noise]\nkind = "none"\n',
    '[noise]\nkind = "clamped"\nscale = 1.0\nlower = 0\nupper = 3\n',
    '[noise]\nkind = "noisy_max"\ncandidates = 2\nscale = 2.0\n',
    '[noise]\nkind = "kernel"\nanswers = [0, 1, 2]\noutputs = ["no", "yes"]\n'
    "probabilities = [[0.8, 0.2], [0.5, 0.5], [0.1, 0.9]]\n",
)
PROMISES: Final = (
    NOTION,
    '[notion]\nkind = "inferential"\nepsilon = 1.0\ndelta = 0.01\n',
    '[notion]\nkind = "differential"\nepsilon = 0.5\n',
    '[notion]\nkind = "mutual_information"\nepsilon = 0.05\n',
    '[notion]\nkind = "min_entropy"\nepsilon = 0.2\n',
    '[notion]\nkind = "information"\nfactor = 2\n',
    '[[promises]]\nkind = "information"\nepsilon = 1.0\n[[promises]]\nkind = "differential"\nepsilon = 2.0\n',
    "",
)
EXTRAS: Final = (
    "",
    "",
    "",
    '[adversary]\nknown = { "2" = 1 }\n',
    "[secrets]\npeople = [1, 2]\npairs = [[0, 1]]\n",
    "[secrets]\nsize = 2\n",
)

PEOPLE: Final = (
    "home,ill,place,age\n"
    "a,yes,north,41\na,no,north,7.5\nb,no,south,\nc,yes,south,19\nc,yes,south,NA\nc,no,south,80\nd,no,north,3\n"
)
WHOLE: Final = (
    HOMES + COUNT + NOISE + NOTION + DATA,
    HOMES + '[query]\nkind = "count"\nper_label = true\n' + NOTION + DATA,
    '[model]\nkind = "absent"\n[query]\nkind = "sum"\nlower = 0\nupper = 99\n'
    '[notion]\nkind = "rho"\nrho = 0.5\n[data]\nfile = "people.csv"\nvalue = "age"\n',
    '[model]\nkind = "absent"\nanswers = [362, 365, 367, 392]\n' + SMOOTH + '[notion]\nkind = "rho"\nrho = 0.5\n',
    '[model]\nkind = "households"\ncount = 5\ninfected = [0.9, 0.04, 0.06]\n[[questions]]\nname = "ill"\n'
    'query = { kind = "count" }\nnoise = { kind = "geometric", scale = 4.0 }\ntimes = 3\n[[questions]]\nname = "any"\n'
    'query = { kind = "max" }\nnoise = { kind = "geometric", scale = 2.0 }\nshare = 0.5\n' + NOTION,
)
"""With sections that go together, or with a table."""
