"""What was tested, so that decoders are compared stimulus by stimulus only if the same.

Replicates say nothing of which stimulus was left out. Two answers with as many of them
may be of different stimuli, or of the same in other splits or in another order.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from scorecast._core.types import FloatArray
from scorecast.information.identification.splits import Split, StimulusSets
from scorecast.scores import Recogniser

__all__ = ["TestedStimuli", "tested_in_splits", "tested_names"]

_LENGTH = 16  # hexadecimal digits: 64 bits


@dataclass(frozen=True, kw_only=True)
class TestedStimuli:
    """Fingerprints of the stimuli that were tested.

    Attributes
    ----------
    units : str
        Of which rows or names were tested in each split, in order, and which belong
        together.
    features : str
        Of the features of the stimuli; empty for given scores.
    """

    units: str
    features: str = ""


def tested_in_splits(
    sets: StimulusSets, splits: Sequence[Split], stimuli: FloatArray
) -> TestedStimuli:
    """Describe random splits of rows.

    Parameters
    ----------
    sets : StimulusSets
        Which rows show the same stimulus, and which stimuli belong together.
    splits : sequence of Split
        What each tests.
    stimuli : ndarray of shape (n, p)
        Features.

    Returns
    -------
    TestedStimuli
        The fingerprints.
    """
    parts = [sets.stimulus, sets.group, *(split.tested for split in splits)]
    whole = [np.ascontiguousarray(part, dtype="<i8").tobytes() for part in parts]
    return TestedStimuli(
        units=_fingerprint(whole),
        features=_fingerprint([np.ascontiguousarray(stimuli + 0.0).tobytes()]),
    )


def tested_names(data: Recogniser) -> TestedStimuli:
    """Describe the stimuli that given scores have responses of.

    Parameters
    ----------
    data : Scores or Embeddings
        The scores.

    Returns
    -------
    TestedStimuli
        The fingerprint of their names, in order.
    """
    names = [str(data.classes[i]).encode() for i in np.unique(data.own)]
    return TestedStimuli(units=_fingerprint(names))


def _fingerprint(parts: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        # With its length: "a", "bc" is not "ab", "c".
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()[:_LENGTH]
