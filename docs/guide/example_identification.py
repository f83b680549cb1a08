"""The worked example about identification, from end to end.

Usage: python docs/guide/example_identification.py FOLDER
"""

import sys
import warnings
from pathlib import Path

# [imports]
import numpy as np

import scorecast as sc
from scorecast.io import load_characters
from scorecast.report import render_text
# [end]

warnings.simplefilter("ignore")
folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)


def heading(text):
    print(f"\n== {text} ==")


# [data]
rng = np.random.default_rng(0)
stimuli = rng.normal(size=(400, 12))  # 400 stimuli, 12 features
weights = rng.normal(size=(12, 60)) / 6  # what 60 channels respond to
responses = stimuli @ weights + rng.normal(size=(400, 60))

truth = 0.5 * np.linalg.slogdet(np.eye(12) + weights @ weights.T)[1] / np.log(2)
print(f"the responses carry {truth:.2f} bits about the stimulus")
# [end]

heading("answer")
# [answer]
answer = sc.identify(
    stimuli,
    responses,
    to=[1_000, 10_000],
    units="bits",
    test_size=0.5,
)
print(render_text(answer))
# [end]

heading("model")


# [model]
class LeastSquares:
    """No penalty, and noise that is alike and independent in all channels."""

    def fit(self, stimuli, responses):
        self.coef = np.linalg.lstsq(stimuli, responses, rcond=None)[0]
        return self

    def log_posterior(self, responses, candidates):
        expected = candidates @ self.coef
        return responses @ expected.T - (expected**2).sum(axis=1) / 2


own = sc.identify(stimuli, responses, model=LeastSquares(), units="bits", test_size=0.5)
print(own.summary())
# [end]

heading("decoders")
# [decoders]
decoders = {
    f"first {n}": sc.identify(stimuli, responses[:, :n], units="bits", test_size=0.5)
    for n in (1, 3, 10, 30, 60)
}
print(render_text(sc.compare_decoders(decoders, units="bits")))
# [end]

heading("truths")
for n in (1, 3, 10, 30, 60):
    part = weights[:, :n]
    held = 0.5 * np.linalg.slogdet(np.eye(n) + part.T @ part)[1] / np.log(2)
    print(f"{n:3d} channels carry {held:5.2f} bits")

heading("characters")
# [characters]
known = load_characters()
distances = ((known.probes[:, None] - known.gallery) ** 2).sum(axis=2)
found = sc.identify_from_scores(
    distances, known.labels, greater_is_better=False, units="bits"
)
print(found.summary())
# [end]

heading("accuracy")
# [accuracy]
bound = sc.mutual_information_bound(0.8, classes=50, n_tests=10, units="bits")
print(bound.summary())
print(bound.to_frame().round(3).to_string(index=False))
# [end]

heading("end")
test = answer.scores
np.save(folder / "scores.npy", test)
np.save(folder / "stimuli.npy", stimuli)
np.save(folder / "responses.npy", responses)
