"""What an answer on apparent information rests on, as short labelled facts."""

from __future__ import annotations

from scorecast.information import (
    ApparentInformation,
    amount,
    chance_of,
    decimals_for,
    without_zeros,
)
from scorecast.report.formats import count, is_known, one_line, percent

__all__ = [
    "LONGEST_NAME",
    "against",
    "chains_said",
    "facts_of",
    "influence_said",
    "stake_said",
    "worst_said",
]

LONGEST_NAME = 40
_MOST_WORST = 3


def facts_of(result: ApparentInformation) -> list[tuple[str, str]]:
    """List the facts in the order of their worth."""
    chance = chance_of(result.posterior)
    if result.n_infinite:
        chance = f"{without_zeros(result.n_infinite)}: {chance}"
    facts = [("Cases", _cases_said(result)), ("P(J > 0)", chance)]
    facts.append(("Stake", stake_said(result)))
    if result.worst:
        facts.append(("Worst", worst_said(result)))
    if result.influence is not None:
        facts.append(("One case", influence_said(result)))
    facts += [
        (against(result), result.prior),
        ("Chains", chains_said(result)),
        ("Assumes", "; ".join(result.assumptions[:2])),
    ]
    return facts


def against(result: ApparentInformation) -> str:
    """Name what the forecasts are measured against."""
    return "Prior" if result.reference == "the prior" else "Against"


def _cases_said(result: ApparentInformation) -> str:
    parts = [count(result.n)]
    if result.n_infinite:
        parts.append(f"{count(result.n_infinite)} without any chance (minus infinity)")
    if result.n_censored:
        parts.append(f"{count(result.n_censored)} censored")
    if result.floor is not None:
        parts.append(f"floor {result.floor:g}, {count(result.n_floored)} raised to it")
    if result.n_posterior < result.n - result.n_infinite:
        parts.append(f"posterior from {count(result.n_posterior)} of them")
    return "; ".join(parts)


def stake_said(result: ApparentInformation) -> str:
    """Say what became of a stake."""
    bets = result.betting
    if bets.ruined_at is not None:
        return f"lost whole in case {count(bets.ruined_at)}"
    unit = "doublings" if result.units == "bits" else "powers of e"
    grown = amount(float(bets.log_pile[-1]), 1)
    cases = "1 case" if result.n == 1 else f"{count(result.n)} cases"
    after = f"{grown} {unit} after {cases}"
    return f"times {bets.factor:.4g} per case; {after}"


def worst_said(result: ApparentInformation) -> str:
    """Name the cases that cost most, with their share of all losses."""
    return ", ".join(
        f"{one_line(w.id, LONGEST_NAME)} ({amount(w.j, 2)} {result.units}, "
        f"{percent(w.share)} of all losses)"
        for w in result.worst[:_MOST_WORST]
    )


def influence_said(result: ApparentInformation) -> str:
    """Say what leaving out the most influential case would change."""
    without, digits = result.influence, result.decimals
    if without is None:
        return ""
    name = one_line(without.id, LONGEST_NAME)
    shift = without.mean_without - result.normal.mean
    seen = max(digits, decimals_for(10 * abs(shift)))  # or it would not seem to move
    old, new = (amount(x, seen) for x in (result.normal.mean, without.mean_without))
    said = f"without {name} the mean moves from {old} to {new}"
    if result.n_infinite:
        said = f"of the others, {said}"
    if result.n_posterior < result.n - result.n_infinite:
        # A case that was not simulated may have more influence still.
        said = f"of those simulated the most influential: {said}"
    if not is_known(without.posterior_median_without):
        return said if result.quick else f"{said}; posterior: {without.method}"
    # The case was left out of the mixture, whichever view gives the centre.
    mixture = result.posterior.views[0].median
    moved = without.posterior_median_without - mixture
    digits = max(digits, decimals_for(10 * abs(without.median_error)))
    old, new = (amount(x, digits) for x in (mixture, mixture + moved))
    said += f", the mixture's median from {old} to {new}"
    if not is_known(without.median_error):
        return said
    error = amount(without.median_error, digits)
    if abs(moved) < 2 * without.median_error:
        return f"{said}, no more than chance in the simulation (error {error})"
    return f"{said} (error by simulation {error})"


def chains_said(result: ApparentInformation) -> str:
    """Say whether the chains agree, and on what."""
    if result.quick:
        return "none: a quick look, an interval without a posterior"
    checks = result.diagnostics
    state = "agree" if result.converged else "DO NOT AGREE"
    return (
        f"{state} on J: R-hat {checks['rhat']:.3f}, {checks['ess']:,.0f} effective "
        "draws"
    )
