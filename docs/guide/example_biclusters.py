"""Plant biclusters in noise, look for them, and write everything as files.

Usage: python docs/guide/example_biclusters.py FOLDER
"""

import json
import sys
from pathlib import Path

import numpy as np
from sklearn.cluster import SpectralCoclustering

import scorecast as sc
from scorecast.biclusters import as_bicluster_set

folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)


# begin: planted
def planted(rng):
    """Draw noise with three biclusters of a higher mean; return it and where they are."""
    X = rng.exponential(size=(120, 40))
    hidden = [(range(0, 30), range(0, 9)), (range(30, 55), range(9, 20)),
              (range(55, 90), range(20, 28))]  # fmt: skip
    for rows, columns in hidden:
        X[np.ix_(rows, columns)] += rng.exponential(2, size=(len(rows), len(columns)))
    return X, hidden


X, hidden = planted(np.random.default_rng(1))
model = SpectralCoclustering(n_clusters=4, random_state=0).fit(X)
answer = sc.score_biclusters(model, truth=hidden, data=X)
print(answer.summary())
# end: planted

np.save(folder / "matrix.npy", X)
truth = as_bicluster_set(hidden, shape=X.shape)
found = as_bicluster_set(model)
(folder / "truth.json").write_text(json.dumps(truth.to_dict()))
(folder / "found.json").write_text(json.dumps(found.to_dict()))

print("-- repeats")
# begin: repeats
finders = {f"{k} clusters": SpectralCoclustering(n_clusters=k) for k in (3, 4, 5)}
estimates = sc.bicluster_estimates(finders, generator=planted, n_repeats=20)
assessed = sc.assess_estimates(estimates)
print(assessed.summary())
# end: repeats
from scorecast.report import render_text  # noqa: E402

print()
print(render_text(assessed))

print("-- density")
# begin: density
from sklearn.mixture import GaussianMixture  # noqa: E402

cases = np.log(X)  # 120 cases of 40 features
for k in (1, 3):
    mixture = GaussianMixture(k, covariance_type="diag", random_state=0)
    print(f"{k}:", sc.density_test(mixture, cases).summary())
# end: density
