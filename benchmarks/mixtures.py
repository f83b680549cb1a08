"""Measure the mixture sampler, next to NUTS on the same model in the same run.

Usage: python benchmarks/mixtures.py [--quick] [--without-nuts]

Sweeps per second are of CPU time of one chain, split and merge attempts included, at
the default number of attempts. Effective draws are of the mean of the mixture (bulk,
by arviz-stats), per CPU second, warm-up not counted. The peer is numpyro's NUTS (extra
`bench`) on the same prior with the number of components fixed at five, labels and
scales integrated out (64 Gauss-Legendre nodes per density), one chain.
"""

import argparse
import time

import numpy as np
from arviz_stats.base import array_stats

from scorecast.mixtures import Prior, Sampling
from scorecast.mixtures.chain import Chain, empty_trace

PRIOR = Prior.information()
N_COMPONENTS = 5


def values_of(n, seed=0):
    """Two overlapping lumps, one with a long left tail."""
    rng = np.random.default_rng(seed)
    one = 0.15 + (0.25 * rng.standard_normal(n) - 0.35) / np.sqrt(rng.gamma(3, 0.5, n))
    two = 0.45 + (0.1 * rng.standard_normal(n) + 0.05) / np.sqrt(rng.gamma(5, 0.25, n))
    return np.where(rng.random(n) < 0.6, one, two)


def effective(draws):
    return float(array_stats.ess(draws[None, :], chain_axis=0, draw_axis=1))


def ours(n, n_sweeps, n_warmup):
    values = values_of(n)[:, None]
    n_jumps = Sampling().jumps_for(n)
    chain = Chain(
        values, PRIOR.constants(), np.random.default_rng(1), n_jumps=n_jumps, n_start=2
    )
    chain.run(n_warmup, empty_trace(n_warmup, 1))
    record = empty_trace(n_sweeps, 1)
    start = time.process_time()
    chain.run(n_sweeps, record)
    seconds = time.process_time() - start
    ess = effective(record.means[:, 0])
    return {
        "n": n,
        "jumps": n_jumps,
        "sweeps/s": n_sweeps / seconds,
        "components": float(record.numbers.mean()),
        "effective/s": ess / seconds,
        "mean": float(record.means.mean()),
        "sd": float(record.means.std()),
    }


def log_pro_gamma(m, a, b):
    """Log density of m under proGamma of type 1, up to a constant."""
    import jax.numpy as jnp
    from jax.scipy.special import gammaln

    return -(a + b) * m + b * (m * jnp.log(m - 1) - gammaln(m))


def log_integral(p, a, b):
    """Log of the integral of s^p exp(-a s^2 + b s) over s > 0, by quadrature."""
    import jax.numpy as jnp
    from jax.scipy.special import logsumexp

    nodes, weights = (jnp.asarray(x) for x in np.polynomial.legendre.leggauss(64))
    q = p + 1
    root = jnp.sqrt(b * b + 8 * a * q)
    s0 = jnp.where(b < 0, 2 * q / (root - b), (b + root) / (4 * a))
    a1 = a * s0**2
    right = jnp.sqrt(60.0 / (q + 2 * a1))
    left = -jnp.minimum(right * 2.5, 30.0 / q + 1)
    half = (right - left) / 2
    u = left[..., None] + half[..., None] * (nodes + 1)
    e = jnp.expm1(u)
    g = q[..., None] * (u - e) - a1[..., None] * e**2
    area = logsumexp(g + jnp.log(weights), -1)
    return q * jnp.log(s0) - a1 + b * s0 + jnp.log(half) + area


