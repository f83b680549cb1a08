"""Models by name, or by class with literal parameters; nothing is evaluated.

Also the values to try for their parameters, as text.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

from scorecast._core.near_names import near_name
from scorecast._core.registry import Method, Registry
from scorecast.evaluation.metrics import Task
from scorecast.exceptions import UsageError, listed

_FORM = re.compile(r"^([A-Za-z_][\w.]*):([A-Za-z_]\w*)(\(.*\))?$", re.DOTALL)
_WORD = re.compile(r"^[A-Za-z][\w.+-]*$")
_CONSTANTS = {"none": None, "true": True, "false": False}
_UNREADABLE = (SyntaxError, ValueError, TypeError, RecursionError, MemoryError)


@dataclass(frozen=True, kw_only=True)
class Model(Method):
    """A model that has a name.

    Attributes
    ----------
    path : str
        Its class, mostly of scikit-learn, with parameters.
    task : Task
        What it predicts.
    classifier_twin : str or None
        For a regressor, the same method for classes.
    """

    path: str
    task: Task = Task.CLASSIFICATION
    classifier_twin: str | None = None


MODELS: Registry[Model] = Registry()


def _add(name: str, path: str, title: str, summary: str, **facts: Any) -> None:
    MODELS.add(Model(name=name, path=path, title=title, summary=summary, **facts))


_add(
    "naive-bayes",
    "sklearn.naive_bayes:GaussianNB",
    "Gaussian naive Bayes",
    "features independent and normal in every class",
)
_add(
    "nearest-centroid",
    "sklearn.neighbors:NearestCentroid",
    "nearest centroid",
    "the class whose mean is nearest",
)
_add(
    "svm",
    "sklearn.svm:SVC(kernel='linear')",
    "linear support vector machine",
    "the hyperplane of the widest margin",
)
_add(
    "tree",
    "sklearn.tree:DecisionTreeClassifier",
    "decision tree",
    "questions about one feature at a time",
)
_add(
    "pruned-tree",
    "scorecast.evaluation.pruned_tree:PrunedTree",
    "pruned decision tree",
    "as C4.5: gain ratio, leaves of two or more, pruned by expected errors",
    reference="J. R. Quinlan (1993). C4.5: Programs for machine learning.",
    aliases=("c4.5",),
)
_add(
    "forest",
    "sklearn.ensemble:RandomForestClassifier",
    "random forest",
    "the vote of a hundred trees",
)
_add(
    "logistic",
    "sklearn.linear_model:LogisticRegression(max_iter=1000)",
    "logistic regression",
    "probabilities from a weighted sum of features",
)
_add(
    "neighbors",
    "sklearn.neighbors:KNeighborsClassifier",
    "nearest neighbors",
    "the vote of the five samples that are nearest",
    aliases=("neighbours",),
)
_add(
    "ridge-classifier",
    "sklearn.linear_model:RidgeClassifier",
    "ridge classifier",
    "ridge regression on codes of classes",
)
_add(
    "discriminant",
    "sklearn.discriminant_analysis:LinearDiscriminantAnalysis",
    "linear discriminant analysis",
    "normal classes of one covariance",
)
_add(
    "ridge",
    "sklearn.linear_model:Ridge",
    "ridge regression",
    "numbers from a weighted sum of features, weights kept small",
    task=Task.REGRESSION,
    classifier_twin="ridge-classifier",
)
_add(
    "lasso",
    "sklearn.linear_model:Lasso",
    "lasso",
    "numbers from a weighted sum of few features",
    task=Task.REGRESSION,
)
_add(
    "forest-regressor",
    "sklearn.ensemble:RandomForestRegressor",
    "random forest for numbers",
    "the mean of a hundred trees",
    task=Task.REGRESSION,
    classifier_twin="forest",
)


def make_estimator(name: str, *, such: Sequence[str] = ()) -> Any:
    """Make an estimator of its name.

    Parameters
    ----------
    name : str
        One of `MODELS`, or ``"sklearn.svm:SVC(kernel='linear')"``: a module of
        scikit-learn, a class, and keyword parameters that are literals.
    such : sequence of str, optional
        Classes that do what is needed, where `MODELS` do not: these are offered
        instead, and no other name is known.

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
    >>> make_estimator("sklearn.svm:SVC(kernel='linear', C=0.5)").C
    0.5
    """
    by_alias = {alias: m for m in MODELS.values() for alias in m.aliases}
    known = None if such else MODELS.get(name) or by_alias.get(name)
    text = name if known is None else known.path
    found = _FORM.match(text)
    if found is None and such:
        raise UsageError(
            f"must be a class with its module; got {name!r}",
            parameter="estimator",
            remedy=_with_module(name, such),
        )
    if found is None:
        near = near_name(name, [*MODELS, *by_alias])
        usual = "\"sklearn.svm:SVC(kernel='linear')\""
        raise UsageError(
            f"must be one of {', '.join(MODELS)}, or a class such as {usual}; got "
            f"{name!r}",
            parameter="estimator",
            remedy=f"try {near!r}" if near else None,
        )
    module, kind_name, call = found[1], found[2], found[3] or "()"
    is_private = "._" in module or kind_name.startswith("_")
    if known is None and (module.split(".")[0] != "sklearn" or is_private):
        problem = f"can name public classes of sklearn only; got {module}:{kind_name}"
        raise UsageError(problem, parameter="estimator")
    try:
        kind = getattr(importlib.import_module(module), kind_name)
    except (ImportError, AttributeError) as error:
        near = _near_class(module, kind_name)
        raise UsageError(
            f"there is no {module}:{kind_name}",
            parameter="estimator",
            remedy=f"try {module}:{near}" if near else None,
        ) from error
    if not (isinstance(kind, type) and hasattr(kind, "fit")):
        problem = f"{module}:{kind_name} is no estimator"
        raise UsageError(problem, parameter="estimator")
    return _made(kind, _read_parameters(kind_name + call), text)


def _with_module(name: str, such: Sequence[str]) -> str:
    """Say how a class is written whose module was left out, or offer the first."""
    by_class = {_plain(offered): offered for offered in such}
    near = near_name(name.partition("(")[0].strip(), by_class)
    if not near:
        return f'take one that is made for it, such as "{such[0]}"'
    path, _, usual = by_class[near].partition("(")
    kind = getattr(importlib.import_module(path.partition(":")[0]), near)
    return f'write "{path}{_by_name(kind, name) or f"({usual}"}"'


def _by_name(kind: Any, call: str) -> str:
    """Write literal parameters of a call by their names; nothing if it has others."""
    try:
        tree = ast.parse(call.strip(), mode="eval").body
        if not isinstance(tree, ast.Call):
            return ""
        names = [*inspect.signature(kind).parameters]
        given = {n: ast.literal_eval(x) for n, x in zip(names, tree.args, strict=False)}
        given |= {str(x.arg): ast.literal_eval(x.value) for x in tree.keywords}
    except _UNREADABLE:
        return ""
    told = ", ".join(f"{name}={value!r}" for name, value in given.items())
    return f"({told})" if told and given.keys() <= set(names) else ""


def _near_class(module: str, name: str) -> str:
    """Return a class of the module whose name is close; empty if there is none."""
    try:
        known = [x for x in dir(importlib.import_module(module)) if x[:1].isupper()]
    except ImportError:
        return ""
    return near_name(name, known)


def _made(kind: Any, parameters: Mapping[str, Any], text: str) -> Any:
    """Call the class, or name the parameter that it does not have."""
    known = sorted(inspect.signature(kind).parameters)
    strange = next((x for x in parameters if x not in known), None)
    if strange is not None:
        near = near_name(strange, known)
        raise UsageError(
            f"{text}: {kind.__name__} has no parameter {strange!r}",
            parameter="estimator",
            remedy=f"try {near!r}" if near else f"it has {', '.join(known)}",
        )
    try:
        return kind(**parameters)
    except TypeError as error:
        raise UsageError(f"{text}: {error}", parameter="estimator") from error


def _read_parameters(call: str) -> dict[str, Any]:
    """Read keyword arguments that are literals; refuse everything else."""
    problem = f"parameters must be name=literal, such as C=0.5; got {call!r}"
    try:
        tree = ast.parse(call, mode="eval").body
        if not isinstance(tree, ast.Call) or tree.args:
            raise UsageError(problem, parameter="estimator")
        found = {}
        for item in tree.keywords:
            if item.arg is None:
                raise UsageError(problem, parameter="estimator")
            found[item.arg] = ast.literal_eval(item.value)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        if isinstance(error, UsageError):
            raise
        raise UsageError(problem, parameter="estimator") from error
    return found


def check_estimators(estimator: Any) -> dict[str, Any]:
    """Give every model a name.

    Parameters
    ----------
    estimator : estimator, str, or mapping or sequence of them
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
    if isinstance(estimator, Mapping):
        pairs = [(str(name), model) for name, model in estimator.items()]
    elif isinstance(estimator, list | tuple):
        pairs = [(_name_of(model), model) for model in estimator]
    else:
        pairs = [(_name_of(estimator), estimator)]
    if not pairs:
        raise UsageError("give one or more models", parameter="estimator")
    twice = [name for name, n in Counter(name for name, _ in pairs).items() if n > 1]
    if twice:
        problem = f"models must have different names; {twice[0]} is there twice"
        raise UsageError(problem, parameter="estimator")
    found = {n: make_estimator(m) if isinstance(m, str) else m for n, m in pairs}
    for name, model in found.items():
        abilities = ("fit", "predict", "get_params")
        if isinstance(model, type) or not all(hasattr(model, x) for x in abilities):
            problem = f"{name!r} cannot fit and predict as scikit-learn's models can"
            raise UsageError(problem, parameter="estimator")
    return found


