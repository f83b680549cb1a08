"""Find, open, watch and identify the files given by the user; which kinds are read."""

from __future__ import annotations

import errno
import hashlib
import io
import os
import shlex
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TypeAlias

from scorecast._core.registry import Method, Registry
from scorecast.exceptions import (
    DataWarning,
    InvalidInputError,
    Location,
    UsageError,
    printable,
    quoted,
)

FilePath: TypeAlias = str | os.PathLike[str]

_GIBIBYTE = 2**30
_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB")
_NO_DELIMITER = "\"'\r\n.+-\0"


@dataclass(frozen=True, kw_only=True)
class FileLayout:
    """How a file is laid out, as far as it does not say so itself.

    Attributes
    ----------
    key : str or None
        Array of an ``.npz`` or ``.safetensors`` file, or column of a table.
    delimiter : str or None
        What separates cells of a text table; found out if None.
    decimal : {".", ","}
        Decimal mark of a text table.
    header : bool
        Whether the first line of a text table names the columns.
    drop : tuple of str
        Columns to leave out.
    max_bytes : int
        Largest size of the data, in the file and in memory.

    Raises
    ------
    UsageError
        If `delimiter` or `decimal` is not one that can be.
    """

    key: str | None = None
    delimiter: str | None = None
    decimal: str = "."
    header: bool = True
    drop: tuple[str, ...] = ()
    max_bytes: int = 8 * _GIBIBYTE

    def __post_init__(self) -> None:
        object.__setattr__(self, "drop", tuple(self.drop))
        if self.decimal not in (".", ","):
            problem = f"must be '.' or ','; got {self.decimal!r}"
            raise UsageError(problem, parameter="decimal")
        given = self.delimiter
        if given is not None and (
            len(given) != 1 or given.isalnum() or given in _NO_DELIMITER
        ):
            problem = f"must be one character such as ';'; got {given!r}"
            raise UsageError(problem, parameter="delimiter")
        if given == self.decimal:
            problem = f"cannot be the decimal mark too; both are {given!r}"
            raise UsageError(problem, parameter="delimiter")


# Which kinds of file are read ------------------------------------------------------


class Holds(StrEnum):
    """What the reader of a kind of file finds in it."""

    ARRAYS = "arrays"
    TABLE = "table"
    LINES = "lines"
    NOTHING = "nothing that is read"


@dataclass(frozen=True, kw_only=True)
class FileFormat(Method):
    """A kind of file, known by the ending of its name.

    Attributes
    ----------
    holds : Holds
        What is read from it; nothing, if it has to be converted first.
    is_writable : bool
        Whether `write_table` writes it.
    needs_extra : str
        The extra that brings its reader; empty if none does.
    can_map : bool
        Whether a large one is mapped into memory instead of being read.
    signature : bytes
        How such files begin; empty if in many ways.
    conversion : str
        Python code that converts one that is not read; {old} and {new} are names.
    runs_code : bool
        Whether loading one may run what is in it.
    """

    holds: Holds = Holds.NOTHING
    is_writable: bool = False
    needs_extra: str = ""
    can_map: bool = False
    signature: bytes = b""
    conversion: str = ""
    runs_code: bool = False


FILE_FORMATS: Registry[FileFormat] = Registry()


def _add(ending: str, title: str, summary: str, **facts: object) -> None:
    FILE_FORMATS.add(
        FileFormat(name=ending, title=title, summary=summary, **facts)  # type: ignore[arg-type]
    )


