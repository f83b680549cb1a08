"""Models by name, or by class with literal parameters; nothing is evaluated."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from scorecast._core.near_names import near_name
from scorecast.exceptions import UsageError

__all__ = ["MODELS", "check_models", "model_from", "task_of"]

_FORM = re.compile(r"^([A-Za-z_][\w.]*):([A-Za-z_]\w*)(\(.*\))?$", re.DOTALL)

MODELS = {
    "naive-bayes": "sklearn.naive_bayes:GaussianNB",
    "nearest-centroid": "sklearn.neighbors:NearestCentroid",
    "svm": "sklearn.svm:SVC(kernel='linear')",
    "tree": "sklearn.tree:DecisionTreeClassifier",
    "forest": "sklearn.ensemble:RandomForestClassifier",
    "logistic": "sklearn.linear_model:LogisticRegression(max_iter=1000)",
    "neighbours": "sklearn.neighbors:KNeighborsClassifier",
    "ridge-classifier": "sklearn.linear_model:RidgeClassifier",
    "discriminant": "sklearn.discriminant_analysis:LinearDiscriminantAnalysis",
    "ridge": "sklearn.linear_model:Ridge",
    "lasso": "sklearn.linear_model:Lasso",
    "forest-regressor": "sklearn.ensemble:RandomForestRegressor",
}


def model_from(text: str) -> Any:
    """Make an estimator of its name.

    Parameters
    ----------
    text : str
        One of `MODELS`, or ``"sklearn.svm:SVC(kernel='linear')"``: a module of
        scikit-learn, a class, and keyword parameters that are literals.

    Returns
    -------
    estimator
        Not fitted.

    Raises
    ------
    UsageError
        If it is anything else.

    Examples
    --------
    >>> model_from("sklearn.svm:SVC(kernel='linear', C=0.5)").C
    0.5
    """
    text = MODELS.get(text, text)
    found = _FORM.match(text)
    if found is None:
        near = near_name(text, MODELS)
        hint = f" Did you mean {near!r}?" if near else ""
        msg = (
            f"No model {text!r}: give one of {', '.join(MODELS)}, or a class such as "
            f"\"sklearn.svm:SVC(kernel='linear')\".{hint}"
        )
        raise UsageError(msg)
    module, name, call = found[1], found[2], found[3] or "()"
    if module.split(".")[0] != "sklearn" or "._" in module or name.startswith("_"):
        msg = f"Only public classes of sklearn can be named so; got {module}:{name}."
        raise UsageError(msg)
    try:
        kind = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        msg = f"There is no {module}:{name}.{_near_class(module, name)}"
        raise UsageError(msg) from error
    if not (isinstance(kind, type) and hasattr(kind, "fit")):
        msg = f"{module}:{name} is no estimator."
        raise UsageError(msg)
    return _made(kind, _literals(name + call), text)


def _near_class(module: str, name: str) -> str:
    """Suggest a class of the module whose name is close."""
    try:
        known = [x for x in dir(importlib.import_module(module)) if x[:1].isupper()]
    except ImportError:
        return ""
    near = near_name(name, known)
    return f" Did you mean {module}:{near}?" if near else ""


def _made(kind: Any, parameters: Mapping[str, Any], text: str) -> Any:
    known = sorted(inspect.signature(kind).parameters)
    strange = next((x for x in parameters if x not in known), None)
    if strange is not None:
        near = near_name(strange, known)
        hint = f"did you mean {near!r}?" if near else f"it has {', '.join(known)}."
        msg = f"{text}: {kind.__name__} has no parameter {strange!r}; {hint}"
        raise UsageError(msg)
    try:
        return kind(**parameters)
    except TypeError as error:
        msg = f"{text}: {error}."
        raise UsageError(msg) from error


def _literals(call: str) -> dict[str, Any]:
    """Read keyword arguments that are literals; refuse everything else."""
    msg = f"Parameters must be name=literal, such as C=0.5; got {call!r}."
    try:
        tree = ast.parse(call, mode="eval").body
        if not isinstance(tree, ast.Call) or tree.args:
            raise UsageError(msg)
        found = {}
        for item in tree.keywords:
            if item.arg is None:
                raise UsageError(msg)
            found[item.arg] = ast.literal_eval(item.value)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        if isinstance(error, UsageError):
            raise
        raise UsageError(msg) from error
    return found


def check_models(models: Any) -> dict[str, Any]:
    """Give every model a name.

    Parameters
    ----------
    models : estimator, str, or mapping or sequence of them
        One or several.

    Returns
    -------
    dict of str to estimator
        By name; the name of the class where none is given.

    Raises
    ------
    UsageError
        If there is none, a name occurs twice, or one cannot fit and predict.
    """
    if isinstance(models, Mapping):
        pairs = [(str(name), model) for name, model in models.items()]
    elif isinstance(models, list | tuple):
        pairs = [(_name_of(model), model) for model in models]
    else:
        pairs = [(_name_of(models), models)]
    names = [name for name, _ in pairs]
    if not pairs:
        msg = "Give one or more models."
        raise UsageError(msg)
    twice = [name for name, n in Counter(names).items() if n > 1]
    if twice:
        msg = f"Models must have different names; {twice[0]} is there twice."
        raise UsageError(msg)
    found = {n: model_from(m) if isinstance(m, str) else m for n, m in pairs}
    for name, model in found.items():
        if isinstance(model, type) or not all(
            hasattr(model, x) for x in ("fit", "predict", "get_params")
        ):
            msg = f"Model {name!r} cannot fit and predict as scikit-learn's can."
            raise UsageError(msg)
    return found


def _name_of(model: Any) -> str:
    return model if isinstance(model, str) else type(model).__name__


def task_of(models: Mapping[str, Any]) -> str:
    """Say what the models do.

    Parameters
    ----------
    models : mapping of str to estimator
        The models.

    Returns
    -------
    str
        ``"classification"`` or ``"regression"``.

    Raises
    ------
    UsageError
        If some classify and some do not.
    """
    from sklearn.base import is_regressor

    tasks = {n: "regression" if is_regressor(m) else "classification"
             for n, m in models.items()}  # fmt: skip
    if len(set(tasks.values())) > 1:
        said = ", ".join(f"{name} ({task})" for name, task in tasks.items())
        msg = f"Models for different tasks cannot be assessed together: {said}."
        raise UsageError(msg)
    return next(iter(tasks.values()))
