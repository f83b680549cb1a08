"""Tables in the formats of Apache Arrow: ``.parquet``, ``.arrow``, ``.feather``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorecast.exceptions import (
    DataWarning,
    InvalidInputError,
    Location,
    MissingExtraError,
    printable,
)
from scorecast.io.arrays import NOTED_PER_ROW, label_array, text_array
from scorecast.io.delimited import TableContent, refuse_repeated
from scorecast.io.files import FileLayout, InputFile, check_size, opened

_PANDAS_INDEX = "__index_level_"
_TEXT_TYPES = ("string", "large_string", "string_view")


class ArrowTable:
    """A binary table whose columns are known.

    Parameters
    ----------
    file : InputFile
        The file.
    layout : FileLayout
        Of which the limit of memory matters.
    """

    def __init__(self, file: InputFile, layout: FileLayout) -> None:
        self.file = file
        self.notes: tuple[DataWarning, ...] = ()
        self._max_bytes = layout.max_bytes
        with self._reader() as reader:
            self._n_rows = _count_rows(reader)
            names = [str(name) for name in _schema(reader).names]
        # pandas hides its row names in columns of their own.
        self.columns = tuple(n for n in names if not n.startswith(_PANDAS_INDEX))
        self.n_columns = len(self.columns)
        refuse_repeated(file, self.columns)
        if not self.columns or self._n_rows == 0:
            problem = f"it has {self._n_rows} rows and {self.n_columns} columns"
            raise file.refusal(problem)

    def read(
        self,
        numbers: Sequence[int],
        texts: Sequence[int],
        *,
        allow_missing: bool = False,
        unwanted: str = "",
        leaving_out: str = "",
    ) -> TableContent:
        """Read columns by position: some as numbers, some as text or whole numbers."""
        check_size(self.file, 8 * self._n_rows * len(numbers), self._max_bytes)
        names = [self.columns[i] for i in (*numbers, *texts)]
        with self._reader() as reader:
            # Read once: the library makes it anew each time it is asked.
            schema = _schema(reader)
            for index in numbers:
                self._check_numeric(schema.field(self.columns[index]), unwanted)
            table = self._read_columns(reader, names)
            values = np.empty((table.num_rows, len(numbers)), dtype=np.float64)
            for place, index in enumerate(numbers):
                column = table.column(self.columns[index])
                if not allow_missing:
                    self._refuse_empty(column, self.columns[index], leaving_out)
                    values[:, place] = column.to_numpy()
                else:  # whole numbers with gaps become floats
                    plain = column.cast("float64")
                    values[:, place] = plain.to_numpy(zero_copy_only=False)
            labels = [self._labels(table, self.columns[index]) for index in texts]
        return TableContent(file=self.file, values=values, texts=labels, lines=None)

    def check_vectors(self, numbers: Sequence[int]) -> None:
        """Refuse columns that are no features, and rows of which too much is noted."""
        needed = min(8 * len(numbers), NOTED_PER_ROW) * self._n_rows
        check_size(self.file, needed, self._max_bytes)
        with self._reader() as reader:
            fields = [_schema(reader).field(self.columns[i]) for i in numbers]
        if len(fields) == 1 and hasattr(fields[0].type, "value_field"):
            return  # lists, which are looked at when they are read
        for field in fields:
            self._check_numeric(field, "")

    @contextmanager
    def _reader(self) -> Iterator[Any]:
        """Open the file; whatever the library finds wrong becomes one line."""
        try:
            import pyarrow as pa
        except ImportError as error:
            raise MissingExtraError(
                f"reading {self.file.ending} files", "io"
            ) from error
        with opened(self.file) as stream:
            head = stream.read(8)
            if not head:
                raise self.file.refusal("it is empty (0 bytes)")
            check_size(self.file, stream.seek(0, 2), self._max_bytes)
            stream.seek(0)
            try:
                yield _open(stream, head, self.file.ending)
            except InvalidInputError:
                raise
            # Besides its own errors the library raises OSError for bad contents.
            except (pa.ArrowException, OSError, ValueError, TypeError) as error:
                reason = printable(str(error).split("\n", maxsplit=1)[0], 120)
                problem = f"it is damaged or no such table: {reason}"
                raise self.file.refusal(problem, remedy="save it again") from error

    def _check_numeric(self, field: Any, unwanted: str) -> None:
        import pyarrow as pa

        kind, name, option = field.type, str(field.name), None
        is_real = pa.types.is_integer(kind) or pa.types.is_floating(kind)
        if is_real or pa.types.is_boolean(kind):
            return
        if pa.types.is_nested(kind):
            stacked = f"np.stack(frame[{printable(repr(name))}])"
            remedy = f"save the vectors as .npy: np.save('x.npy', {stacked})"
        elif unwanted:
            remedy = f"convert it to numbers, or {unwanted}"
        else:
            remedy, option = "convert it to numbers, or leave the column out", "drop"
        problem = f"it holds {printable(kind)}, no numbers"
        raise self.file.refusal(problem, column=name, remedy=remedy, option=option)

    def _refuse_empty(self, column: Any, name: str, leaving_out: str = "") -> None:
        if column.null_count:
            raise self.file.refusal(
                f"the cell is empty ({column.null_count:,} such)",
                row=int(column.is_null().to_numpy().argmax()) + 1,
                column=name,
                remedy="fill it, or leave such rows out"
                if leaving_out
                else "fill it or remove the row",
                option=leaving_out or None,
            )

    def _labels(self, table: Any, name: str) -> NDArray[Any]:
        import pyarrow as pa

        column = table.column(name)
        self._refuse_empty(column, name)
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        kind = column.type
        if str(kind) in _TEXT_TYPES:
            return text_array(column.to_pylist())
        if pa.types.is_integer(kind) or pa.types.is_floating(kind):
            where = Location(file=str(self.file.path), column=name)
            return label_array(np.asarray(column.to_numpy()), where)
        problem = f"it holds {printable(kind)}, no labels"
        remedy = "convert it to text or whole numbers"
        raise self.file.refusal(problem, column=name, remedy=remedy)

    def _read_columns(self, reader: Any, names: list[str]) -> Any:
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
            check_size(self.file, total, self._max_bytes)
            batches.append(batch)
        return pa.Table.from_batches(batches)


def _open(stream: Any, head: bytes, ending: str) -> Any:
    import pyarrow as pa

    if ending == ".parquet":
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
