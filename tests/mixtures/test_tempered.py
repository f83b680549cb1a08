"""Chains with the likelihood of measurements raised to a power."""

import numpy as np
import pytest
from scipy import stats

from scorecast.mixtures import Prior
from scorecast.mixtures.kernels import sweep

COVARIANCE = np.array([[1.0, 0.3, 0.2], [0.3, 0.5, -0.1], [0.2, -0.1, 0.8]])
NO_MORE = 4.3  # standard errors; thirty statistics, so 1 in 2,000 by chance
SURELY = 6.0


def space(n_dims):
    """A prior under which everything varies."""
    cov = COVARIANCE[:n_dims, :n_dims]
    return Prior.survival(
        cov, np.linspace(0.2, -0.1, n_dims), growth=0.5, scale_shape=5.0,
        scale_rate=5.0 * np.linalg.inv(cov), spread_b=2.0, skew_spread=0.5, tail_b=4.0,
    )  # fmt: skip


@pytest.fixture
def tempered_joint_draws(noisy_joint_draws, monkeypatch):
    """Joint draws with the density of the noise raised to beta, and made one again.

    Normal noise then has precision beta lambda D, and lambda loses (1 - beta) / 2 of
    its shape for every coordinate that was measured. A probability raised to a power
    has no such form. So every second case may be given a limit of its own accord, and
    all that was drawn, the mixture too, is kept with the product of the chances beyond
    the limits, raised to beta, and else drawn anew.
    """

    class TemperedJointDraws(noisy_joint_draws):
        def __init__(self, prior, n_cases, beta, kernel=None, *, censored=False):
            super().__init__(prior, n_cases)
            self.chain.noise_power = self.beta = beta
            self.censored = censored
            if kernel is not None:
                monkeypatch.setattr(
                    "scorecast.mixtures.chain.run_tempered_sweeps", kernel
                )

        def draw(self):
            super().draw()
            rng, measured, x = self.rng, self.chain.measured, self.chain.state.x
            known, shape = ~np.isnan(measured.value), measured.noise_shape
            if self.beta == 1.0:
                unseen = measured.is_censored
                measured.value[unseen, 0] = measured.limit[unseen]
                return
            unseen = (
                np.arange(len(x)) % 2 == 1 if self.censored else np.zeros(len(x)) > 0
            )
            measured.is_censored[:] = unseen
            known[:, 0] &= ~unseen
            lost = 0.5 * (1.0 - self.beta) * known.sum(axis=1)
            measured.noise_scale[:] = rng.gamma(shape - lost, 1.0 / shape)
            precision = self.beta * measured.noise * measured.noise_scale[:, None]
            fresh = x + rng.standard_normal(x.shape) / np.sqrt(precision)
            measured.value[known] = fresh[known]
            measured.limit[:] = rng.normal(-0.3, 1.0, size=len(x))
            measured.value[unseen, 0] = measured.limit[unseen]
            root = np.sqrt(measured.noise[0] * measured.noise_scale[unseen])
            away = (measured.limit[unseen] - x[unseen, 0]) * root
            if -self.beta * stats.norm.logsf(away).sum() > rng.standard_exponential():
                self.draw()

        def statistics(self):
            # How noise scale and distance from the limit go together.
            measured, x = self.chain.measured, self.chain.state.x
            unseen = measured.is_censored
            scale = np.log(measured.noise_scale) * unseen
            away = np.arctan(measured.limit - x[:, 0])
            chance = stats.norm.logsf((measured.limit - x[:, 0]) * np.exp(scale / 2))
            more = [scale, scale * away, unseen * away, unseen * np.arctan(chance)]
            return [*super().statistics(), *(np.mean(one) for one in more)]

        def z_scores(self, n_draws, n_sweeps=2):
            # What was measured stays, so its own statistics have no error.
            with np.errstate(invalid="ignore"):
                return np.nan_to_num(super().z_scores(n_draws, n_sweeps), posinf=99.0)

        def run_into(self, record):
            self.chain.run(len(record.means), record)

    return TemperedJointDraws


@pytest.mark.parametrize("beta", [1.0, 0.1])
@pytest.mark.parametrize("n_dims", [2, 3])
def test_sweeps_leave_the_joint_distribution_alone(tempered_joint_draws, n_dims, beta):
    z = tempered_joint_draws(space(n_dims), 6, beta).z_scores(1500)
    assert np.abs(z).max() < NO_MORE, z.round(1)


@pytest.mark.statistical
@pytest.mark.parametrize("beta", [1.0, 0.3, 0.02])
@pytest.mark.parametrize("n_dims", [2, 3])
def test_many_sweeps_leave_it_alone(tempered_joint_draws, n_dims, beta):
    z = tempered_joint_draws(space(n_dims), 6, beta).z_scores(15_000)
    assert np.abs(z).max() < NO_MORE, z.round(1)


@pytest.mark.slow
@pytest.mark.parametrize("n_dims", [2, 3])
def test_censored_cases_leave_it_alone_at_half_power(tempered_joint_draws, n_dims):
    joint = tempered_joint_draws(space(n_dims), 6, 0.5, censored=True)
    z = joint.z_scores(6000, n_sweeps=4)
    assert joint.chain.measured.is_censored.sum() == 3
    assert np.abs(z).max() < NO_MORE, z.round(1)


@pytest.mark.slow  # compiles anew
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("part", "line", "fault"),
    [
        ("_draw_tempered", "-beta * gain >", "-gain >"),
        ("_draw_tempered_scale", "-beta * (new - old) >", "-3.0 * (new - old) >"),
    ],
)
def test_a_wrong_power_of_the_chance_is_found_out(
    tempered_joint_draws, rewrite, part, line, fault
):
    broken = rewrite(getattr(sweep, part), {line: fault})
    update = rewrite(sweep._update_tempered, {}, **{part: broken})
    kernel = rewrite(sweep.run_tempered_sweeps, {}, _update_tempered=update)
    joint = tempered_joint_draws(space(2), 6, 0.5, kernel, censored=True)
    z = joint.z_scores(6000, n_sweeps=4)
    assert np.abs(z).max() > SURELY, z.round(1)


@pytest.mark.slow  # compiles anew
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("part", "line", "fault"),
    [
        ("_scale", "power + n + 1.0", "power"),
        ("_shift", "t = _draw_along(", "t = 2.0 * _draw_along("),
    ],
)
def test_a_wrong_move_is_found_out(tempered_joint_draws, rewrite, part, line, fault):
    broken = rewrite(getattr(sweep, part), {line: fault})
    moves = rewrite(sweep.move_together, {}, **{part: broken})
    kernel = rewrite(sweep.run_tempered_sweeps, {}, move_together=moves)
    # Many cases: true values and component hold one another where the move left them.
    z = tempered_joint_draws(space(2), 20, 0.1, kernel).z_scores(1500, n_sweeps=4)
    assert np.abs(z).max() > SURELY, z.round(1)
