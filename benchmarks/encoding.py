"""Measure the encoding model, next to scikit-learn in the same run.

Usage: python benchmarks/encoding.py [--quick]

The peers are a loop over RidgeCV, one response at a time, and RidgeCV with a penalty
per target for all responses at once. The loop is timed on a few responses, spread over
all of them, and scaled; the table says by how much. Penalties chosen by all must be
equal.
Memory is the peak of a process of its own over what it held with the input in place.
"""

import argparse
import subprocess
import sys
import time

import numpy as np
from sklearn.linear_model import RidgeCV

from scorecast.identification.regression import PenaltySearch, fit_ridge

N_SAMPLES, N_FEATURES, N_RESPONSES, N_PENALTIES = 1_000, 500, 5_000, 20
LOOPED = 10  # responses of the loop that are timed
ROWS = []


def sample(n, p, q, seed=0):
    """Responses whose share of signal differs from one to the next."""
    rng = np.random.default_rng(seed)
    stimuli = rng.standard_normal((n, p))
    strength = rng.exponential(size=q) / np.sqrt(p)
    responses = stimuli @ (rng.standard_normal((p, q)) * strength)
    responses += rng.standard_normal((n, q))
    return stimuli, responses


def seconds(function):
    """Return wall-clock and CPU seconds, and the answer."""
    wall, cpu = time.perf_counter(), time.process_time()
    answer = function()
    return time.perf_counter() - wall, time.process_time() - cpu, answer


def row(job, wall, cpu, ratios=("", "")):
    ROWS.append((job, f"{wall:.3g}", f"{cpu:.3g}", *ratios))
    print("; ".join(ROWS[-1]), flush=True)


def ridge(quick):
    p, q = (100, 500) if quick else (N_FEATURES, N_RESPONSES)
    stimuli, responses = sample(N_SAMPLES, p, q)
    penalties = np.logspace(-1, 5, N_PENALTIES)
    columns = np.linspace(0, q - 1, LOOPED).astype(int)

    def loop():
        models = (
            RidgeCV(alphas=penalties).fit(stimuli, responses[:, j]) for j in columns
        )
        return np.array([model.alpha_ for model in models])

    def at_once():
        model = RidgeCV(alphas=penalties, alpha_per_target=True)
        return model.fit(stimuli, responses).alpha_

    size = f"{N_SAMPLES:,} x {p:,}, {q:,} responses, {N_PENALTIES} penalties"
    wall, cpu, found = seconds(
        lambda: fit_ridge(stimuli, responses, PenaltySearch(alphas=penalties))
    )
    row(f"ridge, {size}: ours", wall, cpu)
    scale = q / LOOPED
    for name, peer, factor, mine in (
        (f"loop over RidgeCV (x{scale:g})", loop, scale, found.alphas[columns]),
        ("RidgeCV(alpha_per_target=True)", at_once, 1.0, found.alphas),
    ):
        its_wall, its_cpu, chosen = seconds(peer)
        assert np.array_equal(chosen, mine), "different penalties were chosen"
        its_wall, its_cpu = its_wall * factor, its_cpu * factor
        ratios = f"{its_wall / wall:,.1f}x", f"{its_cpu / cpu:,.1f}x"
        row(name, its_wall, its_cpu, ratios)


MEMORY = """
import re, sys, time
import numpy as np
from scorecast import EncodingModel

def resident(name):
    status = open("/proc/self/status").read()
    return int(re.search(name + r":\\s+(\\d+)", status)[1]) / 1024

n, p, q = map(int, sys.argv[1:])
rng = np.random.default_rng(0)
weights = rng.standard_normal((p, q), dtype=np.float32) / np.float32(p)
stimuli = rng.standard_normal((n, p), dtype=np.float32)
responses = stimuli @ weights + rng.standard_normal((n, q), dtype=np.float32)
del weights
EncodingModel().fit(stimuli[:50], responses[:50, :80])
before = resident("VmRSS")
open("/proc/self/clear_refs", "w").write("5")  # forget the peak so far
wall, cpu = time.perf_counter(), time.process_time()
model = EncodingModel().fit(stimuli, responses)
fitted = time.perf_counter() - wall, time.process_time() - cpu
wall, cpu = time.perf_counter(), time.process_time()
scores = model.log_posterior(responses, stimuli)
scored = time.perf_counter() - wall, time.process_time() - cpu
assert scores.shape == (n, n) and np.isfinite(scores).all()
size = responses.nbytes / 2**20
print(*fitted, *scored, resident("VmHWM") - before, size, model.shrinkage_)
"""


def memory(quick):
    n, p, q = (300, 100, 2_000) if quick else (N_SAMPLES, N_FEATURES, 20_000)
    command = [sys.executable, "-c", MEMORY, *map(str, (n, p, q))]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    numbers = [float(word) for word in done.stdout.split()]
    size = f"{n:,} samples x {p:,} features x {q:,} responses, float32"
    row(f"EncodingModel().fit, {size}", *numbers[:2])
    row(f"the same: log_posterior of {n:,} x {n:,} pairs", *numbers[2:4])
    print(
        f"memory over the input: {numbers[4]:,.0f} MB (responses {numbers[5]:,.0f} MB; "
        f"responses x responses would be {q * q * 8 / 2**20:,.0f} MB)"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="smaller sizes")
    quick = parser.parse_args().quick
    ridge(quick)
    memory(quick)
    print("\n| job | seconds | CPU seconds | ours quicker by | by CPU |")
    print("|---|---|---|---|---|")
    for cells in ROWS:
        print("| " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
