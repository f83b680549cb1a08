"""Tables in the formats of Apache Arrow: ``.parquet``, ``.arrow``, ``.feather``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorecast.exceptions import InvalidInputError, MissingExtraError
from scorecast.io.columns import Columns, TableOptions
from scorecast.io.formats import suffix_of
from scorecast.io.label_values import label_array, text_array
from scorecast.io.paths import Location, check_size, opened
from scorecast.io.wording import listed, one_line, quoted

__all__ = ["ArrowTable"]

_PANDAS_INDEX = "__index_level_"
_TEXT_TYPES = ("string", "large_string", "string_view")


class ArrowTable:
    """A binary table whose columns are known.

    Parameters
    ----------
    location : Location
        The file.
    options : TableOptions
        Of which the size limit matters, and what to do with other columns.
    """

    def __init__(self, location: Location, options: TableOptions) -> None:
        self._location = location
        self._max_bytes = options.max_bytes
        self._unwanted = options.unwanted
        self._allows_missing = options.allows_missing
        self.name = location.name
        self.notes: tuple[str, ...] = ()
        with self._reader() as reader:
            self._n_rows = _count_rows(reader)
            names = [str(name) for name in _schema(reader).names]
        # pandas hides its row names in columns of their own.
        self.columns = tuple(n for n in names if not n.startswith(_PANDAS_INDEX))
        self.n_columns = len(self.columns)
        repeated = [quoted(n) for n, k in Counter(self.columns).items() if k > 1]
        if repeated:
            msg = f"{self.name}: repeated column names {listed(repeated)}; rename them"
            raise InvalidInputError(msg)
        if not self.columns or self._n_rows == 0:
            msg = f"{self.name} has {self._n_rows} rows and {self.n_columns} columns"
            raise InvalidInputError(msg)

    def read(self, numbers: Sequence[int], texts: Sequence[int]) -> Columns:
        """Read columns by position.

        Parameters
        ----------
        numbers : sequence of int
            Columns of numbers.
        texts : sequence of int
            Columns of labels: text or whole numbers.

        Returns
        -------
        Columns
            What they hold.
        """
        check_size(self.name, 8 * self._n_rows * len(numbers), self._max_bytes)
        names = [self.columns[i] for i in (*numbers, *texts)]
        with self._reader() as reader:
            # Read once: the library makes it anew each time it is asked.
            schema = _schema(reader)
            for index in numbers:
                self._check_numeric(schema.field(self.columns[index]))
            table = _read_columns(reader, names, self.name, self._max_bytes)
            values = np.empty((table.num_rows, len(numbers)), dtype=np.float64)
            for place, index in enumerate(numbers):
                values[:, place] = self._numbers(table, self.columns[index])
            labels = [self._labels(table, self.columns[index]) for index in texts]
        return Columns(values=values, texts=labels, lines=None)

    @contextmanager
    def _reader(self) -> Iterator[Any]:
        """Open the file; whatever the library finds wrong becomes one line."""
        try:
            import pyarrow as pa
        except ImportError as error:
            what = f"reading {suffix_of(self._location.path)} files"
            raise MissingExtraError(what, "io") from error
        with opened(self._location.path) as stream:
            head = stream.read(8)
            if not head:
                msg = f"{self.name} is empty (0 bytes)"
                raise InvalidInputError(msg)
            check_size(self.name, stream.seek(0, 2), self._max_bytes)
            stream.seek(0)
            try:
                yield _open(stream, head, suffix_of(self._location.path))
            except InvalidInputError:
                raise
            # Besides its own errors the library raises OSError for bad contents.
            except (pa.ArrowException, OSError, ValueError, TypeError) as error:
                reason = one_line(str(error).split("\n", maxsplit=1)[0], 120)
                msg = (
                    f"{self.name} is damaged or no such table: {reason}; save it again"
                )
                raise InvalidInputError(msg) from error

    def _check_numeric(self, field: Any) -> None:
        import pyarrow as pa

        kind, name = field.type, quoted(field.name)
        is_real = pa.types.is_integer(kind) or pa.types.is_floating(kind)
        if is_real or pa.types.is_boolean(kind):
            return
        if pa.types.is_nested(kind):
            fix = (
                "save the vectors as .npy: np.save('x.npy', np.stack(frame["
                f"{one_line(repr(field.name))}]))"
            )
        else:
            fix = f"convert it to numbers or {self._unwanted}"
        msg = f"{self.name}, column {name} holds {one_line(kind)}, no numbers; {fix}"
        raise InvalidInputError(msg)

    def _column(self, table: Any, name: str) -> Any:
        column = table.column(name)
        if column.null_count:
            row = column.is_null().to_numpy().argmax() + 1
            msg = (
                f"{self.name}, row {row}, column {quoted(name)}: the field is empty "
                f"({column.null_count} such); fill it or remove the row"
            )
            raise InvalidInputError(msg)
        return column

    def _numbers(self, table: Any, name: str) -> NDArray[Any]:
        if self._allows_missing:
            column = table.column(name).cast("float64")
            return np.asarray(column.to_numpy(zero_copy_only=False))
        return np.asarray(self._column(table, name).to_numpy())

    def _labels(self, table: Any, name: str) -> NDArray[Any]:
        import pyarrow as pa

        column = self._column(table, name)
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        kind = column.type
        if str(kind) in _TEXT_TYPES:
            return text_array(column.to_pylist())
        if pa.types.is_integer(kind) or pa.types.is_floating(kind):
            where = f"{self.name}, column {quoted(name)}"
            return label_array(np.asarray(column.to_numpy()), where)
        msg = (
            f"{self.name}, column {quoted(name)} holds {one_line(kind)}, no labels; "
            "convert it to text or whole numbers"
        )
        raise InvalidInputError(msg)


def _open(stream: Any, head: bytes, suffix: str) -> Any:
    import pyarrow as pa

    if suffix == ".parquet":
        from pyarrow import parquet

        return parquet.ParquetFile(stream)
    # From memory: lengths in the file are not checked before that many bytes are
    # asked for, and Python's `read` would allocate them all.
    buffer = pa.BufferReader(stream.read())
    if head.startswith(b"ARROW1"):
        return pa.ipc.open_file(buffer)
    return pa.ipc.open_stream(buffer)


def _schema(reader: Any) -> Any:
    return reader.schema_arrow if hasattr(reader, "schema_arrow") else reader.schema


def _count_rows(reader: Any) -> int:
    if hasattr(reader, "metadata") and hasattr(reader.metadata, "num_rows"):
        return int(reader.metadata.num_rows)
    return sum(batch.num_rows for batch in _batches(reader))


def _batches(reader: Any) -> Iterator[Any]:
    if hasattr(reader, "num_record_batches"):
        for index in range(reader.num_record_batches):
            yield reader.get_batch(index)
    else:
        yield from reader


def _read_columns(reader: Any, names: list[str], name: str, max_bytes: int) -> Any:
    """Return a table with the columns wanted, within the limit of memory."""
    import pyarrow as pa

    if hasattr(reader, "schema_arrow"):
        parts = reader.iter_batches(columns=names)
    else:
        parts = (batch.select(names) for batch in _batches(reader))
    batches, total = [], 0
    for batch in parts:
        # Offsets and lengths of arrow files come from outside and are not checked
        # on reading; a wrong one would read foreign memory.
        batch.validate(full=True)
        total += batch.nbytes
        check_size(name, total, max_bytes)
        batches.append(batch)
    return pa.Table.from_batches(batches)