def _name_of(model: Any) -> str:
    return model if isinstance(model, str) else type(model).__name__


def task_of(models: Mapping[str, Any]) -> Task:
    """Say what the models predict; models of different tasks are refused."""
    tasks = {name: _task_of_one(name, model) for name, model in models.items()}
    if len(set(tasks.values())) > 1:
        each = listed((f"{name} ({task})" for name, task in tasks.items()), len(tasks))
        problem = f"models for different tasks cannot be assessed together: {each}"
        raise UsageError(problem, parameter="estimator")
    return next(iter(tasks.values()))


def _task_of_one(name: str, model: Any) -> Task:
    from sklearn.base import is_regressor

    try:
        return Task.REGRESSION if is_regressor(model) else Task.CLASSIFICATION
    except AttributeError as error:  # asked of a part that is no model
        problem = f"a part of {name!r} is no model of scikit-learn"
        raise UsageError(problem, parameter="estimator") from error


# Parameter grids ------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class GridEdge:
    """A value at the end of its grid that most splits chose: better may lie beyond.

    Attributes
    ----------
    parameter : str
        The parameter.
    value : float
        The value.
    is_lowest : bool
        Whether it is the least that was tried; else the greatest.
    """

    parameter: str
    value: float
    is_lowest: bool


def read_grid(text: str) -> tuple[str, list[Any]]:
    """Read a parameter with the values to try.

    Parameters
    ----------
    text : str
        ``"C=0.1,1,10"``: a name, and literals with commas between them. Plain words
        need no quotes; none, true and false are what they say.

    Returns
    -------
    tuple of str and list
        Name and values.

    Raises
    ------
    UsageError
        If it is anything else, or a value is there twice.

    Examples
    --------
    >>> read_grid("C=0.1,1,10"), read_grid("weights=uniform,distance")
    (('C', [0.1, 1, 10]), ('weights', ['uniform', 'distance']))
    >>> read_grid("hidden_layer_sizes=(10,),(20, 20)")
    ('hidden_layer_sizes', [(10,), (20, 20)])
    """
    name, sign, values = (part.strip() for part in text.partition("="))
    found = _read_values(values)
    if not (name.isidentifier() and sign and found):
        problem = f"must read NAME=VALUE,VALUE, such as C=0.1,1,10; got {text!r}"
        raise UsageError(problem, parameter="param_grid")
    seen = [repr(value) for value in found]
    twice = next((x for x in seen if seen.count(x) > 1), None)
    if twice is not None:
        problem = f"must have different values; {twice} is twice in {text!r}"
        raise UsageError(problem, parameter="param_grid")
    return name, found