def draw_components():
    """Draw weights, locations, skews, precisions and shapes (less one) in numpyro."""
    import jax.numpy as jnp
    from numpyro import distributions as dist, factor, plate, sample

    def positive(name):
        return sample(name, dist.ImproperUniform(dist.constraints.positive, (), ()))

    c = N_COMPONENTS
    rate = sample("rate", dist.Gamma(PRIOR.rate_shape, PRIOR.rate_rate[0, 0]))
    s_mu = sample("s_mu", dist.Gamma(PRIOR.location_shape, rate))
    mu_mu = sample("mu_mu", dist.Normal(0.0, 1.0))
    r_s = sample("r_s", dist.Gamma(PRIOR.scale_shape, PRIOR.scale_rate[0, 0]))
    d_s = positive("d_s")
    factor("m_s", log_pro_gamma(1 + d_s, PRIOR.spread_a, PRIOR.spread_b))
    with plate("components", c):
        s = sample("s", dist.Gamma(1 + d_s, d_s * r_s))
        mu = mu_mu + sample("mu", dist.Normal(0, 1)) / jnp.sqrt(s_mu)
        nu = sample("nu", dist.Normal(0, 1)) / jnp.sqrt(s)
        d = positive("d")
        factor("m", log_pro_gamma(1 + d, PRIOR.tail_a, PRIOR.tail_b))
    p = sample("p", dist.Dirichlet(jnp.full(c, PRIOR.concentration / c)))
    return p, mu, nu, s, d


def nuts_model(x):
    """The same hierarchy in numpyro, labels and scales integrated out."""
    import jax.numpy as jnp
    import numpyro
    from jax.scipy.special import gammaln, logsumexp

    p, mu, nu, s, d = draw_components()
    m = 1 + d
    y = x[:, None] - mu
    logs = m * jnp.log(d) - gammaln(m) + 0.5 * jnp.log(s / (2 * jnp.pi))
    logs = logs - 0.5 * s * nu**2 + jnp.log(2.0)
    power = jnp.broadcast_to(2 * m, y.shape)
    logs = logs + log_integral(power, d + 0.5 * s * y**2, s * nu * y)
    numpyro.factor("likelihood", logsumexp(logs + jnp.log(p), axis=1).sum())
    pull = jnp.sqrt(d) * jnp.exp(gammaln(m - 0.5) - gammaln(m))
    numpyro.deterministic("mean", (p * (mu + nu * pull)).sum())


def nuts(n, n_draws, n_warmup):
    import jax
    import numpyro

    numpyro.enable_x64()
    kernel = numpyro.infer.NUTS(nuts_model, max_tree_depth=8)
    mcmc = numpyro.infer.MCMC(
        kernel, num_warmup=n_warmup, num_samples=n_draws, progress_bar=False
    )
    values = values_of(n)
    mcmc.warmup(jax.random.PRNGKey(0), values)
    start = time.process_time()
    mcmc.run(jax.random.PRNGKey(1), values)
    draws = np.asarray(mcmc.get_samples()["mean"])
    seconds = time.process_time() - start
    return {
        "n": n,
        "effective/s": effective(draws) / seconds,
        "mean": float(draws.mean()),
        "sd": float(draws.std()),
        "seconds": seconds,
    }


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true")
    options.add_argument("--without-nuts", action="store_true")
    asked = options.parse_args()
    scale = 4 if asked.quick else 1
    print("| n | attempts | sweeps/s | mean C | effective draws/s | mean (sd) |")
    print("|---|---|---|---|---|---|")
    found = {}
    for n, n_sweeps, n_warmup in ((500, 40_000, 4000), (5000, 6000, 600),
                                  (50_000, 800, 200)):  # fmt: skip
        r = found[n] = ours(n, n_sweeps // scale, n_warmup)
        print(
            f"| {n:,} | {r['jumps']} | {r['sweeps/s']:,.0f} | {r['components']:.1f} | "
            f"{r['effective/s']:,.0f} | {r['mean']:.4f} ({r['sd']:.4f}) |",
            flush=True,
        )
    if asked.without_nuts:
        return
    r = nuts(500, 300 // scale, 300 // scale)
    ratio = found[500]["effective/s"] / r["effective/s"]
    print(
        f"| 500, NUTS with five components | - | - | 5 | {r['effective/s']:.2f} "
        f"(ours {ratio:,.0f}x) | {r['mean']:.4f} ({r['sd']:.4f}) |"
    )


if __name__ == "__main__":
    main()
