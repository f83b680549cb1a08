"""The functions of the room in nats, as the papers' formulas are."""

from __future__ import annotations

from dataclasses import fields
from functools import partial
from typing import Any

import scorecast as sc
from scorecast import identification as room
from scorecast.identification import IdentificationSettings

_RARE = {field.name for field in fields(IdentificationSettings)}


def _with_settings(function: Any, *given: Any, **options: Any) -> Any:
    """Call a function with settings that are given one by one."""
    rare = {name: options.pop(name) for name in _RARE & options.keys()}
    if rare:
        options["settings"] = IdentificationSettings(**rare)
    return function(*given, units=options.pop("units", "nats"), **options)


identify = partial(_with_settings, sc.identify)
identify_from_scores = partial(_with_settings, sc.identify_from_scores)
implied_information = partial(sc.implied_information, units="nats")
mutual_information_bound = partial(sc.mutual_information_bound, units="nats")
compare_decoders = partial(sc.compare_decoders, units="nats")
best_accuracy = partial(room.best_accuracy, units="nats")
least_information = partial(room.least_information, units="nats")
fano_information = partial(room.fano_information, units="nats")
confusion_information = partial(room.confusion_information, units="nats")
information_range = partial(room.information_range, units="nats")
ideal_accuracy = partial(room.ideal_accuracy, units="nats")
ideal_information = partial(room.ideal_information, units="nats")


def codes(answer: Any) -> list[str]:
    """Return the codes of what must be known of an answer."""
    return [note.code for note in answer.notes]