def _read_values(text: str) -> list[Any] | None:
    """Return literals, or words; None where one is neither."""
    try:
        return list(ast.literal_eval(f"[{text}]"))
    except _UNREADABLE:
        pass
    found: list[Any] = []
    for word in map(str.strip, text.split(",")):
        if word.lower() in _CONSTANTS:
            found.append(_CONSTANTS[word.lower()])
        elif _WORD.match(word):
            found.append(word)
        else:
            try:
                found.append(ast.literal_eval(word))
            except _UNREADABLE:
                return None
    return found


def grids_for(
    models: Mapping[str, Any], texts: Sequence[str]
) -> dict[str, dict[str, list[Any]]]:
    """Give every model the grid of its own parameters.

    Parameters
    ----------
    models : mapping of str to estimator
        By name.
    texts : sequence of str
        As of `read_grid`. A parameter is for all models that have it;
        ``MODEL__NAME`` is for one of them.

    Returns
    -------
    dict of str to dict
        By model; models without any parameter to try are left out.

    Raises
    ------
    UsageError
        If no model has a parameter, or one is given twice.
    """
    grids: dict[str, dict[str, list[Any]]] = {}
    for text in texts:
        name, values = read_grid(text)
        places = _owners(models, name)
        if not places:
            raise _unknown_parameter(models, name)
        for model, parameter in places:
            own = grids.setdefault(model, {})
            if parameter in own:
                problem = f"{parameter} of {model} is given twice, then as {text!r}"
                raise UsageError(problem, parameter="param_grid")
            own[parameter] = values
    return grids