_add(
    ".npy",
    "NumPy array",
    "one array",
    holds=Holds.ARRAYS,
    can_map=True,
    signature=b"\x93NUMPY",
)
_add(
    ".npz",
    "NumPy archive",
    "arrays by name",
    holds=Holds.ARRAYS,
    is_writable=True,
    signature=b"PK",
)
_add(
    ".safetensors",
    "safetensors",
    "arrays by name",
    holds=Holds.ARRAYS,
    needs_extra="io",
)
_add(".csv", "CSV", "a table as text", holds=Holds.TABLE, is_writable=True)
_add(
    ".csv.gz",
    "CSV, packed",
    "a table as packed text",
    holds=Holds.TABLE,
    signature=b"\x1f\x8b",
)
_add(".tsv", "TSV", "a table as text, with tabs", holds=Holds.TABLE)
_add(
    ".tsv.gz",
    "TSV, packed",
    "a table as packed text, with tabs",
    holds=Holds.TABLE,
    signature=b"\x1f\x8b",
)
_add(
    ".parquet",
    "Parquet",
    "a binary table",
    holds=Holds.TABLE,
    is_writable=True,
    needs_extra="io",
    signature=b"PAR1",
)
_add(".arrow", "Arrow", "a binary table", holds=Holds.TABLE, needs_extra="io")
_add(".feather", "Feather", "a binary table", holds=Holds.TABLE, needs_extra="io")
_add(".txt", "text", "one label in every line", holds=Holds.LINES)

# Reading these can run code or needs a heavy package, so the user converts once.
_SAVE = "numpy.save({new}, "
_TORCH = (
    "import numpy, torch; "
    f"{_SAVE}torch.load({{old}}, weights_only=True).float().cpu().numpy())"
)
_PICKLE = (
    "import numpy, pickle; "
    f"{_SAVE}numpy.asarray(pickle.load(open({{old}}, 'rb')), dtype=float))"
)
_JOBLIB = (
    f"import joblib, numpy; {_SAVE}numpy.asarray(joblib.load({{old}}), dtype=float))"
)
_HDF5 = f"import h5py, numpy; {_SAVE}h5py.File({{old}})['DATASET'][:])"
_MATLAB = f"import numpy, scipy.io as s; {_SAVE}s.loadmat({{old}})['NAME'])"
_EXCEL = "import pandas; pandas.read_excel({old}).to_csv({new}, index=False)"
for _ending, _code, _is_code in (
    (".pt", _TORCH, True),
    (".pth", _TORCH, True),
    (".pkl", _PICKLE, True),
    (".pickle", _PICKLE, True),
    (".joblib", _JOBLIB, True),
    (".h5", _HDF5, False),
    (".hdf5", _HDF5, False),
    (".mat", _MATLAB, False),
    (".xlsx", _EXCEL, False),
):
    _add(
        _ending,
        _ending,
        "not read: convert it once",
        conversion=_code,
        runs_code=_is_code,
    )

