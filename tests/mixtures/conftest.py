"""Kernels with a deliberate fault, and joint draws to judge kernels by."""

import inspect

import numpy as np
import pytest
from numba import njit

from scorecast.mixtures import Noise, Observations
from scorecast.mixtures.chain import Chain, NoisyChain, empty_trace
from scorecast.mixtures.kernels import gibbs, split_merge, sweep

FREE = njit(nogil=True, error_model="numpy")
INNER = njit(
    nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True
)


def rewritten(function, replacements, **names):
    """Return the kernel with parts of its text and some of its names replaced."""
    source = inspect.getsource(function.py_func)
    for old, new in replacements.items():
        assert source.count(old) == 1, (old, source.count(old))
        source = source.replace(old, new)
    for name in names:  # else the fault would be none
        assert f"{name}(" in source.partition(":\n")[2], name
    space = dict(vars(inspect.getmodule(function.py_func)))
    space |= {"entry": FREE, "compiled": INNER, "merged": INNER} | names
    # The text is our own kernel with one line changed.
    exec(compile(source, "<a faulty kernel>", "exec"), space)
    return space[function.py_func.__name__]


def swept(**names):
    """Return the sweeps with some of their parts replaced."""
    once = rewritten(sweep.sweep, {}, **names)
    return rewritten(sweep.run_sweeps, {}, sweep=once)


@pytest.fixture(scope="session")
def scale_ignores_skew():
    """Scales drawn as if the skew were zero: a Gamma, which they are not."""
    block = rewritten(gibbs._draw_block, {"beta * block[2, i]": "0.0"})
    line = rewritten(gibbs._assign_numbers, {}, _draw_block=block)
    plane = rewritten(
        gibbs._assign_vectors, {"beta * square, beta * cross)": "beta * square, 0.0)"}
    )
    broken = rewritten(
        gibbs.assign_cases, {}, _assign_numbers=line, _assign_vectors=plane
    )
    return swept(assign_cases=broken)


@pytest.fixture(scope="session")
def precision_forgets_skew_prior():
    """Precisions drawn without the factor that the prior of the skew brings."""
    broken = rewritten(
        gibbs.update_component,
        {"constants.power * sums.cases[c] + 1.0": "constants.power * sums.cases[c]"},
    )
    update = rewritten(sweep._update_mixture, {}, update_component=broken)
    return swept(_update_mixture=update)


@pytest.fixture(scope="session")
def precision_forgets_scatter():
    """Precisions that count their cases, but not how far apart they lie."""
    broken = rewritten(
        gibbs.update_component,
        {"0.5 * (constants.power * own + tilt)": "0.5 * tilt"},
    )
    update = rewritten(sweep._update_mixture, {}, update_component=broken)
    return swept(_update_mixture=update)


@pytest.fixture(scope="session")
def split_forgets_jacobian():
    """Splits and merges judged as if every parent had had all the weight."""
    broken = rewritten(
        split_merge.log_split_ratio,
        {"return total + math.log(whole) - log_share": "return total - log_share"},
    )
    split = rewritten(split_merge._split, {}, log_split_ratio=broken)
    merge = rewritten(split_merge._merge, {}, log_split_ratio=broken)
    both = rewritten(split_merge.jump, {}, _split=split, _merge=merge)
    return swept(jump=both)


class JointDraws:
    """Chains that start from an exact draw of parameters and values together.

    If every update is right, any number of sweeps leaves the joint distribution as it
    was, so each statistic has the same mean before and after: no convergence needed.
    """

    def __init__(self, prior, n_cases, *, n_jumps=4, kernel=None):
        self.prior = prior
        self.rng = np.random.default_rng(20)
        self.chain = Chain(
            np.zeros((n_cases, prior.n_dims)),
            prior.constants(),
            self.rng,
            n_jumps=n_jumps,
        )
        self.kernel = sweep.run_sweeps if kernel is None else kernel
        self.mean = np.empty(prior.n_dims)

    def draw(self):
        """Draw a mixture from the prior, and values from it."""
        rng, chain = self.rng, self.chain
        number = int(rng.geometric(1 - self.prior.growth))
        chain.state.number[0] = number
        if number + chain.n_jumps > len(chain.state.densities.row):
            chain.make_room(number + chain.n_jumps)
        sweep.draw_mixture(
            rng,
            number,
            chain.state.components,
            chain.state.population,
            chain.constants,
            self.mean,
        )
        parts = chain.state.components
        n_cases, n_dims = chain.state.x.shape
        weight = parts.weight[:number] / parts.weight[:number].sum()
        label = rng.choice(number, size=n_cases, p=weight)
        shape = parts.shape[label]
        lag = 1.0 if self.prior.tail_kind == 1 else 0.0
        root = np.sqrt(rng.gamma(shape, 1.0 / (shape - lag)))[:, None]
        factor = np.linalg.cholesky(parts.precision[:number])[label]
        noise = rng.standard_normal((n_cases, n_dims, 1))
        noise = np.linalg.solve(np.swapaxes(factor, 1, 2), noise)[:, :, 0]
        chain.state.x[:] = parts.location[label] + (parts.skew[label] + noise) / root
        chain.state.cases.label[:], chain.state.cases.root[:] = label, root[:, 0]

    def statistics(self):
        """Functions of mixture, population and values that do not care for labels."""
        chain = self.chain
        number = int(chain.state.number[0])
        p, mu, nu, s, m = (array[:number] for array in chain.state.components)
        x, pop = chain.state.x[:, 0], chain.state.population
        lag = 1.0 if self.prior.tail_kind == 1 else 0.0
        log_det = np.linalg.slogdet(s)[1]
        tilt = np.tanh(nu[:, 0] * np.sqrt(s[:, 0, 0]))
        away = np.arctan(x[:, None] - mu[:, 0])
        found = [
            number, np.log(number), p @ p, p @ np.arctan(mu[:, 0]), p @ log_det,
            p @ np.log(m - lag), p @ tilt, p @ np.abs(tilt), np.mean(away @ p),
            np.mean(away @ (p * tilt)), np.mean(np.abs(away) @ p) * (p @ log_det),
            np.log(pop.precision_shape[0] - 1), np.linalg.slogdet(pop.covariance)[1],
            np.linalg.slogdet(pop.location_precision)[1],
            np.linalg.slogdet(pop.location_rate)[1], np.arctan(pop.location_mean[0]),
        ]  # fmt: skip
        if self.prior.n_dims > 1:
            found += [
                p @ (s[:, 0, 1] / np.sqrt(s[:, 0, 0] * s[:, 1, 1])),
                p @ (tilt * np.tanh(nu[:, 1])),
                np.mean(away @ p * np.arctan(chain.state.x[:, 1])) * (p @ s[:, 0, 1]),
            ]  # fmt: skip
        return found

    def z_scores(self, n_draws, n_sweeps=2):
        """Return how many standard errors each statistic moved."""
        moves = []
        for _ in range(n_draws):
            self.draw()
            before = self.statistics()
            self.run(n_sweeps)
            moves.append(np.subtract(self.statistics(), before))
        moves = np.array(moves)
        return moves.mean(axis=0) / (moves.std(axis=0) / np.sqrt(n_draws))

    def run(self, n_sweeps):
        """As `Chain.run`, with the kernel that is being judged."""
        self.run_into(empty_trace(n_sweeps, self.prior.n_dims))

    def run_into(self, trace):
        """Fill the trace."""
        original = Chain._sweep.__globals__["run_sweeps"]
        Chain._sweep.__globals__["run_sweeps"] = self.kernel
        try:
            self.chain.run(len(trace.means), trace)
        finally:
            Chain._sweep.__globals__["run_sweeps"] = original


