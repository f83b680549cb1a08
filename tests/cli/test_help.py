"""Help that is alike for every verb: what comes first, and no markup."""

import click
import pytest

from scorecast.cli.main import scorecast as command_line
from scorecast.cli.verb import Verb


def _verbs():
    context = click.Context(command_line)
    for name in command_line.list_commands(context):
        verb = command_line.get_command(context, name)
        yield name, verb
        if isinstance(verb, click.Group):
            for below in verb.list_commands(click.Context(verb)):
                yield f"{name} {below}", verb.get_command(click.Context(verb), below)


VERBS = dict(_verbs())


@pytest.mark.parametrize("name", VERBS)
def test_help_has_no_markup(name, run):
    code, out, _ = run(*name.split(), "--help")
    assert code == 0
    assert [mark for mark in ("]_", ":math:", "``") if mark in out] == []


@pytest.mark.parametrize("name", [n for n, v in VERBS.items() if isinstance(v, Verb)])
def test_groups_of_help_come_in_one_order(name):
    verb = VERBS[name]
    assert len(verb.usual) <= 10
    context = click.Context(verb)
    titles = [title for title, _ in verb.option_groups(context)]
    order = ["Usual options", "Input", "Question", "Method", "File layout", "Output"]
    assert [t for t in titles if t in order] == [t for t in order if t in titles]
    shown = dict(verb.option_groups(context)).get(order[0], [])
    assert len(shown) == len(verb.usual)  # none of them is misspelt


def test_every_method_that_can_be_named_is_described():
    for name, verb in VERBS.items():
        for param in verb.params:
            if methods := getattr(param, "methods", ()):
                unnamed = {"auto", *(method for method, _ in methods)}
                assert set(param.type.choices) <= unnamed, (name, param.opts)


def test_measures_of_biclusters_are_told_apart():
    measure = next(p for p in VERBS["biclusters"].params if p.name == "measures")
    texts = [text for _, text in measure.methods]
    assert len(set(texts)) == len(texts)