def _owners(models: Mapping[str, Any], name: str) -> list[tuple[str, str]]:
    """List the models that have a parameter, with what each calls it."""
    owner, _, parameter = name.partition("__")
    wanted = {model: parameter for model in models if _plain(model) == owner}
    named = wanted or dict.fromkeys(models, name)
    return [(m, x) for m, x in named.items() if x in models[m].get_params(deep=True)]


def _plain(model: str) -> str:
    """Name a model as it can stand before a parameter: naive_bayes, SVC."""
    short = model.partition(":")[2] or model
    return short.partition("(")[0].replace("-", "_")


def _unknown_parameter(models: Mapping[str, Any], name: str) -> UsageError:
    known = sorted({x for m in models.values() for x in m.get_params(deep=True)})
    near = near_name(name.partition("__")[2] or name, known)
    who = f"{next(iter(models))} does not have" if len(models) == 1 else "no model has"
    return UsageError(
        f"there is no parameter {name!r} to try: {who} it",
        parameter="param_grid",
        remedy=f"try {near!r}" if near else None,
    )


def grid_edges(model: Any, chosen: Sequence[Mapping[str, str]]) -> tuple[GridEdge, ...]:
    """List choices that were the least or the greatest tried, in more than half.

    Parameters
    ----------
    model : estimator
        One that chooses, here or by a search of scikit-learn over one grid.
    chosen : sequence of mapping
        What it chose in every split, as text.

    Returns
    -------
    tuple of GridEdge
        One for every such parameter that is a number.

    Examples
    --------
    >>> from scorecast.evaluation import TunedEstimator
    >>> tuned = TunedEstimator(None, {"C": [0.01, 0.1, 1]})
    >>> grid_edges(tuned, [{"C": "0.01"}, {"C": "0.01"}, {"C": "0.1"}])
    (GridEdge(parameter='C', value=0.01, is_lowest=True),)
    """
    grid = getattr(model, "param_grid", None)
    found = []
    for name, values in grid.items() if isinstance(grid, Mapping) else ():
        numbers = [x for x in values if isinstance(x, Real)]
        if len(numbers) < 2 or len(numbers) < len(values):
            continue
        taken = [choice.get(name) for choice in chosen if choice]
        for end, is_lowest in ((min(numbers), True), (max(numbers), False)):
            if taken.count(str(end)) > len(taken) / 2:
                edge = GridEdge(parameter=name, value=float(end), is_lowest=is_lowest)
                found.append(edge)
    return tuple(found)
