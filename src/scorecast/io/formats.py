"""Which kinds of file are read, and what to do about the others."""

from __future__ import annotations

import re
import shlex
from enum import Enum
from pathlib import Path

from scorecast.exceptions import InvalidInputError
from scorecast.io.wording import one_line

__all__ = ["Kind", "kind_of", "sniff", "suffix_of"]


class Kind(Enum):
    """The families of files, by what they hold."""

    ARRAYS = "arrays"
    TABLE = "table"
    LINES = "lines"


_KINDS = {
    ".npy": Kind.ARRAYS,
    ".npz": Kind.ARRAYS,
    ".safetensors": Kind.ARRAYS,
    ".csv": Kind.TABLE,
    ".csv.gz": Kind.TABLE,
    ".tsv": Kind.TABLE,
    ".tsv.gz": Kind.TABLE,
    ".parquet": Kind.TABLE,
    ".arrow": Kind.TABLE,
    ".feather": Kind.TABLE,
    ".txt": Kind.LINES,
}

# Reading these formats can run code or needs a heavy package, so the user converts
# once; {old} and {new} are Python literals.
_TORCH = (
    "import numpy, torch; numpy.save({new}, "
    "torch.load({old}, weights_only=True).float().cpu().numpy())"
)
_PICKLE = (
    "import numpy, pickle; numpy.save({new}, "
    "numpy.asarray(pickle.load(open({old}, 'rb')), dtype=float))"
)
_JOBLIB = (
    "import joblib, numpy; numpy.save({new}, "
    "numpy.asarray(joblib.load({old}), dtype=float))"
)
_HDF5 = "import h5py, numpy; numpy.save({new}, h5py.File({old})['DATASET'][:])"
_MATLAB = "import numpy, scipy.io as s; numpy.save({new}, s.loadmat({old})['NAME'])"
_EXCEL = "import pandas; pandas.read_excel({old}).to_csv({new}, index=False)"
_CONVERSIONS = {
    ".pt": _TORCH,
    ".pth": _TORCH,
    ".pkl": _PICKLE,
    ".pickle": _PICKLE,
    ".joblib": _JOBLIB,
    ".h5": _HDF5,
    ".hdf5": _HDF5,
    ".mat": _MATLAB,
    ".xlsx": _EXCEL,
}
_RUNS_CODE = {".pt", ".pth", ".pkl", ".pickle", ".joblib"}

_SIGNATURES = (
    (re.compile(rb"\x93NUMPY"), "a .npy array"),
    (re.compile(rb"PK\x03\x04|PK\x05\x06"), "a zip archive, such as .npz or .xlsx"),
    (re.compile(rb"\x1f\x8b"), "gzip data"),
    (re.compile(rb"BZh[1-9]1AY"), "bzip2 data"),
    (re.compile(rb"\x89HDF"), "an HDF5 file"),
    (re.compile(rb"PAR1"), "a parquet file"),
    (re.compile(rb"ARROW1"), "an arrow file"),
    (re.compile(rb"\xff\xfe|\xfe\xff"), "text in UTF-16"),
    (re.compile(rb"\x80[\x02-\x05]"), "a Python pickle"),
)


def kind_of(path: Path) -> Kind:
    """Tell the kind of a file from its name, or say how to convert it.

    Parameters
    ----------
    path : Path
        The file, without ``::key``.

    Returns
    -------
    Kind
        What its reader will find.

    Raises
    ------
    InvalidInputError
        If files of this kind are not read.
    """
    suffix = suffix_of(path)
    if suffix in _KINDS:
        return _KINDS[suffix]
    name = one_line(path, 300)
    if suffix in _CONVERSIONS:
        msg = f"{name}: {suffix} files are not read; {_conversion(path, suffix)}"
        raise InvalidInputError(msg)
    if suffix.endswith(".gz"):
        msg = f"{name} is compressed; decompress it first: gunzip {_shell(path)}"
        raise InvalidInputError(msg)
    found = f"files ending in {one_line(suffix)}" if suffix else "names without ending"
    msg = f"{name}: {found} are not understood; these are: {', '.join(_KINDS)}"
    raise InvalidInputError(msg)


def suffix_of(path: Path) -> str:
    """Return the ending of a name in lower case, with what precedes ``.gz``."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes[-1:] == [".gz"]:
        return "".join(suffixes[-2:])
    return "".join(suffixes[-1:])


def _conversion(path: Path, suffix: str) -> str:
    template = _CONVERSIONS[suffix]
    new = path.with_suffix(".csv" if suffix == ".xlsx" else ".npy")
    code = template.format(old=repr(str(path)), new=repr(str(new)))
    trust = " (only if you trust the file)" if suffix in _RUNS_CODE else ""
    return f"convert it once{trust}: python -c {_shell(code)}"


def _shell(text: object) -> str:
    return shlex.quote(one_line(text, 600))


def sniff(head: bytes) -> str:
    """Say in words what the first bytes of a file look like.

    Parameters
    ----------
    head : bytes
        Some tens of bytes.

    Returns
    -------
    str
        Such as ``"text"`` or ``"gzip data"``.
    """
    for signature, meaning in _SIGNATURES:
        if signature.match(head):
            return meaning
    # A multi-byte character may be cut at the end of the head.
    text = head.decode("utf-8", errors="ignore")
    is_text = len(head) - len(text.encode()) < 4 and "\x00" not in text
    return "text" if is_text else "data of unknown kind"
