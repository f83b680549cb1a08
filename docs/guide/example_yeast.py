"""Print what the guide says of biclusters in the yeast cell cycle.

Usage: python docs/guide/example_yeast.py FOLDER

FOLDER holds yeast_tavazoie.npz (2,884 genes x 17 conditions, Tavazoie and others, 1999,
as used by Cheng and Church), which does not ship with the package.
"""

import sys
import warnings
from pathlib import Path

import numpy as np
from sklearn.cluster import SpectralBiclustering, SpectralCoclustering

import scorecast as sc

warnings.simplefilter("ignore")
X = np.load(Path(sys.argv[1]) / "yeast_tavazoie.npz")["X"].astype(float)
X = X[(X != -1).all(axis=1)] + 1  # two genes have no value; rows of zeros have no scale


def residue(block):
    return block - block.mean(1, keepdims=True) - block.mean(0) + block.mean()


def deletion(X, limit=300.0):
    """Drop rows and columns of large residue until the mean squared residue is small.

    The first step of Cheng and Church (2000), several rows or columns at a time.
    """
    rows, columns = np.arange(X.shape[0]), np.arange(X.shape[1])
    while True:
        squares = residue(X[np.ix_(rows, columns)]) ** 2
        mean = squares.mean()
        if mean <= limit:
            return [(rows, columns)]
        keep = squares.mean(axis=1) <= 1.2 * mean
        if keep.all():
            keep[squares.mean(axis=1).argmax()] = False
        rows = rows[keep]
        across = residue(X[np.ix_(rows, columns)]) ** 2
        if columns.size > 8 and across.mean(0).max() > across.mean(1).max():
            columns = np.delete(columns, across.mean(0).argmax())


finders = {
    "spectral co-clustering, 5": SpectralCoclustering(n_clusters=5, random_state=0),
    "spectral biclustering, 4 x 3": SpectralBiclustering((4, 3), random_state=0),
    "deletion to residue 300": deletion,
}
print(f"{'':<30}{'found':>6}{'median':>9}{'residue':>9}{'correl.':>9}{'signif.':>9}")
for name, finder in finders.items():
    found = finder.fit(X) if hasattr(finder, "fit") else finder(X)
    answer = sc.score_biclusters(found, data=X)
    rows = answer.biclusters
    size = sorted(row.n_rows * row.n_columns for row in rows)[len(rows) // 2]
    print(
        f"{name:<30}{len(rows):>6}{size:>9,}"
        f"{np.median([r.coherence['msr'] for r in rows]):>9.0f}"
        f"{np.median([r.coherence['row-correlation'] for r in rows]):>9.2f}"
        f"{answer.n_significant:>9}"
    )
print()
estimates = sc.bicluster_estimates(finders, X, n_repeats=10, measures=["consensus", "msr"])
for model in sc.assess_estimates(estimates).models:
    stable, size = model.losses
    print(
        f"{model.name:<30} stable {stable.estimate:.2f} ({stable.low:.2f} to "
        f"{stable.high:.2f}); shuffled {model.tests[0].null_value:.2f}"
    )
    print(f"{'':<30} residue {size.estimate:,.0f} ({size.low:,.0f} to {size.high:,.0f})")