_SIGNATURES = (
    ((b"\x93NUMPY",), "a .npy array"),
    ((b"PK\x03\x04", b"PK\x05\x06"), "a zip archive, such as .npz or .xlsx"),
    ((b"\x1f\x8b",), "gzip data"),
    (tuple(b"BZh%d1AY" % i for i in range(1, 10)), "bzip2 data"),
    ((b"\x89HDF",), "an HDF5 file"),
    ((b"PAR1",), "a parquet file"),
    ((b"ARROW1",), "an arrow file"),
    ((b"\xff\xfe", b"\xfe\xff"), "text in UTF-16"),
    ((b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05"), "a Python pickle"),
)


def ending_of(path: Path) -> str:
    """Return the ending of a name in lower case, with what precedes ``.gz``."""
    endings = [ending.lower() for ending in path.suffixes]
    return "".join(endings[-2:] if endings[-1:] == [".gz"] else endings[-1:])


def sniff(head: bytes) -> str:
    """Say what the first tens of bytes of a file look like, such as gzip data."""
    for signatures, meaning in _SIGNATURES:
        if head.startswith(signatures):
            return meaning
    # A multi-byte character may be cut at the end of the head.
    text = head.decode("utf-8", errors="ignore")
    is_text = len(head) - len(text.encode()) < 4 and "\x00" not in text
    return "text" if is_text else "data of unknown kind"


# One file --------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class InputFile:
    """A file that exists, and which array or column of it is meant."""

    path: Path
    key: str | None = None

    @property
    def location(self) -> Location:
        """The file as a place."""
        return Location(file=str(self.path))

    @property
    def ending(self) -> str:
        """The ending of its name, in lower case."""
        return ending_of(self.path)

    def source(self, key: str | None = None) -> str:
        """Return what `find_file` would understand again, whatever the names hold."""
        return str(self.path) if key is None else f"{self.path}::{key}"

    def refusal(
        self,
        problem: str,
        *,
        key: str | None = None,
        remedy: str | None = None,
        option: str | None = None,
        **place: str | int | None,
    ) -> InvalidInputError:
        """Return an error that names the file, an array in it, and the place."""
        where = Location(file=self.source(key), **place)  # type: ignore[arg-type]
        return InvalidInputError(problem, location=where, remedy=remedy, option=option)

    def note(
        self, problem: str, *, remedy: str | None = None, option: str | None = None
    ) -> DataWarning:
        """Return what was assumed about the file, to be told."""
        return DataWarning(
            problem, location=self.location, remedy=remedy, option=option
        )

    def format(self) -> FileFormat:
        """Return its kind, or say how to convert it.

        Raises
        ------
        InvalidInputError
            If files of this kind are not read.
        """
        ending = self.ending
        found = FILE_FORMATS.get(ending)
        if found is not None and found.holds is not Holds.NOTHING:
            return found
        if found is not None:
            new = self.path.with_suffix(".csv" if ending == ".xlsx" else ".npy")
            code = found.conversion.format(old=repr(str(self.path)), new=repr(str(new)))
            trust = " (only if you trust the file)" if found.runs_code else ""
            remedy = f"convert it once{trust}: python -c {_for_shell(code)}"
            raise self.refusal(f"{ending} files are not read", remedy=remedy)
        if ending.endswith(".gz"):
            remedy = f"decompress it first: gunzip {_for_shell(self.path)}"
            raise self.refusal("it is compressed", remedy=remedy)
        what = f"files ending in {printable(ending)}" if ending else "other names"
        known = [f.name for f in FILE_FORMATS.values() if f.holds is not Holds.NOTHING]
        raise self.refusal(f"{what} are not read; these are: {', '.join(known)}")


@dataclass(frozen=True, kw_only=True, eq=False)
class FileData:
    """What every reader returns beside the data.

    Attributes
    ----------
    source : str
        The file, with ``::key`` or ``::column`` if one was picked.
    notes : tuple of DataWarning
        What was assumed about it.
    lines : sequence of int or None
        Line of each row, if the file has lines.
    """

    source: str
    notes: tuple[DataWarning, ...] = ()
    lines: Sequence[int] | None = None

    @property
    def location(self) -> Location:
        """The file as a place."""
        return Location(file=self.source, lines=self.lines)

    def place(self, row: int, column: str | None = None) -> Location:
        """Return where a row, counted from zero, stands in the file."""
        if self.lines is None:
            return replace(self.location, row=row + 1, column=column)
        return replace(self.location, line=self.lines[row], column=column)


@dataclass(frozen=True, kw_only=True)
class FileHash:
    """A file as it was when it was read.

    Attributes
    ----------
    path : str
        The path, without ``::key``.
    sha256 : str
        Its contents, in 64 hexadecimal digits.
    bytes : int
        Its size.
    """

    path: str
    sha256: str
    bytes: int


def find_file(
    path: FilePath, key: str | None = None, *, may_be_folder: bool = False
) -> InputFile:
    """Split ``file::key`` and make sure that the file can be opened.

    Parameters
    ----------
    path : str or path-like
        ``file`` or ``file::key``; a file whose own name holds ``::`` wins.
    key : str, optional
        The key, given apart.
    may_be_folder : bool, default=False
        Whether it may be an array of Zarr, which is a folder.

    Returns
    -------
    InputFile
        File and key.

    Raises
    ------
    InvalidInputError
        If there is no such file, it is a directory or device, or there are two keys.
    """
    text = os.fspath(path)
    name, inner = _split(text)
    file = InputFile(path=Path(name), key=inner if key is None else key)
    if inner is not None and key is not None and inner != key:
        problem = f"the key {quoted(inner)} stands in its name, {quoted(key)} beside it"
        remedy = "give one of them"
        raise file.refusal(problem, remedy=remedy, option="key")
    if not name:
        raise InvalidInputError("the path of a file is empty")
    try:
        mode = os.stat(name).st_mode
    except OSError as error:
        raise _unreadable(file, error) from error
    except ValueError as error:  # a null character in the path
        raise file.refusal("this is not a path") from error
    if stat.S_ISDIR(mode) and may_be_folder and file.ending == ".zarr":
        return file
    if stat.S_ISDIR(mode):
        raise file.refusal("it is a directory", remedy="give a file inside it")
    # Opening a pipe would wait for ever, and no reader could go back in it.
    if not stat.S_ISREG(mode):
        problem = "it is a pipe or device"
        raise file.refusal(problem, remedy="save it as a file first")
    return file


@contextmanager
def opened(file: InputFile) -> Iterator[io.BufferedReader]:
    """Open a file for reading; faults of the system become one line."""
    try:
        with open(file.path, "rb") as stream:
            yield stream
    except OSError as error:
        # Not only from `open`: a bad sector or a lost network drive shows later.
        raise _unreadable(file, error) from error
    except MemoryError as error:
        problem = "it does not fit into the memory of this machine"
        raise file.refusal(problem) from error


@contextmanager
def unchanged(file: InputFile) -> Iterator[None]:
    """Refuse what was read in the block if the file changed in the meantime."""
    before = _stamp(file.path)
    try:
        yield
    except InvalidInputError as error:
        # A file being written looks damaged: the change is the better message.
        if _stamp(file.path) != before:
            raise _changed(file) from error
        raise
    if _stamp(file.path) != before:
        raise _changed(file)


def check_size(file: InputFile, count: int, max_bytes: int) -> None:
    """Refuse data that would take more memory than allowed."""
    if count > max_bytes:
        raise file.refusal(
            f"it needs {in_bytes(count)} of memory, more than the limit of "
            f"{in_bytes(max_bytes)}",
            remedy="raise the limit",
            option="max_bytes",
        )


def hash_file(path: FilePath) -> FileHash:
    """Return path, hash and size of a file, to be recorded with a result.

    Parameters
    ----------
    path : str or path-like
        The file; ``::key`` is ignored. Of an array of Zarr, all its files by name.

    Returns
    -------
    FileHash
        As it is now.

    Raises
    ------
    InvalidInputError
        If the file cannot be read or changes meanwhile.
    """
    file = find_file(path, may_be_folder=True)
    if file.path.is_dir():
        inside = sorted(p for p in file.path.rglob("*") if p.is_file())
        every = [(p.relative_to(file.path), hash_file(p)) for p in inside]
        listing = "".join(f"{part.sha256}  {name.as_posix()}\n" for name, part in every)
        digest = hashlib.sha256(listing.encode("utf-8", "surrogateescape")).hexdigest()
        size = sum(part.bytes for _, part in every)
        return FileHash(path=str(file.path), sha256=digest, bytes=size)
    with unchanged(file), opened(file) as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
        size = stream.tell()
    return FileHash(path=str(file.path), sha256=digest, bytes=size)


def in_bytes(count: int) -> str:
    """Write a number of bytes in the unit people would use."""
    size = float(min(count, 10**300))
    for unit in _UNITS:
        if size < 1024 or unit == _UNITS[-1]:
            break
        size /= 1024
    return f"{size:.4g} {unit}"


def _split(text: str) -> tuple[str, str | None]:
    if "::" not in text or _is_file(text):
        return text, None
    start = text.find("::")
    while start >= 0:
        if _is_file(text[:start]):
            return text[:start], text[start + 2 :]
        start = text.find("::", start + 1)
    name, _, key = text.partition("::")
    return name, key


def _is_file(text: str) -> bool:
    try:
        return stat.S_ISREG(os.stat(text).st_mode)
    except (OSError, ValueError):
        return False


def _unreadable(file: InputFile, error: OSError) -> InvalidInputError:
    if isinstance(error, FileNotFoundError):
        return file.refusal("it does not exist", remedy="check the path")
    if isinstance(error, PermissionError):
        remedy = "check its mode (ls -l)"
        return file.refusal("there is no permission to read it", remedy=remedy)
    if error.errno == errno.ENAMETOOLONG:
        return file.refusal("the name is too long for a file")
    reason = printable(error.strerror or error)
    return file.refusal(f"the system could not read it: {reason}")


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def _changed(file: InputFile) -> InvalidInputError:
    remedy = "run again when it is complete"
    return file.refusal("it changed while it was read", remedy=remedy)


def _for_shell(text: object) -> str:
    return shlex.quote(printable(text, 600))