class NoisyJointDraws(JointDraws):
    """The same with measurements: noise, censoring from the right, missing values."""

    def __init__(self, prior, n_cases, *, kernel=None, n_jumps=4):
        super().__init__(prior, n_cases, n_jumps=n_jumps)
        n_dims = prior.n_dims
        noise = Noise(np.linspace(2.0, 6.0, n_dims), 2.5)
        blank = Observations(np.zeros((n_cases, n_dims)), np.zeros(n_cases), noise)
        constants = prior.constants()
        self.chain = NoisyChain(blank, constants, self.rng, n_jumps=n_jumps)
        self.kernel = sweep.run_noisy_sweeps if kernel is None else kernel

    def draw(self):
        """Draw mixture, true values and what was measured of them."""
        super().draw()
        rng, measured, x = self.rng, self.chain.measured, self.chain.state.x
        shape = measured.noise_shape
        measured.noise_scale[:] = rng.gamma(shape, 1.0 / shape, size=len(x))
        spread = np.sqrt(measured.noise * measured.noise_scale[:, None])
        measured.value[:] = x + rng.standard_normal(x.shape) / spread
        measured.limit[:] = rng.normal(0.2, 1.0, size=len(x))
        measured.is_censored[:] = measured.value[:, 0] > measured.limit
        missing = rng.random(x.shape) < 0.2
        missing[:, 0] = False
        measured.value[missing] = np.nan

    def statistics(self):
        """Those of the mixture, and those of what is not seen."""
        x, measured = self.chain.state.x, self.chain.measured
        y, spread = np.arctan(measured.value[:, 0]), np.log(measured.noise_scale)
        unseen = measured.is_censored
        away = np.arctan(x[:, 0] - measured.value[:, 0])
        return [
            *super().statistics(), np.mean(y), np.mean(y * unseen), np.mean(away),
            np.mean(spread), np.mean(np.abs(away) * spread), np.mean(np.abs(away)),
            np.mean(np.arctan(x[:, 1])), np.mean(np.arctan(x[:, 0] * x[:, -1])),
            np.mean(unseen * np.arctan(x[:, 0] * x[:, -1])),
        ]  # fmt: skip

    def run_into(self, trace):
        """Fill the trace with the kernel that is being judged."""
        space = NoisyChain._sweep.__globals__
        original, space["run_noisy_sweeps"] = space["run_noisy_sweeps"], self.kernel
        try:
            self.chain.run(len(trace.means), trace)
        finally:
            space["run_noisy_sweeps"] = original


def _noisy(replacements):
    update = rewritten(sweep.update_latent, replacements)
    return rewritten(sweep.run_noisy_sweeps, {}, update_latent=update)


@pytest.fixture(scope="session")
def censored_without_noise():
    """Censored measurements drawn as if they were the true values."""
    return _noisy({"1.0 / (last * last) + 1.0 / pull": "1.0 / (last * last)"})


@pytest.fixture(scope="session")
def censoring_ignored():
    """Censored measurements drawn as if nothing were known of them."""
    return _noisy({"draw_above(rng, a)": "rng.standard_normal()"})


@pytest.fixture
def noisy_joint_draws():
    """The class, for tests to fill in a prior."""
    return NoisyJointDraws


@pytest.fixture
def joint_draws():
    """The class, for tests to fill in a prior."""
    return JointDraws


@pytest.fixture
def rewrite():
    """Give kernels with a deliberate fault."""
    return rewritten
