"""Assessments of nothing but scores; what a test is about, it asks for."""

from scorecast.evaluation import (
    Diagnostics,
    LearningCurves,
    NullTests,
    Permute,
    assess,
)


def assess_bare(
    estimator,
    X,
    y,
    *,
    n_permutations=0,
    n_null_data=0,
    null_data="shrunk",
    permute="all",
    bias_variance=False,
    data_profile=False,
    n_selected=None,
    vc_dimension=None,
    hypotheses=None,
    n_resamples=0,
    feature_names=(),
    samples=False,
    features=False,
    target=None,
    **options,
):
    """Assess models, with every setting as an option of its own."""
    tests = curves = None
    if n_permutations != 0:
        tests = NullTests(
            n_permutations=n_permutations,
            n_null_data=n_null_data,
            null_data=null_data,
            permute=Permute(permute) if permute in list(Permute) else permute,
        )
    if samples is not False or features is not False or target is not None:
        curves = LearningCurves(samples=samples, features=features, target=target)
    diagnostics = Diagnostics(
        bias_variance=bias_variance,
        data_profile=data_profile,
        n_selected=n_selected,
        vc_dimension=vc_dimension,
        hypotheses=hypotheses,
        n_resamples=n_resamples,
        feature_names=feature_names,
    )
    return assess(
        estimator, X, y, tests=tests, curves=curves, diagnostics=diagnostics, **options
    )


def only(answer):
    """Return the only model of an answer, or the first."""
    return next(iter(answer.models.values()))
